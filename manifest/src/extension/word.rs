//! One sort of text: its bounds, what an editor may check of it, and the function that reads it. A word knows
//! nothing of where it stands.

use super::checked::Checked;

/// Describes one sort of text.
pub(crate) struct Word {
    /// What it is, to stand before "has" or "is": `a version`.
    pub(crate) what: &'static str,
    /// The code for a text that is none.
    pub(crate) code: &'static str,
    /// What an editor checks: an ECMA-262 expression, never narrower than `read`.
    pub(crate) pattern: Option<&'static str>,
    /// The fewest characters.
    pub(crate) least: usize,
    /// The most characters.
    pub(crate) most: usize,
    /// Whether there may be dots in it, so that as a key it stands in quotes.
    pub(crate) dotted: bool,
    /// Every text there is, if they can be listed.
    pub(crate) known: Option<fn() -> Vec<&'static str>>,
    /// Reads a text whose length is within bounds.
    pub(crate) read: fn(&str) -> Result<Checked, Fault>,
}

/// Says what is wrong with a text.
pub(crate) struct Fault {
    /// A code, if the word's own does not fit.
    pub(crate) code: Option<&'static str>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Word {
    /// Reads a text, or says what is wrong with it.
    pub(crate) fn parse(&self, text: &str) -> Result<Checked, Fault> {
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
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { code: None, message: message.into(), help: None }
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    pub(crate) fn code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }
}
