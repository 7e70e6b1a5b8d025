//! Everything by which a shell makes a command of something else: arrays, arguments, aliases, and what it is given to
//! read.

use crate::found::{check, found};
use blast_radius::analyse::Command;

#[test]
fn words_that_become_commands() {
    for line in [
        "a=(rm -rf x); \"${a[@]}\"",
        "a=(rm -rf x); ${a[@]}",
        "a=(rm -rf x); ${a[*]}",
        "a=(rm -rf); \"${a[@]}\" x",
        "a=(-rf x); rm \"${a[@]}\"",
        "a=(rm y); $a -rf x",
        "a=(y rm); ${a[1]} -rf x",
        "a=([0]=rm [1]=-rf [2]=x); \"${a[@]}\"",
        "a=(); a+=(rm); a+=(-rf x); \"${a[@]}\"",
        "a[0]=rm; a[1]=-rf; a[2]=x; \"${a[@]}\"",
        "a=(y rm -rf x); \"${a[@]:1}\"",
        "declare -a a=(rm -rf x); \"${a[@]}\"",
        "f() { local a=(rm -rf x); \"${a[@]}\"; }; f",
        "a='rm -rf'; a+=' x'; $a",
        "a=rm; b=$a; $b -rf x",
        "set -- rm -rf x; \"$@\"",
        "set rm -rf x; \"$@\"",
        "set -e -- rm -rf x; $*",
        "set -o pipefail rm -rf x; \"$@\"",
        "set -- y rm -rf x; shift; \"$@\"",
        "set -- y z rm -rf x; shift 2; \"$@\"",
        "set -- rm -rf x; bash -c \"$*\"",
        "f() { shift; \"$@\"; }; f y rm -rf x",
        "f() { \"${@:2}\"; }; f y rm -rf x",
        "f() { \"${@:2:3}\"; }; f y rm -rf x z",
        "f() { local c=$1; shift; $c \"$@\"; }; f rm -rf x",
        "IFS=,; c=rm,-rf,x; $c",
        "IFS=:; set -- rm:-rf:x; $1",
        "{rm,-rf,x}",
        "alias r='rm -rf'; r x",
        "alias r=rm\nr -rf x",
        "alias r='rm -rf' l=ls; l; r x",
        "alias ls='rm -rf x'\nls",
        "hash -p /bin/rm ls; ls -rf x",
        "unset IFS; c='rm -rf x'; $c",
        "$RM -rf x",
        "${SHELL} -c 'rm -rf x'",
        "\"$SHELL\" -c 'rm -rf x'",
        "\"$X\" -c 'rm -rf x'",
        "$SUDO rm -rf x",
        "\"$X\" rm -rf x",
    ] {
        assert_eq!(found(Command::Line(line)), ["rm-r x"], "in the line {line:?}");
    }
}

#[test]
fn what_a_shell_is_given_to_read() {
    for line in [
        ". /dev/stdin <<EOF\nrm -rf x\nEOF",
        ". /dev/fd/0 <<< 'rm -rf x'",
        "source /proc/self/fd/0 <<< 'rm -rf x'",
        "echo 'rm -rf x' | source /dev/stdin",
        "bash /dev/stdin <<< 'rm -rf x'",
        "bash <<EOF\nrm -rf x\nEOF",
        "bash -s <<< 'rm -rf x'",
        "bash -s x <<< 'rm -rf $1'",
        "bash -es -- x <<< 'rm -rf \"$1\"'",
        "tcsh -c 'rm -rf x'",
        "su bob <<< 'rm -rf x'",
        "at now <<< 'rm -rf x'",
        "ssh host <<< 'rm -rf x' || rm -rf x",
    ] {
        assert!(found(Command::Line(line)).iter().any(|one| one == "rm-r x"), "in the line {line:?}");
    }
    check("ssh host <<< 'rm -rf x'", &["opaque"]);
    check("ssh host bash <<< 'rm -rf x'", &["opaque @?"]);
    check(". /dev/stdin", &["opaque"]);
    check("bash <&3", &["opaque"]);
    check("cat x | . /dev/stdin", &["opaque"]);
}

#[test]
fn a_command_that_nobody_can_tell_is_held() {
    for line in [
        "a=($(ls)); \"${a[@]}\"",
        "mapfile -t a < x; \"${a[@]}\"",
        "\"$@\" x",
        "c=ls; read -r c; $c -rf x",
        "c=ls; printf -v c rm; $c -rf x",
        "c=ls; declare -n c=d; $c -rf x",
        "declare -l c=RM; $c -rf x",
        "alias r=\"$X\"; r x",
        "IFS=$X; c=rm,-rf,x; $c",
        "x=RM; ${x,,} -rf y",
        "/bin/r? -rf x",
        "\"$X\" . -delete",
        "\"$X\" -c \"$Y\"",
        "$X",
    ] {
        assert_eq!(found(Command::Line(line)), ["opaque"], "in the line {line:?}");
    }
}

#[test]
fn what_sets_a_shell_up_is_let_pass() {
    check("eval \"$(ssh-agent -s)\"", &[]);
    check("eval $(brew shellenv)", &[]);
    check("source <(kubectl completion bash)", &[]);
    check("eval \"$(ssh-agent -s; curl x)\"", &["opaque"]);
    check("source <(kubectl get x)", &["opaque"]);
    check("$EDITOR a", &[]);
    check("$CC -o a a.c", &[]);
    check("EDITOR='rm -rf x'; $EDITOR", &["rm-r x"]);
    check("unalias -a; a=(1 2); echo \"${a[@]}\"", &[]);
}
