//! Decides what a set will be: keeps the lock if it still fulfils the wishes, and resolves anew if not.
//! Reads registries and folders; changes nothing.

use super::catalog::{Offer, Running};
use super::consent::Held;
use super::context::{Context, Event};
use super::from_lock::make_plan;
use super::local::{Local, LocalError};
use super::plan::{Note, Plan};
use super::snapshot::{Snapshot, SnapshotError};
use super::sources::{self, SourceError};
use crate::index::{FindError, Registries, RegistryName, Release, Yank};
use crate::resolve::{self, Question, ResolveError};
use crate::set::{Lock, Locked, LockedArtifact, LockedSource, Wish, WishOrigin, Wishes};
use crate::store::ScopeKind;
use pintle_manifest::{Digest, HostName, Name, Requirement, Target, Version};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What a command wants of a set.
#[derive(Debug, Clone)]
pub(super) struct Intent {
    /// The wishes as they will be.
    pub wishes: Wishes,
    /// The lock to start from: what is on the disk, less what is to go.
    pub lock: Lock,
    /// The wishes that take `^chosen` as their requirement, since the person named none.
    pub fill: BTreeSet<Name>,
    /// What may move away from the lock.
    pub freed: Freed,
    /// What stays at its version whatever is freed.
    pub held: Held,
    /// Exact versions asked for just now.
    pub exact: BTreeMap<Name, Version>,
    /// Whether pre-releases may be chosen.
    pub prereleases: bool,
}

/// What may move away from the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Freed {
    /// Nothing, as long as it still fits.
    Nothing,
    /// These, and whatever they then need.
    Names(BTreeSet<Name>),
    /// Everything.
    Everything,
}

/// Says why no plan was made. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The scope can't be read.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The registries can't be used.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A folder or an archive is no extension.
    #[error(transparent)]
    Local(#[from] LocalError),
    /// What a wish names on this machine can't be used.
    #[error("`{name}` can't be taken from where `pintle.toml` says")]
    WishedLocal {
        /// The extension.
        name: Name,
        /// Why.
        #[source]
        source: LocalError,
    },
    /// No registry is named, so there is nowhere to look.
    #[error("no registry is named in `pintle.toml`, so `{name}` can't be looked for")]
    NoRegistry {
        /// The extension.
        name: Name,
    },
    /// Only a yanked release would do.
    #[error("`{name} {version}` was yanked: {}", pintle_manifest::Untrusted(&yank.reason))]
    Yanked {
        /// The extension.
        name: Name,
        /// The release.
        version: Version,
        /// Why, and what to use instead.
        yank: Box<Yank>,
        /// The conflict that it makes.
        conflict: Box<resolve::Conflict>,
    },
    /// There is no choice that fulfils the wishes.
    #[error(transparent)]
    Resolve(Box<ResolveError<FindError>>),
    /// A registry offers other bytes under a version that was locked before.
    #[error(
        "the registry `{registry}` offers other bytes for `{name} {version}` than were locked \
        (locked `{locked}`, offered `{offered}`)"
    )]
    ChangedRelease {
        /// The registry.
        registry: RegistryName,
        /// The extension.
        name: Name,
        /// Its version.
        version: Version,
        /// The digest in the lock.
        locked: Digest,
        /// The digest that is offered.
        offered: Digest,
    },
    /// What runs on this machine is not offered.
    #[error("`{name} {version}` has no artifact for `{target}`")]
    NoArtifact {
        /// The extension.
        name: Name,
        /// Its version.
        version: Version,
        /// This machine's target.
        target: Target,
        /// What is offered.
        offered: Vec<Target>,
    },
    /// Something that is not installed was named.
    #[error("`{name}` is not installed")]
    NotInstalled {
        /// The name.
        name: Name,
        /// The installed name most like it.
        similar: Option<String>,
    },
    /// The wishes do not allow the version that was asked for.
    #[error("`pintle.toml` asks for `{name} {pinned}`, which {asked} is not")]
    Pinned {
        /// The extension.
        name: Name,
        /// The requirement in the wishes.
        pinned: Requirement,
        /// The version asked for.
        asked: Version,
    },
    /// Others need what is to be removed.
    #[error("`{name}` is needed by {}", list(by))]
    Needed {
        /// The extension.
        name: Name,
        /// Who needs it.
        by: Vec<Name>,
    },
    /// A command was given something that no extension can be.
    #[error(transparent)]
    Spec(#[from] super::spec::SpecError),
}

