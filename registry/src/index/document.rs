//! `p/<sha256>`, format 1: the package document, JSON with one record for each release, lowest version first.
//! A field that this format does not have, a version out of order, and a count past its bound are refused.

use super::format::{FormatError, check_format};
use super::object::Kind;
use super::package::{Artifact, MAX_RELEASES, Package, Release, Runtime, Yank};
use crate::archive::{MAX_FILES, MAX_PACKED, MAX_UNPACKED};
use jiff::Timestamp;
use pintle_manifest::kept::read_json;
use pintle_manifest::{Digest, HostName, Name, Permissions, Requirement, Target, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const FORMAT: u64 = 1;
/// The most bytes of any text of a record.
const MOST_TEXT: usize = 2_000;
/// The most things in any list or table of a record.
const MOST_THINGS: usize = 1_000;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PackageRecord {
    format: u64,
    name: Name,
    releases: Vec<ReleaseRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReleaseRecord {
    version: Version,
    published: String,
    yanked: Option<YankRecord>,
    description: String,
    license: Option<String>,
    keywords: Vec<String>,
    repository: Option<String>,
    homepage: Option<String>,
    hosts: BTreeMap<HostName, Requirement>,
    dependencies: BTreeMap<Name, Requirement>,
    permissions: Permissions,
    runtime: RuntimeRecord,
    artifacts: BTreeMap<Target, ArtifactRecord>,
    readme: Option<Digest>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct YankRecord {
    reason: String,
    use_instead: Option<Requirement>,
    at: String,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum RuntimeRecord {
    Process,
    Native,
    Wasm,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArtifactRecord {
    archive: Digest,
    size: u64,
    tree: Digest,
    unpacked: u64,
    files: u32,
}

#[derive(Deserialize)]
struct FormatOnly {
    format: u64,
}

/// Reads a package document.
pub(super) fn parse(bytes: &[u8]) -> Result<Package, FormatError> {
    let record: PackageRecord = match read_json(bytes) {
        Ok(record) => record,
        Err(error) => {
            // A newer document has fields that this one may not have; say that it is newer, if it is.
            let only: FormatOnly = read_json(bytes).map_err(FormatError::Malformed)?;
            check_format(only.format, FORMAT)?;
            return Err(FormatError::Malformed(error));
        }
    };
    check_format(record.format, FORMAT)?;
    if record.releases.len() > MAX_RELEASES {
        return Err(FormatError::Malformed(format!("it has more than {MAX_RELEASES} releases")));
    }
    let releases = record.releases.into_iter().map(read_release).collect::<Result<Vec<_>, _>>()?;
    if let Some(pair) = releases.windows(2).find(|pair| pair[0].version >= pair[1].version) {
        return Err(FormatError::Malformed(format!("version `{}` is out of order", pair[1].version)));
    }
    Ok(Package { name: record.name, releases })
}

/// Writes a package document, or says which bound it would break.
pub(super) fn write(package: &Package) -> Result<Vec<u8>, FormatError> {
    if package.releases.len() > MAX_RELEASES {
        return Err(FormatError::Malformed(format!("it would have more than {MAX_RELEASES} releases")));
    }
    for release in &package.releases {
        check_bounds(release)?;
    }
    let releases = package.releases.iter().map(record_of).collect();
    let record = PackageRecord { format: FORMAT, name: package.name.clone(), releases };
    let bytes = serde_json::to_vec(&record).expect("a package document is plain values");
    match bytes.len() as u64 > Kind::Package.most() {
        true => Err(FormatError::malformed("it would have more than 4 MiB")),
        false => Ok(bytes),
    }
}

/// Reads one record, as it stands in a package document.
pub(super) fn parse_release(bytes: &[u8]) -> Result<Release, FormatError> {
    read_release(read_json(bytes).map_err(FormatError::Malformed)?)
}

/// Writes one record, as it stands in a package document.
pub(super) fn write_release(release: &Release) -> Vec<u8> {
    serde_json::to_vec(&record_of(release)).expect("a release is plain values")
}

fn read_release(record: ReleaseRecord) -> Result<Release, FormatError> {
    let time = |text: &str| text.parse::<Timestamp>().map_err(FormatError::malformed);
    let read_yank = |yank: YankRecord| {
        Ok(Yank { at: time(&yank.at)?, reason: yank.reason, use_instead: yank.use_instead })
    };
    let artifacts = record.artifacts.into_iter().map(|(target, record)| {
        let ArtifactRecord { archive, size, tree, unpacked, files } = record;
        (target, Artifact { archive, size, tree, unpacked, files })
    });
    let release = Release {
        published: time(&record.published)?,
        yanked: record.yanked.map(read_yank).transpose()?,
        version: record.version,
        description: record.description,
        license: record.license,
        keywords: record.keywords,
        repository: record.repository,
        homepage: record.homepage,
        hosts: record.hosts,
        dependencies: record.dependencies,
        permissions: record.permissions,
        runtime: match record.runtime {
            RuntimeRecord::Process => Runtime::Process,
            RuntimeRecord::Native => Runtime::Native,
            RuntimeRecord::Wasm => Runtime::Wasm,
        },
        artifacts: artifacts.collect(),
        readme: record.readme,
    };
    check_bounds(&release)?;
    Ok(release)
}

fn record_of(release: &Release) -> ReleaseRecord {
    let yank_of = |yank: &Yank| YankRecord {
        reason: yank.reason.clone(),
        use_instead: yank.use_instead.clone(),
        at: yank.at.to_string(),
    };
    let artifacts = release.artifacts.iter().map(|(target, artifact)| {
        let Artifact { archive, size, tree, unpacked, files } = *artifact;
        (*target, ArtifactRecord { archive, size, tree, unpacked, files })
    });
    ReleaseRecord {
        version: release.version.clone(),
        published: release.published.to_string(),
        yanked: release.yanked.as_ref().map(yank_of),
        description: release.description.clone(),
        license: release.license.clone(),
        keywords: release.keywords.clone(),
        repository: release.repository.clone(),
        homepage: release.homepage.clone(),
        hosts: release.hosts.clone(),
        dependencies: release.dependencies.clone(),
        permissions: release.permissions.clone(),
        runtime: match release.runtime {
            Runtime::Process => RuntimeRecord::Process,
            Runtime::Native => RuntimeRecord::Native,
            Runtime::Wasm => RuntimeRecord::Wasm,
        },
        artifacts: artifacts.collect(),
        readme: release.readme,
    }
}

fn is_beyond(artifact: &Artifact) -> bool {
    artifact.size > MAX_PACKED || artifact.unpacked > MAX_UNPACKED || u64::from(artifact.files) > MAX_FILES
}

/// Refuses a record that no manifest could have led to.
fn check_bounds(release: &Release) -> Result<(), FormatError> {
    let optional = [&release.license, &release.repository, &release.homepage];
    let reason = release.yanked.as_ref().map(|yank| &yank.reason);
    let texts = optional.into_iter().flatten().chain(&release.keywords).chain(reason);
    let long = texts.chain([&release.description]).any(|text| text.len() > MOST_TEXT);
    let counts = [
        release.keywords.len(),
        release.hosts.len(),
        release.dependencies.len(),
        release.permissions.len(),
        release.artifacts.len(),
    ];
    let error = |what: String| FormatError::Malformed(format!("release `{}` has {what}", release.version));
    match () {
        () if long => Err(error(format!("a text of more than {MOST_TEXT} bytes"))),
        () if counts.iter().any(|count| *count > MOST_THINGS) => {
            Err(error(format!("a list of more than {MOST_THINGS} things")))
        }
        () if release.artifacts.is_empty() => Err(error("no artifact".to_owned())),
        () if release.artifacts.values().any(is_beyond) => {
            Err(error("an artifact that is larger than any may be".to_owned()))
        }
        () => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, parse_release, write, write_release};
    use crate::index::package::{Artifact, Package, Release, Runtime, Yank};
    use jiff::Timestamp;
    use pintle_manifest::{Digest, Name, PermissionValue, Requirement, Target, Version};
    use proptest::prelude::{Strategy, any, prop_assert_eq, proptest};

    const FIXTURE: &[u8] = include_bytes!("../../tests/fixtures/package-1.json");

    #[test]
    fn the_first_format_is_still_read() {
        let package = parse(FIXTURE).unwrap();
        let versions: Vec<_> = package.releases.iter().map(|release| release.version.to_string()).collect();
        assert_eq!(versions, ["0.9.0-rc.1", "1.0.0"]);
        assert_eq!(package.releases[0].yanked.as_ref().unwrap().reason, "loses the cursor");
        assert_eq!(package.releases[1].artifacts.len(), 2);
        assert_eq!(write(&package).unwrap(), FIXTURE);
    }

    #[test]
    fn what_is_no_package_document_is_refused() {
        let text = std::str::from_utf8(FIXTURE).unwrap();
        let check = |from: &str, to: &str, expected: &str| {
            assert!(text.contains(from), "{from}");
            let error = parse(text.replace(from, to).as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{from} -> {to}: {error}");
        };
        check("\"format\":1", "\"format\":2", "it has format 2; this Pintle knows 1");
        check("\"format\":1", "\"format\":2,\"more\":[]", "it has format 2");
        check("\"format\":1", "\"format\":1,\"more\":[]", "`more` is no key");
        check("0.9.0-rc.1", "1.0.0+x", "out of order");
        check("0.9.0-rc.1", "1.1.0", "out of order");
        check("\"wasm\"", "\"java\"", "`java` is none of");
        check("2026-05-01T00:00:00Z", "yesterday", "");
        check("loses the cursor", &"x".repeat(2_001), "a text of more than");
        for end in 0..FIXTURE.len() {
            assert!(parse(&FIXTURE[..end]).is_err(), "cut at {end}");
        }
    }

    fn releases() -> impl Strategy<Value = Release> {
        let yank = ("\\PC{0,20}", 0_i64..4_000_000_000).prop_map(|(reason, second)| Yank {
            reason,
            use_instead: Some(Requirement::any()),
            at: Timestamp::from_second(second).unwrap(),
        });
        let numbers = (0_u64..3, 0_u64..3, 0..=super::MAX_PACKED);
        (numbers, proptest::option::of(yank), "\\PC{0,40}", any::<[u8; 32]>(), "[a-z]{4,8}").prop_map(
            |((major, minor, patch), yanked, text, seed, word)| Release {
                version: Version::new(major, minor, patch),
                published: Timestamp::from_second(i64::from(seed[0]) * 1_000_000).unwrap(),
                yanked,
                description: text.clone(),
                license: None,
                keywords: vec![word.clone()],
                repository: Some(text),
                homepage: None,
                hosts: [(word.parse().unwrap(), Requirement::caret(&Version::new(1, 0, 0)))].into(),
                dependencies: [(Name::parse(&format!("dep-{word}")).unwrap(), Requirement::any())].into(),
                permissions: [(word, PermissionValue::All)].into(),
                runtime: [Runtime::Process, Runtime::Native, Runtime::Wasm][usize::from(seed[1] % 3)],
                artifacts: [(
                    Target::ANY,
                    Artifact {
                        archive: Digest::from_bytes(seed),
                        size: patch,
                        tree: Digest::of(&seed),
                        unpacked: 0,
                        files: 9,
                    },
                )]
                .into(),
                readme: Some(Digest::from_bytes(seed)),
            },
        )
    }

    proptest! {
        #[test]
        fn documents_read_back(mut releases in proptest::collection::vec(releases(), 0..6)) {
            releases.sort_by(|left, right| left.version.cmp(&right.version));
            releases.dedup_by(|left, right| left.version == right.version);
            for release in &releases {
                prop_assert_eq!(&parse_release(&write_release(release)).unwrap(), release);
            }
            let package = Package { name: Name::parse("acme-a").unwrap(), releases };
            prop_assert_eq!(parse(&write(&package).unwrap()).unwrap(), package);
        }
    }
}
