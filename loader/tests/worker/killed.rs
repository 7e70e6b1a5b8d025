//! The host, the nursery or a keeper is killed: what becomes of the workers.

use crate::fixture::AS;
use crate::kit::{Asked, PATIENCE, Running, acting, alive, both, gone_soon, one, setting, start, token};
use libtest_mimic::Trial;
use pintle_loader::worker::{Descendants, Ended, Program, Record, SCOPE_VARIABLE, leftovers};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    trials.extend(both("case_67_a_killed_host_leaves_nothing", host));
    trials.extend(both("case_67_a_killed_host_leaves_nothing_that_stopped_its_watchers", stopped));
    trials.extend(both("case_67_a_host_that_ends_leaves_nothing", host_ends));
    trials.extend(both("a_killed_nursery_takes_all_with_it_and_another_is_started", nursery));
    trials.extend(both("a_killed_keeper_takes_its_worker_with_it", keeper));
    trials.push(one("fallback::what_kills_its_keeper_is_gone", kills_keeper));
    trials.push(one("fallback::what_kills_the_nursery_is_gone", kills_nursery));
    trials.push(one("fallback::what_kills_both_is_gone_or_found_by_its_token", kills_watchers));
    trials.push(one("case_67_what_got_away_is_found_by_its_token", by_token));
    trials.push(one("case_67_a_process_with_a_reused_number_is_left_alone", reused_number));
    trials
}

async fn host(asked: Asked) {
    host_killed(asked, "host").await;
}

async fn stopped(asked: Asked) {
    host_killed(asked, "stopped-host").await;
}

async fn host_killed(asked: Asked, name: &str) {
    let scope = token();
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args([AS, name, asked.word(), &scope])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(BufReader::new(host.stdout.take().unwrap()).lines().next().unwrap().unwrap(), "ready");
    // The host itself, two workers with a daemon each, and a tool.
    let until = Instant::now() + PATIENCE;
    while alive(&scope).len() < 6 {
        assert!(Instant::now() < until, "{:?}", alive(&scope));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    host.kill().unwrap();
    host.wait().unwrap();
    gone_soon(&scope).await;
}

async fn host_ends(asked: Asked) {
    let scope = token();
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args([AS, "big-host", asked.word(), &scope])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(BufReader::new(host.stdout.take().unwrap()).lines().next().unwrap().unwrap(), "ready");
    assert!(alive(&scope).len() > 60);
    let pid = rustix::process::Pid::from_child(&host);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    host.wait().unwrap();
    gone_soon(&scope).await;
}

/// Returns the keeper and the nursery of a program.
fn watchers(pid: u32) -> [i32; 2] {
    let parent = |pid: i32| -> i32 {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        stat.rsplit(") ").next().unwrap().split(' ').nth(1).unwrap().parse().unwrap()
    };
    let keeper = parent(i32::try_from(pid).unwrap());
    [keeper, parent(keeper)]
}

fn kill(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

async fn nursery(_: Asked) {
    // One of its own, also for the best fence: the shared one has the workers of other tests.
    let scope = token();
    let nursery = pintle_loader::worker::Nursery::without_namespaces();
    let program = Program::Exec(acting("leaves-daemon", &[&scope]));
    let mut running = Running::new(nursery.spawn(&program, &setting(&scope)).await.unwrap());
    running.await_ready(2).await;
    kill(watchers(running.process.pid)[1]);
    running.process.gone().await;
    gone_soon(&scope).await;
    let mut running = Running::new(nursery.spawn(&program, &setting(&scope)).await.unwrap());
    running.await_ready(2).await;
    running.process.end(Duration::ZERO).await;
    gone_soon(&scope).await;
}

async fn keeper(asked: Asked) {
    let scope = token();
    let running = start(asked, &scope, "leaves-daemon", 2).await;
    kill(watchers(running.process.pid)[0]);
    assert_eq!(running.process.wait().await, Ended::KeeperLost);
    running.process.gone().await;
    assert_eq!(alive(&scope), Vec::<String>::new());
}

/// Starts an extension without a namespace, and lets it go on once its daemon is there.
async fn told(name: &str, scope: &str) -> Running {
    let program = Program::Exec(acting(name, &[scope]));
    let worker = Asked::Fallback.nursery().spawn(&program, &setting(scope)).await.unwrap();
    assert!(matches!(worker.process.fence.descendants, Descendants::Subreaper { .. }));
    let mut to = std::fs::File::from(worker.to.try_clone().unwrap());
    let mut running = Running::new(worker);
    running.await_ready(1).await;
    to.write_all(b"\n").unwrap();
    running
}

async fn kills_keeper() {
    let scope = token();
    let running = told("kills-keeper", &scope).await;
    assert_eq!(running.process.wait().await, Ended::KeeperLost);
    running.process.gone().await;
    assert_eq!(alive(&scope), Vec::<String>::new());
}

async fn kills_nursery() {
    let scope = token();
    let running = told("kills-nursery", &scope).await;
    assert_eq!(running.process.wait().await, Ended::Signaled(9));
    gone_soon(&scope).await;
}

/// Which of them is faster is for the kernel to say: the one that kills, or the keeper that is woken.
async fn kills_watchers() {
    let scope = token();
    let running = told("kills-watchers", &scope).await;
    running.process.wait().await;
    let record = running.process.record();
    drop(running);
    leftovers(&[record]);
    gone_soon(&scope).await;
}

/// What got away from its watchers: it has the token in its environment, and below it is something without.
async fn by_token() {
    let scope = token();
    let mut away = Command::new(std::env::current_exe().unwrap())
        .args([AS, "leaves-hidden-daemon", &scope])
        .env(SCOPE_VARIABLE, &scope)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(away.stdout.take().unwrap()).lines();
    assert_eq!(lines.by_ref().take(2).map(Result::unwrap).collect::<Vec<_>>(), ["ready", "ready"]);
    let mut hidden = Command::new(std::env::current_exe().unwrap())
        .args([AS, "leaves-tree", &scope])
        .env(SCOPE_VARIABLE, &scope)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(hidden.stdout.take().unwrap()).lines();
    assert_eq!(
        lines.by_ref().take(32).filter(|line| line.as_ref().is_ok_and(|line| line == "ready")).count(),
        32
    );
    let found = leftovers(&[Record { pid: u32::MAX, started: 0, scope: scope.clone() }]);
    assert!(found.contains(&away.id()) && found.contains(&hidden.id()) && found.len() == 33, "{found:?}");
    away.wait().unwrap();
    hidden.wait().unwrap();
    // Nobody knows any more whose daemon that was: it is nobody's child, and shows no token.
    let left = alive(&scope);
    assert_eq!(left.len(), 1, "{left:?}");
    kill(left[0].split(':').next().unwrap().parse().unwrap());
    gone_soon(&scope).await;
}

async fn reused_number() {
    let scope = token();
    let running = start(Asked::Fallback, &scope, "linger", 1).await;
    let Record { pid, started, .. } = running.process.record();
    let foreign = Record { pid, started: started - 1, scope: token() };
    assert_eq!(leftovers(&[foreign]), Vec::<u32>::new());
    let unnamed = Record { pid, started: started - 1, scope: String::new() };
    assert_eq!(leftovers(&[unnamed]), Vec::<u32>::new());
    assert_eq!(alive(&scope).len(), 1);
    assert_eq!(leftovers(&[running.process.record()]), [pid]);
    assert_eq!(running.process.wait().await, Ended::Signaled(9));
}
