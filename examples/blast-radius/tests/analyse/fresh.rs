//! What the line made itself a moment ago, of which there is nothing to lose.

use crate::found::check;

#[test]
fn what_mktemp_made_is_nothing_to_lose() {
    for line in [
        "X=$(mktemp -d); rm -rf \"$X\"",
        "X=\"$(mktemp -d)\" && make && rm -rf \"${X}\"",
        "X=`mktemp`; rm -f \"$X\"",
        "tmp=$(mktemp -d) && trap 'rm -rf \"$tmp\"' EXIT && make",
        "tmp=$(mktemp -d -t build.XXXXXX) || exit 1; trap 'rm -rf \"$tmp\"' EXIT INT; cp a \"$tmp\"",
        "tmp=$(mktemp -d \"${TMPDIR:-/tmp}/x.XXXX\"); rm -rf \"$tmp\"",
        "export T=$(mktemp -d); rm -rf \"$T\"",
        "f() { tmp=$(mktemp -d); rm -rf \"$tmp\"; }; f",
        "sh -c 'X=$(mktemp -d); rm -rf \"$X\"'",
        "for i in 1 2; do X=$(mktemp -d); rm -rf \"$X\"; done",
    ] {
        check(line, &[]);
    }
}

#[test]
fn what_may_be_something_else_is_held() {
    let unknown = "rm-r unknown:\"$X\"";
    for line in [
        "X=$(mktemp -d); read X; rm -rf \"$X\"",
        "X=$(mktemp -d); X=$Y; rm -rf \"$X\"",
        "X=$(mktemp -d); trap 'rm -rf \"$X\"' EXIT; X=/home",
        "X=$(mktemp -d); for X in $Y; do rm -rf \"$X\"; done",
        "X=$(mktemp -d); eval \"$(ssh-agent -s)\"; rm -rf \"$X\"",
        "X=$(mktemp -d); . ./settings; rm -rf \"$X\"",
        "X=$(mktemp -d); mv precious \"$X\"; rm -rf \"$X\"",
        "X=$(mktemp -d); mount --bind /home \"$X\"; rm -rf \"$X\"",
        "X=$(mktemp -d || echo /); rm -rf \"$X\"",
        "X=$(mktemp -d; echo /); rm -rf \"$X\"",
        "X=$(mktemp --help); rm -rf \"$X\"",
        "X=$(mktemp -d $Y); rm -rf \"$X\"",
        "X=$(ls); rm -rf \"$X\"",
        "mktemp() { echo /; }; X=$(mktemp -d); rm -rf \"$X\"",
        "if a; then X=$(mktemp -d); fi; rm -rf \"$X\"",
    ] {
        assert!(
            crate::found::found(blast_radius::analyse::Command::Line(line)).iter().any(|one| one == unknown),
            "{line:?}"
        );
    }
    // If `mktemp` fails, this is everything.
    check("X=$(mktemp -d); rm -rf \"$X\"/*", &["rm-r unknown:\"$X\"/*"]);
    check("X=$(mktemp -d); rm -rf \"$X/..\"", &["rm-r unknown:\"$X/..\""]);
    check("X=$(mktemp -d); rm -rf $X", &["rm-r unknown:$X"]);
    check("X=$(mktemp -d); rm -rf \"$X\" y", &["rm-r y"]);
}
