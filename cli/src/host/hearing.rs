//! What a host is told of its extensions, said at the right moment: not over a screen that a command has, and not a
//! second time where a failure says it.

use super::say;
use crate::ui::Ui;
use pintle_loader::Notice;
use pintle_loader::hook::Blocked;
use pintle_manifest::Name;
use std::sync::{Arc, Mutex};

/// How many notices are held back at most; those after them are said at once.
const MOST: usize = 1000;

/// Hears what a host is told.
#[derive(Debug)]
pub(crate) struct Hearing {
    ui: Ui,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// What is said later, while something is held back.
    held: Option<Vec<Notice>>,
    /// Who put another payload in the place of the one that a guard was asked about.
    changed_by: Vec<Name>,
    /// What a failure says anyway.
    told: Option<Blocked>,
}

impl Hearing {
    pub(crate) fn new(ui: &Ui) -> Arc<Self> {
        Arc::new(Self { ui: ui.clone(), inner: Mutex::default() })
    }

    /// Hears one notice.
    pub(super) fn hear(&self, notice: Notice) {
        let mut inner = self.inner.lock().expect("no holder panics");
        if let Notice::Replaced { name, .. } = notice {
            if !inner.changed_by.contains(&name) {
                inner.changed_by.push(name);
            }
            return;
        }
        match &mut inner.held {
            Some(held) if held.len() < MOST => held.push(notice),
            Some(_) | None => inner.say(&self.ui, &notice),
        }
    }

    /// Holds everything back from here on.
    pub(crate) fn hold(&self) {
        self.inner.lock().expect("no holder panics").held.get_or_insert_default();
    }

    /// Says what was held back, but for the fault that `blocked` tells of, now and later.
    pub(crate) fn release(&self, blocked: Option<&Blocked>) {
        let mut inner = self.inner.lock().expect("no holder panics");
        if blocked.is_some() {
            inner.told = blocked.cloned();
        }
        for notice in inner.held.take().unwrap_or_default() {
            inner.say(&self.ui, &notice);
        }
    }

    /// Returns who changed what guards were asked about.
    pub(crate) fn changed_by(&self) -> Vec<Name> {
        self.inner.lock().expect("no holder panics").changed_by.clone()
    }
}

impl Inner {
    fn say(&self, ui: &Ui, notice: &Notice) {
        if !self.told.as_ref().is_some_and(|told| tells_of(told, notice)) {
            say::tell(ui, notice);
        }
    }
}

/// Tells whether a block says the same as a notice. Its reason may be cut.
fn tells_of(told: &Blocked, notice: &Notice) -> bool {
    let Notice::Fault { name, fault } = notice else { return false };
    let is_same = told.by.as_ref() == Some(name) && told.code == fault.code();
    is_same && fault.to_string().starts_with(&told.reason)
}
