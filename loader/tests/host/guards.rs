//! Guards: every outcome, their order, questions, and that a fault blocks.

use crate::extension::Extension;
use crate::kit::trial;
use crate::yard::{Yard, thing, told};
use libtest_mimic::Trial;
use pintle_loader::Notice;
use pintle_loader::hook::{Claimed, Verdict};
use serde_json::{Value, json};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("guard::each_outcome_does_what_it_says", outcomes),
        trial("guard::what_is_no_outcome_of_a_guard_blocks", foreign),
        trial("guard::the_order_is_the_load_order_and_the_first_block_ends_it", order),
        trial("guard::a_replaced_payload_is_what_the_next_one_sees", chain),
        trial("guard::what_is_pinned_stays", pinned),
        trial("guard::an_ask_stands_whatever_comes_after", ask),
        trial("guard::a_question_about_what_changed_is_asked_anew", asked_anew),
        trial("guard::a_filter_is_matched_by_the_host", filter),
        trial("guard::a_filter_sees_what_a_guard_made_of_it", filter_of_changed),
        trial("guard::before_the_start_and_after_the_end_everything_is_blocked", not_running),
        trial("guard::what_the_host_does_not_promise_reaches_nobody", of_host),
        trial("guard::what_an_extension_says_of_its_fault_is_bounded", bounded),
        trial("guard::a_crash_in_it_blocks_and_names_the_extension", crash),
    ]
}

fn three() -> [Extension; 3] {
    ["ada", "bob", "cyd"].map(|name| Extension::new(name).hook("ask"))
}

async fn outcomes() {
    let yard = Yard::new();
    let running = yard.start(&three()).await.all_ready();
    let changed = |text: &str, acts: &Value| json!({ "text": text, "id": "i1", "acts": acts });
    let acts = json!({});
    assert_eq!(running.guard(acts.clone()).await, Verdict::Continue(changed("-", &acts)));
    let acts = json!({ "bob": [{ "append": "b" }] });
    assert_eq!(running.guard(acts.clone()).await, Verdict::Continue(changed("-b", &acts)));
    let acts = json!({ "bob": [{ "block": "no\u{7}" }] });
    assert_eq!(running.blocked(acts).await, Some(("bob".into(), "guard.blocked".into(), "no\u{7}".into())));
    let acts = json!({ "bob": [{ "ask": "sure?" }] });
    assert_eq!(running.blocked(acts).await, Some(("bob".into(), "guard.unasked".into(), "sure?".into())));
    let long = "x".repeat(10_000);
    let (_, _, reason) = running.blocked(json!({ "bob": [{ "block": long }] })).await.unwrap();
    assert_eq!(reason.chars().count(), 2000);
    assert_eq!(running.faults(), []);
    running.end(&yard).await;
}

async fn foreign() {
    for (act, code) in [
        (json!({ "answer": { "handled": { "said": "x" } } }), "fault.bad_outcome"),
        (json!({ "answer": { "items": [] } }), "fault.bad_outcome"),
        (json!({ "answer": { "replace": { "text": 3 } } }), "fault.bad_outcome"),
        (json!({ "answer": { "replace": "text" } }), "fault.bad_outcome"),
        (json!({ "fault": "it broke" }), "fault.handler"),
        (json!({ "answer": "allow" }), "protocol.bad_message"),
    ] {
        let yard = Yard::new();
        let running = yard.start(&three()).await.all_ready();
        let (by, found, reason) = running.blocked(json!({ "bob": [act] })).await.unwrap();
        assert_eq!((by.as_str(), found.as_str()), ("bob", code), "{act}: {reason}");
        assert_eq!(running.fault("bob").await, code);
        assert_eq!(running.faults().len(), 1, "{act}: {:?}", running.faults());
        running.end(&yard).await;
    }
}

async fn order() {
    let yard = Yard::new();
    let running = yard.start(&three()).await.all_ready();
    let acts = json!({ "cyd": [{ "note": "c" }], "ada": [{ "note": "a" }], "bob": [{ "note": "b" }, { "block": "no" }] });
    assert!(running.blocked(acts).await.is_some());
    assert_eq!(yard.noted(), ["ada a", "bob b"]);
    running.end(&yard).await;
}

async fn chain() {
    let yard = Yard::new();
    let running = yard.start(&three()).await.all_ready();
    let acts = json!({ "ada": [{ "append": "a" }], "bob": [{ "note_text": "" }, { "append": "b" }], "cyd": [{ "note_text": "" }] });
    let Verdict::Continue(payload) = running.guard(acts).await else { panic!("it was blocked") };
    assert_eq!(payload["text"], "-ab");
    assert_eq!(yard.noted(), ["bob -a", "cyd -ab"]);
    running.end(&yard).await;
}

