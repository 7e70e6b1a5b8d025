//! Transforms, claims and collects: every outcome, chaining, and that a fault is skipped.

use crate::extension::Extension;
use crate::kit::trial;
use crate::yard::{Running, Yard, thing};
use libtest_mimic::Trial;
use pintle_loader::hook::Claimed;
use serde_json::{Value, json};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("transform::values_are_chained_and_the_last_good_one_stands", chain),
        trial("transform::each_fault_is_skipped", skipped),
        trial("transform::a_filter_sees_what_came_before", filter),
        trial("claim::the_first_that_handles_it_wins", claim),
        trial("claim::each_fault_is_skipped", claim_skipped),
        trial("claim::nobody_takes_it_and_a_replacement_is_left", unclaimed),
        trial("collect::items_come_in_load_order_with_their_owners", collect),
        trial("collect::each_fault_adds_nothing", collect_skipped),
        trial("hooks::with_nobody_there_everything_goes_on", nobody),
    ]
}

/// Every wrong thing to answer, and the code of the fault.
fn wrong() -> Vec<(Value, &'static str)> {
    vec![
        (json!({ "fault": "it broke" }), "fault.handler"),
        (json!({ "answer": { "replace": { "text": 3 } } }), "fault.bad_outcome"),
        (json!({ "answer": { "block": "no" } }), "fault.bad_outcome"),
        (json!({ "answer": { "ask": { "title": "may I?" } } }), "fault.bad_outcome"),
        (json!({ "exit": 3 }), "fault.exited"),
    ]
}

fn three(hook: &str) -> [Extension; 3] {
    ["ada", "bob", "cyd"].map(|name| Extension::new(name).hook(hook))
}

async fn shaped(running: &Running, acts: Value) -> String {
    let shaped = running.hooks.shape.apply(thing(acts)).await;
    shaped["text"].as_str().unwrap().to_owned()
}

async fn chain() {
    let yard = Yard::new();
    let running = yard.start(&three("shape")).await.all_ready();
    let acts = json!({ "ada": [{ "append": "a" }], "cyd": [{ "append": "c" }], "bob": [{ "append": "b" }] });
    assert_eq!(shaped(&running, acts).await, "-abc");
    let acts =
        json!({ "ada": [{ "append": "a" }], "bob": [{ "set": { "text": 5 } }], "cyd": [{ "append": "c" }] });
    assert_eq!(shaped(&running, acts).await, "-ac");
    assert_eq!(running.faults(), [("bob".to_owned(), "fault.bad_outcome".to_owned())]);
    running.end(&yard).await;
}

async fn skipped() {
    let more = [
        (json!({ "answer": { "handled": { "said": "x" } } }), "fault.bad_outcome"),
        (json!({ "answer": { "items": [] } }), "fault.bad_outcome"),
    ];
    for (act, code) in wrong().into_iter().chain(more) {
        let yard = Yard::new();
        let running = yard.start(&three("shape")).await.all_ready();
        let acts = json!({ "ada": [{ "append": "a" }], "bob": [act], "cyd": [{ "append": "c" }] });
        assert_eq!(shaped(&running, acts).await, "-ac", "{act}");
        assert_eq!(running.fault("bob").await, code, "{act}");
        running.end(&yard).await;
    }
}

async fn filter() {
    let yard = Yard::new();
    let bob = Extension::new("bob").hook_with("shape", "filter = { tool = \"b\" }");
    let running = yard.start(&[Extension::new("ada").hook("shape"), bob]).await.all_ready();
    let acts = json!({ "ada": [{ "set": { "tool": "b" } }], "bob": [{ "append": "b" }] });
    assert_eq!(shaped(&running, acts).await, "-b");
    assert_eq!(shaped(&running, json!({ "bob": [{ "append": "b" }] })).await, "-");
    running.end(&yard).await;
}

async fn claim() {
    let yard = Yard::new();
    let running = yard.start(&three("take")).await.all_ready();
    let acts = json!({ "ada": [{ "append": "a" }], "bob": [{ "said_text": "bob:" }], "cyd": [{ "note": "was asked" }] });
    match running.hooks.take.offer(thing(acts)).await {
        Claimed::Handled { by, reply } => {
            assert_eq!((by.as_str(), reply), ("bob", json!({ "said": "bob:-a" })))
        }
        Claimed::Unclaimed(_) => panic!("nobody took it"),
    }
    assert_eq!(yard.noted(), Vec::<String>::new());
    running.end(&yard).await;
}

