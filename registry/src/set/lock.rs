//! `pintle.lock`: what was chosen, exactly, for every target at once. Written in one canonical form, so that the
//! same choice is the same text, and only what changed differs. Keys that this Pintle does not know are kept; a
//! lock with a newer version is refused and left as it is.

use crate::archive::{MAX_FILES, MAX_PACKED, MAX_UNPACKED};
use crate::index::RegistryName;
use pintle_manifest::kept::misfit_of;
use pintle_manifest::{Digest, HostName, Name, PermissionValue, Permissions, Requirement, Target, Version};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The version that this Pintle writes.
const VERSION: i64 = 1;

/// What was chosen for a set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lock {
    /// Each extension, by name.
    pub extensions: BTreeMap<Name, Locked>,
    extra: toml::Table,
}

/// What was chosen for one extension.
#[derive(Debug, Clone, PartialEq)]
pub struct Locked {
    /// The version.
    pub version: Version,
    /// Where it comes from.
    pub source: LockedSource,
    /// How its code is run.
    pub runtime: String,
    /// The contracts it serves.
    pub hosts: BTreeMap<HostName, Requirement>,
    /// What it depends on.
    pub dependencies: BTreeMap<Name, Requirement>,
    /// What it asks to be allowed.
    pub permissions: Permissions,
    /// The artifact for each target; none for a folder.
    pub artifacts: BTreeMap<Target, LockedArtifact>,
    /// Keys of a later Pintle, kept as they are.
    pub extra: toml::Table,
}

/// Where a locked extension comes from; paths are as in the wishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockedSource {
    /// A registry.
    Registry(RegistryName),
    /// A folder.
    Folder(String),
    /// A package archive.
    Archive(String),
}

/// One archive of a locked extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedArtifact {
    /// The digest of the archive.
    pub archive: Digest,
    /// Its size in bytes.
    pub size: u64,
    /// The tree hash of what is in it.
    pub tree: Digest,
    /// The size in bytes of what is in it.
    pub unpacked: u64,
    /// The number of files in it.
    pub files: u64,
    /// Keys of a later Pintle, as they are written.
    pub extra: String,
}

