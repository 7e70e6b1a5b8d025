//! Values of another type than their key wants.

use crate::check::{ENTRY, FULL, HEAD, check, check_line, check_part};

#[test]
fn every_key_with_a_wrong_type_says_what_it_is() {
    let wrong = |with: &str, instead: &str, expected: &str| {
        check_line(with, instead, &[&expected.replacen(' ', " manifest.wrong_type ", 1)]);
    };
    wrong(
        "manifest_version = 1",
        "manifest_version = \"1\"",
        "20 `manifest_version` is a whole number, this is a text | for example `manifest_version = 1`",
    );
    for (key, value, column) in
        [("name", "true", 8), ("version", "0.3", 11), ("license", "2", 11), ("readme", "1979-05-27", 10)]
    {
        let line = FULL.lines().find(|line| line.starts_with(&format!("{key} ="))).unwrap();
        let kind = match value {
            "true" => "a truth value",
            "0.3" => "a fraction",
            "2" => "a whole number",
            _ => "a date",
        };
        let expected =
            format!("{column} `extension.{key}` is a text, this is {kind} | put it in quotes: `\"{value}\"`");
        wrong(line, &format!("{key} = {value}"), &expected);
    }
    for key in ["authors", "keywords", "include", "exclude"] {
        let line = FULL.lines().find(|line| line.starts_with(&format!("{key} ="))).unwrap();
        let expected = format!(
            "{} `extension.{key}` is a list of texts, this is a text | put it in brackets: `[\"x\"]`",
            key.len() + 4
        );
        wrong(line, &format!("{key} = \"x\""), &expected);
    }
    for key in ["repository", "homepage", "description"] {
        let line = FULL.lines().find(|line| line.starts_with(&format!("{key} ="))).unwrap();
        let example = match key {
            "repository" => "https://example.org/blast-radius.git",
            "homepage" => "https://example.org/blast-radius",
            _ => "Shows what a command would change, before it runs",
        };
        let expected = format!(
            "{} `extension.{key}` is a text, this is a list | for example `{key} = \"{example}\"`",
            key.len() + 4
        );
        wrong(line, &format!("{key} = [\"x\"]"), &expected);
    }
    wrong(
        "authors = [\"Ada <ada@example.org>\"]",
        "authors = [\"Ada\", 3]",
        "19 each item of `extension.authors` is a text, this is a whole number | put it in quotes: `\"3\"`",
    );
    wrong(
        "api_version = \">=1.0, <2\"",
        "api_version = 1",
        "15 `hosts.agent.api_version` is a text, this is a whole number | put it in quotes: `\"1\"`",
    );
    wrong(
        "runtime = \"process\"\ncommand = [\"bin/blast-radius\", \"--quiet\"]\nrequires = { node = \">=20\" }",
        "runtime = 1",
        "11 `entry.runtime` is a text, this is a whole number | put it in quotes: `\"1\"`",
    );
    wrong(
        "[\"bin/blast-radius\", \"--quiet\"]",
        "\"run\"",
        "11 `entry.command` is a list of texts, this is a text | put it in brackets: `[\"run\"]`",
    );
    wrong(
        "{ node = \">=20\" }",
        "[\"node\"]",
        "12 `entry.requires` is a table, this is a list | for example `requires = { node = \">=20\" }`",
    );
    wrong(
        "{ node = \">=20\" }",
        "{ node = 20 }",
        "21 `entry.requires.node` is a text, this is a whole number | put it in quotes: `\"20\"`",
    );
    wrong(
        "{ tool = \"bash\" }",
        "\"bash\"",
        "10 `hooks.\"tool.call\".filter` is a table, this is a text | for example `filter = { tool = \"bash\" }`",
    );
    wrong(
        "{ tool = \"bash\" }",
        "{ tool = true }",
        "19 `hooks.\"tool.call\".filter.tool` is a text, this is a truth value | put it in quotes: `\"true\"`",
    );
    wrong(
        "own_time = \"5s\"",
        "own_time = 5",
        "12 `hooks.\"tool.call\".own_time` is a text, this is a whole number | put it in quotes: `\"5\"`",
    );
    wrong(
        "\"ui.prompt\" = true",
        "\"ui.prompt\" = \"yes\"",
        "15 `permissions.\"ui.prompt\"` is `true` or a list of texts, this is a text | put it in brackets: \
         `[\"yes\"]`",
    );
    wrong(
        "\"^1.2\"",
        "1.2",
        "15 `dependencies.shell-words` is a text or a table, this is a fraction | put it in quotes: `\"1.2\"`",
    );
    wrong(
        "\"~0.4\"",
        "0.4",
        "25 `dependencies.tree-view.version` is a text, this is a fraction | put it in quotes: `\"0.4\"`",
    );
    wrong(
        "\"../tree-view\"",
        "true",
        "40 `dependencies.tree-view.path` is a text, this is a truth value | put it in quotes: `\"true\"`",
    );
    check(
        &format!(
            "{}hooks = 1\nslots = []\npermissions = \"x\"\ndependencies = [\"x\"]\n{}",
            &HEAD[..21],
            &format!("{HEAD}{ENTRY}")[21..]
        ),
        &[
            "2:9 manifest.wrong_type `hooks` is a table, this is a whole number | write it as a table: \
             `[hooks.\"tool.call\"]`",
            "3:9 manifest.wrong_type `slots` is a table, this is a list | write it as a table: \
             `[slots.command.NAME]`",
            "4:15 manifest.wrong_type `permissions` is a table, this is a text | write it as a table: \
             `[permissions]`",
            "5:16 manifest.wrong_type `dependencies` is a table, this is a list | write it as a table: \
             `[dependencies]`",
        ],
    );
    check(
        "manifest_version = 1\nextension = \"x\"\nhosts = \"x\"\nentry = \"x\"",
        &[
            "2:13 manifest.wrong_type `extension` is a table, this is a text | write it as a table: \
             `[extension]`",
            "3:9 manifest.wrong_type `hosts` is a table, this is a text | write it as a table: `[hosts.NAME]`",
            "4:9 manifest.wrong_type `entry` is a table, this is a text | write it as a table: `[entry]`",
        ],
    );
    check_part(
        "[hosts]\neditor = \"1\"\n[slots.command]\nx = \"Say x\"",
        &[
            "2:10 manifest.wrong_type `hosts.editor` is a table, this is a text | write `editor = { \
             api_version = \"1\" }`",
            "4:5 manifest.wrong_type `slots.command.x` is a table, this is a text | write `x = { description \
             = \"Say x\" }`",
        ],
    );
    check_part(
        "[[hooks]]\nx = 1",
        &["1:1 manifest.wrong_type `hooks` is a table, this is a list | write it as a table: \
           `[hooks.\"tool.call\"]`"],
    );
}

