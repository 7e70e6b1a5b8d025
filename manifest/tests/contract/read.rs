//! What is read, and every way in which a contract can be wrong besides its types.

use crate::check::{BASE, contract, problems, told};
use pintle_manifest::{Collision, Contract, HookKind, Matching, OnFault, QueueRule, Risk, Version, locate};
use std::time::Duration;

#[test]
fn a_contract_is_read_whole() {
    let contract = contract(&[]);
    assert_eq!((contract.name.as_str(), &contract.version), ("editor", &Version::new(1, 2, 0)));
    let save = &contract.hooks["file.save"];
    assert_eq!((save.kind, save.on_fault), (HookKind::Guard, OnFault::Block));
    assert_eq!((save.own_time, save.wall_time), (Duration::from_secs(5), Duration::from_secs(60)));
    assert_eq!((&save.filters, &save.pinned), (&vec!["language".to_owned()], &vec!["path".to_owned()]));
    let faults: Vec<_> = contract.hooks.values().map(|hook| (hook.kind, hook.on_fault)).collect();
    assert!(faults.contains(&(HookKind::Around, OnFault::Skip)));
    assert!(faults.contains(&(HookKind::Stream, OnFault::Log)));
    assert_eq!(contract.hooks["key.press"].queue, Some(QueueRule::DropOldest));
    let opened = contract.hooks["opened"].deprecated.as_ref().unwrap();
    assert_eq!((opened.instead.as_str(), opened.alias), ("started", true));
    let read = &contract.calls["file.read"];
    assert_eq!((read.permission.as_deref(), read.scoped_by.as_deref()), (Some("file.read"), Some("path")));
    assert!(contract.calls["wait"].counts_as_own && !read.counts_as_own);
    let command = &contract.slots["command"];
    assert_eq!(
        (command.collision, command.reserved.as_slice()),
        (Collision::Suffix, ["help".to_owned()].as_slice())
    );
    assert_eq!(command.invoke.as_ref().unwrap().reply, "Done");
    assert_eq!(contract.slots["line"].invoke, None);
    let permission = &contract.permissions["file.read"];
    assert_eq!((permission.matching, permission.risk), (Matching::Path, Risk::Medium));
    assert_eq!(contract.types["Menu"]["properties"]["depth"]["maximum"], 3);
}

#[test]
fn a_type_stands_alone_with_what_it_refers_to() {
    let contract = contract(&[]);
    let schema = contract.schema("Item").unwrap();
    assert_eq!(schema["$ref"], "#/$defs/Item");
    assert_eq!(schema["$defs"].as_object().unwrap().keys().collect::<Vec<_>>(), ["Item"]);
    assert_eq!(contract.schema("Nothing"), None);
}

#[test]
fn keys_are_known_there_and_of_their_type() {
    problems(
        &[("own_time = \"5s\"", "own_tme = \"5s\"")],
        &[
            "contract.unknown_key: unknown key `own_tme` in `hooks.\"file.save\"` [own_tme] (did you mean `own_time`?)",
        ],
    );
    problems(
        &[("when = \"before a file is saved\"\n", "")],
        &[
            "contract.missing_key: `hooks.\"file.save\".when` is missing [\"file.save\"] (add `when = \"before a command runs\"`)",
        ],
    );
    problems(
        &[("kind = \"guard\"", "kind = \"gard\"")],
        &[
            "contract.unknown_value: `gard` is no value of `hooks.\"file.save\".kind` [\"gard\"] (did you mean `guard`?)",
        ],
    );
    problems(
        &[("filters = [\"language\"]", "filters = \"language\"")],
        &[
            "contract.wrong_type: `hooks.\"file.save\".filters` is a list of texts, this is a text [\"language\"]",
        ],
    );
    problems(
        &[("counts_as_own = true", "counts_as_own = 1")],
        &["contract.wrong_type: `calls.wait.counts_as_own` is `true` or `false`, this is a whole number [1]"],
    );
    problems(
        &[("[slots.line]\nholds = \"status lines\"\ncollision = \"owned\"\n", "[slots]\nline = 3\n")],
        &["contract.wrong_type: `slots.line` is a table, this is a whole number [3]"],
    );
    problems(
        &[("[contract]\nname", "[contrat]\nname")],
        &["contract.unknown_key: unknown key `contrat` at the top [contrat] (did you mean `contract`?)"],
    );
}