fn list(names: &[Name]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Makes the plan for an intent.
pub(super) fn choose(
    context: &Context<'_>,
    snapshot: &Snapshot,
    mut intent: Intent,
) -> Result<Plan, PlanError> {
    let mut notes = Vec::new();
    let locals = read_locals(context, &intent.wishes, &intent.lock, &mut notes)?;
    let hosts = context.hosts_for(&intent.wishes);
    let keeps = intent.freed == Freed::Nothing
        && intent.exact.is_empty()
        && intent.fill.is_empty()
        && still_holds(context, snapshot, &intent, &locals, &hosts);
    let lock = match keeps {
        true => std::mem::take(&mut intent.lock),
        false => resolve_lock(context, snapshot, &mut intent, &locals, &hosts, &mut notes)?,
    };
    make_plan(context, snapshot, &intent.wishes, lock, hosts, notes)
}

/// Reads what the wishes take from this machine, and the folders that such a folder depends on by path. What is no
/// longer there stays as it was locked, so that it keeps nothing else from being changed.
fn read_locals(
    context: &Context<'_>,
    wishes: &Wishes,
    lock: &Lock,
    notes: &mut Vec<Note>,
) -> Result<BTreeMap<Name, Local>, PlanError> {
    let directory = context.scope.directory();
    let mut locals = BTreeMap::new();
    let mut open: Vec<(Name, LockedSource)> = Vec::new();
    for (name, wish) in &wishes.extensions {
        match &wish.origin {
            WishOrigin::Any | WishOrigin::Registry(_) => {}
            WishOrigin::Folder(path) => open.push((name.clone(), LockedSource::Folder(path.clone()))),
            WishOrigin::Archive(path) => open.push((name.clone(), LockedSource::Archive(path.clone()))),
        }
    }
    while let Some((name, source)) = open.pop() {
        let before = lock.extensions.get(&name);
        let local = match read_local(directory, &name, &source, before) {
            Ok(local) => local,
            Err(error) => match before.filter(|before| before.source == source && error.is_gone()) {
                None => return Err(PlanError::WishedLocal { name, source: error }),
                Some(before) => {
                    notes.push(Note::Gone { name: name.clone() });
                    Local::gone(&name, before)
                }
            },
        };
        for (dependency, beside) in local.folders_beside() {
            // A wish of the person's own goes before what a manifest says.
            if !wishes.extensions.contains_key(dependency) && !locals.contains_key(dependency) {
                open.push((dependency.clone(), LockedSource::Folder(beside.clone())));
            }
        }
        locals.insert(name, local);
    }
    Ok(locals)
}

fn read_local(
    directory: &Path,
    name: &Name,
    source: &LockedSource,
    before: Option<&Locked>,
) -> Result<Local, LocalError> {
    let local = match source {
        LockedSource::Folder(path) => Local::folder(directory, path)?,
        LockedSource::Archive(path) => Local::archive(directory, path)?,
        LockedSource::Registry(_) => return Err(LocalError::NotAnExtension { path: directory.to_owned() }),
    };
    local.named(name, directory)?.unchanged_since(before, directory)
}

/// Tells whether the lock still fulfils the wishes, so that no registry need be asked.
fn still_holds(
    context: &Context<'_>,
    snapshot: &Snapshot,
    intent: &Intent,
    locals: &BTreeMap<Name, Local>,
    hosts: &BTreeMap<HostName, Version>,
) -> bool {
    let (wishes, lock) = (&intent.wishes, &intent.lock);
    let running = running(snapshot);
    let wish_holds = |(name, wish): (&Name, &Wish)| {
        let Some(locked) = lock.extensions.get(name) else { return false };
        let from_there = match (&wish.origin, &locked.source) {
            (WishOrigin::Any, LockedSource::Registry(_)) => true,
            (WishOrigin::Registry(wanted), LockedSource::Registry(from)) => wanted == from,
            (WishOrigin::Folder(_), LockedSource::Folder(_)) => true,
            (WishOrigin::Archive(_), LockedSource::Archive(_)) => true,
            (_, _) => false,
        };
        from_there && wish.requirement.matches(&locked.version)
    };
    let entry_holds = |(name, locked): (&Name, &Locked)| {
        let depends = locked.dependencies.iter().all(|(dependency, requirement)| {
            lock.extensions.get(dependency).is_some_and(|other| requirement.matches(&other.version))
        });
        let runs = match &locked.source {
            LockedSource::Folder(_) => locals.get(name).is_none_or(|local| local.is_for(context.target)),
            LockedSource::Archive(_) | LockedSource::Registry(_) => {
                locked.artifact_for(context.target).is_some()
            }
        };
        let fits = running.get(name) == Some(&locked.version) || fits_hosts(&locked.hosts, hosts);
        let is_local = !matches!(locked.source, LockedSource::Registry(_));
        let same = locals.get(name).map_or(!is_local, |local| local.locked == *locked);
        depends && runs && fits && same
    };
    wishes.extensions.iter().all(wish_holds)
        && lock.extensions.iter().all(entry_holds)
        && reachable(wishes, lock).len() == lock.extensions.len()
}

fn fits_hosts(declared: &BTreeMap<HostName, Requirement>, hosts: &BTreeMap<HostName, Version>) -> bool {
    let mut at_hand = declared.iter().filter_map(|(host, needs)| Some((needs, hosts.get(host)?))).peekable();
    hosts.is_empty() || (at_hand.peek().is_some() && at_hand.all(|(needs, have)| needs.matches(have)))
}

/// Returns what the wishes lead to.
pub(super) fn reachable<'a>(wishes: &'a Wishes, lock: &'a Lock) -> BTreeSet<&'a Name> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&Name> = wishes.extensions.keys().collect();
    while let Some(name) = open.pop() {
        if let Some(locked) = lock.extensions.get(name)
            && seen.insert(name)
        {
            open.extend(locked.dependencies.keys());
        }
    }
    seen
}

