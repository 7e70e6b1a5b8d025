//! The situation a command runs in. The environment, the clock and the working directory are read here, once, and
//! nowhere else.

use crate::arguments::{Cli, Globals};
use crate::failure::Failure;
use crate::host;
use crate::progress::Progress;
use crate::ui::Ui;
use jiff::Timestamp;
use pintle_loader::stage::Machine;
use pintle_manifest::{HostName, Target, Version};
use pintle_registry::operations::context::{Access, Context, Event};
use pintle_registry::store::{Home, Scope};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;

/// What extensions get of the environment, besides what begins with `LC_`: where programs and a home are, and how people
/// speak. Not what unlocks something.
const PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
];

fn is_passed(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    PASSED.contains(&&*name) || name.starts_with("LC_")
}

/// What the environment says.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    pub home: Option<PathBuf>,
    pub user_home: Option<PathBuf>,
    pub target: Option<String>,
    pub now: Option<String>,
    pub offline: bool,
    pub no_color: bool,
    pub force_color: bool,
    pub dumb_terminal: bool,
    pub ci: bool,
    pub arguments: Vec<OsString>,
    /// Whether no extension is to be read or run.
    pub no_extensions: bool,
    /// What extensions get of it.
    pub passed: Vec<(OsString, OsString)>,
    /// PATH, where programs are looked for.
    pub search: Option<OsString>,
    pub directory: Option<PathBuf>,
    /// Where files go that are not to stay.
    pub temporary: PathBuf,
    /// This program itself.
    pub program: Option<PathBuf>,
    pub stdin_is_terminal: bool,
    pub stdout_is_terminal: bool,
    pub stderr_is_terminal: bool,
    /// The time when the process started, which is the time of everything that it does.
    pub clock: Timestamp,
}

impl Environment {
    /// Reads it.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the environment and the clock are read"
    )]
    pub(crate) fn read() -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let text = |name: &str| set(name).map(|value| value.to_string_lossy().into_owned());
        let yes =
            |name: &str| text(name).is_some_and(|value| !matches!(value.as_str(), "0" | "false" | "no"));
        Self {
            home: set("PINTLE_HOME").map(PathBuf::from),
            user_home: set("HOME").or_else(|| set("USERPROFILE")).map(PathBuf::from),
            target: text("PINTLE_TARGET"),
            now: text("PINTLE_TEST_NOW").filter(|_| cfg!(debug_assertions)),
            offline: yes("PINTLE_OFFLINE"),
            no_color: set("NO_COLOR").is_some(),
            force_color: yes("CLICOLOR_FORCE"),
            dumb_terminal: text("TERM").is_some_and(|term| term == "dumb"),
            ci: yes("CI"),
            // A guard is not turned off by a word that nobody knows.
            no_extensions: text("PINTLE_NO_EXTENSIONS")
                .is_some_and(|value| matches!(value.as_str(), "1" | "true" | "yes" | "on")),
            passed: std::env::vars_os().filter(|(name, _)| is_passed(name)).collect(),
            search: std::env::var_os("PATH"),
            arguments: std::env::args_os().collect(),
            directory: std::env::current_dir().ok(),
            temporary: std::env::temp_dir(),
            program: std::env::current_exe().ok(),
            stdin_is_terminal: std::io::stdin().is_terminal(),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            stderr_is_terminal: std::io::stderr().is_terminal(),
            clock: Timestamp::now(),
        }
    }

    /// Tells whether a question may be asked: someone sits there to answer it, and it is no machine.
    pub(crate) fn can_ask(&self) -> bool {
        self.stdin_is_terminal && self.stderr_is_terminal && !self.ci
    }

    /// Returns the command as typed with another option, to be typed again: without a `--dry-run`, and without what the
    /// option said before.
    pub(crate) fn again_with(&self, option: &str, value: &str) -> String {
        let words = self.arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
        let (mut again, mut operands) = (vec!["pintle".to_owned()], Vec::new());
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--" => {
                    operands.push(word);
                    operands.extend(words.by_ref());
                }
                "-n" | "--dry-run" => {}
                word if word == option => drop(words.next()),
                word if word.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')) => {}
                _ => again.push(word),
            }
        }
        again.extend([option.to_owned(), value.to_owned()]);
        again.extend(operands);
        again.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// Returns the command as typed, for the history and for those who wait.
    pub(crate) fn command(&self) -> String {
        let words = self.arguments.iter().skip(1).map(|word| {
            let word = word.to_string_lossy();
            match word.contains([' ', '\t', '\n', '"', '\'']) {
                true => format!("'{}'", word.replace('\'', "'\\''")),
                false => word.into_owned(),
            }
        });
        let text = std::iter::once("pintle".to_owned()).chain(words).collect::<Vec<_>>().join(" ");
        text.chars().take(300).collect()
    }
}

