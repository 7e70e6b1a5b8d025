//! Supervision: restarts, quarantine with its evidence, and counting unhealthy starts.

use crate::extension::{Extension, content};
use crate::kit::{trial, until, write};
use crate::yard::{Running, Yard, name};
use libtest_mimic::Trial;
use pintle_loader::keep::{Quarantine, Starts};
use pintle_loader::stage::Stage;
use pintle_loader::{Bundle, Notice};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("faults::a_guard_waits_for_the_restart_and_is_answered", waits),
        trial("faults::the_next_restart_waits_longer", backoff),
        trial("faults::three_in_a_minute_are_too_many_and_leave_evidence", quarantine),
        trial("faults::faults_that_end_nothing_count_too_and_quarantine_once", soft),
        trial("faults::what_is_in_quarantine_is_not_started_and_other_files_are", released),
        trial("faults::an_extension_that_fails_anew_while_it_restarts_is_put_away", again),
        trial("faults::a_restart_gives_neither_hooks_nor_names_away", keeps),
        trial("faults::it_is_disabled_while_it_is_being_restarted", disabled),
        trial("faults::the_end_of_the_host_ends_a_restart", ended),
        trial("faults::unhealthy_starts_are_counted_and_a_good_one_ends_the_row", unhealthy),
        trial("faults::case_61_a_host_that_ends_in_order_blames_nobody", blameless),
        trial("faults::a_start_that_is_given_up_blames_nobody", given_up),
        trial("faults::case_38_state_that_can_not_be_read_is_told_and_left_alone", unreadable),
    ]
}

fn crashing(name: &str) -> Extension {
    Extension::new(name).hook("ask")
}

async fn crash(running: &Running, name: &str) {
    assert!(running.blocked(json!({ name: [{ "exit": 3 }] })).await.is_some());
}

async fn waits() {
    let yard = Yard::new();
    let running = yard.start(&[crashing("ada"), crashing("bob")]).await.all_ready();
    crash(&running, "ada").await;
    // Asked at once, many at a time, and none of them meets nobody.
    let mut all = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let hooks = running.hooks.clone();
        all.spawn(
            async move { hooks.ask.ask(crate::yard::thing(json!({ "ada": [{ "block": "back" }] }))).await },
        );
    }
    while let Some(verdict) = all.join_next().await {
        let pintle_loader::hook::Verdict::Block(blocked) = verdict.unwrap() else { panic!("it passed") };
        assert_eq!((blocked.code.as_str(), blocked.reason.as_str()), ("guard.blocked", "back"));
    }
    running.restarted("ada").await;
    running.end(&yard).await;
}

fn restarts(running: &Running) -> Vec<Duration> {
    let took = |notice: &Notice| match notice {
        Notice::Restarted { took, .. } => Some(*took),
        _ => None,
    };
    running.notices().iter().filter_map(took).collect()
}

async fn backoff() {
    let yard = Yard::new();
    let running = yard.start(&[crashing("ada")]).await.all_ready();
    let mut waits = Vec::new();
    for count in 1..=2 {
        crash(&running, "ada").await;
        let since = Instant::now();
        until("it runs again", || restarts(&running).len() == count).await;
        waits.push(since.elapsed());
    }
    // The first one does not wait at all.
    assert!(waits[1] >= Duration::from_millis(80), "{waits:?}");
    running.end(&yard).await;
}

