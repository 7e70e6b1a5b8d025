//! A command that is run is as if it was run without us: its streams, its exit code, its signals, its terminal.

use crate::kit::{Sandbox, Terminal, send, wait_for};
use rustix::process::Signal;
use serde_json::json;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};

/// The verb, when an extension looks at the output.
const TAPPED: &[&str] = &["exec", "--with", "watcher", "--"];
/// The verb, when nothing does.
const UNTAPPED: &[&str] = &["exec", "--"];
const BOTH: [&[&str]; 2] = [TAPPED, UNTAPPED];

/// A sandbox with an extension in it that listens to all output and says nothing.
fn watched() -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = sandbox.work("watcher");
    sandbox
        .actor("watcher")
        .at("output.delta", json!([]))
        .with(|package| package.folder(folder.clone()))
        .folder();
    sandbox
}

/// A shell in which `$P` is the verb.
fn shell(sandbox: &Sandbox, verb: &[&str], script: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(script).env_clear().env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
    shell.env("PINTLE_HOME", sandbox.home("")).env("HOME", sandbox.root());
    shell.env("P", format!("{} {}", env!("CARGO_BIN_EXE_pintle"), verb.join(" ")));
    shell.current_dir(sandbox.work(""));
    shell
}

/// Waits for the end, but not without end, and returns the exit code.
#[track_caller]
fn ends(child: &mut Child) -> Option<i32> {
    wait_for("the end of the command", || child.try_wait().unwrap().is_some());
    child.wait().unwrap().code()
}

#[track_caller]
fn check(verb: &[&str], script: &str, expected: (i32, &str, &str)) {
    let output = shell(&watched(), verb, script).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let code = output.status.code().unwrap_or_else(|| 1000 + output.status.signal().unwrap());
    assert_eq!((code, out.as_str(), err.as_str()), expected, "{verb:?} in {script}");
}

#[test]
fn the_exit_code_is_the_commands() {
    for verb in BOTH {
        check(verb, "$P true", (0, "", ""));
        check(verb, "$P sh -c 'exit 7'", (7, "", ""));
        check(verb, "$P sh -c 'exit 255'", (255, "", ""));
        check(verb, "$P sh -c 'kill -TERM $$'", (143, "", ""));
        check(verb, "$P sh -c 'kill -KILL $$'", (137, "", ""));
        check(verb, "$P sh -c 'echo out; echo err >&2; exit 3'", (3, "out\n", "err\n"));
    }
}

