//! Calls that are the same in every host. A contract takes one by naming it; a host may answer it itself instead.

mod clock;
mod file;
mod log;
mod message;
mod process;
mod release;
mod store;
mod timer;

use super::{Handler, handler};
use serde::{Deserialize, Serialize};

/// Returns what answers a call, if it is one of these.
pub(crate) fn standard(name: &str) -> Option<Handler> {
    Some(match name {
        "clock.now" => handler(clock::now),
        "clock.sleep" => handler(clock::sleep),
        "log" => handler(log::log),
        "store.get" => handler(store::get),
        "store.set" => handler(store::set),
        "bus.emit" => handler(message::emit),
        "bus.subscribe" => handler(message::subscribe),
        "timer.after" => handler(timer::after),
        "release" => handler(release::release),
        "process.run" => handler(process::run),
        "fs.read" => handler(file::read),
        _ => return None,
    })
}

/// Nothing, as an object.
#[derive(Debug, Serialize, Deserialize)]
struct Nothing {}

/// Something that is held, by its number.
#[derive(Debug, Serialize, Deserialize)]
struct HeldNumber {
    entry: u64,
}
