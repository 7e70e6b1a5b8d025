//! One reading of one `contract.toml`: what is wrong so far, and what can only be checked once everything is read.
//! Knows no key of the file.

use crate::{Problem, Span, Version};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The most problems that are told.
const MOST: usize = 500;

/// Collects problems and open checks. Shared by every table that is read, so it is changed from behind `&`.
#[derive(Default)]
pub(super) struct Reading {
    problems: RefCell<Vec<Problem>>,
    links: RefCell<Vec<Link>>,
    names: RefCell<BTreeSet<(Sort, String)>>,
}

/// The sorts of things that a contract names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    Hook,
    Call,
    Slot,
    Permission,
    Type,
}

/// A name that must lead somewhere.
pub(super) struct Link {
    /// Where the name stands.
    pub(super) at: Span,
    /// The name.
    pub(super) name: String,
    pub(super) leads_to: LeadsTo,
}

/// Where a name must lead.
pub(super) enum LeadsTo {
    /// To any type.
    Type,
    /// To a type that is an object, so that fields can be added to it.
    ObjectType,
    /// To a permission, which a call needs.
    Permission(Scope),
    /// To a field of this type that is a text.
    TextField(String),
    /// To a field of this type that is a text and always there.
    RequiredTextField(String),
    /// To a field of this type.
    Field(String),
    /// To another thing of the same sort; what is deprecated is `old`.
    Successor(Box<Successor>),
}

/// How a call compares what it is asked with a granted list.
pub(super) struct Scope {
    /// The call.
    pub(super) call: String,
    /// Where the call names the argument that is compared, if it does.
    pub(super) at: Option<Span>,
}

/// A deprecation, with where its parts stand.
pub(super) struct Successor {
    pub(super) sort: Sort,
    pub(super) old: String,
    pub(super) since: (Version, Span),
    pub(super) remove_in: (Version, Span),
    pub(super) alias: bool,
}

impl Sort {
    /// Returns the noun.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Call => "call",
            Self::Slot => "slot",
            Self::Permission => "permission",
            Self::Type => "type",
        }
    }
}

impl Reading {
    /// Adds a problem.
    pub(super) fn tell(&self, problem: Problem) {
        let mut problems = self.problems.borrow_mut();
        if problems.len() < MOST {
            problems.push(problem);
        }
    }

    /// Tells whether nothing is wrong so far.
    pub(super) fn is_clean(&self) -> bool {
        self.problems.borrow().is_empty()
    }

    /// Notes that a name must lead somewhere.
    pub(super) fn link(&self, at: Span, name: impl Into<String>, leads_to: LeadsTo) {
        self.links.borrow_mut().push(Link { at, name: name.into(), leads_to });
    }

    /// Notes that something of this name is there, even if it is wrong in itself.
    pub(super) fn name(&self, sort: Sort, name: &str) {
        self.names.borrow_mut().insert((sort, name.to_owned()));
    }

    /// Tells whether something of this name is there.
    pub(super) fn has(&self, sort: Sort, name: &str) -> bool {
        self.names.borrow().contains(&(sort, name.to_owned()))
    }

    /// Returns every name of a sort.
    pub(super) fn all(&self, sort: Sort) -> Vec<String> {
        let names = self.names.borrow();
        names.iter().filter(|(of, _)| *of == sort).map(|(_, name)| name.clone()).collect()
    }

    /// Takes the open checks.
    pub(super) fn take_links(&self) -> Vec<Link> {
        self.links.take()
    }

    /// Returns the problems in order of place, `shift` bytes further on.
    pub(super) fn finish(self, shift: usize) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
        for problem in &mut problems {
            problem.span = problem.span.start + shift..problem.span.end + shift;
        }
        problems
    }
}
