//! The one trait that an extension implements, whichever way it is built.

use crate::context::Context;
use crate::error::Error;
use crate::hooks::Hooks;
use crate::protocol::DisposeReason;

/// An extension: one value that lives from the start of a load to its end. Its handlers may be called from several
/// threads at once, for the host can call while another handler waits for the host.
pub trait Extension: Sized + Send + Sync + 'static {
    /// Starts a load. The host is there: the context may be used. An error ends the load before it began.
    fn start(context: &Context) -> Result<Self, Error>;

    /// Names what the extension answers. Runs before [`start`](Extension::start).
    fn hooks(hooks: &mut Hooks<Self>);

    /// Lets go of what the extension holds by itself. What it holds through the host, the host takes back. Calls of the
    /// context may answer `context.stale` here.
    fn dispose(&self, context: &Context, reason: DisposeReason) {
        let _ = (context, reason);
    }
}

/// Who an extension says it is; `export!` takes it from the package that is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// Its name, as in its manifest.
    pub name: &'static str,
    /// Its version, as in its manifest.
    pub version: &'static str,
}
