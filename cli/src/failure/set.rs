//! Failures of the operations on a set.

use super::Failure;
use super::way_out::copy;
use crate::exit::Exit;
use crate::view::{note, trust};
use pintle_manifest::Name;
use pintle_registry::index::FindError;
use pintle_registry::operations::PlanError;
use pintle_registry::operations::apply::ApplyError;
use pintle_registry::operations::change::ChangeError;
use pintle_registry::operations::garbage::GarbageError;
use pintle_registry::operations::rollback::RollbackError;
use pintle_registry::operations::snapshot::SnapshotError;
use pintle_registry::operations::switch_off::SwitchError;
use pintle_registry::operations::trust::TrustError;
use pintle_registry::operations::verify::VerifyError;
use pintle_registry::resolve::ResolveError;
use pintle_registry::set::{Lock, LockError};
use pintle_registry::trust::combined;
use serde_json::json;
use std::path::Path;

impl From<SnapshotError> for Failure {
    fn from(error: SnapshotError) -> Self {
        match error {
            SnapshotError::Wishes { ref path, ref text, ref problems } => {
                let failure = Self::of("wishes.invalid", &error).places(path, text, problems);
                match copy(path) {
                    Some(copy) => failure.hint(format!(
                        "mend what is marked; what is installed was made from the copy `{}`",
                        copy.display()
                    )),
                    None => failure,
                }
            }
            SnapshotError::WishesGone { generation, .. } => Self::of("wishes.gone", &error)
                .hint(format!("bring it back with `pintle rollback {generation}`"))
                .hint("to want nothing, leave an empty `pintle.toml` there"),
            SnapshotError::Lock { ref path, ref source } => {
                let code = match source {
                    LockError::Newer { .. } => "lock.unsupported_version",
                    LockError::MergeConflict { .. } => "lock.merge_conflict",
                    LockError::Unreadable { .. } => "lock.unreadable",
                };
                Self::of(code, &error).hint(lock_way_out(path, source))
            }
            SnapshotError::State(error) => error.into(),
            SnapshotError::Fs(error) => error.into(),
        }
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Snapshot(error) => error.into(),
            PlanError::Source(error) => error.into(),
            PlanError::Local(error) => error.into(),
            PlanError::Spec(error) => error.into(),
            PlanError::WishedLocal { name, source } => {
                Self::from(source).hint(format!("`{name}` is to come from there; `pintle uninstall {name}` lets go of it"))
            }
            PlanError::NoRegistry { .. } => Self::of("registry.none", &error)
                .hint("name one: `pintle registry add main DIR`")
                .hint("or make one: `pintle registry init DIR`"),
            PlanError::Yanked { name, version, yank, conflict } => Self::from(ResolveError::<FindError>::Conflict(conflict))
                .cause(format!("`{name} {version}` was yanked: {}", note::yanked(&yank))),
            PlanError::Resolve(error) => (*error).into(),
            PlanError::ChangedRelease { locked, offered, .. } => Self::of("integrity.changed_release", &error)
                .exit(Exit::Integrity)
                .hint("a release never changes: ask its maintainer what happened, and install nothing until you know")
                .detail("locked", locked.to_string())
                .detail("offered", offered.to_string()),
            PlanError::NoArtifact { ref offered, .. } => {
                let offered: Vec<String> = offered.iter().map(ToString::to_string).collect();
                Self::of("platform.unavailable", &error)
                    .exit(Exit::Conflict)
                    .hint(format!("it is offered for {}", offered.join(", ")))
                    .hint("if it was published since, `pintle update` finds it")
                    .detail("offered", offered)
            }
            PlanError::NotInstalled { ref similar, .. } => Self::of("set.not_installed", &error)
                .hint_nearest(similar.as_deref())
                .hint("see what is installed with `pintle list`"),
            PlanError::Pinned { ref name, ref asked, .. } => Self::of("set.pinned", &error)
                .hint(format!("to ask for it there: `pintle install {name}@{asked}`")),
            PlanError::Needed { ref by, .. } => {
                let by: Vec<String> = by.iter().map(ToString::to_string).collect();
                Self::of("uninstall.needed", &error)
                    .hint("remove them with it: `--cascade`")
                    .detail("needed_by", by)
            }
        }
    }
}

impl From<ApplyError> for Failure {
    fn from(error: ApplyError) -> Self {
        match error {
            ApplyError::Archive { name, version, source } => {
                let failure = Self::from(source);
                let failure = match failure.code {
                    "fs.not_found" => Self {
                        code: "registry.missing_artifact",
                        exit: Exit::Integrity,
                        hints: vec![
                            "the registry names it and does not have it; tell its maintainer".to_owned(),
                        ],
                        ..failure
                    },
                    _ => failure,
                };
                let causes = std::iter::once(failure.message).chain(failure.causes).collect();
                Self { message: format!("`{name} {version}` can't be installed"), causes, ..failure }
            }
            ApplyError::WrongPackage { .. } => Self::of("integrity.wrong_package", &error)
                .exit(Exit::Integrity)
                .hint("the registry serves one package under the name of another; tell its maintainer"),
            ApplyError::OtherFacts { .. } => Self::of("integrity.other_facts", &error)
                .exit(Exit::Integrity)
                .hint("you would not get what you are shown; tell the maintainer of the registry"),
            ApplyError::UnknownRegistry { ref registry, .. } => Self::of("registry.unknown", &error)
                .hint(format!("name it: `pintle registry add {registry} DIR`")),
            ApplyError::Offline { .. } => Self::of("offline.not_cached", &error)
                .exit(Exit::Network)
                .hint("run it once without `--offline`"),
            ApplyError::Interrupted => Self::of("interrupted", &error).exit(Exit::Interrupted),
            ApplyError::Trust(error) => error.into(),
            ApplyError::Lease(error) => error.into(),
            ApplyError::Commit(error) => error.into(),
            ApplyError::Fs(error) => error.into(),
        }
    }
}