fn running(snapshot: &Snapshot) -> BTreeMap<Name, Version> {
    let installed = snapshot.current.iter().flat_map(|set| &set.extensions);
    installed.map(|(name, one)| (name.clone(), one.version.clone())).collect()
}

fn resolve_lock(
    context: &Context<'_>,
    snapshot: &Snapshot,
    intent: &mut Intent,
    locals: &BTreeMap<Name, Local>,
    hosts: &BTreeMap<HostName, Version>,
    notes: &mut Vec<Note>,
) -> Result<Lock, PlanError> {
    (context.events)(Event::Resolving);
    let registries = sources::open(context, &intent.wishes)?;
    let running = Running::new(running(snapshot), hosts).holding(&intent.held);
    let offer = Offer::new(&registries, locals, &intent.wishes, &intent.lock, running);
    let question = question(context, intent, hosts);
    let answer =
        resolve::resolve(&question, &offer).map_err(|error| of_resolution(&registries, &offer, error))?;
    for note in answer.notes {
        notes.push(told(&offer, note));
    }
    let mut lock = Lock::default();
    lock.keep_unknown(&intent.lock);
    for (name, version) in &answer.chosen {
        let locked = lock_one(context, &intent.lock, &offer, locals, name, version)?;
        lock.extensions.insert(name.clone(), locked);
    }
    sources::close(context, &registries);
    notes.extend(foreign_registries(context, &intent.wishes, &lock));
    for name in std::mem::take(&mut intent.fill) {
        if let (Some(version), Some(wish)) = (answer.chosen.get(&name), intent.wishes.extensions.get(&name)) {
            let wish = Wish { requirement: Requirement::caret(version), origin: wish.origin.clone() };
            intent.wishes.set(&name, wish);
        }
    }
    Ok(lock)
}

/// Adds to a failed resolution what only the registries know.
fn of_resolution(registries: &Registries, offer: &Offer<'_>, error: ResolveError<FindError>) -> PlanError {
    match error {
        ResolveError::UnknownPackage { name, chain, .. }
            if chain.is_empty() && registries.iter().next().is_none() =>
        {
            PlanError::NoRegistry { name }
        }
        ResolveError::Conflict(conflict) => {
            let withdrawn = conflict.withdrawn().map(|(name, version)| (name.clone(), version.clone()));
            let yank = withdrawn.as_ref().and_then(|(name, version)| offer.yank(name, version));
            match (withdrawn, yank) {
                (Some((name, version)), Some(yank)) => {
                    PlanError::Yanked { name, version, yank: Box::new(yank), conflict }
                }
                (_, _) => PlanError::Resolve(Box::new(ResolveError::Conflict(conflict))),
            }
        }
        error => PlanError::Resolve(Box::new(error)),
    }
}

/// Names the registries of a project's lock that only its user knows.
fn foreign_registries(context: &Context<'_>, wishes: &Wishes, lock: &Lock) -> Vec<Note> {
    if context.scope.kind == ScopeKind::User {
        return Vec::new();
    }
    let used = lock.extensions.values().filter_map(|locked| match &locked.source {
        LockedSource::Registry(registry) => Some(registry),
        LockedSource::Folder(_) | LockedSource::Archive(_) => None,
    });
    let foreign: BTreeSet<&RegistryName> =
        used.filter(|used| !wishes.registries.iter().any(|(own, _)| own == *used)).collect();
    foreign.into_iter().map(|registry| Note::ForeignRegistry { registry: registry.clone() }).collect()
}

