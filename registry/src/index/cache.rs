//! What a client keeps of a registry so as not to read it again. Everything here may be missing, half there,
//! changed, of another format or not writable: that is a miss and at most a warning, never a failure, and never
//! believed unchecked. It is not state: it is written without fsync.
//!
//! ```text
//! <cache>/index-v1/{t,b,p}/<sha256>                  objects, as in a registry
//! <cache>/index-v1/registries/<name>-<place>/head.json   the last head seen
//! <cache>/index-v1/registries/<name>-<place>/pack-v1     see `pack`
//! ```
//! A Pintle with another layout uses another `index-v<n>`, so neither disturbs the other.

use super::error::Identity;
use super::head::{self, Head};
use super::object::Kind;
use crate::store::fs::{self, FsError};
use pintle_manifest::Digest;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

const LAYOUT: &str = "index-v1";

/// Says what is wrong with a cache. Nothing failed for it.
#[derive(Debug, thiserror::Error)]
pub enum CacheWarning {
    /// It can't be written, so what was read is not kept.
    #[error("the cache can't be written")]
    Unwritable(#[source] FsError),
    /// An entry was damaged. It was read anew.
    #[error("the cache entry `{}` was damaged", path.display())]
    Damaged {
        /// The entry.
        path: PathBuf,
    },
}

/// Keeps the head and the objects of one registry.
#[derive(Debug)]
pub(super) struct Cache {
    objects: PathBuf,
    registry: PathBuf,
    writable: AtomicBool,
    warnings: Mutex<Vec<CacheWarning>>,
}

impl Cache {
    pub(super) fn new(root: &Path, identity: &Identity) -> Self {
        let objects = root.join(LAYOUT);
        let place = Digest::of(identity.location.as_bytes()).short();
        let registry = objects.join("registries").join(format!("{}-{place}", identity.registry));
        Self { objects, registry, writable: AtomicBool::new(true), warnings: Mutex::default() }
    }

    /// Returns the last head seen, if it can still be read.
    pub(super) fn head(&self) -> Option<(Vec<u8>, Head)> {
        let bytes = fs::read(&self.registry.join(head::FILE), head::MOST).ok()?;
        let head = Head::parse(&bytes).ok()?;
        Some((bytes, head))
    }

    pub(super) fn keep_head(&self, bytes: &[u8]) {
        self.write(&self.registry.join(head::FILE), bytes);
    }

    /// Returns an object, checked against its digest.
    pub(super) fn object(&self, kind: Kind, digest: &Digest) -> Option<Vec<u8>> {
        let path = kind.path(&self.objects, digest);
        let bytes = match fs::read(&path, kind.most()) {
            Ok(bytes) => bytes,
            Err(error) if error.is_not_found() => return None,
            Err(_) => {
                self.warn(CacheWarning::Damaged { path });
                return None;
            }
        };
        if Digest::of(&bytes) != *digest {
            self.warn(CacheWarning::Damaged { path });
            return None;
        }
        Some(bytes)
    }

    pub(super) fn keep_object(&self, kind: Kind, digest: &Digest, bytes: &[u8]) {
        self.write(&kind.path(&self.objects, digest), bytes);
    }

    pub(super) fn pack_path(&self) -> PathBuf {
        self.registry.join(super::pack::FILE)
    }

    pub(super) fn keep_pack(&self, bytes: &[u8]) {
        self.write(&self.pack_path(), bytes);
    }

    pub(super) fn take_warnings(&self) -> Vec<CacheWarning> {
        self.warnings.lock().map(|mut warnings| std::mem::take(&mut *warnings)).unwrap_or_default()
    }

    /// Writes beside and renames. After the first failure nothing more is tried, and one warning says so.
    fn write(&self, path: &Path, bytes: &[u8]) {
        if !self.writable.load(Ordering::Relaxed) {
            return;
        }
        if let Err(error) = write_unsynced(path, bytes) {
            self.writable.store(false, Ordering::Relaxed);
            self.warn(CacheWarning::Unwritable(error));
        }
    }

    fn warn(&self, warning: CacheWarning) {
        if let Ok(mut warnings) = self.warnings.lock() {
            warnings.push(warning);
        }
    }
}

/// Replaces a file in one step that need not survive a power cut.
fn write_unsynced(path: &Path, bytes: &[u8]) -> fs::Result<()> {
    let temporary = fs::temporary_name(path);
    let written = fs::draft(&temporary, bytes).or_else(|error| match error.is_not_found() {
        true => fs::create_dirs(fs::parent(path)).and_then(|()| fs::draft(&temporary, bytes)),
        false => Err(error),
    });
    written.and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}
