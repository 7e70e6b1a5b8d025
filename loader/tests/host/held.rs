//! The ledger and disposal: all that is held is listed and goes, in order, in time and once; old contexts are told.

use crate::extension::Extension;
use crate::kit::{alive, trial, until};
use crate::yard::{Running, Yard, machine, name, nothing_is_left, thing};
use libtest_mimic::Trial;
use pintle_loader::ChangeError;
use pintle_loader::ledger::hosts;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("held::all_that_is_held_is_listed_also_on_disk", listed),
        trial("held::case_70_all_of_it_goes_when_it_is_disabled", disabled),
        trial("held::all_of_it_goes_when_it_crashes", crashed),
        trial("held::all_of_it_goes_at_the_end", ended),
        trial("held::what_is_released_goes_at_once_and_only_by_its_owner", released),
        trial("held::a_stale_context_is_told_what_made_it_so", stale),
        trial("held::nothing_can_be_held_while_it_is_disposed_of", poisoned),
        trial("held::case_68_dispose_comes_once_with_its_reason_and_dependents_first", reasons),
        trial("held::what_is_disabled_takes_with_it_what_needs_it", needed),
        trial("held::case_69_fifty_of_which_five_never_answer_end_in_five_seconds", fifty),
        trial("held::a_chain_of_slow_ones_ends_in_five_seconds", chain),
        trial("held::what_is_asked_while_it_is_disposed_of_is_answered_or_told", in_flight),
        trial("held::case_79_the_end_of_one_host_is_nothing_to_another", two_hosts),
        trial("held::a_temporary_directory_goes_whatever_its_rights_are", temporary),
        trial("held::what_is_mounted_in_a_temporary_directory_stays_what_it_is", mounted),
        trial("held::requests_without_end_end_with_it", requests),
        trial("held::the_record_on_disk_does_not_grow_for_ever", short_record),
    ]
}

/// One that holds something of every sort that an extension can.
pub(crate) fn holder(who: &str) -> Extension {
    let call = |call: &str, arguments: Value| json!({ "call": { "call": call, "arguments": arguments } });
    let run =
        json!({ "send": { "call": "process.run", "arguments": { "program": "sleep", "args": ["1000"] } } });
    let acts = json!([
        call("bus.subscribe", json!({ "topic": "host:news" })),
        call("timer.after", json!({ "ms": 3_600_000, "name": "tea" })),
        call("hang", json!({ "key": format!("{who}-picture") })),
        run,
    ]);
    Extension::new(who)
        .hook("ask")
        .hook("seen")
        .hook("flow")
        .slot("suffix", "go")
        .permission("process.run", "[\"sleep\"]")
        .when("ready", acts)
}

/// Waits until an extension holds everything, and returns it in words, without numbers.
pub(crate) async fn all_held(running: &Running, who: &str) -> Vec<String> {
    until("it holds a child", || running.held(who).iter().any(|one| one.starts_with("child sleep"))).await;
    let mut held: Vec<String> =
        running.held(who).iter().map(|one| one.split(" (pid").next().unwrap().to_owned()).collect();
    held.iter_mut().for_each(|one| {
        if one.starts_with("worker") || one.starts_with("temp dir") {
            *one = one[..8].trim().to_owned();
        }
    });
    held.sort();
    held
}

pub(crate) fn everything(who: &str) -> Vec<String> {
    [
        "child sleep",
        "hook ask",
        "hook flow",
        "hook seen",
        &format!("host picture {who}-picture"),
        "slot suffix/go",
        "subscription host:news",
        "temp dir",
        "timer tea",
        "worker p",
    ]
    .map(str::to_owned)
    .to_vec()
}

async fn listed() {
    let yard = Yard::new();
    let running = yard.start(&[holder("ada"), Extension::new("bob")]).await.all_ready();
    assert_eq!(all_held(&running, "ada").await, everything("ada"));
    let (records, unreadable) = hosts(&yard.places().hosts()).unwrap();
    assert!(unreadable.is_empty());
    let [record] = records.as_slice() else { panic!("{records:?}") };
    assert_eq!((record.pid, record.alive, record.command.as_str()), (std::process::id(), true, "a test"));
    assert_eq!(record.holdings, running.host().holdings());
    running.end(&yard).await;
    assert_eq!(hosts(&yard.places().hosts()).unwrap().0.len(), 0);
}

