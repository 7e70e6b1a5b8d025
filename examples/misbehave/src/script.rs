//! Does what a script says, under the name that it says: for tests that need an extension with certain answers. A script
//! is a JSON object: `name`, `version` and `hooks` are what it says of itself, `marks` is a file that it appends to, and
//! `on` has for `start`, `dispose` or a hook (`slot.command` for a command) a list of steps.

use crate::breaking;
use crate::complain;
use crate::wire::Wire;
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write;

pub(crate) fn play(file: &str) {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    match serde_json::from_str(&text) {
        Ok(script) => Player { script, wire: Wire::new(), epoch: 0, request: 0, postponed: Vec::new() }.run(),
        Err(error) => {
            complain(&format!("the script `{file}` can't be read: {error}"));
            breaking::leave(64)
        }
    }
}

struct Player {
    script: Value,
    wire: Wire,
    epoch: u64,
    request: u64,
    /// What came while a reply was waited for.
    postponed: Vec<Value>,
}

impl Player {
    fn run(mut self) {
        self.steps("start", None, &Value::Null);
        while let Some(message) = self.next() {
            if let Some(hello) = message.get("hello") {
                self.epoch = hello["epoch"].as_u64().unwrap_or(0);
                let Value::Object(script) = &self.script else { return };
                let ready = json!({
                    "protocol": 1,
                    "extension": script["name"],
                    "version": script["version"],
                    "hooks": script["hooks"],
                });
                self.wire.send(&json!({ "ready": ready }));
            } else if let Some(call) = message.get("call") {
                let hook = call["hook"].as_str().unwrap_or("").to_owned();
                let id = call["id"].as_u64().unwrap_or(0);
                let answer = self.steps(&hook, Some(id), &call["payload"]);
                self.wire.send(&json!({ "outcome": { "id": id, "answer": answer } }));
            } else if let Some(dispose) = message.get("dispose") {
                self.steps("dispose", None, dispose);
                self.wire.send(&json!({ "disposed": {} }));
                return;
            }
        }
    }

    fn next(&mut self) -> Option<Value> {
        if self.postponed.is_empty() { self.wire.receive() } else { Some(self.postponed.remove(0)) }
    }

    /// Takes the steps for an occasion, and returns the answer, which is `continue` unless a step says otherwise.
    fn steps(&mut self, occasion: &str, call: Option<u64>, payload: &Value) -> Value {
        let mut answer = json!("continue");
        let steps = self.script["on"][occasion].as_array().cloned().unwrap_or_default();
        for step in &steps {
            match step.as_object().and_then(|step| step.iter().next()) {
                // One line: the occasion, and what the payload has there.
                Some((word, pointer)) if word == "mark" => {
                    let value = pointer.as_str().and_then(|pointer| payload.pointer(pointer));
                    let value = value.map_or_else(|| pointer.to_string(), ToString::to_string);
                    self.mark(&format!("{occasion} {value}"));
                }
                Some((word, _)) if word == "environment" => {
                    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
                    self.mark(&format!("environment {}", names.collect::<Vec<_>>().join(" ")));
                }
                Some((word, text)) if word == "print" => {
                    let _ = writeln!(std::io::stdout(), "{}", text.as_str().unwrap_or_default());
                }
                Some((word, request)) if word == "ask" => {
                    let reply = self.ask(call, request);
                    self.mark(&format!("{occasion} reply {reply}"));
                }
                Some((word, _)) if word == "hang" => breaking::hang(),
                Some((word, code)) if word == "exit" => {
                    breaking::leave(code.as_i64().and_then(|code| i32::try_from(code).ok()).unwrap_or(1))
                }
                Some((word, what)) if word == "answer" => what.clone_into(&mut answer),
                // The payload as it is, but for these fields.
                Some((word, fields)) if word == "change" => {
                    let mut changed = payload.clone();
                    if let (Value::Object(changed), Value::Object(fields)) = (&mut changed, fields) {
                        changed.extend(fields.clone());
                    }
                    answer = json!({ "replace": changed });
                }
                Some(_) | None => {
                    complain(&format!("the script has a step that does not exist: {step}"));
                    breaking::leave(64)
                }
            }
        }
        answer
    }

    fn ask(&mut self, parent: Option<u64>, request: &Value) -> Value {
        self.request += 1;
        let (id, epoch) = (self.request, self.epoch);
        let (call, arguments) = (&request["call"], &request["arguments"]);
        self.wire.send(&json!({ "request": {
            "id": id, "parent": parent, "epoch": epoch, "call": call, "arguments": arguments,
        } }));
        while let Some(message) = self.wire.receive() {
            match message.get("reply") {
                Some(reply) if reply["id"] == id => {
                    return reply
                        .get("value")
                        .filter(|value| !value.is_null())
                        .unwrap_or(&reply["error"])
                        .clone();
                }
                Some(_) => {}
                None => self.postponed.push(message),
            }
        }
        Value::Null
    }

    fn mark(&self, line: &str) {
        let Some(path) = self.script["marks"].as_str() else { return };
        let file = OpenOptions::new().create(true).append(true).open(path);
        // One write, so that lines of several stay whole.
        if file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes())).is_err() {
            complain(&format!("`{path}` can't be written"));
        }
    }
}
