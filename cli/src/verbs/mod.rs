//! The verbs, one a file. The doc comment of a verb's arguments is its `--help`.

pub(crate) mod bisect;
pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod completions;
mod consent;
pub(crate) mod contract;
pub(crate) mod disable;
pub(crate) mod doctor;
pub(crate) mod enable;
pub(crate) mod exec;
pub(crate) mod gc;
pub(crate) mod history;
pub(crate) mod info;
pub(crate) mod install;
pub(crate) mod ledger;
pub(crate) mod list;
pub(crate) mod load;
pub(crate) mod lock;
pub(crate) mod man;
pub(crate) mod new;
pub(crate) mod outdated;
pub(crate) mod package;
pub(crate) mod publish;
pub(crate) mod quarantine;
pub(crate) mod registry;
pub(crate) mod rollback;
pub(crate) mod search;
mod set_change;
pub(crate) mod sync;
pub(crate) mod tour;
pub(crate) mod tree;
pub(crate) mod trust;
pub(crate) mod uninstall;
pub(crate) mod update;
pub(crate) mod verify;
pub(crate) mod why;
pub(crate) mod yank;

use crate::arguments::{Cli, Verb};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::{Environment, Situation};
use crate::ui::Ui;

/// Runs the verb that was asked for.
pub(crate) fn run(cli: &Cli, environment: &Environment, ui: &Ui) -> Result<Exit, Failure> {
    if let Verb::Exec(arguments) = &cli.verb
        && arguments.which.none(environment)
    {
        return exec::run_without_extensions(environment, ui, arguments);
    }
    let situation = Situation::new(cli, environment, ui).map_err(|failure| match &cli.verb {
        Verb::Exec(_) => exec::not_run(failure),
        _ => failure,
    })?;
    match &cli.verb {
        Verb::Install(arguments) => install::run(&situation, arguments),
        Verb::Uninstall(arguments) => uninstall::run(&situation, arguments),
        Verb::Update(arguments) => update::run(&situation, arguments),
        Verb::Sync(arguments) => sync::run(&situation, arguments),
        Verb::Lock(arguments) => lock::run(&situation, arguments),
        Verb::List(arguments) => list::run(&situation, arguments),
        Verb::Tree(arguments) => tree::run(&situation, arguments),
        Verb::Why(arguments) => why::run(&situation, arguments),
        Verb::Outdated(arguments) => outdated::run(&situation, arguments),
        Verb::Search(arguments) => search::run(&situation, arguments),
        Verb::Info(arguments) => info::run(&situation, arguments),
        Verb::Enable(arguments) => enable::run(&situation, arguments),
        Verb::Disable(arguments) => disable::run(&situation, arguments),
        Verb::Exec(arguments) => exec::run(&situation, arguments),
        Verb::Load(arguments) => load::run(&situation, arguments),
        Verb::Ledger(arguments) => ledger::run(&situation, arguments),
        Verb::Doctor(arguments) => doctor::run(&situation, arguments),
        Verb::Bisect(arguments) => bisect::run(&situation, arguments),
        Verb::Quarantine(arguments) => quarantine::run(&situation, arguments),
        Verb::Tour(arguments) => tour::run(&situation, arguments),
        Verb::Trust(arguments) => trust::run(&situation, arguments),
        Verb::History(arguments) => history::run(&situation, arguments),
        Verb::Rollback(arguments) => rollback::run(&situation, arguments),
        Verb::Verify(arguments) => verify::run(&situation, arguments),
        Verb::Gc(arguments) => gc::run(&situation, arguments),
        Verb::Cache(arguments) => cache::run(&situation, arguments),
        Verb::New(arguments) => new::run(&situation, arguments),
        Verb::Check(arguments) => check::run(&situation, arguments),
        Verb::Package(arguments) => package::run(&situation, arguments),
        Verb::Publish(arguments) => publish::run(&situation, arguments),
        Verb::Yank(arguments) => yank::run(&situation, arguments),
        Verb::Registry(arguments) => registry::run(&situation, arguments),
        Verb::Contract(arguments) => contract::run(&situation, arguments),
        Verb::Completions(arguments) => completions::run(&situation, arguments),
        Verb::Man(arguments) => man::run(&situation, arguments),
    }
}
