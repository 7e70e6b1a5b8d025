//! All printing. Data goes to standard output; everything else, notes, warnings, errors and progress, goes to
//! standard error. With `--format json` standard output gets one document and nothing else.

use crate::arguments::Globals;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Environment;
use anstyle::{AnsiColor, Style};
use pintle_manifest::Untrusted;
use serde_json::{Map, Value, json};
use std::fmt::Display;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// The version of the JSON documents.
pub(crate) const SCHEMA: u32 = 1;

static OUTPUT_LOST: AtomicBool = AtomicBool::new(false);

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal that has them, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What standard output carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Text for a person
    Human,
    /// One JSON document
    Json,
}

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Loudness {
    Quiet,
    Normal,
    Verbose,
}

/// The one that prints.
#[derive(Debug, Clone)]
pub(crate) struct Ui {
    pub format: Format,
    pub loudness: Loudness,
    pub progress: bool,
    color_out: bool,
    color_err: bool,
}

/// What a verb has to say.
pub(crate) trait Document {
    /// The name of the verb.
    fn verb(&self) -> &'static str;
    /// Whether everything is as it should be; a verb that looks for what is wrong says no if it found something.
    fn ok(&self) -> bool {
        true
    }
    /// The document's own keys.
    fn json(&self) -> Map<String, Value>;
    /// The text for a person.
    fn human(&self, paint: Paint) -> String;
}

impl Ui {
    pub(crate) fn new(globals: &Globals, environment: &Environment) -> Self {
        let color = |is_terminal: bool| match globals.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if environment.no_color => false,
            ColorChoice::Auto => environment.force_color || (is_terminal && !environment.dumb_terminal),
        };
        let loudness = match (globals.quiet, globals.verbose) {
            (true, _) => Loudness::Quiet,
            (false, 0) => Loudness::Normal,
            (false, _) => Loudness::Verbose,
        };
        let calm = environment.stderr_is_terminal && !environment.dumb_terminal && !environment.ci;
        Self {
            format: globals.format,
            loudness,
            progress: calm && loudness != Loudness::Quiet && globals.format == Format::Human,
            color_out: color(environment.stdout_is_terminal),
            color_err: color(environment.stderr_is_terminal),
        }
    }

    /// Makes one for a person whose command line can't be parsed.
    pub(crate) fn plain(environment: &Environment) -> Self {
        let color = environment.stderr_is_terminal && !environment.no_color && !environment.dumb_terminal;
        let (format, loudness) = (Format::Human, Loudness::Normal);
        Self { format, loudness, progress: false, color_out: false, color_err: color }
    }

    /// Makes one that only speaks JSON, for command lines that can't be parsed.
    pub(crate) fn json() -> Self {
        let loudness = Loudness::Normal;
        Self { format: Format::Json, loudness, progress: false, color_out: false, color_err: false }
    }

    /// Returns the colours of standard error.
    pub(crate) fn paint(&self) -> Paint {
        Paint { on: self.color_err }
    }

    /// Prints what a verb has to say.
    pub(crate) fn document<D: Document>(&self, document: &D) {
        match self.format {
            Format::Json => {
                let mut map = Map::new();
                map.insert("schema".to_owned(), json!(SCHEMA));
                map.insert("verb".to_owned(), json!(document.verb()));
                map.insert("ok".to_owned(), json!(document.ok()));
                map.extend(document.json());
                self.out(&json_text(&Value::Object(map)));
            }
            Format::Human => self.out(&document.human(Paint { on: self.color_out })),
        }
    }

    /// Prints what a change came to, which the quiet do not ask for: the exit code tells them.
    pub(crate) fn outcome<D: Document>(&self, document: &D) {
        if self.format == Format::Json || self.loudness > Loudness::Quiet {
            self.document(document);
        }
    }

    /// Prints data as it is.
    pub(crate) fn out(&self, text: &str) {
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            // A reader that has gone (`pintle list | head -1`) has what it wanted.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.labelled("error", AnsiColor::Red, &format_args!("can't write standard output: {error}"));
                OUTPUT_LOST.store(true, Ordering::SeqCst);
            }
            Ok(()) | Err(_) => {}
        }
    }

    /// Tells whether something that was asked for could not be written.
    pub(crate) fn lost_output() -> bool {
        OUTPUT_LOST.load(Ordering::SeqCst)
    }

    /// Prints to standard error. A command that runs may have made the terminal raw, and then a line ends in two
    /// characters.
    fn err(&self, text: &str) {
        let mut err = io::stderr().lock();
        let is_raw = rustix::termios::tcgetattr(&err)
            .is_ok_and(|modes| !modes.output_modes.contains(rustix::termios::OutputModes::OPOST));
        let text = if is_raw { text.replace('\n', "\r\n") } else { text.to_owned() };
        let _ = err.write_all(text.as_bytes());
    }

    /// Says something in passing.
    pub(crate) fn note(&self, text: impl Display) {
        if self.loudness >= Loudness::Normal {
            self.labelled("note", AnsiColor::Cyan, &text);
        }
    }

    /// Says something to those who asked for more.
    pub(crate) fn detail(&self, text: impl Display) {
        if self.loudness >= Loudness::Verbose {
            self.labelled("note", AnsiColor::Cyan, &text);
        }
    }

    /// Says what is probably not meant.
    pub(crate) fn warning(&self, text: impl Display) {
        self.labelled("warning", AnsiColor::Yellow, &text);
    }

    /// Says what would have stopped another command, with what to do about it.
    pub(crate) fn warning_of(&self, failure: &Failure) {
        self.warning(failure.line());
        failure.hints().iter().for_each(|hint| self.hint(hint));
    }

    /// Says what to do about the warning before.
    pub(crate) fn hint(&self, text: &str) {
        self.err(&format!("{}: {}\n", self.paint().hint("help"), escaped(text, "  ")));
    }

    fn labelled(&self, label: &str, color: AnsiColor, text: &dyn Display) {
        let style = Style::new().bold().fg_color(Some(color.into()));
        let text = escaped(&text.to_string(), "  ");
        self.err(&format!("{}: {text}\n", self.paint().styled(style, label)));
    }

    /// Prints a status line: a verb in the margin, and what it is done to.
    pub(crate) fn status(&self, verb: &str, text: impl Display) {
        if self.loudness >= Loudness::Normal {
            let text = escaped(&text.to_string(), "  ");
            self.err(&format!("{} {text}\n", self.paint().good(&format!("{verb:>12}"))));
        }
    }

    /// Prints lines that belong to a note and are already rendered.
    pub(crate) fn aside(&self, text: &str) {
        if self.loudness >= Loudness::Normal {
            self.err(text);
        }
    }

    /// Prints text that is already rendered, such as a place in a file.
    pub(crate) fn rendered(&self, text: &str) {
        self.err(text);
    }

    /// Says why a command failed, and returns the exit code.
    pub(crate) fn failure(&self, failure: &Failure) -> Exit {
        match self.format {
            Format::Json => self.out(&json_text(&failure.json(SCHEMA))),
            Format::Human => self.err(&failure.human(self.paint())),
        }
        failure.exit
    }
}

