//! One registry, to be read. Asks for its head once; everything else is read when it is needed, from the cache if
//! it has it. Decides nothing: which release to take is the resolver's to say.

use super::cache::{Cache, CacheWarning};
use super::candidate::{self, Candidates, Interner};
use super::document;
use super::error::{Identity, IndexError};
use super::format::FormatError;
use super::head::Head;
use super::object::Kind;
use super::pack::{Pack, Packed};
use super::package::{Package, Release};
use super::registry_name::RegistryName;
use super::snapshot::Snapshot;
use super::source::{Reach, Source, Traffic};
use super::transport::{DirectoryTransport, Transport};
use pintle_manifest::{Digest, Name, Version};
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Reads one registry, as it was when it was opened.
///
/// If the registry moves on meanwhile and collects an object that is still needed, the head is read once more; what
/// was handed out before stays as it was, and since releases are only ever added, both are true together.
pub struct Registry {
    source: Source,
    state: Mutex<State>,
}

struct State {
    snapshot: Snapshot,
    moved: bool,
    pack: Option<Pack>,
    interner: Interner,
    known: HashMap<Name, Known>,
}

/// What was found out about a name. Names that are not there are known too.
#[derive(Default, Clone)]
struct Known {
    place: Option<Place>,
    package: Option<Arc<Package>>,
    candidates: Option<Arc<Candidates>>,
}

/// Which document a name has, and which bin said so.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    document: Digest,
    bin: Digest,
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry").field("identity", &self.source.identity).finish_non_exhaustive()
    }
}

impl Registry {
    /// Opens the registry in a directory and reads its head; offline, the head that was seen last.
    pub fn open(
        name: RegistryName,
        location: &Path,
        cache: Option<&Path>,
        offline: bool,
    ) -> Result<Self, IndexError> {
        let reach = if offline { Reach::Offline } else { Reach::Online };
        Self::open_with(name, Box::new(DirectoryTransport::new(location)), cache, reach)
    }

    /// Opens a registry by any transport.
    pub(super) fn open_with(
        registry: RegistryName,
        transport: Box<dyn Transport>,
        cache: Option<&Path>,
        reach: Reach,
    ) -> Result<Self, IndexError> {
        let identity = Identity { registry, location: transport.location() };
        let cache = cache.map(|root| Cache::new(root, &identity));
        let source = Source::new(identity, transport, cache, reach);
        let snapshot = Snapshot::read(&source)?;
        let state = State {
            snapshot,
            moved: false,
            pack: None,
            interner: Interner::default(),
            known: HashMap::new(),
        };
        Ok(Self { source, state: Mutex::new(state) })
    }

    /// Returns the name it goes by.
    pub fn name(&self) -> &RegistryName {
        &self.source.identity.registry
    }

    /// Returns where it is.
    pub fn location(&self) -> &str {
        &self.source.identity.location
    }

    /// Returns the head that is read from.
    pub fn head(&self) -> Head {
        self.lock().snapshot.head.clone()
    }

    /// Returns every name, sorted.
    pub fn names(&self) -> Result<Vec<Name>, IndexError> {
        self.read(|source, state| state.snapshot.names(source))
    }

    /// Tells whether there is a package of this name.
    pub fn contains(&self, name: &Name) -> Result<bool, IndexError> {
        self.read(|source, state| state.place(source, name)).map(|place| place.is_some())
    }

    /// Returns all that was released under a name; `None` if nothing ever was.
    pub fn package(&self, name: &Name) -> Result<Option<Arc<Package>>, IndexError> {
        self.read(|source, state| state.package(source, name))
    }

    /// Returns the releases of a package as far as choosing needs them, which is much faster than all of it.
    pub fn candidates(&self, name: &Name) -> Result<Option<Arc<Candidates>>, IndexError> {
        self.read(|source, state| state.candidates(source, name))
    }

