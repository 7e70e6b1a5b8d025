//! Failures of registries: reading them, publishing to them, changing them.

use super::Failure;
use crate::exit::Exit;
use pintle_registry::index::{
    ChangeError, FindError, GarbageError, IndexError, InitError, PublishError, YankError,
};
use pintle_registry::operations::sources::SourceError;

impl From<&IndexError> for Failure {
    fn from(error: &IndexError) -> Self {
        match error {
            IndexError::Unreachable { .. } => Self::of("registry.unreachable", error)
                .exit(Exit::Network)
                .hint("no other registry is asked instead")
                .hint("use what was seen before with `--offline`"),
            IndexError::Empty { location, .. } => Self::of("registry.empty", error)
                .hint(format!("make one there with `pintle registry init {location}`")),
            IndexError::NotRegistry { .. } => Self::of("registry.not_a_registry", error)
                .hint("look at the path; a registry has a `head.json`"),
            IndexError::BadHead { .. } => Self::of("registry.bad_head", error)
                .exit(Exit::Integrity)
                .hint("if a web page is there, a proxy or a login may be in the way"),
            IndexError::NewerFormat { .. } => Self::of("registry.newer", error).hint("use a newer Pintle"),
            IndexError::Rollback { .. } => Self::of("registry.rollback", error)
                .exit(Exit::Integrity)
                .hint("an older copy is being served; if you restored it yourself, run `pintle cache clean`"),
            IndexError::Diverged { .. } => Self::of("registry.diverged", error).exit(Exit::Integrity).hint(
                "two registries pretend to be one; if you replaced it yourself, run `pintle cache clean`",
            ),
            IndexError::Incomplete { .. } => Self::of("registry.incomplete", error)
                .exit(Exit::Integrity)
                .hint("ask its maintainer to run `pintle registry check`"),
            IndexError::Corrupt { .. } | IndexError::BadObject { .. } => Self::of("registry.corrupt", error)
                .exit(Exit::Integrity)
                .hint("ask its maintainer to run `pintle registry check`"),
            IndexError::NeverSeen { .. } | IndexError::NotCached { .. } => {
                Self::of("offline.not_cached", error)
                    .exit(Exit::Network)
                    .hint("run it once without `--offline`")
            }
        }
    }
}

impl From<IndexError> for Failure {
    fn from(error: IndexError) -> Self {
        Self::from(&error)
    }
}

impl From<&FindError> for Failure {
    fn from(error: &FindError) -> Self {
        match error {
            FindError::UnknownRegistry { nearest, .. } => Self::of("registry.unknown", error)
                .hint_nearest(nearest.as_ref().map(pintle_registry::index::RegistryName::as_str))
                .hint("name it first: `pintle registry add NAME DIR`"),
            FindError::Ambiguous { name, registries } => {
                let first = registries.first().map_or("main", |registry| registry.as_str());
                Self::of("registry.ambiguous", error)
                    .exit(Exit::Refused)
                    .hint(format!("say which: `pintle install {name} --registry {first}`"))
                    .hint("or let one claim it in `pintle.toml`: `names = [\"…\"]` under `[registries.…]`")
                    .detail("registries", registries.iter().map(ToString::to_string).collect::<Vec<_>>())
            }
            FindError::Index(error) => Self::from(&**error),
        }
    }
}

impl From<FindError> for Failure {
    fn from(error: FindError) -> Self {
        Self::from(&error)
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Index(error) => error.into(),
            SourceError::Claim { .. } => Self::of("wishes.bad_claim", &error)
                .hint("a claim is a name, or the beginning of one and `*`"),
            SourceError::Find(error) => error.into(),
            SourceError::Wishes(error) => (*error).into(),
        }
    }
}

impl From<ChangeError> for Failure {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Index(error) => error.into(),
            ChangeError::Disk(error) => error.into(),
            ChangeError::Locked { .. } => {
                Self::of("registry.locked", &error).hint("run it again in a moment")
            }
            ChangeError::Document { .. } => Self::of("registry.too_large", &error),
        }
    }
}

impl From<InitError> for Failure {
    fn from(error: InitError) -> Self {
        match error {
            InitError::NotEmpty { .. } => Self::of("registry.not_empty", &error)
                .hint("name an empty directory, or one that does not exist yet"),
            InitError::Change(error) => error.into(),
        }
    }
}

impl From<GarbageError> for Failure {
    fn from(error: GarbageError) -> Self {
        match error {
            GarbageError::Damaged(_) => Self::of("registry.corrupt", &error)
                .exit(Exit::Integrity)
                .hint("see what is wrong with `pintle registry check`"),
            GarbageError::Change(error) => error.into(),
        }
    }
}

impl From<PublishError> for Failure {
    fn from(error: PublishError) -> Self {
        let (code, hint) = match error {
            PublishError::Archive(error) => return error.into(),
            PublishError::Change(error) => return error.into(),
            PublishError::VersionExists { .. } => {
                ("publish.version_exists", "a release never changes; raise the version")
            }
            PublishError::BuildMetadata { .. } => {
                ("publish.build_metadata", "raise one of the three numbers instead")
            }
            PublishError::MetadataDiffers { .. } => (
                "publish.metadata_differs",
                "package every target from the same manifest, or raise the version",
            ),
            PublishError::NameTooClose { .. } => ("publish.name_too_close", "choose another name"),
            PublishError::NameConfusable { .. } => ("publish.name_confusable", "choose another name"),
            PublishError::DependsOnItself { .. } => {
                ("publish.depends_on_itself", "take it out of `[dependencies]`")
            }
            PublishError::ArchiveDiffers { .. } => ("publish.archive_changed", "package it again and retry"),
            PublishError::TooLarge { .. } => ("publish.too_large", "leave out what users do not need"),
        };
        Self::of(code, &error).hint(hint)
    }
}

impl From<YankError> for Failure {
    fn from(error: YankError) -> Self {
        match error {
            YankError::Change(error) => error.into(),
            YankError::UnknownPackage { ref nearest, .. } => Self::of("yank.unknown_package", &error)
                .hint_nearest(nearest.as_ref().map(pintle_manifest::Name::as_str)),
            YankError::UnknownVersion { ref near, .. } => {
                let near: Vec<String> = near.iter().map(ToString::to_string).collect();
                let failure = Self::of("yank.unknown_version", &error);
                match near.is_empty() {
                    true => failure,
                    false => failure.hint(format!("there are {}", near.join(", "))),
                }
            }
            YankError::NoReason => Self::of("yank.no_reason", &error)
                .exit(Exit::Usage)
                .hint("users see it: `--reason \"loses data, use 1.2.1\"`"),
            YankError::InsteadOfItself { .. } => Self::of("yank.instead_of_itself", &error).exit(Exit::Usage),
        }
    }
}
