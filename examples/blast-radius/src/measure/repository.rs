//! One repository, and the questions that several measurements ask of it.

use super::git::{Git, GitError, Ran, SAFE_ARGUMENTS};
use crate::analyse::GitPlace;
use std::path::{Path, PathBuf};

/// A repository that answered.
pub(super) struct Repository<'a> {
    git: &'a dyn Git,
    dir: PathBuf,
    before: Vec<String>,
    /// Its top directory; of a bare one, its own.
    pub(super) top: PathBuf,
}

/// A file that git would name as changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) path: String,
    /// Whether the file itself is gone from the work tree.
    pub(super) is_missing: bool,
}

impl<'a> Repository<'a> {
    /// Finds the repository that a directory is in; `None` if it is in none.
    pub(super) fn find(
        git: &'a dyn Git,
        dir: &Path,
        place: &GitPlace,
    ) -> Result<Option<Repository<'a>>, GitError> {
        let mut found = Repository::anywhere(git, dir, place);
        let ran = found.run(&["rev-parse", "--show-toplevel"])?;
        if ran.success {
            found.top = PathBuf::from(ran.stdout.trim_end_matches('\n'));
        } else if ran.stderr.contains("not a git repository") {
            return Ok(None);
        } else if !ran.stderr.contains("must be run in a work tree") {
            return Err(failed(&ran));
        }
        found.disarm()?;
        Ok(Some(found))
    }

    /// Asks git in a directory that may be in no repository: settings, and nothing else.
    pub(super) fn anywhere(git: &'a dyn Git, dir: &Path, place: &GitPlace) -> Repository<'a> {
        let mut before: Vec<String> = Vec::new();
        before.extend(place.git_dir.iter().map(|path| format!("--git-dir={path}")));
        before.extend(place.work_tree.iter().map(|path| format!("--work-tree={path}")));
        // What keeps git safe comes last, so that no setting of the line stands above it.
        let settings = place.settings.iter().filter(|(name, _)| name.contains('.'));
        before.extend(settings.flat_map(|(name, value)| ["-c".to_owned(), format!("{name}={value}")]));
        before.extend(SAFE_ARGUMENTS.map(str::to_owned));
        Repository { git, dir: dir.to_owned(), before, top: dir.to_owned() }
    }

    /// A filter is a program that the repository's settings name. It would run where git compares a file's content.
    fn disarm(&mut self) -> Result<(), GitError> {
        let ran = self.run(&[
            "config",
            "--null",
            "--name-only",
            "--get-regexp",
            r"^filter\..*\.(clean|process|required)$",
        ])?;
        for name in ran.stdout.split_terminator('\0') {
            let value = if name.ends_with(".required") { "false" } else { "" };
            self.before.extend(["-c".to_owned(), format!("{name}={value}")]);
        }
        Ok(())
    }

    /// Asks, and takes a failure as an answer.
    pub(super) fn run<S: AsRef<str>>(&self, arguments: &[S]) -> Result<Ran, GitError> {
        let arguments = arguments.iter().map(|text| text.as_ref().to_owned());
        let all: Vec<String> = self.before.iter().cloned().chain(arguments).collect();
        self.git.git(&self.dir, &all)
    }

    /// Asks, and takes a failure for an error.
    pub(super) fn ask<S: AsRef<str>>(&self, arguments: &[S]) -> Result<String, GitError> {
        let ran = self.run(arguments)?;
        match ran {
            Ran { truncated: true, .. } => Err(GitError::TooMuch),
            Ran { success: true, stdout, .. } => Ok(stdout),
            Ran { .. } => Err(failed(&ran)),
        }
    }

    /// Returns the parts of an answer that ends each with a zero byte.
    pub(super) fn ask_list<S: AsRef<str>>(&self, arguments: &[S]) -> Result<Vec<String>, GitError> {
        Ok(self.ask(arguments)?.split_terminator('\0').map(str::to_owned).collect())
    }

    /// Returns the full name of a commit; `None` if git does not know it.
    pub(super) fn commit(&self, name: &str) -> Result<Option<String>, GitError> {
        if name.starts_with('-') {
            return Ok(None);
        }
        let ran = self.run(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")])?;
        Ok(Some(ran.stdout.trim().to_owned()).filter(|text| ran.success && !text.is_empty()))
    }

    /// Returns the current branch; `None` if no branch is checked out.
    pub(super) fn branch(&self) -> Result<Option<String>, GitError> {
        let ran = self.run(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
        Ok(Some(ran.stdout.trim().to_owned()).filter(|text| ran.success && !text.is_empty()))
    }

    /// Returns a setting.
    pub(super) fn setting(&self, name: &str) -> Result<Option<String>, GitError> {
        let ran = self.run(&["config", "--get", name])?;
        Ok(Some(ran.stdout.trim_end_matches('\n').to_owned()).filter(|text| ran.success && !text.is_empty()))
    }

    /// Returns the settings whose names match a pattern.
    pub(super) fn settings(&self, pattern: &str) -> Result<Vec<(String, String)>, GitError> {
        let ran = self.run(&["config", "--null", "--get-regexp", pattern])?;
        match (ran.success, ran.truncated) {
            (_, true) => Err(GitError::TooMuch),
            (false, false) if !ran.stderr.is_empty() => Err(failed(&ran)),
            (_, false) => {
                let parts = ran.stdout.split_terminator('\0');
                let pair =
                    |part: &str| part.split_once('\n').map_or((part.to_owned(), "true".to_owned()), owned);
                Ok(parts.map(pair).collect())
            }
        }
    }

    /// Returns tracked files that differ from the last commit, below some paths if there are any.
    pub(super) fn changed(&self, paths: &[String]) -> Result<Vec<Changed>, GitError> {
        let mut arguments =
            vec!["status", "--porcelain=v2", "-z", "--untracked-files=no", "--ignore-submodules=dirty", "--"];
        arguments.extend(paths.iter().map(String::as_str));
        let lines = self.ask_list(&arguments)?;
        let mut changed = Vec::new();
        let mut lines = lines.iter();
        while let Some(line) = lines.next() {
            let fields = match line.as_bytes().first() {
                Some(b'1') => 8,
                Some(b'2') => {
                    // The name that it had before is a part of its own.
                    lines.next();
                    9
                }
                Some(b'u') => 10,
                Some(_) | None => continue,
            };
            let Some(path) = line.splitn(fields + 1, ' ').nth(fields) else { continue };
            let is_missing = line.as_bytes().get(3) == Some(&b'D');
            changed.push(Changed { path: path.to_owned(), is_missing });
        }
        Ok(changed)
    }

    /// Returns how many lines a diff has that adds and removes.
    pub(super) fn lines<S: AsRef<str>>(&self, arguments: &[S]) -> Result<Vec<FileLines>, GitError> {
        let fixed = [
            "diff",
            "--numstat",
            "-z",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
            "--ignore-submodules=dirty",
        ];
        let all: Vec<&str> = fixed.into_iter().chain(arguments.iter().map(AsRef::as_ref)).collect();
        let parts = self.ask_list(&all)?;
        let read = |text: &str| text.parse().ok();
        Ok(parts
            .iter()
            .filter_map(|part| {
                let mut fields = part.splitn(3, '\t');
                let (added, removed, path) = (fields.next()?, fields.next()?, fields.next()?);
                Some(FileLines { path: path.to_owned(), added: read(added), removed: read(removed) })
            })
            .collect())
    }

    /// Returns commits, newest first: their number, and of the first few the short name and the title.
    pub(super) fn commits<S: AsRef<str>>(&self, range: &[S]) -> Result<(u64, Vec<String>), GitError> {
        let range: Vec<&str> = range.iter().map(AsRef::as_ref).collect();
        let total = self.ask(&[&["rev-list", "--count"], range.as_slice(), &["--"]].concat())?;
        let total = total.trim().parse().unwrap_or(0);
        if total == 0 {
            return Ok((0, Vec::new()));
        }
        let arguments = [
            &["log", "-z", "--max-count=4", "--no-show-signature", "--format=%h %s"],
            range.as_slice(),
            &["--"],
        ];
        Ok((total, self.ask_list(&arguments.concat())?))
    }
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// How many lines a file differs by; `None` for a file that is no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileLines {
    pub(super) path: String,
    pub(super) added: Option<u64>,
    pub(super) removed: Option<u64>,
}

fn failed(ran: &Ran) -> GitError {
    let message = ran.stderr.lines().next().unwrap_or("nothing, but it failed").trim_start_matches("fatal: ");
    GitError::Failed { message: message.to_owned() }
}
