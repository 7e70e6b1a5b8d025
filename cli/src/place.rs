//! Draws problems of a file at their places, the way compilers do.

use crate::ui::Paint;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use pintle_manifest::{Problem, Severity, Untrusted};
use serde_json::{Value, json};

/// The most problems of one text that are drawn; of the others only the number is told.
const MOST: usize = 50;

/// Draws every problem of a text.
pub(crate) fn draw(path: &str, text: &str, problems: &[Problem], paint: Paint) -> String {
    let mut drawn: String =
        problems.iter().take(MOST).map(|problem| draw_one(path, text, problem, paint)).collect();
    if problems.len() > MOST {
        drawn.push_str(&format!("and {} more problems\n\n", problems.len() - MOST));
    }
    drawn
}

fn draw_one(path: &str, text: &str, problem: &Problem, paint: Paint) -> String {
    let renderer = if paint.on { Renderer::styled() } else { Renderer::plain() };
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let message = Untrusted(&problem.message).to_string();
    let (line, column) = problem.line_column(text);
    let title = level.primary_title(message.as_str()).id(problem.code);
    let help = problem.help.as_ref().map(|help| Untrusted(help).to_string());
    let window = Window::around(text, &problem.span);
    let group = match &window {
        Some(Window { shown, span }) => {
            let snippet = Snippet::source(shown.as_str()).path(path).line_start(line);
            title.element(snippet.annotation(AnnotationKind::Primary.span(span.clone())))
        }
        None => title.element(Level::NOTE.message(format!("{path}:{line}:{column}"))),
    };
    let group = match &help {
        Some(help) => group.element(Level::HELP.message(help.as_str())),
        None => group,
    };
    renderer.render(&[group]) + "\n\n"
}

/// The lines of a text that a problem is about, ready to be shown, and where in them it is.
struct Window {
    shown: String,
    span: std::ops::Range<usize>,
}

impl Window {
    fn around(text: &str, span: &std::ops::Range<usize>) -> Option<Self> {
        let (start, end) =
            (span.start.min(text.len()), span.end.clamp(span.start, text.len().max(span.start)));
        let (before, after) = (text.get(..start)?, text.get(end.min(text.len())..)?);
        let from = before.rfind('\n').map_or(0, |at| at + 1);
        let to = after.find('\n').map_or(text.len(), |at| text.len() - after.len() + at);
        let place = |part: &str| shown(part).len();
        let span = place(text.get(from..start)?)..place(text.get(from..end.min(text.len()))?);
        let shown = shown(text.get(from..to)?);
        (!shown.is_empty()).then_some(Self { shown, span })
    }
}

/// What a file holds is not trusted with the terminal; a byte order mark would only shift the marks.
fn shown(text: &str) -> String {
    text.chars()
        .filter(|character| *character != '\r')
        .map(
            |character| {
                if matches!(character, '\n' | '\t') || !is_hostile(character) { character } else { ' ' }
            },
        )
        .collect()
}

fn is_hostile(character: char) -> bool {
    !Untrusted(character.encode_utf8(&mut [0; 4])).is_plain()
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
