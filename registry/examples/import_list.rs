//! Makes a registry from lines, to measure with: `NAME VERSION,… REQUIREMENT [DEPENDENCY,…]`, on standard input. There are no
//! archives behind it, so it can be searched and resolved from, and nothing of it can be installed.
//!
//! Usage: `import_list DIR`, where DIR is not yet there.

use pintle_manifest::{Digest, Name, Requirement, Target, Version};
use pintle_registry::index::{Artifact, Package, Release, Runtime, import, init};
use std::error::Error;
use std::io::BufRead as _;
use std::path::PathBuf;

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let dir: PathBuf = std::env::args_os().nth(1).ok_or("usage: import_list DIR")?.into();
    init(&dir)?;
    let mut broken = None;
    let lines = std::io::stdin().lock().lines();
    let packages = lines.map_while(|line| {
        let package = line.map_err(Failure::from).and_then(|line| package(&line));
        package.map_err(|error| broken = Some(error)).ok()
    });
    import(&dir, packages)?;
    broken.map_or(Ok(()), Err)
}

fn package(line: &str) -> Result<Package, Failure> {
    let mut words = line.split(' ');
    let mut word = || words.next().ok_or_else(|| format!("`{line}` has too few words"));
    let (name, versions, requirement) = (Name::parse(word()?)?, word()?, Requirement::parse(word()?)?);
    let needs = words.next().unwrap_or_default().split(',').filter(|need| !need.is_empty());
    let needs: Vec<Name> = needs.map(Name::parse).collect::<Result<_, _>>()?;
    let release = |version: &str| -> Result<Release, Failure> {
        let digest = Digest::of(format!("{name} {version}").as_bytes());
        let artifact = Artifact { archive: digest, size: 1, tree: digest, unpacked: 1, files: 1 };
        Ok(Release {
            version: Version::parse(version)?,
            published: jiff::Timestamp::UNIX_EPOCH,
            yanked: None,
            description: "A package to measure with".to_owned(),
            license: Some("Apache-2.0".to_owned()),
            keywords: Vec::new(),
            repository: None,
            homepage: None,
            hosts: [("agent".parse()?, Requirement::parse(">=1, <2")?)].into(),
            dependencies: needs.iter().map(|need| (need.clone(), requirement.clone())).collect(),
            permissions: [].into(),
            runtime: Runtime::Process,
            artifacts: [(Target::ANY, artifact)].into(),
            readme: None,
        })
    };
    Ok(Package { releases: versions.split(',').map(release).collect::<Result<_, _>>()?, name })
}
