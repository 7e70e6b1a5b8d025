//! The load stage: every way not to get ready, who is started before whom, and that one failure costs nobody else anything.

use crate::extension::Extension;
use crate::kit::{trial, write};
use crate::stages::executable;
use crate::yard::{Yard, name, thing};
use libtest_mimic::Trial;
use pintle_loader::bundle::Rank;
use pintle_loader::stage::Verdict as StageVerdict;
use serde_json::{Value, json};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("loads::each_wrong_start_is_told", loads),
        trial("loads::case_62_what_needs_a_failed_one_fails_with_the_reason", dependencies),
        trial("loads::case_25_what_is_needed_starts_first", needed_first),
        trial("loads::case_60_one_failure_costs_nobody_else_anything", alone),
        trial("loads::the_load_order_is_rank_needs_name", order),
        trial("loads::case_76_everyone_is_ready_before_the_first_event", ready_first),
    ]
}

async fn loads() {
    let start = |acts: Value| Extension::new("ada").hook("ask").when("start", acts);
    let ready = |name: &str, version: &str, protocol: u32, hooks: Value| {
        start(
            json!([{ "raw": { "ready": { "protocol": protocol, "extension": name, "version": version, "hooks": hooks } } }, { "hang": true }]),
        )
    };
    let cases = [
        (start(json!([{ "exit": 3 }])), "protocol.no_handshake", "exit code 3"),
        (start(json!([{ "exit": 0 }])), "protocol.no_handshake", "exit code 0"),
        (start(json!([{ "segfault": true }])), "protocol.no_handshake", "SIGSEGV"),
        (start(json!([{ "hang": true }])), "protocol.late_handshake", "within 5s"),
        (
            start(json!([{ "bytes": "Listening on port 8080\n" }, { "hang": true }])),
            "protocol.bad_frame",
            "Listening",
        ),
        (start(json!([{ "raw": { "hallo": {} } }, { "hang": true }])), "protocol.unknown_message", "hallo"),
        (ready("ada", "1.0.0", 99, json!(["ask"])), "protocol.version", "version 99"),
        (ready("bob", "1.0.0", 1, json!(["ask"])), "protocol.wrong_identity", "`bob 1.0.0`"),
        (ready("ada", "9.9.9", 1, json!(["ask"])), "protocol.wrong_identity", "`ada 9.9.9`"),
        (ready("ada", "1.0.0", 1, json!(["ask", "shape"])), "protocol.undeclared_hook", "`shape`"),
        (ready("ada", "1.0.0", 1, json!([])), "protocol.unanswered_hook", "`ask`"),
        (ready("ada", "1.0.0", 1, json!(["ask", "ask"])), "protocol.repeated_hook", "`ask` twice"),
        (
            start(json!([{ "print": "the file is missing" }, { "exit": 1 }])),
            "protocol.no_handshake",
            "the file is missing",
        ),
    ];
    for (extension, expected, text) in cases {
        let yard = Yard::new();
        let running = yard.start(&[extension, Extension::new("bob").hook("ask")]).await;
        let (stage, code, message) = running.failure("ada");
        assert_eq!((stage, code), ("load", expected), "{message}");
        assert!(message.contains(text), "{message}");
        assert_eq!(running.held("ada"), Vec::<String>::new(), "{expected}");
        assert_eq!(running.blocked(json!({ "bob": [{ "block": "here" }] })).await.unwrap().2, "here");
        running.end(&yard).await;
    }
    // What is no program of any sort.
    let yard = Yard::new();
    let bundle = yard.bundle(&Extension::new("ada").entry("runtime = \"process\"\ncommand = [\"bin/x\"]"));
    write(&bundle.root.join("bin/x"), "\0\0\0\0");
    executable(&bundle.root.join("bin/x"), 0o755);
    let running = yard.start_bundles(vec![bundle]).await;
    let (stage, code, message) = running.failure("ada");
    assert_eq!((stage, code), ("load", "fault.not_started"), "{message}");
    running.end(&yard).await;
}

