//! Failures of archives. Each kind has its own code; here is only what to do about it.

use super::Failure;
use crate::exit::Exit;
use pintle_registry::archive::ArchiveError;
use std::path::Path;

impl From<ArchiveError> for Failure {
    fn from(error: ArchiveError) -> Self {
        let error = match error {
            ArchiveError::Disk(error) => return error.into(),
            other => other,
        };
        let Some(code) = error.code() else { return Self::of("interrupted", &error).exit(Exit::Interrupted) };
        let mut failure = Self::of(code, &error).exit(Exit::Integrity);
        if let Some(entry) = error.blamed() {
            failure = failure.detail("entry", entry.to_string());
        }
        match &error {
            ArchiveError::WrongSize { start, .. } | ArchiveError::WrongDigest { start, .. } => {
                failure.hint(received(start)).hint("nothing was unpacked; nothing was changed")
            }
            ArchiveError::NotGzip { start } => failure.hint(received(start)),
            ArchiveError::NotAFile { .. } | ArchiveError::Empty { .. } => {
                failure.hint("a package archive is made by `pintle package`")
            }
            _ => failure.hint("a package archive has one encoding; make it with `pintle package`"),
        }
    }
}

impl Failure {
    /// Says in which archive it was.
    pub(crate) fn in_archive(self, path: &Path) -> Self {
        let causes = std::iter::once(self.message).chain(self.causes).collect();
        Self { message: format!("can't use the archive `{}`", path.display()), causes, ..self }
    }
}

/// Says what came instead of an archive, since that tells a web page from a cut download.
fn received(start: &[u8]) -> String {
    let shown = start.iter().take(48).flat_map(|byte| std::ascii::escape_default(*byte)).map(char::from);
    let shown: String = shown.collect();
    let text = String::from_utf8_lossy(start).trim_start().to_ascii_lowercase();
    match text.starts_with("<!doctype") || text.starts_with("<html") {
        true => format!("it begins like a web page (`{shown}`): a proxy or a login page may be in the way"),
        false if start.starts_with(&[0x1f, 0x8b]) => {
            "it begins like an archive: it may be cut or changed".to_owned()
        }
        false => format!("it begins with `{shown}`"),
    }
}
