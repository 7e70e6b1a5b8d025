//! The loop with an extension in this process, over pipes.

use crate::extension::{IDENTITY, Probe};
use crate::host::{Host, hello, tool_call};
use pintle_sdk::serve::{Ending, Instance, serve};
use pintle_sdk::{Context, Error, Extension, Hooks};
use serde_json::{Value, json};

fn host() -> Host {
    Host::serving(|input, output| serve(Instance::<Probe>::new(IDENTITY), input, output, Ending::Return))
}

fn greeted() -> Host {
    let mut host = host();
    host.greet();
    host
}

#[test]
fn the_handshake_names_the_extension_and_the_hooks_of_the_contract() {
    let hooks = ["around", "claim", "collect", "observe", "output.delta", "tool.call", "tool.result"];
    let ready =
        json!({ "ready": { "protocol": 1, "extension": "probe", "version": "0.1.0", "hooks": hooks } });
    assert_eq!(host().greet(), ready);
}

#[test]
fn each_kind_of_hook_answers_with_its_outcomes() {
    let mut host = greeted();
    let mut id = 0;
    let mut check = |hook: &str, payload: Value, expected: Value| {
        id += 1;
        assert_eq!(
            host.ask(id, hook, payload),
            json!({ "outcome": { "id": id, "answer": expected } }),
            "{hook}"
        );
    };
    let mut replaced = tool_call("replace");
    replaced["line"] = json!("replaced");
    check("tool.call", tool_call("continue"), json!("continue"));
    check("tool.call", tool_call("replace"), json!({ "replace": replaced }));
    check("tool.call", tool_call("ask"), json!({ "ask": { "title": "Sure?", "details": [] } }));
    check("tool.call", tool_call("block"), json!({ "block": "no" }));
    check("claim", json!(0), json!("continue"));
    check("claim", json!(1), json!({ "replace": 2 }));
    check("claim", json!(2), json!({ "handled": { "number": 2 } }));
    check("collect", json!(null), json!({ "items": ["/opt/probe", "/var/lib/probe"] }));
    let mut result = json!({
        "id": "c1", "tool": "shell", "program": "sh", "exit_code": null, "signal": 9, "duration_ms": 12, "tail": "",
        "truncated": false, "notes": [],
    });
    let payload = result.clone();
    result["notes"] = json!(["it took 12 ms"]);
    check("tool.result", payload, json!({ "replace": result }));
    let payload =
        json!({ "entry": "greet", "payload": { "args": ["a", "b"], "cwd": "/", "interactive": false } });
    check("slot.command", payload, json!({ "handled": { "text": "hello a and b", "exit_code": 0 } }));
}

#[test]
fn handlers_that_ask_the_host_get_its_answers() {
    let mut host = greeted();
    let mut check =
        |hook: &str, payload: Value, call: &str, arguments: Value, value: Value, answer: Value| {
            host.call(40, hook, payload);
            let request = host.request();
            assert_eq!(
                (&request["parent"], &request["epoch"], &request["call"], &request["arguments"]),
                (&json!(40), &json!(7), &json!(call), &arguments)
            );
            host.reply(&request, value);
            assert_eq!(host.receive(), json!({ "outcome": { "id": 40, "answer": answer } }));
        };
    let notice = json!({ "level": "info", "text": "hi" });
    check("observe", json!("hi"), "ui.notify", notice, json!({}), json!("continue"));
    check("around", json!("deep"), "next", json!("DEEP"), json!(41), json!({ "handled": 42 }));
    let delta = |text: &str| json!({ "id": "c1", "stream": "stdout", "seq": 0, "text": text });
    let batch = json!({ "items": [delta("a"), delta("b")], "dropped": 3 });
    let status = json!({ "key": "seen", "text": "ab -3" });
    check("output.delta", batch, "ui.status", status, json!({}), json!("continue"));
    let message = json!({ "topic": "other:t", "from": "other", "value": [1] });
    let emission = json!({ "topic": "probe:echo", "value": [1] });
    check("bus", message, "bus.emit", emission, Value::Null, json!("continue"));
    let timer = json!({ "timer": 5, "name": "tea" });
    check("timer", timer, "release", json!({ "entry": 5 }), json!({}), json!("continue"));
    let options = json!({ "title": "Which?", "details": [], "options": ["a", "b"] });
    let chosen = json!({ "chosen": 1, "asked": true });
    check(
        "tool.call",
        tool_call("select"),
        "ui.select",
        options,
        chosen,
        json!({ "block": "chose Some(1)" }),
    );
}

