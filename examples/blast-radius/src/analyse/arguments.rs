//! Makes the words of a command, as far as they can be known, and what it is given to read. The lines that a shell runs
//! while it does so are read as well.

use super::expand::{expand, expand_document};
use super::fresh::{is_assigned_once, is_mktemp, only_substitution};
use super::reader::{DEEPEST_WORD, Feed, Reader, brackets, may_destroy};
use super::shell::Shell;
use super::variable::Variable;
use super::word::{Value, Word};
use brush_parser::Parser;
use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem as Item,
    CompoundListItem, IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, SeparatorOperator, SimpleCommand,
    Word as SyntaxWord,
};

/// A command whose words are expanded.
pub(super) struct Call {
    pub(super) words: Vec<Word>,
    pub(super) assigned: Vec<(String, Variable)>,
    /// What stands as an assignment among the arguments.
    pub(super) declared: Vec<(String, Variable)>,
    pub(super) feed: Option<Feed>,
}

impl Reader {
    /// Expands the words of a command, and reads the lines that run for that.
    pub(super) fn words(&mut self, simple: &SimpleCommand, shell: &Shell) -> Call {
        let mut call = Call { words: Vec::new(), assigned: Vec::new(), declared: Vec::new(), feed: None };
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
            Item::Word(word) => call.words.extend(self.expanded(&word.value, shell)),
            Item::AssignmentWord(assignment, word) => {
                call.words.extend(self.expanded(&word.value, shell));
                call.declared.extend(self.assigned(assignment, shell));
            }
            Item::IoRedirect(redirect) => {
                if let Some(feed) = self.redirect(redirect, shell) {
                    call.feed = Some(feed);
                }
            }
            Item::ProcessSubstitution(_, inner) => {
                self.list(&inner.list, &mut shell.clone());
                call.words.push(Word::unknown(&format!("<({})", inner.list)));
            }
        }
    }

    pub(super) fn expanded(&mut self, text: &str, shell: &Shell) -> Vec<Word> {
        let inside = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
        if let Some(inside) = inside.filter(|inside| !inside.contains('\'')) {
            return vec![Word { shown: text.to_owned(), value: Value::Known(inside.to_owned()) }];
        }
        if brackets(text).0 > DEEPEST_WORD {
            if may_destroy(text) {
                self.give_up(text, shell);
            }
            return vec![Word::unknown(text)];
        }
        let expansion = expand(text, shell, &self.options);
        for line in &expansion.inner {
            self.inner_line(line, shell);
        }
        expansion.words
    }

    fn assigned(&mut self, assignment: &Assignment, shell: &Shell) -> Option<(String, Variable)> {
        let value = match &assignment.value {
            AssignmentValue::Scalar(word) => self.scalar(&word.value, assignment, shell),
            AssignmentValue::Array(elements) => self.array(elements, shell),
        };
        let before = |name: &String| shell.variables.get(name).cloned().unwrap_or(Variable::Unknown);
        let (name, value) = match &assignment.name {
            AssignmentName::VariableName(name) if assignment.append => (name, before(name).plus(value)),
            AssignmentName::VariableName(name) => (name, value),
            AssignmentName::ArrayElementName(name, index) => {
                let list = shell.variables.get(name).cloned().unwrap_or(Variable::List(Vec::new()));
                let element =
                    value.text().map_or_else(|| Word::unknown(&assignment.to_string()), Word::literal);
                let at = index.parse().ok().filter(|_| !assignment.append);
                (name, at.map_or(Variable::Unknown, |at| list.with(at, element)))
            }
        };
        Some((name.clone(), value))
    }

    fn scalar(&mut self, text: &str, assignment: &Assignment, shell: &Shell) -> Variable {
        let words = self.expanded(text, shell);
        if let AssignmentName::VariableName(name) = &assignment.name
            && !assignment.append
            && self.is_fresh(name, text, shell)
        {
            return Variable::Fresh;
        }
        match words.as_slice() {
            [] => Variable::Text(String::new()),
            // An assignment neither splits nor matches: what looks like a pattern is text.
            [Word { value: Value::Glob(_), shown }] if shown.contains(['\'', '"', '\\', '$', '`', '~']) => {
                Variable::Unknown
            }
            [Word { value: Value::Glob(_), shown }] => Variable::Text(shown.clone()),
            [one] => Variable::of(one.known().map(str::to_owned)),
            // It does not split what a variable holds either.
            [..] => {
                let inner = text.strip_prefix("${").and_then(|text| text.strip_suffix('}'));
                let name = inner.or_else(|| text.strip_prefix('$'));
                Variable::of(name.and_then(|name| shell.text(name)).map(str::to_owned))
            }
        }
    }

    fn array(&mut self, elements: &[(Option<SyntaxWord>, SyntaxWord)], shell: &Shell) -> Variable {
        let mut words = Vec::new();
        let mut is_in_order = true;
        for (index, word) in elements {
            is_in_order &= index.as_ref().is_none_or(|index| index.value == words.len().to_string());
            words.extend(self.expanded(&word.value, shell));
        }
        if is_in_order { Variable::List(words) } else { Variable::Unknown }
    }

    fn is_fresh(&self, name: &str, text: &str, shell: &Shell) -> bool {
        if !text.contains("mktemp") || !is_assigned_once(&self.source, name) {
            return false;
        }
        let line = only_substitution(text, &self.options);
        let program = line.and_then(|line| Parser::new(line.as_bytes(), &self.options).parse_program().ok());
        let lists = program.map(|program| program.complete_commands).unwrap_or_default();
        let [list] = lists.as_slice() else { return false };
        let [CompoundListItem(list, SeparatorOperator::Sequence)] = list.0.as_slice() else { return false };
        match (list.first.seq.as_slice(), list.additional.as_slice()) {
            ([Command::Simple(simple)], []) => is_mktemp(&self.scout().words(simple, shell).words, shell),
            _ => false,
        }
    }

    pub(super) fn redirect(&mut self, redirect: &IoRedirect, shell: &Shell) -> Option<Feed> {
        match redirect {
            IoRedirect::HereDocument(_, document) if document.requires_expansion => {
                self.expanded(&document.doc.value.replace(['\'', '"'], " "), shell);
                let is_deep = brackets(&document.doc.value).0 > DEEPEST_WORD;
                let text =
                    if is_deep { None } else { expand_document(&document.doc.value, shell, &self.options) };
                Some(text.map_or_else(|| Feed::Partly(document.doc.value.clone()), Feed::Text))
            }
            IoRedirect::HereDocument(_, document) => Some(Feed::Text(document.doc.value.clone())),
            IoRedirect::HereString(_, word) => match self.expanded(&word.value, shell).as_slice() {
                [Word { value: Value::Known(text), .. }] => Some(Feed::Text(text.clone())),
                words => Some(partly(words)),
            },
            IoRedirect::File(_, kind, target) => {
                match target {
                    // What another descriptor brings was opened somewhere else.
                    IoFileRedirectTarget::Duplicate(_)
                        if matches!(kind, IoFileRedirectKind::DuplicateInput) =>
                    {
                        return Some(Feed::Unknown);
                    }
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

    /// Returns what a command writes, if that is plain to see.
    pub(super) fn output_of(&mut self, command: &Command, shell: &Shell) -> Feed {
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
            Some(["echo" | "printf", ..]) => partly(&call.words[1..]),
            None if matches!(call.words[0].known(), Some("echo" | "printf")) => partly(&call.words[1..]),
            Some(_) | None => Feed::Unknown,
        }
    }
}

fn partly(words: &[Word]) -> Feed {
    Feed::Partly(words.iter().map(Word::in_the_line).collect::<Vec<_>>().join(" "))
}
