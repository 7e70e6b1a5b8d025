//! A running host.

use super::core::Core;
use super::order::{Place, load_order};
use super::start;
use crate::bundle::Bundle;
use crate::dispose::{self, Disposed, Why};
use crate::ledger::Holding;
use crate::runtime::Fault;
use crate::stage::{self, Machine, Report, Stage, StageReport, Verdict};
use crate::supervise::{self, State};
use pintle_manifest::Name;
use pintle_sdk::protocol::DisposeReason;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::time::{timeout, timeout_at};

/// How long the end of a host waits for observers that have not answered yet.
const OBSERVERS: Duration = Duration::from_millis(500);

/// How much of the time of a host's end is left for what is forced.
const MARGIN: Duration = Duration::from_millis(200);

/// A running host. Dropping it ends every worker at once; [`Host::shutdown`] ends them in order.
#[derive(Debug)]
pub struct Host {
    core: Arc<Core>,
}

/// Says why the load of one extension was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// It does not run in this host.
    #[error("`{name}` does not run here")]
    NotRunning {
        /// The extension.
        name: Name,
    },
    /// The new one did not pass a stage; the old one goes on.
    #[error("the new `{}` failed at a stage, so the old one goes on", report.name)]
    NotReady {
        /// What the stages say.
        report: Box<Report>,
    },
}

impl Host {
    pub(super) const fn new(core: Arc<Core>) -> Self {
        Self { core }
    }

    /// Returns the names of the extensions that run, in load order.
    pub fn running(&self) -> Vec<Name> {
        let members = self.core.members();
        members.iter().filter(|member| member.live().is_some()).map(|member| member.name().clone()).collect()
    }

    /// Returns everything that is held, oldest first.
    pub fn holdings(&self) -> Vec<Holding> {
        self.core.ledger.holdings()
    }

    /// Returns the last lines of what an extension printed and logged.
    pub fn log(&self, name: &Name, lines: usize) -> Vec<String> {
        let members = self.core.members();
        let member = members.iter().find(|member| member.name() == name);
        member.map(|member| member.log.last(lines)).unwrap_or_default()
    }

    /// Ends an extension, since a person turned it off, and with it what needs it. Says how that went, what needs
    /// something before what it needs, within five seconds in all.
    pub async fn disable(&self, name: &Name) -> Result<Vec<Disposed>, ChangeError> {
        let since = Instant::now();
        let member = self.core.member(name).filter(|member| !member.is_over());
        if member.is_none() {
            return Err(ChangeError::NotRunning { name: name.clone() });
        }
        let leaving = self.needing(name).into_iter().map(|member| {
            let mut why = Why::ended(DisposeReason::Disable);
            if member.name() != name {
                why.words = format!("`{name}`, which it needs, was disabled");
            }
            (member, why)
        });
        let until = since + dispose::BUDGET - MARGIN;
        let mut disposed = dispose::these(&self.core, leaving.collect(), until).await;
        if disposed.iter().all(|one| one.name != *name) {
            // It failed and was being restarted, which ends now; what it held is taken back already.
            disposed.push(Disposed::nothing(name, since.elapsed()));
        }
        Ok(disposed)
    }

    /// Returns an extension and all that need it, directly or by others, in load order.
    fn needing(&self, name: &Name) -> Vec<Arc<supervise::Member>> {
        let mut ending = BTreeSet::from([name.clone()]);
        let members = self.core.members();
        let needs_one = |member: &supervise::Member, ending: &BTreeSet<Name>| {
            member.bundle.manifest.dependencies.keys().any(|need| ending.contains(need))
        };
        // What is needed comes first in load order, so one pass finds all.
        for member in members.iter() {
            if needs_one(member, &ending) {
                ending.insert(member.name().clone());
            }
        }
        members.iter().filter(|member| ending.contains(member.name())).cloned().collect()
    }

