//! What an author is told of an extension that would not fit this Pintle, before anyone loads it.

use super::agent;
use pintle_manifest::{Contract, HostName, Manifest, Problem, Severity, misfits_in};
use pintle_registry::operations::local::LocalError;
use std::path::Path;

/// What was found of an extension, and with what it was compared.
pub(crate) struct Compared {
    pub(crate) problems: Vec<Problem>,
    /// The hosts whose contracts were at hand.
    pub(crate) with: Vec<HostName>,
    /// The hosts that it serves and of which nothing is known here.
    pub(crate) not_with: Vec<HostName>,
}

/// Compares an extension with the contracts that were named, and with the one that this Pintle hosts if it serves that.
/// The problems are at their places in the text of the manifest.
pub(crate) fn compare(text: &str, manifest: &Manifest, named: &[Contract]) -> Compared {
    let serves = |contract: &&Contract| manifest.hosts.contains_key(&contract.name);
    let is_named = |host: &HostName| named.iter().any(|contract| contract.name == *host);
    let own = Some(agent()).filter(serves).filter(|own| !is_named(&own.name));
    let contracts: Vec<&Contract> = named.iter().chain(own).collect();
    let with: Vec<HostName> = contracts.iter().map(|contract| contract.name.clone()).collect();
    Compared {
        problems: contracts.iter().flat_map(|contract| misfits_in(text, contract, manifest)).collect(),
        not_with: manifest.hosts.keys().filter(|host| !with.contains(host)).cloned().collect(),
        with,
    }
}

/// Refuses to ship what this Pintle would not load in any version of its host, as a manifest with any other error is
/// refused.
pub(crate) fn refuse(path: &Path, text: &str, manifest: &Manifest) -> Result<(), LocalError> {
    let problems = compare(text, manifest, &[]).problems;
    match problems.iter().any(|problem| problem.severity == Severity::Error) {
        false => Ok(()),
        true => Err(LocalError::Manifest { path: path.to_owned(), text: text.to_owned(), problems }),
    }
}