async fn quarantine() {
    let yard = Yard::new();
    let ada =
        Extension::new("ada").hook("ask").at("ask", json!([{ "print": "my last words" }, { "exit": 3 }]));
    let running = yard.start(&[ada.clone(), crashing("bob")]).await.all_ready();
    for count in 1..=3 {
        let (by, code, _) = running.blocked(json!({ "bob": [{ "answer": "continue" }] })).await.unwrap();
        assert_eq!((by.as_str(), code.as_str()), ("ada", "fault.exited"), "{count}");
    }
    let reason = running.quarantined("ada").await;
    assert!(reason.contains("3 faults within a minute") && reason.contains("exit code 3"), "{reason}");
    until("nothing of it is held", || running.held("ada").is_empty()).await;
    // The guard that is gone is asked no more; the other one still is.
    assert_eq!(running.host().running(), [name("bob")]);
    assert_eq!(running.blocked(json!({ "bob": [{ "block": "here" }] })).await.unwrap().0, "bob");
    let kept = Quarantine::read(&yard.places().state).unwrap();
    let evidence = &kept.extensions[&name("ada")];
    assert_eq!(
        (evidence.version.to_string().as_str(), evidence.tree, evidence.faults.len()),
        ("1.0.0", None, 3)
    );
    assert_eq!(evidence.reason, reason);
    for fault in &evidence.faults {
        assert_eq!(
            (fault.code.as_str(), fault.message.as_str()),
            ("fault.exited", "it ended with exit code 3")
        );
        assert!(fault.log.iter().any(|line| line == "out: my last words"), "{fault:?}");
    }
    running.end(&yard).await;
    let text = std::fs::read_to_string(yard.places().state.join("quarantine.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&file["version"], file["quarantine"]["ada"]["faults"].as_array().unwrap().len()),
        (&json!(1), 3)
    );
    // Another host does not start it, until a person releases it.
    let running = yard.start(std::slice::from_ref(&ada)).await;
    assert_eq!((running.failure("ada").0, running.failure("ada").1), ("trust", "trust.quarantined"));
    running.end(&yard).await;
    assert!(Quarantine::release(&yard.places().state, &name("ada")).unwrap());
    assert!(!Quarantine::release(&yard.places().state, &name("ada")).unwrap());
    yard.start(&[ada]).await.all_ready().end(&yard).await;
}

async fn soft() {
    let yard = Yard::new();
    let running = yard.start(&[crashing("ada"), crashing("bob")]).await.all_ready();
    let mut all = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let hooks = running.hooks.clone();
        all.spawn(
            async move { hooks.ask.ask(crate::yard::thing(json!({ "ada": [{ "fault": "no" }] }))).await },
        );
    }
    while all.join_next().await.is_some() {}
    running.quarantined("ada").await;
    until("nothing of it is held", || running.held("ada").is_empty()).await;
    let quarantines =
        running.notices().iter().filter(|one| matches!(one, Notice::Quarantined { .. })).count();
    assert_eq!(quarantines, 1);
    assert_eq!(running.host().running(), [name("bob")]);
    running.end(&yard).await;
}

fn with_content(mut bundle: Bundle) -> Bundle {
    let it = bundle.root.join("bin/it");
    std::fs::remove_file(&it).unwrap();
    write(&it, format!("#!/bin/sh\nexec '{}' \"$@\"\n", std::env::current_exe().unwrap().display()));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&it, mode).unwrap();
    bundle.content = Some(content(&bundle.root));
    bundle
}

async fn released() {
    let yard = Yard::new();
    let bundle = with_content(yard.bundle(&crashing("ada").at("ask", json!([{ "exit": 3 }]))));
    let running = yard.start_bundles(vec![bundle.clone()]).await.all_ready();
    for _ in 0..3 {
        assert!(running.blocked(json!({})).await.is_some());
    }
    running.quarantined("ada").await;
    running.end(&yard).await;
    let running = yard.start_bundles(vec![bundle.clone()]).await;
    assert_eq!(running.failure("ada").1, "trust.quarantined");
    running.end(&yard).await;
    // Other files of the same version, and another version with the same files.
    let mended = with_content(yard.bundle(&crashing("ada").at("ask", json!([{ "answer": "continue" }]))));
    assert_ne!(mended.content.as_ref().unwrap().tree, bundle.content.unwrap().tree);
    let running = yard.start_bundles(vec![mended]).await.all_ready();
    assert_eq!(running.blocked(json!({})).await, None);
    running.end(&yard).await;
}

