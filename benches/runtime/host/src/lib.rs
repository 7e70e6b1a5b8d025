//! A host that embeds the loader as any other would, and what it measures. Times go out as samples, one JSON object a
//! line; what they come to is reckoned by whoever compares them with a peer's.

mod sample;
mod set;
mod hosting;
pub mod rows;

pub use hosting::{Hosted, ToolCall, call, runtime};
pub use sample::Samples;
pub use set::{Runtime, Set};
