//! What an extension answers, by name. The kind of a hook is the method it is registered with, and that method takes
//! only handlers that return this kind's outcome.

mod payload;
mod table;

pub(crate) use payload::Invocation;
pub use payload::{Batch, Next};
pub(crate) use table::{Handler, Table};

use crate::agent::{BusMessage, CommandCall, CommandReply, TimerFired};
use crate::context::Context;
use crate::error::Error;
use crate::outcome::{Around, Claim, Collect, Guard, Transform};
use crate::protocol::Answer;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The handlers of an extension. Registering one name twice is a mistake, and the extension then does not start.
///
/// A handler returns the outcomes of its kind:
///
/// ```
/// use pintle_sdk::{Guard, Hooks, Transform, agent::ToolCall};
///
/// fn register<E: 'static>(hooks: &mut Hooks<E>) {
///     hooks.guard("tool.call", |_, _, _: ToolCall| Ok(Guard::<ToolCall>::Block("no".to_owned())));
/// }
/// ```
///
/// Those of another kind do not compile:
///
/// ```compile_fail,E0308
/// use pintle_sdk::{Guard, Hooks, Transform, agent::ToolCall};
///
/// fn register<E: 'static>(hooks: &mut Hooks<E>) {
///     hooks.guard("tool.call", |_, _, _: ToolCall| Ok(Transform::<ToolCall>::Continue));
/// }
/// ```
pub struct Hooks<E> {
    table: Table<E>,
}

impl<E: 'static> Hooks<E> {
    pub(crate) fn new() -> Self {
        Self { table: Table::new() }
    }

    pub(crate) fn into_table(self) -> Table<E> {
        self.table
    }

    /// Answers a guard: may this happen?
    pub fn guard<P, R, F>(&mut self, hook: &str, handler: F)
    where
        P: DeserializeOwned,
        R: Serialize,
        F: Fn(&E, &Context, P) -> Result<Guard<R>, Error> + Send + Sync + 'static,
    {
        self.table.hook(hook, answering(handler));
    }

    /// Answers a transform: shall this change?
    pub fn transform<P, R, F>(&mut self, hook: &str, handler: F)
    where
        P: DeserializeOwned,
        R: Serialize,
        F: Fn(&E, &Context, P) -> Result<Transform<R>, Error> + Send + Sync + 'static,
    {
        self.table.hook(hook, answering(handler));
    }

    /// Answers a claim: will someone take this?
    pub fn claim<P, Q, R, F>(&mut self, hook: &str, handler: F)
    where
        P: DeserializeOwned,
        Q: Serialize,
        R: Serialize,
        F: Fn(&E, &Context, P) -> Result<Claim<Q, R>, Error> + Send + Sync + 'static,
    {
        self.table.hook(hook, answering(handler));
    }

    /// Answers a collect: what do you add?
    pub fn collect<P, I, F>(&mut self, hook: &str, handler: F)
    where
        P: DeserializeOwned,
        I: Serialize,
        F: Fn(&E, &Context, P) -> Result<Collect<I>, Error> + Send + Sync + 'static,
    {
        self.table.hook(hook, answering(handler));
    }

    /// Wraps an action: `next` performs what is inside, once at most.
    pub fn around<P, R, F>(&mut self, hook: &str, handler: F)
    where
        P: DeserializeOwned + Serialize + 'static,
        R: DeserializeOwned + Serialize + 'static,
        F: Fn(&E, &Context, P, Next<P, R>) -> Result<Around<R>, Error> + Send + Sync + 'static,
    {
        let handler = move |extension: &E, context: &Context, payload: P| {
            handler(extension, context, payload, Next::new(context.clone()))
        };
        self.table.hook(hook, answering(handler));
    }

    /// Is told of something, and answers nothing.
    pub fn observe<P, F>(&mut self, hook: &str, handler: F)
    where
        P: DeserializeOwned,
        F: Fn(&E, &Context, P) -> Result<(), Error> + Send + Sync + 'static,
    {
        self.table.hook(hook, seeing(handler));
    }

    /// Is told of very many things, several at a time.
    pub fn stream<P, F>(&mut self, hook: &str, handler: F)
    where
        P: DeserializeOwned,
        F: Fn(&E, &Context, Batch<P>) -> Result<(), Error> + Send + Sync + 'static,
    {
        self.table.hook(hook, seeing(handler));
    }

    /// Answers for an entry of a slot, which the manifest declares as `[slots.SLOT.ENTRY]`.
    pub fn slot<P, R, F>(&mut self, slot: &str, entry: &str, handler: F)
    where
        P: DeserializeOwned,
        R: Serialize,
        F: Fn(&E, &Context, P) -> Result<R, Error> + Send + Sync + 'static,
    {
        let handler = move |extension: &E, context: &Context, payload: P| {
            handler(extension, context, payload).map(Around)
        };
        self.table.slot(slot, entry, answering(handler));
    }

    /// Answers a command, which the manifest declares as `[slots.command.NAME]`.
    pub fn command<F>(&mut self, name: &str, handler: F)
    where
        F: Fn(&E, &Context, CommandCall) -> Result<CommandReply, Error> + Send + Sync + 'static,
    {
        self.slot("command", name, handler);
    }

    /// Is told what arrives on the topics that were subscribed to with `Context::bus_subscribe`.
    pub fn bus<F>(&mut self, handler: F)
    where
        F: Fn(&E, &Context, BusMessage) -> Result<(), Error> + Send + Sync + 'static,
    {
        self.table.hook("bus", seeing(handler));
    }

    /// Is told when a timer of `Context::timer_after` has run down.
    pub fn timer<F>(&mut self, handler: F)
    where
        F: Fn(&E, &Context, TimerFired) -> Result<(), Error> + Send + Sync + 'static,
    {
        self.table.hook("timer", seeing(handler));
    }
}

/// Makes a handler of a function: the payload in, its outcome out as JSON.
fn answering<E, P, R, F>(handler: F) -> Handler<E>
where
    P: DeserializeOwned,
    R: Serialize,
    F: Fn(&E, &Context, P) -> Result<R, Error> + Send + Sync + 'static,
{
    Box::new(move |extension, context, payload, answer| {
        let payload = serde_json::from_str(payload).map_err(|error| {
            Error::new(format!("the payload is not what this extension expects: {error}"))
        })?;
        let outcome = handler(extension, context, payload)?;
        serde_json::to_writer(answer, &outcome)
            .map_err(|error| Error::new(format!("the outcome can't be written as JSON: {error}")))
    })
}

/// Makes a handler of a function that answers nothing.
fn seeing<E, P, F>(handler: F) -> Handler<E>
where
    P: DeserializeOwned,
    F: Fn(&E, &Context, P) -> Result<(), Error> + Send + Sync + 'static,
{
    answering(move |extension, context, payload| {
        handler(extension, context, payload).map(|()| Answer::Continue)
    })
}
