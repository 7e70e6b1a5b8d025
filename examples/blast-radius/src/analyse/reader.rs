//! What reads a command: it collects the dangers, and keeps count, so that no line takes it too deep or too long.

use super::danger::{Action, Danger};
use super::shell::Shell;
use brush_parser::{Parser, ParserOptions};
use std::rc::Rc;

/// Lines longer than this are not read.
const LONGEST_LINE: usize = 512 * 1024;
/// Lines within lines, functions within functions: no deeper than this.
const DEEPEST: usize = 32;
/// Brackets within brackets of a line; a parser that goes down one level for each needs its stack.
const DEEPEST_BRACKETS: usize = 60;
/// Brackets that are never closed. A parser that tries every way to read them takes twice as long for each.
const MOST_OPEN: usize = 8;
/// Substitutions within substitutions of one word, for the same reason.
pub(super) const DEEPEST_WORD: usize = 5;
/// Commands that are looked at, counting each turn of a loop.
const MOST_COMMANDS: usize = 5000;

/// Collects the dangers of a line.
pub(super) struct Reader {
    pub(super) found: Vec<Danger>,
    pub(super) options: ParserOptions,
    pub(super) depth: usize,
    pub(super) commands: usize,
    pub(super) gave_up: bool,
    /// The whole of what is read.
    pub(super) source: Rc<str>,
}

/// What a command would read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Feed {
    /// Nothing that the line gives it.
    Nothing,
    /// This text.
    Text(String),
    /// This text, in which what a shell would put in is as it stands in the line.
    Partly(String),
    /// Something that nobody can tell.
    Unknown,
}

impl Reader {
    pub(super) fn new(source: &str) -> Reader {
        let options = ParserOptions::default();
        Reader { found: Vec::new(), options, depth: 0, commands: 0, gave_up: false, source: source.into() }
    }

    /// Returns a reader that goes on from here, and whose dangers are its own.
    pub(super) fn scout(&self) -> Reader {
        Reader { found: Vec::new(), options: self.options.clone(), source: self.source.clone(), ..*self }
    }

    /// Reads a line that a shell is given.
    pub(super) fn line(&mut self, line: &str, shell: &mut Shell) {
        let (deepest, open) = brackets(line);
        let is_too_much = line.len() > LONGEST_LINE || deepest > DEEPEST_BRACKETS || open > MOST_OPEN;
        if is_too_much || self.depth >= DEEPEST {
            if may_destroy(line) || line.contains(['$', '`']) {
                self.give_up(line, shell);
            }
            return;
        }
        self.depth += 1;
        match Parser::new(line.as_bytes(), &self.options).parse_program() {
            Ok(program) => {
                let mut before = shell.dir.clone();
                for list in &program.complete_commands {
                    shell.remember_fallback(&before);
                    before = shell.dir.clone();
                    self.list(list, shell);
                }
            }
            Err(_) if may_destroy(line) => {
                let why = "it can't be read as a line of a shell".to_owned();
                self.add(line.to_owned(), Action::Opaque { why }, shell);
            }
            Err(_) => {}
        }
        self.depth -= 1;
    }

    /// Reads a line in a shell of its own.
    pub(super) fn inner_line(&mut self, line: &str, shell: &Shell) {
        self.line(line, &mut shell.clone());
    }

    pub(super) fn add(&mut self, command: String, action: Action, shell: &Shell) {
        let action = match (&shell.elsewhere, action) {
            (_, action @ Action::Opaque { .. }) | (None, action) => action,
            (Some(place), _) => {
                Action::Opaque { why: format!("it runs {place}, where nothing can be measured") }
            }
        };
        let danger = Danger { command, action, dir: shell.dir.clone(), after_others: shell.others_ran };
        let is_same = |other: &&mut Danger| {
            other.command == danger.command && other.action == danger.action && other.dir == danger.dir
        };
        match self.found.iter_mut().find(is_same) {
            Some(other) => other.after_others |= danger.after_others,
            None => self.found.push(danger),
        }
    }

    /// Goes one level down, if that is not too deep already.
    pub(super) fn goes_deeper(&mut self, text: &str, shell: &Shell) -> bool {
        if self.depth >= DEEPEST {
            self.give_up(text, shell);
            return false;
        }
        let counts = self.counts_one(text, shell);
        self.depth += usize::from(counts);
        counts
    }

    /// Counts a command, if there were not too many already.
    pub(super) fn counts_one(&mut self, text: &str, shell: &Shell) -> bool {
        self.commands += 1;
        if self.commands > MOST_COMMANDS {
            self.give_up(text, shell);
        }
        self.commands <= MOST_COMMANDS
    }

    pub(super) fn comes_back(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn give_up(&mut self, line: &str, shell: &Shell) {
        if !self.gave_up {
            self.gave_up = true;
            let why = "it is too long or too deep to be read in full".to_owned();
            self.add(line.to_owned(), Action::Opaque { why }, shell);
        }
    }
}

/// Returns how deep brackets go in a text, and how many are open at its end. Quotes are not looked at.
pub(super) fn brackets(text: &str) -> (usize, usize) {
    let mut open: usize = 0;
    let mut deepest = 0;
    for byte in text.bytes() {
        match byte {
            b'(' | b'{' => open += 1,
            b')' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    (deepest, open)
}

/// Tells whether a text that can't be read names anything destructive.
pub(super) fn may_destroy(line: &str) -> bool {
    const NAMES: [&str; 12] = [
        "rm",
        "git",
        "find",
        "xargs",
        "shred",
        "eval",
        "migrate",
        "migration",
        "dropdb",
        "alembic",
        "prisma",
        "drop",
    ];
    let plain: String = line.chars().filter(|c| !"'\"\\".contains(*c)).collect();
    plain.split(|c: char| !c.is_alphanumeric()).any(|word| NAMES.contains(&word))
}
