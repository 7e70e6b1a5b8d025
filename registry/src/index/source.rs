//! One registry as a place to read from: the cache before the transport, every object checked against its
//! digest, every request counted. Knows no format.

use super::cache::Cache;
use super::error::{Identity, IndexError};
use super::object::Kind;
use super::transport::Transport;
use pintle_manifest::Digest;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts what was read for one [`Registry`](super::Registry).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// The requests made to the registry.
    pub requests: u64,
    /// The bytes that it sent.
    pub bytes: u64,
    /// The objects that the cache had.
    pub from_cache: u64,
}

/// Tells where objects may be read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The cache, then the registry.
    Online,
    /// The cache alone.
    Offline,
}

/// Reads the files of one registry.
pub(super) struct Source {
    pub(super) identity: Identity,
    transport: Box<dyn Transport>,
    pub(super) cache: Option<Cache>,
    pub(super) reach: Reach,
    counters: Arc<Counters>,
}

#[derive(Default)]
struct Counters {
    requests: AtomicU64,
    bytes: AtomicU64,
    from_cache: AtomicU64,
}

impl Source {
    pub(super) fn new(
        identity: Identity,
        transport: Box<dyn Transport>,
        cache: Option<Cache>,
        reach: Reach,
    ) -> Self {
        Self { identity, transport, cache, reach, counters: Arc::default() }
    }

    pub(super) fn traffic(&self) -> Traffic {
        Traffic {
            requests: self.counters.requests.load(Ordering::Relaxed),
            bytes: self.counters.bytes.load(Ordering::Relaxed),
            from_cache: self.counters.from_cache.load(Ordering::Relaxed),
        }
    }

    /// Asks the registry for its head.
    pub(super) fn head(&self) -> Result<Vec<u8>, IndexError> {
        self.counters.requests.fetch_add(1, Ordering::Relaxed);
        let bytes = self.transport.head().map_err(|error| self.identity.transport(error))?;
        self.counters.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(bytes)
    }

    /// Returns an object whole and checked. Archives are not kept in the cache.
    pub(super) fn object(&self, kind: Kind, digest: &Digest) -> Result<Vec<u8>, IndexError> {
        let cache = self.cache.as_ref().filter(|_| kind != Kind::Archive);
        if let Some(bytes) = cache.and_then(|cache| cache.object(kind, digest)) {
            self.counters.from_cache.fetch_add(1, Ordering::Relaxed);
            return Ok(bytes);
        }
        let mut bytes = Vec::new();
        let read = self.open(kind, digest)?.take(kind.most() + 1).read_to_end(&mut bytes);
        read.map_err(|error| self.identity.unreadable(error))?;
        if bytes.len() as u64 > kind.most() {
            let damage = format!("it has more than {} bytes", kind.most());
            return Err(self.identity.corrupt(kind, *digest, damage));
        }
        let actual = Digest::of(&bytes);
        if actual != *digest {
            return Err(self.identity.corrupt(kind, *digest, format!("its bytes have `{actual}`")));
        }
        if let Some(cache) = cache {
            cache.keep_object(kind, digest, &bytes);
        }
        Ok(bytes)
    }

    /// Opens an object of the registry, unchecked, to be read from front to back.
    pub(super) fn open(&self, kind: Kind, digest: &Digest) -> Result<Box<dyn Read + Send>, IndexError> {
        if self.reach == Reach::Offline {
            return Err(self.identity.not_cached(kind, format!("`{digest}`")));
        }
        self.counters.requests.fetch_add(1, Ordering::Relaxed);
        let opened = self.transport.open(kind, digest).map_err(|error| self.identity.transport(error))?;
        let reader = opened.ok_or_else(|| self.identity.incomplete(kind, *digest))?;
        Ok(Box::new(Counted { reader, counters: Arc::clone(&self.counters) }))
    }
}

/// Counts the bytes that go through it.
struct Counted {
    reader: Box<dyn Read + Send>,
    counters: Arc<Counters>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.counters.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
