//! `pintle.toml`: what a person wants. Read with the place of every problem, and edited so that comments, order
//! and spacing stay as the person left them.

use super::wishes_reader::Reader;
use crate::index::RegistryName;
use pintle_manifest::{HostName, Name, Problem, Requirement, Version};
use std::collections::{BTreeMap, BTreeSet};
use toml_edit::{DocumentMut, Item, Table, Value};

/// What a person wants of one scope, with the text it was read from.
#[derive(Debug, Clone)]
pub struct Wishes {
    document: DocumentMut,
    /// The text as it was read, which is what is written as long as nothing was edited.
    original: Option<String>,
    style: Style,
    /// The extensions wanted.
    pub extensions: BTreeMap<Name, Wish>,
    /// Those of them that a host is not to do without.
    pub required: BTreeSet<Name>,
    /// The registries to look in, in the order written.
    pub registries: Vec<(RegistryName, RegistryWish)>,
    /// The versions of the contracts that the person's hosts have.
    pub hosts: BTreeMap<HostName, Version>,
}

/// What an editor left in the text that TOML does not speak of, and that an edit keeps.
#[derive(Debug, Clone, Copy, Default)]
struct Style {
    byte_order_mark: bool,
    carriage_returns: bool,
}

/// One extension that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// Which versions will do.
    pub requirement: Requirement,
    /// Where it is to come from.
    pub origin: WishOrigin,
}

/// Where a wanted extension is to come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WishOrigin {
    /// Whichever registry has it.
    Any,
    /// This registry.
    Registry(RegistryName),
    /// This folder, relative to the file of wishes.
    Folder(String),
    /// This package archive, relative to the file of wishes.
    Archive(String),
}

/// One registry to look in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryWish {
    /// Its directory, relative to the file of wishes.
    pub path: String,
    /// The names that it alone is asked for: names, or beginnings of names ending in `*`.
    pub names: Vec<String>,
}

impl Wishes {
    /// Makes the wishes of someone who wants nothing yet.
    pub fn empty() -> Self {
        Self {
            document: DocumentMut::new(),
            original: None,
            style: Style::default(),
            extensions: BTreeMap::new(),
            required: BTreeSet::new(),
            registries: Vec::new(),
            hosts: BTreeMap::new(),
        }
    }

    /// Reads the text of a `pintle.toml`, or reports every problem in it.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        let skipped = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let body = &text[skipped..];
        if let Some(problem) = merge_mark(text) {
            return Err(vec![problem]);
        }
        let parsed = toml_edit::Document::parse(body.to_owned()).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let span = span.start + skipped..span.end + skipped;
            vec![pintle_manifest::syntax_problem("wishes.syntax", text, span, error.message())]
        })?;
        let mut wishes = Self::empty();
        Reader::read(parsed.as_table(), skipped, &mut wishes)?;
        wishes.document = parsed.into_mut();
        wishes.original = Some(text.to_owned());
        wishes.style = Style { byte_order_mark: skipped > 0, carriage_returns: text.contains("\r\n") };
        Ok(wishes)
    }

    /// Adds an extension, or changes what is wanted of it.
    pub fn set(&mut self, name: &Name, wish: Wish) {
        self.original = None;
        let table = table(&mut self.document, "extensions");
        let mut value = match &wish.origin {
            WishOrigin::Any => Value::from(wish.requirement.to_string()),
            WishOrigin::Registry(registry) => {
                inline([("version", wish.requirement.to_string()), ("registry", registry.to_string())])
            }
            WishOrigin::Folder(path) => inline([("path", path.clone())]),
            WishOrigin::Archive(path) => inline([("archive", path.clone())]),
        };
        if self.required.contains(name) {
            value = with_required(value);
        }
        match table.get_mut(name.as_str()).and_then(Item::as_value_mut) {
            Some(old) => {
                *value.decor_mut() = old.decor().clone();
                *old = value;
            }
            None => drop(table.insert(name.as_str(), Item::Value(value))),
        }
        self.extensions.insert(name.clone(), wish);
    }

    /// Removes an extension. Tells whether it was there.
    pub fn remove(&mut self, name: &Name) -> bool {
        self.original = None;
        if let Some(table) = self.document.get_mut("extensions").and_then(Item::as_table_like_mut) {
            table.remove(name.as_str());
        }
        self.required.remove(name);
        self.extensions.remove(name).is_some()
    }

    /// Adds a registry at the end.
    pub fn add_registry(&mut self, name: &RegistryName, registry: RegistryWish) {
        self.original = None;
        let all = table(&mut self.document, "registries");
        all.set_implicit(true);
        let mut one = Table::new();
        one.insert("path", toml_edit::value(registry.path.clone()));
        if !registry.names.is_empty() {
            one.insert("names", toml_edit::value(registry.names.iter().collect::<toml_edit::Array>()));
        }
        all.insert(&name.to_string(), Item::Table(one));
        self.registries.push((name.clone(), registry));
    }

    /// Removes a registry. Tells whether it was there.
    pub fn remove_registry(&mut self, name: &RegistryName) -> bool {
        self.original = None;
        if let Some(table) = self.document.get_mut("registries").and_then(Item::as_table_like_mut) {
            table.remove(&name.to_string());
        }
        let before = self.registries.len();
        self.registries.retain(|(known, _)| known != name);
        self.registries.len() < before
    }

    /// Returns the text to write.
    pub fn to_text(&self) -> String {
        if let Some(original) = &self.original {
            return original.clone();
        }
        let mut text = self.document.to_string().replace("\r\n", "\n");
        if self.style.carriage_returns {
            text = text.replace('\n', "\r\n");
        }
        match self.style.byte_order_mark {
            true => format!("\u{feff}{text}"),
            false => text,
        }
    }
}

