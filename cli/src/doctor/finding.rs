//! What a check finds: a stable code, how bad it is, where it is, and what to do next.

use crate::failure::Failure;
use pintle_manifest::Name;
use std::path::{Path, PathBuf};

/// How bad something is. What is worse comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    /// Something does not work.
    Error,
    /// It works, and not as it should.
    Warning,
    /// Nothing is wrong; somebody may want to know.
    Note,
}

impl Severity {
    /// Returns it in a word.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// Something that a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub severity: Severity,
    pub code: &'static str,
    pub message: String,
    /// The extension that it is about.
    pub extension: Option<Name>,
    /// The file or directory that it is about.
    pub file: Option<PathBuf>,
    /// The key or the name within that.
    pub key: Option<String>,
    /// What to do next.
    pub next: Option<String>,
    /// Whether `--fix` mends it.
    pub mendable: bool,
    /// Whether it was mended just now.
    pub mended: bool,
}

impl Finding {
    fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity,
            code,
            message: message.into(),
            extension: None,
            file: None,
            key: None,
            next: None,
            mendable: false,
            mended: false,
        }
    }

    /// Makes one of something that does not work.
    pub(crate) fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// Makes one of something that works, and not as it should.
    pub(crate) fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// Makes one of something that is as it may be.
    pub(crate) fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    /// Makes one of what would have stopped another command.
    pub(crate) fn of_failure(failure: &Failure) -> Self {
        let mut finding = Self::error(failure.code, failure.line());
        finding.file = failure.file().map(PathBuf::from);
        finding.next = Some(match failure.hints() {
            [] => "mend it where it says; it is left as it is".to_owned(),
            hints => hints.join("; "),
        });
        finding
    }

    /// Says which extension it is about.
    pub(crate) fn of(mut self, name: &Name) -> Self {
        self.extension = Some(name.clone());
        self
    }

    /// Says which file it is about.
    pub(crate) fn at(mut self, file: &Path) -> Self {
        self.file = Some(file.to_owned());
        self
    }

    /// Says which key it is about.
    pub(crate) fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Says what to do next.
    pub(crate) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    /// Says that `--fix` mends it.
    pub(crate) const fn mendable(mut self) -> Self {
        self.mendable = true;
        self
    }

    /// Tells whether something is wrong, and still is.
    pub(crate) const fn is_wrong(&self) -> bool {
        match self.severity {
            Severity::Error | Severity::Warning => !self.mended,
            Severity::Note => false,
        }
    }

    /// Tells whether both are about the same thing, whatever they say of it.
    pub(crate) fn is_about_the_same(&self, other: &Self) -> bool {
        (self.code, &self.extension, &self.file, &self.key)
            == (other.code, &other.extension, &other.file, &other.key)
    }
}
