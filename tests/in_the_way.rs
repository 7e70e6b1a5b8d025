//! Each kind of wrong thing in the place of each file that is kept: no verb hangs, panics, or takes it for nothing, and
//! whoever stumbles over it says which file, what it is, and what to do.

use crate::kit::{Output, Sandbox, remove};
use serde_json::json;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// What is put into the place of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    Directory,
    Pipe,
    Socket,
    Device,
    LinkToNowhere,
    LinkInACircle,
    Nothing,
    Garbage,
    Torn,
    Other,
}

use Wrong::{Device, Directory, Garbage, LinkInACircle, LinkToNowhere, Nothing, Other, Pipe, Socket, Torn};

const NO_FILE: [Wrong; 6] = [Directory, Pipe, Socket, Device, LinkToNowhere, LinkInACircle];
const NO_TEXT: [Wrong; 4] = [Nothing, Garbage, Torn, Other];

impl Wrong {
    fn put(self, path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = std::fs::remove_file(path);
        match self {
            Directory => std::fs::create_dir(path).unwrap(),
            Pipe => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
            // The name of a socket may not be long, and stays when whoever listened has gone.
            Socket => {
                let short = tempfile::tempdir().unwrap();
                drop(UnixListener::bind(short.path().join("s")).unwrap());
                std::fs::rename(short.path().join("s"), path).unwrap();
            }
            Device => symlink("/dev/null", path).unwrap(),
            LinkToNowhere => symlink("is-not-there", path).unwrap(),
            LinkInACircle => symlink(path.file_name().unwrap(), path).unwrap(),
            Nothing => write(path, b""),
            Garbage => write(path, b"\x01\xff garbage\n"),
            Torn => write(path, b"{\"version\":1,"),
            Other => write(path, b"{\"version\":1,\"other\":{}}"),
        }
    }

    /// Returns what is said of it; of a file each place says it in its own way.
    fn said(self) -> &'static str {
        match self {
            Directory => "directory",
            Pipe => "named pipe",
            Socket => "socket",
            Device => "device",
            LinkToNowhere => "leads nowhere",
            LinkInACircle => "leads in a circle",
            Nothing | Garbage | Torn | Other => "",
        }
    }
}

fn write(path: &Path, bytes: &[u8]) {
    std::io::Write::write_all(&mut std::fs::File::create(path).unwrap(), bytes).unwrap();
}

const VERBS: [&[&str]; 9] = [
    &["list"],
    &["load"],
    &["exec", "--", "true"],
    &["doctor"],
    &["quarantine", "list"],
    &["trust", "list"],
    &["ledger"],
    &["disable", "acme-a"],
    &["enable", "acme-a"],
];

/// The words of a library that are none of ours.
const FOREIGN: [&str; 8] = [
    "invalid type",
    "missing field",
    "EOF while",
    "expected value",
    "expected ident",
    "unknown field",
    "os error",
    "trailing characters",
];

fn installed() -> Sandbox {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-a").at("tool.call", json!([])).install();
    sandbox.actor("acme-b").at("tool.call", json!([])).install();
    sandbox.pintle(["exec", "--", "true"]).succeeds();
    sandbox
}

/// Runs a verb to its end, which it must reach soon.
fn run(sandbox: &Sandbox, verb: &[&str]) -> Output {
    let (mut child, finish) = sandbox.command(verb).spawn();
    let end = Instant::now() + Duration::from_secs(20);
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < end, "{verb:?} hangs");
        #[expect(clippy::disallowed_methods, reason = "a wait with an end, for what may never end")]
        std::thread::sleep(Duration::from_millis(3));
    }
    finish(child)
}

/// Puts each kind of wrong thing in the place of `file`, and runs every verb. Those in `tell` have to say so; of the others
/// those that fail.
fn check(sandbox: &Sandbox, file: &str, kinds: &[Wrong], tell: &[&str]) {
    let kept = sandbox.root().join("kept");
    copy(&sandbox.home(""), &kept);
    for wrong in kinds {
        wrong.put(&sandbox.home(file));
        for verb in VERBS {
            check_one(sandbox, file, *wrong, verb, tell.contains(&verb[0]));
            if ["disable", "enable"].contains(&verb[0]) {
                remove(sandbox.home(""));
                copy(&kept, &sandbox.home(""));
                wrong.put(&sandbox.home(file));
            }
        }
        remove(sandbox.home(""));
        copy(&kept, &sandbox.home(""));
    }
    remove(&kept);
}

