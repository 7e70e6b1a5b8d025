//! The command line: one type for each verb, whose doc comment is its `--help`. What can't be parsed is answered here.

use crate::exit::Exit;
use crate::situation::{Environment, quoted};
use crate::ui::{ColorChoice, Format, Ui};
use crate::verbs;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use pintle_manifest::{HostName, Untrusted, Version};
use std::path::PathBuf;
use std::time::Duration;

/// Installs, runs, checks, updates and removes extensions
///
/// Extensions wanted by you are listed in `pintle.toml`, and what was chosen for them, exactly, in `pintle.lock`.
/// In a folder with a `pintle.toml`, or below one, commands act on that project; elsewhere they act on your own set.
#[derive(Debug, Parser)]
#[command(name = "pintle", version, propagate_version = false, max_term_width = 100)]
#[command(after_help = "Start with `pintle new my-extension`, or `pintle help install`.")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub globals: Globals,
    #[command(subcommand)]
    pub verb: Verb,
}

/// Options that every verb takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Globals {
    /// Acts on the project here or above, and starts one here if there is none
    #[arg(long, global = true, conflicts_with = "user")]
    pub project: bool,
    /// Acts on your own set, even inside a project
    #[arg(long, global = true)]
    pub user: bool,
    /// Where everything is kept [env: PINTLE_HOME] [default: ~/.pintle]
    #[arg(long, global = true, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Asks no registry; uses what was seen before [env: PINTLE_OFFLINE]
    #[arg(long, global = true)]
    pub offline: bool,
    /// Fails (exit code 8) if `pintle.lock` would change
    #[arg(long, global = true)]
    pub locked: bool,
    /// Chooses for this version of a host, such as `agent@1.2.0`; may be repeated
    #[arg(long = "host", global = true, value_name = "NAME@VERSION", value_parser = parse_host)]
    pub hosts: Vec<(HostName, Version)>,
    /// Says less: only what was asked for, and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Says more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Whether to use colours
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub color: ColorChoice,
    /// `json` puts exactly one document on standard output
    #[arg(long, global = true, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// How long to wait for another Pintle process, such as `30s` or `5m`
    #[arg(long, global = true, value_name = "TIME", default_value = "5m", value_parser = parse_duration, hide_short_help = true)]
    pub lock_timeout: Duration,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Install(verbs::install::InstallArgs),
    Uninstall(verbs::uninstall::UninstallArgs),
    Update(verbs::update::UpdateArgs),
    Sync(verbs::sync::SyncArgs),
    Lock(verbs::lock::LockArgs),
    List(verbs::list::ListArgs),
    Tree(verbs::tree::TreeArgs),
    Why(verbs::why::WhyArgs),
    Outdated(verbs::outdated::OutdatedArgs),
    Search(verbs::search::SearchArgs),
    Info(verbs::info::InfoArgs),
    Enable(verbs::enable::EnableArgs),
    Disable(verbs::disable::DisableArgs),
    Exec(verbs::exec::ExecArgs),
    Load(verbs::load::LoadArgs),
    Trust(verbs::trust::TrustArgs),
    Ledger(verbs::ledger::LedgerArgs),
    Doctor(verbs::doctor::DoctorArgs),
    Bisect(verbs::bisect::BisectArgs),
    Quarantine(verbs::quarantine::QuarantineArgs),
    History(verbs::history::HistoryArgs),
    Rollback(verbs::rollback::RollbackArgs),
    Verify(verbs::verify::VerifyArgs),
    Gc(verbs::gc::GcArgs),
    Cache(verbs::cache::CacheArgs),
    New(verbs::new::NewArgs),
    Check(verbs::check::CheckArgs),
    Package(verbs::package::PackageArgs),
    Publish(verbs::publish::PublishArgs),
    Yank(verbs::yank::YankArgs),
    Registry(verbs::registry::RegistryArgs),
    Contract(verbs::contract::ContractArgs),
    Completions(verbs::completions::CompletionsArgs),
    Man(verbs::man::ManArgs),
    Tour(verbs::tour::TourArgs),
}

/// Parses the command line. What can't be parsed, and `--help`, is answered, and the exit code returned.
pub(crate) fn parse(environment: &Environment) -> Result<(Cli, Ui), Exit> {
    let parsed = Cli::command()
        .try_get_matches_from(&environment.arguments)
        .and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches));
    match parsed {
        Ok(cli) => {
            let ui = Ui::new(&cli.globals, environment);
            Ok((cli, ui))
        }
        Err(error) => Err(answer(environment, &error)),
    }
}

