//! What is wrong with a deprecation, and with an alias.

use crate::check::problems;

const DEPRECATED: &str =
    "deprecated = { since = \"1.1.0\", remove_in = \"2.0.0\", instead = \"started\", alias = true }";

#[test]
fn a_deprecation_leaves_time_and_names_what_stays() {
    let check = |to: &str, expected: &[&str]| problems(&[(DEPRECATED, to)], expected);
    check(
        "deprecated = { since = \"1.3.0\", remove_in = \"2.0.0\", instead = \"started\" }",
        &[
            "contract.bad_deprecation: `1.3.0` is not out: this is version 1.2.0 [\"1.3.0\"] (name the version that deprecates it)",
        ],
    );
    for early in ["1.0.0", "1.1.0", "1.2.0", "1.9.0"] {
        check(
            &format!("deprecated = {{ since = \"1.1.0\", remove_in = \"{early}\", instead = \"started\" }}"),
            &[&format!(
                "contract.bad_deprecation: what is deprecated since 1.1.0 can't be removed in {early} [\"{early}\"] (name a later version; the first that can remove it is 2.0.0)"
            )],
        );
    }
    check(
        "deprecated = { since = \"1.1.0\", remove_in = \"2.1.0\", instead = \"started\" }",
        &[
            "contract.bad_deprecation: what is deprecated since 1.1.0 can't be removed in 2.1.0 [\"2.1.0\"] (name a later version; the first that can remove it is 2.0.0)",
        ],
    );
    check(
        "deprecated = { since = \"1.1.0\", remove_in = \"2.0.0\", instead = \"startd\" }",
        &["contract.leads_nowhere: there is no hook `startd` [\"startd\"] (did you mean `started`?)"],
    );
    check(
        "deprecated = { since = \"1.1.0\", remove_in = \"2.0.0\", instead = \"opened\" }",
        &["contract.bad_deprecation: the hook `opened` is its own successor [\"opened\"] (name another)"],
    );
    check(
        "deprecated = { since = \"1.1.0\", remove_in = \"2.0.0\", instead = \"wait\" }",
        &[
            "contract.leads_nowhere: there is no hook `wait` [\"wait\"] (describe it in this file, as a table below `[hooks]`)",
        ],
    );
    check(
        "deprecated = { since = \"1.1.0\", instead = \"started\", alias = \"yes\" }",
        &[
            "contract.missing_key: `hooks.opened.deprecated.remove_in` is missing [deprecated] (add `remove_in = \"2.0.0\"`)",
            "contract.wrong_type: `hooks.opened.deprecated.alias` is `true` or `false`, this is a text [\"yes\"]",
        ],
    );
}

#[test]
fn a_successor_is_not_deprecated_itself() {
    problems(
        &[(
            "when = \"at every key\"",
            "when = \"at every key\"\ndeprecated = { since = \"1.1.0\", remove_in = \"2.0.0\", instead = \"opened\" }",
        )],
        &[
            "contract.bad_deprecation: the hook `opened` is deprecated, too [\"opened\"] (name what will stay)",
        ],
    );
}

#[test]
fn an_alias_serves_as_before() {
    let check = |instead: &str, expected: &[&str]| {
        let to = DEPRECATED.replace("\"started\"", &format!("\"{instead}\""));
        problems(&[(DEPRECATED, &to)], expected);
    };
    check("started", &[]);
    check(
        "file.text",
        &[
            "contract.bad_alias: `opened` can't be served through `file.text`: at `hooks.file.text.kind`, the kind goes from `observe` to `transform` [\"file.text\"] (make the new one accept and give what the old one did, or leave out `alias`)",
        ],
    );
    problems(
        &[(
            "arguments = \"Empty\"\nreturns = \"Answer\"\npermission = \"ask\"",
            "arguments = \"Empty\"\nreturns = \"Answer\"\npermission = \"ask\"\ndeprecated = { since = \"1.1.0\", remove_in = \"2.0.0\", instead = \"file.read\", alias = true }",
        )],
        &[
            "contract.bad_alias: `ask` can't be served through `file.read`: at `calls.file.read.permission`, it needs the permission `file.read` [\"file.read\"] (make the new one accept and give what the old one did, or leave out `alias`)",
            "contract.bad_alias: `ask` can't be served through `file.read`: at `types.Path.properties.path`, the field `path` is new [\"file.read\"] (make the new one accept and give what the old one did, or leave out `alias`)",
            "contract.bad_alias: `ask` can't be served through `file.read`: at `types.Text.anyOf`, `anyOf` is gone, it was `[{\"required\":[\"yes\"],\"type\":\"object\"},{\"required\":[\"no\"],\"ty…` [\"file.read\"] (make the new one accept and give what the old one did, or leave out `alias`)",
        ],
    );
}
