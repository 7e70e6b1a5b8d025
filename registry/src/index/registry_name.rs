//! The names by which a user calls registries. Says nothing about where they are.

use pintle_manifest::{HostName, NameError};

/// Names a registry on this machine: 2 to 64 characters of `[a-z0-9-]`, a letter first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RegistryName(String);

impl RegistryName {
    /// Parses the name of a registry, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        HostName::parse(text)?;
        Ok(Self(text.to_owned()))
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for RegistryName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.0)
    }
}

impl std::str::FromStr for RegistryName {
    type Err = NameError;
    fn from_str(text: &str) -> Result<Self, NameError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for RegistryName {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        Self::parse(&text)
    }
}

impl From<RegistryName> for String {
    fn from(name: RegistryName) -> Self {
        name.0
    }
}
