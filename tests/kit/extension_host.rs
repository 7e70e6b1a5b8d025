//! A host that is no more than two pipes: it starts an extension as `docs/protocol.md` says, sends messages and waits
//! for messages, each wait with a deadline.

use super::wait_for;
use pintle_manifest::{Entry, parse};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

const DEADLINE: Duration = Duration::from_secs(60);

/// A running extension.
pub(crate) struct ExtensionHost {
    child: Child,
    to: Option<ChildStdin>,
    from: Receiver<Value>,
    last_call: u64,
}

impl ExtensionHost {
    /// Starts the program of a package folder. `None` if its interpreter is not on this machine.
    #[expect(clippy::print_stderr, reason = "a test that tries nothing says so")]
    pub(crate) fn start(folder: &Path) -> Option<Self> {
        let manifest = parse(&std::fs::read(folder.join("extension.toml")).unwrap()).manifest.unwrap();
        let Entry::Process { command, .. } = &manifest.entry else { panic!("{:?}", manifest.entry) };
        if !command[0].contains('/') && !is_there(&command[0]) {
            eprintln!("`{}` is not on this machine, so {} is not tried", command[0], manifest.name);
            return None;
        }
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >&2"])
            .args(command)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, mut out) = (child.stdin.take(), child.stdout.take().unwrap());
        let (send, from) = channel();
        std::thread::spawn(move || {
            let mut head = [0; 4];
            while out.read_exact(&mut head).is_ok() {
                let mut body = vec![0; u32::from_be_bytes(head) as usize];
                out.read_exact(&mut body).unwrap();
                let _ = send.send(serde_json::from_slice(&body).unwrap());
            }
        });
        Some(Self { child, to, from, last_call: 0 })
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.to.as_mut().unwrap().write_all(&frame(message)).unwrap();
    }

    /// Sends a message in pieces of one byte.
    pub(crate) fn send_in_pieces(&mut self, message: &Value) {
        for byte in frame(message) {
            let to = self.to.as_mut().unwrap();
            to.write_all(&[byte]).unwrap();
            to.flush().unwrap();
        }
    }

    pub(crate) fn receive(&self) -> Value {
        self.from.recv_timeout(DEADLINE).unwrap()
    }

    /// Says hello and returns what comes back.
    pub(crate) fn greet(&mut self, name: &str) -> Value {
        self.send(&json!({ "hello": {
            "protocol": 1, "host": "agent", "host_version": "1.0.0", "extension": name, "version": "0.1.0",
            "root": "/", "data": null, "epoch": 7, "grants": {}, "something_new": [],
        } }));
        self.receive()
    }

    /// Makes a call and returns its number.
    pub(crate) fn call(&mut self, hook: &str, payload: Value) -> u64 {
        self.last_call += 1;
        self.send(&json!({ "call": { "id": self.last_call, "hook": hook, "payload": payload } }));
        self.last_call
    }

    /// Makes a call that asks for nothing, and returns its answer or `{"fault": MESSAGE}`.
    pub(crate) fn ask(&mut self, hook: &str, payload: Value) -> Value {
        let id = self.call(hook, payload);
        self.answer(id)
    }

    /// Waits for the answer of a call.
    pub(crate) fn answer(&self, id: u64) -> Value {
        let message = self.receive();
        match (message.get("outcome"), message.get("fault")) {
            (Some(outcome), None) if outcome["id"] == id => outcome["answer"].clone(),
            (None, Some(fault)) if fault["id"] == id => json!({ "fault": fault["message"] }),
            other => panic!("{other:?} is no answer to call {id}"),
        }
    }

    /// Waits for a request of a call, and returns it.
    pub(crate) fn request(&self, parent: u64) -> Value {
        let message = self.receive();
        let request = &message["request"];
        assert_eq!((&request["parent"], &request["epoch"]), (&json!(parent), &json!(7)), "{message}");
        request.clone()
    }

    /// Closes the host's end of what the extension reads.
    pub(crate) fn hang_up(&mut self) {
        self.to = None;
    }

    /// Waits for its end. Nothing more may have been said.
    pub(crate) fn ended(mut self) -> ExitStatus {
        match self.from.recv_timeout(DEADLINE) {
            Err(RecvTimeoutError::Disconnected) => {}
            Err(RecvTimeoutError::Timeout) => panic!("it did not close its end"),
            Ok(message) => panic!("one message too many: {message}"),
        }
        let mut status = None;
        wait_for("the end of the extension", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }
}

impl Drop for ExtensionHost {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn frame(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    let mut frame = u32::try_from(body.len()).unwrap().to_be_bytes().to_vec();
    frame.extend_from_slice(body.as_bytes());
    frame
}

fn is_there(program: &str) -> bool {
    let run = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}
