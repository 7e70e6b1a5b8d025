//! The extension that the benches load: one source, a program and a library, under as many names as are asked for. What
//! it does is in the first word of its name, so that each does one thing and answers one hook.
//!
//! It takes its name from its environment, which a real extension must not: there, name and code belong together.

use pintle_sdk::native::abi::Vtable;
use pintle_sdk::native::{Exported, Loaded, vtable};
use pintle_sdk::{Batch, Context, Error, Extension, Guard, Hooks, Identity};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How many subscriptions and how many timers a holder takes, each.
const HELD: u64 = 400;
const HOUR: Duration = Duration::from_secs(3600);

/// A command that is about to run.
#[derive(Serialize, Deserialize)]
struct ToolCall {
    tool: String,
    program: String,
    argv: Vec<String>,
    cwd: String,
    line: String,
    interactive: bool,
}

/// A piece of output.
#[derive(Deserialize)]
struct Delta {
    text: String,
}

/// The extension.
pub struct Bench {
    read: AtomicU64,
}

impl Extension for Bench {
    fn start(context: &Context) -> Result<Self, Error> {
        if let Role::Holder = Role::of(context.extension()) {
            for number in 0..HELD {
                context.bus_subscribe(&format!("host:topic.{number}"))?;
                context.timer_after(HOUR, &format!("timer.{number}"))?;
            }
        }
        Ok(Self { read: AtomicU64::new(0) })
    }

    fn hooks(hooks: &mut Hooks<Self>) {
        match Role::of(name()) {
            Role::Guard | Role::Holder => hooks.guard("tool.call", Self::on_tool_call),
            Role::Reader => hooks.stream("output.delta", Self::on_deltas),
            Role::Stuck => hooks.stream("output.delta", Self::never),
        }
    }
}

impl Bench {
    fn on_tool_call(&self, _context: &Context, call: ToolCall) -> Result<Guard<ToolCall>, Error> {
        if call.program == "crash" {
            crash();
        }
        Ok(Guard::Continue)
    }

    fn on_deltas(&self, _context: &Context, batch: Batch<Delta>) -> Result<(), Error> {
        let read: usize = batch.items.iter().map(|delta| delta.text.len()).sum();
        self.read.fetch_add(u64::try_from(read)?, Ordering::Relaxed);
        Ok(())
    }

    fn never(&self, _context: &Context, _batch: Batch<Delta>) -> Result<(), Error> {
        loop {
            std::thread::park();
        }
    }
}

enum Role {
    Guard,
    Holder,
    Reader,
    Stuck,
}

impl Role {
    fn of(name: &str) -> Self {
        match name.split('-').next() {
            Some("holder") => Self::Holder,
            Some("reader") => Self::Reader,
            Some("stuck") => Self::Stuck,
            Some(_) | None => Self::Guard,
        }
    }
}

#[expect(unsafe_code, reason = "the bench measures what comes after a write to where nothing is")]
fn crash() {
    // SAFETY: none. The kernel ends this process, which is what is asked for.
    unsafe { std::ptr::without_provenance_mut::<u8>(8).write_volatile(1) };
}

#[expect(clippy::disallowed_methods, reason = "one program stands for a hundred extensions")]
fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| std::env::var("PINTLE_EXTENSION").unwrap_or_default())
}

fn identity() -> Identity {
    Identity { name: name(), version: env!("CARGO_PKG_VERSION") }
}

/// Runs it as a program.
pub fn main() {
    pintle_sdk::process::run::<Bench>(identity());
}

impl Exported for Bench {
    fn loaded() -> &'static Loaded<Self> {
        static LOADED: OnceLock<Loaded<Bench>> = OnceLock::new();
        LOADED.get_or_init(|| Loaded::new(identity()))
    }
}

static VTABLE: Vtable = vtable::<Bench>();

#[expect(unsafe_code, reason = "the name is the interface's")]
#[unsafe(no_mangle)]
extern "C" fn pintle_entry_v1() -> *const Vtable {
    &VTABLE
}
