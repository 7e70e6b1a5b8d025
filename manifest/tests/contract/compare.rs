//! How large a step every kind of change needs. Each is tried forth and back.

use crate::check::{both_ways, differences};

#[test]
fn words_need_a_patch() {
    let check = |from: &str, to: &str, place: &str| {
        both_ways(&[(from, to)], &[&format!("patch {place}")], &[&format!("patch {place}")]);
    };
    check("\"A small editor\"", "\"An editor\"", "contract/description: it is described in other words");
    check(
        "before a file is saved",
        "before saving",
        "hooks/file.save/when: the moment is described in other words",
    );
    check("\"Reads a file\"", "\"Reads\"", "calls/file.read/does: what it does is said in other words");
    check("\"status lines\"", "\"lines\"", "slots/line/holds: what it holds is said in other words");
    check("\"read any file\"", "\"read all\"", "permissions/file.read/all: a person is asked in other words");
    check(
        "read these files: {items}",
        "read {items}",
        "permissions/file.read/some: a person is asked in other words",
    );
    check(
        "what is shown",
        "the title",
        "types/Item/properties/title/description: `description` is different",
    );
}

#[test]
fn a_type_under_another_name_is_the_same_type() {
    both_ways(
        &[("payload = \"Key\"", "payload = \"Press\""), ("[types.Key]", "[types.Press]")],
        &["patch hooks/key.press/payload: its type is called `Press` instead of `Key`"],
        &["patch hooks/key.press/payload: its type is called `Key` instead of `Press`"],
    );
}

#[test]
fn what_is_new_needs_a_minor() {
    let check = |from: &str, before: &str, expected: &str| {
        differences(&[], &[(from, &format!("{before}\n{from}"))], &[&format!("minor {expected}: it is new")]);
    };
    check(
        "[hooks.started]",
        "[hooks.stopped]\nkind = \"observe\"\nwhen = \"at last\"\npayload = \"Empty\"\nown_time = \"1s\"\nwall_time = \"1s\"",
        "hooks/stopped",
    );
    check(
        "[calls.wait]",
        "[calls.now]\ndoes = \"Tells\"\narguments = \"Empty\"\nreturns = \"Empty\"",
        "calls/now",
    );
    check("[slots.line]", "[slots.pane]\nholds = \"panes\"\ncollision = \"reject\"", "slots/pane");
    check("[permissions.ask]", "[permissions.tell]\nall = \"tell\"\nrisk = \"low\"", "permissions/tell");
}

#[test]
fn hooks_change_by_their_keys() {
    let check = |from: &str, to: &str, forth: &str, back: &str| both_ways(&[(from, to)], &[forth], &[back]);
    check(
        "own_time = \"5s\"",
        "own_time = \"4s\"",
        "MAJOR hooks/file.save/own_time: `own_time` goes from 5000 ms to 4000 ms",
        "minor hooks/file.save/own_time: `own_time` goes from 4000 ms to 5000 ms",
    );
    check(
        "wall_time = \"1m\"",
        "wall_time = \"30s\"",
        "MAJOR hooks/file.save/wall_time: `wall_time` goes from 60000 ms to 30000 ms",
        "minor hooks/file.save/wall_time: `wall_time` goes from 30000 ms to 60000 ms",
    );
    check(
        "filters = [\"language\"]",
        "filters = []",
        "MAJOR hooks/file.save/filters: the filter `language` is gone",
        "minor hooks/file.save/filters: one can filter by `language`",
    );
    check(
        "pinned = [\"path\"]",
        "pinned = [\"path\", \"text\"]",
        "MAJOR hooks/file.save/pinned: `text` can no longer be replaced",
        "MAJOR hooks/file.save/pinned: `text` can be replaced",
    );
    check(
        "pinned = [\"path\"]",
        "pinned = [\"path\", \"language\"]",
        "MAJOR hooks/file.save/pinned: `language` can no longer be replaced",
        "minor hooks/file.save/pinned: `language` can be replaced",
    );
    check(
        "queue = \"drop_oldest\"",
        "queue = \"close\"",
        "MAJOR hooks/key.press/queue: a full queue means `close` instead of `drop_oldest`",
        "MAJOR hooks/key.press/queue: a full queue means `drop_oldest` instead of `close`",
    );
    check(
        "on_fault = \"skip\"",
        "on_fault = \"block\"",
        "MAJOR hooks/command/on_fault: a fault means `block` instead of `skip`",
        "MAJOR hooks/command/on_fault: a fault means `skip` instead of `block`",
    );
    check(
        "kind = \"guard\"",
        "kind = \"transform\"",
        "MAJOR hooks/file.save/kind: the kind goes from `guard` to `transform`",
        "MAJOR hooks/file.save/kind: the kind goes from `transform` to `guard`",
    );
}