#[test]
fn a_command_that_cannot_be_run_says_what_and_where() {
    let sandbox = watched();
    let write = |name: &str, mode: u32, text: &str| {
        sandbox.write(&sandbox.work(name), text);
        std::fs::set_permissions(sandbox.work(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    write("plain", 0o644, "#!/bin/sh\n");
    write("lost", 0o755, "#!/no/such/shell -e\n");
    write("text", 0o755, "echo \"I am $0, $1\"\n");
    write("binary", 0o755, "\u{7f}\0\u{1}\n");
    for verb in BOTH {
        let run = |words: &[&str]| sandbox.command(verb).args(words).run();
        let output = run(&["no-such-program"]).fails(127, "command.not_found");
        output.says("no program `no-such-program` in PATH");
        run(&["./no-such-file"]).fails(127, "command.not_found").says("no file `./no-such-file`");
        run(&["./plain"]).fails(126, "command.not_executable").says("`./plain` may not be executed");
        run(&["/usr"]).fails(126, "command.is_directory").says("`/usr` is a directory");
        run(&["./lost"]).fails(126, "command.no_interpreter").says("by `/no/such/shell`, which is not there");
        run(&["./binary"]).fails(126, "command.refused").says("Exec format error");
        run(&[]).fails(2, "usage");
        let output = run(&["./text", "here"]).succeeds();
        assert_eq!(output.raw_stdout, "I am ./text, here\n");
    }
}

#[test]
fn bytes_and_order_stay_as_they_are() {
    let numbers = "for n in $(seq 500); do echo out $n; echo err $n >&2; done";
    let expected: String = (1..=500).map(|n| format!("out {n}\nerr {n}\n")).collect();
    for verb in BOTH {
        check(verb, &format!("$P sh -c '{numbers}' > log 2>&1; cat log"), (0, &expected, ""));
        check(verb, &format!("$P sh -c '{numbers}' 2>&1 | cat"), (0, &expected, ""));
        let binary = "head -c 3000000 /dev/urandom > a; $P cat a > b; cmp a b; $P cat a | cmp a -; \
                      $P sh -c 'cat a >&2' 2> c; cmp a c; $P cat < a | cmp a -";
        check(verb, binary, (0, "", ""));
    }
}

#[test]
fn standard_input_is_handed_on_and_what_is_not_read_is_left() {
    for verb in BOTH {
        check(
            verb,
            "printf 'one\\ntwo\\n' | { $P sh -c 'read line; echo $line'; cat; }",
            (0, "one\ntwo\n", ""),
        );
    }
}

#[test]
fn a_reader_that_goes_ends_the_command_as_it_would_without_us() {
    for verb in BOTH {
        check(
            verb,
            "$P sh -c 'yes; echo $? > status' | head -1; for i in $(seq 500); do test -s status && break; sleep 0.02; done; cat status",
            (0, "y\n141\n", ""),
        );
    }
}

#[test]
fn what_cannot_be_written_is_said() {
    let script = "$P sh -c 'echo lost; exit 4' > /dev/full";
    let output = shell(&watched(), TAPPED, script).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("No space left on device"), "{said}");
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn a_child_left_in_the_background_does_not_hold_up_the_end() {
    let started = std::time::Instant::now();
    let sandbox = watched();
    let script = "$P sh -c 'sleep 1000 & echo $! > pid; seq 100000 | tail -1' | cat; kill $(cat pid)";
    let output = shell(&sandbox, TAPPED, script).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "100000\n");
    let script = "$P sh -c 'yes >&2 & echo $! > pid; echo end' 2> log; kill $(cat pid) 2> /dev/null";
    let output = shell(&sandbox, TAPPED, script).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "end\n");
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn a_signal_is_passed_on_once_and_the_second_one_too() {
    for verb in BOTH {
        for signal in ["INT", "TERM", "HUP", "QUIT", "USR1"] {
            let command = format!(
                "n=0; trap 'n=$((n+1)); echo got $n; test $n = 2 && exit 5' {signal}; echo ready; while :; do sleep 0.02; done"
            );
            // A shell that starts something in the background lets it ignore SIGINT and SIGQUIT, so it is not that.
            let sandbox = watched();
            let mut run = Command::new(env!("CARGO_BIN_EXE_pintle"));
            run.args(verb).args(["sh", "-c", &command]).env("PINTLE_HOME", sandbox.home(""));
            run.current_dir(sandbox.work(""));
            let mut child = run.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
            let mut out = child.stdout.take().unwrap();
            let mut reads = |expected: &str| {
                let mut read = vec![0; expected.len()];
                out.read_exact(&mut read).unwrap();
                assert_eq!(String::from_utf8(read).unwrap(), expected, "{verb:?} {signal}");
            };
            let kill = || {
                let id = child.id().to_string();
                assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
            };
            reads("ready\n");
            kill();
            reads("got 1\n");
            kill();
            reads("got 2\n");
            let mut rest = String::new();
            out.read_to_string(&mut rest).unwrap();
            assert_eq!(rest, "");
            assert_eq!(ends(&mut child), Some(5), "{verb:?} {signal}");
        }
    }
}

#[test]
fn what_is_ignored_stays_ignored() {
    for verb in BOTH {
        let script = "trap '' HUP INT; $P sh -c 'kill -HUP $PPID; kill -INT $PPID; kill -HUP $$; echo alive'";
        check(verb, script, (0, "alive\n", ""));
        check(verb, "$P sh -c 'kill -PIPE $$'", (141, "", ""));
    }
}

#[test]
fn the_environment_and_the_descriptors_are_those_of_a_plain_run() {
    for verb in BOTH {
        check(verb, "env | grep -v ^_= > a; $P env | grep -v ^_= > b; cmp a b", (0, "", ""));
        check(
            verb,
            "sh -c 'ls /proc/$$/fd; true' > a; $P sh -c 'ls /proc/$$/fd; true' > b; cmp a b",
            (0, "", ""),
        );
        check(verb, "$P sh -c 'ps -o pgid= -p $$; ps -o pgid= -p $PPID' | uniq | wc -l", (0, "1\n", ""));
    }
}

fn terminal() -> Terminal {
    let terminal = Terminal::new();
    terminal.resize(31, 97);
    terminal
}

#[test]
fn a_terminal_stays_a_terminal_of_the_same_size() {
    for verb in BOTH {
        let sandbox = watched();
        let mut terminal = terminal();
        let script = "test -t 0 && test -t 1 && test -t 2 && stty size && stty -a | grep -ow 'icanon\\|onlcr' && exit 9";
        let mut child = sandbox.command(verb).args(["sh", "-c", script]).spawn_on(&mut terminal);
        assert_eq!(ends(&mut child), Some(9));
        assert_eq!(terminal.shows_at_last(), "31 97\r\nonlcr\r\nicanon\r\n", "{verb:?}");
    }
}

#[test]
fn keys_reach_the_command_and_the_modes_are_as_before() {
    let sandbox = watched();
    let mut terminal = terminal();
    let before = terminal.modes();
    // A shell that has just forked takes the signal and goes on, so at that moment it has nothing left to fork.
    let script = "stty -echo -icanon; echo ready; exec head -c 3";
    let mut child = sandbox.command(TAPPED).args(["sh", "-c", script]).spawn_on(&mut terminal);
    terminal.shows("ready\r\n");
    assert_ne!(terminal.modes(), before, "it is raw");
    terminal.types("a\x03b");
    // Control and C is no key to the command here, but a signal.
    assert_eq!(ends(&mut child), Some(130));
    assert_eq!(terminal.modes(), before);

    let mut terminal = self::terminal();
    let script =
        "stty -echo -icanon; echo ready; head -c 3; echo; stty echo icanon; echo line; cat; echo end";
    let mut child = sandbox.command(TAPPED).args(["sh", "-c", script]).spawn_on(&mut terminal);
    terminal.shows("ready\r\n");
    terminal.types("a\rb");
    terminal.shows("a\r\nb\r\nline\r\n");
    terminal.types("words\r");
    terminal.shows("words\r\nwords\r\n");
    terminal.types("\x04");
    terminal.shows("end\r\n");
    assert_eq!(ends(&mut child), Some(0));
    assert_eq!(terminal.modes(), before);
}

#[test]
fn a_new_size_is_passed_on() {
    let sandbox = watched();
    let mut terminal = terminal();
    let script = "trap 'stty size; exit 6' WINCH; echo ready; while :; do sleep 0.02; done";
    sandbox.write(&sandbox.work("script"), script);
    let mut shell = sandbox.command(TAPPED).spawn_shell_on(&mut terminal);
    terminal.types("$P sh script; echo code $?\r");
    terminal.shows("ready\r\n");
    terminal.resize(40, 111);
    terminal.shows("40 111\r\n");
    terminal.shows("code 6\r\n");
    // The end of a pipeline keeps our session, and has a terminal of its own for standard output alone. It is told of
    // a new size by both.
    let script = "exec 3<&1; trap 'case $(stty size <&3) in \"20 80\") echo smaller; exit 8;; esac' WINCH; echo begun; while :; do sleep 0.02; done";
    sandbox.write(&sandbox.work("script"), script);
    terminal.types("echo | $P sh script; echo code $?\r");
    terminal.shows("begun\r\n");
    terminal.resize(20, 80);
    terminal.shows("smaller\r\n");
    terminal.shows("code 8\r\n");
    terminal.types("exit\r");
    ends(&mut shell);
}

#[test]
fn a_new_size_while_the_command_ends_ends_nobody() {
    for signal in [Signal::WINCH, Signal::CONT] {
        for _ in 0..5 {
            let sandbox = watched();
            let mut terminal = terminal();
            let mut child = sandbox.command(TAPPED).args(["sh", "-c", "exit 5"]).spawn_on(&mut terminal);
            wait_for("the end of the command", || {
                (0..50).for_each(|_| send(&child, signal));
                child.try_wait().unwrap().is_some()
            });
            assert_eq!(ends(&mut child), Some(5), "{signal:?}");
        }
    }
}

#[test]
fn the_terminal_is_mended_also_if_we_are_killed() {
    for signal in ["TERM", "HUP", "KILL"] {
        let sandbox = watched();
        let mut terminal = terminal();
        let before = terminal.modes();
        let script = "echo $$ > pid; echo $$; exec sleep 1000";
        let mut child = sandbox.command(TAPPED).args(["sh", "-c", script]).spawn_on(&mut terminal);
        terminal.shows("\r\n");
        assert_ne!(terminal.modes(), before);
        let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        ends(&mut child);
        wait_for("the terminal as it was", || terminal.modes() == before);
        let pid = std::fs::read_to_string(sandbox.work("pid")).unwrap();
        wait_for("the end of the command", || !is_alive(pid.trim()));
    }
}

fn is_alive(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn a_stream_that_leads_elsewhere_is_no_terminal() {
    for verb in BOTH {
        let sandbox = watched();
        let look =
            "s=; test -t 0 && s=${s}in; test -t 1 && s=${s}out; test -t 2 && s=${s}err; echo \"$s.\" > seen";
        sandbox.write(&sandbox.work("look"), look);
        let mut terminal = terminal();
        let mut shell = sandbox.command(verb).spawn_shell_on(&mut terminal);
        let mut check = |line: &str, expected: &str| {
            terminal.types(&format!("{line}; echo it saw $(cat seen)\r"));
            terminal.shows("it saw $(");
            terminal.shows(&format!("it saw {expected}.\r\n"));
        };
        check("$P sh look", "inouterr");
        check("$P sh look 2> x", "inout");
        check("$P sh look > x", "inerr");
        check("$P sh look > x 2>&1", "in");
        check("$P sh look < /dev/null", "outerr");
        check("echo | $P sh look", "outerr");
        check("$P sh look | cat", "inerr");
        check("echo | $P sh look | cat", "err");
        terminal.types("exit\r");
        ends(&mut shell);
    }
}

#[test]
fn control_z_stops_and_fg_goes_on() {
    let sandbox = watched();
    let mut terminal = terminal();
    let mut shell = sandbox.command(TAPPED).spawn_shell_on(&mut terminal);
    terminal.types("$P cat; echo code $?\r");
    terminal.types("one\r");
    terminal.shows("one\r\none\r\n");
    terminal.types("\x1a");
    terminal.shows("code ");
    terminal.types("stty -a | grep -ow icanon; fg; echo code $?\r");
    terminal.shows("icanon\r\n");
    terminal.shows("cat\r\n");
    terminal.types("two\r");
    terminal.shows("two\r\ntwo\r\n");
    terminal.types("\x04");
    terminal.shows("code 0\r\n");
    terminal.types("exit\r");
    ends(&mut shell);
}

#[test]
fn in_the_background_the_terminal_is_left_alone_until_it_is_wanted() {
    let sandbox = watched();
    let mut terminal = terminal();
    let mut shell = sandbox.command(TAPPED).spawn_shell_on(&mut terminal);
    terminal.types("$P sh -c 'echo begin; read line; echo read $line' &\r");
    terminal.shows("begin\r");
    terminal.types("until jobs > jobs; grep Stopped jobs; do sleep 0.02; done; fg; echo code $?\r");
    terminal.shows("Stopped");
    terminal.shows("begin");
    terminal.types("words\r");
    terminal.shows("read words\r\n");
    terminal.shows("code 0\r\n");
    terminal.types("exit\r");
    ends(&mut shell);
}
