//! Hosts that are killed, and what the next one does about it; and that nothing grows in one that lives long.

use crate::alone::Alone;
use crate::extension::Extension;
use crate::kit::{is_alive, lines, trial, write};
use crate::yard::{Yard, name, nothing_is_left};
use libtest_mimic::Trial;
use pintle_loader::Notice;
use pintle_loader::keep::{Quarantine, Starts};
use pintle_loader::ledger::{Kind, hosts};
use serde_json::{Value, json};
use std::path::PathBuf;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("killed::case_67_the_next_start_clears_what_a_killed_host_left", clears),
        trial("killed::case_61_an_idle_host_that_is_killed_blames_nobody", idle),
        trial("killed::case_61_only_what_was_being_loaded_is_blamed", loading),
        trial("killed::a_process_that_only_has_the_number_is_left_alone", foreign),
        trial("killed::what_has_no_fence_any_more_is_ended_by_the_next_start", survivor),
        trial("killed::a_record_that_can_not_be_read_is_told_and_left_alone", unreadable),
        trial("killed::a_host_killed_before_its_first_line_leaves_nothing", empty),
        trial("killed::a_live_host_is_left_alone", alive),
        trial("killed::case_72_fifty_rounds_leave_nothing", rounds),
    ]
}

fn orphans(running: &crate::yard::Running) -> Vec<(String, &'static str)> {
    let orphan = |notice: Notice| match notice {
        Notice::Orphan(orphan) => Some((orphan.owner.to_string(), orphan.kind.word())),
        _ => None,
    };
    running.notices().into_iter().filter_map(orphan).collect()
}

async fn clears() {
    let yard = Yard::new();
    let alone = Alone::start("holds", &yard);
    let (records, _) = hosts(&yard.places().hosts()).unwrap();
    assert_eq!((records[0].pid, records[0].alive), (alone.pid(), true));
    let dirs: Vec<PathBuf> = records[0]
        .holdings
        .iter()
        .filter_map(|holding| match &holding.kind {
            Kind::TempDir { path } => Some(path.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(dirs.len(), 2);
    alone.kill();
    // The fences end what they hold, without anyone's help.
    nothing_is_left(&yard).await;
    let (records, _) = hosts(&yard.places().hosts()).unwrap();
    assert!(!records[0].alive);
    assert!(dirs.iter().all(|dir| dir.is_dir()));
    let running = yard.start(&[]).await;
    assert!(dirs.iter().all(|dir| !dir.exists()));
    assert_eq!(orphans(&running), [("ada".to_owned(), "temp dir"), ("bob".to_owned(), "temp dir")]);
    running.end(&yard).await;
    // It is told once.
    let running = yard.start(&[]).await;
    assert_eq!(running.notices(), []);
    running.end(&yard).await;
}

async fn idle() {
    let yard = Yard::new();
    for _ in 0..4 {
        Alone::start("holds", &yard).kill();
    }
    let running = yard.start(&[]).await;
    assert!(!running.notices().iter().any(|notice| matches!(notice, Notice::Quarantined { .. })));
    assert_eq!(Starts::read(&yard.places().state).unwrap(), Starts::default());
    running.end(&yard).await;
}

async fn loading() {
    let yard = Yard::new();
    for count in 1..=3 {
        Alone::start("loads", &yard).kill();
        nothing_is_left(&yard).await;
        // The next start counts it.
        let running = yard.start(&[]).await;
        let quarantined: Vec<_> = running
            .notices()
            .into_iter()
            .filter_map(|notice| match notice {
                Notice::Quarantined { name, reason, .. } => Some((name, reason)),
                _ => None,
            })
            .collect();
        assert_eq!(quarantined.len(), usize::from(count == 3), "{quarantined:?}");
        running.end(&yard).await;
        let starts = Starts::read(&yard.places().state).unwrap();
        let counted: Vec<_> =
            starts.extensions.iter().map(|(name, one)| (name.as_str(), one.starts.len())).collect();
        assert_eq!(counted, if count < 3 { vec![("bob", count)] } else { vec![] });
    }
    let kept = Quarantine::read(&yard.places().state).unwrap();
    let evidence = &kept.extensions[&name("bob")];
    assert!(evidence.faults.iter().all(|fault| fault.code == "start.killed"), "{evidence:?}");
    assert_eq!(kept.extensions.len(), 1);
}

/// Writes the record of a host that is dead, by the lines that stand in it.
fn dead_record(yard: &Yard, token: &str, text: &str) -> PathBuf {
    let directory = yard.places().hosts().join(token);
    write(&directory.join("lock"), "");
    write(&directory.join("ledger.jsonl"), text);
    directory
}

fn host_line(token: &str) -> Value {
    json!({ "host": { "version": 1, "pid": 4_000_000, "started": 1, "command": "x", "since_ms": 1, "token": token } })
}

fn held_line(id: u64, kind: Value) -> Value {
    json!({ "held": { "id": id, "owner": "ada", "epoch": 1, "since_ms": 1, "kind": kind } })
}

fn text(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn start_time(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit(") ").next().unwrap().split(' ').nth(19).unwrap().parse().unwrap()
}

async fn foreign() {
    let yard = Yard::new();
    let mut innocent = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
    let pid = innocent.id();
    let keep = yard.path().join("keep");
    write(&keep.join("file"), "mine");
    let lines = [
        host_line("t1"),
        held_line(1, json!({ "worker": { "pid": pid, "started": start_time(pid) + 1 } })),
        held_line(2, json!({ "child": { "program": "sleep", "pid": pid, "started": 0 } })),
        // A directory that is not the host's own.
        held_line(3, json!({ "temp_dir": { "path": keep } })),
        held_line(4, json!({ "temp_dir": { "path": yard.places().hosts().join("t1/../../../../keep") } })),
    ];
    let directory = dead_record(&yard, "t1", &text(&lines));
    let running = yard.start(&[]).await;
    assert!(is_alive(&pid.to_string()));
    assert!(keep.join("file").exists());
    assert!(!directory.exists());
    let told = orphans(&running);
    assert!(!told.iter().any(|(_, word)| *word == "worker" || *word == "child"), "{told:?}");
    running.end(&yard).await;
    innocent.kill().unwrap();
    innocent.wait().unwrap();
}

async fn survivor() {
    let yard = Yard::new();
    // As if nobody had ended it: a process that is the one noted, and one that only has the token.
    let mut noted = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
    let mut marked =
        std::process::Command::new("sleep").arg("1000").env("PINTLE_SCOPE", "t2/ada/1").spawn().unwrap();
    let worker = json!({ "worker": { "pid": noted.id(), "started": start_time(noted.id()) } });
    dead_record(&yard, "t2", &text(&[host_line("t2"), held_line(1, worker)]));
    let running = yard.start(&[]).await;
    assert_eq!(orphans(&running), [("ada".to_owned(), "worker")]);
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&noted.wait().unwrap()), Some(9));
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&marked.wait().unwrap()), Some(9));
    running.end(&yard).await;
}

