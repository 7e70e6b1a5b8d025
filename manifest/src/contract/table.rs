//! One table of a contract, read key by key. Remembers which keys were asked for, so that what is left is unknown,
//! and tells of everything that is wrong. What the keys are is in [`parts`](super::parts).

use super::reading::Reading;
use crate::extension::{FromChecked, Word, cut, shown, type_of_value};
use crate::{Problem, Span, nearest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// How a text is read, and the code for one that can't be.
#[derive(Clone, Copy)]
pub(super) struct Text {
    pub(super) word: &'static Word,
    pub(super) code: &'static str,
}

/// A table that is being read.
pub(super) struct Table<'a, 'i> {
    pub(super) reading: &'a Reading,
    /// How it would be written in TOML; empty at the top.
    pub(super) path: String,
    /// Where its name stands.
    pub(super) at: Span,
    table: &'a DeTable<'i>,
    known: Vec<&'static str>,
    missing: Vec<(&'static str, String)>,
}

impl<'a, 'i> Table<'a, 'i> {
    pub(super) const fn new(reading: &'a Reading, path: String, at: Span, table: &'a DeTable<'i>) -> Self {
        Self { reading, path, at, table, known: Vec::new(), missing: Vec::new() }
    }

    /// Reads a text that must be there; `example` is how one would write it.
    pub(super) fn text<T: FromChecked>(
        &mut self,
        key: &'static str,
        text: Text,
        example: &str,
    ) -> Option<Spanned<T>> {
        if !self.table.contains_key(key) {
            self.missing.push((key, example.to_owned()));
        }
        self.optional_text(key, text)
    }

    /// Reads a text that may be there.
    pub(super) fn optional_text<T: FromChecked>(
        &mut self,
        key: &'static str,
        text: Text,
    ) -> Option<Spanned<T>> {
        let value = self.value(key)?;
        let Some(string) = value.get_ref().as_str() else {
            self.wrong_type(key, "a text", value);
            return None;
        };
        parse_text(self.reading, text, string, value.span())
    }

    /// Reads one of a few words. `None` if it is not there or none of them.
    pub(super) fn choice<T: Copy>(&mut self, key: &'static str, choices: &[(&str, T)]) -> Option<T> {
        let value = self.value(key)?;
        let Some(word) = value.get_ref().as_str() else {
            self.wrong_type(key, "a text", value);
            return None;
        };
        let found = choices.iter().find(|(name, _)| *name == word);
        if found.is_none() {
            let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
            let message = format!("`{}` is no value of `{}`", shown(word), self.here(key));
            let help = match nearest(cut(word), names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it is one of `{}`", names.join("`, `")),
            };
            self.tell(Problem::error("contract.unknown_value", value.span(), message).help(help));
        }
        found.map(|(_, choice)| *choice)
    }

    /// Reads one of a few words that must be there.
    pub(super) fn required_choice<T: Copy>(&mut self, key: &'static str, choices: &[(&str, T)]) -> Option<T> {
        if let (false, Some((first, _))) = (self.table.contains_key(key), choices.first()) {
            self.missing.push((key, format!("\"{first}\"")));
        }
        self.choice(key, choices)
    }

    /// Reads a truth value, which is `false` if it is not there.
    pub(super) fn flag(&mut self, key: &'static str) -> bool {
        let Some(value) = self.value(key) else { return false };
        if let DeValue::Boolean(flag) = value.get_ref() {
            return *flag;
        }
        self.wrong_type(key, "`true` or `false`", value);
        false
    }

    /// Reads a list of texts, each of them once.
    pub(super) fn texts(&mut self, key: &'static str, text: Text, most: usize) -> Vec<Spanned<String>> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let DeValue::Array(array) = value.get_ref() else {
            self.wrong_type(key, "a list of texts", value);
            return Vec::new();
        };
        if array.len() > most {
            let message = format!("`{}` has at most {most} items, this has {}", self.here(key), array.len());
            self.tell(Problem::error("contract.too_large", value.span(), message));
        }
        let mut items: Vec<Spanned<String>> = Vec::new();
        for item in array {
            let Some(string) = item.get_ref().as_str() else {
                self.wrong_type(key, "a list of texts", item);
                continue;
            };
            let Some(parsed) = parse_text::<String>(self.reading, text, string, item.span()) else {
                continue;
            };
            if items.iter().any(|earlier| earlier.get_ref() == parsed.get_ref()) {
                let message = format!("`{}` is written twice", shown(string));
                self.tell(Problem::error("contract.twice", item.span(), message));
                continue;
            }
            items.push(parsed);
        }
        items
    }

    /// Returns a table that must be there.
    pub(super) fn table(&mut self, key: &'static str) -> Option<Table<'a, 'i>> {
        if !self.table.contains_key(key) {
            self.missing.push((key, "{ … }".to_owned()));
        }
        self.optional_table(key)
    }

    /// Returns a table that may be there.
    pub(super) fn optional_table(&mut self, key: &'static str) -> Option<Table<'a, 'i>> {
        self.known.push(key);
        let (name, value) = self.table.get_key_value(key)?;
        match value.get_ref() {
            DeValue::Table(table) => Some(Table::new(self.reading, self.here(key), name.span(), table)),
            _ => {
                self.wrong_type(key, "a table", value);
                None
            }
        }
    }

    /// Returns the tables that stand under a key by names of the host's choosing, at most `most`.
    pub(super) fn named_tables(
        &mut self,
        key: &'static str,
        name: Text,
        most: usize,
    ) -> Vec<(Spanned<String>, Table<'a, 'i>)> {
        let mut found = Vec::new();
        for (name, value) in self.named(key, name, most) {
            let path = format!("{}.{}", self.here(key), quoted(name.get_ref()));
            match value.get_ref() {
                DeValue::Table(table) => {
                    let table = Table::new(self.reading, path, name.span(), table);
                    found.push((name, table));
                }
                other => {
                    let message = format!("`{path}` is a table, this is {}", type_of_value(other));
                    self.tell(Problem::error("contract.wrong_type", value.span(), message));
                }
            }
        }
        found
    }

    /// Returns what stands under a key by names of the host's choosing, at most `most`.
    pub(super) fn named(
        &mut self,
        key: &'static str,
        name: Text,
        most: usize,
    ) -> Vec<(Spanned<String>, &'a Spanned<DeValue<'i>>)> {
        self.known.push(key);
        let Some((at, value)) = self.table.get_key_value(key) else { return Vec::new() };
        let DeValue::Table(table) = value.get_ref() else {
            self.wrong_type(key, "a table", value);
            return Vec::new();
        };
        if table.len() > most {
            let message = format!("`{key}` has at most {most} entries, this has {}", table.len());
            self.tell(Problem::error("contract.too_large", at.span(), message));
            return Vec::new();
        }
        let entries = table.iter();
        let read = entries.filter_map(|(key, value)| {
            Some((parse_text(self.reading, name, key.get_ref(), key.span())?, value))
        });
        read.collect()
    }

    /// Returns the value of a key.
    pub(super) fn value(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'i>>> {
        self.known.push(key);
        self.table.get(key)
    }

    /// Tells where a key stands, or where the table does.
    pub(super) fn span_of(&self, key: &str) -> Span {
        self.table.get_key_value(key).map_or_else(|| self.at.clone(), |(key, _)| key.span())
    }

    /// Tells that a key has no place here, if it is there.
    pub(super) fn refuse(&mut self, key: &'static str, why: &str) {
        self.known.push(key);
        if self.table.contains_key(key) {
            let message = format!("`{}` has no place here: {why}", self.here(key));
            let problem = Problem::error("contract.misplaced_key", self.span_of(key), message);
            self.tell(problem.help("take it out"));
        }
    }

    /// Tells that a key must be there, if it is not.
    pub(super) fn require(&mut self, key: &'static str, example: &str) {
        if !self.table.contains_key(key) {
            self.missing.push((key, example.to_owned()));
        }
    }

    /// Ends the table: tells of the keys that are unknown, and of those that are missing and not merely misspelt.
    pub(super) fn end(mut self) {
        for key in self.table.keys().filter(|key| !self.known.contains(&key.get_ref().as_ref())) {
            let name = key.get_ref().as_ref();
            let meant = nearest(cut(name), self.known.iter().copied());
            let place = match self.path.is_empty() {
                true => "at the top".to_owned(),
                false => format!("in `{}`", self.path),
            };
            let help = match meant {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("known here: `{}`", self.known.join("`, `")),
            };
            let message = format!("unknown key `{}` {place}", shown(name));
            self.reading.tell(Problem::error("contract.unknown_key", key.span(), message).help(help));
            self.missing.retain(|(missing, _)| Some(*missing) != meant);
        }
        for (key, example) in std::mem::take(&mut self.missing) {
            let message = format!("`{}` is missing", self.here(key));
            let problem = Problem::error("contract.missing_key", self.at.clone(), message);
            self.tell(problem.help(format!("add `{key} = {example}`")));
        }
    }

    pub(super) fn tell(&self, problem: Problem) {
        self.reading.tell(problem);
    }

    /// Returns how a key of this table would be written.
    pub(super) fn here(&self, key: &str) -> String {
        match self.path.is_empty() {
            true => key.to_owned(),
            false => format!("{}.{key}", self.path),
        }
    }

    fn wrong_type(&self, key: &str, expected: &str, value: &Spanned<DeValue<'_>>) {
        let message =
            format!("`{}` is {expected}, this is {}", self.here(key), type_of_value(value.get_ref()));
        let span = match value.get_ref() {
            DeValue::Table(_) => self.span_of(key),
            _ => value.span(),
        };
        self.tell(Problem::error("contract.wrong_type", span, message));
    }
}

/// Returns a name as it stands in a path of keys.
pub(super) fn quoted(name: &str) -> String {
    let is_bare = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_');
    match !name.is_empty() && name.bytes().all(is_bare) {
        true => name.to_owned(),
        false => format!("\"{}\"", shown(name)),
    }
}

fn parse_text<T: FromChecked>(reading: &Reading, text: Text, string: &str, at: Span) -> Option<Spanned<T>> {
    match text.word.parse(string) {
        Ok(checked) => T::from_checked(checked).map(|value| Spanned::new(at, value)),
        Err(fault) => {
            let code = match fault.code {
                Some("manifest.too_long") => "contract.too_large",
                Some(_) | None => text.code,
            };
            let mut problem = Problem::error(code, at, fault.message);
            problem.help = fault.help;
            reading.tell(problem);
            None
        }
    }
}
