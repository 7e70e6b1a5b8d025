//! `trust`: grants what an extension asks for, and takes grants back. Changes no set, and waits for no installation.

use super::context::Context;
use super::local::{LocalError, read_manifest};
use crate::index::Runtime;
use crate::store::{Installed, Lease, LeaseError, Set, Source, StateError};
use crate::trust::{Ask, Coverage, Grant, Grants, How, Meaning, Stake, Subject};
use jiff::Timestamp;
use pintle_manifest::{Name, nearest};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A grant that is to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGrant {
    /// The extension.
    pub name: Name,
    /// Its content.
    pub subject: Subject,
    /// What is allowed.
    pub grant: Grant,
}

impl NewGrant {
    /// Grants all that is asked for.
    pub fn of(ask: &Ask, how: How, at: Timestamp) -> Self {
        let (version, permissions) = (ask.version.clone(), ask.permissions.clone());
        let grant = Grant { version, permissions, at, how };
        Self { name: ask.name.clone(), subject: ask.subject.clone(), grant }
    }
}

/// Says why grants were not changed.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// It is neither installed nor granted anything.
    #[error("`{name}` is not installed")]
    NotInstalled {
        /// The name.
        name: Name,
        /// The name most like it.
        similar: Option<String>,
    },
    /// A linked folder can't be read, so it is not known what it asks for.
    #[error("can't see what `{name}` asks for")]
    Folder {
        /// The extension.
        name: Name,
        /// Why.
        #[source]
        source: LocalError,
    },
    /// The grants or the set can't be read or written.
    #[error(transparent)]
    State(#[from] StateError),
    /// Another process would not give way.
    #[error(transparent)]
    Lease(#[from] LeaseError),
}

/// What extensions of a set ask for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// Those that were not granted all that they ask for.
    pub asks: Vec<Ask>,
    /// Those that need no more: they were granted all of it, or ask for nothing.
    pub settled: Vec<Name>,
}

/// Finds what these extensions of the set ask for and were not granted; all of the set, if none is named.
pub fn asked(context: &Context<'_>, names: &[Name]) -> Result<Asked, TrustError> {
    let set = context.scope.generations().read_current()?;
    let grants = Grants::read(&context.scope.home)?;
    if let Some(name) = names.iter().find(|name| !has(set.as_ref(), name)) {
        return Err(not_installed(set.as_ref(), &grants, name));
    }
    let mut asked = Asked::default();
    let meant = |name: &Name| names.is_empty() || names.contains(name);
    for (name, one) in set.iter().flat_map(|set| &set.extensions).filter(|(name, _)| meant(name)) {
        match ask(context, &grants, name, one) {
            Ok(Some(ask)) => asked.asks.push(ask),
            Ok(None) => asked.settled.push(name.clone()),
            // A folder that nobody named is not what this is about.
            Err(_) if names.is_empty() => {}
            Err(source) => return Err(TrustError::Folder { name: name.clone(), source }),
        }
    }
    Ok(asked)
}

/// Returns what one extension asks for beyond its grants. What a linked folder asks for is what its manifest says now.
fn ask(
    context: &Context<'_>,
    grants: &Grants,
    name: &Name,
    one: &Installed,
) -> Result<Option<Ask>, LocalError> {
    let Some(subject) = Subject::of(one) else { return Ok(None) };
    let mut ask = Ask {
        name: name.clone(),
        version: one.version.clone(),
        subject,
        runtime: one.runtime.clone(),
        permissions: one.permissions.clone(),
        missing: Default::default(),
        stake: Stake::InPlace,
    };
    let mut hosts = one.hosts.clone();
    if let Source::Folder(path) = &one.source {
        let (manifest, _) = read_manifest(Path::new(path))?;
        hosts = manifest.hosts;
        ask.version = manifest.version;
        Runtime::of(&manifest.entry).as_str().clone_into(&mut ask.runtime);
        ask.permissions = manifest.permissions;
    }
    Ok(match grants.covers(name, &ask.subject, &ask.permissions, context.meaning.to(&hosts)) {
        Coverage::Granted => None,
        Coverage::Missing(missing) => Some(Ask { missing, ..ask }),
    })
}

/// Records grants. Returns the names of those that were not recorded, since what they were to be carried over from was
/// taken back meanwhile.
pub fn record(context: &Context<'_>, new: &[NewGrant]) -> Result<Vec<Name>, TrustError> {
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let home = &context.scope.home;
    let lease = context.with_patience(|patience| Lease::take_for_trust(home, patience))?;
    let mut grants = Grants::read(home)?;
    let mut dropped = Vec::new();
    for NewGrant { name, subject, grant } in new {
        let stands = match grant.how {
            How::Asked | How::Flag => true,
            How::Carried { from } => {
                // What is carried over is what is there, word for word.
                let (meaning, hosts) = (Meaning::default(), BTreeMap::new());
                let reading = meaning.to(&hosts);
                grants.covers(name, &Subject::Tree(from), &grant.permissions, reading) == Coverage::Granted
            }
        };
        match stands {
            true => grants.insert(name.clone(), subject.clone(), grant.clone()),
            false => dropped.push(name.clone()),
        }
    }
    if dropped.len() < new.len() {
        grants.write(home, &lease)?;
    }
    Ok(dropped)
}

/// What became of taking grants back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revoked {
    /// Each grant that is gone.
    pub gone: Vec<NewGrant>,
    /// The names that had none.
    pub without: Vec<Name>,
}

/// Says which grants would be taken back, and takes none back.
pub fn would_revoke(context: &Context<'_>, names: &[Name]) -> Result<Revoked, TrustError> {
    Ok(take_back(context, names)?.1)
}

/// Takes back every grant of these names, in all sets of the home.
pub fn revoke(context: &Context<'_>, names: &[Name]) -> Result<Revoked, TrustError> {
    let home = &context.scope.home;
    let lease = context.with_patience(|patience| Lease::take_for_trust(home, patience))?;
    let (grants, revoked) = take_back(context, names)?;
    if !revoked.gone.is_empty() {
        grants.write(home, &lease)?;
    }
    Ok(revoked)
}

fn take_back(context: &Context<'_>, names: &[Name]) -> Result<(Grants, Revoked), TrustError> {
    let mut grants = Grants::read(&context.scope.home)?;
    // A set that can't be read is no reason not to take a grant back.
    let (set, is_readable) = match context.scope.generations().read_current() {
        Ok(set) => (set, true),
        Err(_) => (None, false),
    };
    let mut revoked = Revoked::default();
    let names: BTreeSet<&Name> = names.iter().collect();
    for name in names {
        let gone = grants.revoke(name);
        if gone.is_empty() {
            if is_readable && !has(set.as_ref(), name) {
                return Err(not_installed(set.as_ref(), &grants, name));
            }
            revoked.without.push(name.clone());
        }
        let gone = gone.into_iter();
        revoked.gone.extend(gone.map(|(subject, grant)| NewGrant { name: name.clone(), subject, grant }));
    }
    Ok((grants, revoked))
}

fn has(set: Option<&Set>, name: &Name) -> bool {
    set.is_some_and(|set| set.extensions.contains_key(name))
}

fn not_installed(set: Option<&Set>, grants: &Grants, name: &Name) -> TrustError {
    let installed = set.into_iter().flat_map(|set| set.extensions.keys());
    let known = installed.chain(grants.iter().map(|(name, ..)| name)).map(Name::as_str);
    TrustError::NotInstalled { name: name.clone(), similar: nearest(name.as_str(), known).map(str::to_owned) }
}
