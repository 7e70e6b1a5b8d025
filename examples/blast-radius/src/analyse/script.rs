//! Reads what a line is made of: lists, pipes, groups, loops, functions. What a command is, the sibling modules know.

use super::arguments::Call;
use super::expand::expand;
use super::program::is_flag;
use super::reader::{Feed, Reader};
use super::shell::Shell;
use super::variable::Variable;
use super::word::Word;
use brush_parser::ast::{
    AndOr, AndOrList, Command, CompoundCommand, CompoundList, Pipeline, SeparatorOperator, SimpleCommand,
};
use std::rc::Rc;

/// Values of a `for` that are tried one by one.
const MOST_TURNS: usize = 100;

impl Reader {
    pub(super) fn list(&mut self, list: &CompoundList, shell: &mut Shell) {
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
        for (links, next) in (1..).zip(&list.additional) {
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
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, shell: &mut Shell) {
        if let [only] = pipeline.seq.as_slice() {
            return self.command(only, shell, &Feed::Nothing);
        }
        let mut feed = Feed::Nothing;
        let mut others_ran = shell.others_ran;
        for command in &pipeline.seq {
            let mut own = shell.clone();
            self.command(command, &mut own, &feed);
            others_ran |= own.others_ran;
            feed = self.output_of(command, shell);
        }
        shell.others_ran = others_ran;
    }

    fn command(&mut self, command: &Command, shell: &mut Shell, feed: &Feed) {
        if !self.counts_one("this line", shell) {
            return;
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
                    shell.assign(variable, Some(value.to_owned()));
                    self.list(body, shell);
                }
            }
            Some(_) | None => {
                self.forget_assigned(body, shell);
                shell.assign(variable, None);
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
        let mut scout = self.scout();
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
        if self.alias(&call.words, shell, feed) {
            return;
        }
        if call.assigned.is_empty() {
            self.call(&call.words, shell, feed);
            if call.words[0].known().is_some_and(|name| DECLARING.contains(&name)) {
                declare(&call, shell);
            }
            return;
        }
        // Assignments before a command hold for that command alone, but git and `sh -c` see them.
        let kept = shell.variables.clone();
        shell.variables.extend(call.assigned);
        self.call(&call.words, shell, feed);
        shell.variables = kept;
    }

    /// Reads the body of a function with the arguments that it is called with.
    pub(super) fn function(&mut self, words: &[Word], shell: &mut Shell, feed: &Feed) -> bool {
        let Some(body) = words[0].known().and_then(|name| shell.functions.get(name)).cloned() else {
            return false;
        };
        let positional = shell.positional.replace(words[1..].to_vec());
        self.compound(&body.0, shell, feed);
        shell.positional = positional;
        true
    }
}

/// Builtins whose arguments can be assignments.
const DECLARING: [&str; 5] = ["export", "local", "declare", "typeset", "readonly"];

fn declare(call: &Call, shell: &mut Shell) {
    // As a reference, a number, or in other letters, a variable is not what was assigned.
    let changes =
        |word: &Word| word.known().is_some_and(|text| "niulcA".chars().any(|letter| is_flag(text, letter)));
    let is_changed = call.words[1..].iter().any(changes);
    for (name, value) in &call.declared {
        let value = if is_changed { Variable::Unknown } else { value.clone() };
        shell.variables.insert(name.clone(), value);
    }
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
