//! A native library that does on demand what no extension should, for testing hosts: all of it happens in the worker
//! that loaded it, and must cost its host nothing. What breaks the protocol is not here; the SDK would not let it.

use pintle_sdk::agent::ToolCall;
use pintle_sdk::protocol::DisposeReason;
use pintle_sdk::{Context, Error, Extension, Guard, Hooks};
use std::hint::black_box;
use std::io::Write as _;
use std::time::Duration;

/// The extension, with the way that was chosen for it.
#[derive(Debug)]
pub struct Misbehave {
    way: String,
}

impl Extension for Misbehave {
    fn start(context: &Context) -> Result<Self, Error> {
        let way = std::fs::read_to_string(context.root().join("way")).unwrap_or_default();
        let way = way.trim().to_owned();
        match way.strip_prefix("start-") {
            Some("error") => return Err(Error::new("it does not want to start")),
            Some(way) => act(way),
            None => {}
        }
        Ok(Self { way })
    }

    fn hooks(hooks: &mut Hooks<Self>) {
        hooks.guard("tool.call", Self::on_tool_call);
    }

    fn dispose(&self, _context: &Context, _reason: DisposeReason) {
        if let Some(way) = self.way.strip_prefix("end-") {
            act(way);
        }
    }
}

impl Misbehave {
    fn on_tool_call(&self, _context: &Context, _call: ToolCall) -> Result<Guard<ToolCall>, Error> {
        if !self.way.starts_with("end-") {
            act(&self.way);
        }
        Ok(Guard::Continue)
    }
}

/// Misbehaves in one way, or not at all.
fn act(way: &str) {
    match way {
        "panic" => panic!("this is what a panic says"),
        "abort" => std::process::abort(),
        "exit" => leave(),
        "segfault" => segfault(),
        "overflow" => drop(black_box(deeper(0))),
        "hang" => hang(),
        "spin" => spin(),
        "print" => drop(std::io::stdout().write_all(b"a library prints this\n")),
        "thread" => drop(std::thread::spawn(hang)),
        "daemon" => daemon(),
        _ => {}
    }
}

fn hang() {
    loop {
        std::thread::park();
    }
}

fn spin() {
    let mut count = 0_u64;
    loop {
        count = black_box(count.wrapping_add(1));
    }
}

#[expect(clippy::disallowed_methods, reason = "leaving without a word is what this is for")]
fn leave() {
    std::process::exit(3)
}

#[expect(unsafe_code, reason = "only unsafe code crashes")]
fn segfault() {
    // SAFETY: none. Nothing is mapped at this address, and the crash is what is wanted.
    unsafe { std::ptr::without_provenance_mut::<u8>(8).write_volatile(1) };
}

/// Goes deeper until its stack is over.
#[expect(unconditional_recursion, reason = "this is what it is for")]
fn deeper(depth: u64) -> u64 {
    let room = black_box([depth; 512]);
    room[0] + deeper(depth + 1) + room[511]
}

/// Leaves a program in a session of its own, which nobody waits for.
fn daemon() {
    let left = Duration::from_secs(600).as_secs().to_string();
    let started = std::process::Command::new("setsid").args(["sleep", &left]).spawn();
    black_box(started.ok());
}

pintle_sdk::export!(Misbehave);
