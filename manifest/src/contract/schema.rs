//! Reads the types of a contract: JSON Schemas written as TOML tables. Checks that every keyword is known and holds
//! what it should. Compiles nothing and validates nothing; that is the loader's.

use super::keyword::{DEFINITIONS, Holds, KEYWORDS, TYPES};
use super::reading::{LeadsTo, Reading};
use super::table::quoted;
use crate::extension::{cut, shown, type_of_value};
use crate::{Problem, Span, nearest};
use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// How deep a schema may be.
const MAX_DEPTH: usize = 32;

/// Reads one schema. What can't be read becomes `null`, and was told.
pub(super) fn schema(reading: &Reading, path: &str, value: &Spanned<DeValue<'_>>, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        let message = format!("a type is at most {MAX_DEPTH} levels deep");
        reading.tell(Problem::error("contract.too_large", value.span(), message));
        return Value::Null;
    }
    match value.get_ref() {
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Table(table) => {
            remarks_beside_reference(reading, path, table);
            let mut map = Map::new();
            for (key, value) in table {
                let Some(holds) = keyword(reading, path, key) else { continue };
                let place =
                    Place { reading, path: format!("{path}.{}", quoted(key.get_ref())), value, depth };
                map.insert(key.get_ref().to_string(), place.held(holds));
            }
            Value::Object(map)
        }
        other => {
            let message = format!("`{path}` is a schema, this is {}", type_of_value(other));
            let problem = Problem::error("contract.wrong_type", value.span(), message);
            reading
                .tell(problem.help("write a table such as `{ type = \"string\" }`, or `true` for anything"));
            Value::Null
        }
    }
}

fn keyword(reading: &Reading, path: &str, key: &Spanned<std::borrow::Cow<'_, str>>) -> Option<Holds> {
    let name = key.get_ref().as_ref();
    let known = KEYWORDS.iter().find(|(known, _)| *known == name);
    if known.is_none() {
        let message = format!("`{}` in `{path}` is no keyword of a schema that is known here", shown(name));
        let mut problem = Problem::error("contract.unknown_keyword", key.span(), message);
        problem.help = match nearest(cut(name), KEYWORDS.iter().map(|(known, _)| *known)) {
            Some(near) => Some(format!("did you mean `{near}`?")),
            None => Some("the keywords are those of JSON Schema 2020-12; see docs/contract.md".to_owned()),
        };
        reading.tell(problem);
    }
    known.map(|(_, holds)| *holds)
}

/// A reference says all there is to say of a value; a check beside it would be read by some and passed over by others.
fn remarks_beside_reference(reading: &Reading, path: &str, table: &DeTable<'_>) {
    let Some((reference, _)) = table.get_key_value("$ref") else { return };
    let is_remark = |name: &str| {
        name == "$ref" || KEYWORDS.iter().any(|(known, holds)| *known == name && *holds == Holds::Remark)
    };
    if table.keys().any(|key| !is_remark(key.get_ref())) {
        let message = format!("beside `$ref` in `{path}` stand checks");
        let problem = Problem::error("contract.bad_schema", reference.span(), message);
        reading.tell(problem.help("put the reference and the checks into `allOf = [ … ]`"));
    }
}

/// The value of one keyword.
struct Place<'a, 'i> {
    reading: &'a Reading,
    path: String,
    value: &'a Spanned<DeValue<'i>>,
    depth: usize,
}

impl Place<'_, '_> {
    fn held(&self, holds: Holds) -> Value {
        match holds {
            Holds::Remark | Holds::Value => json(self.reading, self.value, self.depth),
            Holds::Types => self.types(),
            Holds::Schema => schema(self.reading, &self.path, self.value, self.depth + 1),
            Holds::SchemasByName => self.by_name(),
            Holds::Schemas => self.schemas(),
            Holds::Texts => self.texts(),
            Holds::Values => self.values(),
            Holds::Number => self.number(),
            Holds::Count => self.count(),
            Holds::Text => self.text(),
            Holds::Flag => self.flag(),
            Holds::Reference => self.reference(),
        }
    }

    fn wrong(&self, expected: &str) -> Value {
        let message =
            format!("`{}` is {expected}, this is {}", self.path, type_of_value(self.value.get_ref()));
        self.reading.tell(Problem::error("contract.wrong_type", self.value.span(), message));
        Value::Null
    }

    fn bad(&self, at: Span, message: String, help: Option<String>) -> Value {
        let mut problem = Problem::error("contract.bad_schema", at, message);
        problem.help = help;
        self.reading.tell(problem);
        Value::Null
    }

