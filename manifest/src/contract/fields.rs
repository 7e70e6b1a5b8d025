//! Looks into the types of a contract: what a name refers to, which fields an object has.

use super::keyword::DEFINITIONS;
use super::model::Contract;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The types of one contract, by name.
pub(super) type Types = BTreeMap<String, Value>;

/// Follows a reference to what it refers to. A reference that leads in a circle or nowhere is returned as it is.
pub(super) fn resolved<'a>(types: &'a Types, schema: &'a Value) -> &'a Value {
    let mut at = schema;
    for _ in 0..=types.len() {
        match referred(at).and_then(|name| types.get(name)) {
            Some(next) => at = next,
            None => return at,
        }
    }
    schema
}

/// Returns the name of the type that a schema refers to.
pub(super) fn referred(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix(DEFINITIONS)
}

/// Returns the schema of a field.
pub(super) fn field<'a>(types: &'a Types, type_name: &str, field: &str) -> Option<&'a Value> {
    let object = resolved(types, types.get(type_name)?);
    Some(resolved(types, object.get("properties")?.get(field)?))
}

/// Tells whether a field is always there.
pub(super) fn is_required(types: &Types, type_name: &str, field: &str) -> bool {
    let Some(schema) = types.get(type_name) else { return false };
    let required = resolved(types, schema).get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|name| name.as_str() == Some(field)))
}

/// Tells whether every value of a schema is a text.
pub(super) fn is_text(schema: &Value) -> bool {
    let texts = |values: &Value| values.as_array().is_some_and(|all| all.iter().all(Value::is_string));
    schema.get("type").is_some_and(|name| name == "string")
        || schema.get("const").is_some_and(Value::is_string)
        || schema.get("enum").is_some_and(texts)
}

/// Tells whether every value of a schema is an object.
pub(super) fn is_object(types: &Types, type_name: &str) -> bool {
    types
        .get(type_name)
        .is_some_and(|schema| resolved(types, schema).get("type").is_some_and(|name| name == "object"))
}

impl Contract {
    /// Returns a type as a JSON Schema that stands alone: with the types that it refers to, in `$defs`. `None` if the
    /// contract has no such type.
    pub fn schema(&self, type_name: &str) -> Option<Value> {
        let mut definitions = Map::new();
        let mut open = vec![self.types.get_key_value(type_name)?];
        let mut seen = BTreeSet::new();
        while let Some((name, schema)) = open.pop() {
            if seen.insert(name) {
                definitions.insert(name.clone(), schema.clone());
                let mut names = Vec::new();
                references(schema, &mut names);
                open.extend(names.iter().filter_map(|name| self.types.get_key_value(*name)));
            }
        }
        Some(json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": format!("{DEFINITIONS}{type_name}"),
            "$defs": definitions,
        }))
    }
}

/// Collects the names of all types that a schema refers to.
pub(super) fn references<'a>(schema: &'a Value, names: &mut Vec<&'a str>) {
    match schema {
        Value::Object(map) => {
            names.extend(referred(schema));
            map.values().for_each(|value| references(value, names));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
