//! Where releases come from: the registries that the wishes name, and for a project those of its user as well.

use super::context::{Access, Context, Event};
use super::snapshot::{SnapshotError, read_wishes};
use crate::index::{FindError, IndexError, NameGlob, NameGlobError, Registries, Registry, RegistryName};
use crate::set::{RegistryWish, Wishes};
use crate::store::{Scope, ScopeKind};
use pintle_manifest::Digest;
use std::path::PathBuf;

/// Says why the registries can't be used.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A registry can't be opened.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A claim on names is no pattern.
    #[error("the registry `{registry}` claims names by a pattern that can't be read")]
    Claim {
        /// The registry.
        registry: RegistryName,
        /// What is wrong with it.
        #[source]
        source: NameGlobError,
    },
    /// A name can't be looked up.
    #[error(transparent)]
    Find(#[from] FindError),
    /// The user's own wishes, where a project's missing registries are looked for, can't be read.
    #[error(transparent)]
    Wishes(#[from] Box<SnapshotError>),
}

/// A registry as configured: its name, its directory, and the names it alone is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configured {
    /// The name.
    pub name: RegistryName,
    /// The directory, absolute or relative to the working directory.
    pub place: PathBuf,
    /// The names or patterns that it claims.
    pub names: Vec<String>,
}

/// Lists the registries that a set may use, in order: those of its wishes, then those of the user.
pub fn configured(context: &Context<'_>, wishes: &Wishes) -> Result<Vec<Configured>, SourceError> {
    let mut all = listed(&context.scope, wishes);
    if context.scope.kind != ScopeKind::User {
        let user = Scope::user(&context.scope.home);
        let (wishes, _) = read_wishes(&user).map_err(Box::new)?;
        let own: Vec<Configured> = listed(&user, &wishes);
        all.extend(
            own.into_iter().filter(|one| !all.iter().any(|known| known.name == one.name)).collect::<Vec<_>>(),
        );
    }
    Ok(all)
}

fn listed(scope: &Scope, wishes: &Wishes) -> Vec<Configured> {
    let place = |wish: &RegistryWish| scope.directory().join(&wish.path);
    let one = |(name, wish): &(RegistryName, RegistryWish)| Configured {
        name: name.clone(),
        place: place(wish),
        names: wish.names.clone(),
    };
    wishes.registries.iter().map(one).collect()
}

/// Opens the registries that a set may use. One that can't be read is an error only when a name needs it.
pub fn open(context: &Context<'_>, wishes: &Wishes) -> Result<Registries, SourceError> {
    let mut registries = Registries::default();
    for Configured { name, place, names } in configured(context, wishes)? {
        let registry = open_one(context, &name, &place);
        let claims = names.iter().map(|text| NameGlob::parse(text)).collect::<Result<Vec<_>, _>>();
        let claims = claims.map_err(|source| SourceError::Claim { registry: name.clone(), source })?;
        registries.add(name, registry, claims);
    }
    Ok(registries)
}

/// Opens one registry, with the cache that belongs to its directory.
pub fn open_one(
    context: &Context<'_>,
    name: &RegistryName,
    place: &std::path::Path,
) -> Result<Registry, IndexError> {
    let place = std::fs::canonicalize(place).unwrap_or_else(|_| place.to_owned());
    let key = Digest::of(place.as_os_str().as_encoded_bytes()).to_hex()[..16].to_owned();
    let cache = context.scope.home.cache().join(format!("{name}-{key}"));
    Registry::open(name.clone(), &place, Some(&cache), context.access == Access::Offline)
}

/// Ends the use of registries: keeps what was read for the next time, and tells what it cost.
pub fn close(context: &Context<'_>, registries: &Registries) {
    for (name, registry) in registries.iter() {
        let Ok(registry) = registry else { continue };
        registry.save_cache();
        for warning in registry.take_warnings() {
            (context.events)(Event::Cache(warning.to_string()));
        }
        let traffic = registry.traffic();
        let (requests, bytes) = (traffic.requests, traffic.bytes);
        (context.events)(Event::Traffic { registry: name.clone(), requests, bytes });
    }
}