#[test]
fn names_times_and_texts_are_bounded() {
    problems(
        &[("[slots.line]", "[slots.Line]")],
        &[
            "contract.bad_name: this name is made of `a-z`, `0-9`, `_` and `.`; `L` is not [Line] (did you mean `line`?)",
        ],
    );
    problems(
        &[("version = \"1.2.0\"", "version = \"1.2\"")],
        &[
            "contract.bad_version: `1.2` is not a version (three numbers like `1.4.0`): it has 2 numbers [\"1.2\"] (did you mean `1.2.0`?)",
        ],
    );
    problems(
        &[("own_time = \"5s\"", "own_time = \"5\"")],
        &["contract.bad_time: the time `5` has no unit [\"5\"] (add one: `5ms`, `5s` or `5m`)"],
    );
    problems(
        &[("own_time = \"5s\"", "own_time = \"2m\"")],
        &[
            "contract.bad_time: `hooks.\"file.save\".own_time` is longer than `hooks.\"file.save\".wall_time` [\"2m\"] (own time is a part of the wall time; give it less)",
        ],
    );
    problems(
        &[("wall_time = \"1m\"", "wall_time = \"61m\"")],
        &["contract.too_large: a time is at most an hour [\"61m\"]"],
    );
    problems(
        &[("\"before a file is saved\"", "\"a\\u001bb\"")],
        &["contract.bad_text: this text has no control characters; `\\u{1b}` is one [\"a\\u001bb\"]"],
    );
    problems(
        &[("reserved = [\"help\"]", "reserved = [\"help\", \"help\"]")],
        &["contract.twice: `help` is written twice [\"help\"]"],
    );
}

#[test]
fn names_lead_somewhere() {
    problems(
        &[("payload = \"Save\"", "payload = \"Sav\"")],
        &["contract.leads_nowhere: there is no type `Sav` [\"Sav\"] (did you mean `Save`?)"],
    );
    problems(
        &[("permission = \"ask\"", "permission = \"process.run\"")],
        &[
            "contract.leads_nowhere: there is no permission `process.run` [\"process.run\"] (describe it in this file, as a table below `[permissions]`)",
        ],
    );
    problems(
        &[("reply = \"Opened\"", "reply = \"Opend\"")],
        &["contract.leads_nowhere: there is no type `Opend` [\"Opend\"] (did you mean `Opened`?)"],
    );
    problems(
        &[("arguments = \"Path\"", "arguments = \"Opened\"")],
        &[
            "contract.not_an_object: the type `Opened` is no object [\"Opened\"] (give it `type = \"object\"`; nothing could ever be added to anything else)",
        ],
    );
}

#[test]
fn filters_and_scopes_are_text_fields_and_pins_are_fields() {
    problems(
        &[("filters = [\"language\"]", "filters = [\"langage\"]")],
        &[
            "contract.bad_field: the type `Save` has no field `langage` [\"langage\"] (did you mean `language`?)",
        ],
    );
    problems(
        &[(
            "properties.language = { enum = [\"rust\", \"toml\"] }",
            "properties.language = { enum = [\"rust\", 1] }",
        )],
        &["contract.bad_field: the field `language` of `Save` is not always a text [\"language\"]"],
    );
    problems(
        &[("pinned = [\"path\"]", "pinned = [\"other\"]")],
        &["contract.bad_field: the type `Save` has no field `other` [\"other\"]"],
    );
    problems(
        &[("[types.Path]\ntype = \"object\"\nrequired = [\"path\"]\n", "[types.Path]\ntype = \"object\"\n")],
        &[
            "contract.bad_field: the field `path` of `Path` may be left out [\"path\"] (name it in `required`, or nothing would be compared)",
        ],
    );
    problems(
        &[("permission = \"file.read\"\nscoped_by = \"path\"", "permission = \"file.read\"")],
        &[
            "contract.bad_scope: the permission `file.read` can be granted as a list, and `file.read` does not say with what it is compared [\"file.read\"] (add `scoped_by = \"FIELD\"`, a text of the arguments)",
        ],
    );
    problems(
        &[(
            "arguments = \"Empty\"\nreturns = \"Empty\"\ncounts_as_own = true",
            "arguments = \"Path\"\nreturns = \"Empty\"\nscoped_by = \"path\"",
        )],
        &[
            "contract.bad_scope: `wait` needs no permission that can be granted as a list [\"path\"] (take `scoped_by` out)",
        ],
    );
}

