//! JSON that Pintle wrote for itself and reads back: its version is looked at first, and what is wrong with it is said in
//! the words of this house, with the place and the key. Bytes go in, a value or words come out. Where the bytes came from,
//! and what is done about it, is not known here.

mod node;
mod obstacle;
mod words;

pub use obstacle::{Belongs, Obstacle, Sight};

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;

/// Says why bytes are not what they should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// A newer Pintle wrote them.
    Newer {
        /// The format that they name.
        format: u64,
    },
    /// Something is wrong with them: where, and what.
    Wrong(String),
}

/// Reads JSON with a `version`, of which formats up to `reads` are known.
pub fn read_kept<T: DeserializeOwned>(bytes: &[u8], reads: u64) -> Result<T, Unfit> {
    #[derive(serde::Deserialize)]
    struct Head {
        version: u64,
    }
    match read_json::<Head>(bytes).map_err(Unfit::Wrong)?.version {
        0 => Err(Unfit::Wrong("there is no format 0, which its `version` names".to_owned())),
        format if format > reads => Err(Unfit::Newer { format }),
        _ => read_json(bytes).map_err(Unfit::Wrong),
    }
}

/// Reads JSON, or says what is wrong with it and where.
pub fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| told::<T>(bytes, &error, 1))
}

/// Reads one line of many, of which this is the number, or says what is wrong with it.
pub fn read_json_line<T: DeserializeOwned>(text: &str, number: usize) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| told::<T>(text.as_bytes(), &error, number))
}

/// Says why a value is not what it should be; `None` if it is.
pub fn misfit_of<T: DeserializeOwned>(value: &Value) -> Option<String> {
    T::deserialize(node::Node(value)).err().map(|wrong| wrong.to_string())
}

fn told<T: DeserializeOwned>(bytes: &[u8], error: &serde_json::Error, first: usize) -> String {
    let (line, column) = (error.line().max(1) + first - 1, error.column());
    match error.classify() {
        Category::Eof | Category::Io if bytes.iter().all(u8::is_ascii_whitespace) => "it is empty".to_owned(),
        Category::Eof | Category::Io => format!("line {line}: it ends in the middle"),
        Category::Syntax => format!("line {line}, column {column}: it is no JSON from here on"),
        Category::Data => {
            let value = serde_json::from_slice(bytes).ok();
            let what = value.and_then(|value| misfit_of::<T>(&value));
            // A key that is there twice is gone from the value, and all that is left to say is where.
            let what = what.unwrap_or_else(|| "something is there twice".to_owned());
            format!("line {line}: {what}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Unfit, read_kept};
    use crate::{Digest, Name, Permissions, Version};
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[expect(dead_code, reason = "only read")]
        version: u64,
        #[expect(dead_code, reason = "only read")]
        all: BTreeMap<Name, One>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct One {
        version: Version,
        tree: Option<Digest>,
        count: u32,
        items: Vec<String>,
        how: How,
        #[serde(default)]
        permissions: Permissions,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum How {
        Asked,
        #[serde(rename = "from")]
        From {
            #[expect(dead_code, reason = "only read")]
            by: Name,
        },
    }

    #[test]
    fn what_is_wrong_is_said_in_our_own_words() {
        let check = |text: &str, expected: &str| match read_kept::<File>(text.as_bytes(), 1) {
            Err(Unfit::Wrong(said)) => assert_eq!(said, expected, "{text}"),
            other => panic!("{text}: {other:?}"),
        };
        let one = |rest: &str| format!("{{\n\"version\":1,\"all\":{{\"acme-a\":\n{{{rest}}}}}}}");
        let good = r#""version":"1.0.0","tree":null,"count":1,"items":["x"],"how":"asked""#;
        assert!(read_kept::<File>(one(good).as_bytes(), 1).is_ok());
        let from = good.replace("\"asked\"", r#"{"from":{"by":"acme-b"}}"#);
        assert!(read_kept::<File>(one(&from).as_bytes(), 1).is_ok());
        check("", "it is empty");
        check(" \n ", "it is empty");
        check("{\"version\":1,\n\"all\":", "line 2: it ends in the middle");
        check("\u{1}", "line 1, column 1: it is no JSON from here on");
        check("{\"version\":1,\n,", "line 2, column 1: it is no JSON from here on");
        check("[]", "line 1: a table belongs here, not a list");
        check("7", "line 1: a table belongs here, not `7`");
        check("{}", "line 1: `version` is missing");
        check(r#"{"version":"one"}"#, "line 1: `version`: a whole number belongs here, not \"one\"");
        check(r#"{"version":-1}"#, "line 1: `version`: a whole number belongs here, not `-1`");
        check(r#"{"version":0}"#, "there is no format 0, which its `version` names");
        check(r#"{"version":1,"all":{},"more":1}"#, "line 1: `more` is no key that belongs here");
        check(r#"{"version":1,"all":{},"all":{}}"#, "line 1: something is there twice");
        check(
            r#"{"version":1,"all":{"Not A Name":{}}}"#,
            &format!("line 1: `all`: {}", Name::parse("Not A Name").unwrap_err()),
        );
        let check_one = |from: &str, to: &str, expected: &str| {
            assert!(good.contains(from), "{from}");
            check(&one(&good.replacen(from, to, 1)), expected);
        };
        check_one(",\"count\":1", "", "line 3: `all.acme-a`: `count` is missing");
        check_one(
            "\"count\":1",
            "\"count\":{}",
            "line 3: `all.acme-a.count`: a whole number belongs here, not a table",
        );
        check_one("[\"x\"]", "[\"x\",[]]", "line 3: `all.acme-a.items.1`: a text belongs here, not a list");
        check_one("[\"x\"]", "null", "line 3: `all.acme-a.items`: a list belongs here, not `null`");
        check_one(
            "\"asked\"",
            "\"guessed\"",
            "line 3: `all.acme-a.how`: `guessed` is none of `asked`, `from`",
        );
        check_one("\"asked\"", "{\"from\":{}}", "line 3: `all.acme-a.how.from`: `by` is missing");
        check_one(
            "\"asked\"",
            "\"asked\",\"permissions\":{\"fs.read\":7}",
            "line 3: `all.acme-a.permissions.fs.read`: `true` or a list of texts belongs here, not `7`",
        );
    }

    #[test]
    fn a_newer_format_is_looked_at_before_anything_else() {
        let check = |text: &str, expected: u64| match read_kept::<File>(text.as_bytes(), 1) {
            Err(Unfit::Newer { format }) => assert_eq!(format, expected),
            other => panic!("{text}: {other:?}"),
        };
        check(r#"{"version":2}"#, 2);
        check(r#"{"version":9,"all":[],"other":true}"#, 9);
    }
}
