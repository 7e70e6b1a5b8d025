//! Reads what `pintle exec --trace` wrote, as a run among others. A line that is none is passed over and counted.

use crate::host::tally::Run;
use pintle_manifest::Name;
use serde::Deserialize;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;

/// The largest trace that is read, in bytes.
const MOST: u64 = 1024 * 1024 * 1024;
/// The longest line, in bytes.
const LONGEST: u64 = 1024 * 1024;

/// One line, as far as it matters here.
#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line {
    Stage { extension: Name, stage: String, passed: bool, took_us: u64 },
    Dispatch { hook: String },
    Outcome { hook: String, extension: Name, own_us: u64 },
    Fault { extension: Name, code: String },
    Call { extension: Name, call: String, error: Option<String> },
    Dropped { extension: Name, count: u64 },
    Asked {},
    Disposed {},
}

/// Reads a trace, and returns how many lines were passed over.
pub(crate) fn read(path: &Path) -> io::Result<(Run, usize)> {
    let (mut run, mut passed_over) = (Run::default(), 0);
    let mut reader = BufReader::new(File::open(path)?.take(MOST));
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if reader.by_ref().take(LONGEST).read_until(b'\n', &mut bytes)? == 0 {
            return Ok((run, passed_over));
        }
        match serde_json::from_slice(&bytes) {
            Ok(line) => note(&mut run, line),
            Err(_) => passed_over += 1,
        }
    }
}

fn note(run: &mut Run, line: Line) {
    match line {
        Line::Stage { extension, stage, passed, took_us } => run.stage(&extension, &stage, passed, took_us),
        Line::Dispatch { hook } => run.fired(&hook),
        Line::Outcome { hook, extension, own_us } => run.answered(&extension, &hook, own_us),
        Line::Fault { extension, code } => run.failed(&extension, &code),
        Line::Call { extension, call, error } => run.asked(&extension, &call, error.as_deref()),
        Line::Dropped { extension, count } => run.dropped(&extension, count),
        Line::Asked {} | Line::Disposed {} => {}
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::host::tally::Run;
    use pintle_loader::trace::TraceEvent;
    use pintle_manifest::Name;
    use std::io::Write as _;

    #[test]
    fn every_event_is_read_as_it_was_written() {
        let name = Name::parse("acme-a").unwrap();
        let hook = "tool.call".to_owned();
        let events = [
            TraceEvent::Stage {
                extension: name.clone(),
                stage: "load",
                passed: true,
                took_us: 1234,
                failure: None,
            },
            TraceEvent::Dispatch { hook: hook.clone(), called: 1, filtered: 0 },
            TraceEvent::Outcome {
                hook: hook.clone(),
                extension: name.clone(),
                outcome: "continue",
                own_us: 5,
                wall_us: 9,
                said: None,
            },
            TraceEvent::Fault {
                extension: name.clone(),
                code: "fault.exited".to_owned(),
                message: String::new(),
            },
            TraceEvent::Call { extension: name.clone(), call: "log".to_owned(), error: None, took_us: 3 },
            TraceEvent::Asked { extension: name.clone(), title: "go on?".to_owned(), answer: "no" },
            TraceEvent::Dropped { hook, extension: name.clone(), count: 8 },
            TraceEvent::Disposed { extension: name.clone(), released: 1, forced: Vec::new(), took_us: 4 },
        ];
        let mut file = tempfile::NamedTempFile::new().unwrap();
        for event in &events {
            writeln!(file, "{}", serde_json::to_string(event).unwrap()).unwrap();
        }
        file.write_all(b"no line\n\xff\n{\"event\":\"other\"}\n{\"event\":\"disp").unwrap();
        let mut expected = Run::default();
        expected.stage(&name, "load", true, 1234);
        expected.fired("tool.call");
        expected.answered(&name, "tool.call", 5);
        expected.failed(&name, "fault.exited");
        expected.asked(&name, "log", None);
        expected.dropped(&name, 8);
        assert_eq!(read(file.path()).unwrap(), (expected, 4));
        assert!(read(std::path::Path::new("/no/such/trace")).is_err());
    }
}