#[test]
fn each_kind_has_its_own_keys() {
    let check = |from: &str, to: &str, expected: &[&str]| problems(&[(from, to)], expected);
    check(
        "kind = \"guard\"",
        "kind = \"guard\"\nreply = \"Opened\"",
        &[
            "contract.misplaced_key: `hooks.\"file.save\".reply` has no place here: this kind of hook reads back no value of its own [reply] (take it out)",
        ],
    );
    check(
        "kind = \"guard\"",
        "kind = \"guard\"\non_fault = \"skip\"",
        &[
            "contract.misplaced_key: `hooks.\"file.save\".on_fault` has no place here: the kind of this hook says what a fault means [on_fault] (take it out)",
        ],
    );
    check(
        "kind = \"guard\"",
        "kind = \"guard\"\nqueue = \"close\"",
        &[
            "contract.misplaced_key: `hooks.\"file.save\".queue` has no place here: only a stream has a queue [queue] (take it out)",
        ],
    );
    check(
        "kind = \"stream\"",
        "kind = \"stream\"\npinned = [\"name\"]",
        &[
            "contract.misplaced_key: `hooks.\"key.press\".pinned` has no place here: nothing can be replaced at this kind of hook [pinned] (take it out)",
        ],
    );
    check(
        "on_fault = \"skip\"\n",
        "on_fault = \"log\"\n",
        &[
            "contract.unknown_value: `log` is no value of `hooks.command.on_fault` [\"log\"] (it is one of `skip`, `block`)",
        ],
    );
    check(
        "on_fault = \"skip\"\n",
        "",
        &["contract.missing_key: `hooks.command.on_fault` is missing [command] (add `on_fault = \"skip\"`)"],
    );
    check(
        "queue = \"drop_oldest\"\n",
        "",
        &[
            "contract.missing_key: `hooks.\"key.press\".queue` is missing [\"key.press\"] (add `queue = \"drop_oldest\"`)",
        ],
    );
    check(
        "kind = \"observe\"\nwhen = \"when the editor has started\"\npayload = \"Empty\"\nown_time = \"1s\"\nwall_time = \"5s\"\n\n[hooks.\"key",
        "kind = \"collect\"\nwhen = \"when the editor has started\"\npayload = \"Empty\"\nown_time = \"1s\"\nwall_time = \"5s\"\n\n[hooks.\"key",
        &[
            "contract.missing_key: `hooks.started.reply` is missing [started] (add `reply = \"TypeName\"`)",
            "contract.bad_alias: `opened` can't be served through `started`: at `hooks.started.kind`, the kind goes from `observe` to `collect` [\"started\"] (make the new one accept and give what the old one did, or leave out `alias`)",
        ],
    );
}

#[test]
fn some_names_are_the_protocols() {
    for name in ["bus", "timer", "slot", "next", "slot.command"] {
        let header = format!(
            "[hooks.\"{name}\"]\nkind = \"observe\"\nwhen = \"never\"\npayload = \"Empty\"\nown_time = \"1s\"\nwall_time = \"1s\"\n\n[hooks.started]"
        );
        let text = crate::check::edited(BASE, &[("[hooks.started]", &header)]);
        let found = told(&text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("contract.reserved_name: `"), "{found:?}");
    }
    problems(
        &[("[calls.wait]", "[calls.next]")],
        &[
            "contract.reserved_name: `next` can't be the name of a call: an around hook goes on by it [next] (choose another name)",
        ],
    );
}

#[test]
fn permissions_say_where_a_list_goes() {
    problems(
        &[("read these files: {items}", "read these files")],
        &[
            "contract.bad_text: `permissions.\"file.read\".some` does not say where the list goes [\"read these files\"] (write `{items}` where it goes: `run these programs: {items}`)",
        ],
    );
    problems(
        &[("all = \"ask you questions\"", "all = \"ask you questions\"\nmatching = \"path\"")],
        &[
            "contract.misplaced_key: `permissions.ask.matching` has no place here: without `some` there is no list to match [matching] (take it out)",
        ],
    );
}

