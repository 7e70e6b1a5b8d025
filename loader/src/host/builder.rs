//! Building a host: every hook of the contract is claimed, every call answered, every slot taken. What is declared and
//! never used can't ship.

use super::core::{Check, Core, Notices, Person, Trace};
use super::notice::Notice;
use super::running::Host;
use super::start::{self, Started};
use crate::bundle::Candidate;
use crate::call::{self, CallError, Caller, Handler};
use crate::contract::Promise;
use crate::hook::{Around, Claim, Collect, Guard, Line, Observe, Stream, Transform};
use crate::keep::Places;
use crate::slot::Slot;
use crate::stage::Machine;
use crate::trace::TraceEvent;
use pintle_manifest::{Deprecation, HookKind, Name};
use pintle_sdk::protocol::Question;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// A host that is being built.
pub struct HostBuilder {
    pub(super) promise: Promise,
    pub(super) core: Arc<OnceLock<Arc<Core>>>,
    claimed: BTreeSet<String>,
    taken: BTreeSet<String>,
    pub(super) calls: BTreeMap<String, Handler>,
    pub(super) checks: BTreeMap<String, Check>,
    pub(super) places: Option<Places>,
    pub(super) environment: Vec<(OsString, OsString)>,
    pub(super) person: Option<Person>,
    pub(super) trace: Option<Trace>,
    pub(super) notices: Option<Notices>,
    pub(super) machine: Machine,
    pub(super) command: String,
    pub(super) directory: PathBuf,
}

impl std::fmt::Debug for HostBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostBuilder").field("claimed", &self.claimed).finish_non_exhaustive()
    }
}

/// Says why a host can't be built. Each is a mistake of its author.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// The contract has no such hook, call or slot.
    #[error("the contract `{contract}` has no {sort} named `{name}`")]
    Unknown {
        /// The contract.
        contract: String,
        /// What was meant to be there.
        sort: &'static str,
        /// Its name.
        name: String,
    },
    /// The hook is of another kind.
    #[error("`{hook}` is a {actual} hook, not a {asked} one")]
    Kind {
        /// The hook.
        hook: String,
        /// What it was claimed as.
        asked: &'static str,
        /// What it is.
        actual: &'static str,
    },
    /// It was claimed before; only one place fires a hook.
    #[error("the {sort} `{name}` was claimed before")]
    Twice {
        /// What it is.
        sort: &'static str,
        /// Its name.
        name: String,
    },
    /// The contract promises it, and nobody fires or answers it.
    #[error("the contract promises the {sort} `{name}`, and the host does not {verb} it")]
    Unclaimed {
        /// What it is.
        sort: &'static str,
        /// Its name.
        name: String,
        /// What the host would have to do.
        verb: &'static str,
    },
}

impl HostBuilder {
    /// Begins with a contract.
    pub fn new(promise: Promise) -> Self {
        Self {
            promise,
            core: Arc::default(),
            claimed: BTreeSet::new(),
            taken: BTreeSet::new(),
            calls: BTreeMap::new(),
            checks: BTreeMap::new(),
            places: None,
            environment: Vec::new(),
            person: None,
            trace: None,
            notices: None,
            machine: Machine {
                target: pintle_manifest::Target::current().unwrap_or(pintle_manifest::Target::ANY),
                search_path: Vec::new(),
            },
            command: String::new(),
            directory: PathBuf::from("/"),
        }
    }

    /// Claims a guard hook.
    pub fn guard<P>(&mut self, hook: &str) -> Result<Guard<P>, BuildError> {
        self.claim_hook(hook, HookKind::Guard).map(Guard)
    }

    /// Claims a transform hook.
    pub fn transform<P>(&mut self, hook: &str) -> Result<Transform<P>, BuildError> {
        self.claim_hook(hook, HookKind::Transform).map(Transform)
    }

