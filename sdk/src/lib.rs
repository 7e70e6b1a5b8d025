//! What an author of extensions links: the wire protocol and one trait for every runtime. It knows no registry, no
//! manifest and no contract but the typed words in [`agent`].
//!
//! An extension is a type that implements [`Extension`], and [`export!`] makes a program or a library of it. A handler
//! returns the outcome of its hook's kind, so a guard that returns a transform's outcome does not compile.
//!
//! ```
//! use pintle_sdk::agent::ToolCall;
//! use pintle_sdk::{Context, Error, Extension, Guard, Hooks};
//!
//! struct Careful;
//!
//! impl Extension for Careful {
//!     fn start(_context: &Context) -> Result<Self, Error> {
//!         Ok(Self)
//!     }
//!     fn hooks(hooks: &mut Hooks<Self>) {
//!         hooks.guard("tool.call", Self::on_tool_call);
//!     }
//! }
//!
//! impl Careful {
//!     fn on_tool_call(&self, _context: &Context, call: ToolCall) -> Result<Guard<ToolCall>, Error> {
//!         Ok(match call.program.as_str() {
//!             "shutdown" => Guard::Block("not on this machine".to_owned()),
//!             _ => Guard::Continue,
//!         })
//!     }
//! }
//! ```

pub mod protocol;
mod error;
mod extension;
mod outcome;
mod hooks;
mod context;
pub mod agent;
pub mod serve;
pub mod native;
pub mod process;
mod export;

pub use context::{CallError, Context};
pub use error::Error;
pub use extension::{Extension, Identity};
pub use hooks::{Batch, Hooks, Next};
pub use outcome::{Around, Claim, Collect, Guard, Transform};
pub use protocol::{DisposeReason, Question};
