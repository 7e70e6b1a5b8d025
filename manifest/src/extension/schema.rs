//! JSON Schema of the manifest.
/// Returns the JSON Schema.
pub fn json_schema() -> serde_json::Value {
    serde_json::Value::Null
}
