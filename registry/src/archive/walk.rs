//! The one loop over the entries of an archive. Everything that can be refused without a disk is refused here,
//! before a sink hears of it; every byte is hashed on its way to the sink.

use super::caps::{BLOCK, MAX_FILES, MAX_UNPACKED};
use super::error::{ArchiveError, EntryName, Refusal};
use super::header::{self, Entry};
use super::names::{Collision, Names};
use super::stream::Stream;
use super::tree::{FileEntry, Mode, Tree};
use super::verify::Verified;
use pintle_manifest::{Hasher, PackagePath};

/// Takes the files of an archive, one after the other, in order of their paths.
pub(super) trait Sink {
    /// A file begins. Its path, mode and place among the others were checked.
    fn begin(&mut self, path: &PackagePath, mode: Mode, size: u64) -> Result<(), ArchiveError>;
    /// Some of its bytes.
    fn write(&mut self, bytes: &[u8]) -> Result<(), ArchiveError>;
    /// It ends; all its bytes were written.
    fn end(&mut self) -> Result<(), ArchiveError>;
}

/// Bounds what an archive may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) files: u64,
    pub(super) unpacked: u64,
}

impl Limits {
    /// What any archive may hold.
    pub(super) const CAPS: Self = Self { files: MAX_FILES, unpacked: MAX_UNPACKED };
}

/// Reads an archive to its very end, and hands its files to the sink.
pub(super) fn walk(archive: &Verified, limits: Limits, sink: &mut impl Sink) -> Result<Tree, ArchiveError> {
    let mut stream = Stream::new(archive)?;
    let mut order = Order::default();
    let mut files: Vec<(PackagePath, FileEntry)> = Vec::new();
    let mut unpacked = 0_u64;
    while let Some(entry) = next_entry(&mut stream)? {
        if files.len() as u64 == limits.files {
            return Err(ArchiveError::TooManyFiles { most: limits.files });
        }
        unpacked = unpacked.saturating_add(entry.size);
        if unpacked > limits.unpacked {
            let entry = EntryName::new(entry.path.as_str());
            return Err(ArchiveError::UnpackedTooLarge { entry, most: limits.unpacked });
        }
        order
            .check(files.last().map(|(path, _)| path), &entry.path)
            .map_err(|refusal| ArchiveError::entry(entry.path.as_str(), refusal))?;
        files.push(copy_file(&mut stream, entry, sink)?);
    }
    stream.finish()?;
    match files.is_empty() {
        true => Err(ArchiveError::NoFiles),
        false => Ok(Tree::new(files)),
    }
}

/// Reads the next header; `None` at the two blocks that end an archive.
fn next_entry(stream: &mut Stream<'_>) -> Result<Option<Entry>, ArchiveError> {
    let block = stream.block()?.ok_or(ArchiveError::NoEnd)?;
    if block != [0; BLOCK] {
        let refused = |refusal| ArchiveError::entry(header::name(&block), refusal);
        return header::decode(&block).map(Some).map_err(refused);
    }
    match stream.block()? {
        Some(second) if second == [0; BLOCK] => Ok(None),
        Some(_) => Err(ArchiveError::LoneZeroBlock),
        None => Err(ArchiveError::NoEnd),
    }
}

fn copy_file(
    stream: &mut Stream<'_>,
    entry: Entry,
    sink: &mut impl Sink,
) -> Result<(PackagePath, FileEntry), ArchiveError> {
    let Entry { path, mode, size } = entry;
    sink.begin(&path, mode, size)?;
    let mut hasher = Hasher::default();
    let mut left = size;
    while left > 0 {
        let chunk = stream.chunk(left)?;
        hasher.update(chunk);
        sink.write(chunk)?;
        left -= chunk.len() as u64;
    }
    let mut padding = size.next_multiple_of(BLOCK as u64) - size;
    while padding > 0 {
        let chunk = stream.chunk(padding)?;
        if chunk.iter().any(|byte| *byte != 0) {
            return Err(ArchiveError::entry(path.as_str(), Refusal::Padding));
        }
        padding -= chunk.len() as u64;
    }
    sink.end()?;
    Ok((path, FileEntry { mode, size, digest: hasher.finish() }))
}

/// Checks each path against those before it.
#[derive(Default)]
struct Order {
    names: Names,
}

impl Order {
    fn check(&mut self, before: Option<&PackagePath>, path: &PackagePath) -> Result<(), Refusal> {
        match before {
            Some(before) if before == path => return Err(Refusal::Duplicate),
            Some(before) if before > path => return Err(Refusal::Order { before: before.clone() }),
            Some(_) | None => {}
        }
        self.names.add(path).map_err(|collision| match collision {
            Collision::Same { .. } => Refusal::Duplicate,
            Collision::Case { .. } | Collision::FileAndDirectory { .. } => Refusal::Collision(collision),
        })
    }
}
