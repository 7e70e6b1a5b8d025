//! The words of the agent contract 1.x as types: what its hooks hand over, and its calls as methods of `Context`. Fields
//! that a later minor version adds are passed over. The contract itself is the host's, and the host checks against it.

mod calls;
mod hooks;
mod returned;

pub use hooks::{
    BusMessage, CommandCall, CommandReply, OutputDelta, OutputStream, SessionEnd, SessionStart, TimerFired,
    Tool, ToolCall, ToolResult,
};
pub use returned::{
    Confirmed, Entry, FileText, LogLevel, Moment, NoticeLevel, ProcessRan, ProcessRun, Selected,
};
