//! A host of tests: the contract `yard` with everything claimed, in a folder of its own, and all that it says kept.

use crate::extension::{Extension, candidates};
use crate::kit::{PATIENCE, alive, lines, until_shown, write};
use pintle_loader::call::CallError;
use pintle_loader::hook::{Around, Blocked, Claim, Collect, Guard, Observe, Stream, Transform, Verdict};
use pintle_loader::keep::Places;
use pintle_loader::ledger::Holding;
use pintle_loader::slot::Slot;
use pintle_loader::stage::{Machine, Report};
use pintle_loader::trace::TraceEvent;
use pintle_loader::{Bundle, Candidate, Host, HostBuilder, Notice, Promise, Started};
use pintle_manifest::{Contract, Name, Target};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use tokio::sync::{Notify, Semaphore};

/// The contract of the host.
pub(crate) const CONTRACT: &str = include_str!("contract.toml");

/// A folder with extensions, and the home of hosts.
pub(crate) struct Yard {
    path: PathBuf,
    pub(crate) out: PathBuf,
    /// Removes it, if it is this process's own.
    _dir: Option<TempDir>,
}

impl Yard {
    pub(crate) fn new() -> Self {
        // A space, since that is where others broke.
        let dir = tempfile::Builder::new().prefix("a yard ").tempdir().unwrap();
        let path = dir.path().to_owned();
        Self { out: path.join("out"), path, _dir: Some(dir) }
    }

    /// Returns the folder of another process.
    pub(crate) fn of(path: &Path) -> Self {
        Self { out: path.join("out"), path: path.to_owned(), _dir: None }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn places(&self) -> Places {
        Places::below(&self.path().join("home"))
    }

    /// Returns what the extensions noted, in order.
    pub(crate) fn noted(&self) -> Vec<String> {
        lines(&self.out)
    }

    /// Waits until the extensions noted so much, and returns it.
    pub(crate) async fn noted_at_least(&self, count: usize) -> Vec<String> {
        let look = || match self.noted() {
            noted if noted.len() >= count => Ok(()),
            noted => Err(format!("{noted:#?}")),
        };
        until_shown(&format!("{count} lines were noted"), look).await;
        self.noted()
    }

    /// Returns a path for a file that a test makes to let an extension go on.
    pub(crate) fn gate(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub(crate) fn open(&self, name: &str) {
        write(&self.gate(name), "");
    }

    pub(crate) fn bundle(&self, extension: &Extension) -> Bundle {
        extension.bundle(self.path(), &self.out)
    }

    pub(crate) async fn start(&self, extensions: &[Extension]) -> Running {
        self.start_bundles(extensions.iter().map(|one| self.bundle(one)).collect()).await
    }

    pub(crate) async fn start_bundles(&self, bundles: Vec<Bundle>) -> Running {
        self.start_set(candidates(bundles), None).await
    }

    /// Starts a host with this set. `person` answers every question, if there is one.
    pub(crate) async fn start_set(&self, set: Vec<Candidate>, person: Option<bool>) -> Running {
        let (builder, mut running) = self.builder(person);
        let Started { host, reports } = builder.start(set).await.unwrap();
        running.host = Some(host);
        running.reports = reports;
        running
    }

    /// Returns a builder with everything claimed.
    pub(crate) fn builder(&self, person: Option<bool>) -> (HostBuilder, Running) {
        let promise = Promise::compile(contract()).unwrap();
        let mut builder = HostBuilder::new(promise);
        let heard = Arc::new(Heard::default());
        let hooks = claim(&mut builder);
        answer(&mut builder, &heard);
        builder.places(self.places()).command("a test").directory(self.path().to_owned());
        builder.environment(vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())]);
        let told = Arc::clone(&heard);
        builder.notices(move |notice| told.notices.lock().unwrap().push(notice));
        let told = Arc::clone(&heard);
        builder.trace(move |event| told.events.lock().unwrap().push(event.clone()));
        if let Some(yes) = person {
            let told = Arc::clone(&heard);
            builder.person(move |by, question| {
                told.questions.lock().unwrap().push(format!("{by}: {}", question.title));
                async move { yes }
            });
        }
        (builder, Running { host: None, reports: Vec::new(), hooks, heard })
    }
}