#[test]
fn calls_change_by_their_keys() {
    let check = |from: &str, to: &str, forth: &str, back: &str| both_ways(&[(from, to)], &[forth], &[back]);
    check(
        "returns = \"Empty\"\ncounts_as_own = true",
        "returns = \"Empty\"\ncounts_as_own = true\npermission = \"ask\"",
        "MAJOR calls/wait/permission: it needs the permission `ask`",
        "minor calls/wait/permission: it needs no permission",
    );
    check(
        "counts_as_own = true",
        "counts_as_own = false",
        "minor calls/wait/counts_as_own: waiting for it no longer counts as own time",
        "MAJOR calls/wait/counts_as_own: waiting for it counts as own time",
    );
    both_ways(
        &[
            (
                "required = [\"path\"]\nproperties.path = { type = \"string\" }",
                "required = [\"path\", \"name\"]\nproperties.path = { type = \"string\" }\nproperties.name = { type = \"string\" }",
            ),
            ("scoped_by = \"path\"", "scoped_by = \"name\""),
        ],
        &[
            "MAJOR calls/file.read/scoped_by: a granted list is compared with `name` instead of `path`",
            "MAJOR types/Path/properties/name: the field `name` is new",
        ],
        &[
            "MAJOR calls/file.read/scoped_by: a granted list is compared with `path` instead of `name`",
            "MAJOR types/Path/properties/name: the field `name` is gone",
        ],
    );
    both_ways(
        &[
            ("permission = \"ask\"", "permission = \"tell\""),
            ("[permissions.ask]", "[permissions.tell]\nall = \"tell\"\nrisk = \"low\"\n[permissions.ask]"),
        ],
        &["MAJOR calls/ask/permission: it needs the permission `tell`", "minor permissions/tell: it is new"],
        &[
            "MAJOR calls/ask/permission: it needs the permission `ask`",
            "REFUSED (the call `ask` needs it in 1.2.0; one release has to keep it unused first) permissions/tell: it is gone",
        ],
    );
}

#[test]
fn slots_change_by_their_keys() {
    let check = |from: &str, to: &str, forth: &str, back: &str| both_ways(&[(from, to)], &[forth], &[back]);
    check(
        "collision = \"suffix\"",
        "collision = \"reject\"",
        "MAJOR slots/command/collision: a collision means `reject` instead of `suffix`",
        "MAJOR slots/command/collision: a collision means `suffix` instead of `reject`",
    );
    check(
        "reserved = [\"help\"]",
        "reserved = [\"help\", \"quit\"]",
        "MAJOR slots/command/reserved: the name `quit` is the host's",
        "minor slots/command/reserved: the name `quit` is free",
    );
    check(
        "collision = \"owned\"",
        "collision = \"owned\"\ninvoke = { payload = \"Empty\", reply = \"Empty\", own_time = \"1s\", wall_time = \"1s\" }",
        "MAJOR slots/line/invoke: entries are invoked",
        "MAJOR slots/line/invoke: entries are no longer invoked",
    );
    check(
        "reply = \"Done\", own_time = \"1s\"",
        "reply = \"Done\", own_time = \"2s\"",
        "minor slots/command/invoke/own_time: `own_time` goes from 1000 ms to 2000 ms",
        "MAJOR slots/command/invoke/own_time: `own_time` goes from 2000 ms to 1000 ms",
    );
}

