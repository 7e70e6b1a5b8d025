//! How a registry in a directory is changed: new objects first, then the head by compare-and-swap under a lock.
//! Whoever finds another head than it began with starts over; a crash leaves only objects that nothing names.

use super::bin::{Bin, Entry};
use super::document;
use super::error::{Identity, IndexError};
use super::format::FormatError;
use super::head::{self, Head};
use super::lock::{Lock, LockError};
use super::object::Kind;
use super::package::Package;
use super::registry::read_document;
use super::registry_name::RegistryName;
use super::snapshot::{Snapshot, read_bin};
use super::source::{Reach, Source};
use super::table::{self, Table};
use super::transport::DirectoryTransport;
use crate::store::fs::{self, FsError};
use pintle_manifest::{Digest, Name};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How often a change races for the head before it takes the lock first, so that it can't lose for ever.
const RACES: u32 = 4;

/// Says why a registry could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// It could not be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// It could not be written.
    #[error(transparent)]
    Disk(#[from] FsError),
    /// Another process holds its lock and does not let go.
    #[error("the registry is being changed by another process that holds `{}`", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// A package document would break a bound of its format.
    #[error("the package document of `{name}` can't be written: {reason}")]
    Document {
        /// The package.
        name: Name,
        /// Which bound.
        reason: String,
    },
}

impl From<LockError> for ChangeError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Disk(error) => Self::Disk(error),
            LockError::Held { path } => Self::Locked { path },
        }
    }
}

/// The state that a change starts from.
pub(super) struct Base<'a> {
    root: &'a Path,
    source: Source,
    snapshot: Snapshot,
}

/// A new state, whose objects are written and whose head is not.
pub(super) struct Draft {
    head: Head,
    objects: Vec<(Kind, Digest)>,
}