    /// Claims a claim hook.
    pub fn claim<P, R>(&mut self, hook: &str) -> Result<Claim<P, R>, BuildError> {
        self.claim_hook(hook, HookKind::Claim).map(Claim)
    }

    /// Claims a collect hook.
    pub fn collect<P, I>(&mut self, hook: &str) -> Result<Collect<P, I>, BuildError> {
        self.claim_hook(hook, HookKind::Collect).map(Collect)
    }

    /// Claims an around hook.
    pub fn around<P, R>(&mut self, hook: &str) -> Result<Around<P, R>, BuildError> {
        self.claim_hook(hook, HookKind::Around).map(Around)
    }

    /// Claims an observe hook.
    pub fn observe<P>(&mut self, hook: &str) -> Result<Observe<P>, BuildError> {
        self.claim_hook(hook, HookKind::Observe).map(Observe)
    }

    /// Claims a stream hook.
    pub fn stream<P>(&mut self, hook: &str) -> Result<Stream<P>, BuildError> {
        self.claim_hook(hook, HookKind::Stream).map(Stream::new)
    }

    /// Adds what the host knows, beyond the contract's types, of a payload that an extension may put in the place of
    /// another: `check` gets the present payload and the new one, and says what is wrong. Then that is a fault of the
    /// extension that changed it, as any answer that is not valid.
    pub fn check<P: DeserializeOwned>(
        &mut self,
        hook: &str,
        check: impl Fn(P, P) -> Result<(), String> + Send + Sync + 'static,
    ) -> Result<&mut Self, BuildError> {
        if self.promise.hook(hook).is_none() {
            return Err(self.unknown("hook", hook));
        }
        let typed = |value: &serde_json::Value| {
            P::deserialize(value).map_err(|error| format!("it is not what the host reads: {error}"))
        };
        let check: Check = Box::new(move |present, wanted| check(typed(present)?, typed(wanted)?));
        match self.checks.insert(hook.to_owned(), check) {
            None => Ok(self),
            Some(_) => Err(BuildError::Twice { sort: "check of the hook", name: hook.to_owned() }),
        }
    }

    /// Takes a slot.
    pub fn slot(&mut self, slot: &str) -> Result<Slot, BuildError> {
        if !self.promise.contract().slots.contains_key(slot) {
            return Err(self.unknown("slot", slot));
        }
        match self.taken.insert(slot.to_owned()) {
            true => Ok(Slot::new(Arc::clone(&self.core), slot)),
            false => Err(BuildError::Twice { sort: "slot", name: slot.to_owned() }),
        }
    }

    /// Answers a call. The arguments were checked against the contract before, and the permission too.
    pub fn answer<A, R, F, T>(&mut self, name: &str, handler: F) -> Result<&mut Self, BuildError>
    where
        A: DeserializeOwned + Send + 'static,
        R: Serialize + 'static,
        F: Fn(Caller, A) -> T + Send + Sync + 'static,
        T: Future<Output = Result<R, CallError>> + Send + 'static,
    {
        if !self.promise.contract().calls.contains_key(name) {
            return Err(self.unknown("call", name));
        }
        match self.calls.insert(name.to_owned(), call::handler(handler)) {
            None => Ok(self),
            Some(_) => Err(BuildError::Twice { sort: "call", name: name.to_owned() }),
        }
    }

    /// Names the directories in which the host keeps its state, its ledger and what extensions store. Without them
    /// nothing outlives the host.
    pub fn places(&mut self, places: Places) -> &mut Self {
        self.places = Some(places);
        self
    }

    /// Names the environment that extensions get. It is all they get.
    pub fn environment(&mut self, environment: Vec<(OsString, OsString)>) -> &mut Self {
        let path = environment.iter().find(|(key, _)| key == "PATH").map(|(_, path)| path.clone());
        self.machine.search_path = path.iter().flat_map(std::env::split_paths).collect();
        self.environment = environment;
        self
    }

