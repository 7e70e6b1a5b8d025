//! Around hooks: nesting, what is inside runs once, and what a fault means by the contract.

use crate::extension::Extension;
use crate::kit::trial;
use crate::yard::{Running, Yard, thing};
use libtest_mimic::Trial;
use pintle_loader::hook::AroundError;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("around::the_first_is_the_outermost", nested),
        trial("around::it_may_answer_without_what_is_inside", without),
        trial("around::a_fault_before_next_blocks_or_is_skipped", before),
        trial("around::a_fault_after_next_runs_nothing_twice", after),
        trial("around::next_runs_once_also_if_it_is_asked_twice_at_once", twice),
        trial("around::what_is_passed_on_is_checked", checked),
        trial("around::own_time_stands_still_while_what_is_inside_runs", time),
        trial("around::one_that_ends_while_what_is_inside_runs_does_not_run_it_again", ended),
        trial("around::a_reply_is_checked", reply),
        trial("around::next_exists_nowhere_else", elsewhere),
    ]
}

fn three(hook: &str) -> [Extension; 3] {
    ["ada", "bob", "cyd"].map(|name| Extension::new(name).hook(hook))
}

/// What the host does inside: says the text of the payload, and counts.
#[derive(Clone, Default)]
struct Inside {
    ran: Arc<AtomicUsize>,
    takes: Duration,
}

impl Inside {
    async fn run(&self, running: &Running, skips: bool, acts: Value) -> Result<String, AroundError> {
        let this = self.clone();
        let inner = move |payload: Value| {
            let this = this.clone();
            async move {
                this.ran.fetch_add(1, Ordering::SeqCst);
                tokio::time::sleep(this.takes).await;
                json!({ "said": payload["text"] })
            }
        };
        let hook = if skips { &running.hooks.pass } else { &running.hooks.wrap };
        let result = hook.run(thing(acts), inner).await;
        result.map(|reply| reply["said"].as_str().unwrap().to_owned())
    }

    fn ran(&self) -> usize {
        self.ran.load(Ordering::SeqCst)
    }
}

async fn nested() {
    let yard = Yard::new();
    let running = yard.start(&three("wrap")).await.all_ready();
    let inside = Inside::default();
    let both = |name: &str| json!([{ "next_append": name }, { "said_last": name.to_uppercase() }]);
    let acts = json!({ "ada": both("a"), "bob": both("b"), "cyd": both("c") });
    assert_eq!(inside.run(&running, false, acts).await.unwrap(), "ABC-abc");
    assert_eq!(inside.ran(), 1);
    assert_eq!(running.faults(), []);
    running.end(&yard).await;
}

async fn without() {
    let yard = Yard::new();
    let running = yard.start(&three("wrap")).await.all_ready();
    let inside = Inside::default();
    let acts = json!({ "ada": [{ "next": null }, { "said_last": "a" }], "bob": [{ "said": "from a cache" }], "cyd": [{ "note": "was asked" }] });
    assert_eq!(inside.run(&running, false, acts).await.unwrap(), "afrom a cache");
    assert_eq!((inside.ran(), yard.noted().len()), (0, 0));
    running.end(&yard).await;
}

async fn before() {
    for (act, code) in [
        (json!({ "fault": "it broke" }), "fault.handler"),
        (json!({ "answer": "continue" }), "fault.bad_outcome"),
        (json!({ "answer": { "block": "no" } }), "fault.bad_outcome"),
        (json!({ "exit": 3 }), "fault.exited"),
    ] {
        let yard = Yard::new();
        let running =
            yard.start(&["ada", "bob"].map(|name| Extension::new(name).hook("wrap").hook("pass"))).await;
        let inside = Inside::default();
        let acts = json!({ "ada": [{ "next": null }, { "said_last": "a" }], "bob": [act] });
        let blocked = inside.run(&running, false, acts.clone()).await;
        // The outer one is told, and answers all the same.
        assert_eq!(blocked.unwrap(), "anothing", "{act}");
        let error = inside.run(&running, false, json!({ "ada": [act] })).await.unwrap_err();
        assert_eq!((error.by.as_str(), error.code.as_str()), ("ada", code), "{act}");
        assert_eq!(inside.ran(), 0, "{act}");
        let yard_of_skips = Yard::new();
        let skipping =
            yard_of_skips.start(&["ada", "bob"].map(|name| Extension::new(name).hook("pass"))).await;
        assert_eq!(inside.run(&skipping, true, acts).await.unwrap(), "a-", "{act}");
        assert_eq!(inside.ran(), 1, "{act}");
        skipping.end(&yard_of_skips).await;
        running.end(&yard).await;
    }
}