async fn pinned() {
    let yard = Yard::new();
    let running = yard.start(&three()).await.all_ready();
    let acts = json!({ "ada": [{ "answer": { "replace": { "text": "new" } } }] });
    let Verdict::Continue(payload) = running.guard(acts).await else { panic!("it was blocked") };
    assert_eq!(payload, json!({ "text": "new", "id": "i1" }));
    let (by, code, reason) = running.blocked(json!({ "ada": [{ "set": { "id": "i2" } }] })).await.unwrap();
    assert_eq!((by.as_str(), code.as_str()), ("ada", "fault.bad_outcome"));
    assert!(reason.contains("`id`, which is pinned"), "{reason}");
    running.end(&yard).await;
}

async fn ask() {
    for (person, expected) in
        [(Some(true), None), (Some(false), Some("guard.refused")), (None, Some("guard.unasked"))]
    {
        let yard = Yard::new();
        let set = crate::extension::candidates(three().iter().map(|one| yard.bundle(one)).collect());
        let running = yard.start_set(set, person).await.all_ready();
        let acts = json!({ "ada": [{ "ask": "one?" }], "bob": [{ "answer": "continue" }], "cyd": [{ "note": "was asked" }] });
        let blocked = running.blocked(acts).await;
        assert_eq!(
            blocked.as_ref().map(|(by, code, _)| (by.as_str(), code.as_str())),
            expected.map(|code| ("ada", code))
        );
        assert_eq!(yard.noted(), ["cyd was asked"]);
        let questions = running.heard.questions.lock().unwrap().clone();
        assert_eq!(questions, if person.is_some() { vec!["ada: one?"] } else { vec![] });
        // A block that comes later ends it, and nobody is asked.
        let blocked =
            running.blocked(json!({ "ada": [{ "ask": "two?" }], "cyd": [{ "block": "no" }] })).await;
        assert_eq!(blocked.map(|(by, code, _)| (by, code)), Some(("cyd".into(), "guard.blocked".into())));
        assert!(!running.heard.questions.lock().unwrap().iter().any(|question| question.contains("two?")));
        running.end(&yard).await;
    }
}

async fn asked_anew() {
    let yard = Yard::new();
    let set = crate::extension::candidates(three().iter().map(|one| yard.bundle(one)).collect());
    let running = yard.start_set(set, Some(true)).await.all_ready();
    // The person is asked about what will really happen.
    let acts = json!({ "ada": [{ "ask_about": "do " }], "bob": [{ "append": "!" }] });
    assert_eq!(running.blocked(acts).await, None);
    assert_eq!(*running.heard.questions.lock().unwrap(), ["ada: do -!"]);
    // What has nothing to ask about the new one does not take back what it asked about the old.
    let marker = yard.gate("once");
    let once = json!({ "once": { "marker": marker, "first": [{ "ask": "old?" }], "then": [{ "answer": "continue" }] } });
    assert_eq!(running.blocked(json!({ "ada": [once], "bob": [{ "append": "!" }] })).await, None);
    assert_eq!(*running.heard.questions.lock().unwrap(), ["ada: do -!", "ada: old?"]);
    // It may block the new one.
    let marker = yard.gate("twice");
    let once = json!({ "once": { "marker": marker, "first": [{ "ask": "old?" }], "then": [{ "block": "not that" }] } });
    let blocked = running.blocked(json!({ "ada": [once], "bob": [{ "append": "!" }] })).await.unwrap();
    assert_eq!(blocked, ("ada".into(), "guard.blocked".into(), "not that".into()));
    running.end(&yard).await;
}

async fn filter() {
    let yard = Yard::new();
    let only = Extension::new("bob").hook_with("ask", "filter = { tool = \"bash\" }");
    let running = yard.start(&[Extension::new("ada").hook("ask"), only]).await.all_ready();
    let fire = async |tool: Value| {
        let mut payload = thing(json!({ "bob": [{ "block": "woken" }] }));
        payload["tool"] = tool;
        matches!(running.hooks.ask.ask(payload).await, Verdict::Block(_))
    };
    assert!(fire(json!("bash")).await);
    assert!(!fire(json!("Bash")).await);
    assert!(!fire(json!("sh")).await);
    running.end(&yard).await;
}

