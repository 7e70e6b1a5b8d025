//! The calls that are the same in every host: the bus, timers, programs, files, the store, and what may be asked at all.

use crate::extension::Extension;
use crate::kit::{alive, trial, until, write};
use crate::yard::{Running, Yard, name};
use libtest_mimic::Trial;
use pintle_manifest::{PermissionValue, Permissions};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("calls::what_may_not_be_asked_is_told", refused),
        trial("bus::messages_come_in_order_to_whoever_wants_them", bus),
        trial("bus::an_extension_emits_under_its_own_name_alone", own_names),
        trial("bus::what_is_too_long_or_too_deep_is_refused", bounds),
        trial("bus::one_that_fails_costs_no_other_anything", isolated),
        trial("timer::it_calls_back_once_and_not_after_a_release", timers),
        trial("timer::there_are_only_so_many", many_timers),
        trial("process::only_what_was_granted_is_run", granted),
        trial("process::what_it_printed_and_how_it_ended_is_told", printed),
        trial("process::one_that_takes_too_long_is_ended_with_all_it_started", too_long),
        trial("process::it_is_in_the_ledger_and_goes_with_its_caller", owned),
        trial("process::case_85_it_gets_no_variables_that_lead_elsewhere", variables),
        trial("file::only_what_was_granted_is_read_also_through_links", files),
        trial("file::what_can_not_be_read_is_told", unreadable_files),
        trial("store::what_was_stored_is_there_for_the_next_host", store),
        trial("store::case_37_two_hosts_at_once_lose_nothing", two_hosts),
    ]
}

async fn refused() {
    let yard = Yard::new();
    let running = yard.start(&[Extension::new("ada").hook("ask")]).await.all_ready();
    for (call, arguments, code, text) in [
        ("clock.nou", json!({}), "call.unknown", "did you mean `clock.now`?"),
        ("secrets.read", json!({}), "call.unknown", "no call `secrets.read`"),
        ("clock.now", json!({ "x": 1 }), "call.invalid", "`clock.now`"),
        ("clock.sleep", json!({}), "call.invalid", "ms"),
        ("process.run", json!({ "program": "id" }), "permission.denied", "not granted"),
        ("fs.read", json!({ "path": "/etc/hosts" }), "permission.denied", "`fs.read`"),
    ] {
        let (found, message) = running.error("ada", call, arguments).await;
        assert_eq!(found, code, "{call}: {message}");
        assert!(message.contains(text), "{message}");
    }
    // An error is a value: it goes on.
    assert_eq!(running.blocked(json!({})).await, None);
    assert_eq!(running.faults(), []);
    running.end(&yard).await;
}

fn subscribed(who: &str, topic: &str) -> Extension {
    let subscribe = json!([{ "call": { "call": "bus.subscribe", "arguments": { "topic": topic } } }]);
    Extension::new(who).hook("ask").when("start", subscribe).at("bus", json!([{ "note_payload": "" }]))
}

async fn emit(running: &Running, who: &str, topic: &str, value: Value) -> Value {
    running.reply(who, "bus.emit", json!({ "topic": topic, "value": value })).await
}

/// Returns what one extension heard: whose topic, and the value.
fn heard(yard: &Yard, who: &str) -> Vec<(String, Value)> {
    let lines = yard.noted();
    let lines = lines.iter().filter_map(|line| line.strip_prefix(&format!("{who} ")));
    let payloads = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    payloads
        .map(|payload| (payload["topic"].as_str().unwrap().to_owned(), payload["value"].clone()))
        .collect()
}

async fn bus() {
    let yard = Yard::new();
    let set = [
        Extension::new("ada").hook("ask"),
        subscribed("bob", "ada:news"),
        subscribed("cyd", "ada:news"),
        subscribed("dan", "host:news"),
    ];
    let running = yard.start(&set).await.all_ready();
    for number in 0..20 {
        // With and without its own name.
        let topic = if number % 2 == 0 { "news" } else { "ada:news" };
        let reply = emit(&running, "ada", topic, json!(number)).await;
        assert_eq!(reply["value"], json!({}), "{reply}");
    }
    running.host().emit("news", json!("from the host"));
    yard.noted_at_least(41).await;
    let expected: Vec<_> = (0..20).map(|number| ("ada:news".to_owned(), json!(number))).collect();
    assert_eq!(heard(&yard, "bob"), expected);
    assert_eq!(heard(&yard, "cyd"), expected);
    assert_eq!(heard(&yard, "dan"), [("host:news".to_owned(), json!("from the host"))]);
    running.end(&yard).await;
}

