//! `pintle.toml`: what a person wants. Read with the place of every problem, and edited so that comments, order
//! and spacing stay as the person left them.

use crate::index::RegistryName;
use pintle_manifest::{HostName, Name, Problem, Requirement, Severity, Span, Version, nearest};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

/// What a person wants of one scope, with the text it was read from.
#[derive(Debug, Clone)]
pub struct Wishes {
    document: DocumentMut,
    /// The text as it was read, which is what is written as long as nothing was edited.
    original: Option<String>,
    style: Style,
    /// The extensions wanted.
    pub extensions: BTreeMap<Name, Wish>,
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

const TOP_KEYS: &[&str] = &["extensions", "registries", "hosts"];
const WISH_KEYS: &[&str] = &["version", "registry", "path", "archive"];
const REGISTRY_KEYS: &[&str] = &["path", "names"];

impl Wishes {
    /// Makes the wishes of someone who wants nothing yet.
    pub fn empty() -> Self {
        Self {
            document: DocumentMut::new(),
            original: None,
            style: Style::default(),
            extensions: BTreeMap::new(),
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
            vec![Problem::error(
                "wishes.syntax",
                span.start + skipped..span.end + skipped,
                error.message().to_owned(),
            )]
        })?;
        let mut reader = Reader { problems: Vec::new(), shift: skipped };
        let mut wishes = Self::empty();
        reader.keys(parsed.as_table(), TOP_KEYS, "");
        reader.extensions(parsed.get("extensions"), &mut wishes);
        reader.registries(parsed.get("registries"), &mut wishes);
        reader.hosts(parsed.get("hosts"), &mut wishes);
        if reader.problems.iter().any(|problem| problem.severity == Severity::Error) {
            return Err(reader.problems);
        }
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

/// Walks the document and collects problems.
struct Reader {
    problems: Vec<Problem>,
    shift: usize,
}

impl Reader {
    fn span(&self, span: Option<Span>) -> Span {
        let span = span.unwrap_or(0..0);
        span.start + self.shift..span.end + self.shift
    }

    fn error(
        &mut self,
        code: &'static str,
        span: Option<Span>,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let problem = Problem::error(code, self.span(span), message);
        self.problems.push(Problem { help, ..problem });
    }

    fn keys(&mut self, table: &dyn TableLike, known: &[&str], place: &str) {
        for (key, item) in table.iter() {
            if known.contains(&key) {
                continue;
            }
            let span = table.key(key).and_then(toml_edit::Key::span).or_else(|| item.span());
            let help = match nearest(key, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the keys here are `{}`", known.join("`, `")),
            };
            let message = format!("unknown key `{}`{place}", key.escape_debug());
            self.error("wishes.unknown_key", span, message, Some(help));
        }
    }

    fn table<'a>(&mut self, item: Option<&'a Item>, name: &str) -> Option<&'a dyn TableLike> {
        let item = item?;
        if item.as_table_like().is_none() {
            self.error("wishes.wrong_type", item.span(), format!("`{name}` is a table"), None);
        }
        item.as_table_like()
    }

    /// Parses one text into a word of the house.
    fn parse<T: FromStr<Err: Display>>(
        &mut self,
        code: &'static str,
        text: &str,
        span: Option<Span>,
    ) -> Option<T> {
        text.parse().map_err(|error: T::Err| self.error(code, span, error.to_string(), None)).ok()
    }