async fn dependencies() {
    let yard = Yard::new();
    let set = [
        Extension::new("ada").when("start", json!([{ "exit": 3 }])),
        Extension::new("bob").needs("ada"),
        Extension::new("cyd").needs("bob"),
        Extension::new("dan").needs("not-here"),
        Extension::new("eve").needs("fay"),
        Extension::new("fay").needs("eve"),
        Extension::new("gil"),
    ];
    let running = yard.start(&set).await;
    assert_eq!(running.failure("ada").1, "protocol.no_handshake");
    for (who, code, texts) in [
        ("bob", "load.dependency", ["`ada`", "exit code 3"]),
        ("cyd", "load.dependency", ["`bob`", "`ada`"]),
        ("dan", "load.dependency", ["`not-here`", "not in the set"]),
        ("eve", "load.circle", ["needs", "first"]),
        ("fay", "load.circle", ["needs", "first"]),
    ] {
        let (stage, found, message) = running.failure(who);
        assert_eq!((stage, found), ("load", code), "{who}: {message}");
        assert!(texts.iter().all(|text| message.contains(text)), "{message}");
    }
    assert_eq!(running.host().running(), [name("gil")]);
    running.end(&yard).await;
}

async fn needed_first() {
    let yard = Yard::new();
    let note = |name: &str| Extension::new(name).when("start", json!([{ "sleep": 30 }, { "note": "start" }]));
    let set = [note("ada").needs("bob"), note("bob").needs("cyd"), note("cyd")];
    let running = yard.start(&set).await.all_ready();
    assert_eq!(yard.noted(), ["cyd start", "bob start", "ada start"]);
    running.end(&yard).await;
}

async fn alone() {
    let yard = Yard::new();
    let set = [
        Extension::new("ada").when("start", json!([{ "segfault": true }])),
        Extension::new("bob").hook("ask"),
        Extension::new("cyd").hook("ask").host("other", ">=1.0, <2"),
        Extension::new("dan").hook("ask").when("start", json!([{ "hang": true }])),
        Extension::new("eve").hook("ask"),
    ];
    let running = yard.start(&set).await;
    assert_eq!(running.host().running(), [name("bob"), name("eve")]);
    assert_eq!(running.blocked(json!({ "eve": [{ "block": "here" }] })).await.unwrap().0, "eve");
    let codes: Vec<_> = ["ada", "cyd", "dan"].map(|who| running.failure(who).1).to_vec();
    assert_eq!(codes, ["protocol.no_handshake", "compat.other_host", "protocol.late_handshake"]);
    for report in running.reports.iter().filter(|report| !report.is_ready()) {
        assert_eq!(report.stages.len(), 5, "{report:#?}");
        let after = report.stages.iter().skip_while(|stage| stage.verdict == StageVerdict::Passed).skip(1);
        assert!(after.into_iter().all(|stage| stage.verdict == StageVerdict::Skipped), "{report:#?}");
    }
    running.end(&yard).await;
}

async fn order() {
    let yard = Yard::new();
    let one = |name: &str, rank: Rank| Extension::new(name).rank(rank).at("ask", json!([{ "note": "" }]));
    let set = [
        one("ada", Rank::CommandLine),
        one("bob", Rank::Project),
        one("cyd", Rank::User).needs("eve"),
        one("dan", Rank::System),
        one("eve", Rank::User),
    ];
    let running = yard.start(&set).await.all_ready();
    running.blocked(json!({})).await;
    assert_eq!(yard.noted(), ["dan ", "eve ", "cyd ", "bob ", "ada "]);
    let names = ["dan", "eve", "cyd", "bob", "ada"].map(name);
    assert_eq!(running.host().running(), names);
    let reports: Vec<_> = running.reports.iter().map(|report| report.name.clone()).collect();
    assert_eq!(reports, names);
    running.end(&yard).await;
}

async fn ready_first() {
    let yard = Yard::new();
    let slow = Extension::new("ada").at("seen", json!([{ "note": "event" }]));
    let slow = slow.when("start", json!([{ "sleep": 700 }, { "note": "ready" }])).hook("ask");
    let fast = Extension::new("bob")
        .at("seen", json!([{ "note": "event" }]))
        .when("start", json!([{ "note": "ready" }]));
    let running = yard.start(&[slow, fast.hook("ask")]).await.all_ready();
    running.hooks.seen.tell(&thing(json!({})));
    running.blocked(json!({})).await;
    for who in ["ada", "bob"] {
        let noted: Vec<String> = yard.noted().into_iter().filter(|line| line.starts_with(who)).collect();
        assert_eq!(noted, [format!("{who} ready"), format!("{who} event")]);
    }
    running.end(&yard).await;
}
