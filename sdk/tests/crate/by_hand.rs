//! The examples that use no SDK, against the host of these tests: what `docs/protocol.md` says is enough to write one.
//! Where their interpreter is missing there is nothing to try, and the test says so.

use crate::host::{Host, hello};
use pintle_sdk::serve::ServeError;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};

#[expect(clippy::print_stderr, reason = "a test that tries nothing says so")]
/// Starts an example as a host would.
fn start(interpreter: &'static str, file: &str) -> Option<Host> {
    let is_there =
        Command::new(interpreter).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !is_there.is_ok_and(|status| status.success()) {
        eprintln!("`{interpreter}` is not on this machine, so {file} is not tried");
        return None;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(file);
    Some(Host::serving(move |input, output| {
        let status = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$1\" 3<&0 4>&1 </dev/null >&2", interpreter])
            .arg(path)
            .stdin(input)
            .stdout(output)
            .status();
        match status {
            Ok(status) if status.success() => Ok(()),
            other => Err(ServeError::Start { message: format!("{other:?}") }),
        }
    }))
}

fn greet(host: &mut Host, name: &str, hooks: Value) {
    let mut message = hello();
    message["hello"]["extension"] = json!(name);
    host.send(message);
    let ready = json!({ "protocol": 1, "extension": name, "version": "0.1.0", "hooks": hooks });
    assert_eq!(host.receive(), json!({ "ready": ready }));
}

fn dispose(host: &mut Host) {
    host.send(json!({ "dispose": { "reason": "shutdown", "budget_ms": 1000 } }));
    assert_eq!(host.receive(), json!({ "disposed": {} }));
    host.ended().expect("it exits with 0, though the host still holds its end");
    host.closed();
}

fn result(program: &str, exit_code: i64, notes: Value) -> Value {
    json!({
        "id": "c1", "tool": "exec", "program": program, "exit_code": exit_code, "signal": null, "duration_ms": 5,
        "tail": "", "truncated": false, "notes": notes,
    })
}

#[test]
fn node_notes_keeps_notes_and_shows_them_when_a_program_fails() {
    let Some(mut host) = start("node", "node-notes/main.mjs") else { return };
    greet(&mut host, "node-notes", json!(["tool.result"]));
    let mut kept = Value::Null;
    let mut id = 0;
    let mut ask = |host: &mut Host, hook: &str, payload: Value| {
        id += 1;
        host.call(id, hook, payload);
        loop {
            let message = host.receive();
            let Some(request) = message.get("request") else { return message };
            assert_eq!((&request["parent"], &request["epoch"]), (&json!(id), &json!(7)));
            let value = match request["call"].as_str() {
                Some("store.get") => json!({ "value": kept }),
                Some("store.set") => {
                    kept = request["arguments"]["value"].clone();
                    json!({})
                }
                other => panic!("{other:?}"),
            };
            host.reply(request, value);
        }
    };
    let mut note = |host: &mut Host, args: &[&str], text: &str, exit_code: Value| {
        let payload = json!({ "args": args, "cwd": "/", "interactive": true });
        let answer = ask(host, "slot.command", json!({ "entry": "note", "payload": payload }));
        let reply = &answer["outcome"]["answer"]["handled"];
        assert_eq!((&reply["text"], &reply["exit_code"]), (&json!(text), &exit_code), "{args:?}");
    };
    note(&mut host, &["list"], "no notes\n", Value::Null);
    note(&mut host, &["add", "@cargo", "needs", "the VPN"], "kept as 1\n", Value::Null);
    note(&mut host, &["add", "milk"], "kept as 2\n", Value::Null);
    note(&mut host, &["list"], "1  @cargo needs the VPN\n2  milk\n", Value::Null);
    note(&mut host, &["drop", "3"], "there is no such note\n", json!(1));
    note(&mut host, &["toString"], "note add TEXT | note list | note drop NUMBER\n", json!(2));
    note(&mut host, &["drop", "2"], "dropped: milk\n", Value::Null);

    let failed = ask(&mut host, "tool.result", result("cargo", 101, json!(["slow"])));
    let notes = &failed["outcome"]["answer"]["replace"]["notes"];
    assert_eq!(notes, &json!(["slow", "cargo: needs the VPN"]));
    for (program, code) in [("cargo", 0), ("make", 2)] {
        let answer = ask(&mut host, "tool.result", result(program, code, json!([])));
        assert_eq!(answer["outcome"]["answer"], json!("continue"));
    }
    let fault = ask(&mut host, "tool.other", json!({}));
    assert_eq!(fault["fault"]["message"], json!("nothing here answers `tool.other`"));
    dispose(&mut host);
}

#[test]
fn two_notes_at_once_are_both_kept() {
    let Some(mut host) = start("node", "node-notes/main.mjs") else { return };
    greet(&mut host, "node-notes", json!(["tool.result"]));
    for (id, word) in [(1, "one"), (2, "two")] {
        let payload = json!({ "args": ["add", word], "cwd": "/", "interactive": true });
        host.call(id, "slot.command", json!({ "entry": "note", "payload": payload }));
    }
    let mut kept = json!([]);
    let mut answered = 0;
    while answered < 2 {
        let message = host.receive();
        let Some(request) = message.get("request") else {
            answered += 1;
            continue;
        };
        if request["call"] == "store.set" {
            kept = request["arguments"]["value"].clone();
        }
        host.reply(request, json!({ "value": kept }));
    }
    assert_eq!(kept, json!(["one", "two"]));
    host.hang_up();
    host.ended().expect("it ends with its host");
}

#[test]
fn python_pulse_counts_output_and_sums_up_warnings() {
    let Some(mut host) = start("python3", "python-pulse/main.py") else { return };
    greet(&mut host, "python-pulse", json!(["output.delta", "tool.result"]));
    let batch = |pieces: &[(&str, &str)]| {
        let items: Vec<Value> = pieces
            .iter()
            .enumerate()
            .map(|(seq, (stream, text))| json!({ "id": "c1", "stream": stream, "seq": seq, "text": text }))
            .collect();
        json!({ "items": items, "dropped": 0 })
    };
    host.call(
        1,
        "output.delta",
        batch(&[("stdout", "one\ntw"), ("stderr", "\u{1b}[33mwarning\u{1b}[0m: unused\n")]),
    );
    let request = host.request();
    assert_eq!(request["arguments"], json!({ "key": "pulse", "text": "2 lines, 31 B, 1 warning" }));
    // It is called while it waits, and answers.
    let mut of_another = result("ls", 0, json!([]));
    of_another["id"] = json!("c0");
    assert_eq!(host.ask(2, "tool.result", of_another)["outcome"]["answer"], json!("continue"));
    host.reply(&request, json!({}));
    assert_eq!(host.receive()["outcome"], json!({ "id": 1, "answer": "continue" }));

    host.call(3, "output.delta", batch(&[("stdout", "o\nerror: no such file")]));
    let request = host.request();
    assert_eq!(request["arguments"]["text"], json!("3 lines, 52 B, 1 warning"));
    host.refuse(&request, "context.stale", "too late");
    assert_eq!(host.receive()["fault"]["message"], json!("Refused: too late (context.stale)"));

    let answer = host.ask(4, "tool.result", result("make", 2, json!([])));
    let note = "make printed 4 lines, 52 B, 1 warning, 1 error; first: error: no such file";
    assert_eq!(answer["outcome"]["answer"]["replace"]["notes"], json!([note]));
    dispose(&mut host);
}
