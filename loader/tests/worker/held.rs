//! What an extension may try, and that all of it is gone within two seconds after its worker ended.

use crate::kit::{
    Asked, Running, SOON, acting, alive, both, compile, gone_soon, one, setting, shell, start, token,
};
use libtest_mimic::Trial;
use pintle_loader::worker::{Descendants, Ended, Exec, Program};
use std::io::Write as _;
use std::task::Poll;
use std::time::{Duration, Instant};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    trials.extend(both("a_daemon_ends_with_its_worker", daemon));
    trials.extend(both("a_daemon_ends_when_the_program_did", daemon_after_exit));
    trials.extend(both("a_daemon_without_its_environment_ends", hidden_daemon));
    trials.extend(both("a_tree_of_sessions_ends", tree));
    trials.extend(both("what_ignores_signals_is_killed_after_its_grace", stubborn));
    trials.extend(both("what_multiplies_is_killed", multiplies));
    trials.push(one("best::what_forks_and_exits_without_end_is_killed", hare));
    trials.extend(both("what_closes_its_descriptors_is_killed", closed));
    trials.extend(both("what_stopped_itself_is_killed", stopped));
    trials.extend(both("what_stops_its_watchers_is_killed", stops_watchers));
    trials.extend(both("what_stops_its_keeper_at_once_is_started", stops_keeper_at_once));
    trials.extend(both("what_stops_its_keeper_at_once_ends_with_the_start", stops_keeper_and_is_dropped));
    trials.extend(both("what_kills_its_own_group_ends_alone", kills_group));
    trials.extend(both("what_enters_the_namespace_of_the_host_is_refused_or_held", enters_namespace));
    trials.extend(both("the_memory_of_the_host_is_closed_where_it_is_said_to_be", memory));
    trials.extend(both("a_dropped_worker_ends", dropped));
    trials.extend(both("a_dropped_start_ends", dropped_start));
    trials.extend(both("killing_twice_is_killing_once", twice));
    trials
}

/// Ends a worker at once, and checks that all of it is gone, and that this is what the worker says.
async fn ends(running: &Running, scope: &str) {
    assert!(!alive(scope).is_empty());
    let begun = Instant::now();
    let ending = running.process.end(Duration::ZERO).await;
    assert!(ending.is_gone && begun.elapsed() < SOON, "{ending:?} after {:?}", begun.elapsed());
    assert_eq!(alive(scope), Vec::<String>::new(), "though it is said to be gone");
}

async fn daemon(asked: Asked) {
    let scope = token();
    let running = start(asked, &scope, "leaves-daemon", 2).await;
    assert_eq!(alive(&scope).len(), 2);
    ends(&running, &scope).await;
    assert_eq!(running.process.wait().await, Ended::Signaled(9));
}

async fn daemon_after_exit(asked: Asked) {
    let scope = token();
    let exec = acting("exits-before-daemon", &[&scope]);
    let worker = asked.nursery().spawn(&Program::Exec(exec), &setting(&scope)).await.unwrap();
    let mut to = std::fs::File::from(worker.to.try_clone().unwrap());
    let mut running = Running::new(worker);
    running.await_ready(1).await;
    to.write_all(b"\n").unwrap();
    assert_eq!(running.process.wait().await, Ended::Exited(3));
    running.process.gone().await;
    assert_eq!(alive(&scope), Vec::<String>::new());
}

async fn hidden_daemon(asked: Asked) {
    let scope = token();
    let running = start(asked, &scope, "leaves-hidden-daemon", 2).await;
    ends(&running, &scope).await;
}

async fn tree(asked: Asked) {
    let scope = token();
    let running = start(asked, &scope, "leaves-tree", 32).await;
    assert_eq!(alive(&scope).len(), 32);
    ends(&running, &scope).await;
}

async fn stubborn(asked: Asked) {
    let scope = token();
    let script = "trap '' TERM HUP INT QUIT; echo ready; while :; do sleep 0.1; done";
    let worker = asked.nursery().spawn(&Program::Exec(shell(script)), &setting(&scope)).await.unwrap();
    let mut running = Running::new(worker);
    running.await_ready(1).await;
    let ending = running.process.end(Duration::from_millis(100)).await;
    assert_eq!((ending.how, ending.was_forced, ending.is_gone), (Ended::Signaled(9), true, true));
    assert_eq!(alive(&scope), Vec::<String>::new());
}

async fn multiplies(asked: Asked) {
    let scope = token();
    let running = start(asked, &scope, "multiplies", 1).await;
    while alive(&scope).len() < 10 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    ends(&running, &scope).await;
}

/// Each process of it lives shorter than a look at all processes takes. Without a namespace it is a matter of luck.
async fn hare() {
    let scope = token();
    let folder = tempfile::tempdir().unwrap();
    let source = "#include <unistd.h>\n#include <stdlib.h>\n#include <time.h>\n\
        int main(void) { time_t end = time(0) + 20; unsetenv(\"PINTLE_SCOPE\"); if (fork()) { write(1, \"ready\\n\", 6); \
        for (;;) pause(); } setsid(); while (time(0) < end) if (fork()) _exit(0); }";
    let path = compile(&folder, source, &[]);
    let program = Program::Exec(Exec { path, arguments: vec![scope.clone().into()] });
    let worker = Asked::Best.nursery().spawn(&program, &setting(&scope)).await.unwrap();
    let mut running = Running::new(worker);
    running.await_ready(1).await;
    match running.process.fence.descendants {
        Descendants::PidNamespace { .. } => ends(&running, &scope).await,
        Descendants::Subreaper { .. } => drop(running.process.end(Duration::ZERO).await),
    }
}

