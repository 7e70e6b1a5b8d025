//! `pintle load`: takes the set through all stages, and reports. What was loaded ends again.

use super::exec::{WhichArgs, in_runtime, interrupted, listen};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::{Agent, Expected, clash_words, expected};
use crate::lower::{self, Lowered};
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::words;
use clap::Args;
use pintle_loader::dispose::Disposed;
use pintle_loader::slot::{Clash, SlotEntry};
use pintle_loader::stage::{Report, Stage, Verdict};
use pintle_loader::worker::Nursery;
use pintle_manifest::Untrusted;
use serde_json::{Map, Value, json};

/// Loads the set, and says of each extension which stage it reached
///
/// The stages are install (its files are what was approved), trust (it may run), entry (its program is there and of the
/// right shape), compat (it fits the host's contract) and load (it starts and answers in time). Everything that was
/// loaded is ended again.
#[derive(Debug, Args)]
pub(crate) struct LoadArgs {
    #[command(flatten)]
    which: WhichArgs,
}

struct Loaded {
    reports: Vec<Report>,
    commands: Vec<SlotEntry>,
    clashes: Vec<Clash>,
    disposed: Vec<Disposed>,
    /// What holds everything that a worker starts.
    fence: Option<String>,
}

impl Document for Loaded {
    fn verb(&self) -> &'static str {
        "load"
    }
    fn ok(&self) -> bool {
        self.reports.iter().all(|report| report.is_ready() || expected(report).is_some())
    }
    fn json(&self) -> Map<String, Value> {
        let commands = self.commands.iter().map(
            |entry| json!({ "name": entry.name, "owner": entry.owner, "description": entry.description }),
        );
        let mut map = Map::new();
        map.insert("extensions".to_owned(), self.reports.iter().map(report_document).collect());
        map.insert("commands".to_owned(), commands.collect());
        map.insert("collisions".to_owned(), self.clashes.iter().map(clash_document).collect());
        map.insert("disposed".to_owned(), self.disposed.iter().map(disposed_document).collect());
        map.insert("descendants".to_owned(), json!(self.fence));
        map
    }
    fn human(&self, paint: Paint) -> String {
        if self.reports.is_empty() {
            return paint.dim("nothing is installed here; try `pintle install NAME`") + "\n";
        }
        let mut text: String = self.reports.iter().map(|report| report_text(report, paint)).collect();
        for entry in &self.commands {
            let description = Untrusted(&entry.description);
            text.push_str(&format!("command {}: {description} ({})\n", paint.bold(&entry.name), entry.owner));
        }
        for clash in &self.clashes {
            text.push_str(&format!("{}: {}\n", paint.warn("collision"), clash_words(clash)));
        }
        let ready = self.reports.iter().filter(|report| report.is_ready()).count();
        let all = words::count(self.reports.len(), "extension", "extensions");
        text.push_str(&format!("{ready} of {all} ready"));
        let forced =
            self.disposed.iter().filter(|one| !one.forced.is_empty() || !one.leaked.is_empty()).count();
        text.push_str(&match forced {
            0 if ready == 0 => "\n".to_owned(),
            0 => "; all of it ended again, nothing is left\n".to_owned(),
            count => format!("; {count} had to be forced to end\n"),
        });
        text
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &LoadArgs) -> Result<Exit, Failure> {
    let loaded = in_runtime(async {
        let mut signals = listen()?;
        tokio::select! {
            loaded = load(situation, arguments) => loaded.map(Ok),
            // Whoever stops it here does not say anything against an extension.
            received = signals.next() => Ok(Err(interrupted(received))),
        }
    })?;
    match loaded {
        Ok(loaded) => {
            situation.ui.document(&loaded);
            Ok(if loaded.ok() { Exit::Done } else { Exit::Fault })
        }
        Err(interrupted) => Ok(interrupted),
    }
}