#[test]
fn a_failing_handler_is_a_fault_and_the_extension_goes_on() {
    let mut host = greeted();
    let mut check = |hook: &str, payload: Value, expected: &str| {
        let answer = host.ask(3, hook, payload);
        let message = answer["fault"]["message"].as_str().unwrap_or_else(|| panic!("{answer} is a fault"));
        assert!(message.starts_with(expected), "{message}");
    };
    check("tool.call", tool_call("panic"), "the extension panicked: the thread is lost");
    check("tool.call", tool_call("error"), "it went wrong");
    check("tool.call", json!({ "line": 1 }), "the payload is not what this extension expects: ");
    check("tool.other", json!({}), "this extension does not answer the hook `tool.other`");
    check(
        "slot.command",
        json!({ "entry": "no", "payload": {} }),
        "this extension has no entry `no` in `slot",
    );
    check("slot.command", json!({}), "the payload of a slot names no entry: ");
    check("slot.status", json!({}), "this extension does not answer the hook `slot.status`");
    assert_eq!(host.ask(4, "tool.call", tool_call("continue"))["outcome"]["answer"], json!("continue"));
}

#[test]
fn errors_of_calls_are_values() {
    let mut host = greeted();
    host.call(1, "tool.call", tool_call("stale"));
    let request = host.request();
    host.refuse(&request, "context.stale", "this load ended with the update to 0.2.0");
    let reason = "context.stale: this load ended with the update to 0.2.0 (context.stale)";
    assert_eq!(host.receive()["outcome"]["answer"]["block"], json!(reason));

    host.call(2, "tool.call", tool_call("wrong"));
    let request = host.request();
    host.reply(&request, json!({ "unix_ms": "noon" }));
    let reason = "the host's answer to `clock.now` is not what this extension expects";
    assert_eq!(host.receive()["outcome"]["answer"]["block"], json!(reason));

    // An error that a handler passes on with `?` is a fault, and says the code.
    host.call(3, "tool.call", tool_call("select"));
    let request = host.request();
    host.refuse(&request, "permission.denied", "`ui.select` needs `ui.prompt`");
    let message = "`ui.select` needs `ui.prompt` (permission.denied)";
    assert_eq!(host.receive()["fault"]["message"], json!(message));
}

#[test]
fn nothing_kept_reads_as_none_and_none_is_kept_as_null() {
    let mut host = greeted();
    host.call(1, "tool.call", tool_call("value"));
    let request = host.request();
    assert_eq!((&request["call"], &request["arguments"]), (&json!("store.get"), &json!({ "key": "k" })));
    host.reply(&request, json!({ "value": null }));
    let request = host.request();
    assert_eq!(request["arguments"], json!({ "key": "k", "value": null }));
    host.reply(&request, json!({}));
    assert_eq!(host.receive()["outcome"]["answer"], json!("continue"));
}

#[test]
fn while_a_guard_waits_for_the_person_other_hooks_are_answered() {
    let mut host = greeted();
    host.call(1, "tool.call", tool_call("select"));
    let waiting = host.request();
    for id in 2..6 {
        assert_eq!(host.ask(id, "tool.call", tool_call("continue"))["outcome"]["answer"], json!("continue"));
    }
    // Another one that waits, and the replies come in the other order.
    host.call(6, "tool.call", tool_call("stale"));
    let second = host.request();
    host.reply(&second, json!({ "path": "/home/ada" }));
    assert_eq!(host.receive()["outcome"], json!({ "id": 6, "answer": { "block": "/home/ada" } }));
    host.reply(&waiting, json!({ "chosen": null, "asked": true }));
    assert_eq!(host.receive()["outcome"], json!({ "id": 1, "answer": { "block": "chose None" } }));
    assert_eq!(host.ask(7, "tool.call", tool_call("continue"))["outcome"]["id"], json!(7));
}

#[test]
fn what_is_told_in_turn_is_handled_one_after_another() {
    let mut host = greeted();
    for id in 1..=5 {
        host.call_in_turn(id, "observe", json!(format!("number {id}")));
    }
    for id in 1..=5 {
        // The handler asks the host, and until it is answered no other one is begun; but a guard is.
        let request = host.request();
        assert_eq!(request["arguments"]["text"], json!(format!("number {id}")));
        let guard = 100 + id;
        assert_eq!(
            host.ask(guard, "tool.call", tool_call("continue"))["outcome"]["answer"],
            json!("continue")
        );
        host.reply(&request, json!({}));
        assert_eq!(host.receive()["outcome"], json!({ "id": id, "answer": "continue" }));
    }
    // Who was the last is not waited for by the next.
    host.call_in_turn(6, "observe", json!("again"));
    assert_eq!(host.request()["arguments"]["text"], json!("again"));
}

