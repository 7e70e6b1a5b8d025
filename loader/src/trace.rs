//! What a host can be told of everything that happens: each dispatch, outcome, fault and duration. Values only; where
//! they go is the host's business.

use pintle_manifest::Name;
use serde::Serialize;

/// Why something is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// A stable code.
    pub code: String,
    /// What is wrong.
    pub message: String,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum TraceEvent {
    /// A stage of an extension ended.
    Stage {
        /// The extension.
        extension: Name,
        /// The stage.
        stage: &'static str,
        /// Whether it passed.
        passed: bool,
        /// How long it took, in microseconds.
        took_us: u64,
        /// Why it did not pass.
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        failure: Option<Trouble>,
    },
    /// A hook fires.
    Dispatch {
        /// The hook.
        hook: String,
        /// How many extensions are called.
        called: usize,
        /// How many more are bound to it and were filtered out.
        filtered: usize,
    },
    /// An extension answered.
    Outcome {
        /// The hook.
        hook: String,
        /// The extension.
        extension: Name,
        /// Its answer in a word.
        outcome: &'static str,
        /// How long it computed, in microseconds.
        own_us: u64,
        /// How long it took in all, in microseconds.
        wall_us: u64,
        /// The reason of a block, or what a question asks.
        #[serde(skip_serializing_if = "Option::is_none")]
        said: Option<String>,
    },
    /// The question of a guard was put to a person, or could not be.
    Asked {
        /// The extension.
        extension: Name,
        /// What it asked.
        title: String,
        /// `yes`, `no`, or `nobody`.
        answer: &'static str,
    },
    /// An extension failed.
    Fault {
        /// The extension.
        extension: Name,
        /// A stable code.
        code: String,
        /// What happened.
        message: String,
    },
    /// An extension asked something of the host.
    Call {
        /// The extension.
        extension: Name,
        /// The call.
        call: String,
        /// The code of the error, if it was one.
        error: Option<String>,
        /// How long it took, in microseconds.
        took_us: u64,
    },
    /// Items of a stream were dropped.
    Dropped {
        /// The hook.
        hook: String,
        /// The extension whose queue was full.
        extension: Name,
        /// How many.
        count: u64,
    },
    /// The load of an extension ended.
    Disposed {
        /// The extension.
        extension: Name,
        /// How much it held.
        released: usize,
        /// What had to be forced.
        forced: Vec<String>,
        /// How long it took, in microseconds.
        took_us: u64,
    },
}
