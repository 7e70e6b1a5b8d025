//! A finding: one thing about a package's folder that its author should know.

use super::secrets::Secret;
use super::select::RefusedFile;
use pintle_manifest::{PackagePath, Severity};

/// One thing that is wrong with the files of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether it keeps the package from being made.
    pub severity: Severity,
    /// A stable code, such as `package.entry_missing`.
    pub code: &'static str,
    /// The file it is about, if it is about one.
    pub path: Option<PackagePath>,
    /// What is wrong, in lower case and without a full stop.
    pub message: String,
    /// What to do about it, if there is something to say.
    pub help: Option<String>,
}

impl Finding {
    /// Makes an error.
    pub(super) fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, path: None, message: message.into(), help: None }
    }

    /// Makes a warning.
    pub(super) fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Names the file.
    pub(super) fn at(mut self, path: &PackagePath) -> Self {
        self.path = Some(path.clone());
        self
    }

    /// Adds what to do about it.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Tells whether it keeps the package from being made.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl From<&RefusedFile> for Finding {
    fn from(refused: &RefusedFile) -> Self {
        Self::error(refused.reason.code(), refused.to_string())
            .help("rename it, or leave it out with `[extension] exclude`")
    }
}

impl From<&Secret> for Finding {
    fn from(secret: &Secret) -> Self {
        Self::error("package.secret", secret.to_string())
            .at(&secret.path)
            .help("leave it out with `[extension] exclude`, or allow this very file when you package")
    }
}
