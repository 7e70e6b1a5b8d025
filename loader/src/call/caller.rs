//! Who asks: one load of one extension, as a call's handler sees it.

use super::CallError;
use crate::host::Core;
use crate::ledger::{EntryId, HoldError, Kind, Undo};
use crate::slot;
use crate::supervise::Member;
use pintle_manifest::{Name, Version};
use std::path::Path;
use std::sync::Arc;

/// One load of one extension.
#[derive(Debug, Clone)]
pub struct Caller {
    pub(super) core: Arc<Core>,
    pub(super) member: Arc<Member>,
    pub(super) epoch: u64,
    pub(super) depth: u8,
}

/// Something that the host holds for an extension, and that goes when its load ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held(pub(crate) EntryId);

impl Caller {
    pub(crate) fn new(core: &Arc<Core>, member: &Arc<Member>, epoch: u64, depth: u8) -> Self {
        Self { core: Arc::clone(core), member: Arc::clone(member), epoch, depth }
    }

    /// Returns the extension's name.
    pub fn name(&self) -> &Name {
        self.member.name()
    }

    /// Returns the extension's version.
    pub fn version(&self) -> &Version {
        &self.member.bundle.manifest.version
    }

    /// Returns the directory of the extension's files.
    pub fn root(&self) -> &Path {
        &self.member.bundle.root
    }

    /// Checks that the extension's manifest declares an entry of a slot, by the contract's name for the slot.
    pub fn declares(&self, slot: &str, entry: &str) -> Result<(), CallError> {
        let contract = self.core.promise.contract();
        let declared: Vec<&str> = slot::entries_of(&self.member, contract)
            .filter(|(of, ..)| *of == slot)
            .map(|(_, entry, _)| entry)
            .collect();
        if declared.contains(&entry) {
            return Ok(());
        }
        let near = pintle_manifest::nearest(entry, declared.iter().copied());
        let near = near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
        Err(CallError::new(
            "slot.undeclared",
            format!(
                "`{}` declares no entry `{entry}` of the slot `{slot}`{near}; \
                 a table `[slots.{slot}.{entry}]` in extension.toml declares it",
                self.name()
            ),
        ))
    }

    /// Notes in the ledger that the host now holds something for the extension; `undo` is run when it is released, at the
    /// latest when the load ends. If the load is over already, `undo` is run at once.
    pub fn hold(
        &self,
        what: &str,
        key: &str,
        undo: impl FnOnce() + Send + 'static,
    ) -> Result<Held, CallError> {
        let kind = Kind::Host { what: what.to_owned(), key: key.to_owned() };
        self.keep(kind, Undo::Unlink(Box::new(undo))).map(Held)
    }

    /// Releases something that the host held for this extension. Tells whether it did.
    pub fn release(&self, held: Held) -> bool {
        match self.core.ledger.take(self.name(), held.0) {
            Some(Undo::Unlink(undo)) => {
                undo();
                true
            }
            Some(Undo::Dispose(dispose)) => {
                tokio::spawn(dispose());
                true
            }
            Some(Undo::WithInstance) => true,
            None => false,
        }
    }

    pub(super) fn keep(&self, kind: Kind, undo: Undo) -> Result<EntryId, CallError> {
        let (error, undo) = match self.core.ledger.hold(self.name(), self.epoch, kind, undo) {
            Ok(held) => return Ok(held),
            Err(refused) => refused,
        };
        match undo {
            Undo::Unlink(undo) => undo(),
            // What has to be ended is ended when it is dropped.
            Undo::Dispose(_) | Undo::WithInstance => {}
        }
        Err(match error {
            HoldError::Stale => CallError::new(
                "context.stale",
                format!(
                    "load {} of `{}` is ending, so nothing new can be held; let go of what is there, and answer `dispose`",
                    self.epoch,
                    self.name()
                ),
            ),
            HoldError::TooMany => CallError::new(
                "context.too_much",
                "too much is held at once; give something back with `release` first",
            ),
        })
    }
}
