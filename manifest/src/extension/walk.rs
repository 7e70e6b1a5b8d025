//! Walks a TOML document along the grammar: checks everything, tells the report what is wrong, and goes on. Knows no
//! key by its name; what to say of keys that are wrong or not there is in [`keys`](super::keys).

use super::checked::{Checked, Fields};
use super::grammar::{Key, Kind, List, Map, ROOT, Variant, Variants};
use super::manifest::MANIFEST_VERSION;
use super::report::{Report, shown};
use super::word::Word;
use crate::{Problem, Span, nearest};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// One walk through one document.
pub(super) struct Walk<'a> {
    pub(super) text: &'a str,
    pub(super) report: &'a mut Report,
    /// Where headers begin, which is only of interest in a broken text.
    pub(super) headers: Vec<usize>,
    /// The keys from the root to where the walk is.
    pub(super) path: Vec<String>,
}

/// One value to check, with what helps to speak of it.
#[derive(Clone, Copy)]
pub(super) struct Place<'a, 'i> {
    pub(super) value: &'a Spanned<DeValue<'i>>,
    /// The key that it belongs to, which is what a table is shown by.
    pub(super) key: &'a Spanned<std::borrow::Cow<'i, str>>,
    /// How one would write it, or nothing.
    pub(super) example: &'static str,
}

impl<'a> Walk<'a> {
    /// Walks the whole document.
    pub(super) fn document(text: &'a str, report: &'a mut Report, root: &DeTable<'_>) -> Fields {
        let broken = report.is_broken().then(|| text.match_indices("\n[").map(|(at, _)| at));
        let headers = broken.into_iter().flatten().collect();
        Self { text, report, headers, path: Vec::new() }.table(ROOT, root, 0..0)
    }

    fn table(&mut self, keys: &'static [Key], table: &DeTable<'_>, at: Span) -> Fields {
        let known: Vec<_> = keys.iter().collect();
        let (fields, meant) = self.fields(&known, None, table);
        self.missing(&known, table, &meant, at);
        fields
    }

    /// Checks the keys that are there. Returns their values, and the known keys that unknown ones seem to mean.
    fn fields(
        &mut self,
        known: &[&'static Key],
        other: Option<&Variants>,
        table: &DeTable<'_>,
    ) -> (Fields, Vec<&'static str>) {
        let (mut fields, mut meant) = (Fields::default(), Vec::new());
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if let Some(known) = known.iter().find(|known| known.name == name) {
                let place = Place { value, key, example: known.example };
                if let Some(value) = self.inside(place, &known.kind) {
                    fields.put(known.name, value);
                }
            } else if let Some(variant) = other.and_then(|variants| variants.having(name)) {
                self.misplaced(key, variant, other);
            } else {
                meant.extend(self.unknown(known, key, value));
            }
        }
        (fields, meant)
    }

    fn inside(&mut self, place: Place<'_, '_>, kind: &Kind) -> Option<Checked> {
        self.path.push(place.key.get_ref().to_string());
        let checked = self.value(place, kind);
        self.path.pop();
        checked
    }

    fn value(&mut self, place: Place<'_, '_>, kind: &Kind) -> Option<Checked> {
        let at = place.key.span();
        match (kind, place.value.get_ref()) {
            (Kind::ManifestVersion, DeValue::Integer(_)) => self.manifest_version(place),
            (Kind::Text(word) | Kind::TextOr(word, _), DeValue::String(text)) => {
                self.text(word, text, place.value.span())
            }
            (Kind::List(list) | Kind::TrueOr(list), DeValue::Array(array)) => self.list(list, place, array),
            (Kind::TrueOr(_), DeValue::Boolean(true)) => Some(Checked::True),
            (Kind::TrueOr(_), DeValue::Boolean(false)) => {
                let message = format!("`{}` is `true` or a list, never `false`", self.here());
                let problem = Problem::error("manifest.bad_permission", place.value.span(), message);
                self.report.add(problem.help("leave it out, which is how nothing is asked for"));
                None
            }
            (Kind::Table(keys) | Kind::TextOr(_, keys), DeValue::Table(table)) => {
                Some(Checked::Fields(self.table(keys, table, at)))
            }
            (Kind::Variants(variants), DeValue::Table(table)) => {
                Some(Checked::Fields(self.variants(variants, table, at)))
            }
            (Kind::Map(map), DeValue::Table(table)) => Some(self.map(map, table, at)),
            (
                Kind::ManifestVersion
                | Kind::Text(_)
                | Kind::List(_)
                | Kind::TrueOr(_)
                | Kind::TextOr(..)
                | Kind::Table(_)
                | Kind::Variants(_)
                | Kind::Map(_),
                _,
            ) => {
                self.wrong_type(place, kind);
                None
            }
        }
    }

