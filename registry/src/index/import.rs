//! Writes the index of a whole registry at once: for a mirror, a bundle to carry elsewhere, or a measurement. Only
//! into a registry that has no package yet; archives are copied by whoever has them.

use super::bin::{Bin, Entry};
use super::change::{self, ChangeError};
use super::document;
use super::head::{self, Head};
use super::lock::Lock;
use super::object::Kind;
use super::package::Package;
use super::table::{self, Table};
use crate::store::fs::{self, FsError};
use pintle_manifest::{Digest, Name};
use std::collections::BTreeMap;
use std::path::Path;

/// Says why packages were not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The registry has packages already.
    #[error("the registry has {packages} packages already; only an empty one can be imported into")]
    NotEmpty {
        /// How many.
        packages: u64,
    },
    /// A name came twice.
    #[error("the package `{name}` is given twice")]
    Twice {
        /// The name.
        name: Name,
    },
    /// It could not be read or written.
    #[error(transparent)]
    Change(#[from] ChangeError),
}

/// Fills an empty registry with packages. Objects are synced together, once, before the head is swapped.
pub fn import(dir: &Path, packages: impl IntoIterator<Item = Package>) -> Result<Head, ImportError> {
    let barrier = fs::Barrier::raise(dir).map_err(ChangeError::from)?;
    let _lock = Lock::take(dir).map_err(ChangeError::from)?;
    let base = change::Base::read(dir).map_err(ChangeError::from)?.head().clone();
    if base.packages > 0 {
        return Err(ImportError::NotEmpty { packages: base.packages });
    }
    let mut entries = BTreeMap::new();
    for package in packages {
        let bytes = document::write(&package).map_err(|error| change::document_error(&package, error))?;
        let entry = Entry { revision: 1, document: write_unsynced(dir, Kind::Package, &bytes)? };
        if entries.insert(package.name.clone(), entry).is_some() {
            return Err(ImportError::Twice { name: package.name });
        }
    }
    let packages = entries.len() as u64;
    let bits = table::bits_for(packages, base.bin_bits);
    let mut bins = vec![Bin::default(); 1 << bits];
    for (name, entry) in entries {
        bins[table::number_of(name.as_str(), bits)].entries.insert(name, entry);
    }
    let mut table = Table::empty(bits);
    for (number, bin) in bins.iter().enumerate().filter(|(_, bin)| !bin.entries.is_empty()) {
        table.set(number, Some(write_unsynced(dir, Kind::Bin, &bin.write())?));
    }
    let table = write_unsynced(dir, Kind::Table, &table.write())?;
    barrier.sync().map_err(ChangeError::from)?;
    let head = Head { version: base.version + 1, bin_bits: bits, packages, table, ..base };
    fs::write_atomic(&dir.join(head::FILE), &head.write()).map_err(ChangeError::from)?;
    Ok(head)
}

/// Writes an object in one step; what makes it survive a power cut comes later, for all.
fn write_unsynced(dir: &Path, kind: Kind, bytes: &[u8]) -> Result<Digest, ImportError> {
    let digest = Digest::of(bytes);
    let path = kind.path(dir, &digest);
    let temporary = fs::temporary_name(&path);
    let written = || -> Result<(), FsError> {
        fs::draft(&temporary, bytes)?;
        fs::rename(&temporary, &path)
    };
    written().map_err(ChangeError::from)?;
    Ok(digest)
}