    /// Names the directory that relative paths in what extensions ask for start from.
    pub fn directory(&mut self, directory: PathBuf) -> &mut Self {
        self.directory = directory;
        self
    }

    /// Names the command that this host is, for those who look at the ledger.
    pub fn command(&mut self, command: impl Into<String>) -> &mut Self {
        self.command = command.into();
        self
    }

    /// Puts questions of guards to the person. Without it there is nobody to ask, and what would be asked is blocked.
    pub fn person<F, T>(&mut self, person: F) -> &mut Self
    where
        F: Fn(Name, Question) -> T + Send + Sync + 'static,
        T: Future<Output = bool> + Send + 'static,
    {
        self.person = Some(Box::new(move |by, question| Box::pin(person(by, question))));
        self
    }

    /// Is told of every dispatch, outcome, fault and duration.
    pub fn trace(&mut self, trace: impl Fn(&TraceEvent) + Send + Sync + 'static) -> &mut Self {
        self.trace = Some(Box::new(trace));
        self
    }

    /// Is told what a host should know.
    pub fn notices(&mut self, notices: impl Fn(Notice) + Send + Sync + 'static) -> &mut Self {
        self.notices = Some(Box::new(notices));
        self
    }

    /// Takes the set through the stages and starts what passes them. An extension that fails costs nobody else
    /// anything; a host that does not keep what its contract promises is refused.
    ///
    /// Must be awaited within a tokio runtime with time and I/O enabled, like everything else that a host does.
    pub async fn start(mut self, set: Vec<Candidate>) -> Result<Started, BuildError> {
        self.check_complete()?;
        Ok(start::start(self, set).await)
    }

    /// Starts without any extension: nothing of any extension is read, and nothing is kept.
    pub fn start_without_extensions(mut self) -> Result<Host, BuildError> {
        self.check_complete()?;
        self.places = None;
        Ok(start::empty(self))
    }

    fn claim_hook<T>(&mut self, name: &str, kind: HookKind) -> Result<Line<T>, BuildError> {
        let Some(hook) = self.promise.hook(name) else { return Err(self.unknown("hook", name)) };
        if hook.kind != kind {
            let (asked, actual) = (kind.as_str(), hook.kind.as_str());
            return Err(BuildError::Kind { hook: name.to_owned(), asked, actual });
        }
        match self.claimed.insert(name.to_owned()) {
            true => Ok(Line::new(Arc::clone(&self.core), name)),
            false => Err(BuildError::Twice { sort: "hook", name: name.to_owned() }),
        }
    }

    fn check_complete(&mut self) -> Result<(), BuildError> {
        let contract = self.promise.contract().clone();
        let is_alias = |deprecated: &Option<Deprecation>| deprecated.as_ref().is_some_and(|old| old.alias);
        let unclaimed = |sort, name: &String, verb| BuildError::Unclaimed { sort, name: name.clone(), verb };
        let hooks = contract.hooks.iter().filter(|(_, hook)| !is_alias(&hook.deprecated));
        if let Some((name, _)) = hooks.into_iter().find(|(name, _)| !self.claimed.contains(*name)) {
            return Err(unclaimed("hook", name, "fire"));
        }
        let slots = contract.slots.iter().filter(|(_, slot)| !is_alias(&slot.deprecated));
        if let Some((name, _)) = slots.into_iter().find(|(name, _)| !self.taken.contains(*name)) {
            return Err(unclaimed("slot", name, "read"));
        }
        for (name, described) in &contract.calls {
            if is_alias(&described.deprecated) || self.calls.contains_key(name) {
                continue;
            }
            match call::standard(name) {
                Some(handler) => drop(self.calls.insert(name.clone(), handler)),
                None => return Err(unclaimed("call", name, "answer")),
            }
        }
        Ok(())
    }

    fn unknown(&self, sort: &'static str, name: &str) -> BuildError {
        let contract = self.promise.contract().name.to_string();
        BuildError::Unknown { contract, sort, name: name.to_owned() }
    }
}
