//! What an author is told of an extension that would not fit this Pintle, before anyone loads it.

use super::agent;
use pintle_manifest::{Manifest, Problem, Severity, misfits_in};
use pintle_registry::operations::local::LocalError;
use std::path::Path;

/// Returns what does not fit the contracts that this Pintle hosts, at its place in the text of the manifest. Of a
/// host that is none of ours nothing is known, and nothing said.
pub(crate) fn problems(text: &str, manifest: &Manifest) -> Vec<Problem> {
    let contract = agent();
    match manifest.hosts.contains_key(&contract.name) {
        true => misfits_in(text, contract, manifest),
        false => Vec::new(),
    }
}

/// Refuses to ship what this Pintle would not load in any version of its host, as a manifest with any other error is
/// refused.
pub(crate) fn refuse(path: &Path, text: &str, manifest: &Manifest) -> Result<(), LocalError> {
    let problems = problems(text, manifest);
    match problems.iter().any(|problem| problem.severity == Severity::Error) {
        false => Ok(()),
        true => Err(LocalError::Manifest { path: path.to_owned(), text: text.to_owned(), problems }),
    }
}