/// Adds to a note why a release was yanked.
fn told(offer: &Offer<'_>, note: resolve::Note) -> Note {
    match note {
        resolve::Note::YankedButLocked { name, version } => {
            let yank = offer.yank(&name, &version);
            Note::Yanked { name, version, yank }
        }
        resolve::Note::PassedOver { name, version, why } => Note::PassedOver { name, version, why },
    }
}

fn question(context: &Context<'_>, intent: &Intent, hosts: &BTreeMap<HostName, Version>) -> Question {
    let mut wishes: BTreeMap<Name, Requirement> = intent
        .wishes
        .extensions
        .iter()
        .map(|(name, wish)| (name.clone(), wish.requirement.clone()))
        .collect();
    wishes.extend(intent.exact.iter().map(|(name, version)| (name.clone(), Requirement::exact(version))));
    let mut locked: BTreeMap<Name, Version> =
        intent.lock.extensions.iter().map(|(name, locked)| (name.clone(), locked.version.clone())).collect();
    let kept = locked.clone();
    let mut floors = BTreeMap::new();
    // Only an update has floors: it moves things nobody named, and must never move them down.
    if intent.freed != Freed::Nothing {
        floors = locked.clone();
        floors.retain(|name, floor| {
            let asked = intent.exact.contains_key(name);
            let allowed =
                intent.wishes.extensions.get(name).is_none_or(|wish| wish.requirement.matches(floor));
            !asked && allowed
        });
    }
    match &intent.freed {
        Freed::Nothing => {}
        Freed::Names(names) => locked.retain(|name, _| !names.contains(name)),
        Freed::Everything => locked.clear(),
    }
    locked.retain(|name, _| !intent.exact.contains_key(name));
    locked.extend(intent.held.iter().map(|(name, version)| (name.clone(), version.clone())));
    Question {
        wishes,
        hosts: hosts.clone(),
        target: context.target,
        locked,
        kept,
        floors,
        prereleases: intent.prereleases,
    }
}

fn lock_one(
    context: &Context<'_>,
    lock: &Lock,
    offer: &Offer<'_>,
    locals: &BTreeMap<Name, Local>,
    name: &Name,
    version: &Version,
) -> Result<Locked, PlanError> {
    if let Some(local) = locals.get(name) {
        return Ok(local.locked.clone());
    }
    let old = lock.extensions.get(name);
    let found = offer.release(name, version).map_err(SourceError::from)?;
    let Some((registry, release)) = found else {
        // No registry has it any more; it was offered as it is locked.
        return Ok(old.expect("the resolver chose it from what was offered").clone());
    };
    let same = old.filter(|old| {
        old.version == *version && matches!(&old.source, LockedSource::Registry(from) if *from == registry)
    });
    let Some(old) = same else { return Ok(lock_release(&registry, release)) };
    check_unchanged(&registry, name, &release, old)?;
    // What is locked stays as it is written, unless this machine's artifact was published since.
    match old.artifact_for(context.target) {
        Some(_) => Ok(old.clone()),
        None => Ok(lock_release(&registry, release)),
    }
}

/// A version and a target are one archive for ever; a registry that says otherwise is not believed.
fn check_unchanged(
    registry: &RegistryName,
    name: &Name,
    release: &Release,
    old: &Locked,
) -> Result<(), PlanError> {
    for (target, locked) in &old.artifacts {
        if let Some(offered) = release.artifacts.get(target)
            && offered.archive != locked.archive
        {
            return Err(PlanError::ChangedRelease {
                registry: registry.clone(),
                name: name.clone(),
                version: release.version.clone(),
                locked: locked.archive,
                offered: offered.archive,
            });
        }
    }
    Ok(())
}

fn lock_release(registry: &RegistryName, release: Release) -> Locked {
    let artifact = |artifact: &crate::index::Artifact| LockedArtifact {
        archive: artifact.archive,
        size: artifact.size,
        tree: artifact.tree,
        unpacked: artifact.unpacked,
        files: u64::from(artifact.files),
        extra: String::new(),
    };
    Locked {
        version: release.version,
        source: LockedSource::Registry(registry.clone()),
        runtime: release.runtime.as_str().to_owned(),
        hosts: release.hosts,
        dependencies: release.dependencies,
        permissions: release.permissions,
        artifacts: release.artifacts.iter().map(|(target, one)| (*target, artifact(one))).collect(),
        extra: Default::default(),
    }
}
