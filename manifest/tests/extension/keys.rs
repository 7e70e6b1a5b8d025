//! Keys that are misspelt, misplaced or missing.

use crate::check::{ENTRY, FULL, HEAD, check, check_line, check_part, line_of, rendered};

#[test]
fn every_key_misspelt_names_the_one_that_was_meant() {
    let misspelt = |with: &str, instead: &str, column: usize, key: &str, place: &str, meant: &str| {
        let problem =
            format!("{column} manifest.unknown_key unknown key `{key}` {place} | did you mean `{meant}`?");
        check_line(with, instead, &[&problem]);
    };
    misspelt("manifest_version", "manifest_verison", 1, "manifest_verison", "at the top", "manifest_version");
    misspelt("[extension]", "[extention]", 2, "extention", "at the top", "extension");
    misspelt("[hosts.", "[host.", 2, "host", "at the top", "hosts");
    misspelt("[entry]", "[enty]", 2, "enty", "at the top", "entry");
    misspelt("[hooks.", "[hoks.", 2, "hoks", "at the top", "hooks");
    misspelt("[permissions]", "[permission]", 2, "permission", "at the top", "permissions");
    misspelt("[slots.", "[slot.", 2, "slot", "at the top", "slots");
    misspelt("[dependencies]", "[dependancies]", 2, "dependancies", "at the top", "dependencies");
    for key in [
        "name",
        "version",
        "description",
        "license",
        "authors",
        "keywords",
        "repository",
        "homepage",
        "readme",
        "include",
        "exclude",
    ] {
        let (first, rest) = key.split_at(key.len() - 2);
        let slip: String = first.chars().chain(rest.chars().rev()).collect();
        let (with, instead) = (format!("\n{key} ="), format!("\n{slip} ="));
        let line = line_of(&with) + 1;
        let expected = format!(
            "{line}:1 manifest.unknown_key unknown key `{slip}` in `extension` | did you mean `{key}`?"
        );
        check(&FULL.replacen(&with, &instead, 1), &[&expected]);
    }
    misspelt("api_version", "apiversion", 1, "apiversion", "in `hosts.agent`", "api_version");
    misspelt("runtime", "runtim", 1, "runtim", "in `entry`", "runtime");
    misspelt("command =", "comand =", 1, "comand", "in `entry`", "command");
    misspelt("requires", "require", 1, "require", "in `entry`", "requires");
    misspelt("filter", "fliter", 1, "fliter", "in `hooks.\"tool.call\"`", "filter");
    misspelt("own_time", "own-time", 1, "own-time", "in `hooks.\"tool.call\"`", "own_time");
    misspelt(
        "description = \"Explain",
        "descripton = \"Explain",
        1,
        "descripton",
        "in `slots.command.blast`",
        "description",
    );
    misspelt(
        "version = \"~0.4\"",
        "vesion = \"~0.4\"",
        15,
        "vesion",
        "in `dependencies.tree-view`",
        "version",
    );
    misspelt("path =", "paht =", 33, "paht", "in `dependencies.tree-view`", "path");
    check_part(
        "[extras]\nx = 1",
        &["1:2 manifest.unknown_key unknown key `extras` at the top | known here: `manifest_version`, \
           `extension`, `hosts`, `entry`, `hooks`, `permissions`, `slots`, `dependencies`"],
    );
}

#[test]
fn what_is_missing_is_named_with_a_line_to_add() {
    check(
        "manifest_version = 1",
        &[
            "1:1 manifest.missing_key `extension` is missing | add `[extension]`",
            "1:1 manifest.no_host `hosts` is missing | add `[hosts.NAME]`",
            "1:1 manifest.missing_key `entry` is missing | add `[entry]`",
        ],
    );
    check(
        "[extension]\n[hosts]\n[entry]",
        &[
            "1:1 manifest.missing_key `manifest_version` is missing | add `manifest_version = 1`",
            "1:2 manifest.missing_key `extension.name` is missing | add `name = \"blast-radius\"`",
            "1:2 manifest.missing_key `extension.version` is missing | add `version = \"0.1.0\"`",
            "1:2 manifest.missing_key `extension.description` is missing | add `description = \"Shows what a \
             command would change, before it runs\"`",
            "1:2 ~manifest.no_license `extension.license` is missing | add `license = \"Apache-2.0\"`",
            "2:2 manifest.no_host `hosts` is empty",
            "3:2 manifest.missing_key `entry.runtime` is missing | add `runtime = \"process\"`",
        ],
    );
    let entry = |runtime: &str, expected: &str| {
        let text = format!("{HEAD}[entry]\nruntime = \"{runtime}\"");
        check(&text, &[&format!("9:2 manifest.missing_key {expected}")]);
    };
    entry("process", "`entry.command` is missing | add `command = [\"bin/run\"]`");
    entry(
        "native",
        "`entry.library` is missing | add `library = { x86_64-unknown-linux-gnu = \"lib/x.so\" }`",
    );
    entry("wasm", "`entry.component` is missing | add `component = \"x.wasm\"`");
    check_part(
        "[hosts.editor]\n[slots.a.b]\n[dependencies]\nxyz = {}",
        &[
            "1:8 manifest.missing_key `hosts.editor.api_version` is missing | add `api_version = \">=1.0, <2\"`",
            "2:10 manifest.missing_key `slots.a.b.description` is missing | add `description = \"Explain the \
             last hold\"`",
            "4:1 manifest.missing_key `dependencies.xyz.version` is missing | add `version = \"^1.2\"`",
        ],
    );
}

