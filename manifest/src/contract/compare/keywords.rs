//! Compares single checks of JSON Schema: which way they shift what is valid. Knows nothing of directions.

use crate::contract::fields::{Types, referred, resolved};
use crate::contract::keyword::{Holds, KEYWORDS};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Which way the values that are valid change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    /// All that were valid are, and others.
    Wider,
    /// Only some that were valid are.
    Narrower,
    /// Neither, or it can't be told.
    Unclear,
}

impl Shift {
    pub(super) const fn opposite(self) -> Self {
        match self {
            Self::Wider => Self::Narrower,
            Self::Narrower => Self::Wider,
            Self::Unclear => Self::Unclear,
        }
    }
}

type Found = Option<(&'static str, String, Shift)>;

/// Compares which types are valid, as `type`, `enum` or `const` say.
pub(super) fn type_set(old: &Map<String, Value>, new: &Map<String, Value>) -> Found {
    let (old_types, new_types) = (types_of(old), types_of(new));
    let shift = sets(&old_types, &new_types)?;
    let words = |types: &BTreeSet<&str>| match types.len() {
        ALL => "anything".to_owned(),
        _ => types.iter().copied().collect::<Vec<_>>().join(", ").replace("fraction, integer", "number"),
    };
    Some(("type", format!("the type goes from `{}` to `{}`", words(&old_types), words(&new_types)), shift))
}

/// The number of types, with whole numbers and fractions apart.
const ALL: usize = 7;

fn types_of(schema: &Map<String, Value>) -> BTreeSet<&str> {
    let named = |name: &'static str| match name {
        "number" => vec!["fraction", "integer"],
        name => vec![name],
    };
    let known = |name: &str| crate::contract::keyword::TYPES.iter().find(|known| **known == name).copied();
    match (schema.get("type"), values_of(schema)) {
        (Some(Value::String(name)), _) => known(name).into_iter().flat_map(named).collect(),
        (Some(Value::Array(names)), _) => {
            names.iter().filter_map(|name| known(name.as_str()?)).flat_map(named).collect()
        }
        (_, Some(values)) => values.into_iter().map(type_of).collect(),
        (_, None) => crate::contract::keyword::TYPES.into_iter().flat_map(named).collect(),
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "fraction",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Compares which values are listed by `enum` or `const`.
pub(super) fn value_set(old: &Map<String, Value>, new: &Map<String, Value>) -> Found {
    let texts =
        |schema| values_of(schema).map(|all| all.into_iter().map(Value::to_string).collect::<BTreeSet<_>>());
    let key = if new.contains_key("const") { "const" } else { "enum" };
    let list = |values: BTreeSet<String>| values.into_iter().collect::<Vec<_>>().join(", ");
    match (texts(old), texts(new)) {
        (None, None) => None,
        (None, Some(new)) => Some((key, format!("it is one of `{}`", list(new)), Shift::Narrower)),
        (Some(old), None) => Some((key, format!("it is not only one of `{}`", list(old)), Shift::Wider)),
        (Some(old), Some(new)) => {
            let shift = sets(&old, &new)?;
            let gone: Vec<_> = old.difference(&new).cloned().collect();
            let added: Vec<_> = new.difference(&old).cloned().collect();
            let what = match (gone.is_empty(), added.is_empty()) {
                (true, _) => format!("it may be `{}`", added.join(", ")),
                (false, true) => format!("it is no longer `{}`", gone.join(", ")),
                (false, false) => {
                    format!("it may be `{}`, no longer `{}`", added.join(", "), gone.join(", "))
                }
            };
            Some((key, what, shift))
        }
    }
}

fn values_of(schema: &Map<String, Value>) -> Option<Vec<&Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(only), _) => Some(vec![only]),
        (None, Some(Value::Array(values))) => Some(values.iter().collect()),
        (None, _) => None,
    }
}

fn sets<T: Ord>(old: &BTreeSet<T>, new: &BTreeSet<T>) -> Option<Shift> {
    match (old.is_subset(new), new.is_subset(old)) {
        (true, true) => None,
        (true, false) => Some(Shift::Wider),
        (false, true) => Some(Shift::Narrower),
        (false, false) => Some(Shift::Unclear),
    }
}

