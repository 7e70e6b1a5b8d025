//! Collects the problems of one file. Decides what is noise: where the TOML itself is broken, what a reader
//! guessed from the rest is not judged.

use crate::{Problem, Severity, Span, Untrusted};
use std::collections::BTreeMap;

/// The most problems that are told; what follows is counted.
const MOST: usize = 500;

/// The problems found so far. Spans are into the text without its mark; [`Report::finish`] moves them.
#[derive(Default)]
pub(super) struct Report {
    problems: Vec<Problem>,
    /// Where the TOML can't be trusted: start to end, none touching another.
    broken: BTreeMap<usize, usize>,
    tables_lost: bool,
    left_out: usize,
    errors: bool,
}

impl Report {
    /// Adds what the TOML parser says. Nothing else is said of what is lost by it.
    pub(super) fn add_syntax(&mut self, problem: Problem, lost: Span) {
        self.push(problem);
        self.widen_doubt(lost);
    }

    /// Notes that more is lost by an error that was told already.
    pub(super) fn widen_doubt(&mut self, mut lost: Span) {
        while let Some((start, end)) = self.doubt_at(&lost) {
            self.broken.remove(&start);
            lost = lost.start.min(start)..lost.end.max(end);
        }
        self.broken.insert(lost.start, lost.end);
    }

    /// Notes that whole tables may be there, unread.
    pub(super) const fn lose_tables(&mut self) {
        self.tables_lost = true;
    }

    /// Adds a problem, unless it is where the TOML is broken.
    pub(super) fn add(&mut self, problem: Problem) {
        if !self.is_in_doubt(&problem.span) {
            self.push(problem);
        }
    }

    /// Tells whether some of the TOML is broken.
    pub(super) fn is_broken(&self) -> bool {
        !self.broken.is_empty()
    }

    /// Tells whether some of this was lost.
    pub(super) fn is_in_doubt(&self, span: &Span) -> bool {
        self.doubt_at(span).is_some()
    }

    fn doubt_at(&self, span: &Span) -> Option<(usize, usize)> {
        let (start, end) = self.broken.range(..=span.end).next_back()?;
        (*end >= span.start).then_some((*start, *end))
    }

    fn push(&mut self, problem: Problem) {
        self.errors |= problem.severity == Severity::Error;
        match self.is_full() {
            true => self.left_out += 1,
            false => self.problems.push(problem),
        }
    }

    /// Tells whether another problem would only be counted, so that nobody works out what to say of it.
    pub(super) const fn is_full(&self) -> bool {
        self.problems.len() >= MOST
    }

    /// Tells whether whole tables may be there, unread.
    pub(super) const fn has_lost_tables(&self) -> bool {
        self.tables_lost
    }

    /// Tells whether an error was found.
    pub(super) const fn has_errors(&self) -> bool {
        self.errors
    }

    /// Returns the problems in order of place, `shift` bytes further on.
    pub(super) fn finish(mut self, shift: usize) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
        for problem in &mut self.problems {
            problem.span = problem.span.start + shift..problem.span.end + shift;
        }
        if let (1.., Some(last)) = (self.left_out, self.problems.last()) {
            let message = format!("{} more problems are not shown", self.left_out);
            let rest = Problem::error("manifest.too_many_problems", last.span.clone(), message);
            self.problems.push(rest);
        }
        self.problems
    }
}

/// Returns a text of the file as it may stand in a message: escaped, and cut where it is too long to read.
pub(crate) fn shown(text: &str) -> String {
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", Untrusted(&text[..end])),
        None => Untrusted(text).to_string(),
    }
}
