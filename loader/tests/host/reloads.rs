//! Reloading: the new one starts beside the old one, and takes its place only when it is ready.

use crate::extension::Extension;
use crate::held::{all_held, everything, holder};
use crate::kit::trial;
use crate::yard::{Yard, machine, thing};
use libtest_mimic::Trial;
use pintle_loader::bundle::Rank;
use pintle_loader::{ChangeError, Notice};
use serde_json::json;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("reload::all_of_it_goes_at_reload_and_the_new_one_keeps_its_own", reloaded),
        trial("reload::case_12_a_reload_that_fails_changes_nothing", failed_reload),
        trial("reload::a_guard_is_asked_of_the_new_one_during_a_reload", during_reload),
        trial("reload::a_new_one_takes_its_place_in_the_load_order", place),
        trial("reload::what_is_in_quarantine_or_lacks_another_is_not_reloaded", not_reloaded),
    ]
}

async fn reloaded() {
    let yard = Yard::new();
    let running = yard.start(&[holder("ada")]).await.all_ready();
    all_held(&running, "ada").await;
    let before = running.holdings("ada");
    let (report, disposed) = running.host().reload(yard.bundle(&holder("ada")), &machine()).await.unwrap();
    assert!(report.is_ready());
    let disposed = disposed.unwrap();
    assert!(disposed.answered && disposed.leaked.is_empty(), "{disposed:?}");
    assert_eq!(disposed.released, before.len());
    assert_eq!(all_held(&running, "ada").await, everything("ada"));
    let epoch = before[0].epoch;
    assert!(running.holdings("ada").iter().all(|holding| holding.epoch > epoch));
    assert_eq!(*running.heard.taken_down.lock().unwrap(), ["ada ada-picture"]);
    assert!(
        !running.notices().iter().any(|notice| matches!(notice, Notice::Leaked { .. })),
        "{:?}",
        running.notices()
    );
    assert_eq!(running.slot("suffix").entries().len(), 1);
    assert_eq!(running.blocked(json!({ "ada": [{ "block": "new" }] })).await.unwrap().2, "new");
    running.end(&yard).await;
}

async fn failed_reload() {
    let yard = Yard::new();
    let running = yard.start(&[holder("ada")]).await.all_ready();
    let held = all_held(&running, "ada").await;
    let before = running.holdings("ada");
    let newer = holder("ada").version("2.0.0");
    let bad = [
        newer.clone().when("start", json!([{ "exit": 3 }])),
        newer.clone().host("yard", ">=1.9, <2"),
        newer.entry("runtime = \"process\"\ncommand = [\"bin/tick2\"]"),
    ];
    for (bad, code) in bad.iter().zip(["protocol.no_handshake", "compat.api_version", "entry.no_program"]) {
        let error = running.host().reload(yard.bundle(bad), &machine()).await.unwrap_err();
        let ChangeError::NotReady { report } = &error else { panic!("{error}") };
        assert_eq!(report.failure().unwrap().1.code, code);
        assert_eq!(running.holdings("ada"), before);
        assert_eq!(running.blocked(json!({ "ada": [{ "block": "old" }] })).await.unwrap().2, "old");
        // The old one can still hold more.
        let reply = running.reply("ada", "timer.after", json!({ "ms": 100_000 })).await;
        let entry = reply["value"]["entry"].clone();
        assert!(entry.is_u64(), "{reply}");
        running.reply("ada", "release", json!({ "entry": entry })).await;
    }
    assert_eq!(all_held(&running, "ada").await, held);
    assert_eq!(running.heard.taken_down.lock().unwrap().len(), 0);
    running.end(&yard).await;
}

async fn during_reload() {
    let yard = Yard::new();
    let one = Extension::new("ada").at("ask", json!([{ "block": "asked" }]));
    let running = yard.start(std::slice::from_ref(&one)).await.all_ready();
    let hooks = running.hooks.clone();
    let (stop, mut stopped) = tokio::sync::oneshot::channel::<()>();
    let asking = tokio::spawn(async move {
        let mut codes = std::collections::BTreeMap::new();
        while stopped.try_recv().is_err() {
            match hooks.ask.ask(thing(json!({}))).await {
                pintle_loader::hook::Verdict::Block(blocked) => *codes.entry(blocked.code).or_insert(0) += 1,
                pintle_loader::hook::Verdict::Continue(_) => {
                    *codes.entry("passed".to_owned()).or_insert(0) += 1
                }
            }
        }
        codes
    });
    for _ in 0..10 {
        running.host().reload(yard.bundle(&one), &machine()).await.unwrap();
    }
    stop.send(()).unwrap();
    let codes = asking.await.unwrap();
    assert_eq!(codes.keys().collect::<Vec<_>>(), ["guard.blocked"], "{codes:?}");
    assert_eq!(running.faults(), []);
    running.end(&yard).await;
}

async fn place() {
    let yard = Yard::new();
    let one = |who: &str, rank: Rank| Extension::new(who).rank(rank).at("ask", json!([{ "note": "" }]));
    let running = yard.start(&[one("bob", Rank::User), one("dan", Rank::User)]).await.all_ready();
    for (who, rank) in [("cyd", Rank::User), ("ada", Rank::CommandLine), ("eve", Rank::System)] {
        running.host().reload(yard.bundle(&one(who, rank)), &machine()).await.unwrap();
    }
    running.blocked(json!({})).await;
    assert_eq!(yard.noted(), ["eve ", "bob ", "cyd ", "dan ", "ada "]);
    running.end(&yard).await;
}

async fn not_reloaded() {
    let yard = Yard::new();
    let ada = Extension::new("ada").at("ask", json!([{ "exit": 3 }]));
    let running = yard.start(std::slice::from_ref(&ada)).await.all_ready();
    for _ in 0..3 {
        assert!(running.blocked(json!({})).await.is_some());
    }
    running.quarantined("ada").await;
    for (bundle, code) in [
        (yard.bundle(&ada), "trust.quarantined"),
        (yard.bundle(&Extension::new("bob").needs("ada")), "load.dependency"),
    ] {
        match running.host().reload(bundle, &machine()).await.unwrap_err() {
            ChangeError::NotReady { report } => assert_eq!(report.failure().unwrap().1.code, code),
            error => panic!("{error}"),
        }
    }
    assert_eq!(running.host().running(), []);
    // Changed, it is not what failed.
    let mended = Extension::new("ada").at("ask", json!([{ "note": "mended" }]));
    running.host().reload(yard.bundle(&mended), &machine()).await.unwrap();
    running.blocked(json!({})).await;
    assert_eq!(yard.noted(), ["ada mended"]);
    running.end(&yard).await;
}
