//! Every way to misbehave, through the real program: a load and a command end in time, the fault has its name, nothing is
//! left running, and whoever behaves is not touched.

use crate::kit::{Output, Sandbox, assert_nothing_runs};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How many are tried at once. Most of the time they wait.
const AT_ONCE: usize = 6;

/// Runs something for each row, several at once.
fn for_each<T: Sync>(rows: &[T], body: impl Fn(&T) + Sync) {
    let next = Mutex::new(rows.iter());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let row = next.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
                    match row {
                        Some(row) => body(row),
                        None => return,
                    }
                }
            });
        }
    });
}

/// Lays out the fixture with as much time for its guard as is said, which may be less than the contract gives.
fn misbehave(sandbox: &Sandbox, words: &[&str], own_time: &str) -> PathBuf {
    let folder = sandbox.example("misbehave", words);
    let manifest = sandbox.read(&folder.join("extension.toml"));
    let hurried = manifest
        .replace("[hooks.\"tool.call\"]", &format!("[hooks.\"tool.call\"]\nown_time = \"{own_time}\""));
    sandbox.write(&folder.join("extension.toml"), hurried);
    folder
}

/// Another extension, which is first to be asked and hears the end.
fn healthy(sandbox: &Sandbox) -> PathBuf {
    let mark = |text: &str| json!([{ "mark": text }]);
    let actor = sandbox.actor("healthy").at("tool.call", mark("asked")).at("session.end", mark("heard"));
    actor.when("dispose", mark("/reason")).folder()
}

#[track_caller]
fn in_time(sandbox: &Sandbox, verb: &[&str], folder: &Path, words: &[&str]) -> Output {
    let healthy = healthy(sandbox);
    let since = Instant::now();
    let run = sandbox.command(verb).arg("--with").arg(&healthy).arg("--with").arg(folder).args(words);
    let output = run.run();
    // Five seconds to shake hands or less in a guard, and five to end.
    assert!(since.elapsed() < Duration::from_secs(20), "{:?}: {output}", since.elapsed());
    assert_nothing_runs(sandbox);
    output
}

#[test]
fn at_its_start_it_costs_only_itself() {
    let rows = [
        ("start-exit", "protocol.no_handshake", "exit code 3"),
        ("start-exit-well", "protocol.no_handshake", "exit code 0"),
        ("start-abort", "protocol.no_handshake", "SIGABRT"),
        ("start-segfault", "protocol.no_handshake", "SIGSEGV"),
        ("start-stderr", "protocol.no_handshake", "the file `settings.toml` is missing"),
        ("start-hang", "protocol.late_handshake", "within 5s"),
        ("start-spin", "protocol.late_handshake", "within 5s"),
        ("start-close-in", "protocol.late_handshake", "within 5s"),
        ("start-close-out", "protocol.closed", "closed the connection"),
        ("start-garbage", "protocol.bad_frame", "Listening on port 8080"),
        ("ready-never", "protocol.late_handshake", "within 5s"),
        ("lie-name", "protocol.wrong_identity", "blast-radius"),
        ("lie-version", "protocol.wrong_identity", "9.9.9"),
        ("lie-protocol", "protocol.version", "99"),
        ("lie-hooks", "protocol.undeclared_hook", "secrets.read"),
    ];
    for_each(&rows, |(way, code, words)| {
        let sandbox = Sandbox::new();
        let output = in_time(&sandbox, &["load", "--format=json"], &misbehave(&sandbox, &[way], "1s"), &[]);
        let document = output.exits(7).json();
        let (healthy, misbehave) = (one(&document, "healthy"), one(&document, "misbehave"));
        assert_eq!((&healthy["ready"], &misbehave["ready"]), (&json!(true), &json!(false)), "{way}");
        assert_eq!(sandbox.marks("healthy"), ["dispose \"shutdown\""], "{way}");
        let stages = misbehave["stages"].as_array().unwrap();
        let failed = stages.iter().find(|one| one["verdict"] == "failed").unwrap();
        assert_eq!((&failed["stage"], &failed["code"]), (&json!("load"), &json!(code)), "{way}: {failed}");
        assert!(failed["message"].as_str().unwrap().contains(words), "{way}: {failed}");
    });
}

