//! What the stages say of one extension.

use pintle_manifest::{Name, Version};
use std::fmt;
use std::time::Duration;

/// The steps from an installed extension to a running one, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Its files are what was approved.
    Install,
    /// It may run, and it was granted what it asks for.
    Trust,
    /// Its program or library is there and of the right shape. Nothing of it was run.
    Entry,
    /// It fits the host's contract.
    Compat,
    /// It started, shook hands and registered in time.
    Load,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [Self::Install, Self::Trust, Self::Entry, Self::Compat, Self::Load];

    /// Returns its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Trust => "trust",
            Self::Entry => "entry",
            Self::Compat => "compat",
            Self::Load => "load",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How one stage of one extension went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageReport {
    /// Which stage.
    pub stage: Stage,
    /// How it went.
    pub verdict: Verdict,
    /// How long it took.
    pub took: Duration,
}

/// How a stage went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Passed,
    /// It does not hold.
    Failed(StageFailure),
    /// It was not looked at, since an earlier one failed.
    Skipped,
}

/// Why a stage does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StageFailure {
    /// A stable code, such as `entry.no_program`.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl StageFailure {
    /// Makes one without a hint.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// What the stages say of one extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The extension.
    pub name: Name,
    /// Its version.
    pub version: Version,
    /// Whether the host was told not to go on without it.
    pub required: bool,
    /// Every stage, in order.
    pub stages: Vec<StageReport>,
    /// What its author should know: uses of what is deprecated, each with what to use instead.
    pub warnings: Vec<Warning>,
}

/// Something that works and should not stay as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// A stable code, such as `compat.deprecated`.
    pub code: &'static str,
    /// What it is.
    pub message: String,
}

impl Report {
    /// Makes the report of an extension that fails at one stage before any was measured.
    pub(crate) fn failed(
        name: &Name,
        version: &Version,
        required: bool,
        failed: Stage,
        why: StageFailure,
    ) -> Self {
        let verdict = |stage: Stage| match stage == failed {
            true => Verdict::Failed(why.clone()),
            false => Verdict::Skipped,
        };
        let stages = Stage::ALL
            .map(|stage| StageReport { stage, verdict: verdict(stage), took: Duration::ZERO })
            .to_vec();
        Self { name: name.clone(), version: version.clone(), required, stages, warnings: Vec::new() }
    }

    /// Returns the stage that failed, and why, if one did.
    pub fn failure(&self) -> Option<(Stage, &StageFailure)> {
        self.stages.iter().find_map(|report| match &report.verdict {
            Verdict::Failed(failure) => Some((report.stage, failure)),
            Verdict::Passed | Verdict::Skipped => None,
        })
    }

    /// Tells whether it runs.
    pub fn is_ready(&self) -> bool {
        // One whose last stage was never reached has no line for it.
        self.stages.len() == Stage::ALL.len()
            && self.stages.iter().all(|report| report.verdict == Verdict::Passed)
    }
}
