//! Which extensions a host loads: those of the person, of the project and of the command line, each name once; and what
//! becomes of a command when that can't be known, or something that is required is not ready.

use crate::kit::{Actor, Output, Run, Sandbox, assert_nothing_runs, remove};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

fn marking(text: &str) -> Value {
    json!([{ "mark": text }])
}

/// An actor that marks each command that it sees.
fn guard<'a>(sandbox: &'a Sandbox, name: &str, version: &str) -> Actor<'a> {
    sandbox.actor(name).version(version).at("tool.call", marking(version))
}

fn exec(sandbox: &Sandbox, words: &[&str]) -> Output {
    let output = sandbox.command(["exec"]).args(words).run();
    assert_nothing_runs(sandbox);
    output
}

/// Makes the work directory a project with a set of its own.
fn project(sandbox: &Sandbox, wish: &str) {
    let registry = sandbox.registry_dir("main");
    sandbox.command(["registry", "add", "main", "--project"]).arg(&registry).run().succeeds();
    sandbox.pintle(["install", "--project", wish]).succeeds();
}

#[test]
fn case_81_the_command_line_beats_the_project_and_the_project_beats_the_person() {
    let sandbox = Sandbox::with_registry();
    guard(&sandbox, "acme-a", "1.0.0").install();
    guard(&sandbox, "acme-b", "1.0.0").install();
    guard(&sandbox, "acme-a", "2.0.0").publish();
    project(&sandbox, "acme-a@2.0.0");
    let dev = guard(&sandbox, "acme-a", "3.0.0").folder();
    let seen = |words: &[&str], run: &dyn Fn(&[&str]) -> Output| {
        let before = (sandbox.marks("acme-a").len(), sandbox.marks("acme-b").len());
        run(words).succeeds();
        (sandbox.marks("acme-a").split_off(before.0), sandbox.marks("acme-b").split_off(before.1))
    };
    let run = |words: &[&str]| exec(&sandbox, words);
    let elsewhere = |words: &[&str]| sandbox.command(["exec"]).args(words).at(sandbox.root()).run();
    let check = |(a, b): (Vec<String>, Vec<String>), expected: [&str; 2]| {
        let mark = |version: &str| match version {
            "" => Vec::new(),
            version => vec![format!("tool.call \"{version}\"")],
        };
        assert_eq!((a, b), (mark(expected[0]), mark(expected[1])));
    };
    check(seen(&["--", "true"], &run), ["2.0.0", "1.0.0"]);
    check(seen(&["--user", "--", "true"], &run), ["1.0.0", "1.0.0"]);
    check(seen(&["--", "true"], &elsewhere), ["1.0.0", "1.0.0"]);
    let with = ["--with", dev.to_str().unwrap(), "--", "true"];
    check(seen(&with, &run), ["3.0.0", "1.0.0"]);
    check(seen(&["--", "true"], &run), ["2.0.0", "1.0.0"]);
    check(seen(&["--only", "acme-b", "--", "true"], &run), ["", "1.0.0"]);
    check(seen(&["--without", "acme-b", "--", "true"], &run), ["2.0.0", ""]);
    check(seen(&["--only", "acme-a,acme-b", "--without", "acme-a", "--", "true"], &run), ["", "1.0.0"]);
    // Whoever asks is told who takes whose place.
    let loaded = sandbox.command(["load", "--format=json"]).run().succeeds().json();
    let shadowed = loaded["extensions"].as_array().unwrap().iter().filter(|one| one["ready"] == false);
    let shadowed: Vec<_> = shadowed.map(|one| one["version"].as_str().unwrap().to_owned()).collect();
    assert_eq!(shadowed, ["1.0.0"], "{loaded:#}");
    // A copy that was turned off at home is off; one that is named on the command line is meant.
    sandbox.pintle(["disable", "acme-a", "--user"]).succeeds();
    check(seen(&["--", "true"], &run), ["", "1.0.0"]);
    check(seen(&with, &run), ["3.0.0", "1.0.0"]);
}

