//! Whether one candidate may be chosen at all, whatever else is. The rules are in the documentation of the module.

use super::{Candidate, Question, Why};
use pintle_manifest::{Name, Requirement, Target};

/// Says why a candidate may not be chosen, or `None` if it may.
pub(super) fn objection(question: &Question, name: &Name, candidate: &Candidate) -> Option<Why> {
    let version = &candidate.version;
    let locked = question.locked.get(name) == Some(version);
    let wish = question.wishes.get(name);
    if candidate.yanked && !locked && wish.and_then(Requirement::pinned) != Some(version) {
        return Some(Why::Yanked);
    }
    let asked = question.prereleases || wish.is_some_and(Requirement::names_prerelease);
    if version.is_prerelease() && !locked && !asked {
        return Some(Why::Prerelease);
    }
    if let Some(why) = host_objection(question, candidate) {
        return Some(why);
    }
    if !candidate.targets.iter().any(|target| *target == question.target || *target == Target::ANY) {
        let mut offered = candidate.targets.clone();
        offered.sort_unstable();
        return Some(Why::NoArtifact { target: question.target, offered });
    }
    match question.floors.get(name) {
        Some(floor) if version < floor => Some(Why::BelowFloor { floor: floor.clone() }),
        Some(_) | None => None,
    }
}

fn host_objection(question: &Question, candidate: &Candidate) -> Option<Why> {
    if question.hosts.is_empty() {
        return None;
    }
    let mut served = false;
    for (host, needs) in candidate.hosts.iter() {
        let Some(have) = question.hosts.get(host) else { continue };
        if !needs.matches(have) {
            return Some(Why::NeedsHost { host: host.clone(), needs: needs.clone(), have: have.clone() });
        }
        served = true;
    }
    (!served).then_some(Why::NotForHost)
}
