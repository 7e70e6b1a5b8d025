//! Commands that remove files, however they are spelled, and where they run.

use crate::found::{check, found};
use blast_radius::analyse::{Command, analyse};
use std::path::Path;

#[test]
fn plain_removals() {
    check("rm -rf build", &["rm-r build"]);
    check("rm -r -f build", &["rm-r build"]);
    check("rm -f a b", &["rm a b"]);
    check("rm -R build", &["rm-r build"]);
    check("rm --recursive build", &["rm-r build"]);
    check("rm --recurs build", &["rm-r build"]);
    check("rm --force a", &["rm a"]);
    check("rm build -rf", &["rm-r build"]);
    check("rm -fr -- -x", &["rm-r -x"]);
    check("rm -vrf 'a b' c\\ d \"e f\"", &["rm-r a b c d e f"]);
    check("rm -rf ~/x $HOME/y \"${HOME}/z\"", &["rm-r /home/ada/x /home/ada/y /home/ada/z"]);
    check("rm -rf $PWD/x", &["rm-r /w/x"]);
    check("rm -rf *.o 'a*' b[0-9]? c[^x]", &["rm-r glob:*.o a* glob:b[0-9]? glob:c[!x]"]);
    check("rm -rf **/x", &["rm-r glob:*/x"]);
    check("rm -rf {a,b}/{1..3}", &["rm-r a/1 a/2 a/3 b/1 b/2 b/3"]);
    check("shred -u secret", &["rm secret"]);
}

#[test]
fn spellings_that_hide() {
    for line in [
        "\\rm -rf x",
        "/bin/rm -rf x",
        "\"rm\" -rf x",
        "r''m -rf x",
        "r\"\"m -r'f' x",
        "'r'm -\"rf\" x",
        "$'\\x72m' -rf x",
        "$'rm' $'-rf' x",
        "command rm -rf x",
        "builtin command rm -rf x",
        "exec rm -rf x",
        "exec -a ls rm -rf x",
        "sudo rm -rf x",
        "sudo -u bob -- rm -rf x",
        "sudo -EH rm -rf x",
        "sudo A=1 rm -rf x",
        "doas -u root rm -rf x",
        "env A=1 rm -rf x",
        "env -i -u HOME rm -rf x",
        "env -S 'rm -rf x'",
        "env -S'rm -rf' x",
        "env -iS 'rm -rf x'",
        "env -vS'rm -rf x'",
        "env -S '-i rm -rf x'",
        "env -S 'rm\\_-rf\\_x'",
        "A=1 B=2 rm -rf x",
        "nohup rm -rf x &",
        "time rm -rf x",
        "time -p rm -rf x",
        "! rm -rf x",
        "nice -n 5 rm -rf x",
        "nice -5 rm -rf x",
        "ionice -c3 rm -rf x",
        "timeout 5 rm -rf x",
        "timeout -s KILL 5s rm -rf x",
        "busybox rm -rf x",
        "setsid rm -rf x",
        "stdbuf -oL rm -rf x",
        "strace -f -o /tmp/t rm -rf x",
        "sh -c 'rm -rf x'",
        "bash -lc 'rm -rf x'",
        "bash -euxo pipefail -c 'rm -rf x'",
        "bash --norc -c 'rm -rf x'",
        "sudo sh -c 'rm -rf x'",
        "eval 'rm -rf x'",
        "eval rm -rf x",
        "eval \"rm\" '-rf x'",
        "(rm -rf x)",
        "{ rm -rf x; }",
        "((1)); rm -rf x",
        "true && rm -rf x",
        "false || rm -rf x",
        "true; rm -rf x",
        "true\nrm -rf x",
        "true & rm -rf x",
        "echo a | rm -rf x",
        "rm -rf x | cat",
        "if true; then rm -rf x; fi",
        "if rm -rf x; then :; fi",
        "if a; then :; elif rm -rf x; then :; fi",
        "if a; then :; else rm -rf x; fi",
        "while rm -rf x; do :; done",
        "until false; do rm -rf x; done",
        "for i in 1 2; do rm -rf x; done",
        "case a in a) rm -rf x;; esac",
        "f() { rm -rf x; }; f",
        "f() { rm -rf $1; }; f x",
        "function f { rm -rf \"$@\"; }; f x",
        "[[ -d x ]] && rm -rf x",
        "echo $(rm -rf x)",
        "echo \"`rm -rf x`\"",
        "A=$(rm -rf x)",
        "echo ${A:-$(rm -rf x)}",
        "cat <(rm -rf x)",
        "echo > >(rm -rf x)",
        "echo \"$((1 + $(rm -rf x)))\"",
        "D=x; rm -rf $D",
        "D=x && rm -rf \"$D\"",
        "export D=x; rm -rf ${D}",
        "A='-rf x'; rm $A",
        "R=rm; $R -rf x",
        "echo 'rm -rf x' | sh",
        "echo rm -rf x | sudo bash",
        "bash <<< 'rm -rf x'",
        "sh <<EOF\nrm -rf x\nEOF",
        "cat <<'EOF' | bash -s\nrm -rf x\nEOF",
        "printf 'rm -rf x' | sh",
        "rm \\\n -rf x",
        "rm -rf x # a comment",
        "rm>/dev/null -rf x",
        ">log rm -rf x",
        "rm -rf x 2>&1",
        "trap 'rm -rf x' EXIT",
        "watch 'rm -rf x'",
        "su -c 'rm -rf x' bob",
        "npx rm -rf x",
        "poetry run rm -rf x",
        "coproc rm -rf x",
        "sh -c 'rm -rf \"$1\"' sh x",
        "sh -c 'rm -rf $0' x | cat",
    ] {
        let all = found(Command::Line(line));
        let is_there = all.iter().any(|danger| danger == "rm-r x")
            // What `$0` is, is not followed, but it is held.
            || line.contains("$0") && all == ["rm-r unknown:$0"];
        assert!(is_there, "in the line {line:?} was found {all:?}");
    }
}

