//! What can be wrong with a value, in words for people. What a library would say of its own types is put into ours here.

use serde::de::{Error, Expected, Unexpected};
use std::fmt::Display;

/// How much of a wrong text is shown, in characters.
const SHOWN: usize = 40;

/// What is wrong, and at which key.
#[derive(Debug)]
pub(super) struct Wrong {
    /// The keys that lead there, the last first.
    path: Vec<String>,
    what: String,
}

impl Wrong {
    /// Says below which key it is.
    pub(super) fn below(mut self, key: &str) -> Self {
        self.path.push(key.to_owned());
        self
    }

    fn new(what: String) -> Self {
        Self { path: Vec::new(), what }
    }
}

impl Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.path.is_empty() {
            let path: Vec<&str> = self.path.iter().rev().map(String::as_str).collect();
            write!(f, "`{}`: ", path.join("."))?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for Wrong {}

impl Error for Wrong {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("{} belongs here, not {}", wanted(expected), shown(found)))
    }
    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }
    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        // A list in the place of a table is told by its length.
        match expected.to_string().starts_with("struct ") {
            true => Self::new("a table belongs here, not a list".to_owned()),
            false => Self::new(format!("{} belongs here, not {length} items", wanted(expected))),
        }
    }
    fn unknown_variant(found: &str, expected: &'static [&'static str]) -> Self {
        let known: Vec<String> = expected.iter().map(|one| format!("`{one}`")).collect();
        Self::new(format!("`{}` is none of {}", beginning(found), known.join(", ")))
    }
    fn unknown_field(field: &str, _expected: &'static [&'static str]) -> Self {
        Self::new(format!("`{}` is no key that belongs here", beginning(field)))
    }
    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("`{field}` is missing"))
    }
    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("`{field}` is there twice"))
    }
}

fn wanted(expected: &dyn Expected) -> String {
    let text = expected.to_string();
    let numbers = ["u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize"];
    match text.as_str() {
        "a string" | "a borrowed string" | "string" | "a string or bytes" | "path string" => {
            "a text".to_owned()
        }
        "a map" | "map" => "a table".to_owned(),
        "a sequence" | "sequence" => "a list".to_owned(),
        "a boolean" => "`true` or `false`".to_owned(),
        number if numbers.contains(&number) => "a whole number".to_owned(),
        own if own.starts_with("struct ") => "a table".to_owned(),
        own if own.starts_with("enum ") || own == "variant identifier" => "a word".to_owned(),
        _ => text,
    }
}

fn shown(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(one) => format!("`{one}`"),
        Unexpected::Unsigned(one) => format!("`{one}`"),
        Unexpected::Signed(one) => format!("`{one}`"),
        Unexpected::Float(one) => format!("`{one}`"),
        Unexpected::Str(text) => format!("\"{}\"", beginning(text)),
        Unexpected::Map | Unexpected::StructVariant | Unexpected::NewtypeStruct => "a table".to_owned(),
        Unexpected::Seq | Unexpected::TupleVariant => "a list".to_owned(),
        Unexpected::Unit | Unexpected::Option => "`null`".to_owned(),
        other => other.to_string(),
    }
}

fn beginning(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
