//! Reads what a `pintle.toml` says into [`Wishes`], and collects every problem with its place.

use super::wishes::{RegistryWish, Wish, WishOrigin, Wishes};
use crate::index::RegistryName;
use pintle_manifest::{HostName, Name, Problem, Requirement, Severity, Span, Version, nearest};
use std::fmt::Display;
use std::str::FromStr;
use toml_edit::{Item, Table, TableLike};

const TOP_KEYS: &[&str] = &["extensions", "registries", "hosts"];
const WISH_KEYS: &[&str] = &["version", "registry", "path", "archive", "required"];
const REGISTRY_KEYS: &[&str] = &["path", "names"];

/// Walks the document and collects problems.
pub(super) struct Reader {
    problems: Vec<Problem>,
    shift: usize,
}

impl Reader {
    /// Reads a whole document, of which `shift` bytes of text were skipped before.
    pub(super) fn read(document: &Table, shift: usize, wishes: &mut Wishes) -> Result<(), Vec<Problem>> {
        let mut reader = Self { problems: Vec::new(), shift };
        reader.keys(document, TOP_KEYS, "");
        reader.extensions(document.get("extensions"), wishes);
        reader.registries(document.get("registries"), wishes);
        reader.hosts(document.get("hosts"), wishes);
        match reader.problems.iter().any(|problem| problem.severity == Severity::Error) {
            true => Err(reader.problems),
            false => Ok(()),
        }
    }

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
            if let (Some(name), true) = (&name, self.is_required(item)) {
                wishes.required.insert(name.clone());
            }
            if let (Some(name), Some(wish)) = (name, wish) {
                wishes.extensions.insert(name, wish);
            }
        }
    }

    fn is_required(&mut self, item: &Item) -> bool {
        let required = item.as_table_like().and_then(|table| table.get("required"));
        let Some(required) = required else { return false };
        required.as_bool().unwrap_or_else(|| {
            self.error("wishes.wrong_type", required.span(), "`required` is `true` or `false`", None);
            false
        })
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
