//! One state of a registry: a head, and what hangs from it, read as it is needed. A snapshot never mixes two heads.

use super::bin::{Bin, Entry};
use super::error::IndexError;
use super::format::FormatError;
use super::head::Head;
use super::object::Kind;
use super::source::{Reach, Source};
use super::table::Table;
use pintle_manifest::{Digest, Name};
use std::collections::HashMap;
use std::sync::Arc;

/// Holds a head and the parts of its tree that were read.
pub(super) struct Snapshot {
    pub(super) head: Head,
    table: Option<Arc<Table>>,
    bins: HashMap<usize, Arc<Bin>>,
}

/// Where the document of a package was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Located {
    pub(super) revision: u64,
    pub(super) document: Digest,
}

impl Snapshot {
    /// Reads the head, and nothing else: of the registry, or offline the last one seen.
    pub(super) fn read(source: &Source) -> Result<Self, IndexError> {
        let cached = source.cache.as_ref().and_then(|cache| cache.head()).map(|(_, head)| head);
        if source.reach == Reach::Offline {
            let registry = source.identity.registry.clone();
            return cached.map(Self::of).ok_or(IndexError::NeverSeen { registry });
        }
        let bytes = source.head()?;
        let head = Head::parse(&bytes).map_err(|error| source.identity.bad_head(error))?;
        let known = cached.as_ref() == Some(&head);
        if let Some(seen) = cached.filter(|_| !known) {
            check_follows(source, &seen, &head)?;
        }
        if let Some(cache) = source.cache.as_ref().filter(|_| !known) {
            cache.keep_head(&bytes);
        }
        Ok(Self::of(head))
    }

    fn of(head: Head) -> Self {
        Self { head, table: None, bins: HashMap::new() }
    }

    /// Reads the head again. Returns the new state, or `None` if nothing changed.
    pub(super) fn read_newer(&self, source: &Source) -> Result<Option<Self>, IndexError> {
        let newer = Self::read(source)?;
        match newer.head == self.head {
            true => Ok(None),
            false => check_follows(source, &self.head, &newer.head).map(|()| Some(newer)),
        }
    }

    pub(super) fn table(&mut self, source: &Source) -> Result<Arc<Table>, IndexError> {
        if let Some(table) = &self.table {
            return Ok(Arc::clone(table));
        }
        let digest = self.head.table;
        let bytes = source.object(Kind::Table, &digest)?;
        let table = Table::parse(&bytes, self.head.bin_bits)
            .map_err(|error| source.identity.bad_object(Kind::Table, digest, error))?;
        Ok(Arc::clone(self.table.insert(Arc::new(table))))
    }

    /// Returns the digest of the bin that a name is in; `None` if that bin is empty.
    pub(super) fn bin_of(&mut self, source: &Source, name: &Name) -> Result<Option<Digest>, IndexError> {
        let table = self.table(source)?;
        Ok(table.bin(table.number_of(name.as_str())))
    }

    pub(super) fn bin(&mut self, source: &Source, number: usize) -> Result<Arc<Bin>, IndexError> {
        if let Some(bin) = self.bins.get(&number) {
            return Ok(Arc::clone(bin));
        }
        let table = self.table(source)?;
        let bin = Arc::new(match table.bin(number) {
            Some(digest) => read_bin(source, &table, number, digest)?,
            None => Bin::default(),
        });
        self.bins.insert(number, Arc::clone(&bin));
        Ok(bin)
    }

    /// Looks a name up.
    pub(super) fn locate(&mut self, source: &Source, name: &Name) -> Result<Option<Located>, IndexError> {
        let number = self.table(source)?.number_of(name.as_str());
        let bin = self.bin(source, number)?;
        Ok(bin
            .entries
            .get(name)
            .map(|Entry { revision, document }| Located { revision: *revision, document: *document }))
    }

    /// Returns every name, sorted.
    pub(super) fn names(&mut self, source: &Source) -> Result<Vec<Name>, IndexError> {
        let mut names = Vec::new();
        for number in 0..self.table(source)?.len() {
            names.extend(self.bin(source, number)?.entries.keys().cloned());
        }
        names.sort();
        Ok(names)
    }
}

/// Reads a bin and refuses one that holds a name of another bin, which would hide that name.
pub(super) fn read_bin(
    source: &Source,
    table: &Table,
    number: usize,
    digest: Digest,
) -> Result<Bin, IndexError> {
    let bytes = source.object(Kind::Bin, &digest)?;
    let bad = |error| source.identity.bad_object(Kind::Bin, digest, error);
    let bin = Bin::parse(&bytes).map_err(bad)?;
    match bin.entries.keys().find(|name| table.number_of(name.as_str()) != number) {
        Some(name) => Err(bad(FormatError::Malformed(format!("`{name}` belongs in another bin")))),
        None => Ok(bin),
    }
}

/// Refuses a head that goes back, or that differs under the same version.
fn check_follows(source: &Source, seen: &Head, offered: &Head) -> Result<(), IndexError> {
    match offered.version.cmp(&seen.version) {
        std::cmp::Ordering::Less => Err(source.identity.rollback(seen.version, offered.version)),
        std::cmp::Ordering::Equal if offered != seen => Err(source.identity.diverged(seen.version)),
        std::cmp::Ordering::Equal | std::cmp::Ordering::Greater => Ok(()),
    }
}
