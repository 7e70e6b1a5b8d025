//! An extension that does on demand what no extension should, for testing hosts. It speaks the protocol by hand, since
//! the SDK would not let it do most of this.

mod wire;
mod life;
mod ways;
mod starting;
mod answering;
mod asking;
mod leaving;
mod script;
mod breaking;
mod daemon;

use life::Life;
use std::io::{self, Write};
use ways::{Chosen, WAYS};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--list"] => list(),
        [daemon::FIRST, rest @ ..] => daemon::first(rest),
        [daemon::SECOND, rest @ ..] => daemon::second(rest),
        ["--script", file] => script::play(file),
        [] => Life::new(None).run(),
        words => match Chosen::from_words(words) {
            Some(chosen) => Life::new(Some(chosen)).run(),
            None => {
                // A typing error in a test must not look like good behaviour.
                complain(&format!(
                    "there is no way `{}` to misbehave; see `misbehave --list`",
                    words.join(" ")
                ));
                breaking::leave(64)
            }
        },
    }
}

fn list() {
    let mut out = io::stdout().lock();
    for way in &WAYS {
        // Whoever closed the other end has seen enough.
        if writeln!(out, "{:18} {:10} {}", way.name, way.act.when(), way.does).is_err() {
            return;
        }
    }
}

pub(crate) fn complain(message: &str) {
    // There is nobody else to tell.
    let _ = writeln!(io::stderr(), "misbehave: {message}");
}
