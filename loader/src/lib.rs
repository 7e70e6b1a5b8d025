//! Runs what is installed, holds it to its host's contract, and takes it off with nothing left behind.
//!
//! A host is built from a contract: [`HostBuilder`] claims every hook, answers every call and takes every slot that the
//! contract promises. It is started with a set of [`Bundle`]s, which go through the [`stage`]s, and from then on the
//! dispatchers of [`hook`] are the only way to call out, and the contract's calls the only way back in. What an extension
//! holds is in the [`ledger`]; what ends it is [`dispose`].
//!
//! The crate prints nothing, reads no environment and knows no registry. It needs a tokio runtime around it, and no
//! type of it appears in a signature. A program that embeds it calls [`worker::enter`] at the top of its `main`.

pub mod bundle;
pub mod contract;
pub mod stage;
pub mod worker;
mod runtime;
mod supervise;
pub mod hook;
pub mod call;
mod bus;
pub mod slot;
pub mod ledger;
pub mod dispose;
pub mod keep;
pub mod trace;
mod host;
pub mod doctor;

pub use bundle::{Bundle, Candidate};
pub use contract::Promise;
pub use host::{BuildError, ChangeError, Host, HostBuilder, Notice, Started};
pub use pintle_sdk::protocol::Question;
pub use runtime::{Fault, FaultKind};
