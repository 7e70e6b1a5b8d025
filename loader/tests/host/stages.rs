//! Stages: every way to fail one before any code runs, and that a host must keep what it promises.

use crate::extension::{Extension, candidates, content};
use crate::kit::{trial, write};
use crate::yard::{Yard, contract, machine, name, thing};
use libtest_mimic::Trial;
use pintle_loader::bundle::{Rank, Withheld};
use pintle_loader::hook::Verdict;
use pintle_loader::{BuildError, Bundle, Candidate, HostBuilder, Notice, Promise};
use pintle_manifest::{PermissionValue, Permissions, Version};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Does something to the folder of an extension.
type Change = fn(&Path);

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("stages::files_that_changed_are_refused", changed),
        trial("stages::what_was_approved_is_loaded", approved),
        trial("stages::what_nobody_granted_is_refused", ungranted),
        trial("stages::case_71_what_is_withheld_is_not_read", withheld),
        trial("stages::each_wrong_entry_is_told", entries),
        trial("stages::a_library_is_read_before_it_is_loaded", libraries),
        trial("stages::case_56_what_does_not_fit_the_contract_is_told", compat),
        trial("stages::case_77_a_hook_that_can_never_fire_is_an_error", unknown),
        trial("stages::what_is_deprecated_works_and_is_told_once", deprecated),
        trial("stages::a_hook_named_twice_is_called_once", named_twice),
        trial("stages::case_73_case_81_of_one_name_one_is_loaded", duplicates),
        trial("stages::a_host_that_does_not_keep_its_promise_is_refused", promises),
        trial("stages::without_extensions_nothing_is_read", without),
    ]
}

fn approved_bundle(yard: &Yard, extension: &Extension) -> Bundle {
    let mut bundle = yard.bundle(extension);
    // A link is no file of a package.
    std::fs::remove_file(bundle.root.join("bin/it")).unwrap();
    write(
        &bundle.root.join("bin/it"),
        format!("#!/bin/sh\nexec '{}' \"$@\"\n", std::env::current_exe().unwrap().display()),
    );
    executable(&bundle.root.join("bin/it"), 0o755);
    bundle.content = Some(content(&bundle.root));
    bundle
}