/// Fails if anything of an extension is left in the host.
async fn gone(running: &Running, yard: &Yard, who: &str) {
    assert_eq!(running.held(who), Vec::<String>::new());
    assert!(running.slot("suffix").entries().iter().all(|entry| entry.owner.as_str() != who));
    assert!(running.heard.taken_down.lock().unwrap().contains(&format!("{who} {who}-picture")));
    until("its programs are gone", || {
        alive("sleep\u{0}1000").iter().all(|one| !one.contains(yard.path().to_str().unwrap()))
    })
    .await;
    let (records, _) = hosts(&yard.places().hosts()).unwrap();
    let on_disk =
        records.iter().flat_map(|record| &record.holdings).filter(|one| one.owner.as_str() == who).count();
    assert_eq!(on_disk, 0);
}

async fn disabled() {
    let yard = Yard::new();
    let running = yard.start(&[holder("ada"), holder("bob")]).await.all_ready();
    all_held(&running, "ada").await;
    let bobs = all_held(&running, "bob").await;
    let since = Instant::now();
    let disposed = running.host().disable(&name("ada")).await.unwrap().remove(0);
    assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
    assert!(disposed.answered && disposed.forced.is_empty() && disposed.leaked.is_empty(), "{disposed:?}");
    assert_eq!(disposed.released, everything("ada").len());
    gone(&running, &yard, "ada").await;
    assert_eq!(all_held(&running, "bob").await, bobs);
    assert_eq!(*running.heard.taken_down.lock().unwrap(), ["ada ada-picture"]);
    // Nothing reaches it any more, and its name goes to the next.
    running.hooks.seen.tell(&thing(json!({})));
    running.host().emit("news", json!({}));
    assert_eq!(running.blocked(json!({ "ada": [{ "block": "still here" }] })).await, None);
    assert_eq!(running.slot("suffix").entries()[0].name, "go");
    assert!(matches!(running.host().disable(&name("ada")).await, Err(ChangeError::NotRunning { .. })));
    running.end(&yard).await;
}

async fn crashed() {
    let yard = Yard::new();
    let running = yard.start(&[holder("ada")]).await.all_ready();
    all_held(&running, "ada").await;
    let epoch = running.holdings("ada")[0].epoch;
    assert!(running.blocked(json!({ "ada": [{ "segfault": true }] })).await.is_some());
    running.restarted("ada").await;
    assert_eq!(*running.heard.taken_down.lock().unwrap(), ["ada ada-picture"]);
    assert_eq!(all_held(&running, "ada").await, everything("ada"));
    assert!(running.holdings("ada").iter().all(|holding| holding.epoch > epoch));
    running.end(&yard).await;
}

async fn ended() {
    let yard = Yard::new();
    let mut running = yard.start(&[holder("ada"), holder("bob")]).await.all_ready();
    all_held(&running, "ada").await;
    all_held(&running, "bob").await;
    let host = running.host.take().unwrap();
    let disposed = host.shutdown().await;
    assert_eq!(disposed.len(), 2);
    assert!(
        disposed.iter().all(|one| one.answered && one.forced.is_empty() && one.leaked.is_empty()),
        "{disposed:#?}"
    );
    assert_eq!(host.holdings(), []);
    nothing_is_left(&yard).await;
    // A second time there is nothing to end.
    assert_eq!(host.shutdown().await, []);
}

async fn released() {
    let yard = Yard::new();
    let running = yard.start(&["ada", "bob"].map(|who| Extension::new(who).hook("ask"))).await.all_ready();
    let reply = running.reply("ada", "timer.after", json!({ "ms": 100_000, "name": "tea" })).await;
    let entry = reply["value"]["entry"].clone();
    running.reply("bob", "release", json!({ "entry": entry })).await;
    assert!(running.held("ada").contains(&"timer tea".to_owned()));
    for _ in 0..2 {
        let reply = running.reply("ada", "release", json!({ "entry": entry })).await;
        assert_eq!(reply["value"], json!({}), "{reply}");
        assert!(!running.held("ada").contains(&"timer tea".to_owned()));
    }
    running.reply("ada", "hang", json!({ "key": "k" })).await;
    let held = running.holdings("ada");
    let picture = held.iter().find(|one| one.kind.word() == "host").unwrap().id;
    running.reply("ada", "release", json!({ "entry": picture })).await;
    assert_eq!(*running.heard.taken_down.lock().unwrap(), ["ada k"]);
    running.end(&yard).await;
}

