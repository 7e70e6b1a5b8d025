//! @NAME@: holds commands that have a certain word in them, and says how many it has seen.

use pintle_sdk::agent::{CommandCall, CommandReply, LogLevel, ToolCall};
use pintle_sdk::{Context, Error, Extension, Guard, Hooks};
use std::sync::atomic::{AtomicU64, Ordering};

const WORD: &str = "forbidden";

/// The extension, with what it remembers while it runs. Its handlers may be called from several threads at once.
#[derive(Default)]
struct Watch {
    seen: AtomicU64,
    held: AtomicU64,
}

impl Extension for Watch {
    fn start(_context: &Context) -> Result<Self, Error> {
        Ok(Self::default())
    }

    /// Each hook of `extension.toml`, and each `[slots.command.NAME]`.
    fn hooks(hooks: &mut Hooks<Self>) {
        hooks.guard("tool.call", Self::on_tool_call);
        hooks.command("@NAME@", Self::on_command);
    }
}

impl Watch {
    /// Asked before a command runs. An error blocks, so a mistake lets nothing through.
    fn on_tool_call(&self, context: &Context, call: ToolCall) -> Result<Guard<ToolCall>, Error> {
        self.seen.fetch_add(1, Ordering::Relaxed);
        if !call.line.split_whitespace().any(|word| word == WORD) {
            return Ok(Guard::Continue);
        }
        self.held.fetch_add(1, Ordering::Relaxed);
        context.log(LogLevel::Warning, &format!("held: {}", call.line))?;
        Ok(Guard::Block(format!("`{WORD}` is in it")))
    }

    /// The command `@NAME@`; `call.args` is what was written after its name.
    fn on_command(&self, _context: &Context, _call: CommandCall) -> Result<CommandReply, Error> {
        let (seen, held) = (self.seen.load(Ordering::Relaxed), self.held.load(Ordering::Relaxed));
        Ok(CommandReply::text(format!("{seen} looked at, {held} held\n")))
    }
}

pintle_sdk::export!(Watch);
