//! Whether an extension fits a contract, and what its author is told where it does not.

use crate::check::{Edit, contract, edited};
use pintle_manifest::{Contract, Problem, Severity, misfits, misfits_in, parse};

const FITTING: &str = r#"manifest_version = 1
[extension]
name = "fitting"
version = "0.1.0"
description = "Fits"
license = "MIT"
[hosts.agent]
api_version = ">=1.0, <2"
[entry]
runtime = "process"
command = ["node", "main.mjs"]
[hooks."tool.call"]
filter = { program = "git" }
own_time = "5s"
[hooks."session.start"]
[permissions]
"process.run" = ["git"]
"ui.prompt" = true
[slots.command.blame]
description = "Says who it was"
"#;

/// The contract that the manifests of these tests are held against.
fn agent() -> Contract {
    let text = include_str!("../../../cli/src/host/agent.toml");
    Contract::parse(text).expect("the agent contract is right")
}

#[track_caller]
fn told(contract: &Contract, text: &str) -> Vec<String> {
    let parsed = parse(text.as_bytes());
    let manifest = parsed.manifest.unwrap_or_else(|| panic!("{:#?}\n{text}", parsed.problems));
    let one = |problem: &Problem| {
        let (line, column) = problem.line_column(text);
        let severity = match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let help = problem.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{line}:{column} {severity} {}: {}{help}", problem.code, problem.message)
    };
    misfits_in(text, contract, &manifest).iter().map(one).collect()
}

#[track_caller]
fn check(edits: &[Edit<'_>], expected: &[&str]) {
    assert_eq!(told(&agent(), &edited(FITTING, edits)), expected, "{edits:?}");
}

#[test]
fn what_fits_is_not_spoken_of() {
    check(&[], &[]);
}

#[test]
fn case_77_a_name_that_the_contract_has_not_is_an_error_at_its_place() {
    check(
        &[("[hooks.\"session.start\"]", "[hooks.\"session.strat\"]")],
        &[
            "15:8 error compat.unknown: `agent` 1.0.0 has no hook named `session.strat` (did you mean `session.start`?)",
        ],
    );
    check(
        &[("[hooks.\"session.start\"]", "[hooks.frobnicate]")],
        &[
            "15:8 error compat.unknown: `agent` 1.0.0 has no hook named `frobnicate` (see the contract of `agent`: `pintle contract show`, with its file if it is not built in)",
        ],
    );
    check(
        &[("{ program = \"git\" }", "{ tool = \"exec\", progam = \"git\" }")],
        &[
            "13:27 error compat.unknown: `agent` 1.0.0 has no filter of `tool.call` named `progam` (did you mean `program`?)",
        ],
    );
    check(
        &[("\"process.run\"", "\"process.runn\"")],
        &[
            "17:1 error compat.unknown: `agent` 1.0.0 has no permission named `process.runn` (did you mean `process.run`?)",
        ],
    );
    check(
        &[("slots.command", "slots.commands")],
        &["19:8 error compat.unknown: `agent` 1.0.0 has no slot named `commands` (did you mean `command`?)"],
    );
}

#[test]
fn every_problem_is_told_in_order_of_place_also_behind_a_byte_order_mark() {
    let edits = [
        ("manifest_version", "\u{feff}manifest_version"),
        ("slots.command", "slots.x"),
        ("\"tool.call\"", "\"tool.cal\""),
    ];
    let lines = told(&agent(), &edited(FITTING, &edits));
    let starts: Vec<&str> = lines.iter().filter_map(|line| line.split(" error ").next()).collect();
    assert_eq!(starts, ["12:8", "19:8"]);
}

#[test]
fn another_version_of_the_host_is_a_warning_and_ends_the_matter() {
    check(
        &[(">=1.0, <2", ">=2.0, <3"), ("\"tool.call\"", "\"tool.of_the_future\"")],
        &["8:1 warning compat.api_version: it needs `agent` >=2.0, <3, and this host has 1.0.0"],
    );
    check(
        &[("[hosts.agent]", "[hosts.editor]"), ("\"tool.call\"", "\"key.pressed\"")],
        &["7:2 warning compat.other_host: it serves editor, and this host is `agent`"],
    );
}

#[test]
fn what_would_limit_or_give_nothing_is_said() {
    check(
        &[("\"ui.prompt\" = true", "\"ui.prompt\" = [\"confirm\"]")],
        &[
            "18:1 error compat.all_or_nothing: the permission `ui.prompt` is all or nothing, and a list would limit nothing (write `\"ui.prompt\" = true`)",
        ],
    );
    check(
        &[("\"5s\"", "\"11s\"")],
        &[
            "14:1 warning compat.own_time: `tool.call` gives an extension 10s of its own, and this asks for 11s (the contract's time holds; take it out, or ask for less)",
        ],
    );
    check(
        &[("command.blame", "command.help")],
        &[
            "19:16 warning compat.reserved: the slot `command` keeps the name `help` for the host; it will be called `help:2` (choose another name)",
        ],
    );
}

#[test]
fn what_goes_away_is_a_warning_that_names_what_to_use() {
    let contract = contract(&[]);
    let manifest = |hooks: &str| {
        format!(
            "manifest_version = 1\n[extension]\nname = \"old\"\nversion = \"0.1.0\"\ndescription = \"x\"\nlicense = \"MIT\"\n[hosts.{}]\napi_version = \"^1.0\"\n[entry]\nruntime = \"process\"\ncommand = [\"node\"]\n{hooks}",
            contract.name
        )
    };
    let check = |hooks: &str, expected: &[&str]| {
        assert_eq!(told(&contract, &manifest(hooks)), expected, "{hooks}");
    };
    check(
        "[hooks.opened]\n",
        &[
            "12:8 warning compat.deprecated: the hook `opened` is deprecated since 1.1.0 and gone in 2.0.0 (use `started` instead)",
        ],
    );
    check(
        "[hooks.opened]\n[hooks.started]\n",
        &[
            "12:8 warning compat.twice: `opened` is the old name of `started`, and both are used; it is called by the new one alone (take out `opened`)",
        ],
    );
}

#[test]
fn what_a_host_leaves_out_is_told_apart_from_what_it_only_remarks() {
    let check = |edit: Edit<'_>, expected: bool| {
        let manifest = parse(edited(FITTING, &[edit]).as_bytes()).manifest.expect("it is right");
        let found = misfits(&agent(), &manifest);
        let stops: Vec<bool> = found.iter().map(|misfit| misfit.kind.stops_load()).collect();
        assert_eq!(stops, [expected], "{edit:?}");
    };
    check((">=1.0, <2", ">=2.0, <3"), true);
    check(("[hosts.agent]", "[hosts.editor]"), true);
    check(("\"tool.call\"", "\"tool.cal\""), true);
    check(("\"ui.prompt\" = true", "\"ui.prompt\" = [\"x\"]"), true);
    check(("\"5s\"", "\"11s\""), false);
    check(("command.blame", "command.help"), false);
}