async fn own_names() {
    let yard = Yard::new();
    let running =
        yard.start(&[Extension::new("ada").hook("ask"), subscribed("bob", "bob:news")]).await.all_ready();
    for (topic, code) in [
        ("bob:news", "bus.foreign_topic"),
        ("host:news", "bus.foreign_topic"),
        ("", "bus.topic"),
        ("UPPER", "bus.topic"),
        ("a:b:c", "bus.foreign_topic"),
        (&"x".repeat(65), "bus.topic"),
    ] {
        let (found, message) = running.error("ada", "bus.emit", json!({ "topic": topic, "value": 1 })).await;
        assert_eq!(found, code, "{topic}: {message}");
    }
    for topic in ["news", "ada:", "ada:NO"] {
        let (found, _) = running.error("ada", "bus.subscribe", json!({ "topic": topic })).await;
        assert_eq!(found, "bus.topic", "{topic}");
    }
    assert_eq!(yard.noted(), Vec::<String>::new());
    running.end(&yard).await;
}

async fn bounds() {
    let yard = Yard::new();
    let answer = |who: &str, topic: &str| {
        let emit = json!({ "call": { "call": "bus.emit", "arguments": { "topic": topic, "value": 1 } } });
        subscribed(who, if who == "bob" { "cyd:pong" } else { "bob:ping" })
            .at("bus", json!([emit, { "note_last": "" }]))
    };
    let running = yard
        .start(&[Extension::new("ada").hook("ask"), answer("bob", "ping"), answer("cyd", "pong")])
        .await
        .all_ready();
    let (code, _) =
        running.error("ada", "bus.emit", json!({ "topic": "t", "value": "x".repeat(70_000) })).await;
    assert_eq!(code, "bus.size");
    emit(&running, "bob", "ping", json!(0)).await;
    // Two that answer each other end at the eighth.
    let noted = yard.noted_at_least(8).await;
    assert_eq!(noted.iter().filter(|line| line.contains("bus.depth")).count(), 1, "{noted:#?}");
    running.blocked(json!({})).await;
    assert_eq!(yard.noted().len(), 8);
    running.end(&yard).await;
}

async fn isolated() {
    let yard = Yard::new();
    let bad = subscribed("bob", "ada:news").at("bus", json!([{ "exit": 3 }]));
    let stuck = subscribed("cyd", "ada:news").at("bus", json!([{ "hang": true }]));
    let running = yard
        .start(&[Extension::new("ada").hook("ask"), bad, stuck, subscribed("dan", "ada:news")])
        .await
        .all_ready();
    let since = Instant::now();
    emit(&running, "ada", "news", json!(1)).await;
    assert!(since.elapsed() < Duration::from_millis(500), "{:?}", since.elapsed());
    yard.noted_at_least(1).await;
    assert_eq!(heard(&yard, "dan").len(), 1);
    assert_eq!(running.fault("bob").await, "fault.exited");
    assert_eq!(running.fault("cyd").await, "fault.own_time");
    running.end(&yard).await;
}

async fn timers() {
    let yard = Yard::new();
    let ada = Extension::new("ada").hook("ask").at("timer", json!([{ "note_payload": "" }]));
    let running = yard.start(&[ada]).await.all_ready();
    let kept =
        running.reply("ada", "timer.after", json!({ "ms": 30, "name": "tea" })).await["value"]["entry"]
            .clone();
    let gone = running.reply("ada", "timer.after", json!({ "ms": 60, "name": "no" })).await["value"]["entry"]
        .clone();
    running.reply("ada", "release", json!({ "entry": gone })).await;
    let noted = yard.noted_at_least(1).await;
    let payload: Value = serde_json::from_str(noted[0].strip_prefix("ada ").unwrap()).unwrap();
    assert_eq!(payload, json!({ "timer": kept, "name": "tea" }));
    assert!(!running.held("ada").iter().any(|one| one.starts_with("timer")));
    // Long enough for the other one, were it still there.
    running.reply("ada", "clock.sleep", json!({ "ms": 150 })).await;
    assert_eq!(yard.noted().len(), 1);
    running.end(&yard).await;
}