pub(crate) fn executable(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

async fn approved() {
    let yard = Yard::new();
    let bundle = approved_bundle(&yard, &Extension::new("ada").hook("ask"));
    let running = yard.start_bundles(vec![bundle]).await.all_ready();
    assert_eq!(running.blocked(json!({ "ada": [{ "block": "here" }] })).await.unwrap().2, "here");
    running.end(&yard).await;
}

async fn changed() {
    let cases: [(&str, Change); 8] = [
        ("`script.json` has", |root| write(&root.join("script.json"), "{}")),
        ("`script.json` is gone", |root| std::fs::remove_file(root.join("script.json")).unwrap()),
        ("`new/file` was added", |root| write(&root.join("new/file"), "")),
        ("`bin/it` can't be run any more", |root| executable(&root.join("bin/it"), 0o644)),
        ("`script.json` can be run now", |root| executable(&root.join("script.json"), 0o755)),
        ("`bin/it` has other bytes", |root| {
            let text = std::fs::read_to_string(root.join("bin/it")).unwrap();
            write(&root.join("bin/it"), text.replace("exec", "EXEC"));
        }),
        ("`script.json` is a link now", |root| {
            std::fs::rename(root.join("script.json"), root.with_extension("elsewhere")).unwrap();
            std::os::unix::fs::symlink(root.with_extension("elsewhere"), root.join("script.json")).unwrap();
        }),
        ("`script.json` is no file any more", |root| {
            std::fs::remove_file(root.join("script.json")).unwrap();
            rustix::fs::mkfifoat(rustix::fs::CWD, root.join("script.json"), 0o644.into()).unwrap();
        }),
    ];
    for (expected, change) in cases {
        let yard = Yard::new();
        let bundle = approved_bundle(&yard, &Extension::new("ada").hook("ask"));
        change(&bundle.root);
        let running = yard.start_bundles(vec![bundle]).await;
        let (stage, code, message) = running.failure("ada");
        assert_eq!((stage, code), ("install", "install.changed"), "{message}");
        assert!(message.contains(expected), "{message}");
        running.end(&yard).await;
    }
}

async fn ungranted() {
    let yard = Yard::new();
    let ada = Extension::new("ada").permission("process.run", "[\"git\", \"du\"]");
    let mut some = yard.bundle(&ada);
    some.grants =
        Permissions::from([("process.run".to_owned(), PermissionValue::Only(vec!["git".to_owned()]))]);
    let bob = Extension::new("bob").permission("process.run", "true").ungranted();
    let running = yard.start_bundles(vec![some, yard.bundle(&bob)]).await;
    for who in ["ada", "bob"] {
        let (stage, code, message) = running.failure(who);
        assert_eq!((stage, code), ("trust", "trust.not_granted"));
        assert!(message.contains("`process.run`"), "{message}");
    }
    running.end(&yard).await;
}

async fn withheld() {
    let yard = Yard::new();
    let set = [
        (
            "ada",
            Withheld::Disabled { reason: Some("too loud".into()) },
            "trust",
            "trust.disabled",
            "too loud",
        ),
        (
            "bob",
            Withheld::Quarantined { reason: "it crashed".into() },
            "trust",
            "trust.quarantined",
            "it crashed",
        ),
        ("cyd", Withheld::Denied { reason: "not here".into() }, "trust", "trust.denied", "not here"),
        (
            "dan",
            Withheld::Unreadable { reason: "no manifest".into() },
            "install",
            "install.unreadable",
            "no manifest",
        ),
    ];
    let mut candidates: Vec<Candidate> = Vec::new();
    for (who, why, ..) in &set {
        let candidate = Candidate::Withheld {
            name: name(who),
            version: Version::new(1, 0, 0),
            required: true,
            why: why.clone(),
        };
        candidates.push(candidate);
    }
    let running = yard.start_set(candidates, None).await;
    for (who, _, stage, code, text) in set {
        let failure = running.failure(who);
        assert_eq!((failure.0, failure.1), (stage, code));
        assert!(failure.2.contains(text), "{failure:?}");
    }
    assert!(running.reports.iter().all(|report| report.required && !report.is_ready()));
    assert_eq!(running.host().running(), []);
    running.end(&yard).await;
}

async fn entries() {
    let cases: [(&str, &str, &str, Change); 8] = [
        ("command = [\"bin/none\"]", "entry.no_program", "`bin/none`", |_| {}),
        ("command = [\"no-such-program-here\"]", "entry.no_interpreter", "`no-such-program-here`", |_| {}),
        ("command = [\"bin/text\"]", "entry.not_executable", "`bin/text`", |root| {
            write(&root.join("bin/text"), "x")
        }),
        ("command = [\"bin/s\"]", "entry.no_interpreter", "/no/such/thing", |root| {
            write(&root.join("bin/s"), "#!/no/such/thing -x\n");
            executable(&root.join("bin/s"), 0o755);
        }),
        ("command = [\"bin/s\"]", "entry.no_interpreter", "no-such-thing", |root| {
            write(&root.join("bin/s"), "#!/usr/bin/env no-such-thing\n");
            executable(&root.join("bin/s"), 0o755);
        }),
        ("command = [\"bin/elf\"]", "entry.other_machine", "machine", |root| {
            let mut bytes = std::fs::read("/proc/self/exe").unwrap();
            bytes.truncate(4096);
            bytes[18] = 243;
            write(&root.join("bin/elf"), bytes);
            executable(&root.join("bin/elf"), 0o755);
        }),
        ("command = [\"bin/elf\"]", "entry.damaged", "damaged", |root| {
            write(&root.join("bin/elf"), b"\x7fELF\x02");
            executable(&root.join("bin/elf"), 0o755);
        }),
        (
            "command = [\"sh\", \"x\"]\nrequires = { no-such-program-here = \">=1, <2\" }",
            "entry.no_interpreter",
            "`no-such",
            |_| {},
        ),
    ];
    for (entry, expected, text, make) in cases {
        let yard = Yard::new();
        let bundle = yard.bundle(&Extension::new("ada").entry(&format!("runtime = \"process\"\n{entry}")));
        make(&bundle.root);
        let running = yard.start_bundles(vec![bundle]).await;
        let (stage, code, message) = running.failure("ada");
        assert_eq!((stage, code), ("entry", expected), "{entry}: {message}");
        assert!(message.contains(text), "{message}");
        running.end(&yard).await;
    }
    let yard = Yard::new();
    let wasm = Extension::new("ada").entry("runtime = \"wasm\"\ncomponent = \"it.wasm\"");
    let running = yard.start(&[wasm]).await;
    assert_eq!(running.failure("ada").1, "entry.runtime_unavailable");
    running.end(&yard).await;
}

/// Makes the bytes of a file, if there is to be one.
type Bytes = fn() -> Option<Vec<u8>>;

async fn libraries() {
    let target = machine().target;
    let entry = format!("runtime = \"native\"\nlibrary = {{ \"{target}\" = \"lib/it.so\" }}");
    let cases: [(&str, Bytes); 5] = [
        ("entry.no_program", || None),
        ("entry.not_a_library", || Some(b"not a library".to_vec())),
        ("entry.damaged", || Some(b"\x7fELF\x02\x01".to_vec())),
        // The C library is a library, and no extension.
        ("entry.no_symbol", || Some(std::fs::read(c_library()).unwrap())),
        ("entry.other_machine", || {
            let mut bytes = std::fs::read(c_library()).unwrap();
            bytes[18] = 243;
            Some(bytes)
        }),
    ];
    for (expected, bytes) in cases {
        let yard = Yard::new();
        let bundle = yard.bundle(&Extension::new("ada").entry(&entry));
        bytes().into_iter().for_each(|bytes| write(&bundle.root.join("lib/it.so"), bytes));
        let running = yard.start_bundles(vec![bundle]).await;
        let (stage, code, message) = running.failure("ada");
        assert_eq!((stage, code), ("entry", expected), "{message}");
        running.end(&yard).await;
    }
    let yard = Yard::new();
    let other = "runtime = \"native\"\nlibrary = { \"riscv64gc-unknown-linux-gnu\" = \"lib/it.so\" }";
    let running = yard.start(&[Extension::new("ada").entry(other)]).await;
    assert_eq!(running.failure("ada").1, "entry.no_artifact");
    running.end(&yard).await;
}

/// Returns the C library that this program uses.
fn c_library() -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let path = maps.lines().filter_map(|line| line.split_whitespace().nth(5));
    path.into_iter().find(|path| path.contains("libc.so") || path.contains("libc-")).unwrap().to_owned()
}

