//! `pack-v1`, format 1: one file in the cache with the packages that were used lately, so that a warm resolution
//! opens one file instead of a thousand.
//!
//! The letters `PTLP`, the format, the length of the first part in 8 bytes (lowest first), its sha256; then the
//! first part, which choosing needs; then the full records. In the first part, for each package: the digest of its
//! document, the digest of the bin that said so, its name, the lengths of its candidates and of its records, its
//! candidates. A record is 8 bytes of its sha256, then the record as it stands in the package document.
//!
//! That a bin names a document, and what a document says, are facts that never change, so an entry is right for
//! as long as the table names its bin. A pack is made from checked objects and guards against rot; it does not
//! guard against someone who may write to the user's cache, any more than the store does.

use super::candidate::{self, Candidates, Interner};
use super::cursor::{Cursor, put_text, put_varint};
use super::document;
use super::format::FormatError;
use super::package::{Package, Release};
use crate::store::fs;
use pintle_manifest::{Digest, Name, Version};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;

pub(super) const FILE: &str = "pack-v1";
const MAGIC: [u8; 4] = *b"PTLP";
const FORMAT: u8 = 1;
const HEADER: usize = 4 + 1 + 8 + 32;
/// The most bytes of a pack; what was not used this time is left out first.
const MOST: u64 = 24 << 20;
const CHECK: u64 = 8;

/// Holds the first part of a pack, and the file to read records from.
#[derive(Debug, Default)]
pub(super) struct Pack {
    file: Option<File>,
    first: Vec<u8>,
    records_at: u64,
    entries: BTreeMap<Name, Entry>,
}

/// One package of a pack.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) document: Digest,
    pub(super) bin: Digest,
    candidates: Range<usize>,
    records: Range<u64>,
}

/// One package on its way into a pack.
pub(super) struct Packed {
    pub(super) document: Digest,
    pub(super) bin: Digest,
    pub(super) candidates: Vec<u8>,
    pub(super) records: Vec<u8>,
}

impl Pack {
    /// Opens a pack; one that is missing, damaged or of another format is an empty one.
    pub(super) fn open(path: &Path) -> Self {
        Self::read(path).unwrap_or_default()
    }

    fn read(path: &Path) -> Option<Self> {
        let mut file = fs::open_regular(path).ok()?;
        let mut header = [0; HEADER];
        file.read_exact(&mut header).ok()?;
        let mut cursor = Cursor::begin(&header, MAGIC, FORMAT).ok()?;
        let length = u64::from_le_bytes(cursor.take(8).ok()?.try_into().ok()?);
        let digest = cursor.digest().ok()?;
        if length > MOST {
            return None;
        }
        let mut first = Vec::with_capacity(usize::try_from(length).ok()?);
        (&mut file).take(length).read_to_end(&mut first).ok()?;
        if first.len() as u64 != length || Digest::of(&first) != digest {
            return None;
        }
        let entries = read_entries(&first).ok()?;
        Some(Self { file: Some(file), first, records_at: HEADER as u64 + length, entries })
    }

    pub(super) fn get(&self, name: &Name) -> Option<&Entry> {
        self.entries.get(name)
    }

    /// Returns the candidates of an entry.
    pub(super) fn candidates(
        &self,
        entry: &Entry,
        interner: &mut Interner,
    ) -> Result<Candidates, FormatError> {
        candidate::read(&self.first[entry.candidates.clone()], interner)
    }

    /// Reads one full record; `None` if it is damaged.
    pub(super) fn release(
        &mut self,
        entry: &Entry,
        candidates: &Candidates,
        version: &Version,
    ) -> Option<Release> {
        let range = candidates.get(version)?.record();
        let start = entry.records.start.checked_add(range.start)?;
        let end = entry.records.start.checked_add(range.end).filter(|end| *end <= entry.records.end)?;
        let bytes = self.read_records(start..end).ok()?;
        let (check, record) = bytes.split_at_checked(CHECK as usize)?;
        if Digest::of(record).as_bytes()[..CHECK as usize] != *check {
            return None;
        }
        document::parse_release(record).ok().filter(|release| release.version == *version)
    }

