//! How the items of a permission are compared, which only the contract of a host says. Where it is not known of every host
//! that an extension is for, they are compared as texts, and a person is asked rather than not.

use pintle_manifest::{Contract, HostName, Matching, Requirement};
use std::collections::BTreeMap;

/// What the contracts at hand say of permissions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meaning {
    hosts: BTreeMap<HostName, BTreeMap<String, Matching>>,
}

/// What they say to one extension.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    meaning: &'a Meaning,
    hosts: &'a BTreeMap<HostName, Requirement>,
}

impl Meaning {
    /// Learns from contracts.
    pub fn of<'a>(contracts: impl IntoIterator<Item = &'a Contract>) -> Self {
        let one = |contract: &Contract| {
            let kinds = contract.permissions.iter().map(|(name, kind)| (name.clone(), kind.matching));
            (contract.name.clone(), kinds.collect())
        };
        Self { hosts: contracts.into_iter().map(one).collect() }
    }

    /// Returns what is said to an extension that is for these hosts.
    pub const fn to<'a>(&'a self, hosts: &'a BTreeMap<HostName, Requirement>) -> Reading<'a> {
        Reading { meaning: self, hosts }
    }
}

impl Reading<'_> {
    /// Returns how the items of a permission are compared.
    pub fn matching(&self, permission: &str) -> Matching {
        let is_path = |host| {
            let kinds = self.meaning.hosts.get(host);
            kinds.and_then(|kinds| kinds.get(permission)) == Some(&Matching::Path)
        };
        match !self.hosts.is_empty() && self.hosts.keys().all(is_path) {
            true => Matching::Path,
            false => Matching::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Meaning;
    use pintle_manifest::{HostName, Matching, Requirement};
    use std::collections::BTreeMap;

    #[test]
    fn a_permission_is_of_paths_only_if_every_host_says_so() {
        let host = |name: &str| HostName::parse(name).unwrap();
        let kinds = |matching| BTreeMap::from([("fs.read".to_owned(), matching)]);
        let meaning = Meaning {
            hosts: BTreeMap::from([
                (host("agent"), kinds(Matching::Path)),
                (host("editor"), kinds(Matching::Text)),
                (host("shell"), BTreeMap::new()),
            ]),
        };
        let check = |hosts: &[&str], permission: &str, expected: Matching| {
            let hosts = hosts.iter().map(|name| (host(name), Requirement::parse("*").unwrap())).collect();
            assert_eq!(meaning.to(&hosts).matching(permission), expected, "{hosts:?} {permission}");
        };
        check(&["agent"], "fs.read", Matching::Path);
        check(&["agent"], "process.run", Matching::Text);
        check(&["agent", "editor"], "fs.read", Matching::Text);
        check(&["agent", "shell"], "fs.read", Matching::Text);
        check(&["agent", "unknown"], "fs.read", Matching::Text);
        check(&[], "fs.read", Matching::Text);
    }
}