#[test]
fn where_it_runs() {
    check("cd a && rm -rf x", &["rm-r x @/w/a"]);
    check("cd a; rm -rf x", &["rm-r x @/w/a else /w"]);
    check("set -e; cd a; rm -rf x", &["rm-r x @/w/a"]);
    check("cd a || exit 1; rm -rf x", &["rm-r x @/w/a else /w"]);
    check("cd a || true; rm -rf x", &["rm-r x @?"]);
    check("cd a/../b && rm -rf x", &["rm-r x @/w/b"]);
    check("cd /a && cd b && rm -rf x", &["rm-r x @/a/b"]);
    check("cd && rm -rf x", &["rm-r x @/home/ada"]);
    check("cd ~/p && rm -rf x", &["rm-r x @/home/ada/p"]);
    check("cd a && cd - && rm -rf x", &["rm-r x"]);
    check("cd $D && rm -rf x", &["rm-r x @?"]);
    check("cd \"$(mktemp -d)\" && rm -rf x", &["rm-r x @?"]);
    check("D=a; cd $D && rm -rf x", &["rm-r x @/w/a"]);
    check("(cd a && make); rm -rf x", &["rm-r x"]);
    check("cd a | cat; rm -rf x", &["rm-r x"]);
    check("pushd a && rm -rf x && popd && rm -rf y", &["rm-r x @/w/a", "rm-r y"]);
    check("popd && rm -rf x", &["rm-r x @?"]);
    check("if a; then cd b; fi; rm -rf x", &["rm-r x @?"]);
    check("for d in a b; do (cd $d && rm -rf x); done", &["rm-r x @/w/a", "rm-r x @/w/b"]);
    check("env -C a rm -rf x", &["rm-r x @/w/a"]);
    check("sudo -D /a rm -rf x", &["rm-r x @/a"]);
    check("sh -c 'cd a && rm -rf x'; rm -rf y", &["rm-r x @/w/a", "rm-r y"]);
    check("eval 'cd a' && rm -rf x", &["rm-r x @/w/a"]);
    check("f() { cd a; }; f; rm -rf x", &["rm-r x @/w/a else /w"]);
    check("git -C a reset --hard", &["git reset HEAD @/w/a"]);
    check("git -C a -C b reset --hard", &["git reset HEAD @/w/a/b"]);
    check("git --git-dir=/g/.git --work-tree /g reset --hard", &["git reset HEAD git-dir=/g/.git"]);
    check("GIT_DIR=/g git reset --hard", &["git reset HEAD git-dir=/g"]);
    check("export GIT_DIR=/g; git reset --hard", &["git reset HEAD git-dir=/g"]);
}

#[test]
fn exact_arguments_are_not_expanded() {
    let check = |words: &[&str], expected: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(found(Command::Exact(&words)), expected, "in {words:?}");
    };
    check(&["rm", "-rf", "*", "$X", "~", "a b\nc"], &["rm-r * $X ~ a b\nc"]);
    check(&["sh", "-c", "rm -rf *"], &["rm-r glob:*"]);
    check(&["sudo", "rm", "-rf", "x"], &["rm-r x"]);
    check(&["ls", "&&", "rm", "-rf", "x"], &[]);
    check(&["echo", "$(rm -rf x)"], &[]);
    check(&["git", "-C", "/a", "clean", "-fd"], &["git clean -f-d @/a"]);
    check(&[], &[]);
}

#[test]
fn the_command_is_shown_as_it_was_written() {
    let of = |line: &str| analyse(Command::Line(line), Path::new("/w"), None)[0].command.clone();
    assert_eq!(of("cd a && sudo rm -rf 'b c' && ls"), "rm -rf 'b c'");
    assert_eq!(of("ls | xargs -0 rm -rf"), "xargs -0 rm -rf");
    assert_eq!(of("git -C a reset --hard"), "git -C a reset --hard");
    let exact = analyse(
        Command::Exact(&["rm".to_owned(), "-rf".to_owned(), "a b".to_owned()]),
        Path::new("/w"),
        None,
    );
    assert_eq!(exact[0].command, "rm -rf 'a b'");
    assert!(!exact[0].after_others);
    assert!(analyse(Command::Line("make && rm -rf x"), Path::new("/w"), None)[0].after_others);
    assert!(!analyse(Command::Line("cd a && echo b && rm -rf x"), Path::new("/w"), None)[0].after_others);
}
