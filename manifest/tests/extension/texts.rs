//! Texts that are not the sort of text their key wants.

use crate::check::{ENTRY, FULL, HEAD, check_line, check_part, manifest, rendered};
use pintle_manifest::Requirement;

#[test]
fn own_time_is_a_number_and_a_unit() {
    let time = |text: &str| {
        let manifest = manifest(&format!("{HEAD}{ENTRY}[hooks.x]\nown_time = \"{text}\""));
        manifest.hooks["x"].own_time.unwrap().as_millis()
    };
    assert_eq!(time("250ms"), 250);
    assert_eq!(time("5s"), 5_000);
    assert_eq!(time("2m"), 120_000);
    assert_eq!(time("3600s"), 3_600_000);
    let refused = |text: &str, expected: &str| {
        check_part(&format!("[hooks.x]\nown_time = \"{text}\""), &[&format!("2:12 {expected}")]);
    };
    refused("5", "manifest.bad_time the time `5` has no unit | add one: `5ms`, `5s` or `5m`");
    refused("s", "manifest.bad_time `s` is not a time | write a number and a unit, such as `250ms`");
    refused("-5s", "manifest.bad_time `-5s` is not a time | write a number and a unit, such as `250ms`");
    refused(
        "5 s",
        "manifest.bad_time `5 s` is not a time | the units are `ms`, `s` and `m`, right after the number",
    );
    refused(
        "1.5s",
        "manifest.bad_time `1.5s` is not a time | the units are `ms`, `s` and `m`, right after the number",
    );
    refused(
        "1h",
        "manifest.bad_time `1h` is not a time | the units are `ms`, `s` and `m`, right after the number",
    );
    refused("0ms", "manifest.bad_time a callback that has no time can't run");
    refused("61m", "manifest.too_long a time is at most an hour");
    refused("9999999999999ms", "manifest.too_long a time is at most an hour");
    refused("99999999999999999999s", "manifest.too_long a time has at most 16 characters, this has 21");
}

#[test]
fn a_host_requirement_has_an_end() {
    let unbounded = |requirement: &str, shown: &str, bounded: &str| {
        let expected = format!(
            "15 manifest.host_unbounded `{shown}` admits every later version of the host, and no one knows \
             those | bound it above, such as `{bounded}`"
        );
        check_line("\">=1.0, <2\"", &format!("\"{requirement}\""), &[&expected]);
        assert!(Requirement::parse(bounded).unwrap().has_upper_bound());
    };
    unbounded("*", "*", ">=1.0, <2");
    unbounded(">=1.0", ">=1.0", ">=1.0, <2");
    unbounded(">= 2.4.1", ">=2.4.1", ">=2.4.1, <3");
    unbounded(">=0.3", ">=0.3", ">=0.3, <0.4");
    unbounded(">0.0.3", ">0.0.3", ">0.0.3, <0.1");
    unbounded("!=1.4", "!=1.4", ">=1.0, <2");
    unbounded(">=1, !=1.4", ">=1, !=1.4", ">=1, !=1.4, <2");
    for bounded in ["^1", "1.2", "~1", "=1.2.3", "<2", "1.*"] {
        check_line("\">=1.0, <2\"", &format!("\"{bounded}\""), &[]);
    }
}

#[test]
fn names_versions_and_paths_are_parsed_with_a_hint() {
    check_line(
        "name = \"blast-radius\"",
        "name = \"Blast-Radius\"",
        &["8 manifest.bad_name a name is in lower case; write `blast-radius`"],
    );
    check_line(
        "name = \"blast-radius\"",
        "name = \"\"",
        &["8 manifest.empty the name of an extension is never empty"],
    );
    check_line(
        "name = \"blast-radius\"",
        &format!("name = \"{}\"", "a".repeat(65)),
        &["8 manifest.too_long the name of an extension has at most 64 characters, this has 65"],
    );
    let version = |text: &str, help: &str| {
        let line = FULL.lines().find(|line| line.starts_with("version =")).unwrap();
        let rendered = rendered(&FULL.replacen(line, &format!("version = \"{text}\""), 1));
        assert_eq!(rendered.len(), 1);
        assert!(
            rendered[0].contains(":11 manifest.bad_version") && rendered[0].ends_with(help),
            "{rendered:?}"
        );
    };
    version("1", "| did you mean `1.0.0`?");
    version("v1.2", "| did you mean `1.2.0`?");
    version("1.2.3.4", "it has 4 numbers");
    check_line(
        "[hosts.agent]",
        "[hosts.a_b]",
        &["8 manifest.bad_name a name is made of `a-z`, `0-9` and `-`; `_` is not"],
    );
    check_line(
        "readme = \"README.md\"",
        "readme = \"./README.md\"",
        &["10 manifest.bad_path a path in a package has no `.` or `..` part | write `README.md`"],
    );
    check_line(
        "\"bin/blast-radius\"",
        "\"bin\\\\run\"",
        &[
            "12 manifest.bad_path a path in a package is made of `A-Z`, `a-z`, `0-9` and `._+@-/`; `\\u{5c}` is \
           not | write `bin/run`",
        ],
    );
    check_line(
        "\"bin/blast-radius\"",
        "\"/bin/sh\"",
        &["12 manifest.bad_path a path in a package is relative and has no empty part"],
    );
    check_line(
        "\"bin/blast-radius\"",
        "\"./run.sh\"",
        &[
            "12 manifest.bad_path a path in a package has no `.` or `..` part | put the program in a folder of \
           the package, such as `bin/run.sh`",
        ],
    );
    check_line(
        "\"../tree-view\"",
        "\"/home\"",
        &["40 manifest.bad_path the path of a folder is relative to this file"],
    );
    check_line(
        "https://example.org/blast-radius.git",
        "http://example.org",
        &["14 manifest.bad_address an address begins with `https://` | write `https://example.org`"],
    );
    check_line(
        "https://example.org/blast-radius.git",
        "https://a b",
        &["14 manifest.bad_address an address is `https://` and visible ASCII characters"],
    );
}