fn merge_mark(text: &str) -> Option<Problem> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if ["<<<<<<< ", ">>>>>>> "].iter().any(|mark| line.starts_with(mark)) {
            let span = start..start + line.trim_end().len();
            let problem =
                Problem::error("wishes.merge_conflict", span, "this is the mark of a merge conflict");
            return Some(problem.help("settle the conflict by hand, then run `pintle lock`"));
        }
        start += line.len();
    }
    None
}

fn table<'a>(document: &'a mut DocumentMut, key: &str) -> &'a mut Table {
    let item = document.entry(key).or_insert_with(|| Item::Table(Table::new()));
    if !item.is_table() {
        // An inline table (`extensions = { … }`) can't take lines of its own; it becomes a table with the same entries.
        let taken = std::mem::take(item);
        *item = Item::Table(taken.into_table().unwrap_or_default());
    }
    item.as_table_mut().expect("it was just made a table")
}

fn inline<const N: usize>(pairs: [(&str, String); N]) -> Value {
    let mut table = toml_edit::InlineTable::new();
    for (key, value) in pairs {
        table.insert(key, Value::from(value));
    }
    Value::InlineTable(table)
}

/// A requirement alone becomes a table, which has room for it.
fn with_required(value: Value) -> Value {
    let mut table = match value {
        Value::InlineTable(table) => table,
        requirement => toml_edit::InlineTable::from_iter([("version", requirement)]),
    };
    table.insert("required", Value::from(true));
    Value::InlineTable(table)
}

#[cfg(test)]
mod tests {
    use super::{RegistryWish, Wish, WishOrigin, Wishes};
    use pintle_manifest::{Name, Requirement};

