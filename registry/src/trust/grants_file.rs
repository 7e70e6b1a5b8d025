//! `trust/grants.json`: how the grants of a home are kept. A missing file means that nothing was allowed yet; one
//! that can't be read is an error, and is neither taken for empty nor written over.

use super::{Grant, Grants, How, Subject};
use crate::store::{Home, Lease, StateError, WrittenPath, state_file};
use jiff::Timestamp;
use pintle_manifest::{Digest, Name, Permissions, Version};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The format that this Pintle writes.
const FORMAT: u64 = 1;
/// The largest that is read.
const MAX: u64 = 16 * 1024 * 1024;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantsFile {
    version: u64,
    grants: Vec<GrantEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantEntry {
    name: Name,
    version: Version,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tree: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<WrittenPath>,
    permissions: Permissions,
    at: Timestamp,
    how: HowWord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<Digest>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum HowWord {
    Asked,
    Flag,
    Carried,
}

impl Grants {
    /// Reads what was allowed in a home.
    pub fn read(home: &Home) -> Result<Self, StateError> {
        let path = home.grants();
        let file: Option<GrantsFile> = state_file::read(&path, MAX, FORMAT)?;
        let Some(file) = file else { return Ok(Self::default()) };
        let unreadable = |reason: String| StateError::Unreadable { path: path.clone(), reason };
        let mut grants = Self::default();
        for entry in file.grants {
            let name = entry.name.clone();
            let (subject, grant) =
                entry.into_grant().map_err(|what| unreadable(format!("`{name}` {what}")))?;
            if grants.all.insert((name.clone(), subject), grant).is_some() {
                return Err(unreadable(format!("`{name}` has two grants for one content")));
            }
        }
        Ok(grants)
    }

    /// Writes it. The lease is the one of [`Lease::take_for_trust`].
    pub fn write(&self, home: &Home, _lease: &Lease) -> Result<(), StateError> {
        let grants = self.iter().map(|(name, subject, grant)| GrantEntry::of(name, subject, grant)).collect();
        state_file::write(&home.grants(), &GrantsFile { version: FORMAT, grants })
    }
}

impl GrantEntry {
    fn of(name: &Name, subject: &Subject, grant: &Grant) -> Self {
        let (tree, folder) = match subject {
            Subject::Tree(tree) => (Some(*tree), None),
            Subject::Folder(path) => (None, Some(WrittenPath(path.clone()))),
        };
        let (how, from) = match grant.how {
            How::Asked => (HowWord::Asked, None),
            How::Flag => (HowWord::Flag, None),
            How::Carried { from } => (HowWord::Carried, Some(from)),
        };
        let (version, permissions) = (grant.version.clone(), grant.permissions.clone());
        Self { name: name.clone(), version, tree, folder, permissions, at: grant.at, how, from }
    }

    fn into_grant(self) -> Result<(Subject, Grant), &'static str> {
        let subject = match (self.tree, self.folder) {
            (Some(tree), None) => Subject::Tree(tree),
            (None, Some(WrittenPath(path))) if path != PathBuf::new() => Subject::Folder(path),
            (_, _) => return Err("has not exactly one of `tree` and `folder`"),
        };
        let how = match (self.how, self.from) {
            (HowWord::Asked, None) => How::Asked,
            (HowWord::Flag, None) => How::Flag,
            (HowWord::Carried, Some(from)) => How::Carried { from },
            (HowWord::Asked | HowWord::Flag, Some(_)) => return Err("was not carried and has a `from`"),
            (HowWord::Carried, None) => return Err("was carried and has no `from`"),
        };
        Ok((subject, Grant { version: self.version, permissions: self.permissions, at: self.at, how }))
    }
}

#[cfg(test)]
mod tests {
    use crate::store::{Holder, Home, Lease, Patience, StateError, fs};
    use crate::trust::{Grant, Grants, How, Subject};
    use pintle_manifest::{Digest, Name, Version};
    use std::time::Duration;

    /// The file as it was released with version 1.
    const FIXTURE: &str = include_str!("../../tests/fixtures/grants-1.json");

    fn home_with(text: &str) -> (tempfile::TempDir, Home) {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::new(dir.path().to_owned());
        fs::create_dirs(fs::parent(&home.grants())).unwrap();
        fs::write_atomic(&home.grants(), text.as_bytes()).unwrap();
        (dir, home)
    }

    #[test]
    fn a_file_of_version_1_is_read_and_written_as_it_was() {
        let (_dir, home) = home_with(FIXTURE);
        let grants = Grants::read(&home).unwrap();
        assert_eq!(grants.iter().count(), 3);
        let asker = Holder { pid: 1, command: String::new(), since: String::new() };
        let patience =
            Patience { asker: &asker, at_most: Duration::ZERO, waiting: &|_| {}, cancelled: &|| false };
        let lease = Lease::take_for_trust(&home, &patience).unwrap();
        grants.write(&home, &lease).unwrap();
        assert_eq!(std::fs::read_to_string(home.grants()).unwrap(), FIXTURE);
        assert_eq!(Grants::read(&home).unwrap(), grants);
    }

    #[test]
    fn a_home_without_the_file_has_no_grants() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Grants::read(&Home::new(dir.path().to_owned())).unwrap(), Grants::default());
    }

    #[test]
    fn what_can_not_be_read_is_an_error_and_never_no_grants_or_all() {
        let entry = |rest: &str| {
            format!(
                r#"{{"version":1,"grants":[{{"name":"acme-a","version":"1.0.0","permissions":{{}},"at":"2030-01-10T12:00:00Z",{rest}}}]}}"#
            )
        };
        let tree = Digest::of(b"x");
        let check = |text: &str, expected: &str| {
            let (_dir, home) = home_with(text);
            let error = Grants::read(&home).unwrap_err();
            assert!(error.to_string().contains(expected), "{text}: {error}");
        };
        check("", "it is empty");
        check("{}", "`version` is missing");
        check(r#"{"version":0,"grants":[]}"#, "there is no format 0");
        check(r#"{"version":2,"grants":{}}"#, "format 2");
        check(r#"{"version":1,"grants":[],"more":1}"#, "`more` is no key");
        check(&entry(r#""how":"asked""#), "exactly one of");
        check(&entry(&format!(r#""how":"asked","tree":"{tree}","folder":"/a""#)), "exactly one of");
        check(&entry(&format!(r#""how":"carried","tree":"{tree}""#)), "has no `from`");
        check(&entry(&format!(r#""how":"flag","tree":"{tree}","from":"{tree}""#)), "has a `from`");
        check(&entry(&format!(r#""how":"guessed","tree":"{tree}""#)), "`guessed` is none of");
        let one = format!(
            r#"{{"name":"acme-a","version":"1.0.0","permissions":{{}},"at":"2030-01-10T12:00:00Z","how":"asked","tree":"{tree}"}}"#
        );
        check(&format!(r#"{{"version":1,"grants":[{one},{one}]}}"#), "two grants");
        let (_dir, home) = home_with(r#"{"version":2}"#);
        assert!(matches!(Grants::read(&home), Err(StateError::Newer { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_no_unicode_comes_back() {
        use std::os::unix::ffi::OsStringExt as _;
        let (_dir, home) = home_with(FIXTURE);
        let mut grants = Grants::default();
        let folder = std::ffi::OsString::from_vec(b"/a\xff".to_vec());
        let grant = Grant {
            version: Version::new(1, 0, 0),
            permissions: Default::default(),
            at: "2030-01-10T12:00:00Z".parse().unwrap(),
            how: How::Flag,
        };
        grants.insert(Name::parse("acme-a").unwrap(), Subject::Folder(folder.into()), grant);
        let asker = Holder { pid: 1, command: String::new(), since: String::new() };
        let patience =
            Patience { asker: &asker, at_most: Duration::ZERO, waiting: &|_| {}, cancelled: &|| false };
        grants.write(&home, &Lease::take_for_trust(&home, &patience).unwrap()).unwrap();
        assert_eq!(Grants::read(&home).unwrap(), grants);
    }
}