/// Says why a text is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// A newer Pintle wrote it.
    #[error("the lock has version {version}, and this Pintle reads up to {VERSION}")]
    Newer {
        /// The version it names.
        version: i64,
    },
    /// It can't be read as a lock.
    #[error("line {line}: {reason}")]
    Unreadable {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// It has conflict marks of a merge.
    #[error("line {line} has the mark of a merge conflict")]
    MergeConflict {
        /// The line, from 1.
        line: usize,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LockFile {
    version: i64,
    #[serde(default)]
    extension: Vec<LockedFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LockedFile {
    name: Name,
    version: Version,
    registry: Option<RegistryName>,
    path: Option<String>,
    archive: Option<String>,
    runtime: String,
    #[serde(default)]
    hosts: BTreeMap<HostName, Requirement>,
    #[serde(default)]
    dependencies: BTreeMap<Name, Requirement>,
    #[serde(default)]
    permissions: Permissions,
    #[serde(default)]
    artifact: Vec<ArtifactFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArtifactFile {
    target: Target,
    archive: Digest,
    size: u64,
    tree: Digest,
    unpacked: u64,
    files: u64,
}

/// The keys that this Pintle knows in an entry; every other is kept in `extra`.
const ENTRY_KEYS: &[&str] = &[
    "name",
    "version",
    "registry",
    "path",
    "archive",
    "runtime",
    "hosts",
    "dependencies",
    "permissions",
    "artifact",
];

const ARTIFACT_KEYS: &[&str] = &["target", "archive", "size", "tree", "unpacked", "files"];

impl Lock {
    /// Reads the text of a lock.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if let Some(at) =
            text.lines().position(|line| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> "))
        {
            return Err(LockError::MergeConflict { line: at + 1 });
        }
        // Most locks hold nothing that this Pintle does not know, and are read in one go.
        if let Ok(LockFile { version: VERSION, extension }) = toml::from_str(text) {
            let count = extension.len();
            let entries = extension
                .into_iter()
                .map(|entry| Locked::from_file(entry, toml::Table::new(), &BTreeMap::new()));
            let extensions: BTreeMap<Name, Locked> = entries.filter_map(Result::ok).collect();
            // Fewer than were listed: one is wrong, or listed twice, and the slow way says which.
            if extensions.len() == count {
                return Ok(Self { extensions, extra: toml::Table::new() });
            }
        }
        Self::parse_slowly(text)
    }

    /// Reads a lock that holds something unknown or wrong, and says which.
    fn parse_slowly(text: &str) -> Result<Self, LockError> {
        let unreadable = |error: &toml::de::Error| LockError::Unreadable {
            line: text[..error.span().map_or(0, |span| span.start.min(text.len()))].matches('\n').count() + 1,
            reason: error.message().to_owned(),
        };
        let mut extra: toml::Table = toml::from_str(text).map_err(|error| unreadable(&error))?;
        let wrong = |reason: String| LockError::Unreadable { line: 1, reason };
        // The version is looked at first: what follows is only defined for the version that it names.
        match extra.remove("version").as_ref().map(|version| (version, version.as_integer())) {
            Some((_, Some(version))) if version > VERSION => return Err(LockError::Newer { version }),
            Some((_, Some(VERSION))) => {}
            Some((version, _)) => return Err(wrong(format!("version {version} was never written"))),
            None => return Err(wrong("it has no `version`".to_owned())),
        }
        let entries = match extra.remove("extension") {
            None => Vec::new(),
            Some(toml::Value::Array(entries)) => entries,
            Some(_) => return Err(wrong("`extension` is no list of tables".to_owned())),
        };
        let mut extensions = BTreeMap::new();
        for (at, entry) in entries.into_iter().enumerate() {
            let wrong = |reason: String| LockError::Unreadable { line: line_of_entry(text, at), reason };
            let (name, locked) = Locked::from_value(entry).map_err(wrong)?;
            if extensions.insert(name.clone(), locked).is_some() {
                return Err(wrong(format!("`{name}` is listed twice")));
            }
        }
        Ok(Self { extensions, extra })
    }

    /// Takes over the keys of another lock that this Pintle does not know.
    pub fn keep_unknown(&mut self, other: &Self) {
        self.extra = other.extra.clone();
    }

    /// Returns the text to write.
    pub fn to_text(&self) -> String {
        let mut text = String::from(
            "# Written by Pintle: what was chosen for pintle.toml. Keep it with your code; change pintle.toml instead.\n",
        );
        let _ = writeln!(text, "version = {VERSION}");
        text.push_str(&inline(&self.extra));
        for (name, locked) in &self.extensions {
            locked.write(name, &mut text);
        }
        text
    }
}

fn line_of_entry(text: &str, at: usize) -> usize {
    text.lines()
        .enumerate()
        .filter(|(_, line)| line.trim() == "[[extension]]")
        .nth(at)
        .map_or(1, |(line, _)| line + 1)
}

/// Takes the keys out of each artifact that this Pintle does not know.
fn take_unknown(entry: &mut toml::Table) -> BTreeMap<Target, String> {
    let mut unknown = BTreeMap::new();
    for artifact in entry.get_mut("artifact").and_then(toml::Value::as_array_mut).into_iter().flatten() {
        let Some(table) = artifact.as_table_mut() else { continue };
        let Some(target) =
            table.get("target").and_then(toml::Value::as_str).and_then(|text| text.parse().ok())
        else {
            continue;
        };
        let mut extra = table.clone();
        extra.retain(|key, _| !ARTIFACT_KEYS.contains(&key));
        table.retain(|key, _| ARTIFACT_KEYS.contains(&key));
        unknown.insert(target, inline(&extra));
    }
    unknown
}

impl Locked {
    fn from_value(entry: toml::Value) -> Result<(Name, Self), String> {
        let toml::Value::Table(mut table) = entry else { return Err("an entry is a table".to_owned()) };
        let unknown: Vec<String> =
            table.keys().filter(|key| !ENTRY_KEYS.contains(&key.as_str())).cloned().collect();
        let extra = unknown.into_iter().filter_map(|key| table.remove_entry(&key)).collect();
        let unknown = take_unknown(&mut table);
        let file = LockedFile::deserialize(table.clone()).map_err(|error| {
            let value = serde_json::to_value(&table).unwrap_or_default();
            misfit_of::<LockedFile>(&value).unwrap_or_else(|| error.message().to_owned())
        })?;
        Self::from_file(file, extra, &unknown)
    }

    fn from_file(
        file: LockedFile,
        extra: toml::Table,
        unknown: &BTreeMap<Target, String>,
    ) -> Result<(Name, Self), String> {
        let source = match (file.registry, file.path, file.archive) {
            (Some(registry), None, None) => LockedSource::Registry(registry),
            (None, Some(path), None) => LockedSource::Folder(path),
            (None, None, Some(path)) => LockedSource::Archive(path),
            (_, _, _) => {
                return Err(format!("`{}` needs one of `registry`, `path` and `archive`", file.name));
            }
        };
        let beyond = |one: &ArtifactFile| {
            one.size > MAX_PACKED || one.unpacked > MAX_UNPACKED || one.files > MAX_FILES
        };
        if file.artifact.iter().any(beyond) {
            return Err(format!("`{}` has an artifact that is larger than any may be", file.name));
        }
        if file.artifact.is_empty() && !matches!(source, LockedSource::Folder(_)) {
            return Err(format!("`{}` has no artifact", file.name));
        }
        let artifacts = file.artifact.into_iter().map(|one| {
            let ArtifactFile { target, archive, size, tree, unpacked, files } = one;
            let extra = unknown.get(&target).cloned().unwrap_or_default();
            (target, LockedArtifact { archive, size, tree, unpacked, files, extra })
        });
        let locked = Self {
            version: file.version,
            source,
            runtime: file.runtime,
            hosts: file.hosts,
            dependencies: file.dependencies,
            permissions: file.permissions,
            artifacts: artifacts.collect(),
            extra,
        };
        Ok((file.name, locked))
    }

    /// Returns the artifact that runs on a machine: its own before `any`.
    pub fn artifact_for(&self, target: Target) -> Option<(Target, &LockedArtifact)> {
        [target, Target::ANY].into_iter().find_map(|target| Some((target, self.artifacts.get(&target)?)))
    }

    fn write(&self, name: &Name, text: &mut String) {
        let _ = write!(text, "\n[[extension]]\nname = \"{name}\"\nversion = \"{}\"\n", self.version);
        let _ = match &self.source {
            LockedSource::Registry(registry) => writeln!(text, "registry = \"{registry}\""),
            LockedSource::Folder(path) => writeln!(text, "path = {}", quoted(path)),
            LockedSource::Archive(path) => writeln!(text, "archive = {}", quoted(path)),
        };
        let _ = writeln!(text, "runtime = {}", quoted(&self.runtime));
        text.push_str(&inline(&self.extra));
        let requirement = |requirement: &Requirement| quoted(&requirement.to_string());
        write_map(text, "hosts", self.hosts.iter().map(|(name, needs)| (name.as_str(), requirement(needs))));
        let needs = self.dependencies.iter().map(|(name, needs)| (name.as_str(), requirement(needs)));
        write_map(text, "dependencies", needs);
        let asks = self.permissions.iter().map(|(name, value)| (name.as_str(), permission(value)));
        write_map(text, "permissions", asks);
        for (target, artifact) in &self.artifacts {
            let LockedArtifact { archive, size, tree, unpacked, files, extra } = artifact;
            let _ = write!(
                text,
                "\n[[extension.artifact]]\ntarget = \"{target}\"\narchive = \"{archive}\"\nsize = {size}\n\
                 tree = \"{tree}\"\nunpacked = {unpacked}\nfiles = {files}\n{extra}"
            );
        }
    }
}

/// Writes keys that this Pintle does not know, each on one line, so that none opens a table that swallows what follows.
fn inline(extra: &toml::Table) -> String {
    extra.iter().map(|(key, value)| format!("{} = {value}\n", key_text(key))).collect()
}

/// Writes a map on one line, so that it stays before the tables of the entry.
fn write_map<'a>(text: &mut String, key: &str, map: impl Iterator<Item = (&'a str, String)>) {
    let pairs: Vec<String> = map.map(|(key, value)| format!("{} = {value}", key_text(key))).collect();
    if !pairs.is_empty() {
        let _ = writeln!(text, "{key} = {{ {} }}", pairs.join(", "));
    }
}

fn key_text(key: &str) -> String {
    let bare = !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if bare { key.to_owned() } else { quoted(key) }
}

fn permission(value: &PermissionValue) -> String {
    match value {
        PermissionValue::All => "true".to_owned(),
        PermissionValue::Only(items) => {
            let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
            format!("[{}]", items.join(", "))
        }
    }
}

/// Every text is on one line, whatever a registry puts into it: a key may have no other form, and a line of its own
/// could look like the mark of a merge.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            character if character.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(character));
            }
            character => quoted.push(character),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::{Lock, LockError};
    use pintle_manifest::PermissionValue;

    const TEXT: &str = r#"# Written by Pintle: what was chosen for pintle.toml. Keep it with your code; change pintle.toml instead.
version = 1

[[extension]]
name = "abc"
version = "1.0.0"
registry = "main"
runtime = "process"
hosts = { agent = ">=1.0, <2" }
dependencies = { def = "^1.2" }
permissions = { "process.run" = ["du", "git"], "ui.prompt" = true }

[[extension.artifact]]
target = "any"
archive = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
size = 10
tree = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
unpacked = 20
files = 2

[[extension]]
name = "def"
version = "1.2.0"
path = "../d-ef"
runtime = "native"
"#;

    #[test]
    fn a_lock_reads_back_to_the_same_text() {
        assert_eq!(Lock::parse(TEXT).unwrap().to_text(), TEXT);
        let windows = format!("\u{feff}{}", TEXT.replace('\n', "\r\n"));
        assert_eq!(Lock::parse(&windows).unwrap().to_text(), TEXT);
    }

    #[test]
    fn no_text_of_a_registry_breaks_a_lock() {
        let hostile = "a\n<<<<<<< x\n]]\u{7f}\u{9b}\r\t\"\\'é\u{202e}";
        let mut lock = Lock::parse(TEXT).unwrap();
        let entry = lock.extensions.values_mut().next().unwrap();
        entry.permissions = [
            (hostile.to_owned(), PermissionValue::Only(vec![hostile.to_owned()])),
            (String::new(), PermissionValue::All),
        ]
        .into();
        entry.runtime = hostile.to_owned();
        assert_eq!(Lock::parse(&lock.to_text()).unwrap(), lock);
    }

    #[test]
    fn keys_of_a_later_pintle_are_kept() {
        let text = TEXT
            .replace("version = 1\n", "version = 1\nlater = \"x\"\n")
            .replace("runtime = \"native\"\n", "runtime = \"native\"\nmood = \"good\"\n");
        assert_eq!(Lock::parse(&text).unwrap().to_text(), text);
    }

    #[test]
    fn what_is_no_lock_is_refused_with_its_line() {
        let check =
            |text: &str, expected: &str| assert_eq!(Lock::parse(text).unwrap_err().to_string(), expected);
        check("version = 999\n[[what]]\n", "the lock has version 999, and this Pintle reads up to 1");
        check("version = 0\n", "line 1: version 0 was never written");
        check("version = 1\nx = [", "line 2: unclosed array, expected `]`");
        check(
            &TEXT.replace("1.2.0", "1.2"),
            "line 21: `version`: `1.2` is not a version (three numbers like `1.4.0`): it has 2 numbers",
        );
        check("version = 1\n<<<<<<< ours\n", "line 2 has the mark of a merge conflict");
        assert!(matches!(Lock::parse("version = 2\n").unwrap_err(), LockError::Newer { version: 2 }));
        let twice = TEXT.replace("\"def\"\nversion", "\"abc\"\nversion");
        check(&twice, "line 21: `abc` is listed twice");
    }
}