#[test]
fn permissions_are_true_or_a_list() {
    check_part(
        "[permissions]\na = false\nb = []\nc = [\"\"]\nd = [1]",
        &[
            "2:5 manifest.bad_permission `permissions.a` is `true` or a list, never `false` | leave it out, \
             which is how nothing is asked for",
            "3:5 manifest.empty `permissions.b` is never empty",
            "4:6 manifest.empty an item of a permission is never empty",
            "5:6 manifest.wrong_type each item of `permissions.d` is a text, this is a whole number | put it \
             in quotes: `\"1\"`",
        ],
    );
}

#[test]
fn a_table_that_an_author_names_is_shown_as_one() {
    check_part(
        "[hooks]\n\"tool.call\" = \"bash\"\n[slots]\ncommand = 1\n[permissions]\n\"process.run\" = { git = true }",
        &[
            "2:15 manifest.wrong_type `hooks.\"tool.call\"` is a table, this is a text | write it as a table: \
             `[hooks.\"tool.call\"]`",
            "4:11 manifest.wrong_type `slots.command` is a table, this is a whole number | write it as a \
             table: `[slots.command]`",
            "6:1 manifest.wrong_type `permissions.\"process.run\"` is `true` or a list of texts, this is a \
             table | write what is asked for as a list: `[\"git\"]`",
        ],
    );
}
