//! The example that misbehaves, in every way it knows, in one host with two that behave: the host goes on, they answer,
//! each way has its code, and nothing is left of any.

use crate::extension::{Extension, candidates};
use crate::kit::{trial, until, until_shown};
use crate::ways::{Act, WAYS};
use crate::yard::{Yard, machine, name, nothing_is_left};
use libtest_mimic::Trial;
use pintle_loader::call::CallError;
use pintle_loader::hook::{Guard, Transform, Verdict};
use pintle_loader::{ChangeError, Host, HostBuilder, Notice, Promise};
use pintle_manifest::Contract;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("misbehaves::in_every_way_before_it_is_ready", starting),
        trial("misbehaves::in_every_way_in_a_call", calling),
        trial("misbehaves::in_every_way_at_the_end", leaving),
    ]
}

struct Agent {
    host: Host,
    guard: Guard<Value>,
    result: Transform<Value>,
    faults: Arc<Mutex<Vec<(String, String)>>>,
    notices: Arc<Mutex<Vec<Notice>>>,
}

async fn start(yard: &Yard) -> Agent {
    let contract =
        Contract::parse(include_str!("agent.toml")).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let mut builder = HostBuilder::new(Promise::compile(contract).unwrap());
    let guard = builder.guard("tool.call").unwrap();
    let result = builder.transform("tool.result").unwrap();
    builder.observe::<Value>("session.start").unwrap();
    builder.observe::<Value>("session.end").unwrap();
    builder.stream::<Value>("output.delta").unwrap();
    let cwd = |_, _: Value| async { Ok::<Value, CallError>(json!({ "path": "/" })) };
    builder.answer("session.cwd", cwd).unwrap();
    builder.places(yard.places()).environment(vec![("PATH".into(), "/usr/bin:/bin".into())]);
    let faults: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
    let notices: Arc<Mutex<Vec<Notice>>> = Arc::default();
    let (told_faults, told) = (Arc::clone(&faults), Arc::clone(&notices));
    builder.notices(move |notice| {
        if let Notice::Fault { name, fault } = &notice {
            told_faults.lock().unwrap().push((name.to_string(), fault.code().to_owned()));
        }
        told.lock().unwrap().push(notice);
    });
    let good = |who: &str| {
        Extension::new(who)
            .host("agent", ">=1.0, <2")
            .hook("tool.call")
            .at("tool.result", json!([{ "set": { who: true } }]))
    };
    let set = candidates([good("ada"), good("zoe")].iter().map(|one| yard.bundle(one)).collect());
    let started = builder.start(set).await.unwrap();
    assert!(started.reports.iter().all(pintle_loader::stage::Report::is_ready), "{:#?}", started.reports);
    Agent { host: started.host, guard, result, faults, notices }
}

impl Agent {
    async fn load(&self, yard: &Yard, way: Option<&str>) -> Result<(), String> {
        self.load_with(yard, way, "1s").await
    }