#[test]
fn what_a_project_brings_replaces_nothing_in_silence_and_nothing_that_its_owner_requires() {
    let sandbox = Sandbox::new();
    let block = json!([{ "answer": { "block": "not here" } }]);
    let own = sandbox
        .actor("acme-a")
        .at("tool.call", block)
        .with(|package| package.folder(sandbox.root().join("own")));
    let own = own.folder();
    sandbox.command(["install"]).arg(&own).run().succeeds();
    let run = |words: &[&str]| sandbox.command(words).run();
    run(&["exec", "--", "echo", "ran"]).exits(126);
    sandbox
        .actor("acme-a")
        .version("2.0.0")
        .at("tool.call", json!([]))
        .with(|package| package.folder(sandbox.work("theirs")))
        .folder();
    sandbox.write(&sandbox.work("pintle.toml"), "[extensions]\nacme-a = { path = \"theirs\" }\n");
    run(&["sync"]).succeeds();
    insta::assert_snapshot!(run(&["exec", "--", "echo", "ran"]), @"
    ran
    ---- standard error
    warning: `acme-a` is left out, at the stage trust: the project's `acme-a` (2.0.0) takes its place [trust.shadowed]
    ---- exit code 0
    ");
    // What it needs no word for is the very same files, or what this run names itself.
    let named = sandbox.command(["exec", "--with"]).arg(&own).args(["--", "echo", "ran"]).run().exits(126);
    assert_eq!(named.stderr.matches("warning").count(), 0, "{named}");
    // What its owner requires stays.
    let wishes = sandbox.read(&sandbox.home("pintle.toml")).replace("/own\" }", "/own\", required = true }");
    sandbox.write(&sandbox.home("pintle.toml"), &wishes);
    insta::assert_snapshot!(run(&["exec", "--", "echo", "ran"]), @"
    ---- standard error
    warning: `acme-a` is left out, at the stage trust: a required `acme-a` (1.0.0) takes its place [trust.shadowed]
    error[guard.blocked]: `acme-a` blocked `echo ran`
      caused by: not here
    ---- exit code 126
    ");
    run(&["load"]).succeeds().says("a required `acme-a` (1.0.0) takes its place");
}

#[test]
fn what_is_required_stays_so_when_the_file_that_says_it_is_gone() {
    let sandbox = Sandbox::new();
    let folder = sandbox.actor("acme-a").when("start", json!([{ "exit": 3 }])).folder();
    sandbox.command(["install"]).arg(&folder).run().succeeds();
    let wishes = sandbox.read(&sandbox.home("pintle.toml")).replace("\" }", "\", required = true }");
    sandbox.write(&sandbox.home("pintle.toml"), &wishes);
    sandbox.pintle(["sync"]).succeeds().says("Recorded what is required (generation 2)");
    sandbox.pintle(["sync"]).succeeds().says("Nothing to do");
    remove(sandbox.home("pintle.toml"));
    exec(&sandbox, &["--", "true"]).fails(126, "exec.required");
}

#[test]
fn case_42_one_extension_by_two_paths_is_loaded_once_and_links_are_followed() {
    let sandbox = Sandbox::with_registry();
    let folder = sandbox
        .actor("acme-a")
        .at("tool.call", marking("here"))
        .offers("acme", json!([{ "answer": { "handled": {} } }]))
        .folder();
    let link = sandbox.root().join("link");
    std::os::unix::fs::symlink(&folder, &link).unwrap();
    let both = ["--with", folder.to_str().unwrap(), "--with", link.to_str().unwrap()];
    exec(&sandbox, &[&both[..], &["--", "true"]].concat()).succeeds();
    assert_eq!(sandbox.marks("acme-a").len(), 1);
    exec(&sandbox, &[&both[..], &["--command", "acme"]].concat()).succeeds();
    // Linked into the set, and the home itself behind a link.
    sandbox.command(["install"]).arg(&link).run().succeeds();
    let home = sandbox.root().join("home link");
    std::os::unix::fs::symlink(sandbox.home(""), &home).unwrap();
    let run = sandbox.command(["exec", "--", "true"]).env("PINTLE_HOME", &home);
    assert_eq!(run.run().succeeds().stderr, "");
    assert_eq!(sandbox.marks("acme-a").len(), 2);
    // What is gone is one line, and costs nobody else anything.
    guard(&sandbox, "acme-b", "1.0.0").install();
    remove(&folder);
    insta::assert_snapshot!(exec(&sandbox, &["--", "echo", "on"]), @"
    on
    ---- standard error
    warning: `acme-a` is left out, at the stage install: `[root]/packages/acme-a-1.0.0-any` is neither a folder with an `extension.toml` nor a package archive [install.unreadable]
    ---- exit code 0
    ");
    assert_eq!(sandbox.marks("acme-b").len(), 1);
}

#[test]
fn case_71_of_what_is_off_no_file_is_opened() {
    let sandbox = Sandbox::with_registry();
    guard(&sandbox, "acme-a", "1.0.0").when("start", marking("started")).install();
    guard(&sandbox, "acme-b", "1.0.0").install();
    let root = sandbox.extension("acme-a");
    sandbox.pintle(["disable", "acme-a", "--reason", "it leaks"]).succeeds();
    let opened = opened_by(&sandbox, sandbox.command(["exec", "--", "true"]));
    assert!(opened.iter().any(|path| path.contains("acme-b") || path.contains("script.json")), "{opened:#?}");
    let of_a: Vec<_> = opened.iter().filter(|path| path.starts_with(&*root.to_string_lossy())).collect();
    assert!(of_a.is_empty(), "{of_a:#?}");
    assert_eq!((sandbox.marks("acme-a").len(), sandbox.marks("acme-b").len()), (0, 1));
    // A person expects it, so it is no line at each command; who asks is told why.
    assert_eq!(exec(&sandbox, &["--", "true"]).stderr, "");
    sandbox.pintle(["load"]).succeeds().says("it is disabled (it leaks)");
}

#[test]
fn what_is_there_for_another_host_is_no_line_and_nothing_wrong() {
    let sandbox = Sandbox::with_registry();
    let wishes = std::fs::read_to_string(sandbox.home("pintle.toml")).unwrap();
    let both = "[hosts]\nagent = \"1.0.0\"\nnotes = \"1.0.0\"\n";
    sandbox.write(&sandbox.home("pintle.toml"), &(wishes + both));
    guard(&sandbox, "acme-a", "1.0.0").install();
    let folder = sandbox.package("acme-b").host("notes", ">=1.0, <2").write();
    sandbox.command(["install"]).arg(&folder).run().succeeds();
    assert_eq!(exec(&sandbox, &["--", "true"]).succeeds().stderr, "");
    assert_eq!(sandbox.marks("acme-a").len(), 1);
    sandbox.pintle(["load"]).succeeds().says("other acme-b 1.0.0  at compat: it serves notes");
    sandbox.pintle(["doctor"]).succeeds().says("nothing is wrong");
    // Who names its folder wants it to run here.
    exec(&sandbox, &["--with", folder.to_str().unwrap(), "--", "true"]).succeeds().says("compat.other_host");
    // Who can't do without it, too.
    let wishes = std::fs::read_to_string(sandbox.home("pintle.toml")).unwrap();
    let required = wishes.replace("-any\" }", "-any\", required = true }");
    assert_ne!(wishes, required);
    sandbox.write(&sandbox.home("pintle.toml"), &required);
    exec(&sandbox, &["--", "true"]).fails(126, "exec.required");
    sandbox.pintle(["doctor"]).fails(1, "").says("compat.other_host");
}

/// Runs something under `strace`, and returns every path that was opened or run.
fn opened_by(sandbox: &Sandbox, run: Run<'_>) -> Vec<String> {
    let log = sandbox.root().join("strace");
    run.traced(&log).run().succeeds();
    let text = String::from_utf8_lossy(&std::fs::read(&log).unwrap()).into_owned();
    let calls = text.lines().filter(|line| line.contains("open") || line.contains("exec"));
    calls.filter_map(|line| line.split('"').nth(1)).map(str::to_owned).collect()
}

/// Everything that can be wrong with a home, by name.
fn damage(sandbox: &Sandbox, what: &str) {
    let home = |path: &str| sandbox.home(path);
    match what {
        "set" => {
            let file = home("current/set.json").canonicalize().unwrap();
            make_writable(file.parent().unwrap());
            make_writable(&file);
            sandbox.write(&file, "{");
        }
        "current" => {
            std::fs::remove_file(home("current")).unwrap();
            std::os::unix::fs::symlink("generations/77", home("current")).unwrap();
        }
        "disabled" => sandbox.write(&home("state/disabled.json"), "{"),
        "grants" => sandbox.write(&home("trust/grants.json"), "{\"version\":99}"),
        "wishes" => sandbox.write(&home("pintle.toml"), "[extensions\n"),
        other => panic!("{other}"),
    }
}

fn make_writable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = if path.is_dir() { 0o755 } else { 0o644 };
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_set_that_can_not_be_known_refuses_the_command_and_names_the_way_out() {
    for (what, code) in [
        ("set", "state.unreadable"),
        ("current", "state.unreadable"),
        ("disabled", "state.unreadable"),
        ("grants", "state.newer"),
        ("wishes", "wishes.invalid"),
    ] {
        let sandbox = Sandbox::with_registry();
        guard(&sandbox, "acme-a", "1.0.0").install();
        damage(&sandbox, what);
        let output = exec(&sandbox, &["--", "touch", "ran"]);
        assert_eq!(output.code, 126, "{what}: {output}");
        let output = output.fails(126, code).says("--no-extensions");
        assert!(!sandbox.work("ran").exists() && sandbox.marks("acme-a").is_empty(), "{what}: {output}");
        // It is the same for whoever only looks.
        sandbox.pintle(["load"]).exits(1);
        exec(&sandbox, &["--no-extensions", "--", "touch", "ran"]).succeeds();
        assert!(sandbox.work("ran").exists(), "{what}");
    }
}

#[test]
fn without_extensions_nothing_is_read_and_nothing_that_is_broken_matters() {
    let sandbox = Sandbox::with_registry();
    guard(&sandbox, "acme-a", "1.0.0").when("start", marking("started")).install();
    project(&sandbox, "acme-a@1.0.0");
    let plain = |run: Run<'_>| {
        let output = run.run().exits(5);
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ran\n", ""), "{output}");
    };
    let words = ["exec", "--no-extensions", "--", "sh", "-c", "echo ran; exit 5"];
    let by_variable = ["exec", "--", "sh", "-c", "echo ran; exit 5"];
    for what in ["set", "current", "disabled", "grants", "wishes"] {
        damage(&sandbox, what);
        plain(sandbox.command(words));
        plain(sandbox.command(by_variable).env("PINTLE_NO_EXTENSIONS", "1"));
    }
    sandbox.write(&sandbox.work("pintle.toml"), "not = [toml");
    sandbox.write(&sandbox.work("pintle.lock"), "<<<<<<<");
    plain(sandbox.command(words));
    // No file of the home or the project is looked at, so it may as well not be there.
    let opened = opened_by(&sandbox, sandbox.command(["exec", "--no-extensions", "--", "true"]));
    let of_ours: Vec<_> = opened
        .iter()
        .filter(|path| path.starts_with(&*sandbox.root().to_string_lossy()) || path.contains("pintle.toml"))
        .collect();
    assert!(of_ours.is_empty(), "{of_ours:#?}");
    remove(sandbox.home(""));
    plain(sandbox.command(words));
    assert!(!sandbox.home("").exists(), "nothing is made either");
    sandbox.write(&sandbox.home(""), "a file where the home should be");
    plain(sandbox.command(words));
    plain(sandbox.command(words).without_env("PINTLE_HOME").without_env("HOME"));
    assert_eq!(sandbox.marks("acme-a"), [""; 0]);
    // Not even what a host needs of the system is needed.
    let pintle = env!("CARGO_BIN_EXE_pintle");
    let few = |words: &str| {
        let script = format!("ulimit -n 6; '{pintle}' {words}; echo $?");
        let output =
            Command::new("/bin/sh").args(["-c", &script]).current_dir(sandbox.root()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(few("exec --no-extensions -- echo ran"), "ran\n0\n");
    assert_eq!(few("--home none exec -- echo ran"), "126\n");
    // Zero means what it says.
    let run = sandbox.command(["exec", "--", "true"]).env("PINTLE_NO_EXTENSIONS", "0");
    assert_ne!(run.run().code, 0, "the project can't be read");
}

#[test]
fn a_limit_on_the_size_of_files_is_told_and_ends_whom_it_is_for() {
    let sandbox = Sandbox::with_registry();
    guard(&sandbox, "acme-a", "1.0.0").install();
    let limited = |words: &[&str]| sandbox.command(words).after("ulimit -f 0").run();
    limited(&["disable", "acme-a"]).fails(1, "fs.io").says("File too large");
    // The extension writes a file, and ends.
    let output = limited(&["exec", "--", "true"]).exits(126).says("ended by signal 25 (SIGXFSZ)");
    output.says("can't write `[root]/home dir/run/hosts/").says("File too large");
    let kill = ["--", "sh", "-c", "kill -XFSZ $$"];
    // A command has the signal as it was.
    sandbox.pintle(["disable", "acme-a"]).succeeds();
    let other = sandbox.actor("acme-b").at("output.delta", json!([])).folder();
    sandbox.command(["exec", "--with"]).arg(other).args(kill).run().exits(128 + 25);
}

#[test]
fn a_home_that_can_not_be_written_costs_what_is_kept_and_no_command() {
    let sandbox = Sandbox::with_registry();
    guard(&sandbox, "acme-a", "1.0.0").install();
    let _read_only = sandbox.read_only_home();
    let output = sandbox.command(["exec", "--", "echo", "ran"]).by_nobody().run();
    let output = output.succeeds();
    assert_eq!(output.stdout, "ran\n");
    assert_eq!(output.stderr.lines().count(), 1, "{output}");
    output.says("can't make `[root]/home dir/run/hosts/").says("; the host goes on without it");
    sandbox.command(["doctor"]).by_nobody().run().succeeds().says("doctor.read_only");
}

#[test]
fn what_is_required_and_not_ready_refuses_the_command() {
    let sandbox = Sandbox::with_registry();
    guard(&sandbox, "acme-a", "1.0.0").install();
    guard(&sandbox, "acme-b", "1.0.0").when("start", json!([{ "exit": 3 }])).install();
    let require = |names: &[&str]| {
        let text = sandbox.read(&sandbox.home("pintle.toml"));
        let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("acme-")).collect();
        let wishes: String = ["acme-a", "acme-b", "acme-c"]
            .iter()
            .filter(|name| **name != "acme-c" || names.contains(name))
            .map(|name| match names.contains(name) {
                true => format!("{name} = {{ version = \"^1\", required = true }}\n"),
                false => format!("{name} = \"^1\"\n"),
            })
            .collect();
        let at = kept.iter().position(|line| *line == "[extensions]").expect("there is a table of wishes");
        let (before, after) = kept.split_at(at + 1);
        sandbox.write(&sandbox.home("pintle.toml"), [before.join("\n"), wishes, after.join("\n")].join("\n"));
    };
    // One that fails is one line, and costs nothing else.
    insta::assert_snapshot!(exec(&sandbox, &["--", "echo", "ran"]), @"
    ran
    ---- standard error
    warning: `acme-b` is left out, at the stage load: it ended before the handshake, with exit code 3 [protocol.no_handshake]
    help: `pintle disable acme-b` turns it off
    ---- exit code 0
    ");
    require(&["acme-a"]);
    exec(&sandbox, &["--", "true"]).succeeds();
    require(&["acme-b"]);
    insta::assert_snapshot!(exec(&sandbox, &["--", "echo", "ran"]), @"
    ---- standard error
    warning: `acme-b` is in quarantine now: 3 starts in a row went wrong; see `pintle quarantine show acme-b`
    error[exec.required]: `acme-b` is required and not ready, so the command is not run
      caused by: stage load: it ended before the handshake, with exit code 3 (protocol.no_handshake)
    help: an extension answers `hello` on descriptor 3 with `ready` on 4
    help: to run it without any extension: `--no-extensions`
    ---- exit code 126
    ");
    require(&["acme-c"]);
    insta::assert_snapshot!(exec(&sandbox, &["--", "echo", "ran"]), @"
    ---- standard error
    warning: `acme-b` is left out, at the stage trust: it is in quarantine: 3 starts in a row went wrong; the last: it ended before the handshake, with exit code 3 [trust.quarantined]
    help: `pintle quarantine release acme-b` lets it run again
    error[exec.required]: `acme-c` is required and not ready, so the command is not run
      caused by: stage install: it is required and not installed; run `pintle sync` (install.unreadable)
    help: to run it without any extension: `--no-extensions`
    ---- exit code 126
    ");
    require(&["acme-a"]);
    sandbox.pintle(["disable", "acme-a"]).succeeds();
    insta::assert_snapshot!(exec(&sandbox, &["--", "echo", "ran"]), @"
    ---- standard error
    warning: `acme-b` is left out, at the stage trust: it is in quarantine: 3 starts in a row went wrong; the last: it ended before the handshake, with exit code 3 [trust.quarantined]
    help: `pintle quarantine release acme-b` lets it run again
    error[exec.required]: `acme-a` is required and not ready, so the command is not run
      caused by: stage trust: it is disabled (trust.disabled)
    help: turn it on with `pintle enable acme-a`
    help: to run it without any extension: `--no-extensions`
    ---- exit code 126
    ");
    insta::assert_snapshot!(exec(&sandbox, &["--without", "acme-a,acme-b", "--", "echo", "ran"]), @"
    ran
    ---- standard error
    warning: `acme-a` is required, and is left out as you asked
    ---- exit code 0
    ");
    exec(&sandbox, &["--no-extensions", "--", "true"]).succeeds();
    sandbox.pintle(["enable", "acme-a"]).succeeds();
    // A project can require what only the person has.
    sandbox.write(
        &sandbox.work("pintle.toml"),
        "[extensions]\nacme-b = { version = \"^1\", required = true }\n",
    );
    exec(&sandbox, &["--", "true"]).fails(126, "exec.required").says("`acme-b`");
}

#[test]
fn an_extension_that_was_not_granted_what_it_asks_for_is_not_run() {
    let sandbox = Sandbox::with_registry();
    let actor = guard(&sandbox, "acme-a", "1.0.0").when("start", marking("started"));
    actor.with(|package| package.permission("\"process.run\" = [\"git\"]")).install();
    exec(&sandbox, &["--", "true"]).succeeds();
    assert_eq!(sandbox.marks("acme-a").len(), 2);
    sandbox.pintle(["trust", "revoke", "acme-a"]).succeeds();
    insta::assert_snapshot!(exec(&sandbox, &["--", "echo", "ran"]), @"
    ran
    ---- standard error
    warning: `acme-a` is left out, at the stage trust: it asks for `process.run` (git), which nobody granted for these files [trust.not_granted]
    ---- exit code 0
    ");
    assert_eq!(sandbox.marks("acme-a").len(), 2);
    let hash = sandbox.command(["trust", "grant", "--dry-run", "--format=json"]).run().json();
    let hash = hash["accept_permissions"].as_str().unwrap().to_owned();
    sandbox.pintle(["trust", "grant", "--accept-permissions", &hash]).succeeds();
    assert_eq!(exec(&sandbox, &["--", "true"]).succeeds().stderr, "");
    // Files that are not those that were approved do not run.
    let script = sandbox.extension("acme-a").join("script.json");
    make_writable(script.parent().unwrap());
    make_writable(&script);
    let text = sandbox.read(&script).replace("1.0.0", "1.0.1");
    sandbox.write(&script, text);
    insta::assert_snapshot!(exec(&sandbox, &["--", "echo", "ran"]), @"
    ran
    ---- standard error
    warning: `acme-a` is left out, at the stage install: its files are not those that were approved as sha256:[digest]: `script.json` has other bytes [install.changed]
    ---- exit code 0
    ");
}
