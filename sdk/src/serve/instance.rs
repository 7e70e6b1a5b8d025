//! An extension as a backend. A panic of a handler becomes a fault, and the extension goes on.

use super::backend::{Backend, Host};
use super::incoming::CallText;
use crate::context::Context;
use crate::error::Error;
use crate::extension::{Extension, Identity};
use crate::hooks::{Hooks, Table};
use crate::protocol::{CallId, Dispose, Hello, Ready, VERSION};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// One load of an extension, before and after its start.
pub struct Instance<E> {
    identity: Identity,
    loaded: OnceLock<Loaded<E>>,
}

struct Loaded<E> {
    extension: E,
    table: Table<E>,
    context: Context,
}

impl<E: Extension> Instance<E> {
    /// Makes one that is not started.
    pub const fn new(identity: Identity) -> Self {
        Self { identity, loaded: OnceLock::new() }
    }
}

impl<E: Extension> Backend for Instance<E> {
    fn start(&self, hello: &str, host: Host) -> Result<String, String> {
        let hello: Hello =
            serde_json::from_str(hello).map_err(|error| format!("the `hello` can't be read: {error}"))?;
        if hello.protocol < VERSION {
            return Err(format!(
                "the host speaks version {} of the protocol, and this extension needs {VERSION}",
                hello.protocol
            ));
        }
        let context = Context::new(hello, host.link);
        let (extension, table) = contained(|| {
            let mut hooks = Hooks::new();
            E::hooks(&mut hooks);
            let table = hooks.into_table();
            match table.problem() {
                Some(problem) => Err(Error::new(problem)),
                None => E::start(&context).map(|extension| (extension, table)),
            }
        })?;
        let ready = Ready {
            protocol: VERSION,
            extension: self.identity.name.to_owned(),
            version: self.identity.version.to_owned(),
            hooks: table.hooks(),
        };
        if self.loaded.set(Loaded { extension, table, context }).is_err() {
            return Err("the extension was started before".to_owned());
        }
        Ok(serde_json::to_string(&ready).expect("a `Ready` is made of texts"))
    }

    fn call(&self, call: &CallText<'_>, answer: &mut Vec<u8>) -> Result<(), String> {
        let loaded = self.loaded.get().ok_or_else(|| "the extension is not started".to_owned())?;
        let context = loaded.context.of_call(call.id);
        contained(|| loaded.table.answer(&loaded.extension, &context, &call.hook, call.payload, answer))
    }

    /// A handler that wants to know asks its context, so there is nothing to tell it.
    fn cancel(&self, _call: CallId) {}

    fn dispose(&self, dispose: &str) {
        let (Some(loaded), Ok(dispose)) = (self.loaded.get(), serde_json::from_str::<Dispose>(dispose))
        else {
            return;
        };
        // What a disposal panics with went to the log already, and the end is near whatever it was.
        let _ = contained(|| {
            loaded.extension.dispose(&loaded.context, dispose.reason);
            Ok(())
        });
    }
}

fn contained<T>(run: impl FnOnce() -> Result<T, Error>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(error.to_string()),
        Err(panic) => Err(format!("the extension panicked: {}", words(panic.as_ref()))),
    }
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without words")
}
