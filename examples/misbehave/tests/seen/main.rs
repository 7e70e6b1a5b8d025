//! Each way to misbehave, as a host sees it on the wire and in the end of the process. A fixture that quietly behaved
//! would make the tests of hosts worthless.

mod connection;

use connection::{Connection, Seen};
use serde_json::{Value, json};

/// A connection after `hello`, `ready` and a call with the number 7.
fn called(way: &str) -> Connection {
    let mut connection = Connection::start(&[way]);
    connection.hello(None);
    let ready = connection.next();
    assert!(matches!(&ready, Seen::Message(message) if message.get("ready").is_some()), "{way}: {ready:?}");
    connection.call(7, &json!({ "line": "ls -l", "argv": ["ls", "-l"] }));
    connection
}

#[test]
fn every_way_of_the_table_is_tried_here() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_misbehave")).arg("--list").output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    let sources = include_str!("main.rs");
    let untried: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| !sources.contains(&format!("\"{name}\"")))
        .collect();
    assert!(listed.lines().count() > 50 && untried.is_empty(), "{untried:?}");
}

#[test]
fn ways_that_end_the_process_at_start() {
    let check = |way: &str, expected: Seen| {
        let mut connection = Connection::start(&[way]);
        assert_eq!(connection.next(), Seen::Closed, "{way}");
        assert_eq!(connection.ended(), expected, "{way}");
    };
    check("start-exit", Seen::Exit(3));
    check("start-exit-well", Seen::Exit(0));
    check("start-stderr", Seen::Exit(1));
    check("start-abort", Seen::Signal(6));
    check("start-segfault", Seen::Signal(11));
}

#[test]
fn ways_that_say_nothing_at_start() {
    for way in ["start-hang", "start-spin", "start-close-in", "ready-never"] {
        let mut connection = Connection::start(&[way]);
        connection.try_hello();
        assert!(connection.is_silent(), "{way}");
        assert!(connection.is_alive(), "{way}");
    }
    let mut connection = Connection::start(&["start-close-out"]);
    assert_eq!(connection.next(), Seen::Closed);
    assert!(connection.is_alive());
    let mut connection = Connection::start(&["start-garbage"]);
    assert_eq!(connection.next(), Seen::NoFrame { length: u32::from_be_bytes(*b"List") });
    let mut connection = Connection::start(&["start-request"]);
    assert!(matches!(connection.next(), Seen::Message(message) if message["request"]["call"] == "clock.now"));
}

#[test]
fn ways_that_are_no_true_ready() {
    let check = |way: &str, key: &str, expected: Value| {
        let mut connection = Connection::start(&[way]);
        connection.hello(None);
        let Seen::Message(message) = connection.next() else { panic!("{way} says something") };
        assert_eq!(message["ready"][key], expected, "{way}");
        connection
    };
    check("lie-name", "extension", json!("blast-radius"));
    check("lie-version", "version", json!("9.9.9"));
    check("lie-protocol", "protocol", json!(99));
    check("lie-hooks", "hooks", json!(["tool.call", "secrets.read"]));
    let mut twice = check("ready-twice", "version", json!("0.1.0"));
    assert!(matches!(twice.next(), Seen::Message(message) if message["ready"]["version"] == "0.1.0"));
}

#[test]
fn case_59_noise_on_standard_output_comes_before_a_good_handshake() {
    let mut connection = Connection::start(&["start-noise"]);
    connection.hello(None);
    assert!(matches!(connection.next(), Seen::Message(message) if message.get("ready").is_some()));
    connection.dispose();
    assert_eq!(connection.next(), Seen::Message(json!({ "disposed": {} })));
    assert_eq!(connection.ended(), Seen::Exit(0));
    let output = connection.output();
    assert!(output.len() > 1024 * 1024 && std::str::from_utf8(&output).is_err());
}

#[test]
fn ways_that_answer_wrongly() {
    let check = |way: &str, expected: Value| {
        assert_eq!(called(way).next(), Seen::Message(expected), "{way}");
    };
    let outcome = |answer: Value| json!({ "outcome": { "id": 7, "answer": answer } });
    check("fault", json!({ "fault": { "id": 7, "message": "it failed, as it was told to" } }));
    check("wrong-kind", outcome(json!({ "items": [] })));
    check("wrong-payload", outcome(json!({ "replace": { "line": 3 } })));
    check("wrong-outcome", outcome(json!("allow")));
    check("unknown-message", json!({ "opinion": { "id": 7 } }));
    check("huge", outcome(json!({ "block": "x".repeat(15 * 1024 * 1024) })));
    check(
        "terminal",
        outcome(json!({ "block": "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}gnihtyna\u{200b}\r\nok\u{9b}31m" })),
    );
    let mut connection = called("twice");
    assert_eq!(connection.next(), Seen::Message(outcome(json!("continue"))));
    assert_eq!(connection.next(), Seen::Message(outcome(json!({ "block": "on second thoughts" }))));
    let mut connection = called("early");
    assert_eq!(connection.next(), Seen::Message(outcome(json!("continue"))));
    assert_eq!(connection.next(), Seen::Message(json!({ "outcome": { "id": 8, "answer": "continue" } })));
}

#[test]
fn ways_that_send_no_message() {
    assert_eq!(called("bad-length").next(), Seen::NoFrame { length: u32::MAX });
    assert!(called("half-frame").is_silent());
    for way in ["bad-json", "bad-utf8", "deep-json"] {
        assert_eq!(called(way).next(), Seen::NoJson, "{way}");
    }
}