async fn again() {
    let yard = Yard::new();
    let marker = yard.gate("started");
    let start = json!([{ "once": { "marker": marker, "first": [], "then": [{ "exit": 9 }] } }]);
    let running = yard.start(&[crashing("ada").when("start", start), crashing("bob")]).await.all_ready();
    crash(&running, "ada").await;
    running.quarantined("ada").await;
    assert_eq!(
        running.faults().into_iter().map(|(_, code)| code).collect::<Vec<_>>(),
        ["fault.exited", "protocol.no_handshake", "protocol.no_handshake"]
    );
    assert_eq!(running.blocked(json!({})).await, None);
    running.end(&yard).await;
}

async fn keeps() {
    let yard = Yard::new();
    let (gate, marker) = (yard.gate("gate"), yard.gate("started"));
    let start = json!([{ "once": { "marker": marker, "first": [], "then": [{ "await": gate }] } }]);
    let ada = crashing("ada")
        .when("start", start)
        .slot("suffix", "go")
        .at("slot.suffix", json!([{ "said": "ada" }]));
    let bob = crashing("bob").slot("suffix", "go").at("slot.suffix", json!([{ "said": "bob" }]));
    let running = yard.start(&[ada, bob]).await.all_ready();
    let names = || -> Vec<_> {
        running
            .slot("suffix")
            .entries()
            .into_iter()
            .map(|entry| format!("{} {}", entry.name, entry.owner))
            .collect()
    };
    assert_eq!(names(), ["go ada", "go:2 bob"]);
    crash(&running, "ada").await;
    assert_eq!(names(), ["go ada", "go:2 bob"]);
    let empty = json!({});
    let invoked = running.slot("suffix").invoke("go", &empty);
    let opened = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        yard.open("gate");
    };
    let (reply, ()) = tokio::join!(invoked, opened);
    assert_eq!(reply.unwrap()["said"], "ada");
    running.end(&yard).await;
}

async fn disabled() {
    let yard = Yard::new();
    let (gate, marker) = (yard.gate("gate"), yard.gate("started"));
    let start = json!([{ "once": { "marker": marker, "first": [], "then": [{ "note": "again" }, { "await": gate }] } }]);
    let running = yard.start(&[crashing("ada").when("start", start)]).await.all_ready();
    crash(&running, "ada").await;
    yard.noted_at_least(1).await;
    running.host().disable(&name("ada")).await.unwrap();
    crate::yard::nothing_is_left(&yard).await;
    until("nothing is held", || running.held("ada").is_empty()).await;
    assert_eq!(running.blocked(json!({})).await, None);
    assert!(running.host().disable(&name("ada")).await.is_err());
    running.end(&yard).await;
}

async fn ended() {
    let yard = Yard::new();
    let (gate, marker) = (yard.gate("gate"), yard.gate("started"));
    let start = json!([{ "once": { "marker": marker, "first": [], "then": [{ "note": "again" }, { "await": gate }] } }]);
    let mut running = yard.start(&[crashing("ada").when("start", start)]).await.all_ready();
    crash(&running, "ada").await;
    yard.noted_at_least(1).await;
    let since = Instant::now();
    running.host.take().unwrap().shutdown().await;
    assert!(since.elapsed() < Duration::from_secs(5));
    assert!(
        !yard.places().hosts().exists() || std::fs::read_dir(yard.places().hosts()).unwrap().count() == 0
    );
    crate::yard::nothing_is_left(&yard).await;
}

fn unhealthy_starts(yard: &Yard) -> usize {
    let starts = Starts::read(&yard.places().state).unwrap();
    starts.extensions.get(&name("ada")).map_or(0, |unhealthy| unhealthy.starts.len())
}

