//! A page for reading: headings, paragraphs and rows, no line wider than a terminal of 80 columns if words allow.

use crate::ui::Paint;
use pintle_manifest::Untrusted;

/// The widest line, in characters.
const WIDTH: usize = 80;
/// The widest first column of rows.
const COLUMN: usize = 24;

/// A page that is being written.
pub(crate) struct Page {
    text: String,
    paint: Paint,
}

impl Page {
    pub(crate) const fn new(paint: Paint) -> Self {
        Self { text: String::new(), paint }
    }

    /// Begins with what the page is about.
    pub(crate) fn title(&mut self, name: &str, rest: &str) {
        self.text.push_str(&format!("{}{}\n", self.paint.bold(&shown(name)), shown(rest)));
    }

    /// Begins a part.
    pub(crate) fn heading(&mut self, heading: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&format!("{}\n", self.paint.hint(&shown(heading))));
    }

    /// Adds a sentence.
    pub(crate) fn paragraph(&mut self, sentence: &str) {
        for line in wrapped(sentence, WIDTH - 2) {
            self.text.push_str(&format!("  {line}\n"));
        }
    }

    /// Adds a point of a list.
    pub(crate) fn point(&mut self, sentence: &str) {
        for (at, line) in wrapped(sentence, WIDTH - 4).iter().enumerate() {
            self.text.push_str(&format!("  {} {line}\n", if at == 0 { '-' } else { ' ' }));
        }
    }

    /// Adds rows of a name and what there is to say of it.
    pub(crate) fn rows(&mut self, rows: &[(String, String)]) {
        let widest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).min(COLUMN);
        for (name, sentence) in rows {
            let name = shown(name);
            let width = name.chars().count();
            let lines = wrapped(sentence, WIDTH - 4 - widest);
            let mut lines = lines.iter();
            let painted = self.paint.bold(&name);
            match lines.next() {
                Some(first) if width <= widest => {
                    self.text.push_str(&format!("  {painted}{}  {first}\n", " ".repeat(widest - width)));
                }
                Some(first) => {
                    self.text.push_str(&format!("  {painted}\n  {}  {first}\n", " ".repeat(widest)));
                }
                None => self.text.push_str(&format!("  {painted}\n")),
            }
            for line in lines {
                self.text.push_str(&format!("  {}  {line}\n", " ".repeat(widest)));
            }
        }
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }
}

fn shown(text: &str) -> String {
    Untrusted(text).to_string()
}

/// Breaks a text into lines at its blanks.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in shown(text).split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{Page, wrapped};
    use crate::ui::Paint;

    #[test]
    fn lines_are_broken_at_blanks() {
        let check = |text: &str, expected: &[&str]| assert_eq!(wrapped(text, 8), expected, "{text:?}");
        check("", &[]);
        check("one two three", &["one two", "three"]);
        check("onetwothree four", &["onetwothree", "four"]);
    }

    #[test]
    fn rows_stand_below_each_other() {
        let mut page = Page::new(Paint { on: false });
        let row = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        page.rows(&[row("a", "first"), row("bcd", &"word ".repeat(20)), row(&"x".repeat(30), "long")]);
        let text = page.finish();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.starts_with("  a                         first\n"), "{text}");
    }

    #[test]
    fn what_could_act_on_a_terminal_is_escaped() {
        let mut page = Page::new(Paint { on: false });
        page.paragraph("a\u{1b}[2Jb\u{202e}");
        assert!(!page.finish().contains(['\u{1b}', '\u{202e}']));
    }
}