fn answer(environment: &Environment, error: &clap::Error) -> Exit {
    let asked_for_help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    let json = asks_for_json(environment);
    let is_misspelt = error.kind() == ErrorKind::InvalidSubcommand;
    let is_yes = says_yes(error);
    let shell_line = unquoted_line(environment, error);
    // What clap prints, it prints as it was typed, or as a script passed it on.
    let is_odd = environment.arguments.iter().any(|word| !Untrusted(&word.to_string_lossy()).is_plain());
    if asked_for_help || !(json || is_misspelt || is_yes || is_odd || shell_line.is_some()) {
        let _ = error.print();
        return if asked_for_help { Exit::Done } else { Exit::Usage };
    }
    let rendered = error.render().to_string();
    // What is missing is named below the first line.
    let paragraph = rendered.lines().take_while(|line| !line.is_empty());
    let message = paragraph.map(str::trim).collect::<Vec<_>>().join(" ");
    let message = message.trim_start_matches("error: ");
    let mut failure = crate::failure::Failure::new("usage", message).exit(Exit::Usage);
    // They come in order of likeness, the likest last.
    if let Some(ContextValue::Strings(near)) = error.get(ContextKind::SuggestedSubcommand) {
        failure = failure.hint_nearest(near.last().map(String::as_str));
    }
    if is_yes {
        failure = failure
            .hint("it asks no question that this would answer; `uninstall --purge` and `bisect` do")
            .hint("what extensions ask for is allowed by its hash: `--accept-permissions HASH`");
    }
    if let Some(line) = shell_line {
        let failure = failure.hint(format!("put the whole line in quotes: `pintle exec --shell {line}`"));
        return if json { Ui::json().failure(&failure) } else { Ui::plain(environment).failure(&failure) };
    }
    match json {
        true => Ui::json().failure(&failure),
        false => Ui::plain(environment).failure(&failure.hint("see all verbs with `pintle help`")),
    }
}

/// Returns the line for a shell that was written without quotes around it, with them.
fn unquoted_line(environment: &Environment, error: &clap::Error) -> Option<String> {
    let is_shell =
        |value: &ContextValue| matches!(value, ContextValue::String(word) if word.starts_with("--shell"));
    let is_meant = error.get(ContextKind::InvalidArg).is_some_and(is_shell)
        || error.get(ContextKind::PriorArg).is_some_and(is_shell);
    if error.kind() != ErrorKind::ArgumentConflict || !is_meant {
        return None;
    }
    let words = environment.arguments.iter().map(|word| word.to_string_lossy());
    let line: Vec<_> = words.skip_while(|word| !word.starts_with("--shell")).collect();
    let first = line.first()?.strip_prefix("--shell=").map(str::to_owned);
    let line: Vec<String> =
        first.into_iter().chain(line.iter().skip(1).map(|word| word.to_string())).collect();
    Some(quoted(&line.join(" ")))
}

/// Tells whether what is unknown is a yes in advance, as other programs take it everywhere.
fn says_yes(error: &clap::Error) -> bool {
    let word = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) => word.as_str(),
        Some(_) | None => "",
    };
    error.kind() == ErrorKind::UnknownArgument && ["-y", "--yes"].contains(&word)
}

/// A command line that can't be parsed is searched for `--format json` by hand, so that its answer is a document too.
fn asks_for_json(environment: &Environment) -> bool {
    let words: Vec<_> = environment.arguments.iter().map(|word| word.to_string_lossy()).collect();
    words.iter().any(|word| word == "--format=json")
        || words.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json")
}

fn parse_host(text: &str) -> Result<(HostName, Version), String> {
    let (name, version) = text.split_once('@').ok_or("write it as NAME@VERSION, such as `agent@1.2.0`")?;
    let name = HostName::parse(name).map_err(|error| error.to_string())?;
    let padded = match version.matches('.').count() {
        0 => format!("{version}.0.0"),
        1 => format!("{version}.0"),
        _ => version.to_owned(),
    };
    Ok((name, Version::parse(&padded).map_err(|error| error.to_string())?))
}

/// Parses a time: a number and a unit.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: u64 =
        number.parse().map_err(|_| "write a number and a unit, such as `30s` or `5m`".to_owned())?;
    let seconds = match unit {
        "ms" => return Ok(Duration::from_millis(number)),
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86400,
        "" => return Err(format!("`{text}` has no unit; write `{text}s` for seconds")),
        other => return Err(format!("`{other}` is no unit of time; use `ms`, `s`, `m`, `h` or `d`")),
    };
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(|| format!("`{text}` is too long"))
}

#[cfg(test)]
mod tests {
    use super::{Cli, parse_duration, parse_host};
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_time_has_a_unit() {
        let check = |text: &str, expected: Result<u64, &str>| {
            let actual = parse_duration(text).map(|time| u64::try_from(time.as_millis()).unwrap());
            assert_eq!(
                actual.as_ref().map_err(String::as_str),
                expected.as_ref().map_err(|text| *text),
                "{text}"
            );
        };
        check("30s", Ok(30_000));
        check("5m", Ok(300_000));
        check("250ms", Ok(250));
        check("3", Err("`3` has no unit; write `3s` for seconds"));
        check("3w", Err("`w` is no unit of time; use `ms`, `s`, `m`, `h` or `d`"));
        check("soon", Err("write a number and a unit, such as `30s` or `5m`"));
    }

    #[test]
    fn a_host_is_a_name_and_a_version() {
        assert_eq!(parse_host("agent@1.4").unwrap().1.to_string(), "1.4.0");
        assert!(parse_host("agent").is_err());
    }
}