#[test]
fn permissions_change_by_their_keys() {
    both_ways(
        &[("matching = \"path\"", "matching = \"text\"")],
        &["MAJOR permissions/file.read/matching: a list is compared as `text`"],
        &["MAJOR permissions/file.read/matching: a list is compared as `path`"],
    );
    both_ways(
        &[("risk = \"medium\"", "risk = \"high\"")],
        &["minor permissions/file.read/risk: the risk goes from `medium` to `high`"],
        &["minor permissions/file.read/risk: the risk goes from `high` to `medium`"],
    );
    both_ways(
        &[
            ("some = \"read these files: {items}\"\nmatching = \"path\"\n", ""),
            ("scoped_by = \"path\"\n", ""),
        ],
        &[
            "MAJOR calls/file.read/scoped_by: a granted list is compared with nothing",
            "MAJOR permissions/file.read/some: it can no longer be granted as a list",
        ],
        &[
            "minor calls/file.read/scoped_by: a granted list is compared with `path`",
            "minor permissions/file.read/some: it can be granted as a list",
        ],
    );
}

/// A payload that no one sends back: `Menu` of a collect hook.
#[test]
fn what_goes_to_extensions_may_lose_variety_and_gain_fields() {
    let menu = "properties.depth = { type = \"integer\", minimum = 0, maximum = 3 }";
    let check = |to: &str, forth: &[&str], back: &[&str]| both_ways(&[(menu, to)], forth, back);
    let depth = "types/Menu/properties/depth";
    check(
        "properties.depth = { type = \"integer\", minimum = 0, maximum = 9 }",
        &[&format!("MAJOR {depth}/maximum: `maximum` goes from `3` to `9`")],
        &[&format!("minor {depth}/maximum: `maximum` goes from `9` to `3`")],
    );
    check(
        "properties.depth = { type = \"integer\", minimum = 0 }",
        &[&format!("MAJOR {depth}/maximum: `maximum` is gone, it was `3`")],
        &[&format!("minor {depth}/maximum: `maximum` is new, it is `3`")],
    );
    check(
        "properties.depth = { type = [\"integer\", \"null\"], minimum = 0, maximum = 3 }",
        &[&format!("MAJOR {depth}/type: the type goes from `integer` to `integer, null`")],
        &[&format!("minor {depth}/type: the type goes from `integer, null` to `integer`")],
    );
    check(
        "properties.depth = { type = \"number\", minimum = 0, maximum = 3 }",
        &[&format!("MAJOR {depth}/type: the type goes from `integer` to `number`")],
        &[&format!("minor {depth}/type: the type goes from `number` to `integer`")],
    );
    check(
        "properties.depth = { enum = [0, 1, 2, 3], minimum = 0, maximum = 3 }",
        &[&format!("minor {depth}/enum: it is one of `0, 1, 2, 3`")],
        &[&format!("MAJOR {depth}/enum: it is not only one of `0, 1, 2, 3`")],
    );
    check(
        &format!("{menu}\nproperties.more = {{ type = \"string\" }}"),
        &["minor types/Menu/properties/more: the field `more` is new"],
        &["MAJOR types/Menu/properties/more: the field `more` is gone"],
    );
    check(
        &format!("required = [\"more\"]\n{menu}\nproperties.more = {{ type = \"string\" }}"),
        &["minor types/Menu/properties/more: the field `more` is new"],
        &["MAJOR types/Menu/properties/more: the field `more` is gone"],
    );
    check(
        &format!("required = [\"depth\"]\n{menu}"),
        &["minor types/Menu/required: the field `depth` is always there"],
        &["MAJOR types/Menu/required: the field `depth` may be left out"],
    );
    check(
        &format!("additionalProperties = false\n{menu}"),
        &["minor types/Menu/additionalProperties: nothing is valid"],
        &["MAJOR types/Menu/additionalProperties: anything is valid"],
    );
}