#[test]
fn what_waits_for_its_turn_has_it_before_the_end() {
    let mut host = greeted();
    host.call_in_turn(1, "observe", json!("first"));
    let first = host.request();
    host.call_in_turn(2, "observe", json!("second"));
    host.call_in_turn(3, "observe", json!("third"));
    host.send(json!({ "dispose": { "reason": "shutdown", "budget_ms": 1000 } }));
    for text in ["second", "third"] {
        let request = host.request();
        assert_eq!(request["arguments"]["text"], json!(text));
        host.reply(&request, json!({}));
        assert!(host.receive().get("outcome").is_some());
    }
    let last = host.request();
    host.refuse(&last, "context.stale", "it is over");
    assert_eq!(host.receive(), json!({ "disposed": {} }));
    drop(first);
}

#[test]
fn replies_in_any_order_find_those_who_wait() {
    let mut host = greeted();
    let count = 40;
    let waiting: Vec<Value> = (0..count)
        .map(|id| {
            host.call(id, "tool.call", tool_call("stale"));
            host.request()
        })
        .collect();
    for request in waiting.iter().rev() {
        host.reply(request, json!({ "path": format!("/{}", request["parent"]) }));
    }
    let mut answered: Vec<u64> = (0..count)
        .map(|_| {
            let outcome = host.receive()["outcome"].clone();
            let id = outcome["id"].as_u64().unwrap();
            assert_eq!(outcome["answer"]["block"], json!(format!("/{id}")));
            id
        })
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, (0..count).collect::<Vec<_>>());
}

#[test]
fn more_calls_at_once_than_threads_are_all_answered_when_replies_come() {
    let mut host = greeted();
    for id in 0..200 {
        host.call(id, "tool.call", tool_call("stale"));
    }
    let mut answered = 0;
    while answered < 200 {
        let message = host.receive();
        match message.get("request") {
            Some(request) => host.reply(&request.clone(), json!({ "path": "/" })),
            None => answered += 1,
        }
    }
}

#[test]
fn handlers_meet_though_one_of_them_waited_for_the_host() {
    let mut host = greeted();
    host.call(1, "tool.call", tool_call("meet"));
    let request = host.request();
    assert_eq!(host.ask(2, "tool.call", tool_call("met"))["outcome"]["answer"], json!("continue"));
    host.reply(&request, json!({ "path": "/" }));
    assert_eq!(host.receive()["outcome"], json!({ "id": 1, "answer": { "block": "met" } }));
}

#[test]
fn while_a_handler_computes_other_calls_are_answered() {
    let mut host = greeted();
    for round in 0..3 {
        host.call(round * 10, "tool.call", tool_call("compute"));
        for id in 1..4 {
            let id = round * 10 + id;
            assert_eq!(host.ask(id, "claim", json!(0))["outcome"]["answer"], json!("continue"));
        }
        // Its answer and that of "met" come in either order.
        host.call(round * 10 + 4, "tool.call", tool_call("met"));
        let mut answers = [host.receive()["outcome"].clone(), host.receive()["outcome"].clone()];
        answers.sort_by_key(|outcome| outcome["id"].as_u64());
        assert_eq!(answers[0], json!({ "id": round * 10, "answer": { "block": "computed" } }));
        assert_eq!(answers[1], json!({ "id": round * 10 + 4, "answer": "continue" }));
    }
}

#[test]
fn a_thread_of_the_extension_may_use_a_context_after_the_call() {
    let mut host = greeted();
    host.call(1, "tool.call", tool_call("background"));
    let mut next = 0;
    let mut is_answered = false;
    while next < 3 || !is_answered {
        let message = host.receive();
        let Some(request) = message.get("request").cloned() else {
            is_answered = true;
            continue;
        };
        assert_eq!(request["arguments"]["text"], json!(format!("background {next}")));
        // Once the call was answered, the extension itself is who asks.
        assert!(!is_answered || next == 0 || request["parent"].is_null(), "{request}");
        next += 1;
        host.reply(&request, json!({}));
    }
    // The thread read frames while it waited, and is gone. The loop is served all the same.
    assert_eq!(host.ask(2, "claim", json!(0))["outcome"]["answer"], json!("continue"));
}

