//! What a host says to the person about its extensions, in passing: a line each, on standard error.

use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::Ui;
use pintle_loader::Notice;
use pintle_loader::keep::Places;
use pintle_loader::slot::Clash;
use pintle_loader::stage::{Report, Stage};
use pintle_loader::trace::TraceEvent;
use pintle_manifest::{Name, Untrusted};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

/// Why an extension is rightly left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// A person turned it off.
    Off,
    /// Another of its name takes its place.
    Shadowed,
    /// It is there for other hosts, of which a set may have several.
    OtherHost,
}

/// Tells whether an extension that does not run is rightly left out.
pub(crate) fn expected(report: &Report) -> Option<Expected> {
    match report.failure()?.1.code {
        "trust.disabled" => Some(Expected::Off),
        "trust.shadowed" => Some(Expected::Shadowed),
        "compat.other_host" if !report.required => Some(Expected::OtherHost),
        _ => None,
    }
}

/// Says in a line each which extensions are left out, and which use what is deprecated. Those that are rightly left out
/// are not worth a line, unless their folder was named for this very run.
pub(crate) fn report_lines<'a>(
    ui: &Ui,
    places: &Places,
    folders: &BTreeSet<Name>,
    reports: impl Iterator<Item = &'a Report>,
) {
    let reports: Vec<&Report> = reports.collect();
    let runs = |name: &Name| reports.iter().any(|report| report.name == *name && expected(report).is_none());
    for report in &reports {
        for warning in &report.warnings {
            ui.warning(format_args!("`{}`: {}", report.name, warning.message));
        }
        let Some((stage, failure)) = report.failure() else { continue };
        let is_worth_a_line = match expected(report) {
            None => true,
            Some(Expected::Off) => false,
            // What a project brings may not take the place of a person's own in silence.
            Some(Expected::Shadowed) => runs(&report.name) && !folders.contains(&report.name),
            Some(Expected::OtherHost) => folders.contains(&report.name),
        };
        if is_worth_a_line {
            ui.warning(format_args!(
                "`{}` is left out, at the stage {}: {} [{}]",
                report.name,
                stage.as_str(),
                failure.message,
                failure.code
            ));
            if let Some(next) = next_step(places, folders, report, stage, failure.code) {
                ui.hint(&next);
            }
        }
    }
}

/// Returns where more is to be found, or what to do, where the line itself does not say it.
fn next_step(
    places: &Places,
    folders: &BTreeSet<Name>,
    report: &Report,
    stage: Stage,
    code: &str,
) -> Option<String> {
    let name = &report.name;
    match (stage, code) {
        (_, "trust.quarantined") => Some(format!("`pintle quarantine release {name}` lets it run again")),
        // What it needs has a line of its own, and what the machine lacks is nobody's fault.
        (Stage::Load, "load.dependency" | "fault.not_running" | "fault.not_started") => None,
        (Stage::Load, _) => {
            let log = places.log_of(name);
            let log = log.exists().then(|| format!("what it printed is in `{}`", log.display()));
            // A folder that was named for this run is turned off by not naming it.
            let off = (!report.required && !folders.contains(name))
                .then(|| format!("`pintle disable {name}` turns it off"));
            let steps: Vec<String> = log.into_iter().chain(off).collect();
            (!steps.is_empty()).then(|| steps.join("; "))
        }
        (Stage::Install | Stage::Trust | Stage::Entry | Stage::Compat, _) => None,
    }
}

/// Says what a host should know.
pub(super) fn tell(ui: &Ui, notice: &Notice) {
    match notice {
        Notice::Slow { .. } | Notice::Orphan(_) => ui.note(notice),
        Notice::Restarted { .. } => ui.detail(notice),
        // What is run instead is told at once for all of them.
        Notice::Replaced { .. } => {}
        Notice::Quarantined { name, lasts: true, .. } => {
            ui.warning(format_args!("{notice}; see `pintle quarantine show {name}`"));
        }
        Notice::Mistake { .. } => ui.warning(format_args!("a bug of Pintle: {notice}")),
        Notice::Quarantined { .. }
        | Notice::Fault { .. }
        | Notice::Leaked { .. }
        | Notice::Deprecated { .. } => ui.warning(notice),
        Notice::State { .. } => ui.warning(format_args!("{notice} (see `pintle doctor`)")),
    }
}

/// Says who did not get which name.
pub(crate) fn clash_words(clash: &Clash) -> String {
    let (entry, owner) = (Untrusted(&clash.entry), &clash.owner);
    let who = match &clash.winner {
        Some(winner) => format!("`{winner}` has that name"),
        None => "that name is the host's own, or wanted by several".to_owned(),
    };
    match &clash.instead {
        Some(instead) => format!("the {} `{entry}` of `{owner}` is called `{instead}`: {who}", clash.slot),
        None => format!("the {} `{entry}` of `{owner}` is left out: {who}", clash.slot),
    }
}

/// Opens a file for a trace: a JSON object a line, with the microseconds since it was opened.
pub(crate) fn trace_file(situation: &Situation<'_>, path: &Path) -> Result<super::Trace, Failure> {
    let path = situation.directory.join(path);
    let file = File::create(&path).map_err(|error| {
        Failure::new("trace.file", format!("can't write `{}`: {error}", Untrusted(&path.to_string_lossy())))
            .hint("name another file: `--trace FILE`")
    })?;
    let (file, began) = (Mutex::new(Some(BufWriter::new(file))), Instant::now());
    let ui = situation.ui.clone();
    Ok(Box::new(move |event| {
        let mut open = file.lock().expect("no holder panics");
        let Some(file) = open.as_mut() else { return };
        // A trace that can't be written any more ends there; the command goes on.
        if let Err(error) = writeln!(file, "{}", line(event, began)).and_then(|()| file.flush()) {
            ui.warning(format_args!("the trace can't be written, and ends here: {error}"));
            *open = None;
        }
    }))
}

fn line(event: &TraceEvent, began: Instant) -> Value {
    let mut line = json!({ "at_us": u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX) });
    let event = serde_json::to_value(event).unwrap_or_default();
    if let (Some(line), Value::Object(event)) = (line.as_object_mut(), event) {
        line.extend(event);
    }
    line
}
