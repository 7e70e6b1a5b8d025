//! `pintle contract check`: the problems of one contract, or whether the step from one to the next is large enough.

use super::source::{self, Source};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place;
use crate::situation::Situation;
use crate::ui::{Document, Format, Paint};
use crate::view::words;
use pintle_manifest::{
    Bump, Contract, Difference, Problem, ReadContract, Severity, Side, Untrusted, Version, compare, locate,
    needed,
};
use serde_json::{Map, Value, json};

/// One contract, and everything that is wrong with it.
struct Alone {
    source: Source,
    contract: Option<Contract>,
    problems: Vec<Problem>,
}

/// Checks one contract.
pub(super) fn alone(situation: &Situation<'_>, word: &str) -> Result<Exit, Failure> {
    let source = source::read(situation, word)?;
    let ReadContract { contract, problems } = Contract::read(&source.text);
    let report = Alone { source, contract, problems };
    if situation.ui.format == Format::Human {
        let path = report.source.path.display().to_string();
        situation.ui.rendered(&place::draw(
            &path,
            &report.source.text,
            &report.problems,
            situation.ui.paint(),
        ));
    }
    situation.ui.document(&report);
    Ok(if report.contract.is_some() { Exit::Done } else { Exit::Failed })
}

impl Alone {
    fn errors(&self) -> usize {
        self.problems.iter().filter(|problem| problem.severity == Severity::Error).count()
    }
}

impl Document for Alone {
    fn verb(&self) -> &'static str {
        "contract check"
    }
    fn ok(&self) -> bool {
        self.contract.is_some()
    }
    fn json(&self) -> Map<String, Value> {
        let path = self.source.path.display().to_string();
        let mut map = Map::new();
        map.insert("name".to_owned(), json!(self.contract.as_ref().map(|contract| &contract.name)));
        map.insert("version".to_owned(), json!(self.contract.as_ref().map(|contract| &contract.version)));
        map.insert("errors".to_owned(), json!(self.errors()));
        map.insert("warnings".to_owned(), json!(self.problems.len() - self.errors()));
        map.insert("problems".to_owned(), json!(place::json(&path, &self.source.text, &self.problems)));
        map
    }
    fn human(&self, paint: Paint) -> String {
        let what = match &self.contract {
            Some(contract) => format!("{} {}", paint.bold(contract.name.as_str()), contract.version),
            None => words::path(&self.source.path),
        };
        let (errors, warnings) = (self.errors(), self.problems.len() - self.errors());
        let counts = [(errors, "error", "errors"), (warnings, "warning", "warnings")];
        let parts = counts.iter().filter(|(count, ..)| *count > 0);
        match self.problems.is_empty() {
            true => format!("{what}: no problems\n"),
            false => format!(
                "{what}: {}\n",
                words::list(parts.map(|(count, one, many)| words::count(*count, one, many)))
            ),
        }
    }
}

/// The step from one contract to another.
struct Step {
    old: (Source, Contract),
    new: (Source, Contract),
    differences: Vec<Difference>,
}

/// Checks the step from one contract to another.
pub(super) fn step(situation: &Situation<'_>, old: &str, new: &str) -> Result<Exit, Failure> {
    let read = |word: &str| {
        let source = source::read(situation, word)?;
        let contract = source::parse(&source)?;
        Ok::<_, Failure>((source, contract))
    };
    let (old, new) = (read(old)?, read(new)?);
    let differences = compare(&old.1, &new.1);
    let step = Step { old, new, differences };
    match step.failure() {
        None => {
            situation.ui.document(&step);
            Ok(Exit::Done)
        }
        Some(failure) => {
            if situation.ui.format == Format::Human {
                situation.ui.document(&step);
            }
            Err(failure)
        }
    }
}

