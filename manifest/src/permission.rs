//! Permissions as an extension asks for them. What each means, and which exist, is the contract's to say.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// Tells whether someone who was granted `self` has everything that `other` asks for.
    pub fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All, _) => true,
            (Self::Only(_), Self::All) => false,
            (Self::Only(have), Self::Only(want)) => want.iter().all(|item| have.contains(item)),
        }
    }
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

    #[test]
    fn a_grant_covers_the_same_or_less() {
        let only = |items: &[&str]| PermissionValue::Only(items.iter().map(ToString::to_string).collect());
        let check = |have: &PermissionValue, want: &PermissionValue, expected: bool| {
            assert_eq!(have.covers(want), expected, "{have} covers {want}");
        };
        check(&PermissionValue::All, &only(&["git"]), true);
        check(&only(&["git", "du"]), &only(&["git"]), true);
        check(&only(&["git"]), &only(&["git", "du"]), false);
        check(&only(&["git"]), &PermissionValue::All, false);
    }
}