async fn many_timers() {
    let yard = Yard::new();
    let running = yard.start(&[Extension::new("ada").hook("ask")]).await.all_ready();
    let after = json!({ "call": { "call": "timer.after", "arguments": { "ms": 1_000_000 } } });
    let mut acts = vec![after; 1001];
    acts.push(json!({ "block_last": true }));
    let (_, _, reply) = running.blocked(json!({ "ada": acts })).await.unwrap();
    let reply: Value = serde_json::from_str(&reply).unwrap();
    assert_eq!(reply["error"]["code"], "timer.too_many", "{reply}");
    let since = Instant::now();
    running.host().disable(&name("ada")).await.unwrap();
    assert!(since.elapsed() < Duration::from_secs(1), "{:?}", since.elapsed());
    assert_eq!(running.held("ada"), Vec::<String>::new());
    running.end(&yard).await;
}

fn running_programs(list: &str) -> Extension {
    Extension::new("ada").hook("ask").permission("process.run", list)
}

async fn granted() {
    let yard = Yard::new();
    let running = yard.start(&[running_programs("[\"echo\"]")]).await.all_ready();
    let reply =
        running.reply("ada", "process.run", json!({ "program": "echo", "args": ["hello there"] })).await;
    assert_eq!(
        (&reply["value"]["stdout"], &reply["value"]["exit_code"]),
        (&json!("hello there\n"), &json!(0))
    );
    for program in ["id", "/bin/echo", "./echo", "echo ", ""] {
        let (code, message) = running.error("ada", "process.run", json!({ "program": program })).await;
        assert_eq!(code, "permission.denied", "{program}: {message}");
    }
    // A name means what the host finds under it, whatever the caller would like.
    write(&yard.path().join("evil/echo"), "#!/bin/sh\necho evil\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(yard.path().join("evil/echo"), mode).unwrap();
    for env in [
        json!({ "PATH": yard.path().join("evil") }),
        json!({ "LD_PRELOAD": "/tmp/mine.so" }),
        json!({ "GLIBC_TUNABLES": "x" }),
        json!({ "": "x" }),
        json!({ "A=B": "x" }),
        json!({ "A\u{0}": "x" }),
        json!({ "A": "x\u{0}" }),
    ] {
        let asked = json!({ "program": "echo", "args": ["good"], "env": env });
        let (code, message) = running.error("ada", "process.run", asked).await;
        assert_eq!(code, "process.env", "{env}: {message}");
    }
    running.end(&yard).await;
}

async fn printed() {
    let yard = Yard::new();
    let running = yard.start(&[running_programs("true")]).await.all_ready();
    let shell = async |script: &str| {
        let reply = running
            .reply("ada", "process.run", json!({ "program": "sh", "args": ["-c", script], "stdin": "in" }))
            .await;
        assert!(reply["error"].is_null(), "{reply}");
        reply["value"].clone()
    };
    let value = shell("cat; echo err >&2; exit 7").await;
    assert_eq!(
        (&value["stdout"], &value["stderr"], &value["exit_code"]),
        (&json!("in"), &json!("err\n"), &json!(7))
    );
    assert_eq!(shell("kill -TERM $$").await["signal"], 15);
    assert_eq!(shell("printf '\\377'").await["lossy"], true);
    let value = shell("head -c 200000 /dev/zero | tr '\\0' x").await;
    assert_eq!((&value["stdout"], &value["truncated"]), (&json!(200_000), &json!(false)));
    // Nobody keeps more, and the program is not held up by it.
    let value = shell("head -c 6000000 /dev/zero | tr '\\0' x; exit 5").await;
    let told = (&value["stdout"], &value["truncated"], &value["exit_code"]);
    assert_eq!(told, (&json!(4 * 1024 * 1024), &json!(true), &json!(5)));
    assert_eq!(shell("pwd").await["stdout"], format!("{}\n", yard.path().display()));
    let reply = running.reply("ada", "process.run", json!({ "program": "no-such-program" })).await;
    assert_eq!(reply["error"]["code"], "process.spawn", "{reply}");
    running.end(&yard).await;
}

async fn too_long() {
    let yard = Yard::new();
    let running = yard.start(&[running_programs("true")]).await.all_ready();
    let mark = format!("mark-{}", std::process::id());
    let script = format!("(setsid sh -c 'sleep 998 # {mark}') & sleep 999 # {mark}");
    let since = Instant::now();
    let run = json!({ "program": "sh", "args": ["-c", script], "timeout_ms": 300 });
    let reply = running.reply("ada", "process.run", run).await;
    assert_eq!(
        (&reply["value"]["timed_out"], &reply["value"]["exit_code"]),
        (&json!(true), &json!(null)),
        "{reply}"
    );
    assert!(since.elapsed() < Duration::from_secs(3));
    until("all that it started is gone", || alive(&mark).is_empty()).await;
    assert!(!running.held("ada").iter().any(|one| one.starts_with("child")));
    running.end(&yard).await;
}

async fn owned() {
    let yard = Yard::new();
    let run = json!({ "call": "process.run", "arguments": { "program": "sleep", "args": ["997"] }, "orphan": true });
    let running = yard
        .start(&[running_programs("[\"sleep\"]").when("ready", json!([{ "send": run }]))])
        .await
        .all_ready();
    until("it is in the ledger", || {
        running.held("ada").iter().any(|one| one.starts_with("child sleep (pid "))
    })
    .await;
    let held = running.held("ada");
    let child = held.iter().find(|one| one.starts_with("child")).unwrap();
    let pid = child.trim_end_matches(')').rsplit(' ').next().unwrap().to_owned();
    assert!(crate::kit::is_alive(&pid));
    let disposed = running.host().disable(&name("ada")).await.unwrap().remove(0);
    assert!(disposed.forced.is_empty(), "{disposed:?}");
    assert!(!crate::kit::is_alive(&pid));
    running.end(&yard).await;
}

async fn variables() {
    let yard = Yard::new();
    let running = yard.start(&[running_programs("true")]).await.all_ready();
    let reply =
        running.reply("ada", "process.run", json!({ "program": "env", "env": { "MINE": "1" } })).await;
    let mut names: Vec<&str> = reply["value"]["stdout"]
        .as_str()
        .unwrap()
        .lines()
        .map(|line| line.split('=').next().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["MINE", "PATH", "PINTLE_SCOPE"]);
    running.end(&yard).await;
}

async fn files() {
    let yard = Yard::new();
    let dir = yard.path().join("open");
    write(&dir.join("a/file"), "inside");
    write(&yard.path().join("secret"), "outside");
    std::os::unix::fs::symlink(yard.path().join("secret"), dir.join("leak")).unwrap();
    std::os::unix::fs::symlink("/etc", dir.join("etc")).unwrap();
    std::os::unix::fs::symlink("a/file", dir.join("fine")).unwrap();
    let list = format!("[\"{}\"]", dir.display());
    let ada = Extension::new("ada").hook("ask").permission("fs.read", &list);
    let bob = Extension::new("bob").hook("ask").permission("fs.read", "[\"open\"]");
    // What is granted counts as far as it is asked for, and what is asked for as far as it is granted: `etc` is a link.
    let below = format!("[\"{0}/a\", \"{0}/etc\"]", dir.display());
    let mut eve = yard.bundle(&Extension::new("eve").hook("ask").permission("fs.read", &below));
    let granted = PermissionValue::Only(vec![dir.display().to_string()]);
    eve.grants = Permissions::from([("fs.read".to_owned(), granted)]);
    let bundles = vec![yard.bundle(&ada), yard.bundle(&bob), eve];
    let running = yard.start_bundles(bundles).await.all_ready();
    let read = async |who: &str, path: String| running.reply(who, "fs.read", json!({ "path": path })).await;
    for path in ["a/file", "fine"] {
        assert_eq!(read("ada", format!("{}/{path}", dir.display())).await["value"]["text"], "inside");
        // A relative grant starts where the host says.
        assert_eq!(read("bob", format!("open/{path}")).await["value"]["text"], "inside");
        // However it is written.
        assert_eq!(read("ada", format!("open/{path}")).await["value"]["text"], "inside");
        assert_eq!(read("bob", format!("{}/{path}", dir.display())).await["value"]["text"], "inside");
    }
    for path in ["leak", "etc/passwd", "../secret", "a/../../secret"] {
        let reply = read("ada", format!("{}/{path}", dir.display())).await;
        assert_eq!(reply["error"]["code"], "permission.denied", "{path}: {reply}");
        let reply = read("bob", format!("open/{path}")).await;
        assert_eq!(reply["error"]["code"], "permission.denied", "{path}: {reply}");
    }
    assert_eq!(read("eve", format!("{}/a/file", dir.display())).await["value"]["text"], "inside");
    for path in ["fine", "etc/passwd", "leak"] {
        let reply = read("eve", format!("{}/{path}", dir.display())).await;
        assert_eq!(reply["error"]["code"], "permission.denied", "{path}: {reply}");
    }
    let reply = read("ada", format!("{}-not/a", dir.display())).await;
    assert_eq!(reply["error"]["code"], "permission.denied");
    // What changes all the time is read as far as it may be, or not at all, and holds nobody up.
    let (place, pipe) = (dir.join("turns"), yard.path().join("pipe"));
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o644.into()).unwrap();
    let targets = [dir.join("a/file"), pipe, yard.path().join("secret")];
    let (stop, next) = (Arc::new(AtomicBool::new(false)), yard.path().join("next"));
    let (stops, turns) = (Arc::clone(&stop), place.clone());
    let turner = std::thread::spawn(move || {
        for target in targets.iter().cycle().take_while(|_| !stops.load(Ordering::Relaxed)) {
            std::os::unix::fs::symlink(target, &next).unwrap();
            std::fs::rename(&next, &turns).unwrap();
        }
    });
    for _ in 0..200 {
        let reply = read("ada", place.display().to_string()).await;
        assert!(reply["value"]["text"] == "inside" || reply["error"]["code"].is_string(), "{reply}");
    }
    stop.store(true, Ordering::Relaxed);
    turner.join().unwrap();
    running.end(&yard).await;
}