impl From<ChangeError> for Failure {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Plan(error) => error.into(),
            ChangeError::Apply(error) => error.into(),
            ChangeError::NeedsConsent { ref plan } => Self::of("trust.needs_consent", &error)
                .exit(Exit::Refused)
                .detail("asks", plan.asks.iter().map(trust::ask_document).collect::<Vec<_>>())
                .detail("accept_permissions", combined(&plan.asks).map(|hash| hash.to_hex())),
            ChangeError::NoRest => Self::of("set.changed_meanwhile", &error).hint("run the command again"),
            ChangeError::LockWouldChange { plan, before } => {
                let changes = lock_changes(&before, &plan.lock);
                let mut failure = Self::new("lock.would_change", "`pintle.lock` would change, and must not")
                    .exit(Exit::LockWouldChange);
                for (name, what) in &changes {
                    failure = failure.cause(format!("{name}: {what}"));
                }
                failure.hint("without `--locked` or `--check` it is written anew; keep it then").detail(
                    "changes",
                    changes
                        .iter()
                        .map(|(name, what)| json!({ "name": name, "change": what }))
                        .collect::<Vec<_>>(),
                )
            }
        }
    }
}

/// Says what to do about a lock that can't be used: where it is under version control, that has it whole; a person's
/// own is beside the link to what was installed from it.
pub(crate) fn lock_way_out(path: &Path, error: &LockError) -> String {
    let is_versioned = path.ancestors().any(|above| above.join(".git").exists());
    match (error, copy(path)) {
        (LockError::Newer { .. }, _) => {
            "a newer Pintle wrote it; use that one. It is left as it is".to_owned()
        }
        (LockError::MergeConflict { .. }, _) if is_versioned => {
            "take one side (`git checkout --ours pintle.lock`), then run `pintle lock`".to_owned()
        }
        (LockError::MergeConflict { .. } | LockError::Unreadable { .. }, Some(copy)) => format!(
            "restore it from `{}`, from which what is installed was made; or remove it and run `pintle sync`",
            copy.display()
        ),
        (LockError::MergeConflict { .. } | LockError::Unreadable { .. }, None) => {
            "it is left as it is; restore it, or move it away and run `pintle lock`".to_owned()
        }
    }
}

/// Returns what differs between two locks, a line for each extension.
pub(crate) fn lock_changes(before: &Lock, after: &Lock) -> Vec<(Name, String)> {
    let gone = before.extensions.iter().filter(|(name, _)| !after.extensions.contains_key(*name));
    let mut changes: Vec<(Name, String)> =
        gone.map(|(name, old)| (name.clone(), format!("{} is removed", old.version))).collect();
    for (name, new) in &after.extensions {
        let change = match before.extensions.get(name) {
            None => format!("{} is added", new.version),
            Some(old) if old.version != new.version => format!("{} -> {}", old.version, new.version),
            Some(old) if old != new => format!("{} has other facts", new.version),
            Some(_) => continue,
        };
        changes.push((name.clone(), change));
    }
    changes.sort();
    changes
}

impl From<RollbackError> for Failure {
    fn from(error: RollbackError) -> Self {
        match error {
            RollbackError::Nothing => {
                Self::of("rollback.nothing", &error).hint("see what there is with `pintle history`")
            }
            RollbackError::Incomplete { number, .. } => Self::of("rollback.incomplete", &error)
                .hint("another generation may be whole: see `pintle history`")
                .hint("`pintle verify --fix` mends the current one")
                .detail("generation", number),
            RollbackError::Change(error) => error.into(),
        }
    }
}

impl From<SwitchError> for Failure {
    fn from(error: SwitchError) -> Self {
        match error {
            SwitchError::NotInstalled { ref similar, .. } => Self::of("set.not_installed", &error)
                .hint_nearest(similar.as_deref())
                .hint("see what is installed with `pintle list`"),
            SwitchError::State(error) => error.into(),
            SwitchError::Lease(error) => error.into(),
            SwitchError::Fs(error) => error.into(),
        }
    }
}

impl From<TrustError> for Failure {
    fn from(error: TrustError) -> Self {
        match error {
            TrustError::NotInstalled { ref similar, .. } => Self::of("set.not_installed", &error)
                .hint_nearest(similar.as_deref())
                .hint("see what is granted with `pintle trust list`"),
            TrustError::Folder { name, source } => {
                Self::from(source).cause(format!("so it is not known what `{name}` asks for"))
            }
            TrustError::State(error) => error.into(),
            TrustError::Lease(error) => error.into(),
        }
    }
}

impl From<GarbageError> for Failure {
    fn from(error: GarbageError) -> Self {
        match error {
            GarbageError::State(error) => {
                Self::from(error).hint("nothing is collected while it is not known what is needed")
            }
            GarbageError::Change(error) => error.into(),
            GarbageError::Fs(error) => error.into(),
        }
    }
}

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Self {
        match error {
            VerifyError::Snapshot(error) => error.into(),
            VerifyError::NotLocked { .. } => Self::of("verify.not_locked", &error)
                .hint("bring lock and set together with `pintle sync`, or go back with `pintle rollback`"),
            VerifyError::Change(error) => error.into(),
        }
    }
}
