//! A small host: it starts the program on descriptors 3 and 4, answers its requests, and waits with a deadline.

use pintle_sdk::protocol::{read_frame, write_frame};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{PipeReader, PipeWriter};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, SystemTime};

const DEADLINE: Duration = Duration::from_secs(30);

pub(crate) struct Host {
    child: Child,
    to: PipeWriter,
    from: Receiver<Value>,
    store: BTreeMap<String, Value>,
    calls: u64,
    /// The requests that came, by the name of the call.
    pub(crate) requests: Vec<Value>,
    /// What to answer to `process.run` in place of running it.
    pub(crate) refuses: Option<Value>,
}

impl Host {
    pub(crate) fn start(home: &Path) -> Host {
        let (program_reads, to) = std::io::pipe().unwrap();
        let (from, program_writes) = std::io::pipe().unwrap();
        let child = Command::new("sh")
            .args(["-c", "exec \"$0\" 3<&0 4>&1 </dev/null >&2", env!("CARGO_BIN_EXE_blast-radius")])
            .env_clear()
            .env("HOME", home)
            .stdin(program_reads)
            .stdout(program_writes)
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let from = received(from);
        let mut host =
            Host { child, to, from, store: BTreeMap::new(), calls: 0, requests: Vec::new(), refuses: None };
        host.send(&json!({ "hello": {
            "protocol": 1, "host": "agent", "host_version": "1.0.0", "extension": "blast-radius", "version": "0.3.1",
            "root": "/", "epoch": 1, "grants": { "process.run": ["git"] },
        } }));
        let ready =
            json!({ "protocol": 1, "extension": "blast-radius", "version": "0.3.1", "hooks": ["tool.call"] });
        assert_eq!(host.receive(), json!({ "ready": ready }));
        host
    }

    fn send(&mut self, message: &Value) {
        write_frame(&mut self.to, message).unwrap();
    }

    fn receive(&self) -> Value {
        self.from.recv_timeout(DEADLINE).expect("the extension answers in time")
    }

    /// Calls the extension, and answers what it asks until its answer is there.
    pub(crate) fn call(&mut self, hook: &str, payload: &Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({ "call": { "id": id, "hook": hook, "payload": payload } }));
        loop {
            let message = self.receive();
            let Some(request) = message.get("request") else { return message };
            let answer = self.answer(request);
            self.requests.push(request.clone());
            let mut reply = json!({ "id": request["id"] });
            match answer {
                Ok(value) => reply["value"] = value,
                Err(error) => reply["error"] = error,
            }
            self.send(&json!({ "reply": reply }));
        }
    }

    fn answer(&mut self, request: &Value) -> Result<Value, Value> {
        let arguments = &request["arguments"];
        match request["call"].as_str().unwrap() {
            "clock.now" => {
                let passed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
                Ok(json!({ "unix_ms": u64::try_from(passed.as_millis()).unwrap(), "monotonic_ms": 0 }))
            }
            "store.set" => {
                self.store.insert(arguments["key"].as_str().unwrap().to_owned(), arguments["value"].clone());
                Ok(json!({}))
            }
            "store.get" => Ok(json!({ "value": self.store.get(arguments["key"].as_str().unwrap()) })),
            "process.run" => match &self.refuses {
                Some(error) => Err(error.clone()),
                None => Ok(run(arguments)),
            },
            other => panic!("nobody expects the call {other}"),
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn received(mut from: PipeReader) -> Receiver<Value> {
    let (send, received) = channel();
    std::thread::spawn(move || {
        let mut frame = Vec::new();
        while read_frame(&mut from, &mut frame).is_ok() {
            if send.send(serde_json::from_slice(&frame).unwrap()).is_err() {
                return;
            }
        }
    });
    received
}

fn run(arguments: &Value) -> Value {
    assert_eq!(arguments["program"], "git", "no other program is asked for");
    let texts = arguments["args"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
    let env =
        arguments["env"].as_object().unwrap().iter().map(|(name, value)| (name, value.as_str().unwrap()));
    let output = Command::new("git")
        .args(texts)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs(env)
        .current_dir(arguments["cwd"].as_str().unwrap())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    json!({
        "exit_code": output.status.code(), "signal": null, "stdout": text(&output.stdout),
        "stderr": text(&output.stderr), "truncated": false, "lossy": false, "timed_out": false,
    })
}