async fn unreadable_files() {
    let yard = Yard::new();
    write(&yard.path().join("long"), "x".repeat(100));
    write(&yard.path().join("odd"), b"a\xffb");
    rustix::fs::mkfifoat(rustix::fs::CWD, yard.path().join("pipe"), 0o644.into()).unwrap();
    let running =
        yard.start(&[Extension::new("ada").hook("ask").permission("fs.read", "true")]).await.all_ready();
    let value =
        running.reply("ada", "fs.read", json!({ "path": "long", "max_bytes": 10 })).await["value"].clone();
    assert_eq!(value, json!({ "text": "x".repeat(10), "size": 100, "truncated": true, "lossy": false }));
    let value = running.reply("ada", "fs.read", json!({ "path": "odd" })).await["value"].clone();
    assert_eq!((&value["text"], &value["lossy"]), (&json!("a\u{fffd}b"), &json!(true)));
    for (path, code) in [
        ("none", "file.not_found"),
        (".", "file.not_a_file"),
        ("pipe", "file.not_a_file"),
        ("/dev/zero", "file.not_a_file"),
    ] {
        assert_eq!(running.error("ada", "fs.read", json!({ "path": path })).await.0, code, "{path}");
    }
    running.end(&yard).await;
}

async fn store() {
    let yard = Yard::new();
    let set = ["ada", "bob"].map(|who| Extension::new(who).hook("ask"));
    let running = yard.start(&set).await.all_ready();
    let reply = running.reply("ada", "store.set", json!({ "key": "k", "value": { "n": 1 } })).await;
    assert_eq!(reply["value"], json!({}), "{reply}");
    assert_eq!(running.error("ada", "store.set", json!({ "key": "", "value": 1 })).await.0, "store.key");
    let long = "x".repeat(70_000);
    assert_eq!(
        running.error("ada", "store.set", json!({ "key": "l", "value": long })).await.0,
        "store.value"
    );
    running.end(&yard).await;
    let running = yard.start(&set).await.all_ready();
    let get = async |who: &str| {
        running.reply(who, "store.get", json!({ "key": "k" })).await["value"]["value"].clone()
    };
    assert_eq!(get("ada").await, json!({ "n": 1 }));
    assert_eq!(get("bob").await, json!(null));
    running.reply("ada", "store.set", json!({ "key": "k" })).await;
    assert_eq!(get("ada").await, json!(null));
    running.end(&yard).await;
    // What can't be read is told, and never written over.
    let path = yard.places().data_of(&name("ada")).join("store.json");
    write(&path, "{");
    let running = yard.start(&set).await.all_ready();
    assert_eq!(running.error("ada", "store.get", json!({ "key": "k" })).await.0, "store.failed");
    assert_eq!(running.error("ada", "store.set", json!({ "key": "k", "value": 1 })).await.0, "store.failed");
    assert_eq!(std::fs::read_to_string(path).unwrap(), "{");
    running.end(&yard).await;
}

async fn two_hosts() {
    let yard = Yard::new();
    let one = Extension::new("ada").hook("ask");
    let first = yard.start(std::slice::from_ref(&one)).await.all_ready();
    let second = yard.start(&[one]).await.all_ready();
    let write_all = async |running: &Running, which: &str| {
        for number in 0..25 {
            let set = json!({ "key": format!("{which}{number}"), "value": number });
            assert_eq!(running.reply("ada", "store.set", set).await["value"], json!({}));
        }
    };
    tokio::join!(write_all(&first, "a"), write_all(&second, "b"));
    for which in ["a", "b"] {
        for number in 0..25 {
            let get = json!({ "key": format!("{which}{number}") });
            assert_eq!(first.reply("ada", "store.get", get).await["value"]["value"], number);
        }
    }
    let mut first = first;
    first.host.take().unwrap().shutdown().await;
    second.end(&yard).await;
}
