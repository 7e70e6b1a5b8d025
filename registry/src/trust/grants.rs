//! The grants of a home: who was allowed what, when and how. An extension that asks for nothing needs none.

use super::{Meaning, Reading, Subject};
use crate::store::Installed;
use jiff::Timestamp;
use pintle_manifest::{Digest, Name, PermissionValue, Permissions, Version, covering};
use std::collections::BTreeMap;

/// Everything that was allowed in a home. There is at most one grant for a name and a subject.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants {
    pub(super) all: BTreeMap<(Name, Subject), Grant>,
}

/// One yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The version that it was given to, for people to read.
    pub version: Version,
    /// What is allowed.
    pub permissions: Permissions,
    /// When it was given.
    pub at: Timestamp,
    /// How it was given.
    pub how: How,
}

/// How a grant was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// A person was asked and said yes.
    Asked,
    /// The command line named the hash of what was asked for.
    Flag,
    /// The version before it had the same rights or more.
    Carried {
        /// The tree hash of that version.
        from: Digest,
    },
}

/// Whether grants are enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coverage {
    /// They are: everything that is asked for was allowed.
    Granted,
    /// They are not: this was not allowed.
    Missing(Permissions),
}

impl Grants {
    /// Tells whether an extension was allowed everything that it asks for.
    pub fn covers(
        &self,
        name: &Name,
        subject: &Subject,
        permissions: &Permissions,
        reading: Reading<'_>,
    ) -> Coverage {
        let nothing = Permissions::new();
        let granted = self.get(name, subject).map_or(&nothing, |grant| &grant.permissions);
        let missing = missing(granted, permissions, reading);
        match missing.is_empty() {
            true => Coverage::Granted,
            false => Coverage::Missing(missing),
        }
    }

    /// Tells whether what is installed was allowed everything that it asked for when it was.
    pub fn covers_installed(&self, name: &Name, one: &Installed, meaning: &Meaning) -> bool {
        let reading = meaning.to(&one.hosts);
        let covers = |subject| self.covers(name, &subject, &one.permissions, reading) == Coverage::Granted;
        one.permissions.is_empty() || Subject::of(one).is_some_and(covers)
    }

    /// Returns the grant for a name and a subject.
    pub fn get(&self, name: &Name, subject: &Subject) -> Option<&Grant> {
        self.all.get(&(name.clone(), subject.clone()))
    }

    /// Returns all grants, by name and subject.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &Subject, &Grant)> {
        self.all.iter().map(|((name, subject), grant)| (name, subject, grant))
    }

    /// Adds a grant; it takes the place of an earlier one for the same subject.
    pub fn insert(&mut self, name: Name, subject: Subject, grant: Grant) {
        self.all.insert((name, subject), grant);
    }

    /// Takes back every grant of a name. Returns what was taken back.
    pub fn revoke(&mut self, name: &Name) -> Vec<(Subject, Grant)> {
        let gone = self.all.extract_if(.., |(of, _), _| of == name);
        gone.map(|((_, subject), grant)| (subject, grant)).collect()
    }
}

/// Returns what is wanted beyond what was granted; of a list, the items that the granted one does not cover.
pub fn missing(granted: &Permissions, wanted: &Permissions, reading: Reading<'_>) -> Permissions {
    let beyond = |name: &String, want: &PermissionValue| match (granted.get(name), want) {
        (Some(have), want) if have.covers(want, reading.matching(name)) => None,
        (Some(PermissionValue::Only(have)), PermissionValue::Only(want)) => {
            let is_missing = |item: &&String| covering(have, item, reading.matching(name)).is_none();
            let rest = want.iter().filter(is_missing).cloned();
            Some(PermissionValue::Only(rest.collect()))
        }
        (Some(_) | None, want) => Some(want.clone()),
    };
    wanted.iter().filter_map(|(name, want)| Some((name.clone(), beyond(name, want)?))).collect()
}