/// Changes a registry. `step` is given the present state and returns the new one, or `None` to leave it as it is;
/// it may be called several times.
pub(super) fn change<E: From<ChangeError>, T>(
    root: &Path,
    mut step: impl FnMut(&mut Base<'_>) -> Result<(Option<Draft>, T), E>,
) -> Result<T, E> {
    let mut race = 0;
    loop {
        let early = match race < RACES {
            true => None,
            false => Some(Lock::take(root).map_err(ChangeError::from)?),
        };
        let mut base = Base::read(root).map_err(ChangeError::from)?;
        let (draft, value) = match step(&mut base) {
            Ok(done) => done,
            // What failed on a past state, perhaps since a collector took a part of it, is tried on the present one.
            Err(_) if early.is_none() && base.is_past()? => {
                race += 1;
                continue;
            }
            Err(error) => return Err(error),
        };
        let Some(draft) = draft else { return Ok(value) };
        let _lock = match early {
            Some(lock) => lock,
            None => Lock::take(root).map_err(ChangeError::from)?,
        };
        if base.swap(&draft)? {
            return Ok(value);
        }
        race += 1;
    }
}

impl<'a> Base<'a> {
    pub(super) fn read(root: &'a Path) -> Result<Self, IndexError> {
        let registry = RegistryName::parse("directory").expect("`directory` is a name");
        let identity = Identity { registry, location: root.display().to_string() };
        let source = Source::new(identity, Box::new(DirectoryTransport::new(root)), None, Reach::Online);
        let snapshot = Snapshot::read(&source)?;
        Ok(Self { root, source, snapshot })
    }

    pub(super) fn head(&self) -> &Head {
        &self.snapshot.head
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    pub(super) fn table(&mut self) -> Result<Arc<Table>, IndexError> {
        self.snapshot.table(&self.source)
    }

    /// Returns the present document of a package.
    pub(super) fn package(&mut self, name: &Name) -> Result<Option<Package>, IndexError> {
        let Some(located) = self.snapshot.locate(&self.source, name)? else { return Ok(None) };
        let bytes = self.source.object(Kind::Package, &located.document)?;
        read_document(&self.source, name, located.document, &bytes).map(Some)
    }

    /// Returns every name, sorted.
    pub(super) fn names(&mut self) -> Result<Vec<Name>, IndexError> {
        self.snapshot.names(&self.source)
    }

    /// Returns the first name for which `test` holds. Reads the bins one at a time.
    pub(super) fn find_name(&mut self, test: impl Fn(&Name) -> bool) -> Result<Option<Name>, IndexError> {
        let table = self.table()?;
        for number in 0..table.len() {
            let Some(digest) = table.bin(number) else { continue };
            let bin = read_bin(&self.source, &table, number, digest)?;
            if let Some(name) = bin.entries.into_keys().find(|name| test(name)) {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Writes the objects of the state in which a package has this document. `extra` are objects already written.
    pub(super) fn with_package(
        &mut self,
        package: &Package,
        extra: Vec<(Kind, Digest)>,
    ) -> Result<Draft, ChangeError> {
        let mut objects = extra;
        let document = document::write(package).map_err(|error| document_error(package, error))?;
        let document = keep(self.root, &mut objects, Kind::Package, &document)?;
        let located = self.snapshot.locate(&self.source, &package.name)?;
        let entry = Entry { revision: located.map_or(1, |located| located.revision + 1), document };
        let packages = self.head().packages + u64::from(located.is_none());
        let bits = table::bits_for(packages, self.head().bin_bits);
        let table = match bits == self.head().bin_bits {
            true => self.with_entry(&package.name, entry, &mut objects)?,
            false => self.with_more_bins(bits, &package.name, entry, &mut objects)?,
        };
        let table = keep(self.root, &mut objects, Kind::Table, &table.write())?;
        let head = Head {
            version: self.head().version + 1,
            expires: self.head().expires,
            bin_bits: bits,
            packages,
            table,
        };
        Ok(Draft { head, objects })
    }

    fn with_entry(
        &mut self,
        name: &Name,
        entry: Entry,
        objects: &mut Vec<(Kind, Digest)>,
    ) -> Result<Table, ChangeError> {
        let mut table = Table::clone(&*self.table()?);
        let number = table.number_of(name.as_str());
        let mut bin = Bin::clone(&*self.snapshot.bin(&self.source, number)?);
        bin.entries.insert(name.clone(), entry);
        table.set(number, Some(keep(self.root, objects, Kind::Bin, &bin.write())?));
        Ok(table)
    }

    fn with_more_bins(
        &mut self,
        bits: u8,
        name: &Name,
        entry: Entry,
        objects: &mut Vec<(Kind, Digest)>,
    ) -> Result<Table, ChangeError> {
        let mut bins = vec![Bin::default(); 1 << bits];
        for number in 0..self.table()?.len() {
            for (name, entry) in &self.snapshot.bin(&self.source, number)?.entries {
                bins[table::number_of(name.as_str(), bits)].entries.insert(name.clone(), *entry);
            }
        }
        bins[table::number_of(name.as_str(), bits)].entries.insert(name.clone(), entry);
        let mut table = Table::empty(bits);
        for (number, bin) in bins.iter().enumerate().filter(|(_, bin)| !bin.entries.is_empty()) {
            table.set(number, Some(keep(self.root, objects, Kind::Bin, &bin.write())?));
        }
        Ok(table)
    }

    /// Tells whether the registry has another head by now.
    fn is_past(&self) -> Result<bool, ChangeError> {
        Ok(Snapshot::read(&self.source)?.head != *self.head())
    }

    /// Swaps the head, under the lock. Returns false if the registry is no longer what it was, or if a collector
    /// took an object that was already there and unnamed when the draft found it.
    fn swap(&self, draft: &Draft) -> Result<bool, ChangeError> {
        let path = self.root.join(head::FILE);
        let whole = || draft.objects.iter().all(|(kind, digest)| kind.path(self.root, digest).is_file());
        if self.is_past()? || !whole() {
            return Ok(false);
        }
        fs::write_atomic(&path, &draft.head.write())?;
        Ok(true)
    }
}

pub(super) fn document_error(package: &Package, error: FormatError) -> ChangeError {
    ChangeError::Document { name: package.name.clone(), reason: error.to_string() }
}

/// Writes an object and remembers it.
fn keep(root: &Path, objects: &mut Vec<(Kind, Digest)>, kind: Kind, bytes: &[u8]) -> Result<Digest, FsError> {
    let digest = write_object(root, kind, bytes)?;
    objects.push((kind, digest));
    Ok(digest)
}

/// Writes an object, unless it is there with the right bytes.
pub(super) fn write_object(root: &Path, kind: Kind, bytes: &[u8]) -> Result<Digest, FsError> {
    let digest = Digest::of(bytes);
    let path = kind.path(root, &digest);
    let there = fs::read(&path, bytes.len() as u64).is_ok_and(|there| there == bytes);
    if !there {
        fs::create_dirs(fs::parent(&path))?;
        fs::write_atomic(&path, bytes)?;
    }
    Ok(digest)
}