#[test]
fn a_computing_handler_learns_of_a_cancel() {
    let mut host = greeted();
    host.call(1, "tool.call", tool_call("until cancelled"));
    host.call(2, "claim", json!(0));
    host.send(json!({ "cancel": { "id": 9 } }));
    assert_eq!(host.receive()["outcome"], json!({ "id": 2, "answer": "continue" }));
    host.send(json!({ "cancel": { "id": 1 } }));
    assert_eq!(host.receive()["outcome"], json!({ "id": 1, "answer": { "block": "cancelled" } }));
}

#[test]
fn disposal_is_answered_while_a_handler_waits_and_nothing_is_said_after_it() {
    let mut host = greeted();
    host.call(1, "tool.call", tool_call("select"));
    host.request();
    host.send(json!({ "dispose": { "reason": "update", "budget_ms": 5000 } }));
    let request = host.request();
    assert_eq!((&request["parent"], &request["arguments"]["text"]), (&Value::Null, &json!("Update")));
    host.refuse(&request, "context.stale", "it was updated");
    assert_eq!(host.receive(), json!({ "disposed": {} }));
    host.hang_up();
    host.ended().unwrap();
    host.closed();
}

#[test]
fn the_end_of_the_host_ends_the_loop() {
    let mut host = greeted();
    host.hang_up();
    host.ended().unwrap();
    host.closed();
}

#[test]
fn the_end_of_the_host_ends_a_wait_with_an_error() {
    let mut host = greeted();
    host.call(1, "tool.call", tool_call("select"));
    host.request();
    host.hang_up();
    host.ended().unwrap();
}

#[test]
fn what_is_no_message_ends_the_loop_with_an_error() {
    let check = |text: &[u8], expected: &str| {
        let mut host = greeted();
        host.send_bytes(text);
        assert_eq!(host.ended().unwrap_err().to_string(), expected);
        host.closed();
    };
    check(b"{\"call\":{}}", "the host sent what can't be read");
    check(b"hello", "the host sent what can't be read");
    check(b"\xff", "the host sent what can't be read");
    let mut host = host();
    host.send(json!({ "cancel": { "id": 1 } }));
    assert_eq!(host.ended().unwrap_err().to_string(), "the host did not begin with `hello`");
}

#[test]
fn unknown_messages_and_late_replies_are_passed_over() {
    let mut host = greeted();
    host.send(json!({ "weather": { "sky": "blue" } }));
    host.send(json!({ "reply": { "id": 999, "value": 1 } }));
    assert_eq!(host.ask(1, "claim", json!(0))["outcome"]["answer"], json!("continue"));
}

#[test]
fn large_payloads_go_both_ways() {
    let mut host = greeted();
    let mut call = tool_call("replace");
    call["cwd"] = json!("x".repeat(3_000_000));
    let answer = host.ask(1, "tool.call", call);
    assert_eq!(answer["outcome"]["answer"]["replace"]["cwd"].as_str().map(str::len), Some(3_000_000));
}

struct Broken;

impl Extension for Broken {
    fn start(context: &Context) -> Result<Self, Error> {
        match context.extension() {
            "panics" => panic!("at once"),
            _ => Err(Error::new("the configuration is missing")),
        }
    }
    fn hooks(hooks: &mut Hooks<Self>) {
        hooks.observe("observe", |_, _, (): ()| Ok(()));
    }
}

struct Twice;

impl Extension for Twice {
    fn start(_context: &Context) -> Result<Self, Error> {
        Ok(Self)
    }
    fn hooks(hooks: &mut Hooks<Self>) {
        hooks.observe("observe", |_, _, (): ()| Ok(()));
        hooks.stream("observe", |_, _, _batch: pintle_sdk::Batch<()>| Ok(()));
    }
}

#[test]
fn a_start_that_fails_ends_the_loop_with_its_words() {
    fn check<E: Extension>(change: impl Fn(&mut Value), expected: &str) {
        let mut host =
            Host::serving(|input, output| serve(Instance::<E>::new(IDENTITY), input, output, Ending::Return));
        let mut hello = hello();
        change(&mut hello["hello"]);
        host.send(hello);
        assert_eq!(host.ended().unwrap_err().to_string(), expected);
        host.closed();
    }
    check::<Broken>(|_| {}, "the configuration is missing");
    check::<Broken>(|hello| hello["extension"] = json!("panics"), "the extension panicked: at once");
    check::<Twice>(|_| {}, "`observe` is registered twice; an extension has one handler for each");
    let old = "the host speaks version 0 of the protocol, and this extension needs 1";
    check::<Twice>(|hello| hello["protocol"] = json!(0), old);
}
