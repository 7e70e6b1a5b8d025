//! What a program gets, and what the host learns of it.

use crate::kit::{Asked, Running, SOON, acting, all, both, one, setting, shell, start, token};
use libtest_mimic::Trial;
use pintle_loader::worker::{Descendants, Ended, Program, SCOPE_VARIABLE, Setting, Streams, Worker};
use std::fs::File;
use std::io::Write as _;
use std::time::{Duration, Instant};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    trials.extend(both("the_fence_is_the_one_that_is_told", fence));
    trials.extend(both("an_exit_code_is_told", exit_code));
    trials.extend(both("a_signal_is_told", signal));
    trials.extend(both("a_program_has_its_descriptors_and_no_others", descriptors));
    trials.extend(both("bytes_go_both_ways", bytes));
    trials.extend(both("case_85_the_environment_is_the_one_given", environment));
    trials.extend(both("limits_signals_session_and_directory_are_set", surroundings));
    trials.extend(both("a_program_that_obeys_is_not_forced", obeys));
    trials.extend(both("a_tool_has_the_streams_of_its_caller", tool));
    trials.extend(both("many_start_at_once", many));
    trials.extend(both("processor_time_is_told", processor_time));
    trials.push(one("the_number_of_a_process_is_the_hosts", number));
    trials
}

async fn run(asked: Asked, script: &str, setting: &Setting) -> (Ended, String) {
    let Worker { process, stdout, to: _to, from: _from, stderr: _stderr } =
        asked.nursery().spawn(&Program::Exec(shell(script)), setting).await.unwrap();
    (process.wait().await, all(stdout).await)
}

async fn fence(asked: Asked) {
    let fence = asked.nursery().fence().await.unwrap();
    let running = start(asked, &token(), "linger", 1).await;
    assert_eq!(running.process.fence, fence);
    let outside = std::fs::read_link("/proc/self/ns/pid").unwrap();
    let inside = std::fs::read_link(format!("/proc/{}/ns/pid", running.process.pid)).unwrap();
    match fence.descendants {
        Descendants::PidNamespace { .. } => assert_ne!(inside, outside),
        Descendants::Subreaper { .. } => assert_eq!(inside, outside),
    }
    assert!(asked == Asked::Best || fence.descendants == Descendants::Subreaper { errno: 0 });
}

async fn exit_code(asked: Asked) {
    for code in [0, 1, 77, 255] {
        assert_eq!(run(asked, &format!("exit {code}"), &setting(&token())).await.0, Ended::Exited(code));
    }
}

async fn signal(asked: Asked) {
    assert_eq!(run(asked, "kill -SEGV $$", &setting(&token())).await.0, Ended::Signaled(11));
}

async fn descriptors(asked: Asked) {
    // Something of the host that must not be inherited, though it does not say so.
    let leaky = File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&leaky, rustix::io::FdFlags::empty()).unwrap();
    let script = "for fd in /proc/self/fd/*; do echo ${fd##*/}=$(readlink $fd | sed 's/:.*//'); done";
    // The shell expands the list with one descriptor of its own.
    let script = format!("exec 2>&1; {script} | grep -E '=(pipe|/dev/null|socket|anon_inode)'");
    let (ended, said) = run(asked, &script, &setting(&token())).await;
    let mut said: Vec<&str> = said.lines().collect();
    said.sort_unstable();
    assert_eq!(ended, Ended::Exited(0));
    assert_eq!(said, ["0=/dev/null", "1=pipe", "2=pipe", "3=pipe", "4=pipe"]);
}

async fn bytes(asked: Asked) {
    let exec = Program::Exec(shell("cat <&3 >&4; echo out; echo err >&2"));
    let Worker { process, to, from, stdout, stderr } =
        asked.nursery().spawn(&exec, &setting(&token())).await.unwrap();
    File::from(to).write_all(b"there and back").unwrap();
    assert_eq!(all(from).await, "there and back");
    assert_eq!((all(stdout).await.as_str(), all(stderr).await.as_str()), ("out\n", "err\n"));
    assert_eq!(process.wait().await, Ended::Exited(0));
}

