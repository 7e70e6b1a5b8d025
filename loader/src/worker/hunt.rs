//! Finding processes and killing them, where no namespace does it. Never signals a process that only has the number of
//! another that ended meanwhile.

use super::processes::{Entry, entry, table};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::collections::BTreeMap;
use std::time::Instant;

/// Returns what descends from a process: parents before their children, so that a parent dies before it can notice
/// that a child did. `is_spared` names children of the process that are left out with all that is below them.
pub(super) fn descendants(of: i32, is_spared: impl Fn(i32) -> bool) -> Vec<Entry> {
    let mut children = by_parent(table());
    let mut found = children.remove(&of).unwrap_or_default();
    found.retain(|child| !is_spared(child.pid));
    with_descendants(found, children)
}

/// Returns those processes of a table for which `is_meant` holds, and what descends from them.
pub(super) fn trees(table: Vec<Entry>, is_meant: impl Fn(&Entry) -> bool) -> Vec<Entry> {
    let (found, others): (Vec<Entry>, Vec<Entry>) = table.into_iter().partition(is_meant);
    with_descendants(found, by_parent(others))
}

fn by_parent(table: Vec<Entry>) -> BTreeMap<i32, Vec<Entry>> {
    let mut children: BTreeMap<i32, Vec<Entry>> = BTreeMap::new();
    for entry in table {
        children.entry(entry.parent).or_default().push(entry);
    }
    children
}

fn with_descendants(mut found: Vec<Entry>, mut children: BTreeMap<i32, Vec<Entry>>) -> Vec<Entry> {
    let mut next = 0;
    while let Some(parent) = found.get(next) {
        found.extend(children.remove(&parent.pid).unwrap_or_default());
        next += 1;
    }
    found
}

/// Sends a signal to exactly this process. Returns whether it was there.
pub(super) fn signal(target: &Entry, signal: Signal) -> bool {
    let Some(Ok(pidfd)) = Pid::from_raw(target.pid).map(|pid| pidfd_open(pid, PidfdFlags::empty())) else {
        return false;
    };
    // The descriptor holds on to whoever has the number now; only if that is still the one meant, it is signalled.
    let is_same = entry(target.pid).is_some_and(|now| now.started == target.started);
    is_same && pidfd_send_signal(&pidfd, signal).is_ok()
}

/// Stops and then kills what `find` returns, again and again until it returns nothing alive. `pause` is called between
/// rounds and waits a little. Returns whether nothing was left when the time was over.
pub(super) fn hunt(find: impl Fn() -> Vec<Entry>, mut pause: impl FnMut(), until: Instant) -> bool {
    loop {
        let mut found = alive(&find);
        if found.is_empty() {
            return true;
        }
        // What is stopped starts nothing more. Once a look finds nothing new, all of it stands still.
        let mut stopped = Vec::new();
        loop {
            let fresh: Vec<Entry> =
                found.iter().filter(|entry| !is_among(&stopped, entry)).copied().collect();
            if fresh.is_empty() || Instant::now() >= until {
                break;
            }
            for entry in fresh {
                signal(&entry, Signal::STOP);
                stopped.push((entry.pid, entry.started));
            }
            found = alive(&find);
        }
        for entry in &found {
            signal(entry, Signal::KILL);
        }
        // However long the looks took, all that was found is killed once.
        if Instant::now() >= until {
            return false;
        }
        pause();
    }
}

fn alive(find: &impl Fn() -> Vec<Entry>) -> Vec<Entry> {
    find().into_iter().filter(|entry| !entry.is_dead).collect()
}

fn is_among(stopped: &[(i32, u64)], entry: &Entry) -> bool {
    stopped.contains(&(entry.pid, entry.started))
}
