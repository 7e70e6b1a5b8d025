//! The smallest extension that does a bit of everything: a guard that lets all pass, a status line, and a command that
//! greets. This one source is built as a program and as a native library.

use pintle_sdk::agent::{CommandCall, CommandReply, SessionStart, ToolCall};
use pintle_sdk::{Context, Error, Extension, Guard, Hooks};
use std::sync::atomic::{AtomicU64, Ordering};

/// The extension, with what it remembers of this load.
pub struct Hello {
    seen: AtomicU64,
}

impl Extension for Hello {
    fn start(_context: &Context) -> Result<Self, Error> {
        Ok(Self { seen: AtomicU64::new(0) })
    }

    fn hooks(hooks: &mut Hooks<Self>) {
        hooks.observe("session.start", Self::on_session_start);
        hooks.guard("tool.call", Self::on_tool_call);
        hooks.command("hello", Self::greet);
    }
}

impl Hello {
    fn on_session_start(&self, context: &Context, _session: SessionStart) -> Result<(), Error> {
        Ok(context.status("hello", Some("hello is here"))?)
    }

    fn on_tool_call(&self, _context: &Context, _call: ToolCall) -> Result<Guard<ToolCall>, Error> {
        self.seen.fetch_add(1, Ordering::Relaxed);
        Ok(Guard::Continue)
    }

    fn greet(&self, context: &Context, call: CommandCall) -> Result<CommandReply, Error> {
        let name = match call.args.as_slice() {
            [] => "you".to_owned(),
            names => names.join(" "),
        };
        let seen = self.seen.load(Ordering::Relaxed);
        Ok(CommandReply::text(format!("hello, {name}: {} saw {seen} commands\n", context.extension())))
    }
}

pintle_sdk::export!(Hello);
