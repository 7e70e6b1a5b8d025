//! `pintle uninstall`: removes extensions. Their data goes only with `--purge`, and only after a question.

use super::set_change::{self, Intention, SetChange};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::question::{self, Answer};
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::words;
use clap::Args;
use pintle_manifest::Name;
use pintle_registry::operations::consent::Unanswered;
use pintle_registry::operations::switch_off::dependents;
use pintle_registry::operations::uninstall::{self, Dependents, Uninstall};
use pintle_registry::store::{Scope, fs};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Removes extensions
///
/// What they needed and nothing else needs goes with them. Their data and configuration stay, unless `--purge` is
/// given. The releases stay in the store for `pintle rollback`; `pintle gc` lets go of what nothing refers to.
#[derive(Debug, Args)]
#[command(visible_aliases = ["remove", "rm"])]
pub(crate) struct UninstallArgs {
    /// What to remove
    #[arg(required = true, value_name = "NAME")]
    names: Vec<Name>,
    /// Removes what needs them, too
    #[arg(long)]
    cascade: bool,
    /// Deletes their data and configuration, too
    #[arg(long)]
    purge: bool,
    /// Deletes without asking
    #[arg(short, long, requires = "purge")]
    yes: bool,
    /// Says what would change, and changes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &UninstallArgs) -> Result<Exit, Failure> {
    let scope = situation.scope();
    let set = scope.generations().read_current().ok().flatten();
    let mut going = arguments.names.clone();
    if let (true, Some(set)) = (arguments.cascade, &set) {
        going.extend(dependents(set, &arguments.names));
    }
    let doomed = if arguments.purge { kept_files(&scope, &going) } else { Vec::new() };
    // Everything is asked before anything is changed.
    if !doomed.is_empty() && !arguments.dry_run && !arguments.yes {
        ask(situation, &doomed)?;
    }
    // What is no longer installed may still have data: a purge that was interrupted can be run again.
    let is_left = |name: &Name| {
        let installed = set.as_ref().is_some_and(|set| set.extensions.contains_key(name));
        !installed && !kept_files(&scope, std::slice::from_ref(name)).is_empty()
    };
    let only_data = arguments.purge && arguments.names.iter().all(is_left);
    if !only_data {
        uninstall(situation, arguments)?;
    }
    for path in &doomed {
        match arguments.dry_run {
            true => situation.ui.note(format_args!("`{}` would be deleted", path.display())),
            false => fs::remove_tree(path)?,
        }
    }
    if only_data {
        situation.ui.outcome(&Purged { paths: &doomed, dry_run: arguments.dry_run });
    }
    if !arguments.purge {
        for path in kept_files(&scope, &going) {
            situation.ui.note(format_args!("`{}` stays; `--purge` deletes it", path.display()));
        }
    }
    Ok(Exit::Done)
}

fn uninstall(situation: &Situation<'_>, arguments: &UninstallArgs) -> Result<(), Failure> {
    let dependents = if arguments.cascade { Dependents::Remove } else { Dependents::Keep };
    let uninstall = Uninstall { names: arguments.names.clone(), dependents };
    let change = SetChange {
        verb: "uninstall",
        intention: Intention::from_flag(arguments.dry_run),
        named: &[],
        unanswered: Unanswered::PutInPlace,
        consent: None,
    };
    set_change::run(situation, &change, |context, snapshot, _| {
        uninstall::prepare(context, snapshot, &uninstall)
    })?;
    Ok(())
}

/// What is said where nothing was installed any more, and only data was deleted.
struct Purged<'a> {
    paths: &'a [PathBuf],
    dry_run: bool,
}

impl Document for Purged<'_> {
    fn verb(&self) -> &'static str {
        "uninstall"
    }
    fn json(&self) -> Map<String, Value> {
        let paths: Vec<_> = self.paths.iter().map(|path| path.to_string_lossy()).collect();
        let mut map = Map::new();
        map.insert("dry_run".to_owned(), json!(self.dry_run));
        map.insert("changed".to_owned(), json!(false));
        map.insert("changes".to_owned(), json!([]));
        map.insert("deleted".to_owned(), json!(paths));
        map
    }
    fn human(&self, _paint: Paint) -> String {
        match self.dry_run {
            true => "Nothing is installed; data would be deleted (dry run)\n".to_owned(),
            false => "Nothing was installed; deleted what was left\n".to_owned(),
        }
    }
}

fn kept_files(scope: &Scope, names: &[Name]) -> Vec<PathBuf> {
    let all = names.iter().flat_map(|name| [scope.data(name), scope.config(name)]);
    all.filter(|path| path.exists()).collect()
}

fn ask(situation: &Situation<'_>, doomed: &[PathBuf]) -> Result<(), Failure> {
    let list = words::list(doomed.iter().map(|path| format!("`{}`", words::path(path))));
    match question::ask(situation, &format!("Delete {list}? This can't be undone.")) {
        Answer::Yes => Ok(()),
        Answer::No => Err(Failure::new("declined", "you said no, so nothing was changed")),
        Answer::NoOne => {
            Err(Failure::new("needs_input", format!("{list} would be deleted, and no one can be asked"))
                .hint("to delete without being asked, add `--yes`"))
        }
    }
}
