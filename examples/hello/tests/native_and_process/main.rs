//! The program that was built, and the library that was built beside it, each served as a host would: on descriptors 3
//! and 4, and opened from its file.

mod connection;

use connection::Connection;
use serde_json::{Value, json};

/// What both must do, from `hello` to `disposed`.
fn live(connection: &mut Connection) {
    let hello = json!({
        "protocol": 1, "host": "agent", "host_version": "1.0.0", "extension": "hello", "version": "0.1.0",
        "root": "/", "epoch": 1,
    });
    connection.send(&json!({ "hello": hello }));
    let hooks = ["session.start", "tool.call"];
    let ready = json!({ "protocol": 1, "extension": "hello", "version": "0.1.0", "hooks": hooks });
    assert_eq!(connection.receive(), json!({ "ready": ready }));

    let session = json!({ "session": "s", "host_version": "1", "cwd": "/", "interactive": false });
    connection.send(&json!({ "call": { "id": 1, "hook": "session.start", "payload": session } }));
    let status = json!({ "key": "hello", "text": "hello is here" });
    let request = json!({ "id": 1, "parent": 1, "epoch": 1, "call": "ui.status", "arguments": status });
    assert_eq!(connection.receive(), json!({ "request": request }));
    connection.send(&json!({ "reply": { "id": 1, "value": {} } }));
    assert_eq!(connection.receive(), json!({ "outcome": { "id": 1, "answer": "continue" } }));

    let call = json!({
        "id": "c", "tool": "exec", "program": "ls", "argv": ["ls"], "cwd": "/", "line": "ls", "interactive": false,
    });
    for id in 2..5 {
        connection.send(&json!({ "call": { "id": id, "hook": "tool.call", "payload": call } }));
        assert_eq!(connection.receive(), json!({ "outcome": { "id": id, "answer": "continue" } }));
    }

    let call = json!({ "args": ["Ada"], "cwd": "/", "interactive": false });
    let payload = json!({ "entry": "hello", "payload": call });
    connection.send(&json!({ "call": { "id": 9, "hook": "slot.command", "payload": payload } }));
    let reply = json!({ "text": "hello, Ada: hello saw 3 commands\n", "exit_code": 0 });
    assert_eq!(connection.receive(), json!({ "outcome": { "id": 9, "answer": { "handled": reply } } }));
}

fn dispose(connection: &mut Connection) {
    connection.send(&json!({ "dispose": { "reason": "disable", "budget_ms": 1000 } }));
    assert_eq!(connection.receive(), json!({ "disposed": {} }));
}

#[test]
fn the_program_lives_and_ends() {
    let (mut connection, child) = Connection::process();
    live(&mut connection);
    dispose(&mut connection);
    let output = connection::ended(child);
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn the_library_lives_and_ends() {
    let (mut connection, served) = Connection::native();
    live(&mut connection);
    dispose(&mut connection);
    connection.hang_up();
    served.join().expect("it does not panic").expect("it ends well");
}

#[test]
fn the_program_ends_with_its_host() {
    let (mut connection, child) = Connection::process();
    connection.hang_up();
    assert_eq!(connection::ended(child).status.code(), Some(0));

    let (mut connection, child) = Connection::process();
    live(&mut connection);
    connection.hang_up();
    assert_eq!(connection::ended(child).status.code(), Some(0));
}

#[test]
fn the_program_says_why_it_ends_early() {
    let check = |message: &Value, expected: &str| {
        let (mut connection, child) = Connection::process();
        connection.send(message);
        let output = connection::ended(child);
        assert_eq!(
            (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
            (Some(1), expected)
        );
    };
    check(&json!({ "cancel": { "id": 1 } }), "the host did not begin with `hello`\n");
    check(&json!([]), "the host sent what can't be read: a message is not an object with one key\n");
}

#[test]
fn a_person_who_starts_the_program_is_told() {
    let program = std::process::Command::new(env!("CARGO_BIN_EXE_hello"));
    let output = connection::without_connection(program);
    assert_eq!(output.status.code(), Some(2));
    let expected = "`hello` is an extension: a host starts it, not a person\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
}
