//! Where a contract comes from: a file, or what is built in.

use crate::failure::Failure;
use crate::host::{AGENT_TEXT, agent};
use crate::situation::Situation;
use pintle_manifest::{Contract, MAX_CONTRACT, ReadContract};
use pintle_registry::store::fs;
use std::path::{Path, PathBuf};

/// A contract's text, and what the person called it.
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// Tells whether a word names a contract and not a part of one.
pub(super) fn is_contract(situation: &Situation<'_>, word: &str) -> bool {
    let is_file = || {
        word.contains(['/', '\\'])
            || Path::new(word).extension().is_some_and(|ending| ending == "toml")
            || situation.directory.join(word).is_file()
    };
    word == agent().name.as_str() || is_file()
}

/// Reads the text of a contract. A file of this name goes before the one that is built in.
pub(super) fn read(situation: &Situation<'_>, word: &str) -> Result<Source, Failure> {
    let path = situation.directory.join(word);
    if word == agent().name.as_str() && !path.is_file() {
        return Ok(Source { path: PathBuf::from(word), text: AGENT_TEXT.to_owned() });
    }
    let bytes = fs::read(&path, MAX_CONTRACT as u64 + 4)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source { path: PathBuf::from(word), text }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let message = format!("`{}` is not UTF-8 text, from byte {at} on", path.display());
            Err(Failure::new("contract.encoding", message).hint("save it as UTF-8"))
        }
    }
}

/// Reads a contract that must be right.
pub(super) fn parse(source: &Source) -> Result<Contract, Failure> {
    let ReadContract { contract, problems } = Contract::read(&source.text);
    contract.ok_or_else(|| {
        let message = format!("`{}` is no contract that can be used", source.path.display());
        let failure = Failure::new("contract.invalid", message).places(&source.path, &source.text, &problems);
        failure.hint("mend what is marked; `pintle contract check FILE` checks it again")
    })
}
