//! What the tests share: how long things may take, waiting for what can be seen, and what this process has open.

use libtest_mimic::Trial;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long anything may take that is not what is tested.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Makes one trial.
pub(crate) fn trial<F>(name: &str, test: F) -> Trial
where
    F: AsyncFn() + Send + Sync + Copy + 'static,
{
    Trial::test(name, move || {
        in_runtime(test());
        Ok(())
    })
}

pub(crate) fn in_runtime<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(5 * PATIENCE, test).await.expect("the test hangs") })
}

/// Waits until something can be seen; fails if that takes too long.
#[track_caller]
pub(crate) fn until(what: &str, is_so: impl Fn() -> bool) -> impl Future<Output = ()> {
    until_shown(what, move || if is_so() { Ok(()) } else { Err(String::new()) })
}

/// Waits until something can be seen; fails with what is seen instead if that takes too long.
#[track_caller]
pub(crate) fn until_shown(what: &str, look: impl Fn() -> Result<(), String>) -> impl Future<Output = ()> {
    let place = std::panic::Location::caller();
    let what = what.to_owned();
    async move {
        let end = Instant::now() + PATIENCE;
        while let Err(seen) = look() {
            assert!(Instant::now() < end, "{place}: not so in time: {what}\n{seen}");
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
    }
}

/// Returns the lines of a file; none if it is not there yet.
pub(crate) fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Writes a file of a test.
#[expect(clippy::disallowed_methods, reason = "a file of a test is no state of Pintle")]
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Returns the processes that have a text in their environment or their arguments, and are not dead.
pub(crate) fn alive(marked: &str) -> Vec<String> {
    let mut alive = Vec::new();
    for file in std::fs::read_dir("/proc").unwrap().flatten() {
        let name = file.file_name().into_string().unwrap();
        if name.parse::<u32>().is_err() || name == std::process::id().to_string() {
            continue;
        }
        let read = |what: &str| std::fs::read(format!("/proc/{name}/{what}")).unwrap_or_default();
        let command = read("cmdline");
        let is_marked = [read("environ"), command.clone()]
            .iter()
            .any(|text| text.windows(marked.len()).any(|window| window == marked.as_bytes()));
        if is_marked && is_alive(&name) {
            alive.push(format!("{name}: {}", String::from_utf8_lossy(&command).replace('\0', " ")));
        }
    }
    alive
}

/// Tells whether a process runs.
pub(crate) fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

/// Returns how many descriptors this process has open.
pub(crate) fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Returns how many tasks the runtime has.
pub(crate) fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}
