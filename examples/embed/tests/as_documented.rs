//! The run that `docs/embedding.md` shows is what the program does.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the lines that the document shows below the command.
fn shown() -> Vec<String> {
    let text = std::fs::read_to_string(checkout().join("docs/embedding.md")).unwrap();
    let block = text.split("```console\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let lines: Vec<String> = block.lines().skip(1).map(str::to_owned).collect();
    assert_eq!(lines.len(), 3, "{block}");
    lines
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that tries nothing says so")]
fn the_notes_of_the_document_are_kept_refused_and_counted() {
    let python = Command::new("python3").arg("--version").stdout(Stdio::null()).status();
    if !python.is_ok_and(|status| status.success()) {
        eprintln!("`python3` is not on this machine, so nothing is tried");
        return;
    }
    let mut host = Command::new(env!("CARGO_BIN_EXE_embed-notes"))
        .arg("examples/embed/extensions/tidy-notes")
        .current_dir(checkout())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    host.stdin.take().unwrap().write_all(b"met  Ada on 2030-01-10\n\n").unwrap();
    let output = host.wait_with_output().unwrap();
    let lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(lines, shown());
    assert!(output.status.success());
}
