//! `--format json`: exactly one document on standard output, whatever happens, and the same exit code as without.

use crate::kit::{Output, Sandbox, remove};

/// A person's set with one extension, a package folder and a registry to do things to.
fn filled() -> Sandbox {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0", "1.1.0"]);
    sandbox
        .package("acme-b")
        .folder(sandbox.work("acme-b"))
        .extension("readme = 'README.md'")
        .file("README.md", 0o644, "# b\n")
        .write();
    sandbox.pintle(["install", "acme-a@1.0.0"]).succeeds();
    sandbox.pintle(["install", "acme-a@^1"]).succeeds();
    sandbox
}

/// Every verb, as it succeeds one after the other.
const VERBS: [&str; 50] = [
    "list",
    "tree",
    "why acme-a",
    "outdated",
    "search",
    "search nothing-like-it",
    "info acme-a",
    "history",
    "install acme-a",
    "install acme-a -n",
    "update -n",
    "update",
    "sync",
    "lock",
    "lock -n",
    "lock --check",
    "disable acme-a",
    "disable acme-a",
    "enable acme-a",
    "enable acme-a -n",
    "ledger",
    "ledger acme-a",
    "quarantine list",
    "quarantine release acme-a -n",
    "load --without acme-a",
    "rollback -n",
    "rollback",
    "verify",
    "verify --fix",
    "gc -n",
    "gc",
    "cache size",
    "cache clean -n",
    "cache clean",
    "new acme-new -n",
    "new acme-new",
    "check acme-new",
    "package acme-new --list",
    "package acme-new",
    "publish acme-b --registry main -n",
    "publish acme-b --registry main",
    "info acme-b --readme",
    "yank acme-b@1.0.0 --reason x --registry main -n",
    "yank acme-b@1.0.0 --reason x --registry main",
    "registry list",
    "registry check main",
    "registry gc main",
    "registry init elsewhere",
    "registry add second elsewhere",
    "registry remove second",
];

const MORE: [&str; 4] = ["uninstall acme-a -n", "uninstall acme-a", "completions fish", "man install"];

fn run(sandbox: &Sandbox, text: &str) -> Output {
    sandbox.command(text.split(' ')).arg("--format").arg("json").run()
}

#[test]
fn case_90_every_verb_prints_one_document_when_it_succeeds() {
    let sandbox = filled();
    for text in VERBS.iter().chain(&MORE) {
        let output = run(&sandbox, text).succeeds();
        let document = output.json();
        assert_eq!((&document["schema"], &document["ok"]), (&1.into(), &true.into()), "{text}");
        let verb = document["verb"].as_str().unwrap();
        assert!(text.starts_with(verb), "`{text}` says that it is `{verb}`");
        assert_eq!(output.raw_stdout.lines().count(), 1, "{text}");
    }
}

#[test]
fn case_90_every_verb_prints_one_document_when_there_is_nothing() {
    let sandbox = Sandbox::with_registry();
    let all = [
        "list",
        "tree",
        "outdated",
        "search",
        "history",
        "install",
        "update",
        "sync",
        "lock",
        "load",
        "ledger",
        "quarantine list",
        "verify",
        "gc",
        "cache size",
        "cache clean",
        "registry list",
        "registry check",
        "registry gc",
    ];
    for text in all {
        let document = run(&sandbox, text).succeeds().json();
        assert_eq!(document["ok"], true, "{text}");
    }
}