#[test]
fn contract_names_are_dotted_words() {
    check_part(
        "[hooks.\"Tool.Call\"]\n[hooks.\"a..b\"]\n[slots.\"x-y\".z]\ndescription = \"z\"\n[permissions]\n\"\" = true",
        &[
            "1:8 manifest.bad_name this name is made of `a-z`, `0-9`, `_` and `.`; `T` is not | did you mean \
             `tool.call`?",
            "2:8 manifest.bad_name this name has single `.` between words, and none at its ends",
            "3:8 manifest.bad_name this name is made of `a-z`, `0-9`, `_` and `.`; `-` is not | did you mean \
             `x_y`?",
            "6:1 manifest.empty a name of the contract is never empty",
        ],
    );
    check_part(
        "[hooks.tool.call]\n[slots.status.line.x]\ndescription = \"x\"\n[permissions]\nprocess.run = true",
        &[
            "1:13 manifest.unknown_key unknown key `call` in `hooks.tool` | put a name that has dots in \
             quotes: `[hooks.\"tool.call\"]`",
            "2:15 manifest.missing_key `slots.status.line.description` is missing | add `description = \
             \"Explain the last hold\"`",
            "2:20 manifest.unknown_key unknown key `x` in `slots.status.line` | put a name that has dots in \
             quotes: `[slots.\"status.line\".x]`",
            "5:1 manifest.wrong_type `permissions.process` is `true` or a list of texts, this is a table | put \
             a name that has dots in quotes: `\"process.run\"`",
        ],
    );
}

#[test]
fn texts_are_short_plain_and_in_one_line() {
    let description = |text: &str, expected: &str| {
        let line = FULL.lines().find(|line| line.starts_with("description =")).unwrap();
        check_line(line, &format!("description = {text}"), &[&format!("15 {expected}")]);
    };
    let long = format!("\"{}\"", "\u{e9}".repeat(301));
    description(&long, "manifest.too_long a description has at most 300 characters, this has 301");
    description("\"\"", "manifest.empty a description is never empty");
    description("\"a\\nb\"", "manifest.control_character a line break can't stand in this text");
    description(
        "\"a\\u001b[2J\"",
        "manifest.control_character this text has no control characters; `\\u{1b}` is one",
    );
    description("\"a\u{202e}b\"", "manifest.control_character `\\u{202e}` turns the direction of reading");
    let eleven = format!("keywords = [{}]", "\"k\", ".repeat(11));
    check_line(
        "keywords = [\"safety\", \"shell\"]",
        &eleven,
        &["12 manifest.too_long `extension.keywords` has at most 10 items, this has 11"],
    );
    check_line("exclude = [\"*.log\"]", "exclude = [\"\"]", &["12 manifest.empty a pattern is never empty"]);
    let hostile = rendered(&format!("{HEAD}{ENTRY}\"\\u001b]0;\\u0007{}\" = 1", "x".repeat(500)));
    assert!(hostile[0].contains("unknown key `\\u{1b}]0;\\u{7}xxx"), "{hostile:?}");
    assert!(hostile[0].len() < 400 && !hostile[0].contains('\u{1b}'));
}

#[test]
fn an_extension_does_not_depend_on_itself() {
    check_part(
        "[dependencies]\nabc = \"1\"\nab = \"1\"\n",
        &[
            "2:1 manifest.own_dependency `abc` depends on itself",
            "3:1 manifest.bad_name a name has at least 3 characters, this has 2",
        ],
    );
}
