//! Finding the extension that breaks a command. `candidates` are those that may be to blame; [`search`] decides what to
//! try next and knows nothing of processes; [`trial`] runs the command once with some of the extensions; [`steps`] puts
//! these together; [`evidence`] tells what an extension did in a run.

mod candidates;
mod evidence;
mod search;
mod steps;
mod trial;

pub(crate) use candidates::candidates;
pub(crate) use steps::{Bisection, Found, trial_document};
pub(crate) use trial::Runner;
