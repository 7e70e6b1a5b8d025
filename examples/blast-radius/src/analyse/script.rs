//! Reads a line as a shell does: lists, pipes, groups, loops, functions, redirections. What a command is, the sibling
//! modules know.

use super::danger::{Action, Danger};
use super::expand::{expand, expand_document};
use super::shell::Shell;
use super::word::{Value, Word, joined};
use brush_parser::ast::{
    AndOr, AndOrList, Assignment, AssignmentName, AssignmentValue, Command,
    CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList, IoFileRedirectTarget, IoRedirect,
    Pipeline, SeparatorOperator, SimpleCommand,
};
use brush_parser::{Parser, ParserOptions};
use std::rc::Rc;

/// Lines longer than this are not read.
const LONGEST_LINE: usize = 64 * 1024;
/// Lines within lines, functions within functions: no deeper than this.
const DEEPEST: usize = 24;
/// Brackets in a line; a parser that goes down one level for each needs its stack.
const MOST_BRACKETS: usize = 400;
/// Commands that are looked at, counting each turn of a loop.
const MOST_COMMANDS: usize = 5000;
/// Values of a `for` that are tried one by one.
const MOST_TURNS: usize = 100;

/// Collects the dangers of a line.
pub(super) struct Reader {
    pub(super) found: Vec<Danger>,
    options: ParserOptions,
    depth: usize,
    commands: usize,
    gave_up: bool,
}

/// What a command would read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Feed {
    /// Nothing that the line gives it.
    Nothing,
    /// This text.
    Text(String),
    /// Something that nobody can tell.
    Unknown,
}

impl Reader {
    pub(super) fn new() -> Reader {
        let options = ParserOptions::default();
        Reader { found: Vec::new(), options, depth: 0, commands: 0, gave_up: false }
    }