#[test]
fn versions_of_the_grammar_are_told_apart() {
    problems(
        &[("contract_version = 1\n\n", "contract_version = 2\nnew = 1\n")],
        &[
            "contract.newer_version: this is written in contract_version 2, and this Pintle reads 1 [2] (a newer Pintle is needed to read it)",
        ],
    );
    problems(
        &[("contract_version = 1\n\n", "contract_version = 0\n")],
        &["contract.bad_contract_version: there is no such version [0] (write `contract_version = 1`)"],
    );
    problems(
        &[("contract_version = 1\n\n", "")],
        &["contract.missing_key: `contract_version` is missing [] (add `contract_version = 1`)"],
    );
}

#[test]
fn broken_toml_is_told_of_and_not_judged() {
    let check = |text: &str| {
        let found = told(text);
        assert!(!found.is_empty(), "{text:?}");
        assert!(found.iter().all(|line| line.starts_with("contract.syntax: ")), "{found:?}");
    };
    check("contract_version = ");
    check("[contract\n");
    check("a = 1\na = 2\n");
    check("x = \"é\u{0}\n");
}

#[test]
fn a_mark_and_line_ends_of_windows_change_nothing() {
    let text = format!("\u{feff}{}", BASE.replace('\n', "\r\n"));
    assert_eq!(Contract::parse(&text).unwrap(), contract(&[]));
    let text = text.replace("kind = \"guard\"", "kind = \"gard\"");
    assert_eq!(told(&text).len(), 1);
    assert!(told(&text)[0].contains("[\"gard\"]"), "the place is true: {:?}", told(&text));
}

#[test]
fn what_is_too_large_is_refused() {
    let text = format!("{BASE}# {}\n", "x".repeat(1024 * 1024));
    assert!(told(&text)[0].starts_with("contract.too_large: a contract has at most 1048576 bytes"));
    let mut many = BASE.to_owned();
    for number in 0..501 {
        many.push_str(&format!("[types.T{number}]\ntype = \"object\"\n"));
    }
    assert!(
        told(&many)
            .iter()
            .any(|line| line.starts_with("contract.too_large: `types` has at most 500 entries"))
    );
    let mut deep = "type = \"object\"".to_owned();
    for _ in 0..40 {
        deep = format!("not = {{ {deep} }}");
    }
    let found = told(&format!("{BASE}[types.Deep]\n{deep}\n"));
    assert!(
        found.iter().any(|line| line.starts_with("contract.too_large: a type is at most 32")),
        "{found:?}"
    );
}

#[test]
fn a_part_is_found_in_its_text() {
    let check = |path: &[&str], expected: Option<&str>| {
        assert_eq!(locate(BASE, path).map(|span| &BASE[span]), expected, "{path:?}");
    };
    check(&["hooks", "file.save", "own_time"], Some("own_time"));
    check(&["hooks", "file.save"], Some("\"file.save\""));
    check(&["types", "Save", "properties", "text"], Some("text"));
    check(&["types", "Save", "properties", "gone"], Some("properties"));
    check(&["nothing"], None);
}

#[test]
fn what_is_useless_is_a_warning() {
    problems(
        &[("[types.Opened]", "[types.Spare]\ntype = \"object\"\n[types.Opened]")],
        &["contract.unused: nothing uses the type `Spare` [Spare] (take it out)"],
    );
    problems(
        &[("returns = \"Answer\"\npermission = \"ask\"", "returns = \"Answer\"")],
        &[
            "contract.unused: no call needs the permission `ask` [ask] (it would be asked of a person and give nothing)",
        ],
    );
    problems(
        &[("version = \"1.2.0\"", "version = \"2.0.0\"")],
        &["contract.overdue: `opened` was to be removed in 2.0.0 [opened]"],
    );
    assert!(
        Contract::parse(&crate::check::edited(BASE, &[("version = \"1.2.0\"", "version = \"2.0.0\"")]))
            .is_ok()
    );
}
