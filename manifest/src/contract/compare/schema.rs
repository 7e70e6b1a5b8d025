//! Compares two types in the direction in which their values travel. What goes to an extension may become less
//! various, and objects may have more fields, which an extension passes over. What comes from an extension may
//! become more various. A check that is not understood and differs is breaking.

use super::bump::Bump;
use super::difference::Comparing;
use super::keywords::{Shift, bound, generic, same, type_set, value_set};
use crate::contract::fields::{Types, referred, resolved};
use crate::contract::keyword::{DEFINITIONS, Holds, KEYWORDS};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Where values of a type go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Toward {
    /// The host sends them: payloads, and what calls return.
    Extension,
    /// An extension sends them: replies, arguments, replaced payloads.
    Host,
}

/// A type as it is used somewhere.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use<'a> {
    pub(super) type_name: &'a str,
    /// The fields that do not travel.
    pub(super) without: &'a [String],
}

impl<'a> Use<'a> {
    pub(super) const fn whole(type_name: &'a str) -> Self {
        Self { type_name, without: &[] }
    }
}

/// Compares the types that two uses name.
pub(super) fn types(comparing: &mut Comparing<'_>, at: &[&str], toward: Toward, old: Use<'_>, new: Use<'_>) {
    if old.type_name != new.type_name {
        let what = format!("its type is called `{}` instead of `{}`", new.type_name, old.type_name);
        comparing.add(at, Bump::Patch, what, "only words are different");
    }
    let (old_types, new_types) = (&comparing.old.types, &comparing.new.types);
    let mut walk = Walk { comparing, old: old_types, new: new_types, toward };
    let root = |types: &Types, one: Use<'_>| match one.without.is_empty() {
        true => json!({ "$ref": format!("{DEFINITIONS}{}", one.type_name) }),
        false => without(resolved(types, types.get(one.type_name).unwrap_or(&Value::Null)), one.without),
    };
    walk.value(&root(old_types, old), &root(new_types, new), &["types", new.type_name]);
}

/// Returns an object's schema as if it had not these fields.
fn without(schema: &Value, fields: &[String]) -> Value {
    let mut schema = schema.clone();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !fields.contains(name));
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !fields.iter().any(|field| name == field.as_str()));
    }
    schema
}

struct Walk<'w, 'c> {
    comparing: &'w mut Comparing<'c>,
    old: &'c Types,
    new: &'c Types,
    toward: Toward,
}

impl Walk<'_, '_> {
    fn value(&mut self, old: &Value, new: &Value, place: &[&str]) {
        let names = (referred(old).map(str::to_owned), referred(new).map(str::to_owned));
        let place = match &names.1 {
            Some(name) => vec!["types", name.as_str()],
            None => place.to_vec(),
        };
        if let (Some(old), Some(new)) = &names
            && !self.comparing.see(self.toward, old, new)
        {
            return;
        }
        let (old_types, new_types) = (self.old, self.new);
        match (resolved(old_types, old), resolved(new_types, new)) {
            (Value::Bool(old), Value::Bool(new)) if old == new => {}
            (_, Value::Bool(false)) => self.shift(Shift::Narrower, &place, "nothing is valid".to_owned()),
            (Value::Bool(false), Value::Bool(true)) => {
                self.shift(Shift::Wider, &place, "anything is valid".to_owned());
            }
            (Value::Bool(false), _) => self.shift(Shift::Wider, &place, "something is valid".to_owned()),
            (old, new) => self.objects(&keywords_of(old), &keywords_of(new), &place),
        }
    }

    fn objects(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, place: &[&str]) {
        self.remarks(old, new, place);
        for (key, what, shift) in type_set(old, new).into_iter().chain(value_set(old, new)) {
            self.shift(shift, &[place, &[key]].concat(), what);
        }
        for (key, holds) in KEYWORDS {
            let at = [place, &[key]].concat();
            match (key, old.get(key), new.get(key)) {
                (_, None, None) | ("$ref" | "type" | "enum" | "const" | "required", _, _) => {}
                _ if holds == Holds::Remark => {}
                ("properties", old_fields, new_fields) => {
                    self.fields(old, new, (old_fields, new_fields), &at);
                }
                ("items" | "additionalProperties", old, new) => {
                    let any = Value::Bool(true);
                    self.value(old.unwrap_or(&any), new.unwrap_or(&any), &at);
                }
                ("allOf", Some(old), Some(new)) => self.alternatives(old, new, &at, Shift::Narrower),
                ("anyOf", Some(old), Some(new)) => self.alternatives(old, new, &at, Shift::Wider),
                ("prefixItems", Some(Value::Array(old)), Some(Value::Array(new)))
                    if old.len() == new.len() =>
                {
                    old.iter().zip(new).for_each(|(old, new)| self.value(old, new, &at));
                }
                (_, old, new) => {
                    let found = match bound(key, old, new) {
                        Some(shift) => shift,
                        None => generic((old, self.old), (new, self.new), key),
                    };
                    if let Some(shift) = found {
                        self.shift(shift, &at, told(key, old, new));
                    }
                }
            }
        }
        if !old.contains_key("properties") && !new.contains_key("properties") {
            self.requirements(old, new, &[place, &["required"]].concat(), &|_| false);
        }
    }