async fn closed(asked: Asked) {
    let scope = token();
    let script = "echo ready; exec <&- >&- 2>&- 3>&- 4>&-; while :; do sleep 0.1; done";
    let worker = asked.nursery().spawn(&Program::Exec(shell(script)), &setting(&scope)).await.unwrap();
    let mut running = Running::new(worker);
    running.await_ready(1).await;
    assert_eq!(running.line().await, None);
    ends(&running, &scope).await;
}

async fn stopped(asked: Asked) {
    let scope = token();
    let running = start(asked, &scope, "stops-itself", 1).await;
    let ending = running.process.end(Duration::from_millis(50)).await;
    assert!(ending.is_gone);
    assert_eq!(alive(&scope), Vec::<String>::new());
}

async fn stops_watchers(asked: Asked) {
    let scope = token();
    let nursery = asked.nursery();
    let program = Program::Exec(acting("stops-watchers", &[&scope]));
    let mut running = Running::new(nursery.spawn(&program, &setting(&scope)).await.unwrap());
    running.await_ready(2).await;
    // Others are started all the same.
    let other = nursery.spawn(&Program::Exec(shell("exit 6")), &setting(&token())).await.unwrap();
    assert_eq!(other.process.wait().await, Ended::Exited(6));
    ends(&running, &scope).await;
}

async fn stops_keeper_at_once(asked: Asked) {
    let scope = token();
    let running = start(asked, &scope, "stops-keeper-at-once", 1).await;
    ends(&running, &scope).await;
}

async fn stops_keeper_and_is_dropped(asked: Asked) {
    let scope = token();
    let nursery = asked.nursery();
    let program = Program::Exec(acting("stops-keeper-at-once", &[&scope]));
    for milliseconds in [1, 3, 10, 50] {
        let setting = setting(&scope);
        let start = nursery.spawn(&program, &setting);
        drop(tokio::time::timeout(Duration::from_millis(milliseconds), start).await);
    }
    gone_soon(&scope).await;
}

async fn kills_group(asked: Asked) {
    let scope = token();
    let exec = acting("kills-group", &[&scope]);
    let worker = asked.nursery().spawn(&Program::Exec(exec), &setting(&scope)).await.unwrap();
    let mut to = std::fs::File::from(worker.to.try_clone().unwrap());
    let mut running = Running::new(worker);
    running.await_ready(1).await;
    to.write_all(b"\n").unwrap();
    assert_eq!(running.process.wait().await, Ended::Signaled(9));
    running.process.gone().await;
    gone_soon(&scope).await;
}

async fn enters_namespace(asked: Asked) {
    let scope = token();
    let exec = acting("enters-namespace", &[&scope]);
    let worker = asked.nursery().spawn(&Program::Exec(exec), &setting(&scope)).await.unwrap();
    let mut running = Running::new(worker);
    let said = running.line().await;
    match running.process.fence.descendants {
        Descendants::PidNamespace { .. } => assert_eq!(said.as_deref(), Some("refused")),
        // It is there already, or may not even look.
        Descendants::Subreaper { .. } => assert!(said.is_some()),
    }
    running.await_ready(2).await;
    ends(&running, &scope).await;
}

async fn memory(asked: Asked) {
    let script = format!(
        "if (exec 9<>/proc/{}/mem) 2>/dev/null; then echo open; else echo closed; fi",
        std::process::id()
    );
    let program = Program::Exec(shell(&script));
    let worker = asked.nursery().spawn(&program, &setting(&token())).await.unwrap();
    let fence = worker.process.fence;
    let said = Running::new(worker).line().await;
    match fence.descendants {
        Descendants::PidNamespace { with_user_namespace: true } => {
            assert_eq!(said.as_deref(), Some("closed"))
        }
        // Whether it is open is for the system to say.
        Descendants::PidNamespace { with_user_namespace: false } | Descendants::Subreaper { .. } => {
            assert!(said.is_some());
        }
    }
}

async fn dropped(asked: Asked) {
    let scope = token();
    let nursery = asked.nursery();
    let program = Program::Exec(acting("leaves-daemon", &[&scope]));
    let mut running = Running::new(nursery.spawn(&program, &setting(&scope)).await.unwrap());
    running.await_ready(2).await;
    drop(running);
    gone_soon(&scope).await;
}

async fn dropped_start(asked: Asked) {
    let scope = token();
    let nursery = asked.nursery();
    let program = Program::Exec(acting("leaves-daemon", &[&scope]));
    let setting = setting(&scope);
    // The request goes out at the first step of the future, and nobody waits for the answer.
    for _ in 0..5 {
        let mut start = std::pin::pin!(nursery.spawn(&program, &setting));
        let is_pending =
            std::future::poll_fn(|context| Poll::Ready(start.as_mut().poll(context).is_pending()));
        assert!(is_pending.await);
    }
    nursery.spawn(&Program::Exec(shell("exit 0")), &setting).await.unwrap().process.gone().await;
    gone_soon(&scope).await;
}

async fn twice(asked: Asked) {
    let scope = token();
    let running = start(asked, &scope, "linger", 1).await;
    running.process.kill();
    running.process.kill();
    assert_eq!(running.process.wait().await, Ended::Signaled(9));
    running.process.gone().await;
    running.process.kill();
    let ending = running.process.end(SOON).await;
    assert_eq!((ending.how, ending.was_forced, ending.is_gone), (Ended::Signaled(9), false, true));
}
