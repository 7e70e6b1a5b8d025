//! Texts that are not TOML.

use crate::check::{HEAD, check};

#[test]
fn one_slip_in_the_toml_does_not_hide_the_next() {
    check(
        "manifest_version = 1\n[extension]\nname \"foo\"\nversion = \"1\"\ndescription = A thing\nlicense = MIT\n\
         readme =\nkeywords = [ \"a\"\nauthors = [ 3 ]\n[hosts.agent]\napi_version = \"*\"\n[entry\nruntime = 3\n\
         [hooks.x]\nown_time = 5\n[hooks.x]\nfilter = 1\n[permissions]\na = false\na = true\n[dependencies]\n\
         abd = \"\"\"x\nabe = \"*\"\n",
        &[
            "3:6 manifest.syntax key with no value, expected `=`",
            "4:11 manifest.bad_version `1` is not a version (three numbers like `1.4.0`): it has one \
             number | did you mean `1.0.0`?",
            "5:15 manifest.syntax a text is written without quotes | put it in quotes: `\"A thing\"`",
            "6:11 manifest.syntax a text is written without quotes | put it in quotes: `\"MIT\"`",
            "7:9 manifest.syntax the key has no value",
            "8:12 manifest.syntax what begins here has no end",
            "9:13 manifest.wrong_type each item of `extension.authors` is a text, this is a whole number | put \
             it in quotes: `\"3\"`",
            "11:15 manifest.host_unbounded `*` admits every later version of the host, and no one knows those \
             | bound it above, such as `>=1.0, <2`",
            "12:7 manifest.syntax unclosed table, expected `]`",
            "15:12 manifest.wrong_type `hooks.x.own_time` is a text, this is a whole number | put it in \
             quotes: `\"5\"`",
            "16:8 manifest.syntax `x` is written twice",
            "19:5 manifest.bad_permission `permissions.a` is `true` or a list, never `false` | leave it out, \
             which is how nothing is asked for",
            "20:1 manifest.syntax `a` is written twice",
            "22:7 manifest.syntax what begins here has no end",
            "23:7 ~manifest.any_version `*` accepts versions that no one has tried yet | name the versions \
             that will do, such as `^1.2`",
        ],
    );
}

#[test]
fn what_is_missing_elsewhere_is_told_beside_a_slip() {
    check(
        &format!("{HEAD}[entry]\nruntime = \"wasm\"\n[slots.a.b]\n[dependencies]\nxyz = 1 2\n"),
        &[
            "9:2 manifest.missing_key `entry.component` is missing | add `component = \"x.wasm\"`",
            "11:10 manifest.missing_key `slots.a.b.description` is missing | add `description = \"Explain the \
             last hold\"`",
            "13:7 manifest.syntax a text is written without quotes | put it in quotes: `\"1 2\"`",
        ],
    );
}

#[test]
fn what_is_written_as_in_another_format_is_told_apart() {
    check(
        "manifest_version = 1\n[extension]\nname: \"abc\"\n// hello\nversion = \u{201c}1.0.0\u{201d}\n[hosts.a] x = 1\n",
        &[
            "3:5 manifest.syntax a key ends at `:` | write `=` between a key and its value",
            "4:1 manifest.syntax `//` begins no comment | a comment begins with `#`",
            "5:11 manifest.syntax a text is written without quotes | put it in quotes: `\"1.0.0\"`",
            "6:11 manifest.syntax unexpected key or value, expected newline, `#`",
        ],
    );
}
