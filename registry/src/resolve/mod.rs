//! Chooses one release for each name, or says in a few sentences why that can't be.
//!
//! Pure: a [`Question`] and a [`Catalog`] go in, an [`Answer`] or a [`ResolveError`] comes out. Reads no file, asks
//! no clock, and prints nothing. It does not know what a registry is: that a name belongs to exactly one of them is
//! settled before a catalog answers.
//!
//! # What may be chosen
//!
//! Everything that does not depend on the choice of other packages is judged first, one candidate at a time
//! (`eligible`), so the search proper (PubGrub, in `solve`) runs only over candidates that could be installed:
//!
//! - **Hosts.** The version of each host at hand is given. Every host that a candidate declares and that is at hand
//!   must fit, upper bounds included; a candidate that declares none of those at hand is not for this host. With no
//!   host at hand nothing is checked. Host versions are compared by plain order, pre-releases too.
//! - **Targets.** A candidate needs an artifact for the target or for `any`.
//! - **Pre-releases** are for those who ask: one is eligible if a direct wish for *that package* names any
//!   pre-release (`>=1.0.0-rc.1`), if [`Question::prereleases`] is true, or if it is what is locked. A dependency
//!   can't ask for its user, and "there is nothing else" is no question either: that error names the newest one. A
//!   wish that names a pre-release opts in for the whole package, which is broader than Cargo's rule of the same
//!   three numbers; `<2.0.0` still never admits `2.0.0-rc.1`.
//! - **Yanked** releases are never newly chosen. One that is locked is kept, with a note, and a direct wish that
//!   pins it (`=1.2.3`) gets it.
//! - **Floors.** Nothing below a package's floor is eligible, so an update never moves down.
//!
//! # What is chosen
//!
//! The locked version if it will do, else the highest that will. PubGrub decides one package after the other, and
//! what is decided early gets its way: first what a person asked for and has already, then packages of which
//! candidate after candidate was turned down, then those in most conflicts, then what is locked, what is asked for,
//! what has the fewest candidates, and at last the first by name. So the answer depends on what is asked and offered,
//! and on nothing else.
//!
//! Since hosts are fixed, a release that needs another one is no node of the search: it is out from the start, and
//! turns up in an explanation like any other conflict. The search is bounded by the rounds that lead nowhere.
//!
//! Reading order: `question`, `answer`, `error`, then `eligible` → `shelf` → `pool` → `solve`, and for what goes
//! wrong `core` → `conflict` → `explain`.

mod question;

mod answer;
mod error;

mod eligible;
mod ranks;
mod shelf;

mod pool;
mod solve;

mod notes;
mod order;

mod conflict;
mod core;
mod explain;

pub use answer::{Answer, Note, Why};
pub use conflict::{Asker, Conflict, Fact, Unusable};
pub use error::{ResolveError, Step};
pub use question::{Candidate, Catalog, Question};
pub use solve::resolve;
