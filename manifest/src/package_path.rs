//! Paths inside a package. Refuses whatever any file system, shell or reader could take in two ways, so that a
//! path means one file, inside the package, everywhere.

use serde::{Deserialize, Serialize};

/// The longest path in a package, in bytes.
pub const MAX_PATH: usize = 240;
/// The most components a path in a package may have.
pub const MAX_DEPTH: usize = 32;

/// Names a file of a package: relative, `/`-separated, of components of `[A-Za-z0-9._+@-]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PackagePath(String);

/// Says why a text is not a path in a package.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing, or a component that is empty (`a//b`, `/a`, `a/`).
    #[error("a path in a package is relative and has no empty part")]
    Empty,
    /// A `.` or `..` component.
    #[error("a path in a package has no `.` or `..` part")]
    Dots,
    /// A character outside the allow-list.
    #[error("a path in a package is made of `A-Z`, `a-z`, `0-9` and `._+@-/`; `{}` is not", character.escape_unicode())]
    Character {
        /// The first such character.
        character: char,
    },
    /// Longer than [`MAX_PATH`].
    #[error("a path in a package has at most {MAX_PATH} bytes, this has {actual}")]
    Long {
        /// Its length in bytes.
        actual: usize,
    },
    /// Deeper than [`MAX_DEPTH`].
    #[error("a path in a package has at most {MAX_DEPTH} parts, this has {actual}")]
    Deep {
        /// The number of its components.
        actual: usize,
    },
    /// A part that Windows keeps for a device, or would silently shorten.
    #[error("the part `{part}` can't be a file name on every platform")]
    Reserved {
        /// The component.
        part: String,
    },
    /// A path that a ustar header cannot hold: no `/` splits it into at most 155 and 100 bytes.
    #[error("the path has a part that is too long for a ustar header (at most 100 bytes after a `/`)")]
    Unsplittable,
}

impl PackagePath {
    /// Parses a path, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if let Some(character) = text
            .chars()
            .find(|c| !matches!(c, 'A'..='Z' | 'a'..='z' | '0'..='9' | '.' | '_' | '+' | '@' | '-' | '/'))
        {
            return Err(PathError::Character { character });
        }
        if text.len() > MAX_PATH {
            return Err(PathError::Long { actual: text.len() });
        }
        let depth = text.split('/').count();
        if depth > MAX_DEPTH {
            return Err(PathError::Deep { actual: depth });
        }
        for part in text.split('/') {
            match part {
                "" => return Err(PathError::Empty),
                "." | ".." => return Err(PathError::Dots),
                _ if is_reserved(part) => return Err(PathError::Reserved { part: part.to_owned() }),
                _ => {}
            }
        }
        let splits = text.len() <= 100
            || text.match_indices('/').any(|(at, _)| at <= 155 && text.len() - at - 1 <= 100);
        if !splits {
            return Err(PathError::Unsplittable);
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the path as text, `/`-separated.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the components, outermost first.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// Returns the last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// Returns the form by which two paths collide on a file system that ignores case.
    pub fn folded(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

/// Device names of Windows count with any extension (`aux.txt`), and a final dot is dropped there.
fn is_reserved(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).to_ascii_lowercase();
    let numbered = ["com", "lpt"].iter().any(|device| {
        stem.strip_prefix(device).is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit())
    });
    numbered || matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || part.ends_with('.')
}

impl std::fmt::Display for PackagePath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.0)
    }
}

crate::as_text::as_text!(PackagePath, PathError);

#[cfg(test)]
mod tests {
    use super::{PackagePath, PathError};

    #[test]
    fn paths_stay_inside_and_mean_one_file() {
        for text in
            ["a", "extension.toml", "bin/run", ".hidden", "a-b_c+d@e.f/g", "...", "com10", "console.txt"]
        {
            if text == "..." {
                assert!(PackagePath::parse(text).is_err(), "a final dot is dropped on Windows");
            } else {
                assert!(PackagePath::parse(text).is_ok(), "{text}");
            }
        }
        let check =
            |text: &str, expected: PathError| assert_eq!(PackagePath::parse(text), Err(expected), "{text:?}");
        check("", PathError::Empty);
        check("/e", PathError::Empty);
        check("a//b", PathError::Empty);
        check("dir/", PathError::Empty);
        check("../e", PathError::Dots);
        check("a/../../e", PathError::Dots);
        check("./a", PathError::Dots);
        check("C:e", PathError::Character { character: ':' });
        check("..\\e", PathError::Character { character: '\\' });
        check("a\0b", PathError::Character { character: '\0' });
        check("a\nb", PathError::Character { character: '\n' });
        check("a b", PathError::Character { character: ' ' });
        check("\u{e9}", PathError::Character { character: '\u{e9}' });
        for part in ["aux", "AUX.txt", "com1", "LPT0.log", "nul.tar.gz", "con"] {
            check(&format!("d/{part}"), PathError::Reserved { part: part.to_owned() });
        }
        check(&format!("{}a", "a/".repeat(32)), PathError::Deep { actual: 33 });
        check(&"a".repeat(241), PathError::Long { actual: 241 });
        check(&"a".repeat(101), PathError::Unsplittable);
        assert!(PackagePath::parse(&format!("{}/{}", "d".repeat(139), "a".repeat(100))).is_ok());
    }
}