#[test]
fn what_is_odd_and_not_wrong_is_loaded_and_what_stays_at_the_end_is_killed() {
    // Whether it gave its answer to the end, and whether it had to be forced.
    let rows = [
        ("start-noise", true, false),
        ("start-request", true, false),
        ("ignore-end", true, false),
        ("ignore-signals", true, true),
        ("dispose-never", false, true),
    ];
    for_each(&rows, |(way, answered, forced)| {
        let sandbox = Sandbox::new();
        let output = in_time(&sandbox, &["load", "--format=json"], &misbehave(&sandbox, &[way], "1s"), &[]);
        let document = output.succeeds().json();
        let disposed = document["disposed"].as_array().unwrap();
        let disposed = disposed.iter().find(|one| one["name"] == "misbehave").unwrap();
        let is_forced = !disposed["forced"].as_array().unwrap().is_empty();
        assert_eq!((&disposed["answered"], is_forced), (&json!(answered), *forced), "{way}: {disposed}");
        assert_eq!(disposed["left"], json!([]), "{way}");
    });
}

fn one<'a>(document: &'a Value, name: &str) -> &'a Value {
    document["extensions"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap()
}

/// What becomes of the command.
enum Ends {
    /// It runs.
    Runs,
    /// It runs, and a fault is told.
    RunsWith(&'static str),
    /// It does not, for a fault.
    Fault(&'static str),
    /// It does not, since the extension says so, in these words.
    Blocked(&'static str),
}

#[test]
fn in_a_guard_its_fault_blocks_and_names_it() {
    use Ends::{Blocked, Fault, Runs, RunsWith};
    let rows = [
        ("hang", Fault("fault.own_time")),
        ("silent", Fault("fault.own_time")),
        ("spin", Fault("fault.own_time")),
        ("late", Fault("fault.own_time")),
        ("twice", RunsWith("protocol.unknown_call")),
        ("early", RunsWith("protocol.unknown_call")),
        ("fault", Fault("fault.handler")),
        ("wrong-kind", Fault("fault.bad_outcome")),
        ("wrong-payload", Fault("fault.bad_outcome")),
        ("wrong-outcome", Fault("protocol.bad_message")),
        ("terminal", Blocked(r"\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}gnihtyna\u{200b}")),
        ("bad-length", Fault("protocol.bad_frame")),
        ("half-frame", Fault("fault.own_time")),
        ("bad-json", Fault("protocol.bad_message")),
        ("bad-utf8", Fault("protocol.bad_message")),
        ("deep-json", Fault("fault.bad_outcome")),
        ("unknown-message", Fault("protocol.unknown_message")),
        ("flood-stdout", Fault("fault.own_time")),
        ("ungranted", Blocked("permission.denied")),
        ("unknown-call", Blocked("call.unknown")),
        ("bad-arguments", Blocked("call.invalid")),
        ("stale", Blocked("context.stale")),
        ("wrong-parent", Fault("protocol.unknown_call")),
        ("same-id", Blocked("the host answered")),
        ("exit", Fault("fault.exited")),
        ("abort", Fault("fault.crashed")),
        ("segfault", Fault("fault.crashed")),
        ("close-in", Fault("fault.own_time")),
        ("close-out", Fault("protocol.closed")),
        ("daemon", Runs),
        ("daemon-holds", Runs),
    ];
    for_each(&rows, |(way, ends)| in_guard(way, ends, "1s"));
    // What takes its time gets it, also where this is a build for debugging.
    let rows = [
        ("huge", Blocked("xxxxxxxx")),
        // It crashes, or its time is over before it has had so much.
        ("memory", Fault("fault.")),
        // Whichever bound it reaches first: how many messages in a second, or how many answers it has not read.
        ("flood-frames", Fault("protocol.")),
    ];
    for_each(&rows, |(way, ends)| in_guard(way, ends, "10s"));
}

#[track_caller]
fn in_guard(way: &str, ends: &Ends, own_time: &str) {
    let sandbox = Sandbox::new();
    let folder = misbehave(&sandbox, &[], own_time);
    let output = in_time(&sandbox, &["exec"], &folder, &["--", "echo", "ran", way]);
    let marks = sandbox.marks("healthy");
    assert_eq!(marks, ["tool.call \"asked\"", "session.end \"heard\"", "dispose \"shutdown\""], "{way}");
    let has_run = output.stdout == format!("ran {way}\n");
    match ends {
        Ends::Runs => assert!(has_run && output.stderr.is_empty(), "{output}"),
        Ends::RunsWith(code) => {
            assert!(has_run, "{output}");
            output.succeeds().says("warning: `misbehave` failed").says(code);
        }
        Ends::Fault(code) => {
            assert!(output.stdout.is_empty(), "{output}");
            let output = output.fails(126, "guard.fault").says(code);
            output.says(&format!("`echo ran {way}` was not run: `misbehave` guards it and failed"));
        }
        Ends::Blocked(words) => {
            assert!(output.stdout.is_empty() && output.stderr.len() < 4000, "{output}");
            output.fails(126, "guard.blocked").says("`misbehave` blocked").says(words);
        }
    }
    let log = sandbox.home("log/misbehave.log").metadata().map_or(0, |log| log.len());
    assert!(log < 8 * 1024 * 1024, "{way} leaves a log of {log} bytes");
}

/// What becomes of a command that a library guards.
enum Library {
    /// It is not loaded, for this; the command runs.
    LeftOut(&'static str),
    /// The command does not run, for this.
    Fault(&'static str),
    /// The command runs; whether the library's worker had to be ended by force.
    Runs { forced: bool },
}

#[test]
fn a_library_costs_its_host_no_more_than_a_program_does() {
    use Library::{Fault, LeftOut, Runs};
    let rows = [
        ("panic", Fault("fault.handler")),
        ("abort", Fault("fault.crashed")),
        ("segfault", Fault("fault.crashed")),
        ("overflow", Fault("fault.crashed")),
        ("exit", Fault("fault.exited")),
        ("hang", Fault("fault.own_time")),
        ("spin", Fault("fault.own_time")),
        ("print", Runs { forced: false }),
        ("thread", Runs { forced: false }),
        ("daemon", Runs { forced: false }),
        ("start-panic", LeftOut("protocol.no_handshake")),
        ("start-error", LeftOut("protocol.no_handshake")),
        ("start-abort", LeftOut("protocol.no_handshake")),
        ("start-exit", LeftOut("protocol.no_handshake")),
        ("start-hang", LeftOut("protocol.late_handshake")),
        ("end-panic", Runs { forced: false }),
        ("end-abort", Runs { forced: false }),
        ("end-hang", Runs { forced: true }),
        ("none", Runs { forced: false }),
    ];
    for_each(&rows, |(way, ends)| {
        let sandbox = Sandbox::new();
        let folder = sandbox.misbehave_native(way);
        let output = in_time(&sandbox, &["exec"], &folder, &["--", "echo", "ran"]);
        let marks = sandbox.marks("healthy");
        assert_eq!(marks, ["tool.call \"asked\"", "session.end \"heard\"", "dispose \"shutdown\""], "{way}");
        match ends {
            Fault(code) => {
                assert!(output.stdout.is_empty(), "{way}: {output}");
                output.fails(126, "guard.fault").says(code);
            }
            LeftOut(code) => {
                assert_eq!(output.stdout, "ran\n", "{way}");
                output.succeeds().says("`misbehave-native` is left out, at the stage load").says(code);
            }
            Runs { forced } => {
                assert_eq!(output.stdout, "ran\n", "{way}");
                let was = output.stderr.contains("did not end when it was told to; killed: its worker");
                assert_eq!(was, *forced, "{way}: {output}");
                output.succeeds();
            }
        }
    });
}
