//! A universe and a question in a few words, and an answer as a few lines.
//!
//! Releases are separated by `;`: `app 1.0.0 -> lib ^1 -> aid >=1, <2 | host agent ^1.2 | yanked | for TARGET …`.

use pintle_manifest::{HostName, Name, Requirement, Target, Version};
use pintle_registry::resolve::{Answer, Candidate, Catalog, Note, Question, ResolveError, Why, resolve};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Default)]
pub(crate) struct Universe {
    pub(crate) packages: BTreeMap<Name, Arc<[Candidate]>>,
    /// Each name that was asked for, in order.
    pub(crate) asked: RefCell<Vec<Name>>,
    /// The name for which the catalog fails.
    pub(crate) broken: Option<Name>,
}

#[derive(Debug, thiserror::Error)]
#[error("the shelf for `{0}` is locked")]
pub(crate) struct Broken(Name);

impl Catalog for Universe {
    type Error = Broken;

    fn candidates(&self, name: &Name) -> Result<Option<Arc<[Candidate]>>, Broken> {
        self.asked.borrow_mut().push(name.clone());
        if self.broken.as_ref() == Some(name) {
            return Err(Broken(name.clone()));
        }
        Ok(self.packages.get(name).cloned())
    }

    fn similar(&self, name: &Name) -> Option<Name> {
        pintle_manifest::nearest(name.as_str(), self.packages.keys().map(Name::as_str)).map(self::name)
    }
}

pub(crate) fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

pub(crate) fn version(text: &str) -> Version {
    Version::parse(text).unwrap()
}

fn requirement(text: &str) -> Requirement {
    if text.is_empty() { Requirement::any() } else { Requirement::parse(text).unwrap() }
}

/// Splits `lib ^1` after its name; a name alone is followed by nothing.
fn word_and_rest(text: &str) -> (&str, &str) {
    let (word, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    (word, rest.trim())
}

fn entries(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(';').filter(|entry| !entry.trim().is_empty()).map(word_and_rest)
}

pub(crate) fn universe(text: &str) -> Universe {
    let mut packages: BTreeMap<Name, Vec<Candidate>> = BTreeMap::new();
    for (package, rest) in entries(text) {
        let mut parts = rest.split('|');
        let mut needs = parts.next().unwrap().split("->");
        let mut candidate = Candidate {
            version: version(needs.next().unwrap().trim()),
            yanked: false,
            hosts: Arc::default(),
            dependencies: Arc::new(
                needs.map(word_and_rest).map(|(on, req)| (name(on), requirement(req))).collect(),
            ),
            targets: vec![Target::ANY],
        };
        for (word, rest) in parts.map(word_and_rest) {
            match word {
                "yanked" => candidate.yanked = true,
                "host" => {
                    let (host, needs) = word_and_rest(rest);
                    let hosts = Arc::make_mut(&mut candidate.hosts);
                    hosts.insert(HostName::parse(host).unwrap(), requirement(needs));
                }
                "for" => candidate.targets = rest.split(' ').map(|one| Target::parse(one).unwrap()).collect(),
                other => panic!("the universe says `{other}`"),
            }
        }
        packages.entry(name(package)).or_default().push(candidate);
    }
    let packages = packages.into_iter().map(|(name, releases)| (name, Arc::from(releases))).collect();
    Universe { packages, ..Universe::default() }
}

/// Asks for `app ^1; lib`, with nothing locked, no host and the target `any`.
pub(crate) fn ask(wishes: &str) -> Question {
    Question {
        wishes: entries(wishes).map(|(package, req)| (name(package), requirement(req))).collect(),
        hosts: BTreeMap::new(),
        target: Target::ANY,
        locked: BTreeMap::new(),
        floors: BTreeMap::new(),
        prereleases: false,
    }
}

/// Says more about a question, in the same few words.
pub(crate) trait And: Sized {
    fn locked(self, text: &str) -> Self;
    fn floors(self, text: &str) -> Self;
    fn hosts(self, text: &str) -> Self;
    fn target(self, text: &str) -> Self;
    fn prereleases(self) -> Self;
}

fn versions(text: &str) -> BTreeMap<Name, Version> {
    entries(text).map(|(package, at)| (name(package), version(at))).collect()
}

impl And for Question {
    fn locked(self, text: &str) -> Self {
        Self { locked: versions(text), ..self }
    }
    fn floors(self, text: &str) -> Self {
        Self { floors: versions(text), ..self }
    }
    fn hosts(self, text: &str) -> Self {
        let hosts = entries(text).map(|(host, at)| (HostName::parse(host).unwrap(), version(at)));
        Self { hosts: hosts.collect(), ..self }
    }
    fn target(self, text: &str) -> Self {
        Self { target: Target::parse(text).unwrap(), ..self }
    }
    fn prereleases(self) -> Self {
        Self { prereleases: true, ..self }
    }
}

/// Resolves, and tells the outcome: `app 1.0.0, lib 1.2.0` and a line for each note, or the error.
pub(crate) fn outcome(universe: &Universe, question: &Question) -> String {
    match resolve(question, universe) {
        Ok(answer) => told(&answer),
        Err(error) => refusal(&error),
    }
}

/// Compares the outcome with what is expected, line by line.
#[track_caller]
pub(crate) fn check(releases: &str, question: &Question, expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(outcome(&universe(releases), question), expected.join("\n"), "{releases}");
}

fn told(answer: &Answer) -> String {
    let chosen: Vec<String> =
        answer.chosen.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let notes = answer.notes.iter().map(|note| match note {
        Note::PassedOver { name, version, why } => format!("note: {name} {version} {}", reason(why)),
        Note::YankedButLocked { name, version } => format!("note: {name} {version} yanked but locked"),
    });
    std::iter::once(chosen.join(", ")).chain(notes).collect::<Vec<_>>().join("\n")
}

fn reason(why: &Why) -> String {
    match why {
        Why::NeedsHost { host, needs, have } => format!("needs {host} {needs}, have {have}"),
        Why::NotForHost => "not for this host".to_owned(),
        Why::NoArtifact { target, offered } => {
            let offered: Vec<&str> = offered.iter().map(Target::as_str).collect();
            format!("nothing for {target}, only {}", offered.join(" "))
        }
        Why::Prerelease => "pre-release".to_owned(),
        Why::Yanked => "yanked".to_owned(),
        Why::BelowFloor { floor } => format!("below {floor}"),
        Why::HeldBack { by, version, needs } => format!("held back by {by} {version}, needs {needs}"),
        Why::Clashes { on, needs, have } => format!("needs {on} {needs}, have {have}"),
    }
}

fn refusal(error: &ResolveError<Broken>) -> String {
    let similar = match error {
        ResolveError::UnknownPackage { similar: Some(similar), .. } => format!("\nsimilar: {similar}"),
        ResolveError::UnknownPackage { .. }
        | ResolveError::Conflict(_)
        | ResolveError::Cycle { .. }
        | ResolveError::TooHard { .. }
        | ResolveError::Catalog { .. } => String::new(),
    };
    format!("{error}{similar}")
}
