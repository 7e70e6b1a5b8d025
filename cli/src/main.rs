//! The `pintle` command. This crate holds words, arguments and exit codes: it reads the command line and the
//! environment, calls one operation of the libraries, and says what came of it. It decides nothing that a library
//! could decide.
//!
//! Reading order: [`arguments`], [`situation`], [`verbs`], and then how things are said: [`ui`], [`view`],
//! [`failure`], [`exit`].

mod arguments;
mod situation;
mod host;
mod lower;
mod doctor;
mod bisect;
mod verbs;

mod ui;
mod view;
mod place;
mod progress;

mod question;
mod failure;
mod exit;
mod stop;

mod command;

use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Workers are this program started anew; here is where they turn off.
    pintle_loader::worker::enter();
    // A panic is a bug in Pintle, and must not look like an ordinary failure.
    match std::panic::catch_unwind(run) {
        Ok(exit) => exit.into(),
        Err(_) => Exit::Bug.into(),
    }
}

fn run() -> Exit {
    command::outlive_file_limit();
    let environment = situation::Environment::read();
    let (cli, ui) = match arguments::parse(&environment) {
        Ok(parsed) => parsed,
        Err(exit) => return exit,
    };
    match verbs::run(&cli, &environment, &ui) {
        Ok(Exit::Done) if ui::Ui::lost_output() => Exit::Failed,
        Ok(exit) => exit,
        Err(failure) => ui.failure(&failure),
    }
}
