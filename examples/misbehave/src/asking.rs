//! What goes wrong in what is asked of the host. Where the host answers, the call is blocked with the answer, so that a
//! test can see it.

use crate::answering::outcome;
use crate::life::Life;
use serde_json::{Value, json};

pub(crate) fn flood_frames(life: &mut Life, id: u64) {
    loop {
        let request = request(life, Some(id), "log", json!({ "message": "again" }));
        if !life.wire.send(&request) {
            return;
        }
    }
}

pub(crate) fn ungranted(life: &mut Life, id: u64) {
    let request = request(life, Some(id), "process.run", json!({ "program": "id" }));
    block_with_answer(life, id, &request);
}

pub(crate) fn unknown_call(life: &mut Life, id: u64) {
    let request = request(life, Some(id), "secrets.read", json!({}));
    block_with_answer(life, id, &request);
}

pub(crate) fn bad_arguments(life: &mut Life, id: u64) {
    let request = request(life, Some(id), "store.set", json!({ "key": 7 }));
    block_with_answer(life, id, &request);
}

pub(crate) fn stale(life: &mut Life, id: u64) {
    let mut request = request(life, Some(id), "session.cwd", json!({}));
    request["request"]["epoch"] = json!(life.epoch.wrapping_sub(1));
    block_with_answer(life, id, &request);
}

pub(crate) fn wrong_parent(life: &mut Life, id: u64) {
    let request = request(life, Some(id + 1_000_000), "session.cwd", json!({}));
    block_with_answer(life, id, &request);
}

pub(crate) fn same_id(life: &mut Life, id: u64) {
    let request = request(life, Some(id), "session.cwd", json!({}));
    life.wire.send(&request);
    block_with_answer(life, id, &request);
}

fn request(life: &mut Life, parent: Option<u64>, call: &str, arguments: Value) -> Value {
    life.request += 1;
    let (id, epoch) = (life.request, life.epoch);
    json!({ "request": { "id": id, "parent": parent, "epoch": epoch, "call": call, "arguments": arguments } })
}

fn block_with_answer(life: &mut Life, id: u64, request: &Value) {
    life.wire.send(request);
    while let Some(message) = life.wire.receive() {
        match message.get("reply") {
            Some(reply) if reply["id"] == request["request"]["id"] => {
                let words = match (reply["error"]["code"].as_str(), reply["error"]["message"].as_str()) {
                    (Some(code), message) => format!("{code}: {}", message.unwrap_or("")),
                    (None, _) => format!("the host answered {}", reply["value"]),
                };
                return outcome(life, id, &json!({ "block": words }));
            }
            Some(_) => {}
            None => life.postponed.push(message),
        }
    }
}
