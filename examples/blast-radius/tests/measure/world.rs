//! A directory with real files, and the real git.

use blast_radius::analyse::{Command, analyse};
use blast_radius::measure::{Finding, Git, GitError, Limits, Ran, SAFE_ENVIRONMENT, Survey};
use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::time::{Duration, SystemTime};

/// Runs the real git, with settings of this test alone, and counts how often.
pub(crate) struct RealGit {
    pub(crate) runs: Cell<usize>,
}

impl Git for RealGit {
    fn git(&self, dir: &Path, arguments: &[String]) -> Result<Ran, GitError> {
        self.runs.set(self.runs.get() + 1);
        let mut command = clean_git(dir);
        command.envs(SAFE_ENVIRONMENT).args(arguments);
        let output = command.output().map_err(|error| GitError::NotRun { message: error.to_string() })?;
        Ok(Ran {
            success: output.status.success(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            truncated: false,
        })
    }
}

pub(crate) fn clean_git(dir: &Path) -> process::Command {
    let mut command = process::Command::new("git");
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", "/nonexistent");
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@example.org");
    }
    command.current_dir(dir);
    command
}

pub(crate) struct World {
    pub(crate) _temporary: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) git: RealGit,
    pub(crate) limits: Limits,
}

impl World {
    pub(crate) fn new() -> World {
        let temporary = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temporary.path()).unwrap();
        let git = RealGit { runs: Cell::new(0) };
        World {
            _temporary: temporary,
            root,
            git,
            limits: Limits { time: Duration::from_secs(60), ..Limits::default() },
        }
    }

    pub(crate) fn repository() -> World {
        let world = World::new();
        world.run(&["init", "-q", "-b", "main"]);
        world
    }

    /// Writes a file of so many bytes.
    pub(crate) fn file(&self, path: &str, bytes: usize) {
        self.text(path, &"x".repeat(bytes));
    }

    pub(crate) fn text(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn run(&self, arguments: &[&str]) {
        let output = clean_git(&self.root).args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    pub(crate) fn commit(&self, message: &str) {
        self.run(&["add", "-A"]);
        self.run(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    pub(crate) fn measure(&self, line: &str) -> Vec<Finding> {
        self.measure_in(&self.root, line)
    }

    pub(crate) fn measure_in(&self, dir: &Path, line: &str) -> Vec<Finding> {
        let home = self.root.join("home");
        let survey = Survey {
            git: &self.git,
            now: SystemTime::now() + Duration::from_secs(7200),
            home: Some(&home),
            limits: self.limits,
        };
        analyse(Command::Line(line), dir, Some(&home))
            .iter()
            .flat_map(|danger| survey.measure(danger))
            .collect()
    }

    /// Compares all that is said, with the root directory as `ROOT`.
    #[track_caller]
    pub(crate) fn check(&self, line: &str, expected: &[&str]) {
        let said = self.said(&self.measure(line));
        assert_eq!(said, expected, "for the line {line:?}");
    }

    pub(crate) fn said(&self, findings: &[Finding]) -> Vec<String> {
        let root = self.root.to_str().unwrap();
        let lines =
            findings.iter().flat_map(|finding| std::iter::once(&finding.title).chain(&finding.details));
        let hashed = |line: &String| match line.strip_prefix("commit ") {
            Some(rest) => format!("commit HASH {}", rest.split_once(' ').unwrap().1),
            None => line.clone(),
        };
        lines.map(hashed).map(|line| line.replace(root, "ROOT")).collect()
    }

    #[track_caller]
    pub(crate) fn check_contains(&self, line: &str, expected: &[&str]) {
        let said = self.said(&self.measure(line)).join("\n");
        for text in expected {
            assert!(said.contains(text), "`{text}` is not said for {line:?}:\n{said}");
        }
    }
}