    #[test]
    fn an_edit_leaves_the_rest_as_it_was() {
        let check = |text: &str, edit: fn(&mut Wishes), expected: &str| {
            let mut wishes = Wishes::parse(text).unwrap();
            edit(&mut wishes);
            assert_eq!(wishes.to_text(), expected);
            Wishes::parse(expected).expect("what was written reads back");
        };
        check(
            "# mine\n[extensions]\nzzz = \"1\" # last\n",
            |wishes| {
                let requirement = Requirement::parse("^0.3.1").unwrap();
                wishes.set(&Name::parse("abc").unwrap(), Wish { requirement, origin: WishOrigin::Any });
            },
            "# mine\n[extensions]\nzzz = \"1\" # last\nabc = \"^0.3.1\"\n",
        );
        check(
            "[extensions]\nabc = \"1\" # pinned by Ann\n",
            |wishes| {
                let requirement = Requirement::parse("=2.0.0").unwrap();
                wishes.set(&Name::parse("abc").unwrap(), Wish { requirement, origin: WishOrigin::Any });
            },
            "[extensions]\nabc = \"=2.0.0\" # pinned by Ann\n",
        );
        check(
            "[extensions]\nabc = { version = \"1\", required = true }\n",
            |wishes| {
                assert!(wishes.required.contains(&Name::parse("abc").unwrap()));
                let requirement = Requirement::parse("=2.0.0").unwrap();
                wishes.set(&Name::parse("abc").unwrap(), Wish { requirement, origin: WishOrigin::Any });
            },
            "[extensions]\nabc = { version = \"=2.0.0\", required = true }\n",
        );
        check(
            "[extensions]\nabc = \"1\"\n# about def\ndef = { path = \"../def\" }\n",
            |wishes| assert!(wishes.remove(&Name::parse("abc").unwrap())),
            "[extensions]\n# about def\ndef = { path = \"../def\" }\n",
        );
        check(
            "",
            |wishes| {
                wishes.add_registry(
                    &"main".parse().unwrap(),
                    RegistryWish { path: "/srv/x".to_owned(), names: vec!["acme-*".to_owned()] },
                );
                wishes.set(
                    &Name::parse("abc").unwrap(),
                    Wish { requirement: Requirement::any(), origin: WishOrigin::Folder("../abc".to_owned()) },
                );
            },
            "[registries.main]\npath = \"/srv/x\"\nnames = [\"acme-*\"]\n\n[extensions]\nabc = { path = \"../abc\" }\n",
        );
    }

    #[test]
    fn what_an_editor_of_windows_left_is_kept() {
        let text = "\u{feff}# mine\r\n[extensions]\r\nabc = \"1\"\r\ndef = \"1\"\r\n";
        let mut wishes = Wishes::parse(text).unwrap();
        assert_eq!(wishes.to_text(), text);
        wishes.remove(&Name::parse("abc").unwrap());
        assert_eq!(wishes.to_text(), text.replace("abc = \"1\"\r\n", ""));
    }

    #[test]
    fn every_problem_is_reported_with_its_place() {
        let check = |text: &str, expected: &[&str]| {
            let problems = Wishes::parse(text).map(|_| ()).unwrap_err();
            let lines: Vec<String> = problems
                .iter()
                .map(|problem| {
                    let (line, column) = problem.line_column(text);
                    let help = problem.help.as_ref().map(|help| format!(" | {help}")).unwrap_or_default();
                    format!("{line}:{column} {} {}{help}", problem.code, problem.message)
                })
                .collect();
            assert_eq!(lines, expected);
        };
        check(
            "[extension]\nabc = \"1\"\n",
            &["1:2 wishes.unknown_key unknown key `extension` | did you mean `extensions`?"],
        );
        check(
            "\u{feff}[extensions]\r\nAbc = \"1\"\r\ndef = \"latest\"\r\nghi = { verison = \"1\" }\r\n",
            &[
                "2:1 wishes.bad_name a name is in lower case; write `abc`",
                "3:7 wishes.bad_requirement `latest` is not a version requirement (such as `^1.2` or `>=1.0, <2`): `latest` is no number",
                "4:9 wishes.unknown_key unknown key `verison` in `ghi` | did you mean `version`?",
            ],
        );
        check(
            "extensions = 3\n[registries.main]\nnames = \"x\"\n[hosts]\nagent = 1\n",
            &[
                "1:14 wishes.wrong_type `extensions` is a table",
                "2:1 wishes.missing_key registry `main` has no `path` | a registry is a directory: `path = \"/srv/extensions\"`",
                "5:9 wishes.wrong_type the version of the host `agent` is a text such as `1.0.0`",
            ],
        );
        check(
            "[extensions]\nabc = { path = \"a\", registry = \"main\" }\n",
            &["2:7 wishes.two_origins `abc` comes from one place: `registry`, `path` or `archive`"],
        );
    }
}
