//! Who is called at which hook, in load order. Made anew whenever the members change, and read without waiting.

use crate::supervise::{Binding, Member};
use std::collections::HashMap;
use std::sync::Arc;

/// The subscribers of every hook.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    hooks: HashMap<Arc<str>, Arc<[Subscriber]>>,
}

/// One extension at one hook.
#[derive(Debug, Clone)]
pub(crate) struct Subscriber {
    pub(crate) member: Arc<Member>,
    pub(crate) binding: Binding,
}

impl Tables {
    /// Makes them of the members, which come in load order.
    pub(crate) fn of(members: &[Arc<Member>]) -> Self {
        let mut hooks: HashMap<Arc<str>, Vec<Subscriber>> = HashMap::new();
        for member in members.iter().filter(|member| !member.is_over()) {
            for binding in &member.bindings {
                let subscriber = Subscriber { member: Arc::clone(member), binding: binding.clone() };
                hooks.entry(Arc::clone(&binding.hook)).or_default().push(subscriber);
            }
        }
        Self { hooks: hooks.into_iter().map(|(hook, all)| (hook, all.into())).collect() }
    }

    /// Returns the subscribers of a hook.
    pub(crate) fn of_hook(&self, hook: &str) -> Arc<[Subscriber]> {
        self.hooks.get(hook).cloned().unwrap_or_default()
    }
}
