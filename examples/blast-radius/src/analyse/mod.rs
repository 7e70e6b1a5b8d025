//! Finds what is destructive in a command. Pure: a line or an argument list and a directory go in, dangers come out.
//! Nothing here starts a program, looks at the disk or reads the environment.
//!
//! It fails closed: where a destructive command can't be understood, there is a danger that says so. It sees what the
//! line says, and nothing else: not what a script, an alias of the shell or a `Makefile` does.

mod word;
mod variable;
mod fresh;
mod danger;
mod shell;
mod expand;
mod reader;
mod script;
mod alias;
mod arguments;
mod program;
mod unknown;
mod setup;
mod carrier;
mod launcher;
mod wrapper;
mod remove;
mod git;
mod settings;
mod hosted;
mod subcommand;
mod discard;
mod refs;
mod forget;
mod push;
mod database;
mod statement;

pub use danger::{Action, Danger, Dir, GitAction, GitPlace, PushRef, Remove, Target};
pub use push::configured_ref;
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

/// Words that begin something within something. With more than this the parser needs a larger stack.
const MANY_OPENERS: usize = 40;
/// With more than this, no stack is large enough.
const MOST_OPENERS: usize = 20_000;
/// That larger stack, in bytes; what is not used of it costs nothing.
const LARGE_STACK: usize = 256 * 1024 * 1024;

/// Returns what in a command can lose work, in the order in which it would run.
pub fn analyse(command: Command<'_>, cwd: &Path, home: Option<&Path>) -> Vec<Danger> {
    let openers = match command {
        Command::Line(line) => openers(line),
        Command::Exact(words) => words.iter().map(|word| openers(word)).sum(),
    };
    let opaque = |why: &str| {
        let dir = Dir::Known { path: cwd.to_owned(), fallback: None };
        let action = Action::Opaque { why: why.to_owned() };
        vec![Danger { command: "this line".to_owned(), action, dir, after_others: false }]
    };
    match openers {
        0..MANY_OPENERS => read(command, cwd, home),
        MANY_OPENERS..MOST_OPENERS => std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().stack_size(LARGE_STACK);
            let reading = builder.spawn_scoped(scope, || read(command, cwd, home));
            let found = reading.ok().and_then(|reading| reading.join().ok());
            found.unwrap_or_else(|| opaque("it could not be read"))
        }),
        _ => opaque("it is too deep to be read in full"),
    }
}

fn openers(text: &str) -> usize {
    let words = text.split(|c: char| c.is_whitespace() || c == ';' || c == '\'' || c == '"');
    words
        .filter(|word| {
            matches!(
                *word,
                "if" | "while"
                    | "until"
                    | "for"
                    | "case"
                    | "select"
                    | "!"
                    | "time"
                    | "{"
                    | "coproc"
                    | "function"
            )
        })
        .count()
        + text.bytes().filter(|byte| matches!(byte, b'(' | b'`')).count()
}

fn read(command: Command<'_>, cwd: &Path, home: Option<&Path>) -> Vec<Danger> {
    let mut shell = shell::Shell::new(cwd, home);
    match command {
        Command::Line(line) => {
            let mut reader = reader::Reader::new(line);
            reader.line(line, &mut shell);
            reader.found
        }
        Command::Exact(words) => {
            let mut reader = reader::Reader::new(&words.join(" "));
            let words: Vec<_> = words.iter().map(|word| word::Word::literal(word)).collect();
            reader.call(&words, &mut shell, &reader::Feed::Nothing);
            reader.found
        }
    }
}
