//! One run of the program: its arguments, its environment, who runs it, and what its standard input is.

use super::{Output, Sandbox, Terminal};
use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The day on which every test takes place, unless it says otherwise.
const TODAY: &str = "2030-01-10T12:00:00Z";
/// The machine that every test takes place on.
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// A user with no rights of its own.
pub(super) const NOBODY: u32 = 65534;

/// A run that is being put together.
pub(crate) struct Run<'a> {
    sandbox: &'a Sandbox,
    command: Command,
    shown: String,
}

impl<'a> Run<'a> {
    pub(super) fn new<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(
        sandbox: &'a Sandbox,
        arguments: I,
    ) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pintle"));
        command.env_clear();
        command.env("PINTLE_HOME", sandbox.home("")).env("HOME", sandbox.root());
        command.env("PINTLE_TEST_NOW", TODAY).env("PINTLE_TARGET", TARGET).env("PATH", "/usr/bin:/bin");
        command.current_dir(sandbox.work("")).stdin(Stdio::null());
        Self { sandbox, command, shown: "pintle".to_owned() }.args(arguments)
    }

    /// Adds an argument.
    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.shown.push_str(&format!(" {}", argument.as_ref().display()));
        self.command.arg(argument);
        self
    }

    /// Adds arguments.
    pub(crate) fn args<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(self, arguments: I) -> Self {
        arguments.into_iter().fold(self, Run::arg)
    }

    /// Runs it in another directory.
    pub(crate) fn at(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// Sets a variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Takes a variable away.
    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Runs it on another day.
    pub(crate) fn on(self, time: &str) -> Self {
        self.env("PINTLE_TEST_NOW", time)
    }

    /// Runs it for another machine.
    pub(crate) fn target(self, target: &str) -> Self {
        self.env("PINTLE_TARGET", target)
    }

    /// Gives it something to read.
    pub(crate) fn stdin(mut self, stdin: impl Into<Stdio>) -> Self {
        self.command.stdin(stdin);
        self
    }

    /// Runs it as a user to whom nothing here belongs, even if the tests are run by root, whom no mode stops.
    pub(crate) fn by_nobody(mut self) -> Self {
        if rustix::process::geteuid().is_root() {
            self.command.uid(NOBODY).gid(NOBODY);
        }
        self
    }

    /// Starts a shell on a terminal, with job control. There `$P` is this run.
    pub(crate) fn spawn_shell_on(mut self, terminal: &mut Terminal) -> Child {
        let mut shell = Command::new("setsid");
        shell.args(["--ctty", "--wait", "/bin/sh", "-i"]).env_clear();
        for (name, value) in self.command.get_envs() {
            if let Some(value) = value {
                shell.env(name, value);
            }
        }
        let words = std::iter::once(self.command.get_program()).chain(self.command.get_args());
        let words: Vec<&str> = words.map(|word| word.to_str().unwrap()).collect();
        shell.env("P", words.join(" ")).env("PS1", "$ ").current_dir(self.command.get_current_dir().unwrap());
        self.command = shell;
        self.spawn_on(terminal)
    }

    /// Runs it by a shell that does something first, such as `umask 077`.
    pub(crate) fn after(mut self, preparation: &str) -> Self {
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(format!("{preparation}; exec \"$0\" \"$@\""));
        shell.arg(self.command.get_program()).args(self.command.get_args());
        shell.env_clear();
        for (name, value) in self.command.get_envs() {
            if let Some(value) = value {
                shell.env(name, value);
            }
        }
        shell.current_dir(self.command.get_current_dir().unwrap()).stdin(Stdio::null());
        self.command = shell;
        self
    }

    /// Runs it with every file that it and its children open written to a log.
    pub(crate) fn traced(mut self, log: &Path) -> Self {
        let mut strace = Command::new("strace");
        strace.args(["-f", "-qq", "-s", "4096", "-e", "trace=open,openat,execve,execveat", "-o"]).arg(log);
        strace.arg(self.command.get_program()).args(self.command.get_args());
        strace.env_clear().envs(self.command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        strace.current_dir(self.command.get_current_dir().unwrap()).stdin(Stdio::null());
        self.command = strace;
        self
    }

    /// Runs it to its end.
    #[track_caller]
    pub(crate) fn run(mut self) -> Output {
        let output = self.command.output().expect("the program can be run");
        Output::new(self.sandbox, self.shown, &output)
    }

    /// Runs it with another standard output, and returns the exit code.
    pub(crate) fn status_with_stdout(mut self, stdout: Stdio) -> Option<i32> {
        self.command.stdout(stdout).stderr(Stdio::null()).status().unwrap().code()
    }

    /// Starts it, with pipes to read from.
    pub(crate) fn spawn(mut self) -> (Child, impl FnOnce(Child) -> Output + use<'a>) {
        let child = self.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sandbox, shown) = (self.sandbox, self.shown);
        (child, move |child: Child| Output::new(sandbox, shown, &child.wait_with_output().unwrap()))
    }

    /// Starts it on a terminal.
    pub(crate) fn spawn_on(mut self, terminal: &mut Terminal) -> Child {
        self.command.stdin(terminal.stdio()).stdout(terminal.stdio()).stderr(terminal.stdio());
        let child = self.command.env("TERM", "xterm").spawn().unwrap();
        terminal.is_in_use();
        child
    }
}
