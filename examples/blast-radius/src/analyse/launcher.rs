//! Programs that run the command that follows their own options, and the options of each, so that it is known where that
//! command begins.

/// Where the command begins after a program's own words.
pub(super) struct Launcher {
    /// Options that take a value as the next word.
    pub(super) with_value: &'static [&'static str],
    /// How many words of its own stand before the command.
    pub(super) operands: usize,
}

/// The programs, the options that take the next word, and how many words of their own they have.
const LAUNCHERS: &[(&[&str], &[&str], usize)] = &[
    (
        &["sudo", "doas", "run0", "please"],
        &[
            "-u",
            "-g",
            "-h",
            "-p",
            "-C",
            "-r",
            "-t",
            "-T",
            "-U",
            "-D",
            "-R",
            "-a",
            "-c",
            "--user",
            "--group",
            "--host",
            "--prompt",
            "--close-from",
            "--role",
            "--type",
            "--command-timeout",
            "--other-user",
            "--chdir",
            "--chroot",
        ],
        0,
    ),
    (&["env", "genv"], &["-u", "--unset", "-C", "--chdir", "-S", "--split-string", "-a", "--argv0"], 0),
    (
        &[
            "nohup",
            "gnohup",
            "setsid",
            "builtin",
            "command",
            "chronic",
            "unbuffer",
            "busybox",
            "toybox",
            "noglob",
            "nocorrect",
            "eatmydata",
            "catchsegv",
            "fakechroot",
            "torsocks",
            "torify",
            "proxychains",
            "proxychains4",
            "systemd-cat",
            "tini",
            "dumb-init",
            "ifne",
            "rlwrap",
            "with-contenv",
            "cross-env",
            "dbus-launch",
            "daemonize",
        ],
        &[],
        0,
    ),
    (&["dbus-run-session"], &["--config-file", "--dbus-daemon"], 0),
    (&["fakeroot"], &["-l", "--lib", "--faked", "-s", "-i", "-b"], 0),
    (&["exec"], &["-a"], 0),
    (&["time", "gtime"], &["-f", "-o", "--format", "--output"], 0),
    (&["nice", "gnice"], &["-n", "--adjustment"], 0),
    (&["ionice"], &["-c", "-n", "-p", "-P", "-u", "--class", "--classdata"], 0),
    (&["timeout", "gtimeout"], &["-s", "-k", "--signal", "--kill-after"], 1),
    (&["stdbuf", "gstdbuf"], &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    (&["taskset"], &[], 1),
    (&["chrt"], &["-T", "-P", "-D", "--sched-runtime", "--sched-period", "--sched-deadline"], 1),
    (&["caffeinate"], &["-t", "-w"], 0),
    (
        &["strace", "ltrace"],
        &["-o", "-e", "-s", "-p", "-E", "-u", "-a", "-I", "-O", "-P", "-S", "-b", "-X"],
        0,
    ),
    // The name of a machine is a launcher itself.
    (&["setarch"], &["-u"], 0),
    (
        &[
            "linux32", "linux64", "uname26", "i386", "i486", "i586", "i686", "athlon", "x86_64", "amd64",
            "ppc", "ppc32", "ppc64", "ppc64le", "s390", "s390x", "mips", "mips32", "mips64", "arm", "armv7l",
            "armv8l", "aarch64", "riscv64", "alpha", "ia64", "sparc", "sparc64",
        ],
        &[],
        0,
    ),
    (&["prlimit"], &["-o", "--output", "-p", "--pid"], 0),
    (
        &["setpriv"],
        &[
            "--ambient-caps",
            "--inh-caps",
            "--bounding-set",
            "--reuid",
            "--ruid",
            "--euid",
            "--regid",
            "--rgid",
            "--egid",
            "--groups",
            "--securebits",
            "--pdeathsig",
            "--selinux-label",
            "--apparmor-profile",
            "--landlock-access",
            "--landlock-rule",
            "--seccomp-filter",
            "--ptracer",
        ],
        0,
    ),
    (&["ssh-agent"], &["-a", "-E", "-O", "-P", "-t"], 0),
    (&["pkexec"], &["--user"], 0),
    (&["gosu", "su-exec", "setuidgid", "envuidgid", "envdir", "faketime", "runcon"], &[], 1),
    (&["systemd-inhibit"], &["--what", "--who", "--why", "--mode"], 0),
    (&["choom"], &["-n", "-p", "--adjust"], 0),
    (&["numactl"], &["-i", "-N", "-C", "-m", "-p", "-l", "-x"], 0),
    (&["cgexec"], &["-g"], 0),
    (&["trickle"], &["-d", "-u", "-n", "-w", "-t", "-l"], 0),
    (&["valgrind"], &[], 0),
];

/// Options of the dynamic loader, which runs the program that it is given.
const LOADER: Launcher = Launcher {
    with_value: &[
        "--library-path",
        "--inhibit-rpath",
        "--audit",
        "--preload",
        "--argv0",
        "--glibc-hwcaps-prepend",
        "--glibc-hwcaps-mask",
    ],
    operands: 0,
};

/// Returns how a program runs what follows it, if it is known to.
pub(super) fn launcher(program: &str) -> Option<Launcher> {
    let is_loader =
        program.starts_with("ld-") && program.contains(".so") || matches!(program, "ld.so" | "ld64.so");
    if is_loader {
        return Some(LOADER);
    }
    let known = LAUNCHERS.iter().find(|(programs, _, _)| programs.contains(&program));
    known.map(|(_, with_value, operands)| Launcher { with_value, operands: *operands })
}