    async fn load_with(&self, yard: &Yard, way: Option<&str>, own_time: &str) -> Result<(), String> {
        let bundle = yard.bundle(&Extension::misbehaving(way, own_time));
        match self.host.reload(bundle, &machine()).await {
            Ok(_) => Ok(()),
            Err(ChangeError::NotReady { report }) => {
                let (stage, failure) = report.failure().unwrap();
                assert_eq!(stage.as_str(), "load");
                Err(failure.code.to_owned())
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Fails if one that behaves does not answer.
    async fn others_answer(&self, way: &str) {
        let result = self.result.apply(json!({})).await;
        assert_eq!((&result["ada"], &result["zoe"]), (&json!(true), &json!(true)), "{way}: {result}");
    }

    /// Returns the first code among those of the faults that were told since.
    async fn fault(&self, way: &str) -> String {
        let look = || match self.faults.lock().unwrap().first() {
            Some(_) => Ok(()),
            None => Err(way.to_owned()),
        };
        until_shown("the host is told of a fault", look).await;
        self.faults.lock().unwrap()[0].1.clone()
    }
}

/// Fails if the table of a test has not all ways of a sort.
fn all_are_tried(tried: &[&str], is_meant: impl Fn(Act) -> bool) {
    let mut ways: Vec<&str> = WAYS.iter().filter(|way| is_meant(way.act)).map(|way| way.name).collect();
    let mut tried = tried.to_vec();
    ways.sort_unstable();
    tried.sort_unstable();
    assert_eq!(tried, ways);
}

async fn starting() {
    let ways = [
        ("start-exit", Some("protocol.no_handshake")),
        ("start-exit-well", Some("protocol.no_handshake")),
        ("start-abort", Some("protocol.no_handshake")),
        ("start-segfault", Some("protocol.no_handshake")),
        ("start-hang", Some("protocol.late_handshake")),
        ("start-spin", Some("protocol.late_handshake")),
        ("start-noise", None),
        ("start-stderr", Some("protocol.no_handshake")),
        ("start-close-in", Some("protocol.late_handshake")),
        ("start-close-out", Some("protocol.closed")),
        ("start-garbage", Some("protocol.bad_frame")),
        ("start-request", None),
        ("ignore-signals", None),
        ("ignore-end", None),
        ("ready-never", Some("protocol.late_handshake")),
        ("lie-name", Some("protocol.wrong_identity")),
        ("lie-version", Some("protocol.wrong_identity")),
        ("lie-protocol", Some("protocol.version")),
        ("lie-hooks", Some("protocol.undeclared_hook")),
        // The last, since it does so again at each restart, and so may come to quarantine.
        ("ready-twice", None),
    ];
    all_are_tried(&ways.map(|(way, _)| way), |act| matches!(act, Act::Start(_) | Act::Greet(_)));
    let yard = Yard::new();
    let agent = start(&yard).await;
    for (way, expected) in ways {
        agent.faults.lock().unwrap().clear();
        let mut loaded = agent.load(&yard, Some(way)).await;
        if way == "ready-twice" && loaded == Err("protocol.twice_ready".to_owned()) {
            // The second came with the first.
            agent.faults.lock().unwrap().push(("misbehave".to_owned(), "protocol.twice_ready".to_owned()));
            loaded = Ok(());
        }
        assert_eq!(loaded.as_ref().err().map(String::as_str), expected, "{way}");
        agent.others_answer(way).await;
        match way {
            "ready-twice" => assert_eq!(agent.fault(way).await, "protocol.twice_ready"),
            _ => assert_eq!(*agent.faults.lock().unwrap(), [], "{way}"),
        }
        if loaded.is_ok() {
            match agent.host.disable(&name("misbehave")).await {
                Ok(ended) => {
                    let disposed = &ended[0];
                    assert_eq!(!disposed.forced.is_empty(), way == "ignore-signals", "{way}: {disposed:?}");
                    assert!(disposed.leaked.is_empty(), "{way}: {disposed:?}");
                }
                Err(error) => assert_eq!(way, "ready-twice", "{error}"),
            }
        }
        until("nothing of it is held", || {
            agent.host.holdings().iter().all(|one| one.owner.as_str() != "misbehave")
        })
        .await;
    }
    let log = agent.host.log(&name("misbehave"), 10);
    assert!(log.len() <= 10);
    agent.host.shutdown().await;
    nothing_is_left(&yard).await;
}

async fn calling() {
    // What blocks, and with which code; or what is told as a fault after it passed.
    let ways: [(&str, Result<&str, &str>); 35] = [
        ("hang", Err("fault.own_time")),
        ("silent", Err("fault.own_time")),
        ("spin", Err("fault.own_time")),
        ("twice", Ok("protocol.unknown_call")),
        ("late", Err("fault.own_time")),
        ("early", Ok("protocol.unknown_call")),
        ("fault", Err("fault.handler")),
        ("wrong-kind", Err("fault.bad_outcome")),
        ("wrong-payload", Err("fault.bad_outcome")),
        ("wrong-outcome", Err("protocol.bad_message")),
        ("terminal", Err("guard.blocked")),
        ("bad-length", Err("protocol.bad_frame")),
        ("half-frame", Err("fault.own_time")),
        ("bad-json", Err("protocol.bad_message")),
        ("bad-utf8", Err("protocol.bad_message")),
        ("deep-json", Err("fault.bad_outcome")),
        ("unknown-message", Err("protocol.unknown_message")),
        ("huge", Err("guard.blocked")),
        ("flood-frames", Err("protocol.")),
        ("flood-stdout", Err("fault.own_time")),
        ("ungranted", Err("guard.blocked permission.denied: ")),
        ("unknown-call", Err("guard.blocked call.unknown: ")),
        ("bad-arguments", Err("guard.blocked call.invalid: ")),
        ("stale", Err("guard.blocked context.stale: ")),
        ("wrong-parent", Err("protocol.unknown_call")),
        ("same-id", Err("guard.blocked the host answered ")),
        ("exit", Err("fault.exited")),
        ("abort", Err("fault.crashed")),
        ("segfault", Err("fault.crashed")),
        ("memory", Err("fault.")),
        ("close-in", Err("fault.own_time")),
        ("close-out", Err("protocol.closed")),
        ("daemon", Ok("")),
        ("daemon-holds", Ok("")),
        ("none", Ok("")),
    ];
    let tried: Vec<&str> = ways.iter().map(|(way, _)| *way).filter(|way| *way != "none").collect();
    all_are_tried(&tried, |act| matches!(act, Act::Call(_)));
    let yard = Yard::new();
    let agent = start(&yard).await;
    for (way, expected) in ways {
        // So much text takes its time where nothing is optimized.
        let own_time = if way == "huge" { "15s" } else { "1s" };
        // Each way is tried as if the minute of the ones before were over.
        let _ = std::fs::remove_file(yard.places().state.join("faults.json"));
        agent.load_with(&yard, None, own_time).await.unwrap();
        agent.faults.lock().unwrap().clear();
        let verdict = agent.guard.ask(json!({ "line": format!("please {way}") })).await;
        agent.others_answer(way).await;
        match (verdict, expected) {
            (Verdict::Continue(_), Ok("")) => {}
            (Verdict::Continue(_), Ok(code)) => assert_eq!(agent.fault(way).await, code, "{way}"),
            (Verdict::Block(blocked), Err(expected)) => {
                let found = format!("{} {}", blocked.code, blocked.reason);
                assert!(found.starts_with(expected), "{way}: {found}");
                assert_eq!(blocked.by, Some(name("misbehave")), "{way}");
                assert!(blocked.reason.chars().count() <= 2000, "{way}");
            }
            (verdict, expected) => panic!("{way}: {verdict:?} and not {expected:?}"),
        }
        assert!(agent.faults.lock().unwrap().len() <= 1, "{way}: {:?}", agent.faults.lock().unwrap());
        // One that crashed is being restarted, which ends with it.
        let disposed = agent.host.disable(&name("misbehave")).await.unwrap().remove(0);
        assert!(disposed.leaked.is_empty(), "{way}: {disposed:?}");
        until("nothing of it is held", || {
            agent.host.holdings().iter().all(|one| one.owner.as_str() != "misbehave")
        })
        .await;
    }
    let quarantined =
        agent.notices.lock().unwrap().iter().any(|notice| matches!(notice, Notice::Quarantined { .. }));
    assert!(!quarantined);
    agent.host.shutdown().await;
    nothing_is_left(&yard).await;
    no_daemon(&yard).await;
}

/// Waits until the daemon that the example started is gone.
async fn no_daemon(yard: &Yard) {
    let file = yard.places().data_of(&name("misbehave")).join("daemon.pid");
    let pid = std::fs::read_to_string(file).unwrap();
    assert!(pid.trim().parse::<u32>().is_ok());
    // It has none of the yard in its arguments but the file's, and no environment.
    until("no daemon is left", || crate::kit::alive(crate::daemon::SECOND).is_empty()).await;
}

async fn leaving() {
    all_are_tried(&["dispose-never"], |act| matches!(act, Act::Dispose(_)));
    let yard = Yard::new();
    let agent = start(&yard).await;
    agent.load(&yard, Some("dispose-never")).await.unwrap();
    let disposed = agent.host.shutdown().await;
    let of = |who: &str| disposed.iter().find(|one| one.name.as_str() == who).unwrap();
    assert!(!of("misbehave").answered && !of("misbehave").forced.is_empty(), "{disposed:?}");
    assert!(of("ada").answered && of("ada").forced.is_empty(), "{disposed:?}");
    assert!(disposed.iter().all(|one| one.leaked.is_empty()), "{disposed:?}");
    nothing_is_left(&yard).await;
}
