//! `outdated`: which newer releases there are, and what holds each back.

use super::context::Context;
use super::plan::Note;
use super::snapshot::Snapshot;
use super::sources::{self, SourceError};
use crate::index::{Package, Release};
use crate::store::{Installed, Source};
use pintle_manifest::{HostName, Name, Requirement, Target, Version};
use std::collections::BTreeMap;

/// One extension that has a newer release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outdated {
    /// Its name.
    pub name: Name,
    /// What is installed.
    pub installed: Version,
    /// What `update` would choose if nothing else stood in the way.
    pub in_range: Version,
    /// The newest full release there is.
    pub newest: Version,
    /// Why `update` does not get the newest.
    pub held_by: Option<HeldBy>,
    /// Whether what is installed was withdrawn, and why.
    pub yanked: Option<String>,
    /// What the contracts at hand say to what is installed: the host, what is needed of it and what it has.
    pub incompatible: Option<(HostName, Requirement, Version)>,
}

/// What keeps the newest release away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeldBy {
    /// The person's own requirement.
    Wish(Requirement),
    /// Another extension's requirement.
    Dependent(Name, Requirement),
    /// A host at hand is too old or too new for it.
    Host(HostName, Requirement, Version),
    /// It has no artifact for this machine.
    Target(Target),
}

/// Compares what is installed from registries with what they offer.
///
/// Returns what has a newer release, and the names that no registry has any more.
pub fn outdated(
    context: &Context<'_>,
    snapshot: &Snapshot,
) -> Result<(Vec<Outdated>, Vec<Name>), SourceError> {
    look(context, snapshot, &|_| true)
}

/// Returns what of these has a newer release. It is a remark: nothing is said of what can't be looked up.
pub(super) fn among(
    context: &Context<'_>,
    snapshot: &Snapshot,
    is_meant: &dyn Fn(&Name) -> bool,
) -> Vec<Outdated> {
    look(context, snapshot, is_meant).map(|(found, _)| found).unwrap_or_default()
}

fn look(
    context: &Context<'_>,
    snapshot: &Snapshot,
    is_meant: &dyn Fn(&Name) -> bool,
) -> Result<(Vec<Outdated>, Vec<Name>), SourceError> {
    let Some(set) = &snapshot.current else { return Ok((Vec::new(), Vec::new())) };
    let registries = sources::open(context, &snapshot.wishes)?;
    let hosts = context.hosts_for(&snapshot.wishes);
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for (name, one) in set.extensions.iter().filter(|(name, _)| is_meant(name)) {
        let Source::Registry(registry) = &one.source else { continue };
        let bound = registries.iter().any(|(known, _)| known == registry).then_some(registry);
        let Some((_, package)) = registries.find(name, bound)? else {
            missing.push(name.clone());
            continue;
        };
        let requirements: Vec<(Option<&Name>, &Requirement)> = needs_of(&set.extensions, name);
        found.extend(compare(context, name, one, &package, &requirements, &hosts));
    }
    sources::close(context, &registries);
    Ok((found, missing))
}

impl Outdated {
    /// Says that the newest release is left out by the person's own requirement, if that is what holds it.
    pub(super) fn held_back(self) -> Option<Note> {
        let Self { name, in_range: version, newest, held_by, .. } = self;
        match held_by? {
            HeldBy::Wish(wish) => Some(Note::HeldBack { name, version, newest, wish }),
            HeldBy::Dependent(..) | HeldBy::Host(..) | HeldBy::Target(_) => None,
        }
    }
}

fn needs_of<'a>(all: &'a BTreeMap<Name, Installed>, name: &Name) -> Vec<(Option<&'a Name>, &'a Requirement)> {
    let wish = all.get(name).and_then(|one| one.wish.as_ref()).map(|wish| (None, wish));
    let others = all.iter().filter_map(|(other, one)| Some((Some(other), one.dependencies.get(name)?)));
    wish.into_iter().chain(others).collect()
}

fn compare(
    context: &Context<'_>,
    name: &Name,
    one: &Installed,
    package: &Package,
    requirements: &[(Option<&Name>, &Requirement)],
    hosts: &BTreeMap<HostName, Version>,
) -> Option<Outdated> {
    let offered = || package.releases.iter().filter(|release| release.yanked.is_none());
    let full = || offered().filter(|release| !release.version.is_prerelease());
    let held = |release: &Release| holder(context, release, requirements, hosts);
    let newest = full().map(|release| &release.version).max().unwrap_or(&one.version).max(&one.version);
    let in_range = full().filter(|release| held(release).is_none()).map(|release| &release.version).max();
    let in_range = in_range.unwrap_or(&one.version).max(&one.version);
    let yanked = package.release(&one.version).and_then(|release| release.yanked.as_ref());
    let incompatible = misfit(&one.hosts, hosts);
    if *newest <= one.version && yanked.is_none() && incompatible.is_none() {
        return None;
    }
    Some(Outdated {
        name: name.clone(),
        installed: one.version.clone(),
        in_range: in_range.clone(),
        newest: newest.clone(),
        held_by: package.release(newest).filter(|_| newest > in_range).and_then(held),
        yanked: yanked.map(|yank| yank.reason.clone()),
        incompatible,
    })
}

fn holder(
    context: &Context<'_>,
    release: &Release,
    requirements: &[(Option<&Name>, &Requirement)],
    hosts: &BTreeMap<HostName, Version>,
) -> Option<HeldBy> {
    if let Some((who, requirement)) = requirements.iter().find(|(_, needs)| !needs.matches(&release.version))
    {
        let requirement = (*requirement).clone();
        return Some(
            who.map_or(HeldBy::Wish(requirement.clone()), |who| HeldBy::Dependent(who.clone(), requirement)),
        );
    }
    if let Some((host, needs, have)) = misfit(&release.hosts, hosts) {
        return Some(HeldBy::Host(host, needs, have));
    }
    release.artifact_for(context.target).is_none().then_some(HeldBy::Target(context.target))
}

fn misfit(
    declared: &BTreeMap<HostName, Requirement>,
    hosts: &BTreeMap<HostName, Version>,
) -> Option<(HostName, Requirement, Version)> {
    let at_hand = declared.iter().filter_map(|(host, needs)| Some((host, needs, hosts.get(host)?)));
    let misfit = at_hand.into_iter().find(|(_, needs, have)| !needs.matches(have));
    misfit.map(|(host, needs, have)| (host.clone(), needs.clone(), have.clone()))
}
