//! The processes of this machine, as `/proc` shows them. A process is told from a later one with the same number by
//! when it started.

use std::fs;
use std::os::fd::{AsRawFd as _, BorrowedFd};

/// A process, at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) pid: i32,
    pub(super) parent: i32,
    /// When it started, in ticks since the machine did.
    pub(super) started: u64,
    /// Whether it ended, and only waits for its parent to notice.
    pub(super) is_dead: bool,
    /// Whether it was stopped, as by Ctrl-Z.
    pub(super) is_stopped: bool,
    /// The processor time of it and of the children that it waited for, in ticks.
    pub(super) ticks: u64,
}

/// Returns every process that can be seen.
pub(super) fn table() -> Vec<Entry> {
    let Ok(listing) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    listing.flatten().filter_map(|file| entry(file.file_name().to_str()?.parse().ok()?)).collect()
}

/// Returns when a process started, in ticks since the machine did; `None` if it does not run.
pub(crate) fn start_time(pid: u32) -> Option<u64> {
    let entry = entry(i32::try_from(pid).ok()?)?;
    (!entry.is_dead).then_some(entry.started)
}

/// Tells whether a process was stopped, as by Ctrl-Z, and waits to be let go on.
pub(crate) fn is_stopped(pid: u32) -> bool {
    i32::try_from(pid).ok().and_then(entry).is_some_and(|entry| entry.is_stopped)
}

/// Returns one process, if there is one with this number.
pub(super) fn entry(pid: i32) -> Option<Entry> {
    parse(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Returns the number of the process behind a descriptor; `None` when it was waited for already.
pub(super) fn pid_of(pidfd: BorrowedFd<'_>) -> Option<i32> {
    let text = fs::read_to_string(format!("/proc/self/fdinfo/{}", pidfd.as_raw_fd())).ok()?;
    let number = text.lines().find_map(|line| line.strip_prefix("Pid:"))?;
    number.trim().parse().ok().filter(|pid| *pid > 0)
}

/// The name in the second field is the program's own and may hold anything, so what counts begins after its end.
fn parse(pid: i32, stat: &[u8]) -> Option<Entry> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let fields: Vec<&str> = std::str::from_utf8(&stat[end + 1..]).ok()?.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Entry {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        started: number(19)?,
        is_dead: matches!(*fields.first()?, "Z" | "X" | "x"),
        is_stopped: matches!(*fields.first()?, "T" | "t"),
        ticks: number(11)? + number(12)? + number(13)? + number(14)?,
    })
}

#[cfg(test)]
mod tests {
    use super::{Entry, entry, parse, table};

    #[test]
    fn a_name_can_not_pretend_to_be_fields() {
        let stat = b"7 (x) R 1 1) Z 5 5 5 0 -1 4 0 0 0 0 10 20 3 4 20 0 1 0 999 0 0";
        let expected = Entry { pid: 7, parent: 5, started: 999, is_dead: true, is_stopped: false, ticks: 37 };
        assert_eq!(parse(7, stat), Some(expected));
        assert_eq!(parse(7, b"7 (x) R 1"), None);
        assert_eq!(parse(7, b""), None);
    }

    #[test]
    fn this_process_is_in_the_table() {
        let this = i32::try_from(std::process::id()).unwrap();
        assert!(table().iter().any(|entry| entry.pid == this && !entry.is_dead));
        assert_eq!(entry(this).unwrap().pid, this);
    }
}