    fn read_records(&mut self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        let length = range.end - range.start;
        if length > MOST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        file.seek(SeekFrom::Start(self.records_at.saturating_add(range.start)))?;
        // Asked for whole: without room a reader feels its way in small pieces, thousands of times in a large set.
        let mut bytes = Vec::with_capacity(usize::try_from(length).map_err(io::Error::other)?);
        file.take(length).read_to_end(&mut bytes)?;
        match bytes.len() as u64 == length {
            true => Ok(bytes),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Takes an entry out with another bin that says the same, to go into the next pack.
    pub(super) fn packed(&mut self, name: &Name, bin: Digest) -> Option<Packed> {
        let entry = self.entries.get(name)?.clone();
        self.repack(&entry).map(|packed| Packed { bin, ..packed })
    }

    /// Takes an entry out as it is, to go into the next pack.
    fn repack(&mut self, entry: &Entry) -> Option<Packed> {
        let records = self.read_records(entry.records.clone()).ok()?;
        let candidates = self.first[entry.candidates.clone()].to_vec();
        Some(Packed { document: entry.document, bin: entry.bin, candidates, records })
    }

    /// Returns the bytes of the next pack: what was used now, and of the rest what still fits.
    pub(super) fn with(mut self, used: BTreeMap<Name, Packed>, keep: &[Name]) -> Vec<u8> {
        let mut left = MOST;
        let mut all: BTreeMap<Name, Packed> = BTreeMap::new();
        let mut add = |name: Name, packed: Packed| {
            let size = (packed.candidates.len() + packed.records.len() + 200) as u64;
            if let Some(rest) = left.checked_sub(size) {
                left = rest;
                all.insert(name, packed);
            }
        };
        let entries = std::mem::take(&mut self.entries);
        let (first, last): (Vec<_>, Vec<_>) = entries
            .into_iter()
            .filter(|(name, _)| !used.contains_key(name))
            .partition(|(name, _)| keep.binary_search(name).is_ok());
        used.into_iter().for_each(|(name, packed)| add(name, packed));
        for (name, entry) in first.into_iter().chain(last) {
            if let Some(packed) = self.repack(&entry) {
                add(name, packed);
            }
        }
        write(&all)
    }
}

impl Packed {
    /// Packs a package.
    pub(super) fn of(package: &Package, document: Digest, bin: Digest) -> Self {
        let mut records = Vec::new();
        let mut lengths = Vec::new();
        for release in &package.releases {
            let record = document::write_release(release);
            records.extend_from_slice(&Digest::of(&record).as_bytes()[..CHECK as usize]);
            records.extend_from_slice(&record);
            lengths.push(CHECK + record.len() as u64);
        }
        Self { document, bin, candidates: candidate::write(package, &lengths), records }
    }
}

fn write(packages: &BTreeMap<Name, Packed>) -> Vec<u8> {
    let mut first = Vec::new();
    put_varint(&mut first, packages.len() as u64);
    for (name, packed) in packages {
        first.extend_from_slice(packed.document.as_bytes());
        first.extend_from_slice(packed.bin.as_bytes());
        put_text(&mut first, name.as_str());
        put_varint(&mut first, packed.candidates.len() as u64);
        put_varint(&mut first, packed.records.len() as u64);
        first.extend_from_slice(&packed.candidates);
    }
    let mut bytes = Vec::with_capacity(HEADER + first.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.push(FORMAT);
    bytes.extend_from_slice(&(first.len() as u64).to_le_bytes());
    bytes.extend_from_slice(Digest::of(&first).as_bytes());
    bytes.extend_from_slice(&first);
    packages.values().for_each(|packed| bytes.extend_from_slice(&packed.records));
    bytes
}

fn read_entries(first: &[u8]) -> Result<BTreeMap<Name, Entry>, FormatError> {
    let mut cursor = Cursor::new(first);
    let count = cursor.count()?;
    let mut entries = Vec::with_capacity(count.min(first.len() / 70));
    let mut records = 0_u64;
    for _ in 0..count {
        let (document, bin) = (cursor.digest()?, cursor.digest()?);
        let name = Name::parse(cursor.text()?).map_err(FormatError::malformed)?;
        let length = usize::try_from(cursor.varint()?).map_err(FormatError::malformed)?;
        let end = records.checked_add(cursor.varint()?);
        let end = end.ok_or_else(|| FormatError::malformed("a number is too large"))?;
        let start = first.len() - cursor.left();
        cursor.take(length)?;
        let entry = Entry { document, bin, candidates: start..start + length, records: records..end };
        entries.push((name, entry));
        records = end;
    }
    Ok(entries.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::{HEADER, Pack, Packed, write};
    use crate::index::candidate::Interner;
    use crate::index::document;
    use crate::store::fs::write_atomic;
    use pintle_manifest::Digest;

    const PACKAGE: &[u8] = include_bytes!("../../tests/fixtures/package-1.json");
    const FIXTURE: &[u8] = include_bytes!("../../tests/fixtures/pack-1.bin");

    #[test]
    fn the_first_format_is_still_read() {
        let package = document::parse(PACKAGE).unwrap();
        let packed = Packed::of(&package, Digest::of(PACKAGE), Digest::of(b"bin"));
        assert_eq!(write(&[(package.name.clone(), packed)].into()), FIXTURE);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pack-v1");
        write_atomic(&path, FIXTURE).unwrap();
        let mut pack = Pack::open(&path);
        let entry = pack.get(&package.name).unwrap().clone();
        let candidates = pack.candidates(&entry, &mut Interner::default()).unwrap();
        for release in &package.releases {
            assert_eq!(pack.release(&entry, &candidates, &release.version).as_ref(), Some(release));
        }
        let kept = pack.with([].into(), &[]);
        assert_eq!(kept, FIXTURE, "what was not used is kept while there is room");
    }

    #[test]
    fn a_damaged_pack_is_a_miss() {
        let package = document::parse(PACKAGE).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pack-v1");
        for place in 0..FIXTURE.len() {
            let mut bytes = FIXTURE.to_vec();
            bytes[place] ^= 0x20;
            std::fs::remove_file(&path).ok();
            crate::store::fs::draft(&path, &bytes).unwrap();
            let mut pack = Pack::open(&path);
            let Some(entry) = pack.get(&package.name).cloned() else { continue };
            assert!(place > HEADER, "the first part is checked as a whole");
            let candidates = pack.candidates(&entry, &mut Interner::default()).unwrap();
            let missing = package
                .releases
                .iter()
                .filter(|release| {
                    pack.release(&entry, &candidates, &release.version).as_ref() != Some(release)
                })
                .count();
            assert_eq!(missing, 1, "only the damaged record is missing, at {place}");
        }
    }
}
