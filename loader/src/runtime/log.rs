//! What an extension prints and logs: the last 64 KiB in memory, for reports, and a bounded file if the host keeps
//! one. Never the host's own output.

use crate::keep::files;
use jiff::Timestamp;
use pintle_manifest::Untrusted;
use std::collections::VecDeque;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;

/// How much is kept in memory, in bytes.
const KEPT: usize = 64 * 1024;
/// How long a line may be before it is cut, in bytes.
const LINE: usize = 4 * 1024;
/// How long the file may be before it makes place for a new one, in bytes.
const FILE: u64 = 1024 * 1024;

/// The labels of what was printed, by stream.
const STREAMS: [&str; 2] = ["out", "err"];

/// The log of one extension.
#[derive(Debug)]
pub(crate) struct Log {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    lines: VecDeque<String>,
    bytes: usize,
    /// What came of a line whose end did not come yet, by stream.
    open: [Vec<u8>; 2],
    path: Option<PathBuf>,
    file: Option<File>,
    written: u64,
}

/// Where a line came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

impl Log {
    /// Makes an empty one, with the file that it is also written to. What can't be written is only kept in memory.
    pub(crate) fn new(path: Option<PathBuf>) -> Self {
        Self { inner: Mutex::new(Inner { path, ..Inner::default() }) }
    }

    /// Takes what was printed.
    pub(crate) fn print(&self, from: From, bytes: &[u8]) {
        let mut inner = self.inner.lock().expect("no holder panics");
        let index = match from {
            From::Out => 0,
            From::Err => 1,
        };
        let label = STREAMS[index];
        let mut open = std::mem::take(&mut inner.open[index]);
        for byte in bytes {
            match byte {
                b'\n' => inner.line(label, &std::mem::take(&mut open)),
                // The rest of an endless line is dropped.
                _ if open.len() >= LINE => {}
                byte => open.push(*byte),
            }
        }
        inner.open[index] = open;
    }

    /// Takes a line that the extension logged through the host.
    pub(crate) fn note(&self, level: &str, text: &str) {
        let mut inner = self.inner.lock().expect("no holder panics");
        // Each line has its own label, so that none can pretend to be another's.
        for line in text.lines() {
            let bytes = line.as_bytes();
            inner.line(level, bytes.get(..LINE).unwrap_or(bytes));
        }
    }

    /// Returns the last lines, with what came of an unfinished one.
    pub(crate) fn last(&self, count: usize) -> Vec<String> {
        let inner = self.inner.lock().expect("no holder panics");
        let open = inner.open.iter().zip(STREAMS).filter(|(line, _)| !line.is_empty());
        let open = open.map(|(line, label)| labelled(label, line));
        let lines: Vec<String> = inner.lines.iter().cloned().chain(open).collect();
        lines[lines.len().saturating_sub(count)..].to_vec()
    }
}

/// Returns the line that stands above what one host logs: when it began, and its process.
fn head() -> String {
    let began = i64::try_from(files::now_ms()).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let began = began.map(|began| format!("{began:.0}")).unwrap_or_default();
    format!("---- {began}, process {}\n", std::process::id())
}

/// Returns a line as it is kept. People look at the file with programs that would obey what is in it.
fn labelled(label: &str, bytes: &[u8]) -> String {
    format!("{label}: {}", Untrusted(String::from_utf8_lossy(bytes).trim_end_matches('\r')))
}

impl Inner {
    fn line(&mut self, label: &str, bytes: &[u8]) {
        let text = labelled(label, bytes);
        self.write(&text);
        self.bytes += text.len();
        self.lines.push_back(text);
        while self.bytes > KEPT {
            let Some(gone) = self.lines.pop_front() else { break };
            self.bytes -= gone.len();
        }
    }

    fn write(&mut self, text: &str) {
        let Some(path) = &self.path else { return };
        if self.file.is_none() || self.written > FILE {
            let is_first = self.file.is_none();
            if self.written > FILE {
                let _ = std::fs::rename(path, path.with_extension("log.1"));
            }
            self.file = files::open_to_append(path).ok();
            if let (true, Some(file)) = (is_first, &mut self.file) {
                // What this host logs stands apart from what others did. If it can't be written, the next line can't.
                let _ = file.write_all(head().as_bytes());
            }
            self.written =
                self.file.as_ref().and_then(|file| file.metadata().ok()).map_or(0, |data| data.len());
        }
        let Some(file) = &mut self.file else {
            self.path = None;
            return;
        };
        if file.write_all(format!("{text}\n").as_bytes()).is_err() {
            self.path = None;
        }
        self.written += text.len() as u64 + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{From, Log};

    #[test]
    fn every_line_has_its_label_and_acts_on_no_terminal() {
        let check = |fill: fn(&Log), expected: &[&str]| {
            let log = Log::new(None);
            fill(&log);
            assert_eq!(log.last(10), expected);
        };
        check(|log| log.print(From::Out, b"one\ntwo\r\n"), &["out: one", "out: two"]);
        check(|log| log.note("info", "x\nout: y"), &["info: x", "info: out: y"]);
        check(|log| log.print(From::Err, b"\x1b[2Jgone"), &["err: \\u{1b}[2Jgone"]);
    }
}
