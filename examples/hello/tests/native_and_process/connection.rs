//! The host's side of a connection. Every wait has a deadline: a watcher kills what has not ended by then.

use pintle_sdk::native::{Library, abi};
use pintle_sdk::protocol::{read_frame, write_frame};
use pintle_sdk::serve::{Ending, ServeError, serve};
use serde_json::Value;
use std::fs::File;
use std::io::{PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

const DEADLINE: Duration = Duration::from_secs(20);

pub(crate) struct Connection {
    to: Option<PipeWriter>,
    from: Receiver<Value>,
}

impl Connection {
    fn new(to: PipeWriter, mut from: PipeReader) -> Self {
        let (send, received) = channel();
        std::thread::spawn(move || {
            let mut frame = Vec::new();
            while read_frame(&mut from, &mut frame).is_ok() {
                let message = serde_json::from_slice(&frame).expect("a message is JSON");
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        Self { to: Some(to), from: received }
    }

    /// Starts the program with the connection on descriptors 3 and 4.
    pub(crate) fn process() -> (Self, Child) {
        let (program_reads, to) = std::io::pipe().expect("a pipe");
        let (from, program_writes) = std::io::pipe().expect("a pipe");
        let child = Command::new("sh")
            .args(["-c", "exec \"$0\" 3<&0 4>&1 </dev/null >&2", env!("CARGO_BIN_EXE_hello")])
            .stdin(program_reads)
            .stdout(program_writes)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the shell starts");
        (Self::new(to, from), child)
    }

    /// Opens the library and serves it on a thread.
    pub(crate) fn native() -> (Self, JoinHandle<Result<(), ServeError>>) {
        let (library_reads, to) = std::io::pipe().expect("a pipe");
        let (from, library_writes) = std::io::pipe().expect("a pipe");
        let library = open(&library_path());
        let served = std::thread::spawn(move || {
            let ends = (File::from(OwnedFd::from(library_reads)), File::from(OwnedFd::from(library_writes)));
            serve(library, ends.0, ends.1, Ending::Return)
        });
        (Self::new(to, from), served)
    }

    pub(crate) fn send(&mut self, message: &Value) {
        write_frame(self.to.as_mut().expect("not hung up"), message).expect("the extension reads");
    }

    pub(crate) fn receive(&self) -> Value {
        self.from.recv_timeout(DEADLINE).expect("the extension sends something in time")
    }

    pub(crate) fn hang_up(&mut self) {
        self.to = None;
    }
}

/// The library that cargo builds with the tests: beside the tests themselves.
fn library_path() -> PathBuf {
    let test = std::env::current_exe().expect("the test knows its place");
    test.with_file_name("libhello.so")
}

#[expect(unsafe_code, reason = "a library is opened, and its entry called")]
fn open(path: &Path) -> Library {
    // SAFETY: it is the library of this package, which has no code that runs when it is opened. It stays open: the
    // value that would close it is never dropped.
    unsafe {
        let library = std::mem::ManuallyDrop::new(libloading::Library::new(path).expect("it can be opened"));
        let entry = library
            .get::<extern "C" fn() -> *const abi::Vtable>(abi::ENTRY_SYMBOL)
            .expect("it exports the entry function");
        Library::new(entry()).expect("its table is good")
    }
}

/// Waits for the end of the program, and kills it past the deadline.
pub(crate) fn ended(child: Child) -> Output {
    let pid = child.id().to_string();
    let (send, received) = channel();
    std::thread::spawn(move || send.send(child.wait_with_output()));
    match received.recv_timeout(DEADLINE) {
        Ok(output) => output.expect("its end can be waited for"),
        Err(_) => {
            let _ = Command::new("kill").args(["-9", &pid]).status();
            panic!("the program did not end in time");
        }
    }
}

/// Runs the program as a person would, without a connection.
pub(crate) fn without_connection(mut program: Command) -> Output {
    let child = program
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    ended(child)
}
