//! What the test program does as an extension, a host, or something that an extension starts. It says `ready` on its
//! standard output when it is what it should be.

use crate::kit::{Asked, Running, in_runtime, setting, start};
use pintle_loader::worker::{Exec, Process};
use rustix::process::{Pid, Signal, getpid, getppid, kill_current_process_group, kill_process, setsid};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

/// The first argument of a test program that is no test.
pub(crate) const AS: &str = "--as";

pub(crate) fn act(name: &str, rest: &[String]) {
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    match (name, rest.as_slice()) {
        ("linger", _) => linger(),
        ("exit", [code]) => exit(code.parse().unwrap()),
        ("spin", _) => loop {
            std::hint::spin_loop();
        },
        // A daemon: the process between it and the extension is gone, and it has a session of its own.
        ("between", [token]) => {
            leave(again("daemon", &[token]));
        }
        ("daemon", _) => {
            setsid().unwrap();
            linger()
        }
        ("leaves-daemon", [token]) => {
            again("between", &[token]).status().unwrap();
            linger()
        }
        ("exits-before-daemon", [token]) => {
            again("between", &[token]).status().unwrap();
            await_line();
            exit(3)
        }
        ("leaves-hidden-daemon", [token]) => {
            again("between", &[token]).env_clear().status().unwrap();
            linger()
        }
        ("tree", [token, depth]) => {
            let depth: u32 = depth.parse().unwrap();
            let _ = setsid();
            let below = depth.saturating_sub(1).to_string();
            for _ in 0..if depth == 0 { 0 } else { 2 } {
                leave(again("tree", &[token, &below]));
            }
            linger()
        }
        ("leaves-tree", [token]) => {
            leave(again("tree", &[token, "4"]));
            linger()
        }
        // Starts more and more, as fast as it can, until there are a few hundred.
        ("multiplies", [token]) => {
            say("ready");
            for _ in 0..300 {
                let _ = again("between", &[token]).stdout(Stdio::null()).spawn();
            }
            linger()
        }
        ("stops-itself", _) => {
            say("ready");
            kill_process(getpid(), Signal::STOP).unwrap();
        }
        // Stops whoever watches it, as far as it can see them, and then itself.
        ("stops-watchers", [token]) => {
            again("between", &[token]).status().unwrap();
            for watcher in watchers() {
                let _ = kill_process(watcher, Signal::STOP);
            }
            linger()
        }
        ("stops-keeper-at-once", _) => {
            let _ = kill_process(getppid().unwrap(), Signal::STOP);
            linger()
        }
        ("kills-keeper", [token]) => {
            again("between", &[token]).status().unwrap();
            await_line();
            let _ = kill_process(getppid().unwrap(), Signal::KILL);
            linger()
        }
        ("kills-nursery", [token]) => {
            again("between", &[token]).status().unwrap();
            await_line();
            let _ = kill_process(watchers()[1], Signal::KILL);
            linger()
        }
        // The program itself would die with the keeper, so its daemon kills both.
        ("kills-watchers", [token]) => {
            again("between-killer", &[token]).status().unwrap();
            linger()
        }
        ("between-killer", [token]) => leave(again("killer", &[token])),
        ("killer", _) => {
            setsid().unwrap();
            say("ready");
            await_line();
            let watchers = watchers();
            for signal in [Signal::STOP, Signal::KILL] {
                for watcher in &watchers {
                    let _ = kill_process(*watcher, signal);
                }
            }
            linger()
        }
        ("kills-group", [token]) => {
            again("between", &[token]).status().unwrap();
            await_line();
            kill_current_process_group(Signal::KILL).unwrap();
        }
        ("enters-namespace", [token]) => {
            let outside = std::fs::File::open("/proc/1/ns/pid");
            let entered = outside.map_err(|error| error.to_string()).and_then(|outside| {
                rustix::thread::move_into_link_name_space(
                    std::os::fd::AsFd::as_fd(&outside),
                    Some(rustix::thread::LinkNameSpaceType::ProcessID),
                )
                .map_err(|error| error.to_string())
            });
            say(if entered.is_ok() { "entered" } else { "refused" });
            again("between", &[token]).status().unwrap();
            linger()
        }
        ("host", [asked, token]) => host(asked, token, "leaves-daemon", 2),
        ("stopped-host", [asked, token]) => host(asked, token, "stops-watchers", 2),
        ("big-host", [asked, token]) => host(asked, token, "leaves-tree", 32),
        ("groups", [file]) => crate::people::read_by_group(file),
        ("measure", _) => crate::measure::measure(),
        ("reads", [file]) => crate::people::read(file),
        other => panic!("{other:?} is nothing to act as"),
    }
}

fn again(name: &str, rest: &[&str]) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg0("extension").arg(AS).arg(name).args(rest);
    command
}

/// Starts something that nobody waits for.
fn leave(mut command: Command) {
    std::mem::forget(command.spawn().unwrap());
}

fn say(word: &str) {
    // With one write, since others say something on the same pipe.
    rustix::io::write(std::io::stdout(), format!("{word}\n").as_bytes()).unwrap();
}

fn linger() {
    say("ready");
    loop {
        std::thread::park();
    }
}

#[expect(clippy::disallowed_methods, reason = "a program of the tests ends as it was told")]
fn exit(code: i32) {
    std::process::exit(code)
}

/// Waits for a line from the host, which read meanwhile what was said before.
fn await_line() {
    let mut from = std::fs::File::open("/proc/self/fd/3").unwrap();
    std::io::Read::read_exact(&mut from, &mut [0]).unwrap();
}

/// Returns the keeper and the nursery, where they can be seen.
fn watchers() -> Vec<Pid> {
    let keeper = getppid().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", keeper.as_raw_nonzero())).unwrap();
    let parent = stat.rsplit(") ").next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    [Some(keeper), Pid::from_raw(parent)].into_iter().flatten().collect()
}

/// A host that is going to be killed: it has two workers and a tool, and says when all of it is there.
fn host(asked: &str, token: &str, name: &str, ready: usize) {
    let asked = if asked == Asked::Best.word() { Asked::Best } else { Asked::Fallback };
    in_runtime(async {
        let mut kept: Vec<Running> = Vec::new();
        for _ in 0..2 {
            kept.push(start(asked, token, name, ready).await);
        }
        let null = || std::fs::File::options().read(true).write(true).open("/dev/null").unwrap().into();
        let streams = pintle_loader::worker::Streams { stdin: null(), stdout: null(), stderr: null() };
        let exec: Exec = crate::kit::acting("linger", &[token]);
        let _tool: Process = asked.nursery().run(&exec, &setting(token), streams).await.unwrap();
        linger();
    });
}
