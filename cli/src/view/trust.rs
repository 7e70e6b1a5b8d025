//! Grants, and what is asked for and not granted, for documents and for the screen.

use super::permission;
use pintle_registry::operations::trust::NewGrant;
use pintle_registry::trust::{Ask, How, Subject};
use serde_json::{Map, Value, json};

/// Returns what one extension asks for, for a document.
pub(crate) fn ask_document(ask: &Ask) -> Value {
    let mut map = about(ask.name.as_str(), &ask.version.to_string(), &ask.subject);
    map.insert("runtime".to_owned(), json!(ask.runtime));
    map.insert("permissions".to_owned(), json!(ask.permissions));
    map.insert("missing".to_owned(), json!(ask.missing));
    map.insert("sentences".to_owned(), permission::document(&ask.permissions));
    map.insert("accept_permissions".to_owned(), json!(ask.consent().to_hex()));
    Value::Object(map)
}

/// Returns one grant for a document.
pub(crate) fn grant_document(new: &NewGrant) -> Value {
    let NewGrant { name, subject, grant } = new;
    let mut map = about(name.as_str(), &grant.version.to_string(), subject);
    map.insert("permissions".to_owned(), json!(grant.permissions));
    map.insert("sentences".to_owned(), permission::document(&grant.permissions));
    map.insert("at".to_owned(), json!(grant.at));
    let (how, from) = match &grant.how {
        How::Asked => ("asked", None),
        How::Flag => ("flag", None),
        How::Carried { from } => ("carried", Some(from)),
    };
    map.insert("how".to_owned(), json!(how));
    map.insert("from".to_owned(), json!(from));
    Value::Object(map)
}

fn about(name: &str, version: &str, subject: &Subject) -> Map<String, Value> {
    let (tree, folder) = match subject {
        Subject::Tree(tree) => (Some(tree), None),
        Subject::Folder(path) => (None, Some(path.to_string_lossy())),
    };
    let mut map = Map::new();
    map.insert("name".to_owned(), json!(name));
    map.insert("version".to_owned(), json!(version));
    map.insert("tree".to_owned(), json!(tree));
    map.insert("folder".to_owned(), json!(folder));
    map
}

/// Says how a grant was given.
pub(crate) fn how(how: &How) -> String {
    match how {
        How::Asked => "you were asked".to_owned(),
        How::Flag => "by --accept-permissions".to_owned(),
        How::Carried { from } => format!("carried from {}", from.short()),
    }
}
