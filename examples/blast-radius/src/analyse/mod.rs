//! Finds what is destructive in a command. Pure: a line or an argument list and a directory go in, dangers come out.
//! Nothing here starts a program, looks at the disk or reads the environment.
//!
//! It fails closed: where a destructive command can't be understood, there is a danger that says so. It sees what the
//! line says, and nothing else: not what a script, an alias of the shell or a `Makefile` does.

mod word;
mod danger;
mod shell;
mod expand;
mod script;
mod program;
mod wrapper;
mod remove;
mod git;
mod push;
mod database;

pub use danger::{Action, Danger, Dir, GitAction, GitPlace, PushRef, Remove, Target};
pub use word::quoted;

use std::path::Path;

/// A command, as a host is about to run it.
#[derive(Debug, Clone, Copy)]
pub enum Command<'a> {
    /// A line for a shell.
    Line(&'a str),
    /// A program and its arguments, exactly.
    Exact(&'a [String]),
}

/// Returns what in a command can lose work, in the order in which it would run.
pub fn analyse(command: Command<'_>, cwd: &Path, home: Option<&Path>) -> Vec<Danger> {
    let mut shell = shell::Shell::new(cwd, home);
    let mut reader = script::Reader::new();
    match command {
        Command::Line(line) => reader.line(line, &mut shell),
        Command::Exact(words) => {
            let words: Vec<_> = words.iter().map(|word| word::Word::literal(word)).collect();
            reader.call(&words, &mut shell, &script::Feed::Nothing);
        }
    }
    reader.found
}
