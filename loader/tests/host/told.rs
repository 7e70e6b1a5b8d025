//! Observers and streams: order, batches, what is dropped, and that nobody waits for them.

use crate::extension::Extension;
use crate::kit::{PATIENCE, trial, until};
use crate::yard::{Running, Yard, thing};
use libtest_mimic::Trial;
use pintle_loader::hook::Stream;
use pintle_loader::trace::TraceEvent;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("observe::each_gets_them_in_order_and_before_the_next_guard", order),
        trial("observe::nobody_is_waited_for_and_a_fault_costs_nobody_anything", alone),
        trial("observe::a_filter_is_matched_by_the_host", filter),
        trial("observe::what_is_told_has_no_answer_but_continue", no_answer),
        trial("observe::who_is_late_at_the_end_is_named", late_at_the_end),
        trial("observe::who_lets_go_without_being_told_to_breaks_the_protocol", unasked),
        trial("stream::items_come_in_batches_and_in_order", batches),
        trial("stream::the_oldest_go_first_and_are_counted", drop_oldest),
        trial("stream::a_stuck_subscriber_delays_neither_the_producer_nor_others", stuck),
        trial("stream::coalescing_keeps_the_newest", coalesce),
        trial("stream::closing_ends_the_subscription", close),
        trial("stream::a_flush_waits_for_delivery_but_not_for_ever", flush),
        trial("stream::a_restart_loses_nothing_uncounted", restart),
    ]
}

fn item(text: impl ToString) -> Value {
    json!({ "text": text.to_string() })
}

async fn order() {
    let yard = Yard::new();
    let one = |name: &str| Extension::new(name).at("seen", json!([{ "note_text": "" }])).hook("ask");
    let running = yard.start(&[one("ada"), one("bob")]).await.all_ready();
    for number in 0..50 {
        running.hooks.seen.tell(&item(number));
    }
    let acts = json!({ "ada": [{ "note": "guard" }], "bob": [{ "note": "guard" }] });
    assert_eq!(running.blocked(acts).await, None);
    for name in ["ada", "bob"] {
        let noted: Vec<String> = yard.noted().into_iter().filter(|line| line.starts_with(name)).collect();
        let expected: Vec<String> =
            (0..50).map(|number| format!("{name} {number}")).chain([format!("{name} guard")]).collect();
        assert_eq!(noted, expected);
    }
    running.end(&yard).await;
}

async fn alone() {
    let yard = Yard::new();
    let gate = yard.gate("gate");
    let slow = Extension::new("ada").at("seen", json!([{ "await": gate }, { "note_text": "" }]));
    let bad = Extension::new("bob").at("seen", json!([{ "answer": { "block": "no" } }]));
    let good = Extension::new("cyd").at("seen", json!([{ "note_text": "" }]));
    let running = yard.start(&[slow, bad, good]).await.all_ready();
    let since = Instant::now();
    running.hooks.seen.tell(&item("one"));
    assert!(since.elapsed() < Duration::from_millis(200), "the host waited");
    assert_eq!(yard.noted_at_least(1).await, ["cyd one"]);
    yard.open("gate");
    yard.noted_at_least(2).await;
    running.end(&yard).await;
}

async fn filter() {
    let yard = Yard::new();
    let ada = Extension::new("ada").hook_with("seen", "filter = { tool = \"sh\" }").hook("ask");
    let running = yard.start(&[ada.at("seen", json!([{ "note_text": "" }]))]).await.all_ready();
    running.hooks.seen.tell(&json!({ "text": "one" }));
    running.hooks.seen.tell(&json!({ "text": "two", "tool": "sh" }));
    running.blocked(json!({})).await;
    assert_eq!(yard.noted(), ["ada two"]);
    running.end(&yard).await;
}

async fn no_answer() {
    for hook in ["seen", "flow"] {
        let yard = Yard::new();
        let running =
            yard.start(&[Extension::new("ada").at(hook, json!([{ "answer": { "block": "no" } }]))]).await;
        match hook {
            "seen" => running.hooks.seen.tell(&item("one")),
            _ => running.hooks.flow.push(&item("one")),
        }
        until("the fault", || !running.faults().is_empty()).await;
        assert_eq!(running.faults(), [("ada".to_owned(), "fault.bad_outcome".to_owned())], "{hook}");
        running.end(&yard).await;
    }
}

