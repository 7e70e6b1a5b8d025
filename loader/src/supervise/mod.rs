//! Supervision: what becomes of an extension that fails. [`intensity`] decides and is pure; [`member`] is one
//! extension of a host with its current instance; [`restart`] watches it, starts it anew, or puts it away.

mod intensity;
mod member;
mod restart;

pub(crate) use member::{Binding, Live, Member, State};
pub(crate) use restart::{fault, fault_at_the_end, full, load, start_fault, take_down, watch};