    /// Loads an extension anew: the same files again, or others. The new instance starts beside the old one, which goes
    /// on if the new one does not get ready.
    pub async fn reload(
        &self,
        bundle: Bundle,
        machine: &Machine,
    ) -> Result<(Report, Option<Disposed>), ChangeError> {
        // The end of the host waits for it.
        let _going = self.core.restarts.begin();
        if let Some(report) = start::quarantined(&start::quarantine(&self.core), &bundle) {
            return Err(ChangeError::NotReady { report: Box::new(report) });
        }
        let promise = self.core.promise.clone();
        let machine = machine.clone();
        let blocking = tokio::task::spawn_blocking(move || stage::examine(bundle, &promise, &machine));
        let (mut report, examined) = blocking.await.expect("the stages do not panic");
        let Some(examined) = examined else { return Err(ChangeError::NotReady { report: Box::new(report) }) };
        let since = Instant::now();
        let needs = &examined.bundle.manifest.dependencies;
        let missing = needs.keys().find(|need| self.core.member(need).is_none()).cloned();
        let new = Arc::new(start::member(&self.core, examined));
        let loaded = match missing {
            Some(missing) => Err(start::dependency(&missing, None)),
            None => supervise::load(&self.core, &new).await.map_err(|error| {
                let fault: Fault = supervise::start_fault(error);
                start::load_failure(&self.core, new.name(), &fault)
            }),
        };
        let live = match loaded {
            Ok(live) => live,
            Err(failure) => {
                let verdict = Verdict::Failed(failure);
                report.stages.push(StageReport { stage: Stage::Load, verdict, took: since.elapsed() });
                return Err(ChangeError::NotReady { report: Box::new(report) });
            }
        };
        report.stages.push(StageReport {
            stage: Stage::Load,
            verdict: Verdict::Passed,
            took: since.elapsed(),
        });
        self.core.register(&new, live.epoch);
        new.set(State::Ready(live.clone()));
        let old = self.swap(&new);
        if !self.core.is_running() {
            // The host ended meanwhile.
            let why = Why::ended(DisposeReason::Shutdown);
            if new.set(State::Over(why.words.clone())).is_some() {
                dispose::of_live(&self.core, &new, live, &why).await;
            }
            return Err(ChangeError::NotRunning { name: new.name().clone() });
        }
        supervise::watch(&self.core, &new, live);
        start::feed(&self.core, &new);
        let Some(old) = old else { return Ok((report, None)) };
        let reason = match old.bundle.manifest.version == new.bundle.manifest.version {
            true => DisposeReason::Reload,
            false => DisposeReason::Update,
        };
        let why = Why::ended(reason);
        let disposed = match supervise::take_down(&self.core, &old, &why.words) {
            Some(live) => Some(dispose::of_live(&self.core, &old, live, &why).await),
            None => None,
        };
        Ok((report, disposed))
    }

    /// Puts a member in the place of the one with its name, and returns that. All stand in load order afterwards.
    fn swap(&self, new: &Arc<supervise::Member>) -> Option<Arc<supervise::Member>> {
        let mut members = self.core.members.write().expect("no holder panics");
        let mut list = members.to_vec();
        let place = list.iter().position(|member| member.name() == new.name());
        let old = match place {
            Some(place) => Some(std::mem::replace(&mut list[place], Arc::clone(new))),
            None => {
                list.push(Arc::clone(new));
                None
            }
        };
        let places = list.iter().map(|member| (member.name().clone(), Place::of(&member.bundle)));
        let order = load_order(&places.collect());
        list.sort_by_key(|member| order.iter().position(|name| name == member.name()));
        *members = list.into();
        drop(members);
        self.core.rebuild();
        old
    }

    /// Emits on the bus in the host's own name; the topic becomes `host:TOPIC`.
    pub fn emit(&self, topic: &str, value: serde_json::Value) {
        self.core.bus.emit(&self.core, "host", &format!("host:{topic}"), value, 0);
    }

    /// Ends every extension, in order and within five seconds, and says how that went.
    pub async fn shutdown(&self) -> Vec<Disposed> {
        let until = Instant::now() + dispose::BUDGET;
        let _ = timeout(OBSERVERS, self.core.observers()).await;
        self.core.running.store(false, Ordering::Release);
        let why = Why::ended(DisposeReason::Shutdown);
        let reports = dispose::all(&self.core, &why, until - MARGIN).await;
        // What was being restarted ends, too.
        let _ = timeout_at(until.into(), self.core.restarts.rest()).await;
        if let Some(record) = &self.core.record {
            record.end();
        }
        reports
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.core.running.store(false, Ordering::Release);
        for member in self.core.members() {
            if let Some(live) =
                member.set(State::Over("the host ended".to_owned())).and_then(State::into_live)
            {
                live.instance.kill();
                dispose::drop_all(&self.core, member.name(), live.epoch);
            }
        }
    }
}