    fn text<'a>(&mut self, table: &'a dyn TableLike, key: &str) -> Option<(&'a str, Option<Span>)> {
        let item = table.get(key)?;
        match item.as_str() {
            Some(text) => Some((text, item.span())),
            None => {
                self.error("wishes.wrong_type", item.span(), format!("`{key}` is a text"), None);
                None
            }
        }
    }

    fn extensions(&mut self, item: Option<&Item>, wishes: &mut Wishes) {
        let Some(table) = self.table(item, "extensions") else { return };
        for (key, item) in table.iter() {
            let span = table.key(key).and_then(toml_edit::Key::span);
            let name = self.parse::<Name>("wishes.bad_name", key, span);
            let wish = self.wish(key, item);
            if let (Some(name), Some(wish)) = (name, wish) {
                wishes.extensions.insert(name, wish);
            }
        }
    }

    fn wish(&mut self, key: &str, item: &Item) -> Option<Wish> {
        if let Some(text) = item.as_str() {
            let requirement = self.parse("wishes.bad_requirement", text, item.span())?;
            return Some(Wish { requirement, origin: WishOrigin::Any });
        }
        let Some(table) = item.as_table_like() else {
            let help = Some(format!("write `{key} = \"^1.0\"` or `{key} = {{ path = \"…\" }}`"));
            self.error("wishes.wrong_type", item.span(), "an extension is a requirement or a table", help);
            return None;
        };
        self.keys(table, WISH_KEYS, &format!(" in `{key}`"));
        let requirement = match self.text(table, "version") {
            Some((text, span)) => self.parse("wishes.bad_requirement", text, span)?,
            None => Requirement::any(),
        };
        let registry = self.text(table, "registry");
        let (folder, archive) = (self.text(table, "path"), self.text(table, "archive"));
        let origin = match (registry, folder, archive) {
            (None, None, None) => WishOrigin::Any,
            (Some((name, span)), None, None) => {
                WishOrigin::Registry(self.parse("wishes.bad_name", name, span)?)
            }
            (None, Some((path, _)), None) => WishOrigin::Folder(path.to_owned()),
            (None, None, Some((path, _))) => WishOrigin::Archive(path.to_owned()),
            (_, _, _) => {
                let message = format!("`{key}` comes from one place: `registry`, `path` or `archive`");
                self.error("wishes.two_origins", item.span(), message, None);
                return None;
            }
        };
        Some(Wish { requirement, origin })
    }

    fn registries(&mut self, item: Option<&Item>, wishes: &mut Wishes) {
        let Some(table) = self.table(item, "registries") else { return };
        for (key, item) in table.iter() {
            let span = table.key(key).and_then(toml_edit::Key::span);
            let Some(name) = self.parse::<RegistryName>("wishes.bad_name", key, span) else { continue };
            let Some(entry) = self.table(Some(item), key) else { continue };
            self.keys(entry, REGISTRY_KEYS, &format!(" in registry `{key}`"));
            let Some((path, _)) = self.text(entry, "path") else {
                let help = Some("a registry is a directory: `path = \"/srv/extensions\"`".to_owned());
                self.error(
                    "wishes.missing_key",
                    item.span(),
                    format!("registry `{key}` has no `path`"),
                    help,
                );
                continue;
            };
            let names = self.names(entry);
            wishes.registries.push((name, RegistryWish { path: path.to_owned(), names }));
        }
    }

    fn names(&mut self, entry: &dyn TableLike) -> Vec<String> {
        let Some(item) = entry.get("names") else { return Vec::new() };
        let texts: Option<Vec<String>> = item
            .as_array()
            .and_then(|array| array.iter().map(|value| value.as_str().map(str::to_owned)).collect());
        texts.unwrap_or_else(|| {
            self.error("wishes.wrong_type", item.span(), "`names` is a list of texts", None);
            Vec::new()
        })
    }

    fn hosts(&mut self, item: Option<&Item>, wishes: &mut Wishes) {
        let Some(table) = self.table(item, "hosts") else { return };
        for (key, item) in table.iter() {
            let span = table.key(key).and_then(toml_edit::Key::span);
            let name = self.parse::<HostName>("wishes.bad_name", key, span);
            let Some(text) = item.as_str() else {
                let message = format!("the version of the host `{key}` is a text such as `1.0.0`");
                self.error("wishes.wrong_type", item.span(), message, None);
                continue;
            };
            let version = self.parse::<Version>("wishes.bad_version", text, item.span());
            if let (Some(name), Some(version)) = (name, version) {
                wishes.hosts.insert(name, version);
            }
        }
    }
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
                "3:7 wishes.bad_requirement `latest` is not a version requirement (such as `^1.2` or `>=1.0, <2`): unexpected character 'l' while parsing major version number",
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
