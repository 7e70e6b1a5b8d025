//! Several registries side by side. A name belongs to exactly one of them: there is no "highest version of all",
//! and a registry that can't be read is an error, never a reason to ask the next one.

use super::candidate::Candidates;
use super::error::IndexError;
use super::glob::NameGlob;
use super::package::Package;
use super::registry::Registry;
use super::registry_name::RegistryName;
use pintle_manifest::{Name, nearest};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Holds the registries that a user configured, by name.
#[derive(Debug, Default)]
pub struct Registries {
    members: BTreeMap<RegistryName, Member>,
}

#[derive(Debug)]
struct Member {
    registry: Result<Registry, Arc<IndexError>>,
    claims: Vec<NameGlob>,
}

/// Says why it is not known which registry a name belongs to.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// The name is bound to a registry that is not configured.
    #[error("there is no registry `{registry}`")]
    UnknownRegistry {
        /// The name of the registry.
        registry: RegistryName,
        /// The configured name that is most like it, if one is.
        nearest: Option<RegistryName>,
    },
    /// Several registries have it, and nothing says which is meant.
    #[error("`{name}` is in several registries ({}), and nothing says which one is meant", list(registries))]
    Ambiguous {
        /// The name.
        name: Name,
        /// The registries that have it.
        registries: Vec<RegistryName>,
    },
    /// A registry that must be asked can't be read.
    #[error(transparent)]
    Index(Arc<IndexError>),
}

fn list(registries: &[RegistryName]) -> String {
    registries.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl Registries {
    /// Makes a client of no registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a registry, also one that could not be opened: that is an error as soon as a name needs it, and not
    /// before. `claims` are patterns of names that belong to it alone.
    pub fn add(&mut self, name: RegistryName, registry: Result<Registry, IndexError>, claims: Vec<NameGlob>) {
        self.members.insert(name, Member { registry: registry.map_err(Arc::new), claims });
    }

    /// Returns the registries, by name, with why those can't be read that can't.
    pub fn iter(&self) -> impl Iterator<Item = (&RegistryName, Result<&Registry, &Arc<IndexError>>)> {
        self.members.iter().map(|(name, member)| (name, member.registry.as_ref()))
    }

    /// Returns a registry by its name.
    pub fn get(&self, name: &RegistryName) -> Result<&Registry, FindError> {
        let unknown = || FindError::UnknownRegistry {
            registry: name.clone(),
            nearest: nearest(name.as_str(), self.members.keys().map(RegistryName::as_str))
                .and_then(|text| RegistryName::parse(text).ok()),
        };
        let member = self.members.get(name).ok_or_else(unknown)?;
        member.registry.as_ref().map_err(|error| FindError::Index(Arc::clone(error)))
    }

    /// Returns the registries that are asked for a name: the one it is bound to, else those that claim it, else all.
    pub fn asked<'a>(&'a self, name: &Name, bound: Option<&'a RegistryName>) -> Vec<&'a RegistryName> {
        if let Some(bound) = bound {
            return vec![bound];
        }
        let claims = |member: &Member| member.claims.iter().any(|claim| claim.matches(name.as_str()));
        let claimants: Vec<_> =
            self.members.iter().filter(|(_, member)| claims(member)).map(|(name, _)| name).collect();
        match claimants.is_empty() {
            true => self.members.keys().collect(),
            false => claimants,
        }
    }

    /// Returns the one registry that has a name; `None` if none of those asked has it.
    pub fn locate(&self, name: &Name, bound: Option<&RegistryName>) -> Result<Option<&Registry>, FindError> {
        let mut found = Vec::new();
        for asked in self.asked(name, bound) {
            let registry = self.get(asked)?;
            if registry.contains(name).map_err(|error| FindError::Index(Arc::new(error)))? {
                found.push(registry);
            }
        }
        match found.as_slice() {
            [] => Ok(None),
            [registry] => Ok(Some(registry)),
            several => {
                let registries = several.iter().map(|registry| registry.name().clone()).collect();
                Err(FindError::Ambiguous { name: name.clone(), registries })
            }
        }
    }

    /// Finds a package in the one registry that has it.
    pub fn find(
        &self,
        name: &Name,
        bound: Option<&RegistryName>,
    ) -> Result<Option<(RegistryName, Arc<Package>)>, FindError> {
        self.read(name, bound, Registry::package)
    }

    /// Finds what choosing needs of a package, in the one registry that has it.
    pub fn candidates(
        &self,
        name: &Name,
        bound: Option<&RegistryName>,
    ) -> Result<Option<(RegistryName, Arc<Candidates>)>, FindError> {
        self.read(name, bound, Registry::candidates)
    }

    fn read<T>(
        &self,
        name: &Name,
        bound: Option<&RegistryName>,
        read: impl Fn(&Registry, &Name) -> Result<Option<T>, IndexError>,
    ) -> Result<Option<(RegistryName, T)>, FindError> {
        let registry = match self.asked(name, bound).as_slice() {
            // Where only one can have it, that it has it is seen by reading.
            [only] => self.get(only)?,
            _ => match self.locate(name, bound)? {
                Some(registry) => registry,
                None => return Ok(None),
            },
        };
        let value = read(registry, name).map_err(|error| FindError::Index(Arc::new(error)))?;
        Ok(value.map(|value| (registry.name().clone(), value)))
    }
}
