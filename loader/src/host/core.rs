//! What a running host is made of, shared by everything that acts in it.

use super::busy::Busy;
use super::notice::Notice;
use crate::bus::Bus;
use crate::call::Handler;
use crate::contract::Promise;
use crate::hook::{Subscriber, Tables};
use crate::keep::Places;
use crate::ledger::{Kind, Ledger, Record, Undo};
use crate::runtime::Boxed;
use crate::slot;
use crate::supervise::Member;
use crate::trace::TraceEvent;
use pintle_manifest::Name;
use pintle_sdk::protocol::Question;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use std::time::Instant;

/// Puts a question to the person, on behalf of an extension.
pub(crate) type Person = Box<dyn Fn(Name, Question) -> Boxed<'static, bool> + Send + Sync>;
/// Says what is wrong with a payload that is to take the place of the present one.
pub(crate) type Check = Box<dyn Fn(&Value, &Value) -> Result<(), String> + Send + Sync>;
/// Is told of everything that happens.
pub(crate) type Trace = Box<dyn Fn(&TraceEvent) + Send + Sync>;
/// Is told what a host should know.
pub(crate) type Notices = Box<dyn Fn(Notice) + Send + Sync>;

/// What came of asking the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Yes,
    No,
    Nobody,
}

/// A running host.
pub(crate) struct Core {
    pub(crate) promise: Promise,
    pub(crate) ledger: Ledger,
    pub(crate) record: Option<Arc<Record>>,
    pub(crate) places: Option<Places>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) calls: BTreeMap<String, Handler>,
    /// What the host knows of replaced payloads, by hook.
    pub(crate) checks: BTreeMap<String, Check>,
    pub(crate) bus: Bus,
    /// The directory that relative paths of extensions start from.
    pub(crate) directory: PathBuf,
    pub(crate) began: Instant,
    pub(super) person: Option<Person>,
    pub(super) trace: Option<Trace>,
    pub(super) notices: Option<Notices>,
    pub(super) members: RwLock<Arc<[Arc<Member>]>>,
    pub(super) tables: RwLock<Arc<Tables>>,
    pub(super) epochs: AtomicU64,
    pub(super) running: AtomicBool,
    /// Observers that were told and did not answer yet.
    pub(super) observers: Busy,
    /// Extensions that failed, until they run again or are put away.
    pub(crate) restarts: Busy,
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core").field("members", &self.members().len()).finish_non_exhaustive()
    }
}

impl Core {
    /// Tells whether hooks fire.
    pub(crate) fn is_running(&self) -> bool {
        self.running.load(Ordering::Acquire)
    }

    /// Returns the number of the next load.
    pub(crate) fn next_epoch(&self) -> u64 {
        self.epochs.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Returns the token that marks everything one load starts, so that it can be found after the host is gone.
    pub(crate) fn scope_of(&self, name: &Name, epoch: u64) -> String {
        let host = self
            .record
            .as_ref()
            .map_or_else(|| std::process::id().to_string(), |record| record.token.clone());
        format!("{host}/{name}/{epoch}")
    }

    /// Returns the extensions, in load order.
    pub(crate) fn members(&self) -> Vec<Arc<Member>> {
        self.members.read().expect("no holder panics").to_vec()
    }

    /// Returns an extension that is not over.
    pub(crate) fn member(&self, name: &Name) -> Option<Arc<Member>> {
        let members = self.members.read().expect("no holder panics");
        members.iter().find(|member| member.name() == name && !member.is_over()).cloned()
    }

    /// Returns who is called at a hook, in load order.
    pub(crate) fn subscribers(&self, hook: &str) -> Arc<[Subscriber]> {
        self.tables.read().expect("no holder panics").of_hook(hook)
    }

    /// Makes the tables anew, after the members changed.
    pub(crate) fn rebuild(&self) {
        let members = self.members();
        let tables = Arc::new(Tables::of(&members));
        *self.tables.write().expect("no holder panics") = tables;
    }

    /// Notes in the ledger what a member holds by its manifest: hooks, and entries of slots.
    pub(crate) fn register(&self, member: &Arc<Member>, epoch: u64) {
        let name = member.name();
        for binding in &member.bindings {
            // The tables are made of members, so that a restart loses no guard in between.
            let kind = Kind::Hook { hook: binding.wire.to_string() };
            let _ = self.ledger.hold(name, epoch, kind, Undo::WithInstance);
        }
        for (slot, entry, _) in slot::entries_of(member, self.promise.contract()) {
            // So are the slots, so that a restart gives no name away.
            let kind = Kind::Slot { slot: slot.to_owned(), entry: entry.to_owned() };
            let _ = self.ledger.hold(name, epoch, kind, Undo::WithInstance);
        }
    }

    /// Puts a question to the person.
    pub(crate) async fn ask_person(&self, by: &Name, question: Question) -> Asked {
        let title = question.title.clone();
        let asked = match &self.person {
            None => Asked::Nobody,
            Some(person) => match person(by.clone(), question).await {
                true => Asked::Yes,
                false => Asked::No,
            },
        };
        let answer = match asked {
            Asked::Yes => "yes",
            Asked::No => "no",
            Asked::Nobody => "nobody",
        };
        self.trace(|| TraceEvent::Asked { extension: by.clone(), title, answer });
        asked
    }

    /// Tells the trace, if there is one.
    pub(crate) fn trace(&self, event: impl FnOnce() -> TraceEvent) {
        if let Some(trace) = &self.trace {
            trace(&event());
        }
    }

    /// Tells the host.
    pub(crate) fn tell(&self, notice: Notice) {
        if let Some(notices) = &self.notices {
            notices(notice);
        }
    }

    /// Lets an observer finish on its own, and remembers that it has not yet.
    pub(crate) fn spawn_observed(self: &Arc<Self>, answer: impl Future<Output = ()> + Send + 'static) {
        let going = self.observers.begin();
        tokio::spawn(async move {
            answer.await;
            drop(going);
        });
    }

    /// Waits until every observer that was told has answered.
    pub(crate) async fn observers(&self) {
        self.observers.rest().await;
    }

    /// Tells the trace that a hook calls one extension.
    pub(crate) fn called_one(&self, hook: &str) {
        self.trace(|| TraceEvent::Dispatch { hook: hook.to_owned(), called: 1, filtered: 0 });
    }
}