async fn claim_skipped() {
    let more = [
        (json!({ "answer": { "handled": { "said": 7 } } }), "fault.bad_outcome"),
        (json!({ "answer": { "items": [] } }), "fault.bad_outcome"),
    ];
    for (act, code) in wrong().into_iter().chain(more) {
        let yard = Yard::new();
        let running = yard.start(&three("take")).await.all_ready();
        let acts = json!({ "ada": [act], "bob": [{ "said": "b" }] });
        match running.hooks.take.offer(thing(acts)).await {
            Claimed::Handled { by, .. } => assert_eq!(by.as_str(), "bob", "{act}"),
            Claimed::Unclaimed(_) => panic!("nobody took it"),
        }
        assert_eq!(running.fault("ada").await, code, "{act}");
        running.end(&yard).await;
    }
}

async fn unclaimed() {
    let yard = Yard::new();
    let running = yard.start(&three("take")).await.all_ready();
    let acts = json!({ "ada": [{ "append": "a" }], "cyd": [{ "append": "c" }] });
    match running.hooks.take.offer(thing(acts)).await {
        Claimed::Unclaimed(payload) => assert_eq!(payload["text"], "-ac"),
        Claimed::Handled { by, .. } => panic!("{by} took it"),
    }
    running.end(&yard).await;
}

async fn gathered(running: &Running, acts: Value) -> Vec<(String, String)> {
    let items = running.hooks.add.gather(&thing(acts)).await;
    items
        .into_iter()
        .map(|(owner, item)| (owner.to_string(), item["said"].as_str().unwrap().to_owned()))
        .collect()
}

fn owned(items: &[(&str, &str)]) -> Vec<(String, String)> {
    items.iter().map(|(owner, item)| ((*owner).to_owned(), (*item).to_owned())).collect()
}

async fn collect() {
    let yard = Yard::new();
    let running = yard.start(&three("add")).await.all_ready();
    let acts =
        json!({ "cyd": [{ "items": ["5"] }], "ada": [{ "items": ["2", "1"] }], "bob": [{ "items": [] }] });
    assert_eq!(gathered(&running, acts).await, owned(&[("ada", "2"), ("ada", "1"), ("cyd", "5")]));
    running.end(&yard).await;
}

async fn collect_skipped() {
    let many: Vec<Value> = (0..1001).map(|_| json!("x")).collect();
    let more = [
        (json!({ "answer": { "items": [{ "said": "good" }, { "said": 7 }] } }), "fault.bad_outcome"),
        (json!({ "items": many }), "fault.bad_outcome"),
        (json!({ "answer": { "handled": { "said": "x" } } }), "fault.bad_outcome"),
    ];
    for (act, code) in wrong().into_iter().chain(more) {
        let yard = Yard::new();
        let running = yard.start(&three("add")).await.all_ready();
        let acts = json!({ "ada": [{ "items": ["a"] }], "bob": [act], "cyd": [{ "items": ["c"] }] });
        assert_eq!(gathered(&running, acts).await, owned(&[("ada", "a"), ("cyd", "c")]), "{code}");
        assert_eq!(running.fault("bob").await, code);
        running.end(&yard).await;
    }
}

async fn nobody() {
    let yard = Yard::new();
    let running = yard.start(&[]).await;
    assert_eq!(running.blocked(json!({})).await, None);
    assert_eq!(shaped(&running, json!({})).await, "-");
    assert_eq!(gathered(&running, json!({})).await, []);
    assert!(matches!(running.hooks.take.offer(thing(json!({}))).await, Claimed::Unclaimed(_)));
    let inner = |_| async { json!({ "said": "host" }) };
    assert_eq!(running.hooks.wrap.run(thing(json!({})), inner).await, Ok(json!({ "said": "host" })));
    running.hooks.seen.tell(&thing(json!({})));
    running.hooks.flow.push(&thing(json!({})));
    running.end(&yard).await;
}
