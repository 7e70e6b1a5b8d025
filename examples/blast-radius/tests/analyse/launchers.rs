//! Programs that run what follows them.

use crate::found::{check, found};
use blast_radius::analyse::Command;

#[test]
fn what_follows_a_launcher_is_read() {
    for line in [
        "setarch x86_64 rm -rf x",
        "setarch -R rm -rf x",
        "setarch i686 -R rm -rf x",
        "linux32 rm -rf x",
        "linux64 rm -rf x",
        "i386 rm -rf x",
        "x86_64 -R rm -rf x",
        "prlimit --nofile=10 rm -rf x",
        "prlimit -n10 -- rm -rf x",
        "setpriv --reuid=1 --clear-groups rm -rf x",
        "setpriv --reuid 1 --regid 1 rm -rf x",
        "sg staff -c 'rm -rf x'",
        "sg staff 'rm -rf x'",
        "runuser -u bob -- rm -rf x",
        "runuser bob -c 'rm -rf x'",
        "su bob -c 'rm -rf x'",
        "su -c'rm -rf x'",
        "su --command='rm -rf x' bob",
        "ssh-agent rm -rf x",
        "ssh-agent -t 5 rm -rf x",
        "ssh-agent bash -c 'rm -rf x'",
        "dbus-run-session -- rm -rf x",
        "dbus-run-session --config-file x rm -rf x",
        "flock /tmp/l rm -rf x",
        "flock /tmp/l -c 'rm -rf x'",
        "script -qc 'rm -rf x' /dev/null",
        "script -qc'rm -rf x'",
        "script --command='rm -rf x'",
        "watch -n1 -x rm -rf x",
        "ls | entr -s 'rm -rf x'",
        "stdbuf -o L rm -rf x",
        "unbuffer -p rm -rf x",
        "timeout --kill-after=5 10 rm -rf x",
        "nice --adjustment=5 rm -rf x",
        "ionice -c 3 -t rm -rf x",
        "chrt -i 0 rm -rf x",
        "taskset -c 0-3 rm -rf x",
        "setsid --fork rm -rf x",
        "sudo -ubob rm -rf x",
        "sudo -i rm -rf x",
        "sudo -u bob -i -- sh -c 'rm -rf x'",
        "pkexec --user bob rm -rf x",
        "env -- A=1 rm -rf x",
        "env -i PATH=$PATH rm -rf x",
        "toybox rm -rf x",
        "busybox ash -c 'rm -rf x'",
        "/lib64/ld-linux-x86-64.so.2 /bin/rm -rf x",
        "/lib64/ld-linux-x86-64.so.2 --library-path /lib /bin/rm -rf x",
        "/lib/ld-musl-x86_64.so.1 /bin/rm -rf x",
        "ld.so /bin/rm -rf x",
        "gosu bob rm -rf x",
        "systemd-inhibit --what=idle rm -rf x",
        "tmux new -d 'rm -rf x'",
        "hyperfine --prepare 'rm -rf x' ls",
        "cargo watch -s 'rm -rf x'",
        "rimraf x",
        "npx rimraf x",
    ] {
        assert_eq!(found(Command::Line(line)), ["rm-r x"], "in the line {line:?}");
    }
    for line in [
        "systemd-run --user rm -rf x",
        "unshare -r rm -rf x",
        "nsenter -t 1 -m rm -rf x",
        "chroot / rm -rf x",
        "bwrap --bind / / rm -rf x",
    ] {
        check(line, &["opaque @?"]);
    }
    check("parallel rm -rf ::: a b", &["rm-r unknown:…"]);
    check("parallel 'rm -rf {}' ::: a", &["opaque"]);
    check("su -c \"$X\" bob", &["opaque"]);
    check("sudo -u postgres -- dropdb a", &["database drops"]);
}

#[test]
fn a_program_that_nobody_knows_may_run_what_follows_it() {
    check("newtool --fast rm -rf x", &["rm-r x"]);
    check("newtool -- git reset --hard", &["git reset HEAD"]);
    check("newtool find . -delete", &["find ."]);
    check("newtool sh -c 'rm -rf x'", &["rm-r x"]);
    check("newtool rm x", &[]);
    check("newtool git push", &[]);
    check("newtool git x", &[]);
    check("man git reset --hard", &[]);
    check("apt-get install -y git find", &[]);
    check("docker rm -f x", &[]);
}
