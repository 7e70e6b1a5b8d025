//! Prints the grammar as a JSON Schema (source: json-schema.org, draft 2020-12), so that editors complete and
//! check a manifest. It never refuses what [`parse`](super::parse()) reads; it can't refuse all that `parse` does.

use super::grammar::{Key, Kind, List, Map, Need, ROOT, Variant, Variants};
use super::manifest::MANIFEST_VERSION;
use super::word::Word;
use serde_json::{Value, json};

/// Returns the JSON Schema of `extension.toml`, the same as the file `extension.schema.json` of this crate.
pub fn json_schema() -> Value {
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "extension.toml",
        "description": "What a Pintle extension is, which hosts it serves, how it runs and what it asks for.",
    });
    merge(&mut schema, table(ROOT));
    schema
}

fn table(keys: &[Key]) -> Value {
    object(&keys.iter().collect::<Vec<_>>(), Vec::new())
}

/// Describes a table with these keys, besides those that are described already.
fn object(keys: &[&Key], described: Vec<(&str, Value)>) -> Value {
    let mut required: Vec<&str> = described.iter().map(|(name, _)| *name).collect();
    let mut properties: serde_json::Map<_, _> =
        described.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    for key in keys {
        properties.insert(key.name.to_owned(), property(key));
        if matches!(key.need, Need::Required(_)) {
            required.push(key.name);
        }
    }
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn property(key: &Key) -> Value {
    let mut schema = json!({ "description": key.doc });
    merge(&mut schema, of(&key.kind));
    if matches!(key.kind, Kind::Text(_) | Kind::List(_)) {
        schema["examples"] = json!([example(key)]);
    }
    schema
}

/// Reads the example of a key, which is TOML, into JSON.
fn example(key: &Key) -> Value {
    let document: toml::Table =
        format!("x = {}", key.example).parse().expect("the examples of the grammar are TOML");
    json!(document["x"])
}

fn of(kind: &Kind) -> Value {
    match kind {
        Kind::ManifestVersion => json!({ "const": MANIFEST_VERSION }),
        Kind::Text(word) => text(word),
        Kind::List(items) => list(items),
        Kind::TrueOr(items) => json!({ "oneOf": [{ "const": true }, list(items)] }),
        Kind::TextOr(word, keys) => json!({ "oneOf": [text(word), table(keys)] }),
        Kind::Table(keys) => table(keys),
        Kind::Variants(variants) => one_of(variants),
        Kind::Map(entries) => map(entries),
    }
}

fn text(word: &Word) -> Value {
    let mut schema = json!({ "type": "string" });
    if let Some(known) = word.known {
        schema["enum"] = json!(known());
        return schema;
    }
    if word.least > 0 {
        schema["minLength"] = json!(word.least);
    }
    schema["maxLength"] = json!(word.most);
    if let Some(pattern) = word.pattern {
        schema["pattern"] = json!(pattern);
    }
    schema
}

fn list(list: &List) -> Value {
    let mut schema = json!({ "type": "array" });
    if let Some(first) = list.first {
        schema["prefixItems"] = json!([text(first)]);
    }
    schema["items"] = text(list.item);
    if list.least > 0 {
        schema["minItems"] = json!(list.least);
    }
    schema["maxItems"] = json!(list.most);
    schema
}

fn one_of(variants: &Variants) -> Value {
    let one = |variant: &Variant| {
        let mut schema = json!({ "title": variant.name, "description": variant.doc });
        let tag = json!({ "description": variants.tag.doc, "const": variant.name });
        merge(&mut schema, object(&variant.keys.iter().collect::<Vec<_>>(), vec![(variants.tag.name, tag)]));
        schema
    };
    json!({ "oneOf": variants.variants.iter().map(one).collect::<Vec<_>>() })
}

fn map(map: &Map) -> Value {
    let mut schema = json!({
        "type": "object",
        "propertyNames": text(map.key),
        "additionalProperties": of(map.value),
    });
    if map.empty.is_some() {
        schema["minProperties"] = json!(1);
    }
    schema
}

/// Adds the members of one object to another.
fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}

#[cfg(test)]
mod tests {
    use super::json_schema;

    #[test]
    fn the_schema_in_the_repository_is_current() {
        let kept = include_str!("../../extension.schema.json");
        assert!(
            kept == format!("{:#}\n", json_schema()),
            "the grammar has changed; run `cargo run -p pintle-manifest --example schema > \
             manifest/extension.schema.json`"
        );
    }
}