/// Everything a verb needs besides its own arguments.
pub(crate) struct Situation<'a> {
    pub environment: &'a Environment,
    pub globals: &'a Globals,
    pub ui: &'a Ui,
    pub home: Home,
    pub directory: PathBuf,
    pub target: Target,
    pub now: Timestamp,
    pub progress: Progress,
}

impl<'a> Situation<'a> {
    /// Puts it together, or says what is missing.
    pub(crate) fn new(cli: &'a Cli, environment: &'a Environment, ui: &'a Ui) -> Result<Self, Failure> {
        let globals = &cli.globals;
        let directory = environment.directory.clone().ok_or_else(|| {
            Failure::new("env.no_directory", "the working directory is gone")
                .hint("change to one that exists")
        })?;
        let home = match (&globals.home, &environment.home, &environment.user_home) {
            (Some(home), _, _) | (None, Some(home), _) => directory.join(home),
            (None, None, Some(user)) => directory.join(user).join(".pintle"),
            (None, None, None) => {
                return Err(Failure::new("env.no_home", "neither PINTLE_HOME nor HOME is set")
                    .hint("say where to keep things: `--home DIR`"));
            }
        };
        let target = match &environment.target {
            Some(text) => Target::parse(text).map_err(|error| {
                let failure = Failure::new("env.bad_target", format!("PINTLE_TARGET: {error}"));
                failure.hint_nearest(error.nearest.as_deref())
            })?,
            None => Target::current().unwrap_or(Target::ANY),
        };
        let now = match &environment.now {
            Some(text) => text.parse().map_err(|error: jiff::Error| {
                Failure::new("env.bad_time", format!("PINTLE_TEST_NOW: {error}"))
            })?,
            None => environment.clock,
        };
        let progress = Progress::new(ui);
        Ok(Self { environment, globals, ui, home: Home::new(home), directory, target, now, progress })
    }

    /// Returns a command to be typed that acts on the same set as this one.
    pub(crate) fn command(&self, words: &[&str]) -> String {
        let mut all: Vec<String> = std::iter::once(&"pintle").chain(words).map(|word| quoted(word)).collect();
        if let Some(home) = &self.globals.home {
            all.extend(["--home".to_owned(), quoted(&home.to_string_lossy())]);
        }
        let which = [(self.globals.user, "--user"), (self.globals.project, "--project")];
        all.extend(which.iter().filter(|(is_on, _)| *is_on).map(|(_, option)| (*option).to_owned()));
        all.join(" ")
    }

    /// Returns what is known of the machine that extensions run on.
    pub(crate) fn machine(&self) -> Machine {
        let path = self.environment.passed.iter().find(|(name, _)| name == "PATH");
        Machine {
            target: Target::current().unwrap_or(Target::ANY),
            search_path: path.iter().flat_map(|(_, path)| std::env::split_paths(path)).collect(),
        }
    }

    /// Decides whose set is meant: what was asked for, else the nearest project, else the user's.
    pub(crate) fn scope(&self) -> Scope {
        if self.globals.user {
            return Scope::user(&self.home);
        }
        match Scope::find_project(&self.home, &self.directory) {
            Some(project) => Scope::project(&self.home, &project),
            None if self.globals.project => Scope::project(&self.home, &self.directory),
            None => Scope::user(&self.home),
        }
    }

    /// Calls `body` with what an operation is handed.
    pub(crate) fn with_context<T>(&self, body: impl FnOnce(&Context<'_>) -> T) -> T {
        crate::stop::listen();
        let events = |event: Event| self.progress.event(self.ui, event);
        let context = Context {
            scope: self.scope(),
            hosts: own_hosts(),
            asked_hosts: self.globals.hosts.iter().cloned().collect(),
            meaning: host::meaning(),
            target: self.target,
            now: self.now,
            command: self.environment.command(),
            access: match self.globals.offline || self.environment.offline {
                true => Access::Offline,
                false => Access::Online,
            },
            patience: self.globals.lock_timeout,
            events: &events,
            cancelled: &crate::stop::asked,
        };
        let result = body(&context);
        self.progress.end();
        result
    }
}

/// Quotes a word so that a shell takes it as it is.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./@%+=:,^".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Returns the contracts that this Pintle hosts itself.
fn own_hosts() -> BTreeMap<HostName, Version> {
    let contract = host::agent();
    BTreeMap::from([(contract.name.clone(), contract.version.clone())])
}