    /// Reads a line that a shell is given.
    pub(super) fn line(&mut self, line: &str, shell: &mut Shell) {
        if line.len() > LONGEST_LINE
            || line.matches(['(', '{', '`']).count() > MOST_BRACKETS
            || self.depth > DEEPEST
        {
            return self.give_up(line, shell);
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

    fn give_up(&mut self, line: &str, shell: &Shell) {
        if !self.gave_up {
            self.gave_up = true;
            let why = "it is too long or too deep to be read in full".to_owned();
            self.add(line.to_owned(), Action::Opaque { why }, shell);
        }
    }

    fn list(&mut self, list: &CompoundList, shell: &mut Shell) {
        let mut before = shell.dir.clone();
        for item in &list.0 {
            shell.remember_fallback(&before);
            before = shell.dir.clone();
            match item.1 {
                SeparatorOperator::Async => {
                    self.and_or(&item.0, &mut shell.clone());
                    shell.others_ran = true;
                }
                SeparatorOperator::Sequence => self.and_or(&item.0, shell),
            }
        }
    }

    fn and_or(&mut self, list: &AndOrList, shell: &mut Shell) {
        let before = shell.clone();
        self.pipeline(&list.first, shell);
        let mut links = 1;
        for next in &list.additional {
            match next {
                AndOr::And(pipeline) => self.pipeline(pipeline, shell),
                AndOr::Or(pipeline) => {
                    // It runs only if what stands before it failed: with one command before, nothing of it happened.
                    let mut other = before.clone();
                    other.others_ran = shell.others_ran;
                    if links > 1 {
                        other.merge(shell);
                    }
                    self.pipeline(pipeline, &mut other);
                    if !leaves(pipeline) {
                        shell.merge(&other);
                    }
                }
            }
            links += 1;
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, shell: &mut Shell) {
        if let [only] = pipeline.seq.as_slice() {
            return self.command(only, shell, &Feed::Nothing);
        }
        let mut feed = Feed::Nothing;
        for command in &pipeline.seq {
            let mut own = shell.clone();
            self.command(command, &mut own, &feed);
            feed = self.output_of(command, shell);
        }
        shell.others_ran = true;
    }

    /// Returns what a command writes, if that is plain to see.
    fn output_of(&mut self, command: &Command, shell: &Shell) -> Feed {
        let Command::Simple(simple) = command else { return Feed::Unknown };
        let call = self.words(simple, shell);
        let words: Option<Vec<&str>> = call.words.iter().map(Word::known).collect();
        match words.as_deref() {
            Some(["cat"]) => call.feed.unwrap_or(Feed::Unknown),
            Some(["echo", rest @ ..])
                if !rest.first().is_some_and(|word| word.starts_with('-'))
                    && !rest.iter().any(|word| word.contains('\\')) =>
            {
                Feed::Text(rest.join(" "))
            }
            Some(["printf", text]) if !text.contains(['%', '\\']) => Feed::Text((*text).to_owned()),
            Some(["printf", "%s" | "%s\\n", text]) => Feed::Text((*text).to_owned()),
            Some(_) | None => Feed::Unknown,
        }
    }

    fn command(&mut self, command: &Command, shell: &mut Shell, feed: &Feed) {
        self.commands += 1;
        if self.commands > MOST_COMMANDS || self.depth > DEEPEST {
            return self.give_up("this line", shell);
        }
        match command {
            Command::Simple(simple) => self.simple(simple, shell, feed),
            Command::Compound(compound, redirects) => {
                let own = redirects
                    .iter()
                    .flat_map(|list| &list.0)
                    .fold(None, |feed, redirect| self.redirect(redirect, shell).or(feed));
                self.compound(compound, shell, own.as_ref().unwrap_or(feed));
            }
            Command::Function(function) => {
                shell.functions.insert(function.fname.value.clone(), Rc::new(function.body.clone()));
            }
            Command::ExtendedTest(test, _) => {
                let inner = expand(&test.expr.to_string(), shell, &self.options).inner;
                inner.iter().for_each(|line| self.inner_line(line, shell));
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, shell: &mut Shell, feed: &Feed) {
        match compound {
            CompoundCommand::BraceGroup(group) => self.fed_list(&group.list, shell, feed),
            CompoundCommand::Subshell(subshell) => {
                let mut own = shell.clone();
                self.fed_list(&subshell.list, &mut own, feed);
                shell.others_ran |= own.others_ran;
            }
            CompoundCommand::ForClause(clause) => {
                let values = match &clause.values {
                    Some(values) => {
                        values.iter().flat_map(|word| self.expanded(&word.value, shell)).collect()
                    }
                    None => shell.positional.clone().unwrap_or_else(|| vec![Word::unknown("\"$@\"")]),
                };
                self.turns(&clause.variable_name, &values, &clause.body.list, shell);
            }
            CompoundCommand::ArithmeticForClause(clause) => self.maybe(&[&clause.body.list], shell),
            CompoundCommand::CaseClause(clause) => {
                self.expanded(&clause.value.value, shell);
                let bodies: Vec<_> = clause.cases.iter().filter_map(|case| case.cmd.as_ref()).collect();
                self.maybe(&bodies, shell);
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition, shell);
                let mut bodies = vec![&clause.then];
                for other in clause.elses.iter().flatten() {
                    if let Some(condition) = &other.condition {
                        self.list(condition, &mut shell.clone());
                    }
                    bodies.push(&other.body);
                }
                self.maybe(&bodies, shell);
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.forget_assigned(&clause.1.list, shell);
                self.list(&clause.0, shell);
                self.maybe(&[&clause.1.list], shell);
            }
            CompoundCommand::Coprocess(coprocess) => self.command(&coprocess.body, &mut shell.clone(), feed),
            CompoundCommand::Arithmetic(arithmetic) => {
                self.expanded(&arithmetic.expr.value, shell);
            }
        }
    }

    /// A group that is given something to read hands it to its first command; which one reads it nobody can tell.
    fn fed_list(&mut self, list: &CompoundList, shell: &mut Shell, feed: &Feed) {
        match (feed, list.0.as_slice()) {
            (Feed::Nothing, _) | (_, []) => self.list(list, shell),
            (feed, [only]) if only.0.additional.is_empty() && only.0.first.seq.len() == 1 => {
                self.command(&only.0.first.seq[0], shell, feed);
            }
            (_, items) => {
                for item in items {
                    let pipelines = std::iter::once(&item.0.first).chain(item.0.additional.iter().map(
                        |next| match next {
                            AndOr::And(pipeline) | AndOr::Or(pipeline) => pipeline,
                        },
                    ));
                    for command in pipelines.filter_map(|pipeline| pipeline.seq.first()) {
                        self.command(command, &mut shell.clone(), &Feed::Unknown);
                    }
                }
                self.list(list, shell);
            }
        }
    }

    fn turns(&mut self, variable: &str, values: &[Word], body: &CompoundList, shell: &mut Shell) {
        let before = shell.clone();
        let known: Option<Vec<_>> = values.iter().map(Word::known).collect();
        match known {
            Some(known) if known.len() <= MOST_TURNS => {
                for value in known {
                    shell.variables.insert(variable.to_owned(), Some(value.to_owned()));
                    self.list(body, shell);
                }
            }
            Some(_) | None => {
                self.forget_assigned(body, shell);
                shell.variables.insert(variable.to_owned(), None);
                self.list(body, shell);
            }
        }
        shell.merge(&before);
    }

    /// Reads parts of which each may run or not.
    fn maybe(&mut self, bodies: &[&CompoundList], shell: &mut Shell) {
        let before = shell.clone();
        for body in bodies {
            let mut own = before.clone();
            self.list(body, &mut own);
            shell.merge(&own);
        }
    }

    /// A loop's later turns see what its earlier ones assigned, so what is assigned in it is unknown from the start.
    fn forget_assigned(&mut self, body: &CompoundList, shell: &mut Shell) {
        let mut own = shell.clone();
        let mut scout = Reader { found: Vec::new(), options: self.options.clone(), ..*self };
        scout.list(body, &mut own);
        self.commands = scout.commands;
        shell.merge(&own);
    }

    fn simple(&mut self, simple: &SimpleCommand, shell: &mut Shell, feed: &Feed) {
        let call = self.words(simple, shell);
        if call.words.is_empty() {
            for (name, value) in call.assigned {
                shell.variables.insert(name, value);
            }
            return;
        }
        let feed = call.feed.as_ref().unwrap_or(feed);
        if call.assigned.is_empty() {
            return self.call(&call.words, shell, feed);
        }
        // Assignments before a command hold for that command alone, but git and `sh -c` see them.
        let kept = shell.variables.clone();
        shell.variables.extend(call.assigned);
        self.call(&call.words, shell, feed);
        shell.variables = kept;
    }

    /// Expands the words of a command, and reads the lines that run for that.
    fn words(&mut self, simple: &SimpleCommand, shell: &Shell) -> Call {
        let mut call = Call { words: Vec::new(), assigned: Vec::new(), feed: None };
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                Item::AssignmentWord(assignment, _) => call.assigned.extend(self.assigned(assignment, shell)),
                other => self.item(other, shell, &mut call),
            }
        }
        if let Some(name) = &simple.word_or_name {
            call.words.extend(self.expanded(&name.value, shell));
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item, shell, &mut call);
        }
        call
    }

    fn item(&mut self, item: &Item, shell: &Shell, call: &mut Call) {
        match item {
            Item::Word(word) | Item::AssignmentWord(_, word) => {
                call.words.extend(self.expanded(&word.value, shell))
            }
            Item::IoRedirect(redirect) => {
                if let Some(feed) = self.redirect(redirect, shell) {
                    call.feed = Some(feed);
                }
            }
            Item::ProcessSubstitution(_, inner) => {
                self.list(&inner.list, &mut shell.clone());
                call.words.push(Word::unknown("<(…)"));
            }
        }
    }

    fn expanded(&mut self, text: &str, shell: &Shell) -> Vec<Word> {
        let expansion = expand(text, shell, &self.options);
        for line in &expansion.inner {
            self.inner_line(line, shell);
        }
        expansion.words
    }

    fn assigned(&mut self, assignment: &Assignment, shell: &Shell) -> Option<(String, Option<String>)> {
        let (name, is_whole) = match &assignment.name {
            AssignmentName::VariableName(name) => (name, !assignment.append),
            AssignmentName::ArrayElementName(name, _) => (name, false),
        };
        let value = match &assignment.value {
            AssignmentValue::Scalar(word) => match self.expanded(&word.value, shell).as_slice() {
                [] => Some(String::new()),
                // An assignment neither splits nor matches: what looks like a pattern is text.
                [Word { value: Value::Glob(_), shown }] => {
                    (!shown.contains(['\'', '"', '\\', '$', '`', '~'])).then(|| shown.clone())
                }
                [one] => one.known().map(str::to_owned),
                [..] => None,
            },
            AssignmentValue::Array(elements) => {
                for (_, word) in elements {
                    self.expanded(&word.value, shell);
                }
                None
            }
        };
        Some((name.clone(), value.filter(|_| is_whole)))
    }

    fn redirect(&mut self, redirect: &IoRedirect, shell: &Shell) -> Option<Feed> {
        match redirect {
            IoRedirect::HereDocument(_, document) if document.requires_expansion => {
                self.expanded(&document.doc.value.replace(['\'', '"'], " "), shell);
                let text = expand_document(&document.doc.value, shell, &self.options);
                Some(text.map_or(Feed::Unknown, Feed::Text))
            }
            IoRedirect::HereDocument(_, document) => Some(Feed::Text(document.doc.value.clone())),
            IoRedirect::HereString(_, word) => match self.expanded(&word.value, shell).as_slice() {
                [one] => Some(one.known().map_or(Feed::Unknown, |text| Feed::Text(text.to_owned()))),
                [..] => Some(Feed::Unknown),
            },
            IoRedirect::File(_, _, target) => {
                match target {
                    IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => {
                        self.expanded(&word.value, shell);
                    }
                    IoFileRedirectTarget::ProcessSubstitution(_, inner) => {
                        self.list(&inner.list, &mut shell.clone());
                        return Some(Feed::Unknown);
                    }
                    IoFileRedirectTarget::Fd(_) => {}
                }
                None
            }
            IoRedirect::OutputAndError(word, _) => {
                self.expanded(&word.value, shell);
                None
            }
        }
    }

    /// Reads the body of a function with the arguments that it is called with.
    pub(super) fn function(&mut self, words: &[Word], shell: &mut Shell, feed: &Feed) -> bool {
        let Some(body) = words[0].known().and_then(|name| shell.functions.get(name)).cloned() else {
            return false;
        };
        if self.depth > DEEPEST {
            self.give_up(&joined(words), shell);
            return true;
        }
        self.depth += 1;
        let positional = shell.positional.replace(words[1..].to_vec());
        self.compound(&body.0, shell, feed);
        shell.positional = positional;
        self.depth -= 1;
        true
    }
}

struct Call {
    words: Vec<Word>,
    assigned: Vec<(String, Option<String>)>,
    feed: Option<Feed>,
}

/// Tells whether a line goes no further after a pipeline: `cd x || exit`.
fn leaves(pipeline: &Pipeline) -> bool {
    let is_leaving = |list: &CompoundList| {
        list.0.last().is_some_and(|item| item.0.additional.is_empty() && leaves(&item.0.first))
    };
    match pipeline.seq.as_slice() {
        [Command::Simple(simple)] => simple
            .word_or_name
            .as_ref()
            .is_some_and(|name| ["exit", "return", "break", "continue"].contains(&name.value.as_str())),
        [Command::Compound(CompoundCommand::BraceGroup(group), _)] => is_leaving(&group.list),
        _ => false,
    }
}

/// Tells whether a text that can't be read names anything destructive.
fn may_destroy(line: &str) -> bool {
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
