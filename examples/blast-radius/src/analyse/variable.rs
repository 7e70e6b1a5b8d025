//! What a variable holds, as far as the line itself says, and how a shell makes words of it. What the environment or a
//! program put into it, nobody can tell.

use super::shell::Shell;
use super::word::{Value, Word};

/// What a variable holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Variable {
    /// This text.
    Text(String),
    /// An array of these words.
    List(Vec<Word>),
    /// The name of a file or a directory that `mktemp` made for this line, and of nothing else.
    Fresh,
    /// Something that nobody can tell.
    Unknown,
}

impl Variable {
    /// Makes a variable of a text that may be known.
    pub(super) fn of(text: Option<String>) -> Variable {
        text.map_or(Variable::Unknown, Variable::Text)
    }

    /// Returns what `$name` stands for; of an array that is its first element.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Variable::Text(text) => Some(text),
            Variable::List(words) => words.first()?.known(),
            Variable::Fresh | Variable::Unknown => None,
        }
    }

    /// Returns what `${name[at]}` stands for.
    pub(super) fn element(&self, at: usize) -> Option<&Word> {
        match self {
            Variable::List(words) => words.get(at),
            Variable::Text(_) | Variable::Fresh | Variable::Unknown => None,
        }
    }

    /// Returns what becomes of the variable with `+=`.
    pub(super) fn plus(&self, more: Variable) -> Variable {
        match (self, more) {
            (Variable::Text(text), Variable::Text(more)) => Variable::Text(format!("{text}{more}")),
            (Variable::Text(text), Variable::List(more)) => {
                Variable::List(std::iter::once(Word::literal(text)).chain(more).collect())
            }
            (Variable::List(words), Variable::List(more)) => {
                Variable::List(words.iter().cloned().chain(more).collect())
            }
            (Variable::List(_), Variable::Text(_))
            | (Variable::Fresh | Variable::Unknown, _)
            | (_, Variable::Fresh | Variable::Unknown) => Variable::Unknown,
        }
    }

    /// Returns what becomes of the variable when one element is set.
    pub(super) fn with(&self, at: usize, element: Word) -> Variable {
        match self {
            Variable::List(words) if at < words.len() => {
                let mut words = words.clone();
                words[at] = element;
                Variable::List(words)
            }
            Variable::List(words) if at == words.len() => {
                Variable::List(words.iter().cloned().chain([element]).collect())
            }
            Variable::List(_) | Variable::Text(_) | Variable::Fresh | Variable::Unknown => Variable::Unknown,
        }
    }
}

impl Shell {
    /// Returns what a variable holds, if that is a text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.variables.get(name)?.text()
    }

    /// Assigns a text that may be known.
    pub(super) fn assign(&mut self, name: &str, text: Option<String>) {
        self.variables.insert(name.to_owned(), Variable::of(text));
    }

    /// Returns the characters between the words of an expanded variable; `None` if nobody can tell.
    pub(super) fn separators(&self) -> Option<&str> {
        match self.variables.get("IFS") {
            None => Some(" \t\n"),
            Some(value) => value.text(),
        }
    }

    /// Tells whether a value stays one word, and no pattern, where it is not quoted.
    pub(super) fn stays_whole(&self, value: &str) -> bool {
        let splits = |separators: &str| value.contains(|c| separators.contains(c));
        !value.contains(['*', '?', '[', '\\']) && self.separators().is_some_and(|text| !splits(text))
    }

    /// Splits a value that is not quoted into words.
    pub(super) fn split(&self, value: &str) -> Option<Vec<Word>> {
        let separators = self.separators()?;
        if value.contains(['*', '?', '[', '\\']) {
            return None;
        }
        let parts = value.split(|c| separators.contains(c)).filter(|part| !part.is_empty());
        Some(parts.map(Word::literal).collect())
    }

    /// Splits each of some words that are not quoted.
    pub(super) fn split_all(&self, words: &[Word]) -> Vec<Word> {
        let parts = |word: &Word| match &word.value {
            Value::Known(text) => self.split(text).unwrap_or_else(|| vec![Word::unknown(&word.shown)]),
            Value::Fresh => vec![Word::unknown(&word.shown)],
            Value::Glob(_) | Value::Unknown { .. } => vec![word.clone()],
        };
        words.iter().flat_map(parts).collect()
    }
}
