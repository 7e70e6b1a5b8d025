//! The command line: what is meant by it wherever it is written, help, completions, manual pages and slips.

use crate::kit::Sandbox;
use std::process::Command;

#[test]
fn global_options_are_understood_before_and_after_the_verb() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    let both = |options: &[&str], verb: &[&str]| {
        let before = sandbox.command(options).args(verb).run();
        let after = sandbox.command(verb).args(options).run();
        assert_eq!((before.code, &before.stdout), (after.code, &after.stdout), "{options:?} {verb:?}");
        before
    };
    both(&["--format", "json"], &["list"]).succeeds().json();
    both(&["--user"], &["list"]).succeeds();
    both(&["--offline"], &["install", "acme-a"]).fails(6, "offline.not_cached");
    both(&["--locked"], &["install", "acme-a", "-n"]).fails(8, "lock.would_change");
    both(&["-q"], &["sync"]).succeeds();
    both(&["--host", "agent@7"], &["install", "acme-a", "-n"]).fails(5, "resolve.host");
    both(&["--home", "elsewhere"], &["list", "--format=json"]).succeeds().says("elsewhere");
    both(&["--project"], &["list", "--format=json"]).succeeds().says("project");
    both(&["--lock-timeout", "1s"], &["sync"]).succeeds();
}

#[test]
fn the_set_that_is_meant_is_the_one_of_the_place() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    assert!(!sandbox.work("pintle.toml").exists(), "outside of a project the person's set is meant");
    sandbox.pintle(["install", "acme-b", "--project"]).succeeds();
    assert!(sandbox.work("pintle.toml").exists() && sandbox.work("pintle.lock").exists());
    let names = |words: &[&str], at: &std::path::Path| {
        sandbox.installed_by(sandbox.command(words).arg("--format=json").at(at))
    };
    let deep = sandbox.work("src/deep");
    std::fs::create_dir_all(&deep).unwrap();
    assert_eq!(names(&["list"], &deep), "acme-b 1.0.0", "below a project it is meant");
    assert_eq!(names(&["list", "--user"], &deep), "acme-a 1.0.0");
    assert_eq!(names(&["list"], sandbox.root()), "acme-a 1.0.0");
    sandbox.pintle(["list", "--user", "--project"]).exits(2);
    let other = sandbox.root().join("other home");
    let list = sandbox.command(["list", "--user", "--format=json", "--home"]).arg(&other);
    assert_eq!(sandbox.installed_by(list), "");
    // Looking makes nothing.
    assert!(!other.exists());
}

