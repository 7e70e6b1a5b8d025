//! The test program as an extension that does what it is told: by `script.json` beside it, or by the payload of a call,
//! whose `acts` may hold a list of acts for each extension. It has one thread, and answers other calls while it waits for
//! an answer of the host.

use crate::breaking;
use crate::wire::Wire;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::time::{Duration, Instant};

/// The argument by which the program knows that it is this.
pub(crate) const AS: &str = "--as-script";

/// How long it waits for a file.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn act() {
    let text = std::fs::read_to_string("script.json").unwrap();
    let script: Value = serde_json::from_str(&text).unwrap();
    let out =
        script["out"].as_str().map(|path| OpenOptions::new().append(true).create(true).open(path).unwrap());
    let actor = Actor {
        wire: Wire::new(),
        script,
        out,
        epoch: 0,
        last: Value::Null,
        requests: 0,
        replies: BTreeMap::new(),
        times: BTreeMap::new(),
    };
    actor.run();
}

struct Actor {
    wire: Wire,
    script: Value,
    out: Option<File>,
    epoch: u64,
    /// The last reply of the host.
    last: Value,
    requests: u64,
    replies: BTreeMap<u64, Value>,
    /// How often each hook was called.
    times: BTreeMap<String, usize>,
}

impl Actor {
    fn run(mut self) {
        while let Some(message) = self.wire.receive() {
            self.take(&message);
        }
        if self.script["stays"] == json!(true) {
            breaking::hang()
        }
    }

    fn take(&mut self, message: &Value) {
        if let Some(hello) = message.get("hello") {
            self.greet(hello);
        } else if let Some(call) = message.get("call") {
            self.answer(call);
        } else if let Some(reply) = message.get("reply") {
            self.replies.insert(reply["id"].as_u64().unwrap(), reply.clone());
        } else if let Some(dispose) = message.get("dispose") {
            self.note(&format!("dispose {}", dispose["reason"].as_str().unwrap()));
            let acts = self.script["dispose"].clone();
            self.perform(&acts, None, &Value::Null);
            self.wire.send(&json!({ "disposed": {} }));
            let acts = self.script["disposed"].clone();
            self.perform(&acts, None, &Value::Null);
            breaking::leave(0)
        }
    }

    fn greet(&mut self, hello: &Value) {
        self.epoch = hello["epoch"].as_u64().unwrap();
        let acts = self.script["start"].clone();
        self.perform(&acts, None, hello);
        let hooks = &self.script["hooks"];
        let (name, version) = (&self.script["name"], &self.script["version"]);
        let ready = json!({ "protocol": 1, "extension": name, "version": version, "hooks": hooks });
        self.wire.send(&json!({ "ready": ready }));
        let acts = self.script["ready"].clone();
        self.perform(&acts, None, hello);
    }

    fn answer(&mut self, call: &Value) {
        let id = call["id"].as_u64().unwrap();
        let hook = call["hook"].as_str().unwrap().to_owned();
        let payload = call["payload"].clone();
        let count = self.times.entry(hook.clone()).or_insert(0);
        *count += 1;
        let count = *count;
        let name = self.script["name"].as_str().unwrap().to_owned();
        let shown = payload["acts"].get(&name).or_else(|| payload["payload"]["acts"].get(&name)).cloned();
        let acts = shown.unwrap_or_else(|| match self.script["at"][&hook].as_array() {
            Some(all) if all.first().is_some_and(Value::is_array) => {
                all[(count - 1).min(all.len() - 1)].clone()
            }
            Some(one) => json!(one),
            None => json!([]),
        });
        if let Some(answer) = self.perform(&acts, Some(id), &payload) {
            self.wire.send(&json!({ "outcome": { "id": id, "answer": answer } }));
        }
    }