/// A reply that no one hands on: `Item` of a collect hook, and `Opened` of a claim.
#[test]
fn what_comes_from_extensions_may_gain_variety() {
    let check = |from: &str, to: &str, forth: &str, back: &str| both_ways(&[(from, to)], &[forth], &[back]);
    check(
        "enum = [\"window\", \"tab\"]",
        "enum = [\"window\", \"tab\", \"pane\"]",
        "minor types/Opened/enum: it may be `\"pane\"`",
        "MAJOR types/Opened/enum: it is no longer `\"pane\"`",
    );
    check(
        "enum = [\"window\", \"tab\"]",
        "enum = [\"window\", \"pane\"]",
        "MAJOR types/Opened/enum: it may be `\"pane\"`, no longer `\"tab\"`",
        "MAJOR types/Opened/enum: it may be `\"tab\"`, no longer `\"pane\"`",
    );
    check(
        "maxItems = 10",
        "maxItems = 20",
        "minor types/Item/properties/below/maxItems: `maxItems` goes from `10` to `20`",
        "MAJOR types/Item/properties/below/maxItems: `maxItems` goes from `20` to `10`",
    );
    let title = "properties.title = { type = \"string\", description = \"what is shown\" }";
    check(
        title,
        &format!("{title}\nproperties.icon = {{ type = \"string\" }}"),
        "minor types/Item/properties/icon: the field `icon` is new",
        "MAJOR types/Item/properties/icon: the field `icon` is gone",
    );
    check(
        &format!("required = [\"title\"]\n{title}"),
        title,
        "minor types/Item/required: the field `title` may be left out",
        "MAJOR types/Item/required: the field `title` is always there",
    );
    check(
        &format!("required = [\"title\"]\n{title}"),
        &format!("required = [\"title\", \"icon\"]\n{title}\nproperties.icon = {{ type = \"string\" }}"),
        "MAJOR types/Item/properties/icon: the field `icon` is new",
        "MAJOR types/Item/properties/icon: the field `icon` is gone",
    );
}

/// What a guard, a transform or a claim gets, it may send back changed; what an around hook wraps, it gets.
#[test]
fn what_goes_both_ways_must_satisfy_both() {
    let check = |from: &str, to: &str, forth: &str, back: &str| both_ways(&[(from, to)], &[forth], &[back]);
    let language = "properties.language = { enum = [\"rust\", \"toml\"] }";
    check(
        language,
        "properties.language = { enum = [\"rust\", \"toml\", \"json\"] }",
        "MAJOR types/Save/properties/language/enum: it may be `\"json\"`",
        "MAJOR types/Save/properties/language/enum: it is no longer `\"json\"`",
    );
    check(
        language,
        &format!("{language}\nproperties.mode = {{ type = \"integer\" }}"),
        "minor types/Save/properties/mode: the field `mode` is new",
        "MAJOR types/Save/properties/mode: the field `mode` is gone",
    );
    let required = "required = [\"path\", \"text\"]";
    both_ways(
        &[
            (required, "required = [\"path\", \"text\", \"mode\"]"),
            (language, &format!("{language}\nproperties.mode = {{ type = \"integer\" }}")),
        ],
        &["MAJOR types/Save/properties/mode: the field `mode` is new"],
        &["MAJOR types/Save/properties/mode: the field `mode` is gone"],
    );
    check(
        "properties.code = { type = \"integer\" }",
        "properties.code = { type = \"integer\", minimum = 0 }",
        "MAJOR types/Done/properties/code/minimum: `minimum` is new, it is `0`",
        "MAJOR types/Done/properties/code/minimum: `minimum` is gone, it was `0`",
    );
}

