//! The parts of payloads that belong to no contract: batches, entries of slots, and the way inwards of an around hook.

use crate::context::{CallError, Context};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::marker::PhantomData;

/// Several payloads of a stream hook, in order.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Batch<P> {
    /// The payloads.
    pub items: Vec<P>,
    /// How many were dropped before these, since this extension did not keep up.
    #[serde(default)]
    pub dropped: u64,
}

/// What is inside of an around hook: the extensions that wrap it more closely, and then the action itself.
#[derive(Debug)]
pub struct Next<P, R> {
    context: Context,
    types: PhantomData<fn(P) -> R>,
}

impl<P: Serialize, R: DeserializeOwned> Next<P, R> {
    pub(crate) fn new(context: Context) -> Self {
        Self { context, types: PhantomData }
    }

    /// Performs what is inside with this payload, and returns its result.
    pub fn call(&self, payload: &P) -> Result<R, CallError> {
        self.context.call("next", payload)
    }
}

/// The payload of `slot.SLOT`: which entry, and the contract's own payload.
#[derive(Deserialize)]
pub(crate) struct Invocation<'a> {
    #[serde(borrow)]
    pub(crate) entry: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) payload: &'a RawValue,
}
