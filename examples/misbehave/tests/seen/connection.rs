//! The host's side, which shrugs at nothing: bytes that are no frame are seen as such. What it started it kills.

use pintle_sdk::protocol::write_frame;
use serde_json::{Value, json};
use std::io::{PipeReader, PipeWriter, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long something that must come may take.
const DEADLINE: Duration = Duration::from_secs(30);
/// How long silence is listened to before it counts as silence.
const SILENCE: Duration = Duration::from_millis(300);

/// One thing that a host sees.
#[derive(Debug, PartialEq)]
pub(crate) enum Seen {
    Message(Value),
    /// A frame that is not JSON.
    NoJson,
    /// A length that no frame has.
    NoFrame {
        length: u32,
    },
    /// The other end was closed.
    Closed,
    Exit(i32),
    Signal(i32),
}

pub(crate) struct Connection {
    child: Child,
    to: Option<PipeWriter>,
    from: Receiver<Seen>,
    output: Option<JoinHandle<Vec<u8>>>,
}

impl Connection {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let (program_reads, to) = std::io::pipe().expect("a pipe");
        let (from, program_writes) = std::io::pipe().expect("a pipe");
        let (printed, program_prints) = std::io::pipe().expect("a pipe");
        // With little memory, so that taking all of it harms nobody.
        let child = Command::new("sh")
            .args(["-c", "ulimit -d 300000; exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >&2"])
            .arg(env!("CARGO_BIN_EXE_misbehave"))
            .args(arguments)
            .stdin(program_reads)
            .stdout(program_writes)
            .stderr(program_prints)
            .spawn()
            .expect("the shell starts");
        let (send, received) = channel();
        std::thread::spawn(move || read(from, |seen| send.send(seen).is_ok()));
        let output = Some(std::thread::spawn(move || drain(printed)));
        Self { child, to: Some(to), from: received, output }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        write_frame(self.to.as_mut().expect("not hung up"), message).expect("the extension reads");
    }

    /// Sends `hello` to one that may have closed its end.
    pub(crate) fn try_hello(&mut self) {
        let _ = write_frame(self.to.as_mut().expect("not hung up"), &hello(None));
    }

    pub(crate) fn hello(&mut self, data: Option<&Path>) {
        self.send(&hello(data));
    }

    pub(crate) fn call(&mut self, id: u64, payload: &Value) {
        self.send(&json!({ "call": { "id": id, "hook": "tool.call", "payload": payload } }));
    }

    pub(crate) fn cancel(&mut self, id: u64) {
        self.send(&json!({ "cancel": { "id": id } }));
    }

    pub(crate) fn dispose(&mut self) {
        self.send(&json!({ "dispose": { "reason": "disable", "budget_ms": 1000 } }));
    }

    pub(crate) fn hang_up(&mut self) {
        self.to = None;
    }

    /// Waits for the next thing that is seen on the wire.
    pub(crate) fn next(&mut self) -> Seen {
        match self.from.recv_timeout(DEADLINE) {
            Ok(seen) => seen,
            Err(RecvTimeoutError::Disconnected) => Seen::Closed,
            Err(RecvTimeoutError::Timeout) => panic!("nothing is seen in time"),
        }
    }

    /// Tells whether nothing is seen for as long as silence is listened to.
    pub(crate) fn is_silent(&mut self) -> bool {
        self.from.recv_timeout(SILENCE) == Err(RecvTimeoutError::Timeout)
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for the end of the process.
    pub(crate) fn ended(&mut self) -> Seen {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("the child can be waited for") {
                let exit = status.code().map(Seen::Exit);
                return exit
                    .or_else(|| status.signal().map(Seen::Signal))
                    .expect("an end has a code or a signal");
            }
            assert!(started.elapsed() < DEADLINE, "it does not end in time");
            std::thread::yield_now();
        }
    }

    /// Returns what was printed, once the process has ended.
    pub(crate) fn output(&mut self) -> Vec<u8> {
        let output = self.output.take().expect("it is asked for once");
        output.join().expect("reading does not panic")
    }

    pub(crate) fn signal(&self, name: &str) {
        send_signal(name, &self.child.id().to_string());
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Sees that the daemon is alive, and kills it.
    pub(crate) fn kill_daemon(&mut self) {
        let output = String::from_utf8(self.output()).expect("the log is text");
        let number = output.split_whitespace().last().expect("the log names the daemon").to_owned();
        assert!(output.contains("daemon "), "{output}");
        let command = std::fs::read(format!("/proc/{number}/cmdline")).expect("the daemon is alive");
        assert!(String::from_utf8_lossy(&command).contains("--daemon-second"));
        send_signal("KILL", &number);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.kill();
    }
}

fn send_signal(name: &str, number: &str) {
    let sent = Command::new("kill").arg(format!("-{name}")).arg(number).status().expect("`kill` runs");
    assert!(sent.success());
}

fn hello(data: Option<&Path>) -> Value {
    json!({ "hello": {
        "protocol": 1, "host": "agent", "host_version": "1.0.0", "extension": "misbehave", "version": "0.1.0",
        "root": "/", "data": data, "epoch": 5, "grants": {},
    } })
}

/// Reads frames as far as there are any, and tells of each.
fn read(mut from: PipeReader, mut tell: impl FnMut(Seen) -> bool) {
    loop {
        let mut head = [0; 4];
        if from.read_exact(&mut head).is_err() {
            return;
        }
        let length = u32::from_be_bytes(head);
        if length > 16 * 1024 * 1024 {
            tell(Seen::NoFrame { length });
            return;
        }
        let mut text = vec![0; length as usize];
        if from.read_exact(&mut text).is_err() {
            return;
        }
        let seen = serde_json::from_slice(&text).map_or(Seen::NoJson, Seen::Message);
        if !tell(seen) {
            return;
        }
    }
}

fn drain(mut from: PipeReader) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        // A flood is not kept whole.
        if bytes.len() < 4 * 1024 * 1024 {
            bytes.extend_from_slice(&buffer[..count]);
        }
    }
    bytes
}

/// Makes a data directory with a file `mode`.
pub(crate) fn data_with_mode(mode: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("misbehave-{}", std::process::id()));
    std::fs::create_dir(&path).expect("a new directory");
    let mut file = std::fs::File::create(path.join("mode")).expect("a new file");
    std::io::Write::write_all(&mut file, mode.as_bytes()).expect("it takes a line");
    path
}

pub(crate) fn remove(path: &Path) {
    std::fs::remove_file(path.join("mode")).expect("it is there");
    std::fs::remove_dir(path).expect("it is empty");
}
