"""Finds every system call by which a command can change the disk, by tracing it once.

Complete by construction: a call counts as changing unless it is on the list of those that only read, or its
arguments show that it only reads. So a call that no one thought of is tested too, not left out.

The command runs on one processor, where Pintle unpacks in its main thread, so the n-th call of a kind is the same
call in every run. strace counts the calls of each kind apart, hence a point is a kind and a number.
"""

import collections
import os
import re
from dataclasses import dataclass

READS = set(
    """access arch_prctl brk clock_getres clock_gettime clock_nanosleep clone clone3 close epoll_create1 epoll_ctl
    epoll_pwait epoll_wait eventfd2 execve exit exit_group faccessat faccessat2 fcntl flock fstat fstatfs futex
    getcwd getdents64 getegid geteuid getgid getpid getppid getrandom gettid getuid ioctl_read lseek lstat madvise
    membarrier mprotect munmap nanosleep newfstatat pipe2 poll ppoll prctl pread64 preadv prlimit64 read readlink
    readlinkat readv restart_syscall rseq rt_sigaction rt_sigprocmask rt_sigreturn sched_getaffinity sched_yield
    set_robust_list set_tid_address sigaltstack stat statfs statx sysinfo tgkill uname wait4""".split()
)
OPENS = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC|TMPFILE)")
CALL = re.compile(r"^(\d+)\s+([a-z]\w*)\((.*)$")
ONE_PROCESSOR = ["taskset", "-c"]


@dataclass(frozen=True)
class Point:
    call: str
    number: int
    text: str

    def __str__(self):
        return f"{self.call}:when={self.number}"


def changes(call, arguments):
    """Tells whether a call can change the disk."""
    if call in READS:
        return False
    if call in ("open", "openat", "openat2"):
        return bool(OPENS.search(arguments))
    if call == "mmap":
        return "MAP_SHARED" in arguments and "PROT_WRITE" in arguments
    if call == "ioctl":
        return not re.search(r"TCGETS|TIOCGWINSZ|TIOCGPGRP|FIOCLEX|FIONBIO", arguments)
    return True


def find(slot, words, processor):
    """Traces a command. Returns its points, in the order they came, and the kinds of calls that only read."""
    log = f"{slot.root}/trace"
    before = ["strace", "-f", "-y", "-s", "0", "-o", log, *ONE_PROCESSOR, str(processor)]
    code, _, error = slot.attempt(words, before)
    if code != 0:
        raise RuntimeError(f"traced, {words[0]} ended with {code}: {error}")
    counts, points, reading, threads = collections.Counter(), [], set(), set()
    with open(log, errors="replace") as lines:
        started = False
        for line in lines:
            match = CALL.match(line)
            if not match:
                continue
            thread, call, arguments = match.groups()
            # The tracer follows taskset into the command; counting starts at the same place for both.
            counts[thread, call] += 1
            started = started or slot.world.pintle in arguments and call == "execve"
            if not changes(call, arguments):
                reading.add(call)
            elif started:
                threads.add(thread)
                points.append(Point(call, counts[thread, call], arguments.strip()))
    os.unlink(log)
    if len(threads) != 1:
        raise RuntimeError(f"{words[0]} changes the disk from {len(threads)} threads, so calls can't be counted")
    return points, reading


def inject(point, what, processor, log):
    """What to put before a command to have a fault at a point; `log` will tell whether it was had."""
    return ["strace", "-f", "-qq", "-o", log, "-e", f"trace={point.call}", "-e", "signal=none",
            "-e", f"inject={point.call}:{what}:when={point.number}", *ONE_PROCESSOR, str(processor)]  # fmt: skip


def was_injected(log):
    with open(log, errors="replace") as lines:
        return "(INJECTED)" in lines.read()