async fn stale() {
    let yard = Yard::new();
    let running = yard.start(&[Extension::new("ada").hook("ask")]).await.all_ready();
    let first = running.holdings("ada")[0].epoch;
    let old = async |epoch: u64| {
        let call = json!({ "call": "clock.now", "epoch": epoch });
        let (_, _, reply) =
            running.blocked(json!({ "ada": [{ "call": call }, { "block_last": true }] })).await.unwrap();
        let reply: Value = serde_json::from_str(&reply).unwrap();
        assert_eq!(reply["error"]["code"], "context.stale", "{reply}");
        reply["error"]["message"].as_str().unwrap().to_owned()
    };
    let message = old(first + 7).await;
    assert!(message.contains("`clock.now`") && message.contains("not the present one"), "{message}");
    // After a crash the old context says what ended it, and which one to use.
    assert!(running.blocked(json!({ "ada": [{ "exit": 3 }] })).await.is_some());
    let message = old(first).await;
    for part in [
        &format!("load {first} of `ada`"),
        "ms ago because it failed: it ended with exit code 3",
        "use the context that the current callback was given",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    // Nobody else is touched by it.
    assert_eq!(running.blocked(json!({ "ada": [{ "block": "here" }] })).await.unwrap().2, "here");
    running.end(&yard).await;
}

async fn poisoned() {
    let yard = Yard::new();
    let call = |call: &str, arguments: Value| json!([{ "call": { "call": call, "arguments": arguments } }, { "note_last": "" }]);
    let acts = [
        call("timer.after", json!({ "ms": 10 })),
        call("bus.subscribe", json!({ "topic": "host:news" })),
        call("hang", json!({ "key": "late" })),
        call("process.run", json!({ "program": "sleep", "args": ["1000"] })),
    ];
    let acts: Vec<Value> = acts.iter().flat_map(|acts| acts.as_array().unwrap().clone()).collect();
    let ada = Extension::new("ada").permission("process.run", "true").when("dispose", json!(acts));
    let running = yard.start(&[ada]).await.all_ready();
    let disposed = running.host().disable(&name("ada")).await.unwrap().remove(0);
    assert!(disposed.answered && disposed.forced.is_empty(), "{disposed:?}");
    let noted = yard.noted();
    assert_eq!(noted.len(), 5, "{noted:?}");
    assert!(
        noted[1..].iter().all(|line| line.contains("context.stale") && line.contains("is ending")),
        "{noted:#?}"
    );
    assert_eq!(*running.heard.taken_down.lock().unwrap(), ["ada late"]);
    running.end(&yard).await;
}

async fn reasons() {
    let yard = Yard::new();
    let set = ["ada", "bob", "cyd", "dan"].map(Extension::new);
    let [ada, bob, cyd, dan] = set;
    let set = [ada, bob.needs("ada"), cyd.needs("bob"), dan];
    let running = yard.start(&set).await.all_ready();
    running.host().disable(&name("dan")).await.unwrap();
    running.host().reload(yard.bundle(&set[2]), &machine()).await.unwrap();
    running.host().reload(yard.bundle(&set[2].clone().version("1.1.0")), &machine()).await.unwrap();
    let disposed = running.end(&yard).await;
    let order: Vec<_> = disposed.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(order, ["cyd", "bob", "ada"]);
    assert_eq!(
        yard.noted(),
        [
            "dan dispose disable",
            "cyd dispose reload",
            "cyd dispose update",
            "cyd dispose shutdown",
            "bob dispose shutdown",
            "ada dispose shutdown"
        ]
    );
}

async fn needed() {
    let yard = Yard::new();
    let [ada, bob, cyd, dan] = ["ada", "bob", "cyd", "dan"].map(Extension::new);
    let set = [ada, bob.needs("ada"), cyd.needs("bob"), dan.hook("ask")];
    let running = yard.start(&set).await.all_ready();
    let ended = running.host().disable(&name("ada")).await.unwrap();
    let order: Vec<_> = ended.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(order, ["cyd", "bob", "ada"]);
    assert_eq!(yard.noted(), ["cyd dispose disable", "bob dispose disable", "ada dispose disable"]);
    assert_eq!(running.host().running(), [name("dan")]);
    // Nobody who needs it can come back without it.
    let refused = running.host().reload(yard.bundle(&set[1]), &machine()).await;
    assert!(matches!(refused, Err(ChangeError::NotReady { .. })), "{refused:?}");
    running.end(&yard).await;
}

async fn fifty() {
    let yard = Yard::new();
    let mut set = Vec::new();
    for number in 0..50 {
        let one = Extension::new(&format!("ext-{number:02}")).hook("ask").hook("flow");
        set.push(match number % 10 {
            3 => one.when("dispose", json!([{ "hang": true }])),
            _ => one,
        });
    }
    let mut running = yard.start(&set).await.all_ready();
    let host = running.host.take().unwrap();
    let since = Instant::now();
    let disposed = host.shutdown().await;
    let took = since.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert_eq!(disposed.len(), 50);
    let forced: Vec<&str> =
        disposed.iter().filter(|one| !one.answered).map(|one| one.name.as_str()).collect();
    assert_eq!(forced, ["ext-03", "ext-13", "ext-23", "ext-33", "ext-43"]);
    for one in &disposed {
        assert_eq!(one.forced.is_empty(), one.answered, "{one:?}");
        assert!(one.leaked.is_empty(), "{one:?}");
    }
    assert!(disposed[3].forced[0].starts_with("its worker (pid "), "{:?}", disposed[3]);
    assert_eq!(host.holdings(), []);
    nothing_is_left(&yard).await;
}

async fn chain() {
    let yard = Yard::new();
    let mut set = vec![Extension::new("ext-0")];
    for number in 1..8 {
        set.push(Extension::new(&format!("ext-{number}")).needs(&format!("ext-{}", number - 1)));
    }
    let set: Vec<Extension> =
        set.into_iter().map(|one| one.when("dispose", json!([{ "hang": true }]))).collect();
    let mut running = yard.start(&set).await.all_ready();
    let since = Instant::now();
    let disposed = running.host.take().unwrap().shutdown().await;
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
    let order: Vec<_> = disposed.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(order, ["ext-7", "ext-6", "ext-5", "ext-4", "ext-3", "ext-2", "ext-1", "ext-0"]);
    assert!(disposed.iter().all(|one| !one.answered && !one.forced.is_empty()), "{disposed:#?}");
    nothing_is_left(&yard).await;
}

async fn in_flight() {
    let yard = Yard::new();
    let running = yard.start(&[Extension::new("ada").hook("ask")]).await.all_ready();
    let asked =
        running.blocked(json!({ "ada": [{ "note": "asked" }, { "sleep": 300 }, { "block": "in time" }] }));
    let ending = async {
        yard.noted_at_least(1).await;
        running.host().disable(&name("ada")).await.unwrap().remove(0)
    };
    let (blocked, disposed) = tokio::join!(asked, ending);
    assert_eq!(blocked.unwrap().2, "in time");
    assert!(disposed.answered);
    running.end(&yard).await;
    // One that does not come back blocks, and in time.
    let yard = Yard::new();
    let running = yard.start(&[Extension::new("ada").hook("ask")]).await.all_ready();
    let asked = running.blocked(json!({ "ada": [{ "note": "asked" }, { "hang": true }] }));
    let ending = async {
        yard.noted_at_least(1).await;
        running.host().disable(&name("ada")).await.unwrap().remove(0)
    };
    let since = Instant::now();
    let (blocked, disposed) = tokio::join!(asked, ending);
    assert!(since.elapsed() < Duration::from_secs(4), "{:?}", since.elapsed());
    assert_eq!(blocked.unwrap().0, "ada");
    assert!(!disposed.answered && !disposed.forced.is_empty());
    running.end(&yard).await;
}

async fn two_hosts() {
    let yard = Yard::new();
    let one = Extension::new("ada").hook("ask");
    let first = yard.start(std::slice::from_ref(&one)).await.all_ready();
    let second = yard.start(&[one]).await.all_ready();
    let waiting = second.blocked(
        json!({ "ada": [{ "note": "asked" }, { "call": { "call": "choose" } }, { "block": "here" }] }),
    );
    let ending = async {
        yard.noted_at_least(1).await;
        let mut first = first;
        let disposed = first.host.take().unwrap().shutdown().await;
        assert!(disposed[0].answered && disposed[0].leaked.is_empty());
        second.heard.chosen.notify_one();
    };
    let (blocked, ()) = tokio::join!(waiting, ending);
    assert_eq!(blocked.unwrap().2, "here");
    assert_eq!(hosts(&yard.places().hosts()).unwrap().0.len(), 1);
    assert_eq!(second.notices(), []);
    second.end(&yard).await;
}

fn temp_dir(running: &Running, who: &str) -> std::path::PathBuf {
    use pintle_loader::ledger::Kind;
    let path = running.holdings(who).into_iter().find_map(|one| match one.kind {
        Kind::TempDir { path } => Some(path),
        _ => None,
    });
    path.unwrap()
}

#[expect(clippy::print_stderr, reason = "a test that tries nothing says so")]
async fn mounted() {
    let yard = Yard::new();
    let running =
        yard.start(&[Extension::new("ada").hook("ask").permission("process.run", "true")]).await.all_ready();
    let path = temp_dir(&running, "ada");
    let elsewhere = tempfile::tempdir().unwrap();
    let kept = elsewhere.path().join("kept");
    crate::kit::write(&kept, "mine");
    let script = format!(
        "mkdir -p '{0}/a/b' && mount --bind '{1}' '{0}/a/b' && mount -t tmpfs none '{0}/a/b' && chmod 0 '{0}/a'",
        path.display(),
        elsewhere.path().display()
    );
    let reply = running.reply("ada", "process.run", json!({ "program": "sh", "args": ["-c", script] })).await;
    if reply["value"]["exit_code"] != 0 {
        eprintln!("left out: whoever runs this may not mount: {reply}");
    }
    let disposed = running.host().disable(&name("ada")).await.unwrap();
    assert!(disposed.iter().all(|one| one.leaked.is_empty() && one.forced.is_empty()), "{disposed:?}");
    assert!(!path.exists() && kept.exists());
    running.end(&yard).await;
}

async fn temporary() {
    let yard = Yard::new();
    let running =
        yard.start(&[Extension::new("ada").hook("ask").permission("process.run", "true")]).await.all_ready();
    let path = temp_dir(&running, "ada");
    assert!(path.is_dir());
    let script = format!(
        "mkdir -p '{0}/a/b' && touch '{0}/a/b/c' && ln -s / '{0}/root' && chmod 0 '{0}/a/b' '{0}/a'",
        path.display()
    );
    let reply = running.reply("ada", "process.run", json!({ "program": "sh", "args": ["-c", script] })).await;
    assert_eq!(reply["value"]["exit_code"], 0, "{reply}");
    running.host().disable(&name("ada")).await.unwrap();
    assert!(!path.exists());
    running.end(&yard).await;
}

async fn requests() {
    let yard = Yard::new();
    let sleep =
        json!({ "send": { "call": "clock.sleep", "arguments": { "ms": 3_600_000 }, "orphan": true } });
    let choose = json!({ "send": { "call": "choose", "orphan": true } });
    let before = crate::kit::tasks();
    let running = yard
        .start(&[Extension::new("ada").hook("ask").when("ready", json!([sleep, choose]))])
        .await
        .all_ready();
    running.choice_asked().await;
    running.host().disable(&name("ada")).await.unwrap();
    until("no task is left", || crate::kit::tasks() <= before).await;
    running.end(&yard).await;
}

async fn short_record() {
    let yard = Yard::new();
    let running = yard.start(&[Extension::new("ada").hook("ask")]).await.all_ready();
    let after = json!({ "call": { "call": "timer.after", "arguments": { "ms": 1_000_000, "name": "x".repeat(2000) } } });
    let path = hosts(&yard.places().hosts()).unwrap().0[0].directory.join("ledger.jsonl");
    let mut longest = 0;
    for round in 0..40 {
        let acts = vec![after.clone(); 50];
        running.blocked(json!({ "ada": acts })).await;
        longest = longest.max(path.metadata().unwrap().len());
        let timers = running.holdings("ada").into_iter().filter(|one| one.kind.word() == "timer");
        let release =
            timers.map(|one| json!({ "call": { "call": "release", "arguments": { "entry": one.id } } }));
        if round < 39 {
            running.blocked(json!({ "ada": release.collect::<Vec<_>>() })).await;
        }
    }
    // So much was written in all, and so much of it is there.
    assert!((500_000..1_500_000).contains(&longest), "{longest}");
    let (records, unreadable) = hosts(&yard.places().hosts()).unwrap();
    assert!(unreadable.is_empty(), "{unreadable:?}");
    assert_eq!(records[0].holdings, running.host().holdings());
    assert_eq!(records[0].loads.len(), 1);
    running.end(&yard).await;
}