#[test]
fn a_slip_is_answered_with_what_was_probably_meant() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("blast-radius", &["0.3.0", "0.3.1"]);
    sandbox.pintle(["install", "blast-radius"]).succeeds();
    insta::assert_snapshot!(sandbox.pintle(["instal", "blast-radius"]), @"
    ---- standard error
    error[usage]: unrecognized subcommand 'instal'
    help: did you mean `install`?
    help: see all verbs with `pintle help`
    ---- exit code 2
    ");
    insta::assert_snapshot!(sandbox.pintle(["install", "blast-raduis"]), @"
    ---- standard error
    error[resolve.unknown_package]: there is no package `blast-raduis`
    help: did you mean `blast-radius`?
    ---- exit code 5
    ");
    insta::assert_snapshot!(sandbox.pintle(["install", "blast-radius@0.3.2"]), @"
    ---- standard error
    error[resolve.conflict]: no version of `blast-radius` matches `=0.3.2`; the nearest is 0.3.1
    help: `pintle info blast-radius` lists its versions
    ---- exit code 5
    ");
    insta::assert_snapshot!(sandbox.pintle(["list", "--fromat", "json"]), @"
    ---- standard error
    error: unexpected argument '--fromat' found

      tip: a similar argument exists: '--format'

    Usage: pintle list --format <FORMAT>

    For more information, try '--help'.
    ---- exit code 2
    ");
    for (words, meant) in [
        (&["info", "blast-raduis"][..], "blast-radius"),
        (&["uninstall", "blast-raduis"], "blast-radius"),
        (&["update", "blast-raduis"], "blast-radius"),
        (&["why", "blast-raduis"], "blast-radius"),
        (&["disable", "blast-raduis"], "blast-radius"),
        (&["yank", "blast-raduis@0.3.0", "--reason", "x", "--registry", "main"], "blast-radius"),
        (&["yank", "blast-radius@0.3.2", "--reason", "x", "--registry", "main"], "0.3.1"),
        (&["man", "instal"], "install"),
        (&["unistall"], "uninstall"),
        (&["registry", "remove", "mian"], "main"),
        (&["install", "blast-radius", "--registry", "mian"], "main"),
        (&["new", "acme-new", "--template", "pyton"], "python"),
        (&["completions", "zhs"], "zsh"),
    ] {
        let output = sandbox.pintle(words);
        assert_ne!(output.code, 0, "{words:?}");
        assert!(output.stderr.contains(meant), "{words:?} does not lead to `{meant}`:\n{output}");
    }
}

#[test]
fn what_was_typed_wrong_is_answered_with_what_to_type() {
    let sandbox = Sandbox::with_registry();
    sandbox.package("acme-a").folder(sandbox.work("acme-a")).write();
    insta::assert_snapshot!(sandbox.pintle(["publish", "acme-a", "--registry", "mian"]), @"
    ---- standard error
    error[registry.unknown]: there is no registry `mian`
    help: did you mean `main`?
    ---- exit code 1
    ");
    insta::assert_snapshot!(sandbox.pintle(["publish", "nowhere", "--registry", "main"]), @"
    ---- standard error
    error[local.not_an_extension]: `[root]/work dir/nowhere` is neither a folder with an `extension.toml` nor a package archive
    help: an extension has an `extension.toml`; start one with `pintle new NAME`
    ---- exit code 1
    ");
    insta::assert_snapshot!(sandbox.pintle(["rollback", "abc"]), @"
    ---- standard error
    error: invalid value 'abc' for '[N]': a generation is a number; `pintle history` lists those that are there

    For more information, try '--help'.
    ---- exit code 2
    ");
    sandbox.pintle(["search", "--limit", "abc"]).exits(2).says("write a number, such as `50`");
    insta::assert_snapshot!(sandbox.pintle(["exec", "--", "cd x && rm -rf y"]), @"
    ---- standard error
    error[command.not_found]: no program `cd x && rm -rf y` in PATH
    help: it looks like a line for a shell: `pintle exec --shell 'cd x && rm -rf y'`
    ---- exit code 127
    ");
    insta::assert_snapshot!(sandbox.pintle(["exec", "--", "cd x/y; ls"]), @"
    ---- standard error
    error[command.not_found]: no file `cd x/y; ls`
    help: it looks like a line for a shell: `pintle exec --shell 'cd x/y; ls'`
    ---- exit code 127
    ");
    sandbox.pintle(["exec", "--", "./my tool"]).fails(127, "command.not_found").says("look at its spelling");
    insta::assert_snapshot!(sandbox.pintle(["exec", "--shell", "cd", "src"]), @"
    ---- standard error
    error[usage]: the argument '--shell <LINE>' cannot be used with '[COMMAND]...'
    help: put the whole line in quotes: `pintle exec --shell 'cd src'`
    ---- exit code 2
    ");
    sandbox.pintle(["exec", "--shell=cd", "src"]).exits(2).says("`pintle exec --shell 'cd src'`");
}

#[test]
fn a_folder_here_that_is_named_like_an_extension_is_pointed_out() {
    let sandbox = Sandbox::with_registry();
    sandbox.package("my-ext").folder(sandbox.work("my-ext")).write();
    let output = sandbox.pintle(["install", "my-ext"]);
    assert_ne!(output.code, 0);
    sandbox.package("My_Ext").folder(sandbox.work("My_Ext")).write();
    sandbox.pintle(["install", "My_Ext"]).fails(2, "spec.invalid").says("./My_Ext");
}

#[test]
fn completions_are_made_for_every_shell_and_parse() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = sandbox.pintle(["completions", shell]).succeeds();
        assert!(output.stderr.is_empty() && output.stdout.contains("uninstall"), "{shell}");
        assert!(output.stdout.contains("lock-timeout"), "{shell} knows the global options");
    }
    let script = sandbox.work("pintle.bash");
    sandbox.write(&script, sandbox.pintle(["completions", "bash"]).raw_stdout);
    let status = Command::new("bash").arg("-n").arg(&script).status();
    assert!(status.is_err() || status.unwrap().success(), "bash reads it, where there is one");
}

#[test]
fn manual_pages_are_made_for_every_verb() {
    let sandbox = Sandbox::new();
    sandbox.pintle(["man", "--out-dir", "pages"]).succeeds();
    let mut pages: Vec<String> = std::fs::read_dir(sandbox.work("pages"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    pages.sort();
    assert!(
        pages.contains(&"pintle.1".to_owned()) && pages.contains(&"pintle-install.1".to_owned()),
        "{pages:?}"
    );
    for page in pages {
        let text = sandbox.read(&sandbox.work("pages").join(&page));
        assert!(text.contains(".TH ") && text.contains("NAME"), "{page}");
        let verb = page.trim_end_matches(".1").trim_start_matches("pintle").trim_start_matches('-');
        if !verb.is_empty() {
            assert_eq!(sandbox.pintle(["man", verb]).succeeds().raw_stdout, text, "{page}");
        }
    }
}

#[test]
fn every_verb_has_help_that_says_what_it_does() {
    let sandbox = Sandbox::new();
    let top = sandbox.pintle(["--help"]).succeeds();
    let verbs: Vec<&str> = top
        .stdout
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next().filter(|verb| *verb != "help"))
        .collect();
    assert!(verbs.len() > 25, "{verbs:?}");
    for verb in verbs {
        let output = sandbox.pintle([verb, "--help"]).succeeds();
        assert!(output.stderr.is_empty() && output.stdout.contains("Usage: pintle"), "{verb}:\n{output}");
        assert!(output.stdout.lines().next().is_some_and(|line| line.len() > 10), "{verb}:\n{output}");
    }
    assert_eq!(
        sandbox.pintle(["--version"]).succeeds().stdout,
        format!("pintle {}\n", env!("CARGO_PKG_VERSION"))
    );
    let output = sandbox.pintle(["help", "rollback"]).succeeds();
    output.says("Goes back to an earlier generation").says("--dry-run").says("--format");
}
