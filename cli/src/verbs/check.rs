//! `pintle check`: reports every problem of a package folder. Writes nothing and runs nothing in it.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::fits;
use crate::place;
use crate::situation::Situation;
use crate::ui::{Document, Format, Paint};
use crate::view::words;
use clap::Args;
use pintle_manifest::{Contract, HostName, Manifest, Problem, Severity, Untrusted};
use pintle_registry::archive::MAX_MANIFEST;
use pintle_registry::operations::local::MANIFEST;
use pintle_registry::package::{self, Finding, SelectError};
use pintle_registry::store::fs;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Reports every problem of a package folder
///
/// Looks at the manifest and at every file that would be shipped, and holds the hooks, slots and permissions against the
/// contract of the host: that of `agent`, which is built in, and those that are named with `--contract`. Ends with exit code 1 if something would keep the package from
/// being made or loaded.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The folder
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// The contract of another host that it serves; may be repeated
    #[arg(long = "contract", value_name = "FILE")]
    contracts: Vec<String>,
}

/// Everything that is wrong with a folder.
struct Report {
    path: PathBuf,
    text: String,
    problems: Vec<Problem>,
    findings: Vec<Finding>,
    manifest: Option<Manifest>,
    /// The hosts with whose contracts it was compared.
    compared: Vec<HostName>,
    /// The other hosts that it serves.
    not_compared: Vec<HostName>,
}

impl Report {
    fn errors(&self) -> usize {
        let problems = self.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
        problems + self.findings.iter().filter(|finding| finding.is_error()).count()
    }

    fn warnings(&self) -> usize {
        self.problems.len() + self.findings.len() - self.errors()
    }
}

impl Document for Report {
    fn verb(&self) -> &'static str {
        "check"
    }
    fn ok(&self) -> bool {
        self.errors() == 0
    }
    fn json(&self) -> Map<String, Value> {
        let path = self.path.display().to_string();
        let mut problems = place::json(&path, &self.text, &self.problems);
        problems.extend(self.findings.iter().map(|finding| {
            json!({
                "severity": place::severity(finding.severity), "code": finding.code, "message": finding.message,
                "path": finding.path, "line": null, "column": null, "help": finding.help,
            })
        }));
        let mut map = Map::new();
        map.insert("name".to_owned(), json!(self.manifest.as_ref().map(|manifest| &manifest.name)));
        map.insert("version".to_owned(), json!(self.manifest.as_ref().map(|manifest| &manifest.version)));
        map.insert("errors".to_owned(), json!(self.errors()));
        map.insert("warnings".to_owned(), json!(self.warnings()));
        map.insert("problems".to_owned(), Value::Array(problems));
        map.insert("compared".to_owned(), json!(self.compared));
        map.insert("not_compared".to_owned(), json!(self.not_compared));
        map
    }
    fn human(&self, paint: Paint) -> String {
        let counts = [(self.errors(), "error", "errors"), (self.warnings(), "warning", "warnings")];
        let parts = counts
            .iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| words::count(*count, one, many));
        let what = match &self.manifest {
            Some(manifest) => format!("{} {}", paint.bold(manifest.name.as_str()), manifest.version),
            None => words::path(&self.path),
        };
        match self.errors() + self.warnings() {
            0 => format!("{what}: no problems\n"),
            _ => format!("{what}: {}\n", words::list(parts)),
        }
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &CheckArgs) -> Result<Exit, Failure> {
    let contracts = arguments.contracts.iter().map(|word| super::contract::read(situation, word));
    let contracts = contracts.collect::<Result<Vec<_>, _>>()?;
    let report = look(&situation.directory.join(&arguments.folder), &contracts)?;
    if situation.ui.format == Format::Human {
        let paint = situation.ui.paint();
        situation.ui.rendered(&place::draw(
            &report.path.display().to_string(),
            &report.text,
            &report.problems,
            paint,
        ));
        findings(situation, &report.findings);
        if !report.not_compared.is_empty() {
            situation.ui.note(format_args!(
                "not compared with the contract of {}; name it with `--contract FILE`",
                words::list(&report.not_compared)
            ));
        }
    }
    situation.ui.document(&report);
    Ok(if report.errors() > 0 { Exit::Failed } else { Exit::Done })
}

