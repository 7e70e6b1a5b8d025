//! The packages that have come up so far, each with a small number for the search. The catalog is asked when a name
//! first comes up, and never twice, however many searches one resolution makes.

use super::shelf::Shelf;
use super::{Candidate, Catalog, Question};
use pintle_manifest::Name;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::{self, Display};
use std::rc::Rc;
use std::sync::Arc;

/// Stands for a package in the search; 0 is what the person asks for as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id(u32);

impl Id {
    /// Stands for the question itself, whose dependencies are the wishes.
    pub(super) const ROOT: Self = Self(0);
}

impl Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "package {}", self.0)
    }
}

/// Stops a search that can't go on.
#[derive(Debug, thiserror::Error)]
pub(super) enum Stop<E: std::error::Error + 'static> {
    #[error("cannot look up `{name}`")]
    Catalog {
        name: Name,
        #[source]
        source: E,
    },
    #[error("too many rounds")]
    TooHard { rounds: u32 },
}

/// Remembers what the catalog said.
pub(super) struct Asked<'a, C: Catalog> {
    pub(super) catalog: &'a C,
    replies: RefCell<HashMap<Name, Option<Arc<[Candidate]>>>>,
}

impl<'a, C: Catalog> Asked<'a, C> {
    pub(super) fn new(catalog: &'a C) -> Self {
        Self { catalog, replies: RefCell::default() }
    }

    fn candidates(&self, name: &Name) -> Result<Option<Arc<[Candidate]>>, Stop<C::Error>> {
        if let Some(reply) = self.replies.borrow().get(name) {
            return Ok(reply.clone());
        }
        let reply =
            self.catalog.candidates(name).map_err(|source| Stop::Catalog { name: name.clone(), source })?;
        self.replies.borrow_mut().insert(name.clone(), reply.clone());
        Ok(reply)
    }
}

/// Numbers the packages of one question.
pub(super) struct Pool<'a, C: Catalog> {
    pub(super) question: &'a Question,
    pub(super) asked: &'a Asked<'a, C>,
    ids: RefCell<HashMap<Name, Option<Id>>>,
    shelves: RefCell<Vec<Rc<Shelf>>>,
}

impl<'a, C: Catalog> Pool<'a, C> {
    pub(super) fn new(question: &'a Question, asked: &'a Asked<'a, C>) -> Self {
        Self { question, asked, ids: RefCell::default(), shelves: RefCell::default() }
    }

    /// Returns the number of a package, or `None` if there is no such package.
    pub(super) fn id(&self, name: &Name) -> Result<Option<Id>, Stop<C::Error>> {
        if let Some(id) = self.ids.borrow().get(name) {
            return Ok(*id);
        }
        let id = self.asked.candidates(name)?.map(|candidates| {
            let mut shelves = self.shelves.borrow_mut();
            shelves.push(Rc::new(Shelf::new(self.question, name, candidates)));
            Id(u32::try_from(shelves.len()).expect("memory ends before 32 bits of packages do"))
        });
        self.ids.borrow_mut().insert(name.clone(), id);
        Ok(id)
    }

    /// Counts the packages that have a number, and the question itself.
    pub(super) fn packages(&self) -> u32 {
        u32::try_from(self.shelves.borrow().len() + 1).expect("memory ends before 32 bits of packages do")
    }

    /// Returns what is known of a package that has a number.
    pub(super) fn shelf(&self, id: Id) -> Rc<Shelf> {
        let place = id.0.checked_sub(1).expect("the question itself has no candidates");
        Rc::clone(&self.shelves.borrow()[place as usize])
    }
}