async fn compat() {
    for (host, api, expected, text) in [
        ("other", ">=1.0, <2", "compat.other_host", "it serves other"),
        ("yard", ">=1.5, <2", "compat.api_version", "this host has 1.4.0"),
        ("yard", ">=0.1, <1", "compat.api_version", "this host has 1.4.0"),
    ] {
        let yard = Yard::new();
        let running = yard.start(&[Extension::new("ada").host(host, api), Extension::new("bob")]).await;
        let (stage, code, message) = running.failure("ada");
        assert_eq!((stage, code), ("compat", expected));
        assert!(message.contains(text), "{message}");
        assert_eq!(running.host().running(), [name("bob")]);
        running.end(&yard).await;
    }
}

async fn unknown() {
    let cases = [
        (Extension::new("ada").hook("aks"), "hook named `aks`", "`ask`"),
        (Extension::new("ada").hook_with("ask", "filter = { tol = \"x\" }"), "named `tol`", "`tool`"),
        (Extension::new("ada").slot("sufix", "go"), "slot named `sufix`", "`suffix`"),
        (
            Extension::new("ada").permission("process.ru", "true"),
            "permission named `process.ru`",
            "`process.run`",
        ),
    ];
    for (extension, text, near) in cases {
        let yard = Yard::new();
        let running = yard.start(&[extension]).await;
        let (stage, code, message) = running.failure("ada");
        assert_eq!((stage, code), ("compat", "compat.unknown"), "{message}");
        assert!(message.contains(text), "{message}");
        let hint = running.reports[0].failure().unwrap().1.hint.clone().unwrap();
        assert!(hint.contains(near), "{hint}");
        running.end(&yard).await;
    }
}

async fn deprecated() {
    let yard = Yard::new();
    let ada = Extension::new("ada").hook("ask.old").slot("suffix.old", "go");
    let running = yard.start(&[ada]).await.all_ready();
    let warnings: Vec<&str> =
        running.reports[0].warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(
        warnings[0].contains("hook `ask.old`") && warnings[0].contains("gone in 2.0.0; use `ask` instead")
    );
    assert!(warnings[1].contains("slot `suffix.old`") && warnings[1].contains("use `suffix` instead"));
    assert_eq!(running.slot("suffix").entries()[0].name, "go");
    for _ in 0..3 {
        let reply = running.reply("ada", "clock.time", json!({})).await;
        assert!(reply["value"]["unix_ms"].is_u64(), "{reply}");
    }
    let told: Vec<Notice> = running.notices();
    let told: Vec<&Notice> = told.iter().filter(|one| matches!(one, Notice::Deprecated { .. })).collect();
    let [Notice::Deprecated { name: who, call, deprecation }] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(
        (who.as_str(), call.as_str(), deprecation.instead.as_str()),
        ("ada", "clock.time", "clock.now")
    );
    running.end(&yard).await;
}