impl Step {
    /// Says why the step is refused, if it is.
    fn failure(&self) -> Option<Failure> {
        let (old, new) = (&self.old.1, &self.new.1);
        let failure = if old.name != new.name {
            let message = format!("`{}` and `{}` are contracts of two hosts", old.name, new.name);
            Failure::new("contract.another_host", message)
                .hint("keep the name; what extensions declare in `[hosts.NAME]` hangs on it")
        } else if new.version < old.version {
            let message = format!("{} is older than {}", new.version, old.version);
            Failure::new("contract.backwards", message).hint("name the earlier contract first")
        } else if let Some(refused) = self.differences.iter().find(|difference| difference.refused.is_some())
        {
            let because = refused.refused.clone().unwrap_or_default();
            let message = format!("`{}` changes before its time", written(&refused.place));
            Failure::new("contract.removed_early", message)
                .cause(because)
                .hint("put it back as it was; deprecate it, and remove it once its time has come")
        } else {
            let needs = needed(&self.differences)?;
            if needs.is_admitted(&old.version, &new.version) {
                return None;
            }
            let message = format!(
                "from {} to {} is too small a step: what is different needs a {} one",
                old.version,
                new.version,
                needs.as_str()
            );
            let least = needs.least(&old.version);
            Failure::new("contract.bump_too_small", message)
                .hint(format!("write `version = \"{least}\"`, or a later one"))
        };
        let details = self.json();
        Some(details.into_iter().fold(failure, |failure, (key, value)| failure.detail(&key, value)))
    }

    fn source(&self, side: Side) -> &Source {
        match side {
            Side::Old => &self.old.0,
            Side::New => &self.new.0,
        }
    }

    /// Returns file, line and column of a difference.
    fn place(&self, difference: &Difference) -> (String, Option<(usize, usize)>) {
        let source = self.source(difference.side);
        let path: Vec<&str> = difference.place.iter().map(String::as_str).collect();
        let at =
            locate(&source.text, &path).map(|span| Problem::error("", span, "").line_column(&source.text));
        (source.path.display().to_string(), at)
    }

    fn least(&self) -> Option<Version> {
        needed(&self.differences).map(|bump| bump.least(&self.old.1.version))
    }

    fn draw(&self, difference: &Difference, paint: Paint) -> String {
        let Difference { place: keys, part, what, why, needs, refused, .. } = difference;
        let label = match (refused, needs) {
            (Some(_), _) => paint.bad("refused"),
            (None, Bump::Major) => paint.warn("major  "),
            (None, Bump::Minor) => paint.hint("minor  "),
            (None, Bump::Patch) => paint.dim("patch  "),
        };
        let (path, at) = self.place(difference);
        let at = at.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
        let why = refused.as_ref().unwrap_or(why);
        format!(
            "{label} {}: {}\n        {}{at}, for the {}\n        {}\n\n",
            paint.bold(&Untrusted(&written(keys)).to_string()),
            Untrusted(what),
            Untrusted(&path),
            Untrusted(part),
            Untrusted(why),
        )
    }
}

impl Document for Step {
    fn verb(&self) -> &'static str {
        "contract check"
    }
    fn json(&self) -> Map<String, Value> {
        let difference = |difference: &Difference| {
            let (path, at) = self.place(difference);
            json!({
                "needs": difference.needs.as_str(),
                "refused": difference.refused,
                "keys": difference.place,
                "part": difference.part,
                "what": difference.what,
                "why": difference.why,
                "path": path,
                "line": at.map(|(line, _)| line),
                "column": at.map(|(_, column)| column),
            })
        };
        let mut map = Map::new();
        map.insert("name".to_owned(), json!(self.new.1.name));
        map.insert("old_version".to_owned(), json!(self.old.1.version));
        map.insert("new_version".to_owned(), json!(self.new.1.version));
        map.insert("needs".to_owned(), json!(needed(&self.differences).map(Bump::as_str)));
        map.insert("least_version".to_owned(), json!(self.least()));
        map.insert("differences".to_owned(), self.differences.iter().map(difference).collect());
        map
    }
    fn human(&self, paint: Paint) -> String {
        let (old, new) = (&self.old.1, &self.new.1);
        let drawn: String = self.differences.iter().map(|difference| self.draw(difference, paint)).collect();
        let count = words::count(self.differences.len(), "difference", "differences");
        let refused = self.differences.iter().filter(|difference| difference.refused.is_some()).count();
        let what = match (refused, needed(&self.differences), self.least()) {
            (1.., _, _) => format!("{count}; no version admits {refused} of them yet"),
            (0, Some(needs), Some(least)) => {
                format!("{count}; needs a {} step, so {least} or later", needs.as_str())
            }
            (0, None, _) | (0, _, None) => "no difference".to_owned(),
        };
        format!("{drawn}{} {} to {}: {what}\n", paint.bold(new.name.as_str()), old.version, new.version)
    }
}

/// Returns keys as they are written in TOML.
fn written(keys: &[String]) -> String {
    let quoted = |key: &String| match key.contains('.') {
        true => format!("\"{key}\""),
        false => key.clone(),
    };
    keys.iter().map(quoted).collect::<Vec<_>>().join(".")
}