    fn remarks(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, place: &[&str]) {
        let is_remark =
            |key: &str| KEYWORDS.iter().any(|(known, holds)| *known == key && *holds == Holds::Remark);
        let keys: BTreeSet<&String> = old.keys().chain(new.keys()).filter(|key| is_remark(key)).collect();
        for key in keys.into_iter().filter(|key| old.get(*key) != new.get(*key)) {
            let at = [place, &[key.as_str()]].concat();
            self.comparing.add(&at, Bump::Patch, format!("`{key}` is different"), "only words are different");
        }
    }

    fn fields(
        &mut self,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
        fields: (Option<&Value>, Option<&Value>),
        place: &[&str],
    ) {
        let none = Map::new();
        let old_fields = fields.0.and_then(Value::as_object).unwrap_or(&none);
        let new_fields = fields.1.and_then(Value::as_object).unwrap_or(&none);
        let is_required = |of: &Map<String, Value>, name: &str| {
            let names = of.get("required").and_then(Value::as_array);
            names.is_some_and(|names| names.iter().any(|required| required == name))
        };
        for (name, old_field) in old_fields {
            let at = [place, &[name.as_str()]].concat();
            match new_fields.get(name) {
                Some(new_field) => self.value(old_field, new_field, &at),
                None => {
                    let what = format!("the field `{name}` is gone");
                    let why = match self.toward {
                        Toward::Extension => "extensions read it",
                        Toward::Host => "what extensions send in it is refused or lost",
                    };
                    self.comparing.add_gone(&at, Bump::Major, what, why);
                }
            }
        }
        for name in new_fields.keys().filter(|name| !old_fields.contains_key(*name)) {
            let at = [place, &[name.as_str()]].concat();
            let what = format!("the field `{name}` is new");
            match (self.toward, is_required(new, name)) {
                (Toward::Extension, _) => {
                    self.comparing.add(&at, Bump::Minor, what, "extensions pass over what they do not know");
                }
                (Toward::Host, false) => {
                    self.comparing.add(&at, Bump::Minor, what, "extensions may leave it out");
                }
                (Toward::Host, true) => {
                    self.comparing.add(
                        &at,
                        Bump::Major,
                        what,
                        "extensions do not send it, and it is required",
                    );
                }
            }
        }
        let is_one_sided = |name: &str| old_fields.contains_key(name) != new_fields.contains_key(name);
        let at = [&place[..place.len() - 1], &["required"]].concat();
        self.requirements(old, new, &at, &is_one_sided);
    }

    /// Compares which fields must be there, but for those that are told of already.
    fn requirements(
        &mut self,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
        place: &[&str],
        is_told: &dyn Fn(&str) -> bool,
    ) {
        let names = |of: &Map<String, Value>| -> BTreeSet<String> {
            let names = of.get("required").and_then(Value::as_array).into_iter().flatten();
            names.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let (old, new) = (names(old), names(new));
        for name in new.difference(&old).filter(|name| !is_told(name)) {
            self.shift(Shift::Narrower, place, format!("the field `{name}` is always there"));
        }
        for name in old.difference(&new).filter(|name| !is_told(name)) {
            self.shift(Shift::Wider, place, format!("the field `{name}` may be left out"));
        }
    }

    /// Compares two lists of schemas of which all, or any, must hold. One more shifts by `more`.
    fn alternatives(&mut self, old: &Value, new: &Value, place: &[&str], more: Shift) {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let (old_list, new_list) = (list(old), list(new));
        let (old_types, new_types) = (self.old, self.new);
        let gone = old_list
            .iter()
            .filter(|one| !new_list.iter().any(|other| same((one, old_types), (other, new_types))));
        let added = new_list
            .iter()
            .filter(|one| !old_list.iter().any(|other| same((other, old_types), (one, new_types))));
        match (gone.count(), added.count()) {
            (0, 0) => {}
            (0, _) => self.shift(more, place, "there is one more".to_owned()),
            (_, 0) => self.shift(more.opposite(), place, "there is one less".to_owned()),
            (_, _) if old_list.len() == new_list.len() => {
                old_list.iter().zip(&new_list).for_each(|(old, new)| self.value(old, new, place));
            }
            (_, _) => self.shift(Shift::Unclear, place, told("it", Some(old), Some(new))),
        }
    }

    fn shift(&mut self, shift: Shift, place: &[&str], what: String) {
        let (needs, why) = match (self.toward, shift) {
            (Toward::Extension, Shift::Wider) => (Bump::Major, "extensions may get what they do not expect"),
            (Toward::Extension, Shift::Narrower) => {
                (Bump::Minor, "extensions get nothing that they do not expect")
            }
            (Toward::Host, Shift::Wider) => (Bump::Minor, "what extensions send is still accepted"),
            (Toward::Host, Shift::Narrower) => (Bump::Major, "what extensions send may be refused"),
            (Toward::Extension | Toward::Host, Shift::Unclear) => {
                (Bump::Major, "whether it is safe can't be told, so it is taken for breaking")
            }
        };
        self.comparing.add(place, needs, what, why);
    }
}

fn keywords_of(schema: &Value) -> Map<String, Value> {
    schema.as_object().cloned().unwrap_or_default()
}

fn told(key: &str, old: Option<&Value>, new: Option<&Value>) -> String {
    let short = |value: &Value| {
        let text = value.to_string();
        match text.char_indices().nth(60) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    };
    match (old, new) {
        (Some(old), Some(new)) => format!("`{key}` goes from `{}` to `{}`", short(old), short(new)),
        (Some(old), None) => format!("`{key}` is gone, it was `{}`", short(old)),
        (None, Some(new)) => format!("`{key}` is new, it is `{}`", short(new)),
        (None, None) => format!("`{key}` is different"),
    }
}