fn check_one(sandbox: &Sandbox, file: &str, wrong: Wrong, verb: &[&str], must_tell: bool) {
    let output = run(sandbox, verb);
    let case = format!("{wrong:?} as {file}: {verb:?}\n{output}");
    assert!(![101, 134, 70].contains(&output.code), "{case}");
    let said = format!("{}{}", output.stdout, output.stderr);
    if must_tell || output.code != 0 {
        let name = Path::new(file).file_name().unwrap().to_str().unwrap();
        // Where a link belongs, it is said where it leads.
        let what = match (file, wrong) {
            ("current", LinkToNowhere | LinkInACircle) => "no generation",
            (_, wrong) => wrong.said(),
        };
        assert!(said.contains(name) && said.contains(what), "which, and what: {case}");
        let next = ["help:", "next:", "damaged-1", "pintle doctor"];
        assert!(next.iter().any(|next| said.contains(next)), "what to do: {case}");
    }
    assert!(FOREIGN.iter().all(|words| !said.contains(words)), "not our words: {case}");
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
}

#[test]
fn what_a_person_said_is_never_taken_for_nothing() {
    let sandbox = installed();
    for kinds in [&NO_FILE[..], &NO_TEXT] {
        check(
            &sandbox,
            "state/disabled.json",
            kinds,
            &["list", "load", "exec", "doctor", "disable", "enable"],
        );
        check(&sandbox, "trust/grants.json", kinds, &["list", "load", "exec", "doctor", "trust"]);
    }
    check(&sandbox, "pintle.toml", &NO_FILE, &["load", "exec", "doctor"]);
    check(&sandbox, "pintle.toml", &[Garbage, Torn], &["load", "exec", "doctor"]);
}

#[test]
fn what_is_installed_is_never_taken_for_nothing() {
    let sandbox = installed();
    for kinds in [&NO_FILE[..], &NO_TEXT] {
        check(&sandbox, "generations/2/set.json", kinds, &["list", "load", "exec", "doctor"]);
        check(&sandbox, "pintle.lock", kinds, &["doctor"]);
    }
    check(&sandbox, "current", &[Directory, Pipe, Socket], &["list", "load", "exec", "doctor"]);
    check(&sandbox, "current", &[LinkToNowhere, LinkInACircle, Garbage], &["list", "load", "exec", "doctor"]);
}

#[test]
fn what_the_system_learned_is_never_taken_for_nothing() {
    let sandbox = installed();
    for kinds in [&NO_FILE[..], &NO_TEXT] {
        check(&sandbox, "state/quarantine.json", kinds, &["load", "exec", "doctor", "quarantine"]);
        check(&sandbox, "state/starts.json", kinds, &["load", "exec", "doctor"]);
        check(&sandbox, "state/faults.json", kinds, &["doctor"]);
        check(&sandbox, "data/acme-a/store.json", kinds, &["doctor"]);
    }
    check(&sandbox, "run/hosts/4194399-1-1/ledger.jsonl", &NO_FILE, &["load", "exec", "doctor", "ledger"]);
    check(&sandbox, "run/hosts/4194399-1-1/ledger.jsonl", &[Garbage], &["load", "exec", "doctor", "ledger"]);
    // Through a link that leads nowhere yet, the history is made where it leads.
    check(&sandbox, "log/runs.jsonl", &[Directory, Pipe, Socket, Device, LinkInACircle], &["doctor"]);
    check(&sandbox, "log/acme-a.log", &NO_FILE, &["doctor"]);
}

#[test]
fn what_lies_in_the_place_of_a_lock_or_a_directory_is_named() {
    let sandbox = installed();
    let files = [Directory, Pipe, Socket, LinkInACircle];
    check(&sandbox, "run/state.lock", &files, &["disable"]);
    check(&sandbox, "run/lease", &files, &["doctor"]);
    for lock in
        ["state/.starts.lock", "state/.faults.lock", "state/.quarantine.lock", "data/acme-a/store.lock"]
    {
        check(&sandbox, lock, &files, &["doctor"]);
    }
    for (place, tell) in [
        ("state", &["list", "load", "exec", "doctor", "disable", "enable"][..]),
        ("trust", &["load", "exec", "doctor", "trust"]),
        ("run", &["disable", "ledger"]),
        ("data", &["doctor"]),
        ("data/acme-a", &["doctor"]),
        ("generations", &["list", "load", "exec", "doctor"]),
    ] {
        let sandbox = installed();
        remove(sandbox.home(place));
        check(&sandbox, place, &[Garbage, LinkToNowhere, LinkInACircle], tell);
    }
    let registry = sandbox.registry_dir("main").join("head.json");
    for wrong in NO_FILE {
        std::fs::remove_file(&registry).or_else(|_| std::fs::remove_dir(&registry)).unwrap();
        wrong.put(&registry);
        let output = run(&sandbox, &["outdated"]);
        assert_ne!(output.code, 0, "{output}");
        output.says("head.json").says(wrong.said()).says("help:");
    }
}
