//! A host for tests: it sends texts and waits for texts, each wait with a deadline.

use pintle_sdk::protocol::{FrameError, read_frame};
use pintle_sdk::serve::ServeError;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

const DEADLINE: Duration = Duration::from_secs(20);

/// One end of a connection; the other is served on a thread.
pub(crate) struct Host {
    to: Option<File>,
    from: Receiver<Vec<u8>>,
    served: Receiver<Result<(), ServeError>>,
}

impl Host {
    /// Runs `serve` on a thread with the extension's two ends.
    pub(crate) fn serving(serve: impl FnOnce(File, File) -> Result<(), ServeError> + Send + 'static) -> Self {
        let (extension_in, to) = std::io::pipe().expect("a pipe");
        let (mut from, extension_out) = std::io::pipe().expect("a pipe");
        let (send_served, served) = channel();
        std::thread::spawn(move || {
            let ends = (File::from(OwnedFd::from(extension_in)), File::from(OwnedFd::from(extension_out)));
            let _ = send_served.send(serve(ends.0, ends.1));
        });
        let (send, received) = channel();
        std::thread::spawn(move || {
            let mut frame = Vec::new();
            loop {
                match read_frame(&mut from, &mut frame) {
                    Ok(()) => drop(send.send(frame.clone())),
                    Err(FrameError::Closed) => return,
                    Err(error) => panic!("{error}"),
                }
            }
        });
        Self { to: Some(File::from(OwnedFd::from(to))), from: received, served }
    }

    pub(crate) fn send(&mut self, message: Value) {
        self.send_bytes(message.to_string().as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, text: &[u8]) {
        let mut frame = u32::try_from(text.len()).expect("a short text").to_be_bytes().to_vec();
        frame.extend_from_slice(text);
        self.to.as_mut().expect("not hung up").write_all(&frame).expect("the extension reads");
    }

    pub(crate) fn receive(&self) -> Value {
        let frame = self.from.recv_timeout(DEADLINE).expect("the extension sends something in time");
        serde_json::from_slice(&frame).expect("a message is JSON")
    }

    /// Sends `hello` and returns the `ready`.
    pub(crate) fn greet(&mut self) -> Value {
        self.send(hello());
        self.receive()
    }

    pub(crate) fn call(&mut self, id: u64, hook: &str, payload: Value) {
        self.send(json!({ "call": { "id": id, "hook": hook, "payload": payload } }));
    }

    /// Calls it when those before it that were called so are answered.
    pub(crate) fn call_in_turn(&mut self, id: u64, hook: &str, payload: Value) {
        self.send(json!({ "call": { "id": id, "hook": hook, "in_turn": true, "payload": payload } }));
    }

    /// Calls and returns the answer.
    pub(crate) fn ask(&mut self, id: u64, hook: &str, payload: Value) -> Value {
        self.call(id, hook, payload);
        let answer = self.receive();
        let body = answer.get("outcome").or_else(|| answer.get("fault"));
        assert_eq!(body.and_then(|body| body["id"].as_u64()), Some(id), "{answer}");
        answer
    }

    /// Receives a request and returns it.
    pub(crate) fn request(&self) -> Value {
        let message = self.receive();
        message.get("request").unwrap_or_else(|| panic!("{message} is a request")).clone()
    }

    pub(crate) fn reply(&mut self, request: &Value, value: Value) {
        self.send(json!({ "reply": { "id": request["id"], "value": value } }));
    }

    pub(crate) fn refuse(&mut self, request: &Value, code: &str, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.send(json!({ "reply": { "id": request["id"], "error": error } }));
    }

    /// Closes the host's end of what the extension reads.
    pub(crate) fn hang_up(&mut self) {
        self.to = None;
    }

    /// Waits for the end of `serve`.
    pub(crate) fn ended(&self) -> Result<(), ServeError> {
        self.served.recv_timeout(DEADLINE).expect("the extension ends in time")
    }

    /// Waits until the extension closed its end, with nothing more said.
    pub(crate) fn closed(&self) {
        match self.from.recv_timeout(DEADLINE) {
            Err(RecvTimeoutError::Disconnected) => {}
            Err(RecvTimeoutError::Timeout) => panic!("the extension's end is not closed"),
            Ok(frame) => panic!("one frame too many: {}", String::from_utf8_lossy(&frame)),
        }
    }
}

pub(crate) fn hello() -> Value {
    json!({ "hello": {
        "protocol": 1, "host": "agent", "host_version": "1.0.0", "extension": "probe", "version": "0.1.0",
        "root": "/opt/probe", "data": "/var/lib/probe", "epoch": 7, "grants": { "ui.prompt": true },
        "something_new": [],
    } })
}

pub(crate) fn tool_call(line: &str) -> Value {
    let argv: Vec<&str> = line.split(' ').collect();
    json!({
        "id": "c1", "tool": "exec", "program": argv[0], "argv": argv, "cwd": "/home/ada", "line": line,
        "interactive": true,
    })
}
