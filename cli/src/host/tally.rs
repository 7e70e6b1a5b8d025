//! What happened in a run, summed up in one line of `PINTLE_HOME/log/runs.jsonl`, so that `pintle doctor` knows it
//! without having been asked before. Each run appends its line at its end, in one piece and without waiting for the disk.
//!
//! The file is bounded: past 256 KiB its older half goes. What can't be written is lost, and stops nothing; what can't
//! be read is passed over and counted. It holds names, numbers and codes, and nothing that a command or an extension
//! said.

use super::Trace;
use jiff::Timestamp;
use pintle_loader::stage::Report;
use pintle_loader::trace::TraceEvent;
use pintle_manifest::{Name, Version};
use pintle_registry::store::fs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The version of a line.
const FORMAT: u32 = 1;
/// Past so many bytes the older half goes.
const MOST: u64 = 256 * 1024;
/// More than this is no file of ours.
const MOST_READ: u64 = 4 * MOST;

/// What happened in one run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    version: u32,
    /// When it was, in milliseconds since 1970.
    pub at_ms: i64,
    /// How often the host fired each hook to which any extension was bound; streams are not among them.
    pub hooks: BTreeMap<String, u64>,
    /// What became of each extension.
    pub extensions: BTreeMap<Name, Seen>,
}

/// What became of one extension in one run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Seen {
    /// Its version, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// How long it took to load, in microseconds; none if it was not loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_us: Option<u64>,
    /// The hooks at which it answered.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hooks: BTreeMap<String, Answers>,
    /// How often it asked which call of the host, whatever came of it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: BTreeMap<String, u64>,
    /// How often it failed, by the code of the fault.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub faults: BTreeMap<String, u64>,
    /// How many items of streams it was too slow for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
}

/// How an extension answered at one hook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answers {
    /// How often.
    pub count: u64,
    /// The own time of all, in microseconds.
    pub total_us: u64,
    /// The own time of the slowest, in microseconds.
    pub max_us: u64,
    /// How many took how long: by the step of [`step_of`].
    pub spread: BTreeMap<u8, u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Returns the step that a time falls into; four steps double the time.
fn step_of(us: u64) -> u8 {
    // A logarithm of 64 bits times four is below 256.
    ((us.max(1) as f64).log2() * 4.0).floor().clamp(0.0, 255.0) as u8
}

/// Returns the longest time of a step, in microseconds.
fn end_of(step: u8) -> u64 {
    2_f64.powf(f64::from(step.saturating_add(1)) / 4.0).floor() as u64
}

impl Answers {
    /// Adds one that took so long.
    pub(crate) fn add(&mut self, own_us: u64) {
        self.count += 1;
        self.total_us = self.total_us.saturating_add(own_us);
        self.max_us = self.max_us.max(own_us);
        *self.spread.entry(step_of(own_us)).or_default() += 1;
    }

    /// Adds those of another run.
    pub(crate) fn add_all(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.total_us = self.total_us.saturating_add(other.total_us);
        self.max_us = self.max_us.max(other.max_us);
        for (step, count) in &other.spread {
            let all = self.spread.entry(*step).or_default();
            *all = all.saturating_add(*count);
        }
    }

    /// Returns the time that 95 of 100 answers kept to, in microseconds, a fifth too long at most.
    pub(crate) fn p95_us(&self) -> u64 {
        let all: u64 = self.spread.values().fold(0, |sum, count| sum.saturating_add(*count));
        let wanted = all - all / 20;
        let mut within = 0_u64;
        for (step, count) in &self.spread {
            within = within.saturating_add(*count);
            if within >= wanted {
                return end_of(*step).min(self.max_us);
            }
        }
        self.max_us
    }
}

impl Run {
    /// Notes that a stage ended.
    pub(crate) fn stage(&mut self, extension: &Name, stage: &str, passed: bool, took_us: u64) {
        if stage == "load" && passed {
            self.seen(extension).load_us = Some(took_us);
        }
    }

    /// Notes that a hook fired.
    pub(crate) fn fired(&mut self, hook: &str) {
        *entry(&mut self.hooks, hook) += 1;
    }

    /// Notes an answer. Of a stream that is all there is: nothing is told of an item that nobody gets.
    pub(crate) fn answered(&mut self, extension: &Name, hook: &str, own_us: u64) {
        entry(&mut self.seen(extension).hooks, hook).add(own_us);
    }

    /// Notes that the host was asked for something. What it has no call for is the extension's own invention.
    pub(crate) fn asked(&mut self, extension: &Name, call: &str, error: Option<&str>) {
        if error != Some("call.unknown") {
            *entry(&mut self.seen(extension).calls, call) += 1;
        }
    }