async fn load(situation: &Situation<'_>, arguments: &LoadArgs) -> Result<Loaded, Failure> {
    let lowered = match arguments.which.none(situation.environment) {
        true => Lowered::default(),
        false => lower::lower(situation, &arguments.which.selection())?,
    };
    let mut agent = Agent::start(situation, lowered, None, None).await?;
    let fence = match agent.host.running().is_empty() {
        true => None,
        false => Nursery::shared().fence().await.ok().map(|fence| fence.to_string()),
    };
    let (commands, clashes) = (agent.command.entries(), agent.command.clashes());
    let disposed = agent.host.shutdown().await;
    let reports = std::mem::take(&mut agent.reports);
    Ok(Loaded { reports, commands, clashes, disposed, fence })
}

fn report_text(report: &Report, paint: Paint) -> String {
    let total: f64 = report.stages.iter().map(|stage| stage.took.as_secs_f64() * 1000.0).sum();
    let name = format!("{} {}", paint.bold(report.name.as_str()), report.version);
    let mut text = match report.failure() {
        None => format!("{} {name}  {}\n", paint.good("ready"), paint.dim(&format!("{total:.1} ms"))),
        Some((stage, failure)) => {
            let word = match expected(report) {
                Some(Expected::Off | Expected::Shadowed) => paint.dim("off  "),
                Some(Expected::OtherHost) => paint.dim("other"),
                None => paint.bad("fails"),
            };
            let mut text = format!(
                "{word} {name}  at {}: {} [{}]\n",
                stage.as_str(),
                Untrusted(&failure.message),
                failure.code
            );
            if let Some(hint) = &failure.hint {
                text.push_str(&format!("      {}: {}\n", paint.hint("help"), Untrusted(hint)));
            }
            text
        }
    };
    let stage = |stage: Stage| report.stages.iter().find(|one| one.stage == stage);
    let stages: Vec<String> = Stage::ALL
        .iter()
        .filter_map(|name| stage(*name))
        .map(|one| {
            let ms = one.took.as_secs_f64() * 1000.0;
            match &one.verdict {
                Verdict::Passed => format!("{} {ms:.1}", one.stage.as_str()),
                Verdict::Failed(_) => format!("{} failed", one.stage.as_str()),
                Verdict::Skipped => format!("{} -", one.stage.as_str()),
            }
        })
        .collect();
    text.push_str(&format!("      {}\n", paint.dim(&stages.join("  "))));
    for warning in &report.warnings {
        text.push_str(&format!("      {}: {}\n", paint.warn("warning"), Untrusted(&warning.message)));
    }
    text
}

/// Returns the report of an extension for a document.
fn report_document(report: &Report) -> Value {
    let stages = report.stages.iter().map(|stage| {
        let (verdict, failure) = match &stage.verdict {
            Verdict::Passed => ("passed", None),
            Verdict::Failed(failure) => ("failed", Some(failure)),
            Verdict::Skipped => ("skipped", None),
        };
        json!({
            "stage": stage.stage.as_str(),
            "verdict": verdict,
            "code": failure.map(|failure| failure.code),
            "message": failure.map(|failure| &failure.message),
            "hint": failure.and_then(|failure| failure.hint.as_ref()),
            "ms": (stage.took.as_secs_f64() * 1_000_000.0).round() / 1000.0,
        })
    });
    let warnings =
        report.warnings.iter().map(|warning| json!({ "code": warning.code, "message": warning.message }));
    json!({
        "name": report.name,
        "version": report.version,
        "ready": report.is_ready(),
        "required": report.required,
        "stages": stages.collect::<Vec<_>>(),
        "warnings": warnings.collect::<Vec<_>>(),
    })
}

fn clash_document(clash: &Clash) -> Value {
    json!({
        "slot": clash.slot,
        "entry": clash.entry,
        "owner": clash.owner,
        "winner": clash.winner,
        "instead": clash.instead,
    })
}

fn disposed_document(disposed: &Disposed) -> Value {
    json!({
        "name": disposed.name,
        "answered": disposed.answered,
        "released": disposed.released,
        "forced": disposed.forced,
        "left": disposed.leaked,
        "ms": (disposed.took.as_secs_f64() * 1_000_000.0).round() / 1000.0,
    })
}
