//! Slots: who gets which name by each rule, and invoking an entry.

use crate::extension::Extension;
use crate::kit::trial;
use crate::yard::{Running, Yard, name};
use libtest_mimic::Trial;
use pintle_loader::slot::InvokeError;
use serde_json::{Value, json};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("slots::case_80_each_rule_decides_and_no_clash_stops_a_start", rules),
        trial("slots::case_82_reserved_names_are_the_hosts", reserved),
        trial("slots::a_name_that_is_given_up_goes_to_the_next", given_up),
        trial("slots::an_entry_is_invoked_by_the_name_it_got", invoked),
        trial("slots::a_wrong_reply_is_a_fault", wrong),
    ]
}

fn names(running: &Running, slot: &str) -> Vec<String> {
    let entries = running.slot(slot).entries();
    entries.into_iter().map(|entry| format!("{} {}/{}", entry.name, entry.owner, entry.entry)).collect()
}

fn both(slot: &str) -> [Extension; 2] {
    ["ada", "bob"].map(|who| Extension::new(who).slot(slot, "go").hook("ask"))
}

async fn rules() {
    for (slot, expected, clashes) in [
        ("first", vec!["go ada/go"], 1),
        ("last", vec!["go bob/go"], 1),
        ("suffix", vec!["go ada/go", "go:2 bob/go"], 1),
        ("reject", vec![], 2),
        ("owned", vec!["ada:go ada/go", "bob:go bob/go"], 0),
    ] {
        for reversed in [false, true] {
            let yard = Yard::new();
            let mut set = both(slot);
            if reversed {
                set.reverse();
            }
            let running = yard.start(&set).await.all_ready();
            assert_eq!(names(&running, slot), expected, "{slot}");
            assert_eq!(running.slot(slot).clashes().len(), clashes, "{slot}");
            running.end(&yard).await;
        }
    }
}

async fn reserved() {
    let yard = Yard::new();
    let running =
        yard.start(&[Extension::new("ada").slot("first", "help").slot("suffix", "help")]).await.all_ready();
    assert_eq!(names(&running, "first"), Vec::<String>::new());
    assert_eq!(names(&running, "suffix"), ["help:2 ada/help"]);
    let clash = &running.slot("first").clashes()[0];
    assert_eq!(
        (clash.slot.as_str(), clash.entry.as_str(), &clash.winner, &clash.instead),
        ("first", "help", &None, &None)
    );
    running.end(&yard).await;
}

async fn given_up() {
    let yard = Yard::new();
    let running = yard.start(&both("suffix")).await.all_ready();
    running.host().disable(&name("ada")).await.unwrap();
    assert_eq!(names(&running, "suffix"), ["go bob/go"]);
    assert_eq!(running.slot("suffix").clashes(), []);
    running.end(&yard).await;
}

async fn invoked() {
    let yard = Yard::new();
    let say = |who: &str| json!([{ "note_payload": "" }, { "said": who }]);
    let [ada, bob] = both("suffix");
    let running =
        yard.start(&[ada.at("slot.suffix", say("ada")), bob.at("slot.suffix", say("bob"))]).await.all_ready();
    let payload = json!({ "args": ["x"] });
    assert_eq!(running.slot("suffix").invoke("go:2", &payload).await.unwrap(), json!({ "said": "bob" }));
    let noted: Value = serde_json::from_str(yard.noted()[0].strip_prefix("bob ").unwrap()).unwrap();
    assert_eq!(noted, json!({ "entry": "go", "payload": payload }));
    match running.slot("suffix").invoke("goo", &payload).await.unwrap_err() {
        InvokeError::Unknown { similar, .. } => assert_eq!(similar.as_deref(), Some("go")),
        other => panic!("{other}"),
    }
    // A slot whose entries are only shown.
    let shown = running.slot("owned").invoke("ada:go", &payload).await;
    assert!(matches!(shown, Err(InvokeError::Unknown { .. })));
    running.end(&yard).await;
}

async fn wrong() {
    for (act, code) in [
        (json!({ "answer": "continue" }), "fault.bad_outcome"),
        (json!({ "answer": { "handled": { "said": 7 } } }), "fault.bad_outcome"),
        (json!({ "fault": "no" }), "fault.handler"),
        (json!({ "exit": 3 }), "fault.exited"),
    ] {
        let yard = Yard::new();
        let running = yard
            .start(&[Extension::new("ada").slot("suffix", "go").at("slot.suffix", json!([act]))])
            .await
            .all_ready();
        match running.slot("suffix").invoke("go", &json!({})).await.unwrap_err() {
            InvokeError::Fault { owner, fault } => assert_eq!((owner.as_str(), fault.code()), ("ada", code)),
            other => panic!("{other}"),
        }
        assert_eq!(running.fault("ada").await, code);
        running.end(&yard).await;
    }
}