async fn environment(asked: Asked) {
    let scope = token();
    let mut setting = setting(&scope);
    setting.environment.push(("STRANGE".into(), std::ffi::OsString::from("ä b")));
    setting.environment.push((SCOPE_VARIABLE.into(), "forged".into()));
    let (_, said) = run(asked, "cat /proc/$$/environ /proc/self/environ | tr '\\0' '\\n'", &setting).await;
    let mut said: Vec<&str> = said.lines().filter(|line| !line.is_empty()).collect();
    said.sort_unstable();
    said.dedup();
    let scope = format!("{SCOPE_VARIABLE}={scope}");
    let expected = [&scope, "PATH=/usr/local/bin:/usr/bin:/bin", "PWD=/", "STRANGE=ä b"];
    assert!(said.iter().all(|line| expected.contains(line)), "{said:?}");
    assert!(said.contains(&scope.as_str()) && said.contains(&"STRANGE=ä b"), "{said:?}");
}

async fn surroundings(asked: Asked) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let mut setting = setting(&token());
    setting.directory.clone_from(&folder);
    let script = "cat /proc/self/limits; grep -E '^(Sig|NoNew|Cap(Eff|Prm))' /proc/self/status; \
                  echo session=$(cut -d' ' -f6 /proc/self/stat) pwd=$(pwd -P)";
    let worker = asked.nursery().spawn(&Program::Exec(shell(script)), &setting).await.unwrap();
    let pid = worker.process.pid;
    let said = all(worker.stdout).await;
    let is_root = rustix::process::geteuid().is_root();
    let field = |name: &str| {
        let line =
            said.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name} in {said}"));
        line[name.len()..].split_whitespace().next().unwrap().to_owned()
    };
    assert_eq!(field("Max core file size"), "0");
    assert_eq!(field("Max open files"), "1024");
    assert_eq!(field("Max data size"), (2_u64 << 30).to_string());
    assert_eq!(field("Max stack size"), (8 << 20).to_string());
    assert_eq!(field("SigBlk:"), "0000000000000000");
    assert_eq!(field("SigIgn:"), "0000000000000000");
    assert_eq!(field("NoNewPrivs:"), "1");
    if !is_root {
        assert_eq!((field("CapEff:"), field("CapPrm:")), ("0".repeat(16), "0".repeat(16)));
    }
    assert_eq!(field("session="), pid.to_string());
    assert!(said.contains(&format!("pwd={}", folder.display())), "{said}");
}

async fn obeys(asked: Asked) {
    let script = "trap 'exit 7' TERM; echo ready; while :; do sleep 0.02; done";
    let worker = asked.nursery().spawn(&Program::Exec(shell(script)), &setting(&token())).await.unwrap();
    let mut running = Running::new(worker);
    running.await_ready(1).await;
    let ending = running.process.end(SOON).await;
    assert_eq!((ending.how, ending.was_forced, ending.is_gone), (Ended::Exited(7), false, true));
    assert_eq!(running.process.wait().await, Ended::Exited(7));
}

async fn tool(asked: Asked) {
    let (stdin, to) = rustix::pipe::pipe().unwrap();
    let (from, stdout) = rustix::pipe::pipe().unwrap();
    let stderr = File::options().write(true).open("/dev/null").unwrap().into();
    let exec = shell("cat; ls /proc/self/fd | wc -l; exit 4");
    let process =
        asked.nursery().run(&exec, &setting(&token()), Streams { stdin, stdout, stderr }).await.unwrap();
    File::from(to).write_all(b"asked\n").unwrap();
    assert_eq!(all(from).await.split_whitespace().collect::<Vec<_>>(), ["asked", "4"]);
    assert_eq!(process.wait().await, Ended::Exited(4));
}

async fn many(asked: Asked) {
    let nursery = asked.nursery();
    let setting = setting(&token());
    let begun = Instant::now();
    let program = Program::Exec(acting("exit", &["5"]));
    let mut started = Vec::new();
    for _ in 0..50 {
        started.push(nursery.spawn(&program, &setting).await.unwrap());
    }
    for worker in started {
        assert_eq!(worker.process.wait().await, Ended::Exited(5));
        worker.process.gone().await;
    }
    assert!(begun.elapsed() < Duration::from_secs(15));
}

async fn processor_time(asked: Asked) {
    let worker =
        asked.nursery().spawn(&Program::Exec(acting("spin", &[])), &setting(&token())).await.unwrap();
    let until = Instant::now() + crate::kit::PATIENCE;
    while worker.process.cpu_time() < Duration::from_millis(50) {
        assert!(Instant::now() < until, "{:?}", worker.process.cpu_time());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    worker.process.end(Duration::ZERO).await;
    assert_eq!(worker.process.cpu_time(), Duration::ZERO);
}

async fn number() {
    let running = start(Asked::Best, &token(), "linger", 1).await;
    let command = std::fs::read_to_string(format!("/proc/{}/cmdline", running.process.pid)).unwrap();
    assert!(command.starts_with("extension\0--as\0linger\0"), "{command}");
}
