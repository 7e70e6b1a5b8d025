//! The names of extensions and of hosts. Refuses everything but short ASCII words, so that a name is safe as a
//! path component, as an argument and on a screen, on every platform.

use serde::{Deserialize, Serialize};

/// Names an extension: 3 to 64 characters of `[a-z0-9-]`, a letter first, no `-` at the end, no `--`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

/// Names a host's contract: 2 to 64 characters of the same alphabet as [`Name`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostName(String);

/// Says why a text is not a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Fewer characters than a name needs.
    #[error("a name has at least {least} characters, this has {actual}")]
    Short {
        /// The fewest allowed.
        least: usize,
        /// The number given.
        actual: usize,
    },
    /// More characters than a name may have.
    #[error("a name has at most 64 characters, this has {actual}")]
    Long {
        /// The number given.
        actual: usize,
    },
    /// A character outside `[a-z0-9-]`.
    #[error("a name is made of `a-z`, `0-9` and `-`; `{}` is not", shown(*character))]
    Character {
        /// The first such character.
        character: char,
    },
    /// An upper-case letter, which deserves its own words.
    #[error("a name is in lower case; write `{lower}`")]
    UpperCase {
        /// The same text in lower case.
        lower: String,
    },
    /// Does not begin with a letter.
    #[error("a name begins with a letter")]
    FirstCharacter,
    /// Ends in `-` or holds `--`.
    #[error("a name has single `-` between words, and none at its end")]
    Dashes,
    /// A word that means something else to a file system, a shell or Pintle.
    #[error("the name `{name}` is reserved")]
    Reserved {
        /// The word.
        name: String,
    },
}

/// A letter of another alphabet that looks like one of ours is shown by its number.
fn shown(character: char) -> String {
    match character.is_ascii_graphic() {
        true => character.to_string(),
        false => character.escape_unicode().to_string(),
    }
}

/// Device names of Windows, and the words by which Pintle and its hosts call themselves.
const RESERVED: &[&str] = &[
    "all",
    "any",
    "aux",
    "con",
    "conin",
    "conout",
    "contract",
    "core",
    "default",
    "extension",
    "host",
    "latest",
    "none",
    "nul",
    "null",
    "pintle",
    "prn",
    "registry",
    "root",
    "self",
    "store",
    "system",
    "user",
];

impl Name {
    /// Parses a name, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        check_word(text, 3)?;
        let device = ["com", "lpt"].iter().any(|prefix| {
            text.strip_prefix(prefix)
                .is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit())
        });
        if device || RESERVED.contains(&text) {
            return Err(NameError::Reserved { name: text.to_owned() });
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl HostName {
    /// Parses the name of a host, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        check_word(text, 2)?;
        Ok(Self(text.to_owned()))
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn check_word(text: &str, least: usize) -> Result<(), NameError> {
    if let Some(character) = text.chars().find(|c| !matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9' | '-')) {
        return Err(NameError::Character { character });
    }
    if text.bytes().any(|b| b.is_ascii_uppercase()) {
        return Err(NameError::UpperCase { lower: text.to_ascii_lowercase() });
    }
    if text.len() < least {
        return Err(NameError::Short { least, actual: text.len() });
    }
    if text.len() > 64 {
        return Err(NameError::Long { actual: text.len() });
    }
    if !text.as_bytes()[0].is_ascii_lowercase() {
        return Err(NameError::FirstCharacter);
    }
    if text.ends_with('-') || text.contains("--") {
        return Err(NameError::Dashes);
    }
    Ok(())
}

macro_rules! word {
    ($type:ty) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&self.0)
            }
        }
        crate::as_text::as_text!($type, NameError);
        impl std::borrow::Borrow<str> for $type {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}
word!(Name);
word!(HostName);

#[cfg(test)]
mod tests {
    use super::{HostName, Name};

    #[test]
    fn names_are_short_ascii_words() {
        let check = |text: &str, expected: &str| {
            let actual =
                Name::parse(text).map_or_else(|error| error.to_string(), |name| format!("ok {name}"));
            assert_eq!(actual, expected, "{text:?}");
        };
        check("blast-radius", "ok blast-radius");
        check("abc", "ok abc");
        check("a1-2", "ok a1-2");
        check("ab", "a name has at least 3 characters, this has 2");
        check("", "a name has at least 3 characters, this has 0");
        check(&"a".repeat(65), "a name has at most 64 characters, this has 65");
        check("Install", "a name is in lower case; write `install`");
        check("inst\u{430}ll", "a name is made of `a-z`, `0-9` and `-`; `\\u{430}` is not");
        check("a_b", "a name is made of `a-z`, `0-9` and `-`; `_` is not");
        check("../x", "a name is made of `a-z`, `0-9` and `-`; `.` is not");
        check("--help", "a name begins with a letter");
        check("1abc", "a name begins with a letter");
        check("abc-", "a name has single `-` between words, and none at its end");
        check("a--b", "a name has single `-` between words, and none at its end");
        check("nul", "the name `nul` is reserved");
        check("com1", "the name `com1` is reserved");
        check("com10", "ok com10");
    }

    #[test]
    fn host_names_may_be_shorter_and_are_never_reserved() {
        assert!(HostName::parse("vi").is_ok());
        assert!(HostName::parse("host").is_ok());
        assert!(HostName::parse("x").is_err());
    }
}