/// Reads the contract.
pub(crate) fn contract() -> Contract {
    Contract::parse(CONTRACT).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// Everything that the host of a test can fire, and its slots.
#[derive(Clone)]
pub(crate) struct Hooks {
    pub(crate) ask: Guard<Value>,
    pub(crate) hasty: Guard<Value>,
    pub(crate) shape: Transform<Value>,
    pub(crate) take: Claim<Value, Value>,
    pub(crate) add: Collect<Value, Value>,
    pub(crate) wrap: Around<Value, Value>,
    pub(crate) pass: Around<Value, Value>,
    pub(crate) seen: Observe<Value>,
    pub(crate) flow: Stream<Value>,
    pub(crate) latest: Stream<Value>,
    pub(crate) strict: Stream<Value>,
    pub(crate) slots: Vec<Slot>,
}

fn claim(builder: &mut HostBuilder) -> Hooks {
    let slots = ["first", "last", "suffix", "reject", "owned"].map(|slot| builder.slot(slot).unwrap());
    Hooks {
        ask: builder.guard("ask").unwrap(),
        hasty: builder.guard("hasty").unwrap(),
        shape: builder.transform("shape").unwrap(),
        take: builder.claim("take").unwrap(),
        add: builder.collect("add").unwrap(),
        wrap: builder.around("wrap").unwrap(),
        pass: builder.around("pass").unwrap(),
        seen: builder.observe("seen").unwrap(),
        flow: builder.stream("flow").unwrap(),
        latest: builder.stream("latest").unwrap(),
        strict: builder.stream("strict").unwrap(),
        slots: slots.to_vec(),
    }
}

/// Answers the calls that are this host's own.
fn answer(builder: &mut HostBuilder, heard: &Arc<Heard>) {
    let told = Arc::clone(heard);
    let choose = move |_, _: Value| {
        let told = Arc::clone(&told);
        async move {
            told.asked.add_permits(1);
            told.chosen.notified().await;
            Ok::<Value, CallError>(json!({}))
        }
    };
    builder.answer("choose", choose).unwrap();
    let told = Arc::clone(heard);
    let hang = move |caller: pintle_loader::call::Caller, arguments: Value| {
        let told = Arc::clone(&told);
        async move {
            let key = arguments["key"].as_str().unwrap_or_default().to_owned();
            let name = caller.name().clone();
            told.hung.lock().unwrap().push(key.clone());
            let (list, gone) = (Arc::clone(&told), key.clone());
            let undo = move || list.taken_down.lock().unwrap().push(format!("{name} {gone}"));
            caller.hold("picture", &key, undo)?;
            Ok::<Value, CallError>(json!({}))
        }
    };
    builder.answer("hang", hang).unwrap();
}

/// What the host of a test was told.
#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) notices: Mutex<Vec<Notice>>,
    pub(crate) events: Mutex<Vec<TraceEvent>>,
    pub(crate) questions: Mutex<Vec<String>>,
    /// What was hung up with the call `hang`, and what was taken down again.
    pub(crate) hung: Mutex<Vec<String>>,
    pub(crate) taken_down: Mutex<Vec<String>>,
    /// Lets the call `choose` return.
    pub(crate) chosen: Notify,
    asked: AskedCount,
}

struct AskedCount(Semaphore);

impl Default for AskedCount {
    fn default() -> Self {
        Self(Semaphore::new(0))
    }
}

impl AskedCount {
    fn add_permits(&self, count: usize) {
        self.0.add_permits(count);
    }
}

/// A running host of a test.
pub(crate) struct Running {
    pub(crate) host: Option<Host>,
    pub(crate) reports: Vec<Report>,
    pub(crate) hooks: Hooks,
    pub(crate) heard: Arc<Heard>,
}

impl Running {
    pub(crate) fn host(&self) -> &Host {
        self.host.as_ref().unwrap()
    }

    pub(crate) fn slot(&self, name: &str) -> &Slot {
        let place = ["first", "last", "suffix", "reject", "owned"].iter().position(|slot| *slot == name);
        &self.hooks.slots[place.unwrap()]
    }

    /// Fails if an extension does not run.
    #[track_caller]
    pub(crate) fn all_ready(self) -> Self {
        for report in &self.reports {
            assert!(report.is_ready(), "{report:#?}");
        }
        self
    }

    /// Returns stage, code and message of the failure of an extension.
    #[track_caller]
    pub(crate) fn failure(&self, name: &str) -> (&'static str, &'static str, String) {
        let report =
            self.reports.iter().find(|report| report.name.as_str() == name).expect("it has a report");
        let (stage, failure) = report.failure().unwrap_or_else(|| panic!("it did not fail: {report:#?}"));
        (stage.as_str(), failure.code, failure.message.clone())
    }

    /// Asks the guards, with what each extension is to do.
    pub(crate) async fn guard(&self, acts: Value) -> Verdict<Value> {
        self.hooks.ask.ask(thing(acts)).await
    }

    /// Asks the guards, and returns by whom and with which code and reason it was blocked; `None` if it was not.
    pub(crate) async fn blocked(&self, acts: Value) -> Option<(String, String, String)> {
        match self.guard(acts).await {
            Verdict::Continue(_) => None,
            Verdict::Block(blocked) => Some(told(blocked)),
        }
    }