#[test]
fn case_90_every_failure_is_a_document_with_a_code() {
    let sandbox = filled();
    sandbox.write(&sandbox.work("broken/extension.toml"), "[extension]\nnme = 1\n");
    let all = [
        "install acme-zzz",
        "install ./nowhere",
        "uninstall acme-zzz",
        "update acme-zzz",
        "why acme-zzz",
        "info acme-zzz",
        "info acme-a@9",
        "info acme-a --readme",
        "enable acme-zzz",
        "disable acme-zzz",
        "rollback 9",
        "new acme-b",
        "package broken",
        "publish broken --registry main",
        "publish acme-b --registry nowhere",
        "yank acme-zzz@1.0.0 --reason x --registry main",
        "yank acme-a@9.0.0 --reason x --registry main",
        "registry init acme-b",
        "registry add main acme-b",
        "registry remove nothing",
        "registry check nowhere",
        "registry gc nowhere",
        "check nowhere",
        "man nothing",
        "load --only acme-zzz",
        "quarantine show acme-a",
        "install acme-zzz@^1 --locked",
    ];
    for text in all {
        let with = run(&sandbox, text);
        let without = sandbox.pintle(text.split(' '));
        assert_ne!(with.code, 0, "{text}");
        assert_eq!(with.code, without.code, "{text}");
        let document = with.json();
        assert_eq!(document["ok"], false, "{text}");
        assert_eq!(document["error"]["exit_code"], with.code, "{text}");
        let code = document["error"]["code"].as_str().unwrap();
        assert!(without.stderr.contains(&format!("error[{code}]")), "{text} is {code}:\n{without}");
        assert!(without.stdout.is_empty(), "{text} says on standard output:\n{without}");
    }
}

