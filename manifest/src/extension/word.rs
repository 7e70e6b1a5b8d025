//! One sort of text: its bounds, what an editor may check of it, and the function that reads it. A word knows
//! nothing of where it stands.

use super::checked::Checked;

/// Describes one sort of text.
pub(super) struct Word {
    /// What it is, to stand before "has" or "is": `a version`.
    pub(super) what: &'static str,
    /// The code for a text that is none.
    pub(super) code: &'static str,
    /// What an editor checks: an ECMA-262 expression, never narrower than `read`.
    pub(super) pattern: Option<&'static str>,
    /// The fewest characters.
    pub(super) least: usize,
    /// The most characters.
    pub(super) most: usize,
    /// Whether there may be dots in it, so that as a key it stands in quotes.
    pub(super) dotted: bool,
    /// Every text there is, if they can be listed.
    pub(super) known: Option<fn() -> Vec<&'static str>>,
    /// Reads a text whose length is within bounds.
    pub(super) read: fn(&str) -> Result<Checked, Fault>,
}

/// Says what is wrong with a text.
pub(super) struct Fault {
    /// A code, if the word's own does not fit.
    pub(super) code: Option<&'static str>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Word {
    /// Reads a text, or says what is wrong with it.
    pub(super) fn parse(&self, text: &str) -> Result<Checked, Fault> {
        let length = text.chars().count();
        if length > self.most {
            let message = format!("{} has at most {} characters, this has {length}", self.what, self.most);
            return Err(Fault::new(message).code("manifest.too_long"));
        }
        if length == 0 && self.least > 0 {
            return Err(Fault::new(format!("{} is never empty", self.what)).code("manifest.empty"));
        }
        (self.read)(text)
    }
}

impl Fault {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { code: None, message: message.into(), help: None }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    pub(super) fn code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }
}