async fn after() {
    let yard = Yard::new();
    let running =
        yard.start(&["ada", "bob"].map(|name| Extension::new(name).hook("wrap").hook("pass"))).await;
    let inside = Inside::default();
    let acts = json!({ "ada": [{ "next": null }, { "fault": "too late" }], "bob": [{ "next": null }, { "said_last": "b" }] });
    assert_eq!(inside.run(&running, true, acts.clone()).await.unwrap(), "b-");
    assert_eq!(inside.ran(), 1);
    let error = inside.run(&running, false, acts).await.unwrap_err();
    assert_eq!((error.by.as_str(), error.code.as_str(), inside.ran()), ("ada", "fault.handler", 2));
    running.end(&yard).await;
}

async fn twice() {
    let yard = Yard::new();
    let running = yard.start(&[Extension::new("ada").hook("wrap")]).await.all_ready();
    let inside = Inside { takes: Duration::from_millis(50), ..Inside::default() };
    let acts = json!({ "ada": [{ "next_twice": null }, { "note_last": "" }, { "said": "done" }] });
    assert_eq!(inside.run(&running, false, acts).await.unwrap(), "done");
    assert_eq!(inside.ran(), 1);
    let noted = yard.noted();
    assert!(noted[0].contains(r#""value":{"said":"-"}"#) && noted[0].contains("call.invalid"), "{noted:?}");
    let acts =
        json!({ "ada": [{ "next": null }, { "next": null }, { "note_last": "" }, { "said": "done" }] });
    inside.run(&running, false, acts).await.unwrap();
    assert_eq!(inside.ran(), 2);
    assert!(yard.noted()[1].contains("`next` runs once"), "{:?}", yard.noted());
    running.end(&yard).await;
}

async fn checked() {
    let yard = Yard::new();
    let running = yard.start(&[Extension::new("ada").hook("wrap")]).await.all_ready();
    let inside = Inside::default();
    let acts = json!({ "ada": [{ "next": { "text": 7 } }, { "note_last": "" }, { "next": { "text": "mended" } }, { "said_last": "" }] });
    assert_eq!(inside.run(&running, false, acts).await.unwrap(), "mended");
    assert!(yard.noted()[0].contains("call.invalid"), "{:?}", yard.noted());
    running.end(&yard).await;
}

async fn time() {
    let yard = Yard::new();
    let running = yard.start(&[Extension::new("ada").hook("wrap")]).await.all_ready();
    // Longer than its own time, which is a second.
    let inside = Inside { takes: Duration::from_millis(1500), ..Inside::default() };
    let acts = json!({ "ada": [{ "next": null }, { "said_last": "a" }] });
    assert_eq!(inside.run(&running, false, acts).await.unwrap(), "a-");
    assert_eq!(running.faults(), []);
    running.end(&yard).await;
}

async fn ended() {
    let yard = Yard::new();
    let two = ["ada", "bob"].map(|name| Extension::new(name).hook("pass").hook("wrap"));
    let running = yard.start(&two).await.all_ready();
    let inside = Inside { takes: Duration::from_millis(400), ..Inside::default() };
    let bob = json!([{ "next": null }, { "said_last": "b" }]);
    let next = json!({ "call": "next", "arguments": thing(json!({ "bob": bob })) });
    let acts = json!({ "ada": [{ "send": next }, { "sleep": 100 }, { "exit": 3 }] });
    let result = inside.run(&running, true, acts.clone()).await;
    assert_eq!((result.unwrap().as_str(), inside.ran()), ("b-", 1));
    running.restarted("ada").await;
    let error = inside.run(&running, false, acts).await.unwrap_err();
    assert_eq!((error.code.as_str(), inside.ran()), ("fault.exited", 2));
    running.end(&yard).await;
}

async fn reply() {
    let yard = Yard::new();
    let running = yard.start(&[Extension::new("ada").hook("wrap")]).await.all_ready();
    let inside = Inside::default();
    let acts = json!({ "ada": [{ "answer": { "handled": { "said": 7 } } }] });
    let error = inside.run(&running, false, acts).await.unwrap_err();
    assert_eq!((error.by.as_str(), error.code.as_str()), ("ada", "fault.bad_outcome"));
    running.end(&yard).await;
}

async fn elsewhere() {
    let yard = Yard::new();
    let running = yard.start(&[Extension::new("ada").hook("ask")]).await.all_ready();
    let (code, message) = running.error("ada", "next", thing(json!({}))).await;
    assert_eq!(code, "call.unknown");
    assert!(message.contains("around"), "{message}");
    running.end(&yard).await;
}
