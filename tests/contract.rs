//! `pintle contract`: what a host promises is shown whole and by its parts, a contract is checked at its places, and
//! the step from one version to the next is judged.

use crate::kit::Sandbox;
use serde_json::{Value, json};

const AGENT: &str = include_str!("../cli/src/host/agent.toml");

/// Writes a contract that differs from the agent's by these edits, each of exactly one place.
#[track_caller]
fn write(sandbox: &Sandbox, name: &str, edits: &[(&str, &str)]) {
    let mut text = AGENT.to_owned();
    for (from, to) in edits {
        assert_eq!(text.matches(from).count(), 1, "{from:?} is there once");
        text = text.replacen(from, to, 1);
    }
    sandbox.write(&sandbox.work(name), text);
}

const V1: &str = "version = \"1.0.0\"";
const LOG: &str = "[calls.log]\ndoes = \"Writes to the log of the extension\"\narguments = \"LogLine\"\nreturns = \"Nothing\"\n";

#[test]
fn the_whole_contract_fits_a_terminal_and_answers_five_questions() {
    let sandbox = Sandbox::new();
    let shown = sandbox.pintle(["contract", "show"]).succeeds();
    let wide: Vec<&str> = shown.stdout.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    let mut at = 0;
    for heading in [
        "When the host calls",
        "What it hands over",
        "What it reads back",
        "How an extension may act: what it may ask of the host",
        "How an extension may act: what it may fill",
        "How an extension may act: what a person is asked to allow",
        "What is enforced by the host",
        "What is only trusted",
    ] {
        let found = shown.stdout[at..].find(&format!("\n{heading}\n"));
        at += found.unwrap_or_else(|| panic!("`{heading}` in its order:\n{}", shown.stdout));
    }
    for part in ["tool.call", "process.run", "status", "ui.prompt", "guard: continue, replace, ask, block"] {
        assert!(shown.stdout.contains(part), "{part}");
    }
    assert_eq!(shown.stderr, "");
}