/// Says what was found in the files of a folder.
pub(super) fn findings(situation: &Situation<'_>, findings: &[Finding]) {
    let paint = situation.ui.paint();
    for finding in findings {
        let label = match finding.severity {
            Severity::Error => paint.bad(&format!("error[{}]", finding.code)),
            Severity::Warning => paint.warn(&format!("warning[{}]", finding.code)),
        };
        let place = finding.path.as_ref().map(|path| format!("\n  --> {path}")).unwrap_or_default();
        let help = finding.help.as_ref().map(|help| format!("\n{}: {}", paint.hint("help"), Untrusted(help)));
        situation.ui.rendered(&format!(
            "{label}: {}{place}{}\n\n",
            Untrusted(&finding.message),
            help.unwrap_or_default()
        ));
    }
}

fn look(folder: &Path, contracts: &[Contract]) -> Result<Report, Failure> {
    let path = folder.join(MANIFEST);
    let bytes = fs::read(&path, MAX_MANIFEST + 1).map_err(|error| {
        match error.is_not_found() || !folder.is_dir() {
            true => no_manifest(folder),
            false => error.into(),
        }
    })?;
    let parsed = pintle_manifest::parse(&bytes);
    let mut report = Report {
        path,
        text: String::from_utf8_lossy(&bytes).into_owned(),
        problems: parsed.problems,
        findings: Vec::new(),
        manifest: parsed.manifest,
        compared: Vec::new(),
        not_compared: Vec::new(),
    };
    if let Some(manifest) = &report.manifest {
        let compared = fits::compare(&report.text, manifest, contracts);
        report.problems.extend(compared.problems);
        (report.compared, report.not_compared) = (compared.with, compared.not_with);
        report.problems.sort_by_key(|problem| problem.span.start);
        report.findings = look_at_files(folder, manifest)?;
    }
    Ok(report)
}

fn look_at_files(folder: &Path, manifest: &Manifest) -> Result<Vec<Finding>, Failure> {
    let selected = match package::files(folder, manifest) {
        Ok(selected) => selected,
        Err(SelectError::Refused { files }) => return Ok(files.iter().map(Finding::from).collect()),
        Err(error @ (SelectError::Disk(_) | SelectError::Pattern { .. })) => {
            return Err(super::package::of_select(error));
        }
    };
    Ok(package::inspect(folder, manifest, &selected))
}

/// Says that a folder is no extension.
pub(super) fn no_manifest(folder: &Path) -> Failure {
    Failure::new("local.not_an_extension", format!("`{}` has no `{MANIFEST}`", folder.display()))
        .hint("go to the folder of an extension, or start one with `pintle new NAME`")
}

#[cfg(test)]
mod tests {
    use super::look;
    use pintle_registry::store::fs;

    #[test]
    fn each_problem_of_a_file_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = concat!(
            "manifest_version = 1\n[extension]\nname = \"leaky\"\nversion = \"0.1.0\"\ndescription = \"x\"\n",
            "license = \"MIT\"\n[hosts.agent]\napi_version = \"^1.0\"\n",
            "[entry]\nruntime = \"process\"\ncommand = [\"node\"]\n",
        );
        fs::write_atomic(&folder.path().join("extension.toml"), manifest.as_bytes()).unwrap();
        fs::write_atomic(&folder.path().join(".env"), b"TOKEN=1\n").unwrap();
        let report = look(folder.path(), &[]).unwrap();
        let codes: Vec<_> = report.findings.iter().map(|finding| finding.code).collect();
        assert_eq!((report.problems.len(), codes), (0, vec!["package.secret"]));
    }
}
