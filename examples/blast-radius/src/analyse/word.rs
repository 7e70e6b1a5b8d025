//! One word of a command, as far as it can be known before a shell expands it. A word never guesses: what depends on
//! the environment, on a program's output or on anything else outside the line is unknown.

use std::fmt::Write as _;

/// A word, and how it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The word as it stands in the line.
    pub(super) shown: String,
    /// What it will be.
    pub(super) value: Value,
}

/// What a word will be once a shell has expanded it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// Exactly this.
    Known(String),
    /// The names that match this pattern, in which what is meant literally is in brackets.
    Glob(String),
    /// Nobody can tell before it runs.
    Unknown {
        /// The known text before the first unknown part.
        lead: String,
        /// The known text after the last unknown part.
        tail: String,
        /// Whether it may become several words, or none.
        splits: bool,
    },
    /// The name of something that `mktemp` made for this line, quoted, and nothing besides.
    Fresh,
}

impl Word {
    /// Makes a word that is meant literally.
    pub(super) fn literal(text: &str) -> Word {
        Word { shown: quoted(text), value: Value::Known(text.to_owned()) }
    }

    /// Makes a word that nobody can tell.
    pub(super) fn unknown(shown: &str) -> Word {
        let value = Value::Unknown { lead: String::new(), tail: String::new(), splits: true };
        Word { shown: shown.to_owned(), value }
    }

    /// Returns the word if it is known exactly.
    pub(super) fn known(&self) -> Option<&str> {
        match &self.value {
            Value::Known(text) => Some(text),
            Value::Glob(_) | Value::Unknown { .. } | Value::Fresh => None,
        }
    }

    /// Returns the word, with what is not known of it as it stands in the line.
    pub(super) fn in_the_line(&self) -> String {
        match &self.value {
            Value::Known(text) => text.clone(),
            Value::Glob(_) | Value::Unknown { .. } | Value::Fresh => {
                self.shown.trim_matches(['"', '\'']).to_owned()
            }
        }
    }

    /// Tells whether the word is known to be an option; the lone dash is none.
    pub(super) fn is_option(&self) -> bool {
        let text = self.lead();
        text.starts_with('-') && (text.len() > 1 || self.known().is_none())
    }

    /// Returns the text with which the word begins, as far as it is known.
    pub(super) fn lead(&self) -> &str {
        match &self.value {
            Value::Known(text) | Value::Unknown { lead: text, .. } | Value::Glob(text) => text,
            Value::Fresh => "",
        }
    }

    /// Tells whether nobody can tell how many words it will be.
    pub(super) fn may_split(&self) -> bool {
        matches!(self.value, Value::Unknown { splits: true, .. })
    }

    /// Returns the last component of the program that the word names, if that much is known.
    pub(super) fn program(&self) -> Option<&str> {
        let text = match &self.value {
            Value::Known(text) => text,
            Value::Unknown { tail, .. } if tail.contains('/') => tail,
            Value::Glob(_) | Value::Unknown { .. } | Value::Fresh => return None,
        };
        text.rsplit('/').next()
    }
}

/// Returns a text as a shell would need it, in quotes if it must.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:@%+,~".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 2);
    write!(out, "'{}'", text.replace('\'', "'\\''")).expect("a string takes everything");
    out
}

/// Returns words as one text, as they were written.
pub(super) fn joined(words: &[Word]) -> String {
    words.iter().map(|word| word.shown.as_str()).collect::<Vec<_>>().join(" ")
}
