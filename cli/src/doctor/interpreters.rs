//! Interpreters that extensions require, in the versions that will do. Each is asked once for its version, with a deadline;
//! it is a program of the machine, and no code of an extension.

use super::Finding;
use pintle_loader::Bundle;
use pintle_manifest::{Entry, Untrusted, Version};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;

/// How long an interpreter may take to say its version.
const PATIENCE: Duration = Duration::from_secs(5);
/// How much of its answer is read, in bytes.
const MOST: u64 = 4096;

/// Compares what the extensions require with what is there. One that is not there at all fails at the entry stage.
pub(crate) fn check(
    bundles: &[Bundle],
    environment: &[(OsString, OsString)],
    directory: &Path,
) -> Vec<Finding> {
    let mut said: BTreeMap<&str, Result<Version, String>> = BTreeMap::new();
    let mut findings = Vec::new();
    for bundle in bundles {
        let Entry::Process { requires, .. } = &bundle.manifest.entry else { continue };
        for (interpreter, wanted) in requires {
            let version = said.entry(interpreter).or_insert_with(|| ask(interpreter, environment, directory));
            let finding = match version {
                Ok(version) if wanted.matches(version) => continue,
                Ok(version) => {
                    let message =
                        format!("it needs `{interpreter}` {wanted}, and this machine has {version}");
                    let next =
                        format!("install `{interpreter}` {wanted}, or see which one comes first on PATH");
                    Finding::error("doctor.interpreter_version", message).next(next)
                }
                Err(why) => {
                    let message = format!(
                        "it needs `{interpreter}` {wanted}, and which version is here is not known: {why}"
                    );
                    Finding::note("doctor.interpreter_unknown", message)
                        .next(format!("look yourself: `{interpreter} --version`"))
                }
            };
            findings.push(finding.of(bundle.name()).key(format!("entry.requires.{interpreter}")));
        }
    }
    findings
}

fn ask(interpreter: &str, environment: &[(OsString, OsString)], directory: &Path) -> Result<Version, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let answer = runtime.block_on(async {
        tokio::time::timeout(PATIENCE, answer(interpreter, environment, directory)).await
    });
    match answer {
        Ok(Ok(text)) => version_in(&text).ok_or_else(|| {
            let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            format!("it says `{}`", Untrusted(&line.chars().take(80).collect::<String>()))
        }),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!("it did not answer within {} s", PATIENCE.as_secs())),
    }
}

async fn answer(
    interpreter: &str,
    environment: &[(OsString, OsString)],
    directory: &Path,
) -> io::Result<String> {
    let mut child = tokio::process::Command::new(interpreter)
        .arg("--version")
        .env_clear()
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (Some(stdout), Some(stderr)) = (stdout, stderr) else { return Ok(String::new()) };
    let (mut stdout, mut stderr) = (stdout.take(MOST), stderr.take(MOST));
    let (first, second) = tokio::join!(stdout.read_to_end(&mut out), stderr.read_to_end(&mut err));
    first.and(second)?;
    // Some say it on standard error.
    out.push(b'\n');
    out.extend(err);
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Finds the first version in a text: numbers with a dot between, at most three of which count.
fn version_in(text: &str) -> Option<Version> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    text.split(|c: char| !is_part(c)).find_map(|word| {
        let numbers: Vec<u64> =
            word.trim_matches('.').split('.').map_while(|part| part.parse().ok()).collect();
        match numbers.as_slice() {
            [major, minor, rest @ ..] => {
                Some(Version::new(*major, *minor, rest.first().copied().unwrap_or_default()))
            }
            [] | [_] => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::version_in;

    #[test]
    fn a_version_is_found_in_what_interpreters_say() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(version_in(text).map(|version| version.to_string()).as_deref(), expected, "{text}");
        };
        check("v22.3.1\n", Some("22.3.1"));
        check("\nPython 3.12.4\n", Some("3.12.4"));
        check("GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)", Some("5.2.15"));
        check("ruby 3.3.0preview1 (2023-12-25 revision 5124f9ac75) [x86_64-linux]", Some("3.3.0"));
        check("deno 1.45", Some("1.45.0"));
        check("openjdk 21.0.3.1 2024-04-16", Some("21.0.3"));
        check("go version go1.22.3 linux/amd64", Some("1.22.3"));
        check("unknown option 1", None);
        check("99999999999999999999.1", None);
        check("", None);
    }
}
