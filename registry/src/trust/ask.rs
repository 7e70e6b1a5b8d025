//! What an extension asks for and was not granted, and the hash by which a command line accepts exactly that.

use super::Subject;
use pintle_manifest::{Digest, Name, Permissions, Version};

/// An extension that asks for more than it was granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The extension.
    pub name: Name,
    /// Its version.
    pub version: Version,
    /// Its content.
    pub subject: Subject,
    /// How its code is run.
    pub runtime: String,
    /// All that it asks for.
    pub permissions: Permissions,
    /// What of that no one has allowed yet: to it, or to the version that it takes the place of.
    pub missing: Permissions,
    /// What hangs on the answer.
    pub stake: Stake,
}

/// What hangs on the answer to what an extension asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stake {
    /// Whether it comes into the set.
    New,
    /// Whether it takes the place of a version that has all that it asks for and may run.
    Replaces,
    /// Whether it takes the place of a version that was not granted what it asks for either.
    ReplacesUngranted,
    /// Whether it is loaded. Its files are where they will be in any case.
    InPlace,
}

impl Ask {
    /// Returns the hash that accepts this, and nothing else: another version, other content, another runtime and other
    /// permissions each have another one.
    pub fn consent(&self) -> Digest {
        let subject = match &self.subject {
            Subject::Tree(tree) => ("tree", tree.to_string()),
            Subject::Folder(path) => ("folder", Digest::of(path.as_os_str().as_encoded_bytes()).to_string()),
        };
        let facts = (&self.name, &self.version, subject, &self.runtime, &self.permissions);
        let facts = serde_json::to_string(&facts).expect("all of it is text");
        Digest::of(format!("pintle-consent 1\n{facts}\n").as_bytes())
    }
}

/// Returns the one hash that accepts several asks together; of a single one its own. `None` if nothing is asked.
pub fn combined<'a>(asks: impl IntoIterator<Item = &'a Ask>) -> Option<Digest> {
    let mut hashes: Vec<Digest> = asks.into_iter().map(Ask::consent).collect();
    hashes.sort();
    hashes.dedup();
    match hashes.as_slice() {
        [] => None,
        [one] => Some(*one),
        several => {
            let lines: String = several.iter().map(|hash| format!("{}\n", hash.to_hex())).collect();
            Some(Digest::of(format!("pintle-consents 1\n{lines}").as_bytes()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ask, Stake, combined};
    use crate::trust::Subject;
    use pintle_manifest::{Digest, Name, Version};
    use std::path::PathBuf;

    fn ask() -> Ask {
        let permissions = serde_json::from_str(r#"{"process.run":["git"]}"#).unwrap();
        Ask {
            name: Name::parse("acme-a").unwrap(),
            version: Version::new(1, 0, 0),
            subject: Subject::Tree(Digest::of(b"content")),
            runtime: "process".to_owned(),
            missing: Clone::clone(&permissions),
            permissions,
            stake: Stake::New,
        }
    }

    #[test]
    fn whatever_a_person_is_shown_is_in_the_hash() {
        let all = serde_json::from_str(r#"{"process.run":true}"#).unwrap();
        let check = |what: &str, other: Ask, same: bool| {
            assert_eq!(ask().consent() == other.consent(), same, "{what}");
        };
        check("itself", ask(), true);
        check("the name", Ask { name: Name::parse("acme-b").unwrap(), ..ask() }, false);
        check("the version", Ask { version: Version::new(1, 0, 1), ..ask() }, false);
        check("the content", Ask { subject: Subject::Tree(Digest::of(b"other")), ..ask() }, false);
        check("the kind of content", Ask { subject: Subject::Folder(PathBuf::from("/a")), ..ask() }, false);
        check("the runtime", Ask { runtime: "wasm".to_owned(), ..ask() }, false);
        check("the permissions", Ask { permissions: all, ..ask() }, false);
        check("what is new of them", Ask { missing: Default::default(), ..ask() }, true);
        check("what hangs on it", Ask { stake: Stake::InPlace, ..ask() }, true);
    }

    #[test]
    fn several_asks_have_one_hash_whatever_their_order() {
        let other = Ask { name: Name::parse("acme-b").unwrap(), ..ask() };
        assert_eq!(combined([]), None);
        assert_eq!(combined([&ask()]), Some(ask().consent()));
        assert_eq!(combined([&ask(), &other]), combined([&other, &ask()]));
        assert_ne!(combined([&ask(), &other]), combined([&ask()]));
    }
}
