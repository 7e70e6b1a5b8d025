//! From a danger to what a person is told about it.

use super::git::{Git, GitError};
use super::phrase::{command, name, plain};
use super::repository::Repository;
use super::walk::Budget;
use super::{changes, clean, commits, configured, database, forget, remove, stash, trees};
use crate::analyse::{Action, Command, Danger, Dir, GitAction, GitPlace, analyse};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// More lines than this are more than a person reads before answering.
const MOST_DETAILS: usize = 12;
/// Aliases of git that lead to aliases.
const MOST_ALIASES: usize = 5;

/// What a person is told about one danger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The whole of it in one line.
    pub title: String,
    /// What is known besides, a line each.
    pub details: Vec<String>,
}

/// How much is looked at before it is given up.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Files and directories.
    pub entries: u64,
    /// Time for all of it, without what git takes.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { entries: 100_000, time: Duration::from_millis(1500) }
    }
}

/// Looks at what dangers would lose.
pub struct Survey<'a> {
    /// Who runs git.
    pub git: &'a dyn Git,
    /// The time, for "5 minutes ago".
    pub now: SystemTime,
    /// The home directory.
    pub home: Option<&'a Path>,
    /// How much is looked at.
    pub limits: Limits,
}

/// What measuring one danger goes by.
pub(super) struct Scene<'a> {
    pub(super) survey: &'a Survey<'a>,
    pub(super) danger: &'a Danger,
    /// Where the command would run; `None` if nobody can tell.
    pub(super) dir: Option<PathBuf>,
    /// Why nobody can tell.
    pub(super) no_dir: String,
    /// The command as it is shown.
    pub(super) shown: String,
    pub(super) budget: Budget,
}

impl Survey<'_> {
    /// Returns what a danger would lose; nothing if it would lose nothing.
    pub fn measure(&self, danger: &Danger) -> Vec<Finding> {
        self.measure_within(danger, MOST_ALIASES)
    }

    fn measure_within(&self, danger: &Danger, aliases: usize) -> Vec<Finding> {
        let (dir, no_dir, note) = where_it_runs(&danger.dir);
        let until = Instant::now() + self.limits.time;
        let budget = Budget::new(self.limits.entries, until);
        let mut scene = Scene { survey: self, danger, dir, no_dir, shown: command(&danger.command), budget };
        let finding = match &danger.action {
            Action::Remove(remove) => remove::remove(&mut scene, remove),
            Action::Find { roots } => remove::find(&mut scene, roots),
            Action::Database { drops, migrations } => Some(database::database(&scene, *drops, migrations)),
            Action::Opaque { why } => Some(scene.cannot_tell("do", vec![why.clone()])),
            Action::Git { place, action: GitAction::Alias { name, rest } } => {
                return self.alias(&scene, place, name, rest, aliases);
            }
            Action::Git { place, action } => git(&mut scene, place, action),
        };
        let finding = finding.or_else(|| {
            let is_mostly_harmless =
                matches!(&danger.action, Action::Git { action, .. } if action.is_mostly_harmless());
            let title = format!("{} would lose nothing as things are now", scene.shown);
            (danger.after_others && !is_mostly_harmless).then(|| Finding { title, details: Vec::new() })
        });
        finding.into_iter().map(|finding| finish(finding, note.as_deref(), danger.after_others)).collect()
    }

    fn alias(
        &self,
        scene: &Scene<'_>,
        place: &GitPlace,
        name: &str,
        rest: &str,
        aliases: usize,
    ) -> Vec<Finding> {
        let cannot = |why: String| vec![scene.cannot_tell("do", vec![why])];
        if let Some(why) = &place.hidden {
            return cannot(why.clone());
        }
        let Some(dir) = &scene.dir else { return cannot(scene.no_dir.clone()) };
        if aliases == 0 {
            return cannot("its aliases lead to each other".to_owned());
        }
        let repository = Repository::anywhere(self.git, dir, place);
        let (line, dir) = match repository.setting(&format!("alias.{name}")) {
            Ok(None) => return Vec::new(),
            Err(error) => return cannot(error.to_string()),
            // A line for a shell runs at the top of the repository.
            Ok(Some(text)) => match text.strip_prefix('!') {
                Some(line) => match Repository::find(self.git, dir, place) {
                    Ok(found) => {
                        (format!("{line} {rest}"), found.map_or(dir.clone(), |repository| repository.top))
                    }
                    Err(error) => return cannot(error.to_string()),
                },
                None => (format!("git {text} {rest}"), dir.clone()),
            },
        };
        let mut findings = Vec::new();
        for mut danger in analyse(Command::Line(&line), &dir, self.home) {
            danger.after_others |= scene.danger.after_others;
            if let Action::Git { place: own, .. } = &mut danger.action {
                *own = std::mem::take(own).within(place);
            }
            let mut own = self.measure_within(&danger, aliases - 1);
            for finding in &mut own {
                finding.details.insert(0, format!("{} is an alias for {}", scene.shown, command(&line)));
                finding.details.truncate(MOST_DETAILS);
            }
            findings.extend(own);
        }
        findings
    }
}

