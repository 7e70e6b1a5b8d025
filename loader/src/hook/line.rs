//! A claimed hook before and after its host starts: every dispatcher holds a line to the host, which is dead until the
//! host has started.

use super::consult::Firing;
use crate::host::Core;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

/// A line to a host.
pub(crate) struct Line<T> {
    core: Arc<OnceLock<Arc<Core>>>,
    hook: Arc<str>,
    types: PhantomData<fn(T) -> T>,
}

impl<T> Line<T> {
    pub(crate) fn new(core: Arc<OnceLock<Arc<Core>>>, hook: &str) -> Self {
        Self { core, hook: hook.into(), types: PhantomData }
    }

    /// Returns the host, once it has started.
    pub(super) fn core(&self) -> Option<&Arc<Core>> {
        self.core.get()
    }

    /// Begins a firing, if the host runs.
    pub(super) fn firing(&self) -> Option<Firing<'_>> {
        let core = self.core.get()?;
        Firing::new(core, &self.hook).filter(|firing| firing.core.is_running())
    }

    /// Begins a firing, if the host runs and anyone is bound to the hook.
    pub(super) fn heard(&self) -> Option<Firing<'_>> {
        self.firing().filter(|firing| !firing.is_idle())
    }

    /// Tells whether anyone is bound to the hook.
    pub(super) fn is_heard(&self) -> bool {
        self.core.get().is_some_and(|core| !core.subscribers(&self.hook).is_empty())
    }

    /// Returns the hook's name.
    pub(super) const fn hook(&self) -> &Arc<str> {
        &self.hook
    }
}

impl<T> Clone for Line<T> {
    fn clone(&self) -> Self {
        Self { core: Arc::clone(&self.core), hook: Arc::clone(&self.hook), types: PhantomData }
    }
}

impl<T> std::fmt::Debug for Line<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Line").field(&self.hook).finish()
    }
}