async fn late_at_the_end() {
    let yard = Yard::new();
    let ada = Extension::new("ada").hook_with("seen", "own_time = \"700ms\"");
    let running = yard.start(&[ada.at("seen", json!([{ "hang": true }]))]).await.all_ready();
    running.hooks.seen.tell(&item("one"));
    running.host().shutdown().await;
    assert_eq!(running.faults(), [("ada".to_owned(), "fault.own_time".to_owned())]);
    running.end(&yard).await;
}

async fn unasked() {
    let yard = Yard::new();
    let let_go = json!([{ "raw": { "disposed": {} } }]);
    let running = yard.start(&[Extension::new("ada").at("ask", let_go)]).await.all_ready();
    assert_eq!(running.blocked(json!({})).await.unwrap().1, "protocol.unasked_disposed");
    running.end(&yard).await;
}

/// Returns what came in batches: the texts, and how many were dropped.
fn delivered(yard: &Yard, name: &str) -> (Vec<String>, u64) {
    let (mut texts, mut dropped) = (Vec::new(), 0);
    for line in yard.noted() {
        let Some(batch) = line.strip_prefix(&format!("{name} ")) else { continue };
        let Ok(batch) = serde_json::from_str::<Value>(batch) else { continue };
        let items = batch["items"].as_array().unwrap();
        texts.extend(items.iter().map(|item| item["text"].as_str().unwrap().to_owned()));
        dropped += batch["dropped"].as_u64().unwrap();
    }
    (texts, dropped)
}

fn subscriber(name: &str, hook: &str) -> Extension {
    Extension::new(name).at(hook, json!([{ "note_payload": "" }]))
}

/// One that takes its first batch and then waits for a file.
fn stuck_at(name: &str, hook: &str, yard: &Yard) -> Extension {
    let (gate, marker) = (yard.gate("gate"), yard.gate("stuck"));
    let first = json!([{ "once": { "marker": marker, "first": [{ "await": gate }, { "note_payload": "" }], "then": [] } }]);
    Extension::new(name).at(hook, json!([first, [{ "note_payload": "" }]]))
}

async fn until_stuck(yard: &Yard) {
    let marker = yard.gate("stuck");
    until("the subscriber is stuck", || marker.exists()).await;
}

async fn flushed(stream: &Stream<Value>) {
    stream.flush(PATIENCE).await;
}

async fn batches() {
    let yard = Yard::new();
    let running = yard.start(&[subscriber("ada", "flow"), subscriber("bob", "flow")]).await.all_ready();
    for number in 0..500 {
        running.hooks.flow.push(&item(number));
    }
    flushed(&running.hooks.flow).await;
    let expected: Vec<String> = (0..500).map(|number| number.to_string()).collect();
    assert_eq!(delivered(&yard, "ada"), (expected.clone(), 0));
    assert_eq!(delivered(&yard, "bob"), (expected, 0));
    assert!(yard.noted().len() < 50, "{} batches", yard.noted().len());
    running.end(&yard).await;
}

async fn drop_oldest() {
    let yard = Yard::new();
    let running = yard.start(&[stuck_at("ada", "flow", &yard)]).await.all_ready();
    running.hooks.flow.push(&item("first"));
    until_stuck(&yard).await;
    for number in 0..3000 {
        running.hooks.flow.push(&item(number));
    }
    // Bytes are bounded, too: these leave room for two.
    for number in 0..3 {
        running.hooks.flow.push(&item(format!("{number}{}", "x".repeat(100_000))));
    }
    yard.open("gate");
    flushed(&running.hooks.flow).await;
    let (texts, dropped) = delivered(&yard, "ada");
    assert_eq!(texts.len() as u64 + dropped, 3004);
    assert_eq!(texts[0], "first");
    let tail: Vec<char> = texts[1..].iter().map(|text| text.chars().next().unwrap()).collect();
    assert_eq!(tail, ['1', '2']);
    let told = running.heard.events.lock().unwrap().clone();
    let told: u64 = told
        .iter()
        .filter_map(|event| match event {
            TraceEvent::Dropped { count, .. } => Some(*count),
            _ => None,
        })
        .sum();
    assert_eq!(told, dropped);
    running.end(&yard).await;
}