    /// Lets one extension ask something of the host in a guard, and returns the reply.
    pub(crate) async fn reply(&self, name: &str, call: &str, arguments: Value) -> Value {
        let call = json!({ "call": call, "arguments": arguments });
        let (_, _, reply) =
            self.blocked(json!({ name: [{ "call": call }, { "block_last": true }] })).await.unwrap();
        serde_json::from_str(&reply).unwrap()
    }

    /// Lets one extension ask something of the host, and returns the code of the error.
    pub(crate) async fn error(&self, name: &str, call: &str, arguments: Value) -> (String, String) {
        let reply = self.reply(name, call, arguments).await;
        let text = |key: &str| {
            reply["error"][key].as_str().unwrap_or_else(|| panic!("no error: {reply}")).to_owned()
        };
        (text("code"), text("message"))
    }

    pub(crate) fn notices(&self) -> Vec<Notice> {
        self.heard.notices.lock().unwrap().clone()
    }

    /// Waits until the host was told something.
    pub(crate) async fn notice<T>(&self, what: &str, wanted: impl Fn(&Notice) -> Option<T>) -> T {
        let look = || match self.notices().iter().find_map(&wanted) {
            Some(_) => Ok(()),
            None => Err(format!("{:#?}", self.notices())),
        };
        until_shown(&format!("the host is told of {what}"), look).await;
        self.notices().iter().find_map(wanted).unwrap()
    }

    pub(crate) async fn restarted(&self, name: &str) {
        self.notice("a restart", |notice| match notice {
            Notice::Restarted { name: who, .. } if who.as_str() == name => Some(()),
            _ => None,
        })
        .await;
    }

    pub(crate) async fn quarantined(&self, name: &str) -> String {
        self.notice("a quarantine", |notice| match notice {
            Notice::Quarantined { name: who, reason, .. } if who.as_str() == name => Some(reason.clone()),
            _ => None,
        })
        .await
    }

    /// Returns the codes of the faults that the host was told of.
    pub(crate) fn faults(&self) -> Vec<(String, String)> {
        let of = |notice: &Notice| match notice {
            Notice::Fault { name, fault } => Some((name.to_string(), fault.code().to_owned())),
            _ => None,
        };
        self.notices().iter().filter_map(of).collect()
    }

    /// Waits for the first fault of an extension, and returns its code.
    pub(crate) async fn fault(&self, name: &str) -> String {
        self.notice("a fault", |notice| match notice {
            Notice::Fault { name: who, fault } if who.as_str() == name => Some(fault.code().to_owned()),
            _ => None,
        })
        .await
    }

    /// Waits until the call `choose` was made.
    pub(crate) async fn choice_asked(&self) {
        let permit =
            tokio::time::timeout(PATIENCE, self.heard.asked.0.acquire()).await.expect("nobody asked");
        permit.unwrap().forget();
    }

    pub(crate) fn holdings(&self, name: &str) -> Vec<Holding> {
        self.host().holdings().into_iter().filter(|holding| holding.owner.as_str() == name).collect()
    }

    /// Returns what an extension holds, in words.
    pub(crate) fn held(&self, name: &str) -> Vec<String> {
        let holdings = self.holdings(name);
        holdings.iter().map(|one| format!("{} {}", one.kind.word(), one.kind.key())).collect()
    }

    /// Ends the host, and fails if anything of it is left.
    pub(crate) async fn end(mut self, yard: &Yard) -> Vec<pintle_loader::dispose::Disposed> {
        let disposed = self.host.take().unwrap().shutdown().await;
        for one in &disposed {
            assert!(one.leaked.is_empty(), "{one:#?}");
        }
        nothing_is_left(yard).await;
        disposed
    }
}

/// Waits until no process of a yard's extensions is left; fails if that takes too long.
pub(crate) async fn nothing_is_left(yard: &Yard) {
    let mark = yard.path().to_str().unwrap().to_owned();
    let look = || match alive(&mark) {
        left if left.is_empty() => Ok(()),
        left => Err(format!("{left:#?}")),
    };
    until_shown("no process is left", look).await;
}

pub(crate) fn told(blocked: Blocked) -> (String, String, String) {
    (blocked.by.map(|by| by.to_string()).unwrap_or_default(), blocked.code, blocked.reason)
}

/// Returns a payload that says what each extension is to do.
pub(crate) fn thing(acts: Value) -> Value {
    json!({ "text": "-", "id": "i1", "acts": acts })
}

pub(crate) fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

/// Returns this machine.
pub(crate) fn machine() -> Machine {
    Machine {
        target: Target::current().unwrap(),
        search_path: vec!["/usr/local/bin".into(), "/usr/bin".into(), "/bin".into()],
    }
}
