//! Processes that extensions of a sandbox left running, found by everything that could give them away.

use super::{Sandbox, wait_for};
use std::path::Path;

/// Returns the processes that belong to extensions of this sandbox: their program, their directory or their environment
/// is in it. Programs that the test itself started are not extensions, and have no scope.
pub(crate) fn running(sandbox: &Sandbox) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.parse::<u32>().is_ok() && is_of(sandbox, &entry.path()) {
            let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            found.push(format!("{name}: {}", String::from_utf8_lossy(&words).replace('\0', " ")));
        }
    }
    found
}

fn is_of(sandbox: &Sandbox, process: &Path) -> bool {
    // One that has ended and was not waited for has nothing of that left.
    let root = sandbox.root();
    let is_inside =
        |link: &str| std::fs::read_link(process.join(link)).is_ok_and(|path| path.starts_with(root));
    let environment = std::fs::read(process.join("environ")).unwrap_or_default();
    let environment = String::from_utf8_lossy(&environment);
    let is_marked = environment.contains("PINTLE_SCOPE=") && environment.contains(&*root.to_string_lossy());
    is_inside("exe") || is_marked
}

/// Fails unless, in a moment, no process of an extension of this sandbox is left.
#[track_caller]
pub(crate) fn assert_nothing_runs(sandbox: &Sandbox) {
    let since = std::time::Instant::now();
    wait_for("the end of all extensions", || {
        let left = running(sandbox);
        assert!(left.is_empty() || since.elapsed().as_secs() < 10, "left running: {left:#?}");
        left.is_empty()
    });
}
