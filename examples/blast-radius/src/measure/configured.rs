//! Pushes that the settings of a repository force, though the command says nothing of it: `remote.NAME.push = +…` and
//! `remote.NAME.mirror`. One question to git tells that there are none, as nearly everywhere.

use super::commits::push;
use super::git::GitError;
use super::phrase::plain;
use super::repository::Repository;
use super::survey::{Finding, Scene};
use crate::analyse::{GitPlace, PushRef, configured_ref};
use std::path::Path;

/// More branches than this are not looked at one by one.
const MOST_REFS: usize = 50;

/// Settings that say where a push goes, and what becomes of what.
const SETTINGS: &str = r"^(remote\..*\.(push|mirror)|remote\.pushdefault|branch\..*\.(pushremote|remote))$";

/// Measures a push that names nothing that is forced.
pub(super) fn push_as_set(
    scene: &Scene<'_>,
    dir: &Path,
    place: &GitPlace,
    remote: Option<&str>,
    names: &[String],
) -> Result<Option<Finding>, GitError> {
    if let Some(why) = &place.hidden {
        return Ok(Some(scene.cannot_tell("overwrite", vec![plain(why)])));
    }
    let git = scene.survey.git;
    let settings = Repository::anywhere(git, dir, place).settings(SETTINGS)?;
    let is_forcing = |(name, value): &(String, String)| {
        name.ends_with(".mirror") && is_true(value)
            || name.ends_with(".push") && value.starts_with(['+', ':'])
    };
    if !settings.iter().any(is_forcing) {
        return Ok(None);
    }
    let Some(repository) = Repository::find(git, dir, place)? else { return Ok(None) };
    let branch = repository.branch()?;
    let remote = match remote {
        Some(remote) => remote.to_owned(),
        None => usual_remote(&settings, branch.as_deref()),
    };
    let of_remote = |what: &str| {
        let name = format!("remote.{remote}.{what}");
        settings.iter().filter(move |(key, _)| *key == name).map(|(_, value)| value.as_str())
    };
    if of_remote("mirror").next_back().is_some_and(is_true) && names.is_empty() {
        let mut finding = push(scene, &repository, Some(&remote), &[], true)?;
        finding.details.insert(0, format!("the setting remote.{}.mirror says so", plain(&remote)));
        return Ok(Some(finding));
    }
    let mut refs: Vec<PushRef> = Vec::new();
    let mut said = Vec::new();
    for value in of_remote("push").filter(|value| value.starts_with(['+', ':'])) {
        let found = forced(&repository, value, names, branch.as_deref())?;
        if !found.is_empty() {
            said.push(plain(value));
        }
        refs.extend(found);
    }
    refs.truncate(MOST_REFS);
    if refs.is_empty() {
        return Ok(None);
    }
    let mut finding = push(scene, &repository, Some(&remote), &refs, false)?;
    finding
        .details
        .insert(0, format!("the setting remote.{}.push = {} says so", plain(&remote), said.join(", ")));
    Ok(Some(finding))
}

fn is_true(value: &str) -> bool {
    !matches!(value.to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0" | "")
}

fn usual_remote(settings: &[(String, String)], branch: Option<&str>) -> String {
    let branch = branch.unwrap_or("HEAD");
    let names = [
        format!("branch.{branch}.pushremote"),
        "remote.pushdefault".to_owned(),
        format!("branch.{branch}.remote"),
    ];
    let set = |name: &String| settings.iter().rfind(|(key, _)| key == name).map(|(_, value)| value.clone());
    names.iter().find_map(set).unwrap_or_else(|| "origin".to_owned())
}

/// Returns what a value of `remote.NAME.push` forces, of what is named, or of everything if nothing is.
fn forced(
    repository: &Repository<'_>,
    value: &str,
    names: &[String],
    branch: Option<&str>,
) -> Result<Vec<PushRef>, GitError> {
    let spec = value.trim_start_matches('+');
    let (source, target) = spec.split_once(':').unwrap_or((spec, spec));
    let full = |name: &str| match name {
        "HEAD" | "@" => branch.map_or("HEAD".to_owned(), |branch| format!("refs/heads/{branch}")),
        name if name.starts_with("refs/") || name.is_empty() => name.to_owned(),
        name => format!("refs/heads/{name}"),
    };
    let named: Vec<String> = names.iter().map(|name| full(name)).collect();
    let is_meant = |name: &str| named.is_empty() || named.iter().any(|own| own == name);
    // `+:` is every branch that both sides have.
    let is_every = spec == ":";
    let pattern = if is_every { "refs/heads/*" } else { source };
    let Some((head, tail)) = pattern.split_once('*') else {
        let one = configured_ref(value).filter(|_| is_meant(&full(source)));
        return Ok(one.into_iter().collect());
    };
    let all = repository.ask(&["for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags"])?;
    let (to_head, to_tail) =
        if is_every { (head, tail) } else { target.split_once('*').unwrap_or((target, "")) };
    let short = |name: String| name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned();
    let of = |name: &str| {
        let middle = name.strip_prefix(head)?.strip_suffix(tail)?;
        let target = short(format!("{to_head}{middle}{to_tail}"));
        is_meant(name).then(|| PushRef { source: Some(name.to_owned()), target })
    };
    Ok(all.lines().filter_map(of).take(MOST_REFS).collect())
}