async fn named_twice() {
    let yard = Yard::new();
    let both =
        Extension::new("ada").hook("ask").hook("ask.old").slot("suffix", "go").slot("suffix.old", "go");
    let both = both.at("ask", json!([{ "note": "new" }])).at("ask.old", json!([{ "note": "old" }]));
    let running = yard.start(&[both]).await.all_ready();
    assert_eq!(running.blocked(json!({})).await, None);
    assert_eq!(yard.noted(), ["ada new"]);
    let names: Vec<String> = running.slot("suffix").entries().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["go"]);
    running.end(&yard).await;
}

async fn duplicates() {
    for reversed in [false, true] {
        let yard = Yard::new();
        let start = |version: &str| json!([{ "note": format!("start {version}") }]);
        let one =
            |version: &str| Extension::new("ada").version(version).hook("ask").when("start", start(version));
        let mut set = vec![
            yard.bundle(&one("1.9.0").rank(Rank::User)),
            yard.bundle(&one("1.2.0").rank(Rank::CommandLine)),
            yard.bundle(&one("1.10.0").rank(Rank::Project)),
        ];
        if reversed {
            set.reverse();
        }
        let running = yard.start_bundles(set).await;
        assert_eq!(yard.noted(), ["ada start 1.2.0"]);
        assert_eq!(running.host().running(), [name("ada")]);
        assert_eq!(running.reports.len(), 3);
        for report in &running.reports[1..] {
            let (_, failure) = report.failure().unwrap();
            assert_eq!(failure.code, "trust.shadowed");
            assert_eq!(failure.message, "the command line's `ada` (1.2.0) takes its place");
        }
        running.end(&yard).await;
    }
    // What a person disabled does not come back by another door.
    let yard = Yard::new();
    let why = Withheld::Disabled { reason: None };
    let disabled =
        Candidate::Withheld { name: name("ada"), version: Version::new(1, 0, 0), required: false, why };
    let mut set = candidates(vec![yard.bundle(&Extension::new("ada").rank(Rank::Project))]);
    set.insert(0, disabled);
    let running = yard.start_set(set, None).await;
    assert_eq!(running.reports[0].failure().unwrap().1.code, "trust.disabled");
    running.end(&yard).await;
}

async fn promises() {
    let builder = || HostBuilder::new(Promise::compile(contract()).unwrap());
    let refused = |result: Result<pintle_loader::Host, BuildError>| result.err().unwrap().to_string();
    assert_eq!(
        refused(builder().start_without_extensions()),
        "the contract promises the hook `add`, and the host does not fire it"
    );
    let wrong = builder().transform::<Value>("ask").err().unwrap().to_string();
    assert_eq!(wrong, "`ask` is a guard hook, not a transform one");
    let wrong = builder().guard::<Value>("nothing").err().unwrap().to_string();
    assert_eq!(wrong, "the contract `yard` has no hook named `nothing`");
    let mut twice = builder();
    twice.guard::<Value>("ask").unwrap();
    assert_eq!(twice.guard::<Value>("ask").err().unwrap().to_string(), "the hook `ask` was claimed before");
    let mut all = builder();
    all.guard::<Value>("ask").unwrap();
    all.guard::<Value>("hasty").unwrap();
    all.transform::<Value>("shape").unwrap();
    all.claim::<Value, Value>("take").unwrap();
    all.collect::<Value, Value>("add").unwrap();
    all.around::<Value, Value>("wrap").unwrap();
    all.around::<Value, Value>("pass").unwrap();
    all.observe::<Value>("seen").unwrap();
    for stream in ["flow", "latest", "strict"] {
        all.stream::<Value>(stream).unwrap();
    }
    // Without the slots, and then without the calls.
    let mut slotless = all;
    let slots = ["first", "last", "suffix", "reject"];
    for slot in slots {
        slotless.slot(slot).unwrap();
    }
    assert_eq!(slotless.slot("last").err().unwrap().to_string(), "the slot `last` was claimed before");
    slotless.slot("owned").unwrap();
    let text = refused(slotless.start_without_extensions());
    assert_eq!(text, "the contract promises the call `choose`, and the host does not answer it");
}

async fn without() {
    let yard = Yard::new();
    let (builder, running) = yard.builder(None);
    // Nothing that is damaged matters.
    write(&yard.places().state.join("quarantine.json"), "{");
    write(&yard.places().state.join("starts.json"), "{");
    let host = builder.start_without_extensions().unwrap();
    assert!(matches!(running.hooks.ask.ask(thing(json!({}))).await, Verdict::Continue(_)));
    assert_eq!((host.running().len(), host.holdings().len()), (0, 0));
    assert!(!yard.places().run.exists());
    assert_eq!(running.notices(), []);
    host.shutdown().await;
}