async fn unhealthy() {
    let yard = Yard::new();
    let bad = Extension::new("ada").when("start", json!([{ "exit": 3 }]));
    let good = Extension::new("ada");
    let start = async |extension: &Extension| {
        let running = yard.start(std::slice::from_ref(extension)).await;
        let told = running.notices().iter().any(|one| matches!(one, Notice::Quarantined { .. }));
        let code = running.reports[0].failure().map(|(stage, failure)| (stage, failure.code));
        running.end(&yard).await;
        (told, code)
    };
    let failed = Some((Stage::Load, "protocol.no_handshake"));
    for count in 1..=2 {
        assert_eq!(start(&bad).await, (false, failed));
        assert_eq!(unhealthy_starts(&yard), count);
    }
    assert_eq!(start(&good).await, (false, None));
    assert_eq!(unhealthy_starts(&yard), 0);
    for _ in 1..=2 {
        assert_eq!(start(&bad).await, (false, failed));
    }
    assert_eq!(start(&bad).await, (true, failed));
    assert_eq!(start(&bad).await, (false, Some((Stage::Trust, "trust.quarantined"))));
    let kept = Quarantine::read(&yard.places().state).unwrap();
    let evidence = &kept.extensions[&name("ada")];
    assert_eq!(evidence.faults.len(), 3);
    assert!(evidence.reason.contains("3 starts in a row went wrong"), "{}", evidence.reason);
    // One that only lacks another did nothing wrong.
    let needy = Extension::new("bob").needs("ada");
    for _ in 0..4 {
        let running = yard.start(std::slice::from_ref(&needy)).await;
        assert_eq!(running.failure("bob").1, "load.dependency");
        running.end(&yard).await;
    }
}

async fn blameless() {
    let yard = Yard::new();
    for _ in 0..5 {
        yard.start(&[crashing("ada")]).await.all_ready().end(&yard).await;
    }
    // A host that is dropped without a word is no different.
    for _ in 0..5 {
        drop(yard.start(&[crashing("ada")]).await.all_ready());
        crate::yard::nothing_is_left(&yard).await;
    }
    let running = yard.start(&[crashing("ada")]).await.all_ready();
    assert_eq!(running.notices(), []);
    assert_eq!(unhealthy_starts(&yard), 0);
    running.end(&yard).await;
}

async fn given_up() {
    let yard = Yard::new();
    let slow = Extension::new("ada").when("start", json!([{ "note": "start" }, { "hang": true }]));
    for count in 1..=4 {
        let starting = yard.start(std::slice::from_ref(&slow));
        tokio::select! {
            _ = starting => panic!("it started"),
            _ = yard.noted_at_least(count) => {}
        }
        crate::yard::nothing_is_left(&yard).await;
    }
    let running = yard.start(&[crashing("ada")]).await.all_ready();
    assert_eq!(running.notices(), []);
    assert_eq!(unhealthy_starts(&yard), 0);
    running.end(&yard).await;
}

async fn unreadable() {
    let text = r#"{"version":1,"quarantine":{"ada":{"version":"1.0.0","tree":null"#;
    for (file, damaged) in [
        ("quarantine.json", text),
        ("quarantine.json", ""),
        ("quarantine.json", "[]"),
        ("quarantine.json", r#"{"version":9,"other":true}"#),
        ("starts.json", ""),
        ("starts.json", r#"{"version":9,"other":true}"#),
        ("starts.json", "[1, 2"),
    ] {
        let yard = Yard::new();
        write(&yard.places().state.join(file), damaged);
        // Things happen that would be written down.
        let bad = Extension::new("bad").when("start", json!([{ "exit": 3 }]));
        let running = yard.start(&[crashing("ada").at("ask", json!([{ "exit": 3 }])), bad]).await;
        for _ in 0..3 {
            assert!(running.blocked(json!({})).await.is_some());
        }
        running.quarantined("ada").await;
        let told = running.notices().into_iter().find_map(|notice| match notice {
            Notice::State { error } => Some(error),
            _ => None,
        });
        assert!(told.as_ref().is_some_and(|told| told.contains(file)), "{damaged}: {told:?}");
        running.end(&yard).await;
        let now = std::fs::read_to_string(yard.places().state.join(file)).unwrap();
        assert_eq!(now, damaged, "{file} was written over");
    }
}
