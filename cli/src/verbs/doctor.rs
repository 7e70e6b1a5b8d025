//! `pintle doctor`: what is wrong, where, and what to do next. Looks at everything and runs nothing of any extension.

use crate::doctor::{Diagnosis, Finding, Severity, diagnose, mend};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint, escaped};
use crate::view::words;
use clap::Args;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Says what is wrong with what is installed, where, and what to do next
///
/// Looks at the sets and every file of them, at what each stage says of each extension, at what is disabled or in
/// quarantine, at what extensions store, at what killed hosts left, and at the runs of `pintle exec` that are remembered.
/// Nothing of an extension is run. Works when something can't be read, too: that is a finding, and the rest is looked at.
///
/// Ends with exit code 1 if anything is wrong; notes are not wrong.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  pintle doctor\n  pintle doctor --fix\n  pintle exec --trace slow.jsonl -- make; pintle doctor --trace slow.jsonl"
)]
pub(crate) struct DoctorArgs {
    /// Mends what is safe to mend: ends what killed hosts left, fetches changed files anew, removes what was left half
    /// written, puts a damaged count of faults aside. Never touches what you wish, granted or turned off, what is in
    /// quarantine, or what an extension stores
    #[arg(long)]
    fix: bool,
    /// Counts a run that `pintle exec --trace FILE` wrote among those that are remembered; may be repeated
    #[arg(long, value_name = "FILE")]
    trace: Vec<PathBuf>,
}

struct Told(Diagnosis);

impl Told {
    fn count(&self, severity: Severity) -> usize {
        self.0.findings.iter().filter(|finding| finding.severity == severity && !finding.mended).count()
    }

    /// Says what was looked at and what came of it.
    fn summary(&self, paint: Paint) -> String {
        let extensions = words::count(self.0.extensions, "extension", "extensions");
        let runs = words::count(self.0.runs, "run", "runs");
        let looked = format!("looked at {extensions} and {runs}");
        let counts = [
            (self.count(Severity::Error), "error", "errors"),
            (self.count(Severity::Warning), "warning", "warnings"),
            (self.count(Severity::Note), "note", "notes"),
        ];
        let told: Vec<String> = counts
            .iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| words::count(*count, one, many))
            .collect();
        let verdict = match (self.ok(), told.is_empty()) {
            (true, true) => paint.good("nothing is wrong"),
            (true, false) => format!("{}, {}", paint.good("nothing is wrong"), told.join(", ")),
            (false, _) => paint.bold(&told.join(", ")),
        };
        format!("{verdict}; {looked}\n")
    }
}

impl Document for Told {
    fn verb(&self) -> &'static str {
        "doctor"
    }
    fn ok(&self) -> bool {
        !self.0.findings.iter().any(Finding::is_wrong)
    }
    fn json(&self) -> Map<String, Value> {
        let findings = self.0.findings.iter().map(|finding| {
            json!({
                "severity": finding.severity.word(),
                "code": finding.code,
                "message": finding.message,
                "extension": finding.extension,
                "file": finding.file.as_ref().map(|file| file.to_string_lossy()),
                "key": finding.key,
                "next": finding.next,
                "mendable": finding.mendable,
                "mended": finding.mended,
            })
        });
        let mut map = Map::new();
        map.insert("findings".to_owned(), findings.collect());
        map.insert("extensions".to_owned(), json!(self.0.extensions));
        map.insert("runs".to_owned(), json!(self.0.runs));
        map
    }
    fn human(&self, paint: Paint) -> String {
        let mut text: String = self.0.findings.iter().map(|finding| finding_text(finding, paint)).collect();
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&self.summary(paint));
        let mendable = self.0.findings.iter().filter(|finding| finding.mendable && !finding.mended).count();
        if mendable > 0 {
            let what = words::count(mendable, "of these", "of these");
            text.push_str(&format!("`pintle doctor --fix` mends {what}\n"));
        }
        text
    }
}

fn finding_text(finding: &Finding, paint: Paint) -> String {
    let word = match (finding.mended, finding.severity) {
        (true, _) => paint.good("mended "),
        (false, Severity::Error) => paint.bad("error  "),
        (false, Severity::Warning) => paint.warn("warning"),
        (false, Severity::Note) => paint.hint("note   "),
    };
    let subject = match &finding.extension {
        Some(name) => format!("{}: ", paint.bold(name.as_str())),
        None => String::new(),
    };
    let indent = "        ";
    let message = escaped(&finding.message, indent);
    let mut text = format!("{word} {subject}{message} {}\n", paint.dim(&format!("[{}]", finding.code)));
    let place = match (&finding.file, &finding.key) {
        (Some(file), _) => Some(words::path(file)),
        (None, Some(key)) if key.contains('.') => {
            Some(format!("`{}` in its `extension.toml`", escaped(key, "")))
        }
        (None, Some(_) | None) => None,
    };
    if let Some(place) = place {
        text.push_str(&format!("{indent}{} {place}\n", paint.dim("at:")));
    }
    if let (Some(next), false) = (&finding.next, finding.mended) {
        text.push_str(&format!("{indent}{} {}\n", paint.hint("next:"), escaped(next, indent)));
    }
    text
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &DoctorArgs) -> Result<Exit, Failure> {
    let mut diagnosis = diagnose(situation, &arguments.trace)?;
    if arguments.fix && diagnosis.findings.iter().any(|finding| finding.mendable) {
        diagnosis = mend(situation, diagnosis, &arguments.trace)?;
    }
    let told = Told(diagnosis);
    situation.ui.document(&told);
    Ok(if told.ok() { Exit::Done } else { Exit::Failed })
}