#[test]
fn ways_that_do_not_answer() {
    for way in ["hang", "silent", "spin", "late", "close-in"] {
        let mut connection = called(way);
        assert!(connection.is_silent() && connection.is_alive(), "{way}");
    }
    let mut late = called("late");
    late.cancel(7);
    assert_eq!(late.next(), Seen::Message(json!({ "outcome": { "id": 7, "answer": "continue" } })));
    let mut closed = called("close-out");
    assert_eq!(closed.next(), Seen::Closed);
    assert!(closed.is_alive());
}

#[test]
fn ways_that_end_the_process_in_a_call() {
    let check = |way: &str, expected: Seen| {
        let mut connection = called(way);
        assert_eq!(connection.next(), Seen::Closed, "{way}");
        assert_eq!(connection.ended(), expected, "{way}");
    };
    check("exit", Seen::Exit(3));
    check("abort", Seen::Signal(6));
    check("segfault", Seen::Signal(11));
    check("memory", Seen::Signal(6));
}

#[test]
fn ways_that_ask_for_what_they_should_not() {
    let check = |way: &str, key: &str, expected: Value| {
        let mut connection = called(way);
        let Seen::Message(message) = connection.next() else { panic!("{way} asks") };
        let request = &message["request"];
        assert_eq!(request[key], expected, "{way}");
        let error = json!({ "code": "some.code", "message": "no" });
        connection.send(&json!({ "reply": { "id": request["id"], "error": error } }));
        connection
    };
    for (way, key, expected) in [
        ("ungranted", "call", json!("process.run")),
        ("unknown-call", "call", json!("secrets.read")),
        ("bad-arguments", "arguments", json!({ "key": 7 })),
        ("stale", "epoch", json!(4)),
        ("wrong-parent", "parent", json!(1_000_007)),
    ] {
        let mut connection = check(way, key, expected);
        let answer = json!({ "outcome": { "id": 7, "answer": { "block": "some.code: no" } } });
        assert_eq!(connection.next(), Seen::Message(answer), "{way}");
    }
    let mut same = check("same-id", "id", json!(1));
    assert!(matches!(same.next(), Seen::Message(message) if message["request"]["id"] == json!(1)));
}

#[test]
fn ways_that_flood() {
    let mut connection = called("flood-frames");
    for _ in 0..10_000 {
        assert!(matches!(connection.next(), Seen::Message(message) if message["request"]["call"] == "log"));
    }
    let mut connection = called("flood-stdout");
    assert!(connection.is_silent() && connection.is_alive());
    connection.kill();
    assert!(connection.output().len() > 1024 * 1024);
}

#[test]
fn ways_that_stay_at_the_end() {
    for way in ["ignore-signals", "ignore-end", "dispose-never"] {
        let mut connection = Connection::start(&[way]);
        connection.hello(None);
        assert!(matches!(connection.next(), Seen::Message(_)));
        connection.dispose();
        if way != "dispose-never" {
            assert_eq!(connection.next(), Seen::Message(json!({ "disposed": {} })), "{way}");
        }
        if way == "ignore-signals" {
            for signal in ["TERM", "INT", "HUP"] {
                connection.signal(signal);
            }
        }
        connection.hang_up();
        assert!(connection.is_silent() && connection.is_alive(), "{way}");
    }
}

#[test]
fn a_daemon_outlives_the_extension() {
    for way in ["daemon", "daemon-holds"] {
        let mut connection = called(way);
        assert_eq!(
            connection.next(),
            Seen::Message(json!({ "outcome": { "id": 7, "answer": "continue" } })),
            "{way}"
        );
        connection.hang_up();
        assert_eq!(connection.ended(), Seen::Exit(0), "{way}");
        // A daemon that holds the descriptors keeps the connection open; the other one does not.
        match way {
            "daemon" => assert_eq!(connection.next(), Seen::Closed),
            _ => assert!(connection.is_silent()),
        }
        connection.kill_daemon();
    }
}

#[test]
fn a_way_is_chosen_by_argument_file_and_command() {
    let block = |seen: Seen| matches!(seen, Seen::Message(message) if message["fault"]["id"] == json!(7));
    let good = json!({ "outcome": { "id": 7, "answer": "continue" } });

    let mut elsewhere = Connection::start(&["fault", "tool.result"]);
    elsewhere.hello(None);
    elsewhere.next();
    elsewhere.call(7, &json!({ "line": "ls" }));
    assert_eq!(elsewhere.next(), Seen::Message(good.clone()));

    let data = connection::data_with_mode("fault tool.call\n");
    let mut by_file = Connection::start(&[]);
    by_file.hello(Some(&data));
    by_file.next();
    by_file.call(7, &json!({ "line": "ls" }));
    assert!(block(by_file.next()));
    connection::remove(&data);

    let payloads = [
        json!({ "line": "true fault" }),
        json!({ "argv": ["true", "fault"] }),
        json!({ "payload": { "args": ["fault"] } }),
    ];
    for payload in payloads {
        let mut by_command = Connection::start(&[]);
        by_command.hello(None);
        by_command.next();
        by_command.call(7, &json!({ "line": "true no-fault default" }));
        assert_eq!(by_command.next(), Seen::Message(good.clone()));
        by_command.call(7, &payload);
        assert!(block(by_command.next()), "{payload}");
    }
    assert_eq!(Connection::start(&["no-such-way"]).ended(), Seen::Exit(64));
}