    /// Newer versions were looked for before the walk.
    fn manifest_version(&mut self, place: Place<'_, '_>) -> Option<Checked> {
        let number = place.value.get_ref().as_integer()?;
        if u32::from_str_radix(number.as_str(), number.radix()) == Ok(MANIFEST_VERSION) {
            return Some(Checked::ManifestVersion);
        }
        let message = format!("there is no manifest_version {}", shown(&number.to_string()));
        let problem = Problem::error("manifest.bad_manifest_version", place.value.span(), message);
        self.report.add(problem.help(format!("write `manifest_version = {MANIFEST_VERSION}`")));
        None
    }

    fn text(&mut self, word: &Word, text: &str, at: Span) -> Option<Checked> {
        match word.parse(text) {
            Ok(checked) => Some(checked),
            Err(fault) => {
                let mut problem = Problem::error(fault.code.unwrap_or(word.code), at, fault.message);
                problem.help = fault.help;
                self.report.add(problem);
                None
            }
        }
    }

    fn list(&mut self, list: &List, place: Place<'_, '_>, array: &DeArray<'_>) -> Option<Checked> {
        if array.len() < list.least {
            let message = format!("`{}` is never empty", self.here());
            self.report.add(Problem::error("manifest.empty", place.value.span(), message));
        }
        if array.len() > list.most {
            let message =
                format!("`{}` has at most {} items, this has {}", self.here(), list.most, array.len());
            self.report.add(Problem::error("manifest.too_long", place.value.span(), message));
        }
        let mut items = Vec::new();
        for (index, item) in array.iter().enumerate() {
            let word = list.first.filter(|_| index == 0).unwrap_or(list.item);
            match item.get_ref().as_str() {
                Some(text) => items.extend(self.text(word, text, item.span())),
                None => self.wrong_item(item),
            }
        }
        Some(Checked::List(items))
    }

    fn variants(&mut self, variants: &Variants, table: &DeTable<'_>, at: Span) -> Fields {
        let tag = table.get(variants.tag.name);
        let word = tag.and_then(|tag| tag.get_ref().as_str());
        let chosen = word.and_then(|word| variants.variants.iter().find(|variant| variant.name == word));
        let mut known = vec![variants.tag];
        let Some(chosen) = chosen else {
            if let (Some(word), Some(tag)) = (word, tag) {
                self.unknown_variant(variants, word, tag.span());
            }
            // Which keys belong is not known, so those of every variant are read and none is missed.
            let every = variants.variants.iter().flat_map(|variant| variant.keys);
            let (fields, meant) =
                self.fields(&known.iter().copied().chain(every).collect::<Vec<_>>(), None, table);
            self.missing(&known, table, &meant, at);
            return fields;
        };
        known.extend(chosen.keys);
        let (fields, meant) = self.fields(&known, Some(variants), table);
        self.missing(&known, table, &meant, at);
        fields
    }

    fn unknown_variant(&mut self, variants: &Variants, word: &str, at: Span) {
        let names: Vec<_> = variants.variants.iter().map(|variant| variant.name).collect();
        let message = format!("`{}` is not a known {}", shown(word), variants.tag.name);
        let help = match nearest(cut(word), names.iter().copied()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("it is one of `{}`", names.join("`, `")),
        };
        self.report.add(Problem::error(variants.unknown, at, message).help(help));
    }

    fn misplaced(
        &mut self,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        variant: &Variant,
        all: Option<&Variants>,
    ) {
        let Some(Variants { tag, misplaced, .. }) = all else { return };
        let (name, owner) = (key.get_ref(), variant.name);
        let message = format!("`{name}` belongs to the {} `{owner}`", tag.name);
        let help = format!("take it out, or write `{} = \"{owner}\"`", tag.name);
        self.report.add(Problem::error(misplaced, key.span(), message).help(help));
    }

    fn map(&mut self, map: &Map, table: &DeTable<'_>, at: Span) -> Checked {
        if let (Some(code), true) = (map.empty, table.is_empty() && !self.is_excused(&at)) {
            self.report.add(Problem::error(code, at, format!("`{}` is empty", self.here())));
        }
        let mut entries = Vec::new();
        for (key, value) in table {
            let name = self.text(map.key, key.get_ref(), key.span());
            let value = self.inside(Place { value, key, example: "" }, map.value);
            entries.extend(name.zip(value));
        }
        Checked::Map(entries)
    }
}

/// Cuts a word to what can be meant for a known one, since comparing takes time by its length.
pub(crate) fn cut(word: &str) -> &str {
    word.char_indices().nth(64).map_or(word, |(end, _)| &word[..end])
}
