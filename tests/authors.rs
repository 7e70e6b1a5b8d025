//! What an author starts from: each template works as it is, and what would not be loaded is told before it is shipped.

use crate::kit::{ExtensionHost, RawEntry, Sandbox, archive_of};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the workspace.
fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Starts an extension in the work directory, and builds it if it must be built.
fn started(sandbox: &Sandbox, template: &str) -> PathBuf {
    let run = sandbox.command(["new", "my-ext", "--template", template]);
    let run = if template == "rust" { run.arg("--sdk").arg(checkout().join("sdk")) } else { run };
    run.run().succeeds();
    let folder = sandbox.work("my-ext");
    if template == "rust" {
        build(&folder);
    }
    folder
}

/// Builds with the versions of this workspace, which are on this machine, and keeps what was built for the next run.
fn build(folder: &Path) {
    std::fs::copy(checkout().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let built = Command::new(folder.join("build"))
        .arg("--offline")
        .env("CARGO", env!("CARGO"))
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-rust"))
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

fn tool_call(line: &str) -> Value {
    let argv: Vec<&str> = line.split(' ').collect();
    json!({
        "id": "c1", "tool": "exec", "program": argv[0], "argv": argv, "cwd": "/", "line": line, "interactive": true,
    })
}

/// Takes an extension through its life by hand.
fn drive(folder: &Path) {
    let mut host = ExtensionHost::start(folder);
    let ready = json!({ "protocol": 1, "extension": "my-ext", "version": "0.1.0", "hooks": ["tool.call"] });
    assert_eq!(host.greet("my-ext"), json!({ "ready": ready }));
    host.send(&json!({ "news_of_a_later_host": {} }));
    assert_eq!(host.ask("tool.call", tool_call("ls -l")), "continue");

    // While it waits for a reply it answers another call.
    let held = host.call("tool.call", tool_call("touch forbidden"));
    let request = host.request(held);
    assert_eq!(request["call"], "log");
    assert_eq!(request["arguments"], json!({ "level": "warning", "message": "held: touch forbidden" }));
    assert_eq!(host.ask("tool.call", tool_call("touch é")), "continue");
    host.send(&json!({ "reply": { "id": request["id"], "value": {} } }));
    assert_eq!(host.answer(held), json!({ "block": "`forbidden` is in it" }));

    // What the host refuses is a fault of the guard, and so a block.
    let refused = host.call("tool.call", tool_call("rm forbidden"));
    let request = host.request(refused);
    let error = json!({ "code": "context.stale", "message": "too late" });
    host.send(&json!({ "cancel": { "id": refused } }));
    host.send(&json!({ "reply": { "id": request["id"], "error": error } }));
    assert!(host.answer(refused)["fault"].as_str().unwrap().contains("too late"));

    let run = json!({ "args": ["a"], "cwd": "/", "interactive": false });
    let reply = host.ask("slot.command", json!({ "entry": "my-ext", "payload": run }));
    assert_eq!(reply["handled"]["text"], "4 looked at, 2 held\n");
    assert!(host.ask("tool.other", json!({}))["fault"].is_string());
    assert!(host.ask("slot.command", json!({ "entry": "toString", "payload": run }))["fault"].is_string());

    host.send(&json!({ "dispose": { "reason": "shutdown", "budget_ms": 1000 } }));
    assert_eq!(host.receive(), json!({ "disposed": {} }));
    assert!(host.ended().success(), "it exits though the host still holds its end");
}

/// Its host is killed while a frame is on its way.
fn lose_the_host(folder: &Path) {
    let mut host = ExtensionHost::start(folder);
    host.greet("my-ext");
    host.send_in_pieces(&json!({ "call": { "id": 1, "hook": "tool.call", "payload": tool_call("ls") } }));
    assert_eq!(host.answer(1), "continue");
    host.hang_up();
    assert!(host.ended().success(), "it ends with its host");
}

/// Lets `pintle exec` run commands under its eyes.
fn run_under_its_eyes(sandbox: &Sandbox, folder: &Path) {
    let exec = |arguments: &[&str]| sandbox.command(["exec", "--with"]).arg(folder).args(arguments).run();
    exec(&["--", "echo", "hello"]).succeeds().says("hello");
    exec(&["--", "echo", "forbidden"]).fails(126, "guard.blocked").says("`forbidden` is in it");
    exec(&["--command", "my-ext"]).succeeds().says("0 looked at, 0 held");
}

#[test]
fn each_template_is_checked_packaged_installed_and_then_does_what_it_says() {
    for template in ["python", "node", "rust"] {
        let sandbox = Sandbox::with_registry();
        let folder = started(&sandbox, template);
        let told = sandbox.pintle(["check", "my-ext"]).succeeds().says("my-ext 0.1.0: 1 warning");
        told.says("warning[package.description]: the description is still the one");
        sandbox.pintle(["package", "my-ext"]).succeeds().says("warning[package.description]");
        let manifest = sandbox.read(&folder.join("extension.toml"));
        let manifest = manifest.replace("Says in one line what it does", "Holds what is forbidden");
        sandbox.write(&folder.join("extension.toml"), manifest);
        sandbox.pintle(["check", "my-ext"]).succeeds().says("my-ext 0.1.0: no problems");
        sandbox.pintle(["publish", "my-ext", "--registry", "main"]).succeeds();
        sandbox.pintle(["install", "my-ext"]).succeeds();
        sandbox.pintle(["verify"]).succeeds();
        if !ExtensionHost::can_start(&folder) {
            continue;
        }
        drive(&folder);
        lose_the_host(&folder);
        run_under_its_eyes(&sandbox, &folder);
        drive(&sandbox.extension("my-ext"));
        sandbox.pintle(["verify"]).succeeds();
    }
}

#[test]
fn a_script_that_is_missing_is_told_before_anything_is_shipped() {
    for (template, script) in [("python", "main.py"), ("node", "main.mjs")] {
        let sandbox = Sandbox::with_registry();
        let folder = started(&sandbox, template);
        std::fs::remove_file(folder.join(script)).unwrap();
        let told =
            format!("error[package.entry_missing]: `{script}` is named in the manifest, but not there");
        sandbox.pintle(["check", "my-ext"]).exits(1).says(&told);
        sandbox.pintle(["package", "my-ext"]).fails(1, "package.problems").says(&told);
        sandbox.pintle(["publish", "my-ext", "--registry", "main"]).fails(1, "package.problems").says(&told);
    }
}

#[test]
fn a_version_that_was_raised_in_one_place_alone_is_not_loaded() {
    for (template, script, line) in
        [("python", "main.py", "VERSION = \"0.1.0\""), ("node", "main.mjs", "const VERSION = \"0.1.0\"")]
    {
        let sandbox = Sandbox::new();
        let folder = started(&sandbox, template);
        if !ExtensionHost::can_start(&folder) {
            continue;
        }
        let raise = |file: &str, line: &str| {
            let text = sandbox.read(&folder.join(file));
            assert!(text.contains(line), "{text}");
            sandbox.write(&folder.join(file), text.replace(line, &line.replace("0.1.0", "0.1.1")));
        };
        let tried = || sandbox.pintle(["exec", "--with", "./my-ext", "--command", "my-ext"]);
        raise("extension.toml", "version = \"0.1.0\"");
        tried().exits(1).says("protocol.wrong_identity");
        raise(script, line);
        tried().succeeds().says("0 looked at, 0 held");
    }
}

#[test]
fn a_rust_extension_names_the_sdk_of_the_checkout_around_it_or_says_that_there_is_none() {
    let sandbox = Sandbox::new();
    let program = sandbox.root().join("bin/pintle");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    // By another process: a file that this one wrote can't be run while any of its threads starts a program.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_pintle")).arg(&program).status().unwrap();
    assert!(copied.success());
    let run = |arguments: &[&str]| {
        let run = Command::new(&program)
            .args(["new", "my-ext", "--template", "rust"])
            .args(arguments)
            .env("PINTLE_HOME", sandbox.home(""))
            .current_dir(sandbox.work(""))
            .output()
            .unwrap();
        (run.status.code(), sandbox.normalise(&String::from_utf8_lossy(&run.stderr)))
    };
    let (code, told) = run(&[]);
    insta::assert_snapshot!(told, @"
    error[new.no_sdk]: a Rust extension needs the SDK, and it is not here
    help: name the folder `sdk` of a checkout of Pintle: `--sdk DIR`
    help: or start with `--template python` or `node`, which need none
    ");
    assert_eq!(code, Some(1));
    let (code, told) = run(&["--sdk", "."]);
    insta::assert_snapshot!(told, @"
    error[new.no_sdk]: `[root]/work dir/.` is not the SDK
    help: it is the folder `sdk` of a checkout of Pintle
    ");
    assert_eq!(code, Some(1));
    assert!(!sandbox.work("my-ext").exists());
    sandbox.write(&sandbox.root().join("sdk/Cargo.toml"), "[package]\nname = \"pintle-sdk\"\n");
    let (code, told) = run(&[]);
    assert_eq!(code, Some(0), "{told}");
    let written = sandbox.read(&sandbox.work("my-ext/Cargo.toml"));
    let line = format!("pintle-sdk = {{ path = {:?} }}", sandbox.root().join("sdk"));
    assert!(written.lines().any(|one| one == line), "{written}");
}

#[test]
fn case_75_what_the_host_would_not_load_is_not_checked_packaged_or_published() {
    let sandbox = Sandbox::with_registry();
    let folder = sandbox.package("acme-a").folder(sandbox.work("acme-a")).write();
    let manifest = folder.join("extension.toml");
    let fitting = sandbox.read(&manifest);
    let unfit = format!("{fitting}[hooks.\"tool.cal\"]\n[hooks.\"tool.result\"]\nown_time = \"9m\"\n");
    sandbox.write(&manifest, &unfit);
    insta::assert_snapshot!(sandbox.pintle(["check", "acme-a"]), @r#"
    acme-a 1.0.0: 1 error, 1 warning
    ---- standard error
    error[compat.unknown]: `agent` 1.0.0 has no hook named `tool.cal`
      --> [root]/work dir/acme-a/extension.toml:12:8
       |
    12 | [hooks."tool.cal"]
       |        ^^^^^^^^^^
       |
       = help: did you mean `tool.call`?

    warning[compat.own_time]: `tool.result` gives an extension 5s of its own, and this asks for 540s
      --> [root]/work dir/acme-a/extension.toml:14:1
       |
    14 | own_time = "9m"
       | ^^^^^^^^
       |
       = help: the contract's time holds; take it out, or ask for less

    ---- exit code 1
    "#);
    let refused = |arguments: &[&str]| {
        let output = sandbox.pintle(arguments.iter().copied()).fails(1, "manifest.invalid");
        output.says("error[compat.unknown]").says("extension.toml:12:8");
    };
    refused(&["package", "acme-a"]);
    refused(&["package", "acme-a", "--list"]);
    refused(&["publish", "acme-a", "--registry", "main"]);

    // An archive that was made elsewhere is looked at, too.
    let program = RawEntry { mode: 0o755, ..RawEntry::file(b"bin/run", b"#!/bin/sh\n") };
    let archive = archive_of(&[program, RawEntry::file(b"extension.toml", unfit.as_bytes())]);
    sandbox.write(&sandbox.work("acme-a.tar.gz"), archive);
    let publish = sandbox.pintle(["publish", "acme-a.tar.gz", "--registry", "main"]);
    publish.fails(1, "manifest.invalid").says("error[compat.unknown]");

    // What other hosts call at is theirs to say, and what is only to be said stops nothing.
    let other = fitting.replace("[hosts.agent]", "[hosts.other]") + "[hooks.\"key.down\"]\n";
    sandbox.write(&manifest, other);
    sandbox.pintle(["check", "acme-a"]).succeeds().says("acme-a 1.0.0: no problems");
    sandbox.write(&manifest, unfit.replace("tool.cal", "tool.call"));
    sandbox.pintle(["check", "acme-a"]).succeeds().says("acme-a 1.0.0: 1 warning");
    sandbox.pintle(["publish", "acme-a", "--registry", "main"]).succeeds();
}

#[test]
fn an_extension_of_another_host_is_compared_with_its_contract_if_that_is_named() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("acme-a").host("editor", "^1.0").folder(sandbox.work("acme-a"));
    let package = package.permission("\"disk\" = true");
    package.table("[hooks.\"key.don\"]\n[slots.pane.main]\ndescription = \"a pane\"").write();
    let contract = concat!(
        "contract_version = 1\n[contract]\nname = \"editor\"\nversion = \"1.2.0\"\ndescription = \"Edits\"\n",
        "[types.Key]\ntype = \"object\"\n",
        "[hooks.\"key.down\"]\nkind = \"observe\"\nwhen = \"A key goes down\"\npayload = \"Key\"\n",
        "own_time = \"1s\"\nwall_time = \"10s\"\n",
    );
    sandbox.write(&sandbox.work("editor.toml"), contract);
    insta::assert_snapshot!(sandbox.pintle(["check", "acme-a"]), @"
    acme-a 1.0.0: no problems
    ---- standard error
    note: not compared with the contract of editor; name it with `--contract FILE`
    ---- exit code 0
    ");
    let document = sandbox.pintle(["check", "acme-a", "--format=json"]).succeeds().json();
    assert_eq!((&document["compared"], &document["not_compared"]), (&json!([]), &json!(["editor"])));
    let check = |arguments: &[&str]| sandbox.command(["check", "acme-a"]).args(arguments).run();
    insta::assert_snapshot!(check(&["--contract", "editor.toml"]), @r#"
    acme-a 1.0.0: 3 errors
    ---- standard error
    error[compat.unknown]: `editor` 1.2.0 has no permission named `disk`
      --> [root]/work dir/acme-a/extension.toml:13:1
       |
    13 | "disk" = true
       | ^^^^^^
       |
       = help: see the contract of `editor`: `pintle contract show`, with its file if it is not built in

    error[compat.unknown]: `editor` 1.2.0 has no hook named `key.don`
      --> [root]/work dir/acme-a/extension.toml:14:8
       |
    14 | [hooks."key.don"]
       |        ^^^^^^^^^
       |
       = help: did you mean `key.down`?

    error[compat.unknown]: `editor` 1.2.0 has no slot named `pane`
      --> [root]/work dir/acme-a/extension.toml:15:8
       |
    15 | [slots.pane.main]
       |        ^^^^
       |
       = help: see the contract of `editor`: `pintle contract show`, with its file if it is not built in

    ---- exit code 1
    "#);
    let document = check(&["--contract", "editor.toml", "--format=json"]).exits(1).json();
    assert_eq!((&document["compared"], &document["not_compared"]), (&json!(["editor"]), &json!([])));
    // It is no fault not to serve a host, but worth a word.
    check(&["--contract", "agent"]).succeeds().says("warning[compat.other_host]");
    sandbox.write(&sandbox.work("editor.toml"), contract.replace("1.2.0", "2.0.0"));
    check(&["--contract", "editor.toml"]).succeeds().says("warning[compat.api_version]");
    check(&["--contract", "none.toml"]).fails(1, "fs.not_found");
}

#[test]
fn a_range_that_leaves_this_host_out_is_a_warning() {
    let sandbox = Sandbox::new();
    let package = sandbox.package("acme-a").host("agent", ">=7, <8").folder(sandbox.work("acme-a"));
    package.write();
    insta::assert_snapshot!(sandbox.pintle(["check", "acme-a"]), @"
    acme-a 1.0.0: 1 warning
    ---- standard error
    warning[compat.api_version]: it needs `agent` >=7, <8, and this host has 1.0.0
     --> [root]/work dir/acme-a/extension.toml:8:1
      |
    8 | api_version = \">=7, <8\"
      | ^^^^^^^^^^^

    ---- exit code 0
    ");
}
