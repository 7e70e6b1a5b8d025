//! Problems: what is wrong with a text that a person wrote, and where. A reader collects all of them.

/// Counts bytes from the start of the text: `start..end`.
pub type Span = std::ops::Range<usize>;

/// Tells what a problem stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The text can't be used.
    Error,
    /// The text can be used, and something in it is probably not meant.
    Warning,
}

/// One thing that is wrong, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What it stops.
    pub severity: Severity,
    /// A stable code, such as `manifest.unknown_key`.
    pub code: &'static str,
    /// What is wrong, in lower case and without a full stop.
    pub message: String,
    /// Where, in bytes of the text as it was given.
    pub span: Span,
    /// What to do about it, if there is something to say.
    pub help: Option<String>,
}

impl Problem {
    /// Makes an error.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, message: message.into(), span, help: None }
    }

    /// Makes a warning.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns line and column of the place, both from 1; columns count characters.
    pub fn line_column(&self, text: &str) -> (usize, usize) {
        let mut at = self.span.start.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        let column =
            before.rsplit('\n').next().unwrap_or("").chars().filter(|c| *c != '\u{feff}').count() + 1;
        (line, column)
    }
}