    /// Notes a fault.
    pub(crate) fn failed(&mut self, extension: &Name, code: &str) {
        *entry(&mut self.seen(extension).faults, code) += 1;
    }

    /// Notes that items of a stream were dropped.
    pub(crate) fn dropped(&mut self, extension: &Name, count: u64) {
        let seen = self.seen(extension);
        seen.dropped = seen.dropped.saturating_add(count);
    }

    fn seen(&mut self, extension: &Name) -> &mut Seen {
        if !self.extensions.contains_key(extension) {
            self.extensions.insert(extension.clone(), Seen::default());
        }
        self.extensions.get_mut(extension).expect("it was put there a line ago")
    }

    fn note(&mut self, event: &TraceEvent) {
        match event {
            TraceEvent::Stage { extension, stage, passed, took_us, failure: _ } => {
                self.stage(extension, stage, *passed, *took_us);
            }
            TraceEvent::Dispatch { hook, called: _, filtered: _ } => self.fired(hook),
            TraceEvent::Outcome { hook, extension, outcome: _, own_us, wall_us: _, said: _ } => {
                self.answered(extension, hook, *own_us);
            }
            TraceEvent::Fault { extension, code, message: _ } => self.failed(extension, code),
            TraceEvent::Call { extension, call, error, took_us: _ } => {
                self.asked(extension, call, error.as_deref());
            }
            TraceEvent::Dropped { hook: _, extension, count } => self.dropped(extension, *count),
            TraceEvent::Asked { .. } | TraceEvent::Disposed { .. } => {}
        }
    }
}

/// Returns the value of a key, without a copy of the key if it is there.
fn entry<'a, T: Default>(map: &'a mut BTreeMap<String, T>, key: &str) -> &'a mut T {
    if !map.contains_key(key) {
        map.insert(key.to_owned(), T::default());
    }
    map.get_mut(key).expect("it was put there a line ago")
}

/// Sums up a run while it goes on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally(Arc<Mutex<Run>>);

impl Tally {
    /// Returns what a host is to tell of everything that happens: this, and another trace if there is one.
    pub(crate) fn beside(&self, other: Option<Trace>) -> Trace {
        let run = Arc::clone(&self.0);
        Box::new(move |event| {
            run.lock().expect("no holder panics").note(event);
            if let Some(other) = &other {
                other(event);
            }
        })
    }

    /// Appends the run to the history in `log`. A run without any extension says nothing.
    pub(crate) fn keep(&self, log: &Path, now: Timestamp, reports: &[&Report]) {
        if reports.is_empty() {
            return;
        }
        let mut run = self.0.lock().expect("no holder panics").clone();
        run.version = FORMAT;
        run.at_ms = now.as_millisecond();
        run.extensions.retain(|name, _| reports.iter().any(|report| report.name == *name));
        for report in reports {
            run.seen(&report.name).version = Some(report.version.clone());
        }
        // The history is for looking back. Whoever ran a command did not ask for it.
        let _ = append(log, &run);
    }
}

fn append(log: &Path, run: &Run) -> io::Result<()> {
    let mut line = serde_json::to_vec(run)?;
    line.push(b'\n');
    let path = history(log);
    let open = || fs::open_to_append(&path).map_err(|error| error.source);
    let mut file = match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            std::fs::create_dir_all(log)?;
            open()?
        }
        other => other?,
    };
    file.write_all(&line)?;
    if file.metadata()?.len() > MOST {
        halve(&path)?;
    }
    Ok(())
}

/// Lets the older half go. A line that another run appends in this instant may go with it.
fn halve(path: &Path) -> io::Result<()> {
    let text = std::fs::read(path)?;
    let kept = match text[text.len() / 2..].iter().position(|byte| *byte == b'\n') {
        Some(end) => &text[text.len() / 2 + end + 1..],
        None => &[],
    };
    let temporary = path.with_extension(format!("jsonl.tmp-{}", std::process::id()));
    let written = OpenOptions::new().create_new(true).write(true).open(&temporary);
    let renamed =
        written.and_then(|mut file| file.write_all(kept)).and_then(|()| std::fs::rename(&temporary, path));
    if renamed.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    renamed
}

/// Returns where the history is.
pub(crate) fn history(log: &Path) -> PathBuf {
    log.join("runs.jsonl")
}

/// The runs that are remembered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Runs {
    /// The runs, oldest first.
    pub runs: Vec<Run>,
    /// How many lines could not be read: torn ones, and those of another format.
    pub passed_over: usize,
}