async fn stuck() {
    let yard = Yard::new();
    let running = yard.start(&[stuck_at("ada", "flow", &yard), subscriber("bob", "flow")]).await.all_ready();
    running.hooks.flow.push(&item("first"));
    until_stuck(&yard).await;
    let mut longest = Duration::ZERO;
    for number in 0..5000 {
        let since = Instant::now();
        running.hooks.flow.push(&item(number));
        longest = longest.max(since.elapsed());
        if number % 50 == 0 {
            tokio::task::yield_now().await;
        }
    }
    assert!(longest < Duration::from_millis(500), "a push took {longest:?}");
    // The other one gets all that it has room for while this one is stuck.
    until("bob has the last one", || delivered(&yard, "bob").0.last().is_some_and(|last| last == "4999"))
        .await;
    let (texts, dropped) = delivered(&yard, "bob");
    assert_eq!(texts.len() as u64 + dropped, 5001);
    assert_eq!(delivered(&yard, "ada"), (Vec::new(), 0));
    yard.open("gate");
    running.end(&yard).await;
}

async fn coalesce() {
    let yard = Yard::new();
    let running = yard.start(&[stuck_at("ada", "latest", &yard)]).await.all_ready();
    running.hooks.latest.push(&item("first"));
    until_stuck(&yard).await;
    for number in 0..1000 {
        running.hooks.latest.push(&item(number));
    }
    yard.open("gate");
    flushed(&running.hooks.latest).await;
    let (texts, dropped) = delivered(&yard, "ada");
    assert_eq!(texts.last().map(String::as_str), Some("999"));
    assert_eq!(texts.len() as u64 + dropped, 1001);
    assert!(texts.len() <= 65, "{}", texts.len());
    running.end(&yard).await;
}

async fn close() {
    let yard = Yard::new();
    let running = yard.start(&[stuck_at("ada", "strict", &yard)]).await.all_ready();
    running.hooks.strict.push(&item("first"));
    until_stuck(&yard).await;
    for number in 0..1100 {
        running.hooks.strict.push(&item(number));
    }
    yard.open("gate");
    until("it is told how much it missed", || delivered(&yard, "ada").1 > 0).await;
    running.hooks.strict.push(&item("after"));
    flushed(&running.hooks.strict).await;
    let (texts, dropped) = delivered(&yard, "ada");
    assert_eq!((texts, dropped), (vec!["first".to_owned()], 1025));
    running.end(&yard).await;
}

async fn flush() {
    let yard = Yard::new();
    let running = yard.start(&[stuck_at("ada", "flow", &yard)]).await.all_ready();
    running.hooks.flow.push(&item("first"));
    until_stuck(&yard).await;
    let since = Instant::now();
    running.hooks.flow.flush(Duration::from_millis(100)).await;
    assert!(since.elapsed() < Duration::from_secs(2), "the flush took {:?}", since.elapsed());
    yard.open("gate");
    flushed(&running.hooks.flow).await;
    assert_eq!(delivered(&yard, "ada").0, ["first"]);
    // Nothing is there, so there is nothing to wait for.
    let since = Instant::now();
    flushed(&running.hooks.flow).await;
    assert!(since.elapsed() < Duration::from_secs(1));
    running.end(&yard).await;
}

async fn crashed(running: &Running) {
    assert!(running.blocked(json!({ "ada": [{ "exit": 3 }] })).await.is_some());
}

async fn restart() {
    let yard = Yard::new();
    let running = yard.start(&[subscriber("ada", "flow").hook("ask")]).await.all_ready();
    running.hooks.flow.push(&item("one"));
    flushed(&running.hooks.flow).await;
    crashed(&running).await;
    for number in 0..10 {
        running.hooks.flow.push(&item(number));
    }
    running.restarted("ada").await;
    flushed(&running.hooks.flow).await;
    let (texts, dropped) = delivered(&yard, "ada");
    assert_eq!((texts.len(), dropped), (11, 0), "{texts:?}");
    let guard = running.hooks.ask.ask(thing(json!({}))).await;
    assert!(matches!(guard, pintle_loader::hook::Verdict::Continue(_)));
    running.end(&yard).await;
}