    fn types(&self) -> Value {
        let check = |word: &str, at: Span| match TYPES.contains(&word) {
            true => Value::String(word.to_owned()),
            false => {
                let help = match nearest(cut(word), TYPES) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the types are `{}`", TYPES.join("`, `")),
                };
                self.bad(at, format!("`{}` is no type of JSON", shown(word)), Some(help))
            }
        };
        match self.value.get_ref() {
            DeValue::String(word) => check(word, self.value.span()),
            DeValue::Array(words) if !words.is_empty() => {
                let one = |word: &Spanned<DeValue<'_>>| match word.get_ref().as_str() {
                    Some(text) => check(text, word.span()),
                    None => self.wrong("a type or a list of types"),
                };
                Value::Array(words.iter().map(one).collect())
            }
            _ => self.wrong("a type or a list of types"),
        }
    }

    fn by_name(&self) -> Value {
        let DeValue::Table(table) = self.value.get_ref() else { return self.wrong("a table of schemas") };
        let one = |(key, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
            let path = format!("{}.{}", self.path, quoted(key.get_ref()));
            (key.get_ref().to_string(), schema(self.reading, &path, value, self.depth + 1))
        };
        Value::Object(table.iter().map(one).collect())
    }

    fn schemas(&self) -> Value {
        match self.value.get_ref() {
            DeValue::Array(array) if !array.is_empty() => {
                let one = |item| schema(self.reading, &self.path, item, self.depth + 1);
                Value::Array(array.iter().map(one).collect())
            }
            _ => self.wrong("a list of at least one schema"),
        }
    }

    fn texts(&self) -> Value {
        let DeValue::Array(array) = self.value.get_ref() else { return self.wrong("a list of texts") };
        let mut texts = Vec::new();
        for item in array {
            let Some(text) = item.get_ref().as_str() else { return self.wrong("a list of texts") };
            let text = Value::String(text.to_owned());
            if texts.contains(&text) {
                return self.bad(item.span(), format!("{text} is twice in `{}`", self.path), None);
            }
            texts.push(text);
        }
        Value::Array(texts)
    }

    fn values(&self) -> Value {
        match self.value.get_ref() {
            DeValue::Array(array) if !array.is_empty() => {
                Value::Array(array.iter().map(|item| json(self.reading, item, self.depth)).collect())
            }
            _ => self.wrong("a list of at least one value"),
        }
    }

    fn number(&self) -> Value {
        match self.value.get_ref() {
            DeValue::Integer(_) | DeValue::Float(_) => json(self.reading, self.value, self.depth),
            _ => self.wrong("a number"),
        }
    }

    fn count(&self) -> Value {
        match self.number() {
            Value::Number(number) if !number.is_u64() => self.bad(
                self.value.span(),
                format!("`{}` is a whole number, not below zero", self.path),
                None,
            ),
            value => value,
        }
    }

    fn text(&self) -> Value {
        match self.value.get_ref() {
            DeValue::String(text) => Value::String(text.to_string()),
            _ => self.wrong("a text"),
        }
    }

    fn flag(&self) -> Value {
        match self.value.get_ref() {
            DeValue::Boolean(flag) => Value::Bool(*flag),
            _ => self.wrong("`true` or `false`"),
        }
    }

    fn reference(&self) -> Value {
        let DeValue::String(text) = self.value.get_ref() else { return self.wrong("a text") };
        match text.strip_prefix(DEFINITIONS).filter(|name| !name.contains('/')) {
            Some(name) => self.reading.link(self.value.span(), name, LeadsTo::Type),
            None => {
                let help = format!("write `{DEFINITIONS}NAME` for the type `NAME` of this file");
                return self.bad(self.value.span(), format!("`{}` names no type", shown(text)), Some(help));
            }
        }
        Value::String(text.to_string())
    }
}

/// Turns a TOML value into a JSON value.
fn json(reading: &Reading, value: &Spanned<DeValue<'_>>, depth: usize) -> Value {
    let refused = |message: String| {
        reading.tell(Problem::error("contract.bad_schema", value.span(), message));
        Value::Null
    };
    match value.get_ref() {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(number) => Value::Number(number.into()),
            Err(_) => refused("this number is too large".to_owned()),
        },
        DeValue::Float(float) => match float.as_str().parse().ok().and_then(Number::from_f64) {
            Some(number) => Value::Number(number),
            None => refused("JSON has no such number".to_owned()),
        },
        DeValue::Datetime(_) => refused("JSON has no dates; write it as a text".to_owned()),
        DeValue::Array(_) | DeValue::Table(_) if depth > MAX_DEPTH => {
            refused(format!("a type is at most {MAX_DEPTH} levels deep"))
        }
        DeValue::Array(array) => {
            Value::Array(array.iter().map(|item| json(reading, item, depth + 1)).collect())
        }
        DeValue::Table(table) => {
            let one = |(key, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
                (key.get_ref().to_string(), json(reading, value, depth + 1))
            };
            Value::Object(table.iter().map(one).collect())
        }
    }
}
