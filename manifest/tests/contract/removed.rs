//! When something may go.

use crate::check::{BASE, differences, edited};
use pintle_manifest::{Contract, compare};

const OPENED: &str = "[hooks.opened]\nkind = \"observe\"\nwhen = \"when the editor has started\"\npayload = \"Empty\"\nown_time = \"1s\"\nwall_time = \"5s\"\ndeprecated = { since = \"1.1.0\", remove_in = \"2.0.0\", instead = \"started\", alias = true }\n";
const V1_2: &str = "version = \"1.2.0\"";

#[test]
fn a_removal_needs_its_time() {
    let check = |old: &str, new: &str, expected: &str| {
        let (old, new) = (format!("version = \"{old}\""), format!("version = \"{new}\""));
        differences(&[(V1_2, &old)], &[(V1_2, &new), (OPENED, "")], &[expected]);
    };
    check("1.2.0", "2.0.0", "MAJOR hooks/opened: it is gone");
    check("1.2.0", "2.0.0-rc.1", "MAJOR hooks/opened: it is gone");
    check("1.2.0", "2.1.0", "MAJOR hooks/opened: it is gone");
    check("2.0.0", "3.0.0", "MAJOR hooks/opened: it is gone");
    check(
        "1.2.0",
        "1.3.0",
        "REFUSED (1.2.0 promises it until 2.0.0, and this is 1.3.0) hooks/opened: it is gone",
    );
    check(
        "1.1.0",
        "2.0.0",
        "REFUSED (it is deprecated since 1.1.0, and no minor release lies between: 1.1.0 is not yet 1.2.0) hooks/opened: it is gone",
    );
    check(
        "1.1.9",
        "2.0.0",
        "REFUSED (it is deprecated since 1.1.0, and no minor release lies between: 1.1.9 is not yet 1.2.0) hooks/opened: it is gone",
    );
    check(
        "1.2.0-rc.1",
        "2.0.0",
        "REFUSED (it is deprecated since 1.1.0, and no minor release lies between: 1.2.0-rc.1 is not yet 1.2.0) hooks/opened: it is gone",
    );
}

#[test]
fn what_was_not_deprecated_stays() {
    let v2 = (V1_2, "version = \"2.0.0\"");
    let refused = "REFUSED (1.2.0 does not deprecate it; it has to say so first, with `remove_in`)";
    differences(
        &[],
        &[v2, ("[slots.line]\nholds = \"status lines\"\ncollision = \"owned\"\n", "")],
        &[&format!("{refused} slots/line: it is gone")],
    );
    differences(
        &[],
        &[
            v2,
            (
                "[calls.wait]\ndoes = \"Waits\"\narguments = \"Empty\"\nreturns = \"Empty\"\ncounts_as_own = true\n",
                "",
            ),
        ],
        &[&format!("{refused} calls/wait: it is gone")],
    );
}

#[test]
fn a_new_name_for_an_old_thing_is_a_removal() {
    differences(
        &[],
        &[(V1_2, "version = \"2.0.0\""), ("[calls.wait]", "[calls.sleep]")],
        &[
            "minor calls/sleep: it is new",
            "REFUSED (1.2.0 does not deprecate it; it has to say so first, with `remove_in`) calls/wait: it is gone",
        ],
    );
}

const ASK: &str = "[calls.ask]\ndoes = \"Asks the person\"\narguments = \"Empty\"\nreturns = \"Answer\"\npermission = \"ask\"\n";
const ASK_PERMISSION: &str = "[permissions.ask]\nall = \"ask you questions\"\nrisk = \"low\"\n";

#[test]
fn a_permission_goes_with_its_calls_or_after_them() {
    let v2 = (V1_2, "version = \"2.0.0\"");
    let free =
        (ASK, "[calls.ask]\ndoes = \"Asks the person\"\narguments = \"Empty\"\nreturns = \"Answer\"\n");
    differences(
        &[],
        &[v2, free, (ASK_PERMISSION, "")],
        &[
            "minor calls/ask/permission: it needs no permission",
            "REFUSED (the call `ask` needs it in 1.2.0; one release has to keep it unused first) permissions/ask: it is gone",
        ],
    );
    differences(&[free], &[v2, free, (ASK_PERMISSION, "")], &["MAJOR permissions/ask: it is gone"]);
    let deprecated =
        format!("{ASK}deprecated = {{ since = \"1.1.0\", remove_in = \"2.0.0\", instead = \"wait\" }}\n");
    let gone = [v2, (ASK, ""), (ASK_PERMISSION, "")];
    differences(
        &[(ASK, &deprecated)],
        &gone,
        &["MAJOR calls/ask: it is gone", "MAJOR permissions/ask: it is gone"],
    );
}

#[test]
fn a_deprecation_keeps_what_it_promises() {
    let line =
        "deprecated = { since = \"1.1.0\", remove_in = \"2.0.0\", instead = \"started\", alias = true }";
    let v13 = (V1_2, "version = \"1.3.0\"");
    let check = |to: &str, expected: &[&str]| differences(&[], &[v13, (line, to)], expected);
    check(
        "deprecated = { since = \"1.1.0\", remove_in = \"3.0.0\", instead = \"started\", alias = true }",
        &["minor hooks/opened/deprecated: `remove_in` goes from 2.0.0 to 3.0.0"],
    );
    check(
        "deprecated = { since = \"1.0.0\", remove_in = \"2.0.0\", instead = \"started\", alias = true }",
        &[
            "REFUSED (when it was deprecated does not change afterwards) hooks/opened/deprecated: `since` goes from 1.1.0 to 1.0.0",
        ],
    );
    check(
        "deprecated = { since = \"1.1.0\", remove_in = \"2.0.0\", instead = \"file.save\" }",
        &[
            "minor hooks/opened/deprecated: `alias` is now `false`",
            "patch hooks/opened/deprecated: `instead` goes from `started` to `file.save`",
        ],
    );
    check("", &["minor hooks/opened/deprecated: it is no longer deprecated"]);
    differences(
        &[(
            line,
            "deprecated = { since = \"1.1.0\", remove_in = \"3.0.0\", instead = \"started\", alias = true }",
        )],
        &[v13],
        &[
            "REFUSED (it was promised until 3.0.0) hooks/opened/deprecated: `remove_in` goes from 3.0.0 to 2.0.0",
        ],
    );
    differences(
        &[(line, "")],
        &[v13],
        &[
            "REFUSED (1.2.0 did not deprecate it, so `since` is later than 1.2.0) hooks/opened/deprecated: it is deprecated since 1.1.0",
        ],
    );
    differences(
        &[(line, "")],
        &[v13, (line, "deprecated = { since = \"1.3.0\", remove_in = \"2.0.0\", instead = \"started\" }")],
        &["minor hooks/opened/deprecated: it is deprecated"],
    );
}

#[test]
fn another_host_is_another_contract() {
    differences(
        &[],
        &[("name = \"editor\"", "name = \"viewer\"")],
        &[
            "REFUSED (these are contracts of two hosts, and none is a version of the other) contract/name: the name goes from `editor` to `viewer`",
        ],
    );
}

#[test]
fn nothing_differs_from_itself() {
    let contract = Contract::parse(BASE).unwrap();
    assert_eq!(compare(&contract, &contract), Vec::new());
    let newer = Contract::parse(&edited(BASE, &[(V1_2, "version = \"9.0.0\"")])).unwrap();
    assert_eq!(compare(&contract, &newer), Vec::new());
}