#[test]
fn one_hook_is_shown_whole() {
    let sandbox = Sandbox::new();
    let shown = sandbox.pintle(["contract", "show", "tool.result"]).succeeds();
    insta::assert_snapshot!(shown, @r#"
    tool.result, a hook of agent 1.0.0: transform

    When the host calls
      After a command has ended; the notes that are there at last are printed to
      standard error.
      Extensions are called one after the other, in the order of loading. Each gets
      what the last one made of it.
      A manifest can filter by `tool`, `program`.

    What it hands over
      id           text; the call that ended
      tool         `exec` or `shell`; as in the call
      program      text; as in the call
      exit_code    whole number or null; null if a signal ended it
      signal       whole number or null; the signal that ended it, or null
      duration_ms  whole number; how long it ran
      tail         text of at most 65536 characters; the last of its output, both
                   streams as they came
      truncated    true or false; whether there was more output than tail holds
      notes        list of at most 100, each text of at most 2000 characters; what
                   extensions have to say about it, a line each

    What it reads back
      continue  leave it as it is
      replace   go on with this payload
      A replacement can't change `id`, `tool`, `program`, `exit_code`, `signal`,
      `duration_ms`, `truncated`, and may leave them out.

    How an extension may act
      It has 5s of its own, not counting what it waits for the host, and 1m in all.
      While it runs it may ask of the host whatever it was granted; `pintle contract
      show` lists it.

    What is enforced, and what is only trusted
      If an extension fails or is late, it is passed over.
      The host checks the outcome, its types and the times, and compares the filters
      itself.
      A process or native extension runs with your full rights: permissions bind
      what it asks the host to do, not what it does by itself.
    ---- exit code 0
    "#);
}

#[test]
fn a_name_finds_all_that_is_called_so() {
    let sandbox = Sandbox::new();
    let shown = sandbox.pintle(["contract", "show", "process.run"]).succeeds();
    shown.says("process.run, a call of agent 1.0.0").says("process.run, a permission of agent 1.0.0");
    sandbox.pintle(["contract", "show", "status"]).succeeds().says("status, a slot of agent 1.0.0");
    let failed = sandbox.pintle(["contract", "show", "tool.cal"]).fails(1, "contract.unknown_name");
    failed.says("did you mean `tool.call`?");
}

#[test]
fn a_contract_of_another_host_is_shown_from_its_file() {
    let sandbox = Sandbox::new();
    write(&sandbox, "other.toml", &[("name = \"agent\"", "name = \"editor\"")]);
    sandbox.pintle(["contract", "show", "other.toml"]).succeeds().says("editor 1.0.0\n");
    let shown = sandbox.pintle(["contract", "show", "other.toml", "tool.call"]).succeeds();
    shown.says("tool.call, a hook of editor 1.0.0: guard");
    write(&sandbox, "wrong.toml", &[("kind = \"guard\"", "kind = \"gard\"")]);
    sandbox
        .pintle(["contract", "show", "wrong.toml"])
        .fails(1, "contract.invalid")
        .says("did you mean `guard`?");
    sandbox.pintle(["contract", "show", "none.toml"]).fails(1, "fs.not_found");
    sandbox.write(&sandbox.work("latin.toml"), b"a = \"\xe9\"\n");
    sandbox.pintle(["contract", "show", "latin.toml"]).fails(1, "contract.encoding");
}

#[test]
fn what_a_file_says_does_not_act_on_the_terminal() {
    let sandbox = Sandbox::new();
    let evil = "description = \"a\\u001b[2Jb\\u202ec\\u200bd\" }\nproperties.tool";
    let edit =
        ("description = \"the name of this call, the same in `tool.result`\" }\nproperties.tool", evil);
    write(&sandbox, "evil.toml", &[edit]);
    let shown = sandbox.pintle(["contract", "show", "evil.toml", "tool.call"]).succeeds();
    assert!(!shown.raw_stdout.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{}", shown.raw_stdout);
    shown.says("[2J");
}

#[test]
fn the_document_has_every_part_with_whole_schemas() {
    let sandbox = Sandbox::new();
    let document = sandbox.pintle(["contract", "show", "--format", "json"]).succeeds().json();
    let names = |key: &str| -> Vec<String> {
        let parts = document[key].as_array().unwrap().iter();
        parts.map(|part| part["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("hooks"), ["output.delta", "session.end", "session.start", "tool.call", "tool.result"]);
    assert_eq!(names("slots"), ["command", "status"]);
    assert_eq!(names("permissions"), ["fs.read", "process.run", "ui.prompt"]);
    let calls = [
        "bus.emit",
        "bus.subscribe",
        "clock.now",
        "clock.sleep",
        "fs.read",
        "log",
        "process.run",
        "release",
        "session.cwd",
        "store.get",
        "store.set",
        "timer.after",
        "ui.confirm",
        "ui.notify",
        "ui.select",
        "ui.status",
    ];
    assert_eq!(names("calls"), calls);
    assert_eq!(document["contract"]["version"], "1.0.0");
    let call = &document["hooks"][3];
    assert_eq!(call["outcomes"], json!(["continue", "replace", "ask", "block"]));
    assert_eq!(call["payload"]["$defs"]["Argv"]["minItems"], 1);
    assert!(!document["trusted"].as_array().unwrap().is_empty());
    let one = sandbox.pintle(["contract", "show", "log", "--format", "json"]).succeeds().json();
    assert_eq!((one["hooks"].clone(), one["calls"][0]["name"].clone()), (json!([]), json!("log")));
}

#[test]
fn one_contract_is_checked_at_its_places() {
    let sandbox = Sandbox::new();
    sandbox.pintle(["contract", "check", "agent"]).succeeds().says("agent 1.0.0: no problems\n");
    write(
        &sandbox,
        "wrong.toml",
        &[("payload = \"ToolCall\"", "payload = \"ToolCal\""), ("risk = \"low\"", "rsk = \"low\"")],
    );
    let checked = sandbox.pintle(["contract", "check", "wrong.toml"]).exits(1);
    insta::assert_snapshot!(checked, @r#"
    wrong.toml: 2 errors
    ---- standard error
    error[contract.leads_nowhere]: there is no type `ToolCal`
      --> wrong.toml:30:11
       |
    30 | payload = "ToolCal"
       |           ^^^^^^^^^
       |
       = help: did you mean `ToolCall`?

    error[contract.unknown_key]: unknown key `rsk` in `permissions."ui.prompt"`
       --> wrong.toml:178:1
        |
    178 | rsk = "low"
        | ^^^
        |
        = help: did you mean `risk`?

    ---- exit code 1
    "#);
    let document = sandbox.pintle(["contract", "check", "wrong.toml", "--format", "json"]).exits(1).json();
    assert_eq!(
        (&document["ok"], &document["errors"], &document["name"]),
        (&json!(false), &json!(2), &Value::Null)
    );
    assert_eq!(document["problems"][0]["code"], "contract.leads_nowhere");
    assert_eq!(document["problems"][0]["line"], 30);
}

#[test]
fn a_step_that_is_too_small_is_refused_with_the_one_that_will_do() {
    let check = |version: &str, edit: (&str, &str), code: i32, least: &str| {
        let sandbox = Sandbox::new();
        write(&sandbox, "new.toml", &[(V1, &format!("version = \"{version}\"")), edit]);
        let run = sandbox.pintle(["contract", "check", "agent", "new.toml"]);
        match code {
            0 => drop(run.succeeds().says(&format!("so {least} or later"))),
            _ => {
                drop(run.fails(1, "contract.bump_too_small").says(&format!("write `version = \"{least}\"`")))
            }
        }
    };
    let words = ("Tells the time", "Tells what time it is");
    let more = ("own_time = \"5s\"", "own_time = \"6s\"");
    let less = ("own_time = \"5s\"", "own_time = \"4s\"");
    check("1.0.0", words, 1, "1.0.1");
    check("1.0.1", words, 0, "1.0.1");
    check("1.0.1", more, 1, "1.1.0");
    check("1.1.0", more, 0, "1.1.0");
    check("1.9.0", less, 1, "2.0.0");
    check("2.0.0", less, 0, "2.0.0");
}

#[test]
fn each_difference_is_told_with_its_place_and_its_reason() {
    let sandbox = Sandbox::new();
    write(
        &sandbox,
        "new.toml",
        &[
            (V1, "version = \"1.1.0\""),
            ("reserved = [\"help\"]", "reserved = [\"help\", \"exit\"]"),
            ("own_time = \"5s\"", "own_time = \"6s\""),
            ("Tells the time", "Tells what time it is"),
        ],
    );
    let checked = sandbox.pintle(["contract", "check", "agent", "new.toml"]).exits(1);
    insta::assert_snapshot!(checked, @r#"
    patch   calls."clock.now".does: what it does is said in other words
            new.toml:112:1, for the call `clock.now`
            only words are different

    minor   hooks."tool.result".own_time: `own_time` goes from 5000 ms to 6000 ms
            new.toml:51:1, for the hook `tool.result`
            a callback has more time

    major   slots.command.reserved: the name `exit` is the host's
            new.toml:60:1, for the slot `command`
            an extension may have an entry of that name

    agent 1.0.0 to 1.1.0: 3 differences; needs a major step, so 2.0.0 or later
    ---- standard error
    error[contract.bump_too_small]: from 1.0.0 to 1.1.0 is too small a step: what is different needs a major one
    help: write `version = "2.0.0"`, or a later one
    ---- exit code 1
    "#);
    let document = sandbox.pintle(["contract", "check", "agent", "new.toml", "--format", "json"]);
    let document = document.fails(1, "contract.bump_too_small").json();
    let details = &document["error"]["details"];
    assert_eq!((&details["needs"], &details["least_version"]), (&json!("major"), &json!("2.0.0")));
    let keys: Vec<&Value> =
        details["differences"].as_array().unwrap().iter().map(|one| &one["keys"]).collect();
    assert_eq!(
        keys,
        [
            &json!(["calls", "clock.now", "does"]),
            &json!(["hooks", "tool.result", "own_time"]),
            &json!(["slots", "command", "reserved"]),
        ]
    );
}

#[test]
fn a_removal_before_its_time_is_refused_whatever_the_step() {
    let sandbox = Sandbox::new();
    let gone = [(LOG, ""), ("[types.LogLine]", "[types.Emission2]")];
    write(&sandbox, "gone.toml", &[&[(V1, "version = \"9.0.0\"")], gone.as_slice()].concat());
    let refused =
        sandbox.pintle(["contract", "check", "agent", "gone.toml"]).fails(1, "contract.removed_early");
    refused.says("1.0.0 does not deprecate it").says("no version admits 1 of them yet");

    let deprecated = format!(
        "{LOG}deprecated = {{ since = \"1.1.0\", remove_in = \"2.0.0\", instead = \"ui.notify\" }}\n"
    );
    write(&sandbox, "v1.1.toml", &[(V1, "version = \"1.1.0\""), (LOG, &deprecated)]);
    write(&sandbox, "v1.2.toml", &[(V1, "version = \"1.2.0\""), (LOG, &deprecated)]);
    write(&sandbox, "v1.3.toml", &[&[(V1, "version = \"1.3.0\"")], gone.as_slice()].concat());
    write(&sandbox, "v2.toml", &[&[(V1, "version = \"2.0.0\"")], gone.as_slice()].concat());
    let check = |old: &str, new: &str, expected: Result<(), &str>| {
        let run = sandbox.pintle(["contract", "check", old, new]);
        match expected {
            Ok(()) => drop(run.succeeds()),
            Err(because) => drop(run.fails(1, "contract.removed_early").says(because)),
        }
    };
    check("agent", "v1.1.toml", Ok(()));
    check("v1.1.toml", "v1.2.toml", Ok(()));
    check("v1.2.toml", "v1.3.toml", Err("1.2.0 promises it until 2.0.0, and this is 1.3.0"));
    check("v1.1.toml", "v2.toml", Err("no minor release lies between"));
    check("v1.2.toml", "v2.toml", Ok(()));
}

#[test]
fn contracts_that_are_no_two_versions_of_one_are_not_compared() {
    let sandbox = Sandbox::new();
    write(&sandbox, "other.toml", &[("name = \"agent\"", "name = \"editor\"")]);
    write(&sandbox, "new.toml", &[(V1, "version = \"1.1.0\"")]);
    sandbox.pintle(["contract", "check", "agent", "other.toml"]).fails(1, "contract.another_host");
    sandbox.pintle(["contract", "check", "new.toml", "agent"]).fails(1, "contract.backwards");
    sandbox.pintle(["contract", "check", "agent", "agent"]).succeeds().says("no difference");
    sandbox.pintle(["contract", "check", "agent", "new.toml"]).succeeds().says("no difference");
}
