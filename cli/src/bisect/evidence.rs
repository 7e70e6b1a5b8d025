//! What an extension did in a run, as the trace of the run tells: the last fault, else the last block.

use pintle_manifest::Name;
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

/// The longest line of a trace that is looked at, in bytes.
const LONGEST: u64 = 1024 * 1024;
/// How much of a message is told, in characters.
const TOLD: usize = 300;

/// Something that an extension did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deed {
    pub by: Name,
    /// The code of a fault, or `guard.blocked`.
    pub code: String,
    pub message: String,
}

#[derive(Deserialize)]
struct Line {
    event: String,
    extension: Option<Name>,
    code: Option<String>,
    message: Option<String>,
    hook: Option<String>,
    outcome: Option<String>,
    said: Option<String>,
    stage: Option<String>,
    passed: Option<bool>,
}

/// Returns the last thing that any of these extensions did in a run that can break a command.
pub(crate) fn deed_of(trace: &Path, group: &[Name]) -> Option<Deed> {
    let mut reader = BufReader::new(File::open(trace).ok()?);
    let (mut fault, mut other) = (None, None);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if reader.by_ref().take(LONGEST).read_until(b'\n', &mut bytes).ok()? == 0 {
            return fault.or(other);
        }
        let Ok(line) = serde_json::from_slice::<Line>(&bytes) else { continue };
        let Some(by) = line.extension.clone().filter(|by| group.contains(by)) else { continue };
        match line.event.as_str() {
            "fault" => {
                let message = line.message.unwrap_or_default().chars().take(TOLD).collect();
                fault = Some(Deed { by, code: line.code.unwrap_or_default(), message });
            }
            "outcome" => {
                let hook = line.hook.unwrap_or_default();
                let (code, message) = match line.outcome.as_deref() {
                    Some("block") => ("guard.blocked", with(format!("it blocked at `{hook}`"), line.said)),
                    Some("ask") => {
                        let asked = format!("it asked a question at `{hook}`, and nobody was there");
                        ("guard.unasked", with(asked, line.said))
                    }
                    Some("replace") if other.is_none() => {
                        ("replaced", format!("it changed what it was shown at `{hook}`"))
                    }
                    Some(_) | None => continue,
                };
                other = Some(Deed { by, code: code.to_owned(), message });
            }
            "stage" if line.passed == Some(false) => {
                let failed =
                    format!("it was not ready: it failed at the stage {}", line.stage.unwrap_or_default());
                let message = with(failed, line.message);
                other.get_or_insert(Deed { by, code: "not_ready".to_owned(), message });
            }
            _ => {}
        }
    }
}

/// Adds what was said of it.
fn with(message: String, said: Option<String>) -> String {
    match said {
        Some(said) => format!("{message}: {}", said.chars().take(TOLD).collect::<String>()),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::deed_of;
    use pintle_manifest::Name;
    use std::io::Write as _;

    #[test]
    fn a_fault_is_told_before_a_block_and_of_the_group_alone() {
        let fault =
            r#"{"at_us":1,"event":"fault","extension":"acme-a","code":"fault.exited","message":"it exited"}"#;
        let block = r#"{"event":"outcome","hook":"tool.call","extension":"acme-a","outcome":"block","own_us":1,"wall_us":1}"#;
        let replace = r#"{"event":"outcome","hook":"tool.call","extension":"acme-a","outcome":"replace"}"#;
        let foreign =
            r#"{"event":"fault","extension":"acme-b","code":"fault.crashed","message":"it crashed"}"#;
        let check = |lines: &[&str], expected: Option<&str>| {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            lines.iter().for_each(|line| writeln!(file, "{line}").unwrap());
            let deed = deed_of(file.path(), &[Name::parse("acme-a").unwrap()]);
            assert_eq!(deed.map(|deed| deed.code).as_deref(), expected, "{lines:?}");
        };
        check(&[], None);
        check(&["torn {", foreign], None);
        check(&[block], Some("guard.blocked"));
        check(&[fault, block], Some("fault.exited"));
        check(&[replace], Some("replaced"));
        check(&[block, replace], Some("guard.blocked"));
    }
}