/// Compares a bound. `None` if the keyword is no bound, `Some(None)` if it bounds as before.
pub(super) fn bound(key: &str, old: Option<&Value>, new: Option<&Value>) -> Option<Option<Shift>> {
    let number = |value: Option<&Value>| value.and_then(Value::as_f64);
    let (is_lower, nothing) = match key {
        "minimum" | "exclusiveMinimum" => (true, f64::NEG_INFINITY),
        "minLength" | "minItems" | "minProperties" => (true, 0.0),
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => (false, f64::INFINITY),
        _ => return None,
    };
    let (old, new) = (number(old).unwrap_or(nothing), number(new).unwrap_or(nothing));
    Some(match (old < new, old > new) {
        (false, false) => None,
        (rises, _) if rises == is_lower => Some(Shift::Narrower),
        (_, _) => Some(Shift::Wider),
    })
}

/// Compares any other check: one more narrows, one less widens, if that is so for this keyword.
pub(super) fn generic(
    (old, old_types): (Option<&Value>, &Types),
    (new, new_types): (Option<&Value>, &Types),
    key: &str,
) -> Option<Shift> {
    let is_plain = matches!(
        key,
        "pattern" | "format" | "multipleOf" | "not" | "propertyNames" | "allOf" | "anyOf" | "oneOf"
    );
    // A flag that says no says nothing.
    let there = |value: Option<&Value>| {
        value.is_some_and(|value| key != "uniqueItems" || *value != Value::Bool(false))
    };
    match (there(old), there(new)) {
        (false, false) => None,
        (false, true) if is_plain || key == "uniqueItems" => Some(Shift::Narrower),
        (true, false) if is_plain || key == "uniqueItems" => Some(Shift::Wider),
        (true, true) => {
            let (old, new) = (old.unwrap_or(&Value::Null), new.unwrap_or(&Value::Null));
            let mut sameness = Sameness { old: old_types, new: new_types, seen: BTreeSet::new() };
            (!sameness.held(key, old, new)).then_some(Shift::Unclear)
        }
        (false, true) | (true, false) => Some(Shift::Unclear),
    }
}

/// Tells whether two schemas say the same, whatever their types are called.
pub(super) fn same((old, old_types): (&Value, &Types), (new, new_types): (&Value, &Types)) -> bool {
    Sameness { old: old_types, new: new_types, seen: BTreeSet::new() }.schema(old, new)
}

/// Looks for what two schemas say differently. Two named types that are being compared are taken for the same until
/// something is found.
struct Sameness<'a> {
    old: &'a Types,
    new: &'a Types,
    seen: BTreeSet<(String, String)>,
}

impl Sameness<'_> {
    fn schema(&mut self, old: &Value, new: &Value) -> bool {
        if let (Some(old), Some(new)) = (referred(old), referred(new))
            && !self.seen.insert((old.to_owned(), new.to_owned()))
        {
            return true;
        }
        match (resolved(self.old, old), resolved(self.new, new)) {
            (Value::Object(old), Value::Object(new)) => {
                let keys: BTreeSet<&String> =
                    old.keys().chain(new.keys()).filter(|key| !is_remark(key)).collect();
                keys.into_iter().all(|key| match (old.get(key), new.get(key)) {
                    (Some(old), Some(new)) => self.held(key, old, new),
                    (None | Some(_), None | Some(_)) => false,
                })
            }
            (old, new) => old == new,
        }
    }

    /// Tells whether what a keyword holds is the same.
    fn held(&mut self, key: &str, old: &Value, new: &Value) -> bool {
        let holds = KEYWORDS.iter().find(|(known, _)| *known == key).map(|(_, holds)| *holds);
        match (holds, old, new) {
            (Some(Holds::Schema), _, _) => self.schema(old, new),
            (Some(Holds::Schemas), Value::Array(olds), Value::Array(news)) => {
                olds.len() == news.len() && olds.iter().zip(news).all(|(one, other)| self.schema(one, other))
            }
            (Some(Holds::SchemasByName), Value::Object(olds), Value::Object(news)) => {
                olds.len() == news.len()
                    && olds
                        .iter()
                        .all(|(name, one)| news.get(name).is_some_and(|other| self.schema(one, other)))
            }
            (Some(Holds::Texts), Value::Array(olds), Value::Array(news)) => {
                olds.len() == news.len() && olds.iter().all(|one| news.contains(one))
            }
            (_, old, new) => old == new,
        }
    }
}

fn is_remark(key: &str) -> bool {
    KEYWORDS.iter().any(|(known, holds)| *known == key && *holds == Holds::Remark)
}