/// Returns what of a grant is carried over to what is wanted, which it covers. Of a directory that covers a path below it
/// the directory is carried: that path may be a link, and what is behind it nobody allowed.
pub fn carried(granted: &Permissions, wanted: &Permissions, reading: Reading<'_>) -> Permissions {
    let one = |(name, want): (&String, &PermissionValue)| {
        let kept = match (granted.get(name), want) {
            (Some(PermissionValue::Only(have)), PermissionValue::Only(want)) => {
                let mut items: Vec<String> = want
                    .iter()
                    .map(|item| covering(have, item, reading.matching(name)).unwrap_or(item).clone())
                    .collect();
                items.sort();
                items.dedup();
                PermissionValue::Only(items)
            }
            (Some(_) | None, want) => want.clone(),
        };
        (name.clone(), kept)
    };
    wanted.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::{Coverage, Grant, Grants, How, carried, missing};
    use crate::trust::{Meaning, Subject};
    use pintle_manifest::{Contract, Digest, HostName, Name, Permissions, Requirement, Version};
    use std::collections::BTreeMap;

    fn permissions(json: &str) -> Permissions {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn only_what_goes_beyond_is_missing() {
        let check = |granted: &str, wanted: &str, expected: &str| {
            let meaning = Meaning::default();
            let found = missing(&permissions(granted), &permissions(wanted), meaning.to(&BTreeMap::new()));
            assert_eq!(found, permissions(expected), "{granted} for {wanted}");
        };
        check("{}", "{}", "{}");
        check("{}", r#"{"a":true}"#, r#"{"a":true}"#);
        check(r#"{"a":true}"#, r#"{"a":["x"]}"#, "{}");
        check(r#"{"a":["x"]}"#, r#"{"a":true}"#, r#"{"a":true}"#);
        check(r#"{"a":["x","y"]}"#, r#"{"a":["y"]}"#, "{}");
        check(r#"{"a":["x"]}"#, r#"{"a":["x","y"],"b":true}"#, r#"{"a":["y"],"b":true}"#);
        check(r#"{"b":true}"#, r#"{"a":[]}"#, r#"{"a":[]}"#);
    }

    #[test]
    fn of_paths_only_what_is_not_below_a_granted_one_is_missing_and_the_granted_one_is_carried() {
        let contract = r#"
            contract_version = 1
            contract = { name = "agent", version = "1.0.0", description = "An agent" }
            [permissions."fs.read"]
            all = "read all"
            some = "read {items}"
            matching = "path"
            risk = "low"
            [permissions."process.run"]
            all = "run all"
            some = "run {items}"
            risk = "high"
        "#;
        let read = Contract::read(contract);
        let meaning = Meaning::of([&read.contract.unwrap_or_else(|| panic!("{:?}", read.problems))]);
        let hosts = BTreeMap::from([(HostName::parse("agent").unwrap(), Requirement::parse("*").unwrap())]);
        let check = |granted: &str, wanted: &str, expected: &str, kept: &str| {
            let (granted, wanted) = (permissions(granted), permissions(wanted));
            assert_eq!(missing(&granted, &wanted, meaning.to(&hosts)), permissions(expected), "{wanted:?}");
            assert_eq!(carried(&granted, &wanted, meaning.to(&hosts)), permissions(kept), "{wanted:?}");
        };
        let a = r#"{"fs.read":["/a"]}"#;
        check(a, r#"{"fs.read":["/a/b","/a/c"]}"#, "{}", a);
        check(r#"{"fs.read":["/a","/b"]}"#, r#"{"fs.read":["/b"]}"#, "{}", r#"{"fs.read":["/b"]}"#);
        check(a, r#"{"fs.read":["/a/b","/c"]}"#, r#"{"fs.read":["/c"]}"#, r#"{"fs.read":["/a","/c"]}"#);
        check(r#"{"fs.read":true}"#, a, "{}", a);
        let (bin, rm) = (r#"{"process.run":["/bin"]}"#, r#"{"process.run":["/bin/rm"]}"#);
        check(bin, rm, rm, rm);
    }

    #[test]
    fn a_grant_is_for_one_name_and_one_content() {
        let (name, other) = (Name::parse("acme-a").unwrap(), Name::parse("acme-b").unwrap());
        let (tree, another) = (Subject::Tree(Digest::of(b"1")), Subject::Tree(Digest::of(b"2")));
        let asked = permissions(r#"{"process.run":["git"]}"#);
        let grant = Grant {
            version: Version::new(1, 0, 0),
            permissions: asked.clone(),
            at: "2030-01-10T12:00:00Z".parse().unwrap(),
            how: How::Asked,
        };
        let mut grants = Grants::default();
        grants.insert(name.clone(), tree.clone(), grant);
        let (meaning, hosts) = (Meaning::default(), BTreeMap::new());
        let covers = |name, subject, asked| grants.covers(name, subject, asked, meaning.to(&hosts));
        assert_eq!(covers(&name, &tree, &asked), Coverage::Granted);
        assert_eq!(covers(&name, &another, &asked), Coverage::Missing(asked.clone()));
        assert_eq!(covers(&other, &tree, &asked), Coverage::Missing(asked.clone()));
        assert_eq!(covers(&other, &another, &Permissions::new()), Coverage::Granted);
        assert_eq!(grants.revoke(&other).len(), 0);
        assert_eq!(grants.revoke(&name).len(), 1);
        let covers = grants.covers(&name, &tree, &asked, meaning.to(&hosts));
        assert_eq!(covers, Coverage::Missing(asked));
    }
}
