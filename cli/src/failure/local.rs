//! Failures of folders and archives on this machine, and of what people type to name things.

use super::Failure;
use crate::exit::Exit;
use pintle_registry::operations::local::LocalError;
use pintle_registry::operations::spec::SpecError;

impl From<LocalError> for Failure {
    fn from(error: LocalError) -> Self {
        match error {
            LocalError::NotAnExtension { .. } => Self::of("local.not_an_extension", &error)
                .hint("an extension has an `extension.toml`; start one with `pintle new NAME`"),
            LocalError::NoManifest { .. } => {
                Self::of("local.no_manifest", &error).hint("a package archive is made by `pintle package`")
            }
            LocalError::Manifest { ref path, ref text, ref problems } => {
                Self::of("manifest.invalid", &error).places(path, text, problems)
            }
            LocalError::OtherName { .. } => {
                Self::of("local.other_name", &error).hint("mend the name in `pintle.toml`, or the path")
            }
            LocalError::ChangedArchive { .. } => Self::of("integrity.changed_archive", &error)
                .exit(Exit::Integrity)
                .hint("a release never changes; raise its version, or uninstall it first"),
            LocalError::Archive { path, source } => Self::from(source).in_archive(&path),
            LocalError::Fs(error) => error.into(),
        }
    }
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Self {
        let hint = match error {
            SpecError::Name { .. } => {
                "name an extension (`blast-radius`), a folder (`./blast-radius`) or an archive"
            }
            SpecError::Requirement { .. } => "write `NAME@1.2.3` for exactly one, or `NAME@^1.2` for a range",
            SpecError::Twice { .. } => "name it once",
        };
        Self::of("spec.invalid", &error).exit(Exit::Usage).hint(hint)
    }
}
