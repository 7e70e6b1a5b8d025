//! SPECs: what a person types to say what to install. `name`, `name@requirement`, a folder, or a package archive.

use pintle_manifest::{Name, NameError, Requirement, RequirementError, Version};

/// What to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spec {
    /// The newest that fits.
    Newest(Name),
    /// Whatever this requirement allows. A full version is a pin.
    Required(Name, Requirement),
    /// The extension in this folder, linked for development.
    Folder(String),
    /// The extension in this package archive.
    Archive(String),
}

/// Says why a text is no SPEC.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SpecError {
    /// The part before `@` is no name.
    #[error("`{}` is not the name of an extension", pintle_manifest::Untrusted(text))]
    Name {
        /// The text.
        text: String,
        /// What is wrong with it.
        #[source]
        source: NameError,
    },
    /// The part after `@` is no requirement.
    #[error("`{}` does not say which version", pintle_manifest::Untrusted(text))]
    Requirement {
        /// The text.
        text: String,
        /// What is wrong with it.
        #[source]
        source: RequirementError,
    },
    /// Two SPECs name the same extension.
    #[error("`{name}` is asked for twice")]
    Twice {
        /// The name.
        name: Name,
    },
}

impl Spec {
    /// Parses a SPEC. What looks like a path (`./x`, `../x`, `/x`, `.`, `x.tar.gz`, anything with a `/`) is one.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        if text.ends_with(".tar.gz") || text.ends_with(".tgz") {
            return Ok(Self::Archive(text.to_owned()));
        }
        if text.contains(['/', '\\']) || text == "." || text == ".." {
            return Ok(Self::Folder(text.to_owned()));
        }
        let (name, requirement) = match text.split_once('@') {
            Some((name, requirement)) => (name, Some(requirement)),
            None => (text, None),
        };
        let name = Name::parse(name).map_err(|source| SpecError::Name { text: name.to_owned(), source })?;
        match requirement {
            None => Ok(Self::Newest(name)),
            Some(requirement) => Ok(Self::Required(name, parse_requirement(requirement)?)),
        }
    }
}

/// A full version means exactly that one: who names it wants it and no other.
pub(super) fn parse_requirement(text: &str) -> Result<Requirement, SpecError> {
    match Version::parse(text.trim()) {
        Ok(version) => Ok(Requirement::exact(&version)),
        Err(_) => Requirement::parse(text)
            .map_err(|source| SpecError::Requirement { text: text.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests {
    use super::Spec;

    #[test]
    fn a_spec_is_a_name_a_folder_or_an_archive() {
        let check = |text: &str, expected: &str| {
            let actual = match Spec::parse(text) {
                Ok(Spec::Newest(name)) => format!("newest {name}"),
                Ok(Spec::Required(name, requirement)) => format!("{name} {requirement}"),
                Ok(Spec::Folder(path)) => format!("folder {path}"),
                Ok(Spec::Archive(path)) => format!("archive {path}"),
                Err(error) => error.to_string(),
            };
            assert_eq!(actual, expected, "{text}");
        };
        check("abc", "newest abc");
        check("abc@latest", "`latest` does not say which version");
        check("abc@1.2.3", "abc =1.2.3");
        check("abc@1.2", "abc ^1.2");
        check("abc@>=1, <3", "abc >=1, <3");
        check("./abc", "folder ./abc");
        check(".", "folder .");
        check("abc-1.0.0.tar.gz", "archive abc-1.0.0.tar.gz");
        check("Abc", "`Abc` is not the name of an extension");
        check("abc@newest", "`newest` does not say which version");
        check("--help", "`--help` is not the name of an extension");
    }
}
