//! Time: own time and wall time, what stands still and what runs, and answering other hooks while one waits.

use crate::extension::Extension;
use crate::kit::trial;
use crate::yard::{Running, Yard, thing};
use libtest_mimic::Trial;
use pintle_loader::hook::Verdict;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("time::who_computes_for_too_long_is_ended", own_time),
        trial("time::who_heeds_the_cancel_goes_on", heeded),
        trial("time::own_time_stands_still_while_the_host_is_awaited", stands_still),
        trial("time::own_time_runs_while_it_sleeps_at_the_clock", sleeps),
        trial("time::wall_time_runs_always", wall_time),
        trial("time::a_manifest_may_lower_but_not_raise_its_own_time", lowered),
        trial("time::other_hooks_are_answered_while_a_guard_waits", reentrant),
        trial("time::an_answer_that_comes_too_late_is_dropped", late),
    ]
}

fn quick(name: &str) -> Extension {
    Extension::new(name).hook_with("ask", "own_time = \"200ms\"").hook("shape")
}

fn code(blocked: Option<(String, String, String)>) -> String {
    blocked.expect("it was not blocked").1
}

async fn own_time() {
    for act in ["hang", "spin", "silent"] {
        let yard = Yard::new();
        let running = yard.start(&[quick("ada")]).await.all_ready();
        let since = Instant::now();
        assert_eq!(code(running.blocked(json!({ "ada": [{ act: true }] })).await), "fault.own_time", "{act}");
        assert!(since.elapsed() < Duration::from_secs(3), "{act}: {:?}", since.elapsed());
        running.restarted("ada").await;
        assert_eq!(running.blocked(json!({})).await, None, "{act}");
        assert_eq!(running.faults(), [("ada".to_owned(), "fault.own_time".to_owned())], "{act}");
        running.end(&yard).await;
    }
}

async fn heeded() {
    let yard = Yard::new();
    let running = yard.start(&[quick("ada")]).await.all_ready();
    // It answers after its time and within the grace.
    assert_eq!(code(running.blocked(json!({ "ada": [{ "sleep": 300 }] })).await), "fault.own_time");
    assert_eq!(running.blocked(json!({})).await, None);
    assert_eq!(running.held("ada").iter().filter(|one| one.starts_with("worker")).count(), 1);
    assert!(
        !running.notices().iter().any(|notice| matches!(notice, pintle_loader::Notice::Restarted { .. }))
    );
    running.end(&yard).await;
}

/// Lets an extension wait for the host in a guard for longer than its own time.
async fn waiting(running: &Running, hook_time: Duration) -> Verdict<Value> {
    let asking = running.guard(json!({ "ada": [{ "call": { "call": "choose" } }] }));
    let choosing = async {
        running.choice_asked().await;
        tokio::time::sleep(hook_time).await;
        running.heard.chosen.notify_one();
    };
    tokio::join!(asking, choosing).0
}

async fn stands_still() {
    let yard = Yard::new();
    let running = yard.start(&[quick("ada")]).await.all_ready();
    assert!(matches!(waiting(&running, Duration::from_millis(600)).await, Verdict::Continue(_)));
    // What it does before and after still counts.
    let acts = json!({ "ada": [{ "sleep": 120 }, { "call": { "call": "clock.now" } }, { "sleep": 600 }] });
    assert_eq!(code(running.blocked(acts).await), "fault.own_time");
    running.end(&yard).await;
}

async fn sleeps() {
    let yard = Yard::new();
    let running = yard.start(&[quick("ada")]).await.all_ready();
    let sleep = json!({ "call": "clock.sleep", "arguments": { "ms": 3000 } });
    assert_eq!(code(running.blocked(json!({ "ada": [{ "call": sleep }] })).await), "fault.own_time");
    running.end(&yard).await;
}

async fn wall_time() {
    let yard = Yard::new();
    let running = yard.start(&[Extension::new("ada").hook("hasty")]).await.all_ready();
    let acts = json!({ "ada": [{ "call": { "call": "choose" } }] });
    let since = Instant::now();
    let Verdict::Block(blocked) = running.hooks.hasty.ask(thing(acts)).await else { panic!("it passed") };
    assert_eq!(blocked.code, "fault.wall_time");
    assert!(since.elapsed() < Duration::from_secs(4));
    running.end(&yard).await;
}

async fn lowered() {
    let yard = Yard::new();
    let more = Extension::new("ada").hook_with("hasty", "own_time = \"20s\"");
    let running = yard.start(&[more]).await.all_ready();
    let since = Instant::now();
    let Verdict::Block(_) = running.hooks.hasty.ask(thing(json!({ "ada": [{ "hang": true }] }))).await else {
        panic!("it passed")
    };
    assert!(since.elapsed() < Duration::from_secs(4));
    running.end(&yard).await;
}

async fn reentrant() {
    let yard = Yard::new();
    let running = yard.start(&[Extension::new("ada").hook("ask").hook("shape")]).await.all_ready();
    let asking = running.blocked(json!({ "ada": [{ "call": { "call": "choose" } }, { "block": "chosen" }] }));
    let shaping = async {
        running.choice_asked().await;
        let shaped = running.hooks.shape.apply(thing(json!({ "ada": [{ "append": "a" }] }))).await;
        assert_eq!(shaped["text"], "-a");
        // The same hook, too.
        assert_eq!(running.blocked(json!({ "ada": [{ "block": "second" }] })).await.unwrap().2, "second");
        running.heard.chosen.notify_one();
    };
    let (blocked, ()) = tokio::join!(asking, shaping);
    assert_eq!(blocked.unwrap().2, "chosen");
    running.end(&yard).await;
}

async fn late() {
    let yard = Yard::new();
    let running = yard.start(&[quick("ada")]).await.all_ready();
    // The host gives up on a transform; what comes later is nobody's.
    let gate = yard.gate("gate");
    let acts = json!({ "ada": [{ "await": gate }, { "append": "late" }] });
    let shaping = running.hooks.shape.apply(thing(acts));
    assert!(tokio::time::timeout(Duration::from_millis(50), shaping).await.is_err());
    yard.open("gate");
    assert_eq!(running.blocked(json!({ "ada": [{ "block": "here" }] })).await.unwrap().2, "here");
    assert_eq!(running.faults(), []);
    running.end(&yard).await;
}