#[test]
fn a_pinned_field_goes_one_way_only() {
    let path = "properties.path = { type = \"string\" }\nproperties.text";
    both_ways(
        &[(path, "properties.path = { type = \"string\", minLength = 1 }\nproperties.text")],
        &["minor types/Save/properties/path/minLength: `minLength` is new, it is `1`"],
        &["MAJOR types/Save/properties/path/minLength: `minLength` is gone, it was `1`"],
    );
    both_ways(
        &[
            ("pinned = [\"path\"]", "pinned = [\"path\", \"by\"]"),
            ("required = [\"path\", \"text\"]", "required = [\"path\", \"text\", \"by\"]"),
            (
                path,
                "properties.by = { type = \"string\" }\nproperties.path = { type = \"string\" }\nproperties.text",
            ),
        ],
        &["minor types/Save/properties/by: the field `by` is new"],
        &["MAJOR types/Save/properties/by: the field `by` is gone"],
    );
}

/// Checks that are compared as a whole, in what comes from extensions: `title` of an item.
#[test]
fn what_is_not_understood_is_breaking() {
    let title = "properties.title = { type = \"string\", description = \"what is shown\" }";
    let differ = |old: &str, new: &str, expected: &[&str]| {
        let write =
            |checks: &str| format!("properties.title = {{ {checks} description = \"what is shown\" }}");
        differences(&[(title, &write(old))], &[(title, &write(new))], expected);
    };
    let at = "types/Item/properties/title";
    differ(
        "pattern = \"a\",",
        "pattern = \"b\",",
        &[&format!("MAJOR {at}/pattern: `pattern` goes from `\"a\"` to `\"b\"`")],
    );
    differ("pattern = \"a\",", "", &[&format!("minor {at}/pattern: `pattern` is gone, it was `\"a\"`")]);
    differ("", "pattern = \"a\",", &[&format!("MAJOR {at}/pattern: `pattern` is new, it is `\"a\"`")]);
    differ("", "uniqueItems = false,", &[]);
    differ(
        "",
        "uniqueItems = true,",
        &[&format!("MAJOR {at}/uniqueItems: `uniqueItems` is new, it is `true`")],
    );
    differ(
        "",
        "if = { minLength = 1 },",
        &[&format!("MAJOR {at}/if: `if` is new, it is `{{\"minLength\":1}}`")],
    );
    differ(
        "if = { minLength = 1 },",
        "",
        &[&format!("MAJOR {at}/if: `if` is gone, it was `{{\"minLength\":1}}`")],
    );
    differ("minLength = 0,", "", &[]);
    let (one, two) = ("{ maxLength = 1 }", "{ maxLength = 1 }, { pattern = \"x\" }");
    differ(
        &format!("anyOf = [{one}],"),
        &format!("anyOf = [{two}],"),
        &[&format!("minor {at}/anyOf: there is one more")],
    );
    differ(
        &format!("anyOf = [{two}],"),
        &format!("anyOf = [{one}],"),
        &[&format!("MAJOR {at}/anyOf: there is one less")],
    );
    differ(
        &format!("allOf = [{one}],"),
        &format!("allOf = [{two}],"),
        &[&format!("MAJOR {at}/allOf: there is one more")],
    );
    differ(
        &format!("allOf = [{two}],"),
        &format!("allOf = [{one}],"),
        &[&format!("minor {at}/allOf: there is one less")],
    );
    differ("oneOf = [{ maxLength = 1 }],", "oneOf = [{ maxLength = 1, title = \"x\" }],", &[]);
    differ(
        "oneOf = [{ maxLength = 1 }],",
        "oneOf = [{ maxLength = 2 }],",
        &[&format!("MAJOR {at}/oneOf: `oneOf` goes from `[{{\"maxLength\":1}}]` to `[{{\"maxLength\":2}}]`")],
    );
    differ(
        "anyOf = [{ maxLength = 1 }],",
        "anyOf = [{ maxLength = 2 }],",
        &[&format!("minor {at}/anyOf/maxLength: `maxLength` goes from `1` to `2`")],
    );
}
