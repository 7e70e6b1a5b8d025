//! Permissions as an extension asks for them. What each means, and which exist, is the contract's to say; here it is told
//! whether one that was granted covers one that is asked for.

use crate::Matching;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// What an extension asks for, by the permission's name.
pub type Permissions = BTreeMap<String, PermissionValue>;

/// How much of one permission is asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PermissionValue {
    /// All of it (`true`).
    All,
    /// These only, sorted: programs, hosts, paths.
    Only(Vec<String>),
}

impl PermissionValue {
    /// Tells whether someone who was granted `self` has everything that `other` asks for, if items are compared so.
    pub fn covers(&self, other: &Self, matching: Matching) -> bool {
        match (self, other) {
            (Self::All, _) => true,
            (Self::Only(_), Self::All) => false,
            (Self::Only(have), Self::Only(want)) => {
                want.iter().all(|item| covering(have, item, matching).is_some())
            }
        }
    }
}

/// Returns which granted item covers one that is asked for: the same text, or a directory above it.
pub fn covering<'a>(have: &'a [String], item: &str, matching: Matching) -> Option<&'a String> {
    let same = have.iter().find(|granted| *granted == item);
    match matching {
        Matching::Text => same,
        Matching::Path => same.or_else(|| have.iter().find(|granted| is_at_or_below(item, granted))),
    }
}

/// Tells whether a path is another one or below it, whatever is on the disk and wherever it is asked. What is not plain is
/// not: a relative path, a step back, and what some program may take for a home, a pattern or a variable.
fn is_at_or_below(wanted: &str, granted: &str) -> bool {
    let is_plain = |path: &str| {
        path.starts_with('/')
            && path.trim() == path
            && !path.chars().any(|c| c.is_control() || "~*?[]{}$\\".contains(c))
            && !Path::new(path).components().any(|part| part == Component::ParentDir)
    };
    is_plain(wanted) && is_plain(granted) && Path::new(wanted).starts_with(granted)
}

impl std::fmt::Display for PermissionValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Only(items) => f.write_str(&items.join(", ")),
        }
    }
}

impl Serialize for PermissionValue {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All => serializer.serialize_bool(true),
            Self::Only(items) => items.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for PermissionValue {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = PermissionValue;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("`true` or a list of texts")
            }
            fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<PermissionValue, E> {
                match value {
                    true => Ok(PermissionValue::All),
                    false => Err(E::custom("a permission is `true` or a list, never `false`")),
                }
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut seq: A,
            ) -> Result<PermissionValue, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element::<String>()? {
                    items.push(item);
                }
                items.sort();
                items.dedup();
                Ok(PermissionValue::Only(items))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::PermissionValue;
    use crate::Matching;

    #[test]
    fn a_grant_covers_the_same_or_less() {
        let only = |items: &[&str]| PermissionValue::Only(items.iter().map(ToString::to_string).collect());
        let check = |have: &PermissionValue, want: &PermissionValue, expected: bool| {
            assert_eq!(have.covers(want, Matching::Text), expected, "{have} covers {want}");
            assert_eq!(have.covers(want, Matching::Path), expected, "{have} covers {want}");
        };
        check(&PermissionValue::All, &only(&["git"]), true);
        check(&only(&["git", "du"]), &only(&["git"]), true);
        check(&only(&["git"]), &only(&["git", "du"]), false);
        check(&only(&["git"]), &PermissionValue::All, false);
    }

    #[test]
    fn a_path_covers_what_is_plainly_below_it_and_nothing_that_is_in_doubt() {
        let only = |items: &[&str]| PermissionValue::Only(items.iter().map(ToString::to_string).collect());
        let check = |have: &[&str], want: &[&str], expected: bool| {
            assert_eq!(only(have).covers(&only(want), Matching::Path), expected, "{have:?} covers {want:?}");
            let same = want.iter().all(|item| have.contains(item));
            assert_eq!(
                only(have).covers(&only(want), Matching::Text),
                same,
                "as texts: {have:?} covers {want:?}"
            );
        };
        check(&["/a"], &["/a"], true);
        check(&["/a"], &["/a/b"], true);
        check(&["/a"], &["/a/b", "/a/c/d"], true);
        check(&["/a", "/x"], &["/a/b", "/x"], true);
        check(&["/a/"], &["/a"], true);
        check(&["/a"], &["/a/"], true);
        check(&["/a"], &["/a//b/."], true);
        check(&["/"], &["/a"], true);
        check(&["/a"], &[], true);
        check(&["/a/b"], &["/a"], false);
        check(&["/a"], &["/ab"], false);
        check(&["/a"], &["/b"], false);
        check(&["/a"], &["/a/b", "/b"], false);
        check(&["/a"], &["/a/../b"], false);
        check(&["/a"], &["/a/b/.."], false);
        check(&["/a/.."], &["/a"], false);
        check(&["/a/.."], &["/a/.."], true);
        check(&["a"], &["a"], true);
        check(&["a"], &["a/b"], false);
        check(&["."], &["./a"], false);
        check(&["a"], &["/a"], false);
        check(&["~"], &["~/a"], false);
        check(&["/home"], &["/home/~ada"], false);
        check(&["/a"], &["/a/*"], false);
        check(&["/a/*"], &["/a/b"], false);
        check(&["/a/*"], &["/a/*/b"], false);
        check(&["/a"], &["/a/$HOME"], false);
        check(&["/a"], &["/a/b "], false);
        check(&["/a"], &["/a/\n"], false);
        check(&["/a"], &["/a/b\\..\\c"], false);
        check(&["/a"], &["/A/b"], false);
        check(&[""], &["/a"], false);
    }
}
