//! One load from start to end. Everything that is not asked for otherwise is done as it should be.

use crate::answering;
use crate::breaking;
use crate::ways::{Act, Chosen};
use crate::wire::Wire;
use serde_json::{Value, json};
use std::path::PathBuf;

pub(crate) struct Life {
    pub(crate) wire: Wire,
    pub(crate) epoch: u64,
    pub(crate) data: Option<PathBuf>,
    /// The number of the last request.
    pub(crate) request: u64,
    /// Calls that are answered once they are cancelled.
    pub(crate) late: Vec<u64>,
    /// What arrived while an answer was waited for.
    pub(crate) postponed: Vec<Value>,
    pub(crate) stays_after_the_end: bool,
    chosen: Option<Chosen>,
}

impl Life {
    pub(crate) fn new(chosen: Option<Chosen>) -> Self {
        Self {
            wire: Wire::new(),
            epoch: 0,
            data: None,
            request: 0,
            late: Vec::new(),
            postponed: Vec::new(),
            stays_after_the_end: false,
            chosen,
        }
    }

    pub(crate) fn run(mut self) {
        if let Some(Act::Start(act)) = self.act() {
            act(&mut self);
        }
        while let Some(message) = self.next() {
            if self.obey(&message) == Obeyed::AndDone {
                break;
            }
        }
        if self.stays_after_the_end {
            breaking::hang()
        }
    }

    fn next(&mut self) -> Option<Value> {
        if self.postponed.is_empty() { self.wire.receive() } else { Some(self.postponed.remove(0)) }
    }

    fn obey(&mut self, message: &Value) -> Obeyed {
        if let Some(hello) = message.get("hello") {
            self.greet(hello);
        } else if let Some(call) = message.get("call") {
            self.answer(call);
        } else if let Some(id) = message["cancel"]["id"].as_u64()
            && self.late.contains(&id)
        {
            answering::go_on(self, id);
        } else if message.get("dispose").is_some() {
            match self.act() {
                Some(Act::Dispose(act)) => act(self),
                Some(Act::Start(_) | Act::Greet(_) | Act::Call(_)) | None => {}
            }
            self.wire.send(&json!({ "disposed": {} }));
            return Obeyed::AndDone;
        }
        Obeyed::AndOn
    }

    fn greet(&mut self, hello: &Value) {
        self.epoch = hello["epoch"].as_u64().unwrap_or(0);
        self.data = hello["data"].as_str().map(PathBuf::from);
        if self.chosen.is_none() {
            self.chosen = self.data.as_ref().and_then(|data| Chosen::from_file(&data.join("mode")));
        }
        let hooks = ["output.delta", "session.end", "session.start", "tool.call", "tool.result"];
        let ready = json!({ "protocol": 1, "extension": "misbehave", "version": "0.1.0", "hooks": hooks });
        match self.act() {
            Some(Act::Greet(act)) => act(self, ready),
            Some(Act::Start(_) | Act::Call(_) | Act::Dispose(_)) | None => {
                self.wire.send(&json!({ "ready": ready }));
            }
        }
    }

    fn answer(&mut self, call: &Value) {
        let id = call["id"].as_u64().unwrap_or(0);
        let hook = call["hook"].as_str().unwrap_or("");
        let standing = self.chosen.as_ref().filter(|chosen| chosen.is_for(hook)).map(|chosen| chosen.way.act);
        let shown = Chosen::from_payload(&call["payload"]).map(|chosen| chosen.way.act);
        match shown.or(standing) {
            Some(Act::Call(act)) => act(self, id),
            Some(Act::Start(_) | Act::Greet(_) | Act::Dispose(_)) | None if hook.starts_with("slot.") => {
                let reply = json!({ "text": "what is asked for is done\n" });
                answering::outcome(self, id, &json!({ "handled": reply }));
            }
            Some(Act::Start(_) | Act::Greet(_) | Act::Dispose(_)) | None => answering::go_on(self, id),
        }
    }

    fn act(&self) -> Option<Act> {
        self.chosen.as_ref().map(|chosen| chosen.way.act)
    }
}

#[derive(PartialEq, Eq)]
enum Obeyed {
    AndOn,
    AndDone,
}
