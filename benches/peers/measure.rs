//! Runs one command and says what it took: `status microseconds processor-microseconds
//! peak-KiB` in the file given first.
//! A small program of its own, since the peak memory that the kernel reports for a child is never less than that of
//! the process which started it. Unix only; built by `run` with plain `rustc`.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;
use std::time::Instant;

/// `struct rusage` of a 64-bit Unix: time in user space and in the kernel as seconds and microseconds, then
/// `ru_maxrss`, then thirteen numbers that are not asked for.
#[repr(C)]
#[derive(Default)]
struct Usage {
    times: [i64; 4],
    peak: i64,
    rest: [i64; 13],
}

unsafe extern "C" {
    fn wait4(pid: i32, status: *mut i32, options: i32, usage: *mut Usage) -> i32;
}

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let report = arguments.next().expect("usage: measure REPORT COMMAND [ARGUMENT…]");
    let mut command = Command::new(arguments.next().expect("usage: measure REPORT COMMAND [ARGUMENT…]"));
    command.args(arguments);
    let (mut status, mut usage) = (0, Usage::default());
    let start = Instant::now();
    let child = command.spawn().expect("the command can be started");
    // SAFETY: both places are ours, of the right size, and live until the call returns.
    let ended = unsafe { wait4(child.id().cast_signed(), &mut status, 0, &mut usage) };
    let took = start.elapsed().as_micros();
    assert!(ended > 0, "the child can be waited for");
    let code = std::process::ExitStatus::from_raw(status).code().unwrap_or(255);
    let [user, user_micros, system, system_micros] = usage.times;
    let busy = (user + system) * 1_000_000 + user_micros + system_micros;
    std::fs::write(report, format!("{code} {took} {busy} {}\n", usage.peak)).expect("the report can be written");
    std::process::exit(code);
}