async fn unreadable() {
    let yard = Yard::new();
    let damaged = [
        (
            "t3",
            format!("{}\nnonsense\n{}\n", host_line("t3"), held_line(1, json!({ "timer": { "name": "x" } }))),
        ),
        ("t4", "[]\n".to_owned()),
        (
            "t5",
            format!(
                "{}\n",
                json!({ "host": { "version": 9, "pid": 1, "started": 1, "command": "x", "since_ms": 1, "token": "t5" } })
            ),
        ),
    ];
    for (token, text) in &damaged {
        dead_record(&yard, token, text);
    }
    // A last line that is torn is what a kill leaves, and no damage.
    let torn = format!("{}\n{{\"held\":{{\"id\":1,\"own", host_line("t6"));
    let directory = dead_record(&yard, "t6", &torn);
    let running = yard.start(&[]).await;
    let told = running.notices().into_iter().filter(|notice| matches!(notice, Notice::State { .. })).count();
    assert_eq!(told, 3, "{:?}", running.notices());
    for (token, text) in &damaged {
        let path = yard.places().hosts().join(token).join("ledger.jsonl");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), *text);
    }
    assert!(!directory.exists());
    running.end(&yard).await;
}

async fn empty() {
    let yard = Yard::new();
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    let gone = dead_record(&yard, &format!("{}-1-a", ended.id()), "");
    // One that has just begun, by a process that lives.
    let begun = dead_record(&yard, &format!("{}-1-b", std::process::id()), "");
    let running = yard.start(&[]).await;
    assert_eq!((gone.exists(), begun.exists()), (false, true));
    assert_eq!(running.notices(), []);
    running.end(&yard).await;
}

async fn alive() {
    let yard = Yard::new();
    let alone = Alone::start("holds", &yard);
    let running = yard.start(&[Extension::new("ada").hook("ask")]).await.all_ready();
    assert_eq!(running.notices(), []);
    let (records, _) = hosts(&yard.places().hosts()).unwrap();
    assert!(records.len() == 2 && records.iter().all(|record| record.alive));
    let mut running = running;
    running.host.take().unwrap().shutdown().await;
    let (records, _) = hosts(&yard.places().hosts()).unwrap();
    assert_eq!(records.iter().map(|record| record.pid).collect::<Vec<_>>(), [alone.pid()]);
    assert!(records[0].holdings.iter().any(|holding| holding.kind.word() == "child"));
    alone.kill();
    nothing_is_left(&yard).await;
}

async fn rounds() {
    let yard = Yard::new();
    let mut alone = Alone::start("rounds", &yard);
    assert_eq!(alone.line(), "done");
    alone.end();
    nothing_is_left(&yard).await;
    assert_eq!(lines(&yard.out).iter().filter(|line| line.contains("dispose shutdown")).count(), 2);
}
