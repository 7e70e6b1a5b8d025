//! What goes wrong before the extension is ready.

use crate::breaking;
use crate::complain;
use crate::life::Life;
use serde_json::{Value, json};
use std::io::{self, Write};

pub(crate) fn exit(_life: &mut Life) {
    breaking::leave(3)
}

pub(crate) fn exit_well(_life: &mut Life) {
    breaking::leave(0)
}

pub(crate) fn abort(_life: &mut Life) {
    std::process::abort()
}

pub(crate) fn segfault(_life: &mut Life) {
    breaking::segfault()
}

pub(crate) fn hang(_life: &mut Life) {
    breaking::hang()
}

pub(crate) fn spin(_life: &mut Life) {
    breaking::spin()
}

pub(crate) fn noise(_life: &mut Life) {
    let mut out = io::stdout().lock();
    // The host may close this end; the noise is then over.
    let _ = out.write_all(b"hello\n");
    let _ = out.write_all(&vec![b'x'; 1024 * 1024]);
    let _ = out.write_all(b"\xff\xfe\x80\x1b[31m");
    let _ = out.flush();
}

pub(crate) fn stderr(_life: &mut Life) {
    complain("the file `settings.toml` is missing");
    breaking::leave(1)
}

pub(crate) fn close_in(life: &mut Life) {
    life.wire.input = None;
    breaking::hang()
}

pub(crate) fn close_out(life: &mut Life) {
    life.wire.output = None;
}

pub(crate) fn garbage(life: &mut Life) {
    life.wire.send_bytes(b"Listening on port 8080\n");
}

pub(crate) fn request(life: &mut Life) {
    let request = json!({ "id": 1, "epoch": 0, "call": "clock.now", "arguments": {} });
    life.wire.send(&json!({ "request": request }));
}

pub(crate) fn ignore_signals(life: &mut Life) {
    if ctrlc::set_handler(|| {}).is_err() {
        complain("the signals can't be ignored");
        breaking::leave(70)
    }
    life.stays_after_the_end = true;
}

pub(crate) fn ignore_end(life: &mut Life) {
    life.stays_after_the_end = true;
}

pub(crate) fn ready_never(_life: &mut Life, _ready: Value) {}

pub(crate) fn ready_twice(life: &mut Life, ready: Value) {
    let ready = json!({ "ready": ready });
    life.wire.send(&ready);
    life.wire.send(&ready);
}

pub(crate) fn lie_name(life: &mut Life, ready: Value) {
    lie(life, ready, "extension", json!("blast-radius"));
}

pub(crate) fn lie_version(life: &mut Life, ready: Value) {
    lie(life, ready, "version", json!("9.9.9"));
}

pub(crate) fn lie_protocol(life: &mut Life, ready: Value) {
    lie(life, ready, "protocol", json!(99));
}

pub(crate) fn lie_hooks(life: &mut Life, ready: Value) {
    lie(life, ready, "hooks", json!(["tool.call", "secrets.read"]));
}

fn lie(life: &mut Life, mut ready: Value, key: &str, value: Value) {
    ready[key] = value;
    life.wire.send(&json!({ "ready": ready }));
}
