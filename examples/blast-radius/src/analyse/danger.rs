//! What was found in a command: plain values that say what to measure. Nothing here looks at the disk.

use std::path::PathBuf;

/// One thing in a command that can lose work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Danger {
    /// The command as it was written, without what stands around it.
    pub command: String,
    /// What it would do.
    pub action: Action,
    /// Where it would run.
    pub dir: Dir,
    /// Whether other programs run before it in the same line, and may change what it finds.
    pub after_others: bool,
}

/// The directory in which a command would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dir {
    /// This one.
    Known {
        /// The directory.
        path: PathBuf,
        /// Where it would run instead if a `cd` to the directory fails and the line goes on.
        fallback: Option<PathBuf>,
    },
    /// Nobody can tell; why.
    Unknown(String),
}

/// What a destructive command would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Delete files.
    Remove(Remove),
    /// Let `find` choose files below some places, and delete them.
    Find {
        /// Where it begins.
        roots: Vec<Target>,
    },
    /// Let git throw something away.
    Git {
        /// Which repository.
        place: GitPlace,
        /// What is thrown away.
        action: GitAction,
    },
    /// Change a database.
    Database {
        /// Whether it throws away whole tables or the whole database.
        drops: bool,
        /// Where files of migrations usually are, below the directory.
        migrations: &'static [&'static str],
    },
    /// Something that can't be understood, or can't be measured; why.
    Opaque {
        /// Why.
        why: String,
    },
}

/// An `rm`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remove {
    /// What is to be deleted.
    pub targets: Vec<Target>,
    /// Whether directories go too.
    pub recursive: bool,
    /// Whether it stays on the file system on which it begins.
    pub one_file_system: bool,
}

/// A path as a command names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// This path.
    Path(String),
    /// Every path that matches.
    Glob(String),
    /// Nobody can tell; how it was written.
    Unknown(String),
}

/// Which repository a git command is about: the options before the subcommand that say so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitPlace {
    /// The value of `--git-dir` or `GIT_DIR`.
    pub git_dir: Option<String>,
    /// The value of `--work-tree` or `GIT_WORK_TREE`.
    pub work_tree: Option<String>,
    /// Settings that the line gives, the last of a name counts.
    pub settings: Vec<(String, String)>,
    /// Why there are settings that nobody can tell, if there are.
    pub hidden: Option<String>,
}

impl GitPlace {
    /// Returns the place of a command that an alias stands for, which is called at another place.
    pub fn within(self, outer: &GitPlace) -> GitPlace {
        GitPlace {
            git_dir: self.git_dir.or_else(|| outer.git_dir.clone()),
            work_tree: self.work_tree.or_else(|| outer.work_tree.clone()),
            settings: outer.settings.iter().cloned().chain(self.settings).collect(),
            hidden: self.hidden.or_else(|| outer.hidden.clone()),
        }
    }
}

/// What git would throw away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitAction {
    /// `reset --hard`: every change, and the commits that the branch leaves behind.
    Reset {
        /// The commit to go to.
        to: String,
    },
    /// `clean`: files that are not tracked.
    Clean {
        /// The flags that decide which, as `git clean -n` takes them.
        flags: Vec<String>,
        /// Where.
        paths: Vec<String>,
    },
    /// `checkout -- PATH`, `restore PATH`: changes in some files.
    Discard {
        /// Where the files are taken from; the index if `None`.
        from: Option<String>,
        /// Which.
        paths: Vec<String>,
    },
    /// `checkout NAME`, where the name may be a branch, which loses nothing, or a file.
    DiscardIfPath {
        /// The name.
        name: String,
    },
    /// `checkout --force`, `switch --discard-changes`: every change.
    DiscardAll,
    /// `stash drop`, `stash clear`.
    DropStash {
        /// Which; all of them if `None`.
        which: Option<String>,
    },
    /// `branch -D`, `tag -d`, `update-ref -d`, or a name that is moved by force.
    DropRefs {
        /// Their names, in full.
        names: Vec<String>,
        /// Where they would point afterwards; nowhere if `None`.
        to: Option<String>,
    },
    /// `reflog expire`, `gc --prune=now`: what no branch leads to any more can't be found again.
    Forget {
        /// Objects that nothing names are deleted if they are older than this; none if `None`.
        expire: Option<String>,
        /// Whether the reflog is forgotten.
        reflog: bool,
    },
    /// `filter-branch`, `filter-repo`: every commit is written anew.
    Rewrite {
        /// Whether the old ones can still be found.
        keeps_old: bool,
    },
    /// `worktree remove --force`.
    RemoveWorktree {
        /// Its directory, or the end of it.
        name: String,
    },
    /// `submodule deinit --force`.
    EmptySubmodules {
        /// Which.
        paths: Vec<String>,
    },
    /// A push that overwrites or deletes.
    Push {
        /// To where; git's own choice if `None`.
        remote: Option<String>,
        /// What is overwritten or deleted; the current branch if there are none.
        refs: Vec<PushRef>,
        /// Whether everything on the other side is made equal.
        mirror: bool,
    },
    /// A push that overwrites or deletes only if the settings of the repository say so.
    PushAsSet {
        /// To where; git's own choice if `None`.
        remote: Option<String>,
        /// What is named to be pushed.
        names: Vec<String>,
    },
    /// A subcommand that git does not have itself; an alias, perhaps.
    Alias {
        /// Its name.
        name: String,
        /// What follows it, as written.
        rest: String,
    },
}

impl GitAction {
    /// Tells whether this loses nothing as a rule, and something only if the repository is made for it.
    pub fn is_mostly_harmless(&self) -> bool {
        matches!(
            self,
            GitAction::DiscardIfPath { .. } | GitAction::PushAsSet { .. } | GitAction::Alias { .. }
        )
    }
}

/// One branch of a forced push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushRef {
    /// What is pushed; `None` deletes.
    pub source: Option<String>,
    /// The branch on the other side.
    pub target: String,
}
