//! What goes wrong in the answer to a call.

use crate::breaking;
use crate::life::Life;
use serde_json::{Value, json};

pub(crate) fn outcome(life: &mut Life, id: u64, answer: &Value) {
    life.wire.send(&json!({ "outcome": { "id": id, "answer": answer } }));
}

pub(crate) fn go_on(life: &mut Life, id: u64) {
    outcome(life, id, &json!("continue"));
}

pub(crate) fn hang(_life: &mut Life, _id: u64) {
    breaking::hang()
}

pub(crate) fn silent(_life: &mut Life, _id: u64) {}

pub(crate) fn spin(_life: &mut Life, _id: u64) {
    breaking::spin()
}

pub(crate) fn twice(life: &mut Life, id: u64) {
    go_on(life, id);
    outcome(life, id, &json!({ "block": "on second thoughts" }));
}

pub(crate) fn late(life: &mut Life, id: u64) {
    life.late.push(id);
}

pub(crate) fn early(life: &mut Life, id: u64) {
    for other in id..id + 5 {
        go_on(life, other);
    }
}

pub(crate) fn fault(life: &mut Life, id: u64) {
    life.wire.send(&json!({ "fault": { "id": id, "message": "it failed, as it was told to" } }));
}

pub(crate) fn wrong_kind(life: &mut Life, id: u64) {
    outcome(life, id, &json!({ "items": [] }));
}

pub(crate) fn wrong_payload(life: &mut Life, id: u64) {
    outcome(life, id, &json!({ "replace": { "line": 3 } }));
}

pub(crate) fn wrong_outcome(life: &mut Life, id: u64) {
    outcome(life, id, &json!("allow"));
}

pub(crate) fn terminal(life: &mut Life, id: u64) {
    let reason = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}gnihtyna\u{200b}\r\nok\u{9b}31m";
    outcome(life, id, &json!({ "block": reason }));
}

pub(crate) fn bad_length(life: &mut Life, _id: u64) {
    life.wire.send_bytes(&[0xff, 0xff, 0xff, 0xff, b'{']);
}

pub(crate) fn half_frame(life: &mut Life, _id: u64) {
    life.wire.send_bytes(&[0, 0, 0, 100, b'{', b'"']);
}

pub(crate) fn bad_json(life: &mut Life, _id: u64) {
    life.wire.send_text(b"{\"outcome\": {\"id\": 1, \"answer\"");
}

pub(crate) fn bad_utf8(life: &mut Life, id: u64) {
    let text = [format!("{{\"fault\":{{\"id\":{id},\"message\":\"").as_bytes(), b"\xc3\x28\"}}"].concat();
    life.wire.send_text(&text);
}

pub(crate) fn deep_json(life: &mut Life, id: u64) {
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    let answer = format!("{{\"replace\":{open}{close}}}");
    life.wire.send_text(format!("{{\"outcome\":{{\"id\":{id},\"answer\":{answer}}}}}").as_bytes());
}

pub(crate) fn unknown_message(life: &mut Life, id: u64) {
    life.wire.send(&json!({ "opinion": { "id": id } }));
}

pub(crate) fn huge(life: &mut Life, id: u64) {
    outcome(life, id, &json!({ "block": "x".repeat(15 * 1024 * 1024) }));
}