#[test]
fn case_90_a_command_line_that_can_not_be_parsed_is_answered_with_a_document() {
    let sandbox = Sandbox::new();
    let verbs = [
        "install",
        "uninstall",
        "update",
        "sync",
        "lock",
        "list",
        "tree",
        "why",
        "outdated",
        "search",
        "info",
        "enable",
        "disable",
        "history",
        "rollback",
        "verify",
        "gc",
        "cache size",
        "cache",
        "new",
        "check",
        "package",
        "publish",
        "yank",
        "registry check",
        "registry",
        "completions",
        "man",
        "exec",
        "load",
        "ledger",
        "quarantine",
        "quarantine show",
        "tour",
    ];
    for verb in verbs {
        let text = format!("{verb} --no-such-option");
        let output = run(&sandbox, &text).fails(2, "usage");
        assert_eq!(output.raw_stdout.lines().count(), 1, "{text}");
        assert_eq!(sandbox.pintle(text.split(' ')).code, 2);
    }
    for text in
        ["", "instal", "why", "list --format", "yank acme-a", "update --precise 1.0.0", "list --color blue"]
    {
        let words = text.split(' ').filter(|word| !word.is_empty());
        let output = sandbox.command(["--format=json"]).args(words).run().fails(2, "usage");
        let message = output.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(!message.is_empty() && !message.ends_with(':'), "`{text}` is answered by `{message}`");
    }
    insta::assert_snapshot!(sandbox.pintle(["--format=json", "instal"]), @r#"
    {"schema":1,"ok":false,"error":{"code":"usage","exit_code":2,"message":"unrecognized subcommand 'instal'","causes":[],"help":["did you mean `install`?"]}}
    ---- exit code 2
    "#);
    insta::assert_snapshot!(sandbox.pintle(["--format=json", "why"]), @r#"
    {"schema":1,"ok":false,"error":{"code":"usage","exit_code":2,"message":"the following required arguments were not provided: <NAME>","causes":[],"help":[]}}
    ---- exit code 2
    "#);
}

#[test]
fn what_is_found_wrong_is_in_the_document_and_in_the_exit_code() {
    let sandbox = filled();
    remove(sandbox.extension("acme-a"));
    sandbox.write(&sandbox.work("broken/extension.toml"), "[extension]\nnme = 1\n");
    remove(sandbox.registry_dir("main").join("a"));
    let check = |text: &str, code: i32, pointer: &str| {
        let output = run(&sandbox, text).exits(code);
        let document = output.json();
        let found = document.pointer(pointer).and_then(serde_json::Value::as_array).unwrap();
        assert!(!found.is_empty(), "{text}: {document:#}");
    };
    check("verify", 4, "/broken");
    check("check broken", 1, "/problems");
    check("registry check main", 4, "/findings");
    check("outdated --exit-code", 1, "/outdated");
}

#[test]
fn the_document_of_a_change_says_everything_about_it() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-d", &["1.2.0"]);
    let package = sandbox.package("acme-a").depends("acme-d", "^1");
    package.permission("\"process.run\" = [\"git\"]").publish_to("main");
    let output = sandbox.allowing(["install", "acme-a"]).arg("--format=json").run().succeeds();
    let document = serde_json::to_string_pretty(&output.json()).unwrap();
    insta::assert_snapshot!(sandbox.normalise(&document), @r#"
    {
      "schema": 1,
      "verb": "install",
      "ok": true,
      "scope": {
        "kind": "user",
        "path": "[root]/home dir"
      },
      "dry_run": false,
      "changed": true,
      "generation": 1,
      "wishes_changed": true,
      "lock_changed": true,
      "changes": [
        {
          "name": "acme-a",
          "change": "add",
          "from": null,
          "to": "1.0.0",
          "source": {
            "kind": "registry",
            "registry": "main"
          },
          "linked": false,
          "runtime": "process",
          "permissions": {
            "process.run": [
              "git"
            ]
          },
          "sentences": [
            {
              "permission": "process.run",
              "sentence": "run these programs, as you: git",
              "risk": "high"
            }
          ]
        },
        {
          "name": "acme-d",
          "change": "add",
          "from": null,
          "to": "1.2.0",
          "source": {
            "kind": "registry",
            "registry": "main"
          },
          "linked": false,
          "runtime": "process",
          "permissions": {},
          "sentences": []
        }
      ],
      "fetches": [
        {
          "name": "acme-a",
          "version": "1.0.0",
          "target": "any",
          "bytes": 321
        },
        {
          "name": "acme-d",
          "version": "1.2.0",
          "target": "any",
          "bytes": 288
        }
      ],
      "asks": [],
      "accept_permissions": null,
      "granted": [
        {
          "name": "acme-a",
          "version": "1.0.0",
          "tree": "sha256:[digest]",
          "folder": null,
          "permissions": {
            "process.run": [
              "git"
            ]
          },
          "sentences": [
            {
              "permission": "process.run",
              "sentence": "run these programs, as you: git",
              "risk": "high"
            }
          ],
          "at": "2030-01-10T12:00:00Z",
          "how": "flag",
          "from": null
        }
      ],
      "notes": []
    }
    "#);
    let output = sandbox.pintle(["list", "--format", "json"]).succeeds();
    let document = serde_json::to_string_pretty(&output.json()["extensions"][0]).unwrap();
    insta::assert_snapshot!(sandbox.normalise(&document), @r#"
    {
      "name": "acme-a",
      "version": "1.0.0",
      "source": {
        "kind": "registry",
        "registry": "main"
      },
      "target": "any",
      "tree": "sha256:[digest]",
      "wish": "^1.0.0",
      "pinned": false,
      "disabled": null,
      "undecided": false,
      "left_out": null,
      "required": false,
      "quarantined": false,
      "runtime": "process",
      "permissions": {
        "process.run": [
          "git"
        ]
      },
      "sentences": [
        {
          "permission": "process.run",
          "sentence": "run these programs, as you: git",
          "risk": "high"
        }
      ],
      "granted": true,
      "hosts": {
        "agent": ">=1.0, <2"
      },
      "dependencies": {
        "acme-d": "^1"
      }
    }
    "#);
}

#[test]
fn case_90_warnings_never_reach_standard_output() {
    let sandbox = filled();
    sandbox.pintle(["yank", "acme-a@1.0.0", "--reason", "x", "--registry", "main"]).succeeds();
    sandbox.write(&sandbox.home("state/disabled.json"), "{");
    for text in ["list", "update -n", "outdated", "info acme-a"] {
        let output = sandbox.command(text.split(' ')).arg("--format=json").env("RUST_LOG", "trace").run();
        output.succeeds().json();
    }
}