async fn filter_of_changed() {
    let yard = Yard::new();
    let only = Extension::new("bob").hook_with("ask", "filter = { tool = \"rm\" }");
    let running = yard.start(&[Extension::new("ada").hook("ask"), only]).await.all_ready();
    let mut payload =
        thing(json!({ "ada": [{ "set": { "tool": "rm" } }], "bob": [{ "block": "that is rm" }] }));
    payload["tool"] = json!("ls");
    let Verdict::Block(blocked) = running.hooks.ask.ask(payload).await else {
        panic!("the guard of rm was passed by")
    };
    assert_eq!(told(blocked).2, "that is rm");
    running.end(&yard).await;
}

async fn of_host() {
    let yard = Yard::new();
    let one = |name: &str| {
        let noting = json!([{ "note": "called" }]);
        let hooks = ["ask", "shape", "take", "add", "pass", "seen", "flow"];
        hooks.iter().fold(Extension::new(name), |one, hook| one.at(hook, noting.clone()))
    };
    let running = yard.start(&[one("ada")]).await.all_ready();
    // A `Thing` has a text.
    let wrong = json!({ "text": 7 });
    let Verdict::Block(blocked) = running.hooks.ask.ask(wrong.clone()).await else { panic!("it is blocked") };
    assert_eq!((blocked.by, blocked.code.as_str()), (None, "host.payload"), "{}", blocked.reason);
    assert!(blocked.reason.contains("it is not a `Thing` at `/text`"), "{}", blocked.reason);
    assert_eq!(running.hooks.shape.apply(wrong.clone()).await, wrong);
    assert_eq!(running.hooks.take.offer(wrong.clone()).await, Claimed::Unclaimed(wrong.clone()));
    assert_eq!(running.hooks.add.gather(&wrong).await, []);
    running.hooks.seen.tell(&wrong);
    running.hooks.flow.push(&wrong);
    let inner = async |_: Value| json!({});
    let error = running.hooks.pass.run(wrong.clone(), move |value| Box::pin(inner(value))).await.unwrap_err();
    assert_eq!((error.by.as_str(), error.code.as_str()), ("pass", "host.payload"));
    let mistakes = running.notices().into_iter().filter_map(|notice| match notice {
        Notice::Mistake { what, .. } => Some(what),
        _ => None,
    });
    assert_eq!(mistakes.collect::<Vec<_>>(), ["ask", "shape", "take", "add", "seen", "flow", "pass"]);
    assert_eq!(yard.noted(), Vec::<String>::new());
    assert!(running.notices().iter().all(|notice| !matches!(notice, Notice::Fault { .. })));
    running.end(&yard).await;
}

async fn bounded() {
    let yard = Yard::new();
    let running = yard.start(&[Extension::new("ada").hook("ask")]).await.all_ready();
    let acts = json!({ "ada": [{ "fault": "x".repeat(1_000_000) }] });
    let (by, code, reason) = running.blocked(acts).await.unwrap();
    assert_eq!((by.as_str(), code.as_str()), ("ada", "fault.handler"));
    assert!(reason.chars().count() <= 2000, "{}", reason.len());
    let told = running.notices().into_iter().find_map(|notice| match notice {
        Notice::Fault { fault, .. } => Some(fault.to_string().chars().count()),
        _ => None,
    });
    assert!(told.is_some_and(|length| length < 2100), "{told:?}");
    running.end(&yard).await;
}

async fn not_running() {
    let yard = Yard::new();
    let (builder, running) = yard.builder(None);
    let check = async |when: &str| {
        let Verdict::Block(blocked) = running.hooks.ask.ask(thing(json!({}))).await else {
            panic!("{when}: it passed")
        };
        assert_eq!((blocked.by, blocked.code.as_str()), (None, "host.not_running"), "{when}");
    };
    check("before").await;
    let host = builder.start(Vec::new()).await.unwrap().host;
    assert!(matches!(running.hooks.ask.ask(thing(json!({}))).await, Verdict::Continue(_)));
    host.shutdown().await;
    check("after").await;
}

async fn crash() {
    for (act, code) in
        [(json!({ "exit": 3 }), "fault.exited"), (json!({ "segfault": true }), "fault.crashed")]
    {
        let yard = Yard::new();
        let running = yard.start(&three()).await.all_ready();
        let (by, found, _) = running.blocked(json!({ "bob": [act] })).await.unwrap();
        assert_eq!((by.as_str(), found.as_str()), ("bob", code));
        // The next one waits for the restart, and is answered.
        let acts = json!({ "bob": [{ "block": "I am back" }] });
        assert_eq!(
            running.blocked(acts).await,
            Some(("bob".into(), "guard.blocked".into(), "I am back".into()))
        );
        running.restarted("bob").await;
        assert_eq!(running.faults().len(), 1, "{:?}", running.faults());
        running.end(&yard).await;
    }
}
