//! What is wrong with what is installed, and what happened to it. Each module looks at one thing and returns
//! [`Finding`]s: [`sets`] at the texts and files, [`extensions`] at the stages and what is kept of each,
//! [`interpreters`] at what must be on the machine, [`hosts`] and [`leftovers`] at what was killed, [`history`] at past
//! runs, with [`traces`] for those that were traced. [`examination`] asks them all.
//!
//! Nothing of an extension is run. What can't be read is a finding, and the rest is looked at all the same.

mod examination;
mod extensions;
mod finding;
mod history;
mod hosts;
mod interpreters;
mod leftovers;
mod sets;
mod traces;

pub(crate) use examination::{Diagnosis, diagnose, mend};
pub(crate) use finding::{Finding, Severity};
