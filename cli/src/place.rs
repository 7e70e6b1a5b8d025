//! Draws problems of a file at their places, the way compilers do.

use crate::ui::Paint;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use pintle_manifest::{Problem, Severity, Untrusted};
use serde_json::{Value, json};

/// Draws every problem of a text.
pub(crate) fn draw(path: &str, text: &str, problems: &[Problem], paint: Paint) -> String {
    // What a file holds is not trusted with the terminal; a byte order mark would only shift the marks.
    let shown: String =
        text.chars().map(|c| if c == '\n' || c == '\t' || !is_hostile(c) { c } else { ' ' }).collect();
    let renderer = if paint.on { Renderer::styled() } else { Renderer::plain() };
    let mut drawn = String::new();
    for problem in problems {
        let level = match problem.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let message = Untrusted(&problem.message).to_string();
        let (line, column) = problem.line_column(text);
        let title = level.primary_title(message.as_str()).id(problem.code);
        let help = problem.help.as_ref().map(|help| Untrusted(help).to_string());
        let group = match span_in(text, &shown, problem) {
            Some(span) => {
                let snippet = Snippet::source(shown.as_str()).path(path).line_start(1);
                title.element(snippet.annotation(AnnotationKind::Primary.span(span)))
            }
            None => title.element(Level::NOTE.message(format!("{path}:{line}:{column}"))),
        };
        let group = match &help {
            Some(help) => group.element(Level::HELP.message(help.as_str())),
            None => group,
        };
        drawn.push_str(&renderer.render(&[group]));
        drawn.push_str("\n\n");
    }
    drawn
}

fn is_hostile(character: char) -> bool {
    !Untrusted(character.encode_utf8(&mut [0; 4])).is_plain()
}

/// Moves a span to the shown text, where hostile characters became blanks of one byte.
fn span_in(text: &str, shown: &str, problem: &Problem) -> Option<std::ops::Range<usize>> {
    let place = |at: usize| {
        let before = text.get(..at.min(text.len()))?;
        let characters = before.chars().count();
        Some(shown.char_indices().nth(characters).map_or(shown.len(), |(at, _)| at))
    };
    let (start, end) = (place(problem.span.start)?, place(problem.span.end)?);
    (!shown.is_empty()).then_some(start..end.max(start))
}

/// Returns the same problems for a machine.
pub(crate) fn json(path: &str, text: &str, problems: &[Problem]) -> Vec<Value> {
    let one = |problem: &Problem| {
        let (line, column) = problem.line_column(text);
        json!({
            "severity": severity(problem.severity),
            "code": problem.code,
            "message": problem.message,
            "path": path,
            "line": line,
            "column": column,
            "help": problem.help,
        })
    };
    problems.iter().map(one).collect()
}

/// Returns the word for a severity.
pub(crate) const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}