    /// Performs acts until one of them answers. What nobody answers goes on.
    fn perform(&mut self, acts: &Value, call: Option<u64>, payload: &Value) -> Option<Value> {
        for act in acts.as_array().map(Vec::as_slice).unwrap_or_default() {
            let (word, what) = act.as_object().unwrap().iter().next().unwrap();
            let text = what.as_str().unwrap_or("");
            let number = what.as_u64().unwrap_or(0);
            match word.as_str() {
                "answer" => return Some(what.clone()),
                // Puts a text behind that of the payload.
                "append" => {
                    let mut changed = payload.clone();
                    changed["text"] = json!(format!("{}{text}", payload["text"].as_str().unwrap()));
                    return Some(json!({ "replace": changed }));
                }
                "set" => {
                    let mut changed = payload.clone();
                    for (key, value) in what.as_object().unwrap() {
                        changed[key] = value.clone();
                    }
                    return Some(json!({ "replace": changed }));
                }
                "block" => return Some(json!({ "block": what })),
                "ask" => return Some(json!({ "ask": { "title": what, "details": [] } })),
                "ask_about" => {
                    let title = format!("{text}{}", payload["text"].as_str().unwrap());
                    return Some(json!({ "ask": { "title": title, "details": [] } }));
                }
                "said" => return Some(json!({ "handled": { "said": what } })),
                "said_text" => {
                    let said = format!("{text}{}", payload["text"].as_str().unwrap());
                    return Some(json!({ "handled": { "said": said } }));
                }
                "items" => {
                    let items: Vec<Value> =
                        what.as_array().unwrap().iter().map(|said| json!({ "said": said })).collect();
                    return Some(json!({ "items": items }));
                }
                // Answers with what the host replied.
                "block_last" => return Some(json!({ "block": shortened(&self.last).to_string() })),
                "handled_last" => return Some(json!({ "handled": self.last["value"] })),
                "said_last" => {
                    let said = format!("{text}{}", self.last["value"]["said"].as_str().unwrap_or("nothing"));
                    return Some(json!({ "handled": { "said": said } }));
                }
                "fault" => {
                    self.wire.send(&json!({ "fault": { "id": call, "message": what } }));
                    return None;
                }
                "silent" => return None,
                "note" => self.note(text),
                "note_text" => self.note(&format!("{text}{}", payload["text"].as_str().unwrap())),
                "note_payload" => self.note(&format!("{text}{payload}")),
                "note_last" => self.note(&format!("{text}{}", self.last)),
                "sleep" => pause(Duration::from_millis(number)),
                "await" => await_file(text),
                "exit" => breaking::leave(i32::try_from(number).unwrap()),
                "segfault" => breaking::segfault(),
                "hang" => breaking::hang(),
                "spin" => breaking::spin(),
                "print" => {
                    let mut out = std::io::stdout().lock();
                    writeln!(out, "{text}").and_then(|()| out.flush()).unwrap();
                }
                "call" => self.last = self.request(what, call),
                // Asks, and does not wait.
                "send" => drop(self.send(what, call)),
                "next" => {
                    let passed = if what.is_null() { payload.clone() } else { what.clone() };
                    self.last = self.request(&json!({ "call": "next", "arguments": passed }), call);
                }
                "next_append" => {
                    let mut passed = payload.clone();
                    passed["text"] = json!(format!("{}{text}", payload["text"].as_str().unwrap()));
                    self.last = self.request(&json!({ "call": "next", "arguments": passed }), call);
                }
                // Asks twice at once for what is inside.
                "next_twice" => {
                    let ask = json!({ "call": "next", "arguments": payload });
                    let ids = [self.send(&ask, call), self.send(&ask, call)];
                    self.last = json!(ids.map(|id| self.reply(id)));
                }
                // Does the first list once for all loads, and else the second.
                "once" => {
                    let marker = what["marker"].as_str().unwrap();
                    let first = OpenOptions::new().write(true).create_new(true).open(marker).is_ok();
                    let acts = if first { &what["first"] } else { &what["then"] };
                    match self.perform(acts, call, payload) {
                        Some(answer) => return Some(answer),
                        None if call.is_some() => return None,
                        None => {}
                    }
                }
                "bytes" => drop(self.wire.send_bytes(text.as_bytes())),
                "raw" => drop(self.wire.send(what)),
                other => panic!("there is no act `{other}`"),
            }
        }
        call.map(|_| json!("continue"))
    }

    fn send(&mut self, what: &Value, call: Option<u64>) -> u64 {
        self.requests += 1;
        let id = self.requests;
        let epoch = what["epoch"].as_u64().unwrap_or(self.epoch);
        let mut request =
            json!({ "id": id, "epoch": epoch, "call": what["call"], "arguments": what["arguments"] });
        if what["arguments"].is_null() {
            request["arguments"] = json!({});
        }
        if let (Some(call), true) = (call, what["orphan"].is_null()) {
            request["parent"] = json!(call);
        }
        self.wire.send(&json!({ "request": request }));
        id
    }

    fn request(&mut self, what: &Value, call: Option<u64>) -> Value {
        let id = self.send(what, call);
        self.reply(id)
    }

    /// Waits for a reply, and answers what is called meanwhile.
    fn reply(&mut self, id: u64) -> Value {
        loop {
            if let Some(mut reply) = self.replies.remove(&id) {
                reply.as_object_mut().unwrap().remove("id");
                return reply;
            }
            match self.wire.receive() {
                Some(message) => self.take(&message),
                None => breaking::leave(0),
            }
        }
    }

    fn note(&mut self, text: &str) {
        let line = format!("{} {text}\n", self.script["name"].as_str().unwrap());
        self.out.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }
}

/// Returns a reply with what is too long for a reason told by its length.
fn shortened(reply: &Value) -> Value {
    let mut reply = reply.clone();
    for key in ["stdout", "text"] {
        if let Some(length) = reply["value"][key].as_str().map(str::len).filter(|length| *length > 500) {
            reply["value"][key] = json!(length);
        }
    }
    reply
}

/// Computes nothing for so long, and hears nothing meanwhile.
fn pause(time: Duration) {
    let until = Instant::now() + time;
    while let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
        std::thread::park_timeout(left);
    }
}

fn await_file(path: &str) {
    let until = Instant::now() + PATIENCE;
    while !std::path::Path::new(path).exists() && Instant::now() < until {
        std::thread::park_timeout(Duration::from_millis(5));
    }
}
