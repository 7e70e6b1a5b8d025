//! Types of a contract in a few words. Says what a reader needs first; the whole schema is in the JSON document.

use pintle_manifest::Contract;
use serde_json::{Map, Value};

/// How deep a type is described; below, it is told by its kind.
const DEPTH: usize = 3;

/// Returns the fields of a type: names, and what is to say of each. Those that are always there come first, in the
/// order in which the contract names them.
pub(crate) fn fields(contract: &Contract, type_name: &str) -> Vec<(String, String)> {
    let schema = resolved(contract, contract.types.get(type_name));
    let Some(properties) = schema.and_then(|schema| schema.get("properties")?.as_object()) else {
        return Vec::new();
    };
    let required: Vec<&str> = schema
        .and_then(|schema| schema.get("required")?.as_array())
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let first = required.iter().filter_map(|name| properties.get_key_value(*name));
    let rest = properties.iter().filter(|(name, _)| !required.contains(&name.as_str()));
    let row = |(name, field): (&String, &Value)| {
        let optional = if required.contains(&name.as_str()) { "" } else { ", may be left out" };
        let said = description(contract, field).map(|said| format!("; {said}")).unwrap_or_default();
        (name.clone(), format!("{}{optional}{said}", words(contract, field, 0)))
    };
    first.chain(rest).map(row).collect()
}

/// Returns the names of the fields of a type, in the order of [`fields`].
pub(crate) fn names(contract: &Contract, type_name: &str) -> String {
    let names: Vec<String> = fields(contract, type_name).into_iter().map(|(name, _)| name).collect();
    match names.is_empty() {
        true => "an empty object".to_owned(),
        false => names.join(", "),
    }
}

/// Returns what a type is, in a few words.
pub(crate) fn type_words(contract: &Contract, type_name: &str) -> String {
    contract.types.get(type_name).map(|schema| words(contract, schema, 0)).unwrap_or_default()
}

fn description<'a>(contract: &'a Contract, schema: &'a Value) -> Option<&'a str> {
    let own = schema.get("description").and_then(Value::as_str);
    own.or_else(|| resolved(contract, Some(schema))?.get("description")?.as_str())
}

fn resolved<'a>(contract: &'a Contract, schema: Option<&'a Value>) -> Option<&'a Value> {
    let mut at = schema?;
    for _ in 0..=contract.types.len() {
        let reference = at.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix("#/$defs/"));
        match reference.and_then(|name| contract.types.get(name)) {
            Some(next) => at = next,
            None => return Some(at),
        }
    }
    Some(at)
}

fn words(contract: &Contract, schema: &Value, depth: usize) -> String {
    let Some(Value::Object(schema)) = resolved(contract, Some(schema)) else { return "anything".to_owned() };
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return alternatives(values.iter().map(quoted).collect());
    }
    if let Some(value) = schema.get("const") {
        return quoted(value);
    }
    let kinds = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind.as_str()],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        Some(_) | None => Vec::new(),
    };
    if kinds.is_empty() {
        return match schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
            Some(one_of) if depth < DEPTH => {
                alternatives(one_of.iter().map(|one| words(contract, one, depth + 1)).collect())
            }
            Some(_) | None => "anything".to_owned(),
        };
    }
    alternatives(kinds.into_iter().map(|kind| kind_words(contract, kind, schema, depth)).collect())
}

fn kind_words(contract: &Contract, kind: &str, schema: &Map<String, Value>, depth: usize) -> String {
    let bounds = |least: &str, most: &str, unit: &str| match (
        schema.get(least).filter(|least| least.as_f64() > Some(0.0)),
        schema.get(most),
    ) {
        (Some(least), Some(most)) => format!(" of {least} to {most}{unit}"),
        (Some(one), None) if one.as_u64() == Some(1) && least != "minimum" => ", not empty".to_owned(),
        (Some(least), None) => format!(" of at least {least}{unit}"),
        (None, Some(most)) => format!(" of at most {most}{unit}"),
        (None, None) => String::new(),
    };
    let of = |key: &str| {
        let inner = schema.get(key).filter(|inner| inner.is_object() && depth < DEPTH);
        inner.map(|inner| words(contract, inner, depth + 1))
    };
    match kind {
        "string" => format!("text{}", bounds("minLength", "maxLength", " characters")),
        "integer" => format!("whole number{}", bounds("minimum", "maximum", "")),
        "number" => format!("number{}", bounds("minimum", "maximum", "")),
        "boolean" => "true or false".to_owned(),
        "null" => "null".to_owned(),
        "array" => match of("items") {
            Some(items) => format!("list{}, each {items}", bounds("minItems", "maxItems", "")),
            None => format!("list{}", bounds("minItems", "maxItems", "")),
        },
        "object" => match (schema.contains_key("properties"), of("additionalProperties")) {
            (false, Some(values)) => format!("object, each value {values}"),
            (_, _) => "object".to_owned(),
        },
        other => other.to_owned(),
    }
}

fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            format!("`{value}`")
        }
    }
}

fn alternatives(mut words: Vec<String>) -> String {
    match words.pop() {
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
        None => "nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::words;
    use crate::host::agent;
    use serde_json::json;

    #[test]
    fn a_type_is_told_in_a_few_words() {
        let check = |schema: serde_json::Value, expected: &str| {
            assert_eq!(words(agent(), &schema, 0), expected, "{schema}");
        };
        check(json!({ "type": "string" }), "text");
        check(json!({ "type": "string", "minLength": 1, "maxLength": 9 }), "text of 1 to 9 characters");
        check(json!({ "type": ["integer", "null"], "minimum": 0 }), "whole number or null");
        check(
            json!({ "type": "array", "items": { "type": "boolean" }, "minItems": 2 }),
            "list of at least 2, each true or false",
        );
        check(json!({ "type": "array", "minItems": 1 }), "list, not empty");
        check(json!({ "type": "integer", "minimum": 1 }), "whole number of at least 1");
        check(json!({ "enum": ["a", 1, null] }), "`a`, `1` or `null`");
        check(json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }), "text or null");
        check(json!({ "$ref": "#/$defs/Key" }), "text of 1 to 128 characters");
        check(
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            "object, each value text",
        );
        check(json!({}), "anything");
        check(json!(true), "anything");
    }
}
