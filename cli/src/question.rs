//! Questions to a person at a terminal. Asks only where someone can answer, and takes everything but a clear yes for a
//! no. What comes through a pipe is never read as an answer, nor what was typed before the question was there.

use crate::situation::Situation;
use crate::stop;
use std::io::{BufRead as _, Write as _};

/// What a person answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
    /// No one is there who could be asked.
    NoOne,
}

/// Forgets what was typed at the terminal and not read yet: nobody answers a question that they have not seen.
pub(crate) fn forget_typed() {
    // Where it can't be, someone types at something that is no terminal, and is not asked.
    let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
}

/// Asks, if someone can be asked. While the question stands, a Ctrl-C ends the process: nothing was changed yet.
pub(crate) fn ask(situation: &Situation<'_>, question: &str) -> Answer {
    if !situation.environment.can_ask() {
        return Answer::NoOne;
    }
    situation.progress.end();
    let mut err = std::io::stderr().lock();
    let mut answer = String::new();
    stop::ending_at_once(|| {
        forget_typed();
        let _ = write!(err, "{question} [y/N] ").and_then(|()| err.flush());
        let _ = std::io::stdin().lock().read_line(&mut answer);
    });
    if !answer.ends_with('\n') {
        let _ = writeln!(err);
    }
    match matches!(answer.trim(), "y" | "Y" | "yes") {
        true => Answer::Yes,
        false => Answer::No,
    }
}
