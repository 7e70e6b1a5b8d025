//! What the walk says of keys that are unknown, not there, or hold the wrong type of value.

use super::grammar::{Key, Kind, Need, ROOT};
use super::report::shown;
use super::walk::{Place, Walk, cut};
use crate::{Problem, Severity, Span, nearest};
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

impl Walk<'_> {
    /// Tells of the keys that are not there. A key that is misspelt is told of as that, and not as missing.
    pub(super) fn missing(&mut self, keys: &[&Key], table: &DeTable<'_>, meant: &[&str], at: Span) {
        if self.is_excused(&at) {
            return;
        }
        for key in keys {
            if table.contains_key(key.name) || meant.contains(&key.name) {
                continue;
            }
            let (severity, code) = match key.need {
                Need::Required(code) => (Severity::Error, code),
                Need::Advised(code) => (Severity::Warning, code),
                Need::Optional => continue,
            };
            self.path.push(key.name.to_owned());
            let message = format!("`{}` is missing", self.here());
            self.path.pop();
            let help = match key.is_table() {
                true => format!("add `{}`", key.example),
                false => format!("add `{} = {}`", key.name, key.example),
            };
            self.report.add(Problem { severity, ..Problem::error(code, at.clone(), message).help(help) });
        }
    }

    /// Tells whether what is missing from the table at this key may be there, in a line that could not be read.
    pub(super) fn is_excused(&self, at: &Span) -> bool {
        let tables = self.path.len() < 2 && self.report.has_lost_tables();
        let next = self.headers.get(self.headers.partition_point(|header| *header < at.end));
        tables || self.report.is_in_doubt(&(at.start..next.copied().unwrap_or(self.text.len())))
    }

    /// Tells of an unknown key, and returns the known one that it seems to mean.
    pub(super) fn unknown(
        &mut self,
        known: &[&'static Key],
        key: &Spanned<Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Option<&'static str> {
        if self.report.is_full() {
            self.report.add(Problem::error("manifest.unknown_key", key.span(), ""));
            return None;
        }
        let name = key.get_ref().as_ref();
        let meant = nearest(cut(name), known.iter().map(|key| key.name));
        let moved = self.belongs(name).filter(|_| self.path.is_empty() || meant.is_none());
        let is_moved = moved.is_some();
        let help = match (moved, meant, self.unquoted(name, value)) {
            (Some(place), _, _) => place,
            (None, Some(meant), _) => format!("did you mean `{meant}`?"),
            (None, None, Some(header)) => format!("put a name that has dots in quotes: `{header}`"),
            (None, None, None) => {
                let names: Vec<_> = known.iter().map(|key| key.name).collect();
                format!("known here: `{}`", names.join("`, `"))
            }
        };
        let place = match self.path.is_empty() {
            true => "at the top".to_owned(),
            false => format!("in `{}`", self.here()),
        };
        let message = format!("unknown key `{}` {place}", shown(name));
        self.report.add(Problem::error("manifest.unknown_key", key.span(), message).help(help));
        meant.filter(|_| !is_moved)
    }

    /// Says where a key belongs that stands in another table, or above all of them.
    fn belongs(&self, name: &str) -> Option<String> {
        if self.path.len() > 1 {
            return None;
        }
        let of_its_own = ROOT.iter().find(|table| table.name == name && table.is_table());
        let of_its_own = of_its_own.map(|table| format!("it is a table of its own: `{}`", table.example));
        let below = || ROOT.iter().find(|table| table.has(name));
        of_its_own.or_else(|| below().map(|table| format!("it belongs below `{}`", table.example)))
    }

    /// Returns the header that was meant by `[hooks.tool.call]`, in which TOML sees three tables.
    fn unquoted(&self, name: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let [outer, words @ ..] = self.path.as_slice() else { return None };
        let (Kind::Map(map), true) =
            (&ROOT.iter().find(|key| key.name == outer)?.kind, value.get_ref().is_table())
        else {
            return None;
        };
        let last = match (map.key.dotted, words) {
            (true, [word]) => format!("\"{}.{}\"", shown(word), shown(name)),
            (true, [slot, entry]) => format!("\"{}.{}\".{}", shown(slot), shown(entry), shown(name)),
            (_, _) => return None,
        };
        Some(format!("[{outer}.{last}]"))
    }

    /// Tells that a value is of another type than the grammar says.
    pub(super) fn wrong_type(&mut self, place: Place<'_, '_>, kind: &Kind) {
        let value = place.value;
        let (expected, actual) = (type_of_kind(kind), type_of_value(value.get_ref()));
        let message = format!("`{}` is {expected}, this is {actual}", self.here());
        let span = match value.get_ref() {
            DeValue::Table(_) => place.key.span(),
            _ => value.span(),
        };
        let mut problem = Problem::error("manifest.wrong_type", span, message);
        problem.help = self.type_help(place, kind);
        self.report.add(problem);
    }

    /// Tells that an item of a list is no text.
    pub(super) fn wrong_item(&mut self, item: &Spanned<DeValue<'_>>) {
        let actual = type_of_value(item.get_ref());
        let message = format!("each item of `{}` is a text, this is {actual}", self.here());
        let mut problem = Problem::error("manifest.wrong_type", item.span(), message);
        problem.help = self.quoted(item).map(|quoted| format!("put it in quotes: `{quoted}`"));
        self.report.add(problem);
    }

    fn type_help(&self, place: Place<'_, '_>, kind: &Kind) -> Option<String> {
        let value = place.value;
        let name = place.key.get_ref();
        match kind {
            Kind::Text(_) | Kind::TextOr(..) => {
                if let Some(quoted) = self.quoted(value) {
                    return Some(format!("put it in quotes: `{quoted}`"));
                }
            }
            Kind::List(_) | Kind::TrueOr(_) if value.get_ref().is_str() => {
                return Some(format!("put it in brackets: `[{}]`", shown(&self.text[value.span()])));
            }
            Kind::TrueOr(_) => {
                let (name, inner) =
                    (shown(name), shown(value.get_ref().as_table()?.keys().next()?.get_ref()));
                return Some(match name.contains('.') {
                    true => format!("write what is asked for as a list: `[\"{inner}\"]`"),
                    false => format!("put a name that has dots in quotes: `\"{name}.{inner}\"`"),
                });
            }
            Kind::ManifestVersion | Kind::List(_) | Kind::Table(_) | Kind::Variants(_) | Kind::Map(_) => {}
        }
        match (place.example, kind.is_table()) {
            ("", _) => self.help_for_named_table(place, kind),
            (example, true) if example.starts_with('[') => Some(format!("write it as a table: `{example}`")),
            (example, _) => Some(format!("for example `{name} = {example}`")),
        }
    }

    /// Shows how to write a table that an author named; a text in its place is the value of its only key.
    fn help_for_named_table(&self, place: Place<'_, '_>, kind: &Kind) -> Option<String> {
        let written = || shown(&self.text[place.value.span()]);
        match kind {
            Kind::Table([only]) if place.value.get_ref().is_str() => {
                let name = shown(place.key.get_ref());
                Some(format!("write `{name} = {{ {} = {} }}`", only.name, written()))
            }
            Kind::Table(_) | Kind::Map(_) if self.path.len() == 2 => {
                Some(format!("write it as a table: `[{}]`", self.here()))
            }
            Kind::Table(_)
            | Kind::Map(_)
            | Kind::ManifestVersion
            | Kind::Text(_)
            | Kind::List(_)
            | Kind::TrueOr(_)
            | Kind::TextOr(..)
            | Kind::Variants(_) => None,
        }
    }

    /// Returns a bare value in quotes, as it was written.
    fn quoted(&self, value: &Spanned<DeValue<'_>>) -> Option<String> {
        match value.get_ref() {
            DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {
                Some(format!("\"{}\"", shown(&self.text[value.span()])))
            }
            DeValue::String(_) | DeValue::Array(_) | DeValue::Table(_) => None,
        }
    }

    /// Returns the path to where the walk is, as it would be written in TOML, escaped.
    pub(super) fn here(&self) -> String {
        let bare = |key: &str| {
            !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        };
        let parts = self.path.iter().map(|key| match bare(key) {
            true => shown(key),
            false => format!("\"{}\"", shown(key)),
        });
        parts.collect::<Vec<_>>().join(".")
    }
}

impl Key {
    /// Tells whether this is written under a header of its own.
    fn is_table(&self) -> bool {
        self.kind.is_table() && self.example.starts_with('[')
    }

    /// Tells whether this is a table with such a key.
    fn has(&self, name: &str) -> bool {
        match &self.kind {
            Kind::Table(keys) => keys.iter().any(|key| key.name == name),
            Kind::Variants(variants) => variants.tag.name == name || variants.having(name).is_some(),
            Kind::ManifestVersion
            | Kind::Text(_)
            | Kind::List(_)
            | Kind::TrueOr(_)
            | Kind::TextOr(..)
            | Kind::Map(_) => false,
        }
    }
}

fn type_of_kind(kind: &Kind) -> &'static str {
    match kind {
        Kind::ManifestVersion => "a whole number",
        Kind::Text(_) => "a text",
        Kind::List(_) => "a list of texts",
        Kind::TrueOr(_) => "`true` or a list of texts",
        Kind::TextOr(..) => "a text or a table",
        Kind::Table(_) | Kind::Variants(_) | Kind::Map(_) => "a table",
    }
}

pub(crate) fn type_of_value(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(_) => "a truth value",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
