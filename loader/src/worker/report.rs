//! What a keeper tells the host, one message each: that it is there (with descriptors for itself and the nursery), that
//! its program started (with one for the program), or why not, and how it ended.

use super::process::Ended;

/// The most bytes of a report.
pub(super) const LONGEST: usize = 4096;

/// A report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Report {
    /// The keeper is there, and is going to start the program.
    Kept,
    /// It runs.
    Started { pid: u32, started: u64 },
    /// It does not.
    Failed(Failure),
    /// It ended.
    Ended(Ended),
}

/// Why a program was not started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) stage: Stage,
    /// The number of the error; 0 if there is only a text.
    pub(super) errno: i32,
    pub(super) text: String,
}

/// What was being done when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Keeper,
    Session,
    Directory,
    Limits,
    Descriptors,
    Execute,
    Library,
}

const STAGES: [(u8, Stage); 7] = [
    (b'k', Stage::Keeper),
    (b's', Stage::Session),
    (b'd', Stage::Directory),
    (b'l', Stage::Limits),
    (b'f', Stage::Descriptors),
    (b'x', Stage::Execute),
    (b'n', Stage::Library),
];

impl Failure {
    pub(super) fn at(stage: Stage, errno: i32) -> Failure {
        Failure { stage, errno, text: String::new() }
    }
}

impl Report {
    pub(super) fn encode(&self) -> Vec<u8> {
        match self {
            Report::Kept => b"K".to_vec(),
            Report::Started { pid, started } => {
                [&b"S"[..], &pid.to_le_bytes()[..], &started.to_le_bytes()[..]].concat()
            }
            Report::Failed(Failure { stage, errno, text }) => {
                let (letter, _) =
                    STAGES.iter().find(|(_, other)| other == stage).expect("every stage has a letter");
                let mut bytes = [&[b'F', *letter][..], &errno.to_le_bytes(), text.as_bytes()].concat();
                bytes.truncate(LONGEST);
                bytes
            }
            Report::Ended(Ended::Exited(code)) => [&b"EX"[..], &code.to_le_bytes()].concat(),
            Report::Ended(Ended::Signaled(number)) => [&b"EK"[..], &number.to_le_bytes()].concat(),
            Report::Ended(Ended::KeeperLost) => b"EL".to_vec(),
        }
    }

    /// Reads a report; `None` if it is not one.
    pub(super) fn decode(bytes: &[u8]) -> Option<Report> {
        let number = |bytes: &[u8]| bytes.try_into().ok().map(i32::from_le_bytes);
        match bytes {
            b"K" => Some(Report::Kept),
            [b'S', rest @ ..] => {
                let (pid, started) = rest.split_first_chunk()?;
                let started = u64::from_le_bytes(started.try_into().ok()?);
                Some(Report::Started { pid: u32::from_le_bytes(*pid), started })
            }
            [b'F', letter, rest @ ..] => {
                let (_, stage) = STAGES.iter().find(|(other, _)| other == letter)?;
                let (errno, text) = rest.split_first_chunk()?;
                let text = String::from_utf8_lossy(text).into_owned();
                Some(Report::Failed(Failure { stage: *stage, errno: i32::from_le_bytes(*errno), text }))
            }
            [b'E', b'X', code @ ..] => Some(Report::Ended(Ended::Exited(number(code)?))),
            [b'E', b'K', signal @ ..] => Some(Report::Ended(Ended::Signaled(number(signal)?))),
            [b'E', b'L'] => Some(Report::Ended(Ended::KeeperLost)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, LONGEST, Report, STAGES};
    use crate::worker::process::Ended;

    #[test]
    fn what_is_written_is_read() {
        let mut reports: Vec<Report> = STAGES
            .iter()
            .map(|(_, stage)| {
                Report::Failed(Failure { stage: *stage, errno: 13, text: "no such symbol".to_owned() })
            })
            .collect();
        reports.push(Report::Kept);
        reports.push(Report::Started { pid: 77, started: 1 << 40 });
        reports.push(Report::Ended(Ended::Exited(3)));
        reports.push(Report::Ended(Ended::Signaled(9)));
        reports.push(Report::Ended(Ended::KeeperLost));
        for report in reports {
            assert_eq!(Report::decode(&report.encode()), Some(report));
        }
    }

    #[test]
    fn a_long_text_is_cut() {
        let (_, stage) = STAGES[0];
        let report = Report::Failed(Failure { stage, errno: 0, text: "ä".repeat(LONGEST) });
        assert_eq!(report.encode().len(), LONGEST);
        assert!(Report::decode(&report.encode()).is_some());
    }

    #[test]
    fn what_is_not_a_report_is_refused() {
        for bytes in [&b""[..], b"S123", b"F?\0\0\0\0", b"Fk\0", b"EX\0", b"EY\0\0\0\0", b"Z"] {
            assert_eq!(Report::decode(bytes), None, "{}", bytes.escape_ascii());
        }
    }
}