fn git(scene: &mut Scene<'_>, place: &GitPlace, action: &GitAction) -> Option<Finding> {
    let is_to_come = matches!(&scene.danger.dir, Dir::Known { path, .. } if !path.exists());
    let Some(dir) = scene.dir.clone() else {
        // A repository that is made only now has nothing in it, and of one that nobody can tell, few force a push.
        let passes = match action {
            GitAction::PushAsSet { .. } => place.hidden.is_none(),
            GitAction::DiscardIfPath { .. } => is_to_come,
            _ => false,
        };
        return (!passes).then(|| scene.cannot_tell("throw away", vec![scene.no_dir.clone()]));
    };
    if let GitAction::PushAsSet { remote, names } = action {
        return configured::push_as_set(scene, &dir, place, remote.as_deref(), names)
            .unwrap_or_else(|error| Some(scene.cannot_tell("overwrite", vec![plain(&error.to_string())])));
    }
    // Most names after `git checkout` are branches, and are not there as files: then git need not be asked.
    if let GitAction::DiscardIfPath { name } = action
        && std::fs::symlink_metadata(dir.join(name)).is_err()
    {
        return None;
    }
    let measured = match Repository::find(scene.survey.git, &dir, place) {
        Ok(None) if scene.danger.after_others && !action.is_mostly_harmless() => {
            let why =
                format!("{} is in no git repository, but what runs before it may change that", name(&dir));
            Ok(Some(scene.cannot_tell("throw away", vec![why])))
        }
        Ok(None) => Ok(None),
        Ok(Some(repository)) => of_repository(scene, &repository, action),
        Err(error) => Err(error),
    };
    measured.unwrap_or_else(|error: GitError| {
        Some(scene.cannot_tell("throw away", vec![plain(&error.to_string())]))
    })
}

fn of_repository(
    scene: &mut Scene<'_>,
    repository: &Repository<'_>,
    action: &GitAction,
) -> Result<Option<Finding>, GitError> {
    match action {
        GitAction::Reset { to } => changes::reset(scene, repository, to),
        GitAction::Discard { from, paths } => changes::discard(scene, repository, from.as_deref(), paths),
        GitAction::DiscardIfPath { name } => changes::discard_if_path(scene, repository, name),
        GitAction::DiscardAll => changes::discard_all(scene, repository),
        GitAction::Clean { flags, paths } => clean::clean(scene, repository, flags, paths),
        GitAction::DropStash { which } => stash::drop(scene, repository, which.as_deref()),
        GitAction::DropRefs { names, to } => commits::drop_refs(scene, repository, names, to.as_deref()),
        GitAction::Forget { expire, reflog } => forget::forget(scene, repository, expire.as_deref(), *reflog),
        GitAction::Rewrite { keeps_old } => forget::rewrite(scene, repository, *keeps_old),
        GitAction::RemoveWorktree { name } => trees::remove_worktree(scene, repository, name),
        GitAction::EmptySubmodules { paths } => trees::empty_submodules(scene, repository, paths),
        GitAction::Push { remote, refs, mirror } => {
            commits::push(scene, repository, remote.as_deref(), refs, *mirror).map(Some)
        }
        // They were measured before.
        GitAction::Alias { .. } | GitAction::PushAsSet { .. } => Ok(None),
    }
}

/// Returns where a command would run, or why nobody can tell, and what is to be said of it.
fn where_it_runs(dir: &Dir) -> (Option<PathBuf>, String, Option<String>) {
    match dir {
        Dir::Unknown(why) => (None, why.clone(), None),
        Dir::Known { path, .. } if path.is_dir() => (Some(path.clone()), String::new(), None),
        Dir::Known { path, fallback: Some(other) } if other.is_dir() => {
            let note = format!("{} is not there, so `cd` fails and this runs in {}", name(path), name(other));
            (Some(other.clone()), String::new(), Some(note))
        }
        Dir::Known { path, .. } => (
            None,
            format!("{} is not there now, and unless that changes this does not run", name(path)),
            None,
        ),
    }
}

impl Scene<'_> {
    /// Makes the finding for what can't be measured.
    pub(super) fn cannot_tell(&self, verb: &str, details: Vec<String>) -> Finding {
        Finding { title: format!("cannot tell what {} would {verb}", self.shown), details }
    }
}

fn finish(mut finding: Finding, note: Option<&str>, after_others: bool) -> Finding {
    if let Some(note) = note {
        finding.details.insert(0, note.to_owned());
    }
    finding.details.truncate(MOST_DETAILS - usize::from(after_others));
    if after_others {
        finding.details.push("what runs before it in the same line may change this".to_owned());
    }
    finding
}