    /// Returns one release in full, without reading the others if it can.
    pub fn release(&self, name: &Name, version: &Version) -> Result<Option<Release>, IndexError> {
        self.read(|source, state| state.release(source, name, version))
    }

    /// Opens an archive to be read from front to back. Its bytes are not checked here: whoever reads it hashes it.
    pub fn open_archive(&self, archive: &Digest) -> Result<Box<dyn Read + Send>, IndexError> {
        self.source.open(Kind::Archive, archive)
    }

    /// Returns a readme, checked.
    pub fn readme(&self, readme: &Digest) -> Result<Vec<u8>, IndexError> {
        self.source.object(Kind::Archive, readme)
    }

    /// Returns what was read so far.
    pub fn traffic(&self) -> Traffic {
        self.source.traffic()
    }

    /// Returns what was wrong with the cache since this was last asked. Nothing failed for it.
    pub fn take_warnings(&self) -> Vec<CacheWarning> {
        self.source.cache.as_ref().map(Cache::take_warnings).unwrap_or_default()
    }

    /// Keeps the packages that were used in one file, to be fast next time. To be called once, at the end.
    pub fn save_cache(&self) {
        let Some(cache) = &self.source.cache else { return };
        let mut state = self.lock();
        let (used, kept) = state.packed();
        if !used.is_empty() {
            let pack = state.pack.take().unwrap_or_default();
            cache.keep_pack(&pack.with(used, &kept));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does a piece of work, once more if the registry moved on in the midst of it.
    fn read<T>(&self, work: impl Fn(&Source, &mut State) -> Result<T, IndexError>) -> Result<T, IndexError> {
        let mut state = self.lock();
        match work(&self.source, &mut state) {
            Err(IndexError::Incomplete { .. }) if state.move_on(&self.source)? => {
                work(&self.source, &mut state)
            }
            done => done,
        }
    }
}

impl State {
    /// Takes the registry's present head, if it has another; once at most.
    fn move_on(&mut self, source: &Source) -> Result<bool, IndexError> {
        if std::mem::replace(&mut self.moved, true) {
            return Ok(false);
        }
        let Some(newer) = self.snapshot.read_newer(source)? else { return Ok(false) };
        self.snapshot = newer;
        self.known.retain(|_, known| known.package.is_some() || known.candidates.is_some());
        Ok(true)
    }

    fn pack(&mut self, source: &Source) -> &mut Pack {
        self.pack.get_or_insert_with(|| {
            source.cache.as_ref().map(|cache| Pack::open(&cache.pack_path())).unwrap_or_default()
        })
    }

    fn place(&mut self, source: &Source, name: &Name) -> Result<Option<Place>, IndexError> {
        if let Some(known) = self.known.get(name) {
            return Ok(known.place);
        }
        let place = match self.snapshot.bin_of(source, name).map_err(|error| named(error, name))? {
            None => None,
            Some(bin) => match self.pack(source).get(name).filter(|entry| entry.bin == bin) {
                Some(entry) => Some(Place { document: entry.document, bin }),
                None => {
                    let located = self.snapshot.locate(source, name).map_err(|error| named(error, name))?;
                    located.map(|located| Place { document: located.document, bin })
                }
            },
        };
        self.known.insert(name.clone(), Known { place, ..Known::default() });
        Ok(place)
    }

    fn package(&mut self, source: &Source, name: &Name) -> Result<Option<Arc<Package>>, IndexError> {
        let Some(Place { document: digest, .. }) = self.place(source, name)? else { return Ok(None) };
        if let Some(package) = self.known.get(name).and_then(|known| known.package.clone()) {
            return Ok(Some(package));
        }
        let bytes = source.object(Kind::Package, &digest).map_err(|error| named(error, name))?;
        let package = Arc::new(read_document(source, name, digest, &bytes)?);
        self.known.entry(name.clone()).or_default().package = Some(Arc::clone(&package));
        Ok(Some(package))
    }

    fn candidates(&mut self, source: &Source, name: &Name) -> Result<Option<Arc<Candidates>>, IndexError> {
        let Some(place) = self.place(source, name)? else { return Ok(None) };
        if let Some(candidates) = self.known.get(name).and_then(|known| known.candidates.clone()) {
            return Ok(Some(candidates));
        }
        let candidates = match self.packed_candidates(source, name, place) {
            Some(candidates) => candidates,
            None => {
                let Some(package) = self.package(source, name)? else { return Ok(None) };
                let bytes = candidate::write(&package, &vec![0; package.releases.len()]);
                candidate::read(&bytes, &mut self.interner)
                    .map_err(|error| source.identity.bad_object(Kind::Package, place.document, error))?
            }
        };
        let candidates = Arc::new(candidates);
        self.known.entry(name.clone()).or_default().candidates = Some(Arc::clone(&candidates));
        Ok(Some(candidates))
    }

    fn packed_candidates(&mut self, source: &Source, name: &Name, place: Place) -> Option<Candidates> {
        self.pack(source);
        let Self { pack: Some(pack), interner, .. } = self else { return None };
        let entry = pack.get(name).filter(|entry| entry.document == place.document)?;
        pack.candidates(entry, interner).ok()
    }

    fn release(
        &mut self,
        source: &Source,
        name: &Name,
        version: &Version,
    ) -> Result<Option<Release>, IndexError> {
        let Some(place) = self.place(source, name)? else { return Ok(None) };
        let whole = self.known.get(name).is_some_and(|known| known.package.is_some());
        if !whole
            && let Some(entry) = self.pack(source).get(name).cloned().filter(|e| e.document == place.document)
            && let Some(candidates) = self.candidates(source, name)?
        {
            if candidates.get(version).is_none() {
                return Ok(None);
            }
            if let Some(release) = self.pack(source).release(&entry, &candidates, version) {
                return Ok(Some(release));
            }
        }
        Ok(self.package(source, name)?.and_then(|package| package.release(version).cloned()))
    }

    /// Returns what the pack has not got yet of what was used, and what it has of it.
    fn packed(&mut self) -> (BTreeMap<Name, Packed>, Vec<Name>) {
        let (mut used, mut kept) = (BTreeMap::new(), Vec::new());
        for (name, known) in &self.known {
            let Some(place) = known.place else { continue };
            let entry = self.pack.as_ref().and_then(|pack| pack.get(name));
            match (&known.package, entry) {
                (_, Some(entry)) if entry.document == place.document && entry.bin == place.bin => {
                    kept.push(name.clone());
                }
                (Some(package), _) => {
                    used.insert(name.clone(), Packed::of(package, place.document, place.bin));
                }
                (None, Some(entry)) if entry.document == place.document && known.candidates.is_some() => {
                    // The package did not change, but another one of its bin did.
                    let packed = self.pack.as_mut().and_then(|pack| pack.packed(name, place.bin));
                    used.extend(packed.map(|packed| (name.clone(), packed)));
                }
                (None, _) => {}
            }
        }
        kept.sort();
        (used, kept)
    }
}

/// Reads a package document and refuses one of another package.
pub(super) fn read_document(
    source: &Source,
    name: &Name,
    digest: Digest,
    bytes: &[u8],
) -> Result<Package, IndexError> {
    let bad = |error| source.identity.bad_object(Kind::Package, digest, error);
    let package = document::parse(bytes).map_err(bad)?;
    match package.name == *name {
        true => Ok(package),
        false => Err(bad(FormatError::Malformed(format!("it is of `{}`, not of `{name}`", package.name)))),
    }
}

/// Says for which package something was needed that offline can't be had.
fn named(error: IndexError, name: &Name) -> IndexError {
    match error {
        IndexError::NotCached { registry, kind, what: _ } => {
            IndexError::NotCached { registry, kind, what: format!("of `{name}`") }
        }
        other => other,
    }
}