/// Escapes what could act on a terminal, line by line, and indents the lines after the first.
pub(crate) fn escaped(text: &str, indent: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| Untrusted(line).to_string()).collect();
    lines.join(&format!("\n{indent}"))
}

/// Writes a document on one line. Characters that could act on a terminal stay data, as `\u` escapes.
fn json_text(document: &Value) -> String {
    let mut text = String::new();
    for character in document.to_string().chars() {
        match character.is_ascii() || Untrusted(character.encode_utf8(&mut [0; 4])).is_plain() {
            true => text.push(character),
            // What is not ASCII stands in a string, where an escape means the same.
            false => {
                let units = character
                    .encode_utf16(&mut [0; 2])
                    .iter()
                    .map(|unit| format!("\\u{unit:04x}"))
                    .collect::<String>();
                text.push_str(&units);
            }
        }
    }
    text.push('\n');
    text
}

/// Colours, or none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    pub on: bool,
}

impl Paint {
    pub(crate) fn styled(self, style: Style, text: &str) -> String {
        match self.on {
            true => format!("{style}{text}{style:#}"),
            false => text.to_owned(),
        }
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.styled(Style::new().bold().fg_color(Some(AnsiColor::Green.into())), text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.styled(Style::new().bold().fg_color(Some(AnsiColor::Red.into())), text)
    }

    pub(crate) fn warn(self, text: &str) -> String {
        self.styled(Style::new().bold().fg_color(Some(AnsiColor::Yellow.into())), text)
    }

    pub(crate) fn hint(self, text: &str) -> String {
        self.styled(Style::new().bold().fg_color(Some(AnsiColor::Cyan.into())), text)
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.styled(Style::new().bold(), text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.styled(Style::new().dimmed(), text)
    }
}

#[cfg(test)]
mod tests {
    use super::json_text;
    use serde_json::json;

    #[test]
    fn a_document_is_data_and_acts_on_no_terminal() {
        let text = "ok\u{1b}[2J\u{9b}31m\u{202e}\u{e0041}\u{e9}";
        let written = json_text(&json!({ "text": text }));
        assert_eq!(written, "{\"text\":\"ok\\u001b[2J\\u009b31m\\u202e\\udb40\\udc41\u{e9}\"}\n");
        let read: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert_eq!(read["text"], text);
    }
}
