//! The host that this Pintle is itself. [`agent`] is its contract, which is part of the program and read once;
//! [`agent_host`] claims and answers everything in it, with the types of [`payload`], and [`change`] says what an
//! extension may make of a command; [`board`] is where extensions meet
//! the person; [`say`] and [`heed`] are what the host says and heeds besides, [`hearing`] when, and
//! [`tally`] sums up what happened. [`fences`] says what all that is worth, and [`fits`] tells authors what would not
//! fit.

pub(crate) mod payload;
mod agent_host;
mod change;
mod board;
mod say;
mod hearing;
mod heed;
pub(crate) mod tally;
pub(crate) mod fences;
pub(crate) mod fits;

pub(crate) use agent_host::{Agent, Trace};
pub(crate) use change::{program_of, words_of};
pub(crate) use heed::heed_disabling;
pub(crate) use say::{Expected, clash_words, expected, report_lines, trace_file};

use pintle_manifest::Contract;
use pintle_registry::trust::Meaning;
use std::sync::OnceLock;

/// Returns the agent contract.
pub(crate) fn agent() -> &'static Contract {
    static AGENT: OnceLock<Contract> = OnceLock::new();
    AGENT.get_or_init(|| Contract::parse(AGENT_TEXT).expect("a test reads the text that is built in"))
}

/// Returns what the contract says of permissions.
pub(crate) fn meaning() -> Meaning {
    Meaning::of([agent()])
}

/// The text of the agent contract.
pub(crate) const AGENT_TEXT: &str = include_str!("agent.toml");

#[cfg(test)]
mod tests {
    use super::AGENT_TEXT;
    use pintle_manifest::Contract;

    #[test]
    fn the_agent_contract_has_no_problems() {
        let read = Contract::read(AGENT_TEXT);
        assert_eq!(read.problems, Vec::new());
        let contract = read.contract.expect("nothing is wrong with it");
        assert_eq!((contract.name.as_str(), contract.version.to_string().as_str()), ("agent", "1.0.0"));
        pintle_loader::Promise::compile(contract).expect("every type compiles");
    }
}