#[test]
fn an_entry_has_the_keys_of_its_runtime_only() {
    let entry = |entry: &str, expected: &[&str]| check(&format!("{HEAD}[entry]\n{entry}"), expected);
    entry(
        "runtime = \"proces\"\ncommand = [\"x\"]",
        &["10:11 manifest.unknown_runtime `proces` is not a known runtime | did you mean `process`?"],
    );
    entry(
        "runtime = \"python\"",
        &["10:11 manifest.unknown_runtime `python` is not a known runtime | it is one of `process`, \
           `native`, `wasm`"],
    );
    entry(
        "runtime = \"wasm\"\ncomponent = \"x.wasm\"\ncommand = [\"x\"]\nlibrary = {}",
        &[
            "12:1 manifest.other_runtime `command` belongs to the runtime `process` | take it out, or write \
             `runtime = \"process\"`",
            "13:1 manifest.other_runtime `library` belongs to the runtime `native` | take it out, or write \
             `runtime = \"native\"`",
        ],
    );
    entry(
        "runtime = \"process\"\ncommand = []\nrequires = { \"/bin/x\" = \"1\", y = \"z\" }",
        &[
            "11:11 manifest.empty `entry.command` is never empty",
            "12:14 manifest.bad_name a program that is required is looked up by its name, not by a path",
            "12:34 manifest.bad_requirement `z` is not a version requirement (such as `^1.2` or `>=1.0, <2`): \
             `z` is no number",
        ],
    );
    entry(
        "runtime = \"process\"\ncommand = [\"\", \"\", \"a\\u0000\"]",
        &[
            "11:12 manifest.empty a program is never empty",
            "11:16 manifest.empty a part of a command is never empty",
            "11:20 manifest.control_character no program can be given a NUL character",
        ],
    );
    entry(
        "runtime = \"native\"\nlibrary = { any = \"a\", x86_64-unknow-linux-gnu = \"b\", aarch64-apple-darwin = \
         \"../c\" }",
        &[
            "11:13 manifest.unknown_target a library is built for one target, never for `any`",
            "11:24 manifest.unknown_target `x86_64-unknow-linux-gnu` is not a known target | did you mean \
             `x86_64-unknown-linux-gnu`?",
            "11:78 manifest.bad_path a path in a package has no `.` or `..` part",
        ],
    );
    entry("runtime = \"native\"\nlibrary = {}", &["11:1 manifest.empty `entry.library` is empty"]);
}

#[test]
fn a_key_in_another_table_is_told_where_it_belongs() {
    check(
        &format!(
            "runtime = \"wasm\"\nname = \"x\"\n{HEAD}dependencies = []\n{ENTRY}homepage = \"x\"\nhooks.a = {{}}\n"
        ),
        &[
            "1:1 manifest.unknown_key unknown key `runtime` at the top | it belongs below `[entry]`",
            "2:1 manifest.unknown_key unknown key `name` at the top | it belongs below `[extension]`",
            "11:1 manifest.unknown_key unknown key `dependencies` in `hosts.agent` | known here: `api_version`",
            "15:1 manifest.unknown_key unknown key `homepage` in `entry` | it belongs below `[extension]`",
            "16:1 manifest.unknown_key unknown key `hooks` in `entry` | it is a table of its own: \
             `[hooks.\"tool.call\"]`",
        ],
    );
}

#[test]
fn no_more_problems_are_told_than_one_can_read() {
    let text: String = (0..1000).map(|number| format!("k{number} = 1\n")).collect();
    let rendered = rendered(&text);
    assert_eq!(rendered.len(), 501);
    assert!(
        rendered[500].ends_with("manifest.too_many_problems 504 more problems are not shown"),
        "{}",
        rendered[500]
    );
}