/// Reads the history. A missing file is an empty one.
pub(crate) fn read_runs(log: &Path) -> fs::Result<Runs> {
    let path = history(log);
    let Some(bytes) = fs::read_if_present(&path, MOST_READ)? else { return Ok(Runs::default()) };
    let mut runs = Runs::default();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice::<Run>(line) {
            Ok(run) if run.version == FORMAT => runs.runs.push(run),
            Ok(_) | Err(_) => runs.passed_over += 1,
        }
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::{Answers, FORMAT, MOST, Run, append, history, read_runs};
    use pintle_manifest::Name;
    use std::io::Write as _;

    fn run(at_ms: i64) -> Run {
        let mut run = Run { version: FORMAT, at_ms, ..Run::default() };
        let name = Name::parse("acme-a").unwrap();
        run.stage(&name, "load", true, 1500);
        run.fired("tool.call");
        run.answered(&name, "tool.call", 90);
        run.asked(&name, "ui.notify", None);
        run.asked(&name, "no.such", Some("call.unknown"));
        run.failed(&name, "fault.own_time");
        run.dropped(&name, 7);
        run
    }

    #[test]
    fn what_is_appended_is_read_again_and_what_is_torn_or_foreign_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        assert_eq!(read_runs(&log).unwrap().runs, Vec::new());
        append(&log, &run(1)).unwrap();
        let mut file = std::fs::OpenOptions::new().append(true).open(history(&log)).unwrap();
        file.write_all(b"{\"version\":1,\"at_ms\":\n\xff\n{\"version\":2,\"new\":true}\n").unwrap();
        append(&log, &run(2)).unwrap();
        let read = read_runs(&log).unwrap();
        assert_eq!(read.runs, vec![run(1), run(2)]);
        assert_eq!(read.passed_over, 3);
        let calls: Vec<_> = read.runs[0].extensions.values().flat_map(|seen| seen.calls.keys()).collect();
        assert_eq!(calls, ["ui.notify"], "a call that does not exist is not noted");
    }

    #[test]
    fn the_history_is_bounded_and_keeps_the_newest() {
        let dir = tempfile::tempdir().unwrap();
        let one = serde_json::to_vec(&run(0)).unwrap().len() as i64;
        let many = 3 * MOST as i64 / one;
        for at in 0..many {
            append(dir.path(), &run(at)).unwrap();
            assert!(history(dir.path()).metadata().unwrap().len() <= MOST);
        }
        let read = read_runs(dir.path()).unwrap();
        assert_eq!(read.passed_over, 0, "it is cut between lines");
        assert_eq!(read.runs.last().unwrap().at_ms, many - 1);
        assert!(read.runs.windows(2).all(|pair| pair[0].at_ms + 1 == pair[1].at_ms));
        let left: Vec<_> =
            std::fs::read_dir(dir.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
        assert_eq!(left, ["runs.jsonl"]);
    }

    /// A line as the first version wrote it, which every later one has to read.
    const VERSION_1: &str = r#"{"version":1,"at_ms":7,"hooks":{"tool.call":1},"extensions":{"acme-a":{"load_us":1500,"hooks":{"tool.call":{"count":1,"total_us":90,"max_us":90,"spread":{"25":1}}},"calls":{"ui.notify":1},"faults":{"fault.own_time":1},"dropped":7}}}"#;

    #[test]
    fn a_line_of_version_1_is_read_and_written() {
        assert_eq!(serde_json::from_str::<Run>(VERSION_1).unwrap(), run(7));
        assert_eq!(serde_json::to_string(&run(7)).unwrap(), VERSION_1);
    }

    #[test]
    fn a_line_holds_nothing_that_would_not_fit() {
        let check = |text: &str| assert!(serde_json::from_str::<Run>(text).is_err(), "{text}");
        check("{}");
        check("{\"version\":1,\"at_ms\":0,\"hooks\":{},\"extensions\":{\"Not A Name\":{}}}");
        check("{\"version\":1,\"at_ms\":0,\"hooks\":{},\"extensions\":{},\"more\":0}");
    }

    #[test]
    fn of_many_times_the_one_that_95_of_100_keep_to_is_told() {
        let check = |times: &[u64], least: u64, most: u64| {
            let mut answers = Answers::default();
            times.iter().for_each(|us| answers.add(*us));
            let p95 = answers.p95_us();
            assert!((least..=most).contains(&p95), "{p95} for {times:?}");
            let mut again = Answers::default();
            again.add_all(&answers);
            assert_eq!(again, answers);
        };
        check(&[], 0, 0);
        check(&[0], 0, 1);
        check(&[1000], 1000, 1000);
        check(&[10, 10, 10, 900_000], 900_000, 900_000);
        let mut many = vec![100; 95];
        many.extend([5_000_000; 5]);
        check(&many, 100, 120);
        many.push(5_000_000);
        check(&many, 5_000_000, 5_000_000);
        check(&[u64::MAX; 3], u64::MAX / 6 * 5, u64::MAX);
    }
}
