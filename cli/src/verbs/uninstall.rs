//! `pintle uninstall`: removes extensions. Their data goes only with `--purge`, and only after a question.

use super::set_change::{self, Intention};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::view::words;
use clap::Args;
use pintle_manifest::Name;
use pintle_registry::operations::uninstall::{self, Dependents, Uninstall};
use pintle_registry::store::fs;
use std::io::{BufRead as _, Write as _};
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
    let doomed = if arguments.purge { kept_files(situation, &arguments.names) } else { Vec::new() };
    // Everything is asked before anything is changed.
    if !doomed.is_empty() && !arguments.dry_run && !arguments.yes {
        ask(situation, &doomed)?;
    }
    let dependents = if arguments.cascade { Dependents::Remove } else { Dependents::Keep };
    let uninstall = Uninstall { names: arguments.names.clone(), dependents };
    let intention = Intention::from_flag(arguments.dry_run);
    set_change::run(situation, "uninstall", intention, |context, snapshot| {
        uninstall::prepare(context, snapshot, &uninstall)
    })?;
    for path in &doomed {
        match intention {
            Intention::DryRun => situation.ui.note(format_args!("`{}` would be deleted", path.display())),
            Intention::Change => fs::remove_tree(path)?,
        }
    }
    if !arguments.purge {
        for path in kept_files(situation, &arguments.names) {
            situation.ui.note(format_args!("`{}` stays; `--purge` deletes it", path.display()));
        }
    }
    Ok(Exit::Done)
}

fn kept_files(situation: &Situation<'_>, names: &[Name]) -> Vec<PathBuf> {
    let scope = situation.scope();
    let all = names.iter().flat_map(|name| [scope.data(name), scope.config(name)]);
    all.filter(|path| path.exists()).collect()
}

fn ask(situation: &Situation<'_>, doomed: &[PathBuf]) -> Result<(), Failure> {
    let list = words::list(doomed.iter().map(|path| format!("`{}`", words::path(path))));
    if !situation.environment.can_ask() {
        return Err(Failure::new("needs_input", format!("{list} would be deleted, and no one can be asked"))
            .hint("to delete without being asked, add `--yes`"));
    }
    let mut err = std::io::stderr().lock();
    let _ = write!(err, "Delete {list}? This can't be undone. [y/N] ").and_then(|()| err.flush());
    let mut answer = String::new();
    let _ = std::io::stdin().lock().read_line(&mut answer);
    if !answer.ends_with('\n') {
        let _ = writeln!(err);
    }
    match matches!(answer.trim(), "y" | "Y" | "yes") {
        true => Ok(()),
        false => Err(Failure::new("declined", "you said no, so nothing was changed")),
    }
}
