//! Makes the words of a command, as far as they can be known, and what it is given to read. The lines that a shell runs
//! while it does so are read as well.

use super::expand::{expand, expand_document};
use super::reader::{DEEPEST_WORD, Feed, Reader, brackets, may_destroy};
use super::shell::Shell;
use super::word::{Value, Word};
use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem as Item,
    IoFileRedirectTarget, IoRedirect, SimpleCommand,
};

/// A command whose words are expanded.
pub(super) struct Call {
    pub(super) words: Vec<Word>,
    pub(super) assigned: Vec<(String, Option<String>)>,
    pub(super) feed: Option<Feed>,
}

impl Reader {
    /// Expands the words of a command, and reads the lines that run for that.
    pub(super) fn words(&mut self, simple: &SimpleCommand, shell: &Shell) -> Call {
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

    pub(super) fn redirect(&mut self, redirect: &IoRedirect, shell: &Shell) -> Option<Feed> {
        match redirect {
            IoRedirect::HereDocument(_, document) if document.requires_expansion => {
                self.expanded(&document.doc.value.replace(['\'', '"'], " "), shell);
                let is_deep = brackets(&document.doc.value).0 > DEEPEST_WORD;
                let text =
                    if is_deep { None } else { expand_document(&document.doc.value, shell, &self.options) };
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
            Some(_) | None => Feed::Unknown,
        }
    }
}
