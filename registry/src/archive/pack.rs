//! Writes an archive. The same files give the same bytes, whatever the day, the place, the owner or the umask.

use super::caps::{BLOCK, BUFFER, MAX_FILES, MAX_PACKED, MAX_UNPACKED};
use super::header;
use super::names::{Collision, Names};
use super::tree::{FileEntry, Mode, Tree};
use crate::store::fs::FsError;
use flate2::{Compression, GzBuilder};
use pintle_manifest::{Digest, Hasher, PackagePath};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

/// Names a file to pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// What it is called in the package.
    pub path: PackagePath,
    /// Where its bytes are.
    pub from: PathBuf,
    /// Whether it may be run.
    pub executable: bool,
}

/// Describes an archive that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// The digest of its bytes.
    pub archive: Digest,
    /// Their number.
    pub size: u64,
    /// The files in it.
    pub tree: Tree,
}

/// Says why an archive could not be written.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// There is nothing to pack.
    #[error("there are no files to pack")]
    NoFiles,
    /// More files than an archive may hold.
    #[error("there are {actual} files, at most {most} are allowed", most = MAX_FILES)]
    TooManyFiles {
        /// Their number.
        actual: usize,
    },
    /// Two paths that can't stand beside each other.
    #[error(transparent)]
    Collision(#[from] Collision),
    /// A file could not be read.
    #[error(transparent)]
    Disk(#[from] FsError),
    /// A directory, a pipe or a device.
    #[error("`{}` is not a regular file", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
    },
    /// The file has another size than when it was opened.
    #[error("`{}` was changed while it was read", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The files have more bytes than an archive may hold.
    #[error("the files have more than {most} bytes, at `{}`", path.display(), most = MAX_UNPACKED)]
    UnpackedTooLarge {
        /// The file that passes the bound.
        path: PathBuf,
    },
    /// The archive has more bytes than an archive may have.
    #[error("the archive has more than {most} bytes", most = MAX_PACKED)]
    PackedTooLarge,
    /// The archive could not be written.
    #[error("failed to write the archive")]
    Write {
        /// What the writer said.
        #[source]
        source: io::Error,
    },
}

/// Packs files, in order of their paths, and says what was written.
pub fn pack(files: &[SourceFile], out: impl Write) -> Result<Packed, PackError> {
    let files = in_order(files)?;
    let out = Measured { out, hasher: Hasher::default(), size: 0 };
    let mut out = GzBuilder::new().mtime(0).operating_system(255).write(out, Compression::best());
    let mut entries = Vec::with_capacity(files.len());
    let (mut buffer, mut unpacked) = (vec![0; BUFFER], 0);
    for file in files {
        let entry = append(file, &mut out, &mut buffer, unpacked)?;
        unpacked += entry.size;
        if out.get_ref().size > MAX_PACKED {
            return Err(PackError::PackedTooLarge);
        }
        entries.push((file.path.clone(), entry));
    }
    let written = out.write_all(&[0; 2 * BLOCK]).and_then(|()| out.finish()).and_then(|mut out| {
        out.flush()?;
        Ok(out)
    });
    let written = written.map_err(|source| PackError::Write { source })?;
    if written.size > MAX_PACKED {
        return Err(PackError::PackedTooLarge);
    }
    Ok(Packed { archive: written.hasher.finish(), size: written.size, tree: Tree::new(entries) })
}

fn in_order(files: &[SourceFile]) -> Result<Vec<&SourceFile>, PackError> {
    if files.is_empty() {
        return Err(PackError::NoFiles);
    }
    if files.len() as u64 > MAX_FILES {
        return Err(PackError::TooManyFiles { actual: files.len() });
    }
    let mut files: Vec<_> = files.iter().collect();
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let mut names = Names::default();
    for file in &files {
        names.add(&file.path)?;
    }
    Ok(files)
}

fn append(
    file: &SourceFile,
    out: &mut impl Write,
    buffer: &mut [u8],
    before: u64,
) -> Result<FileEntry, PackError> {
    let (mut from, size) = open(&file.from)?;
    if before.saturating_add(size) > MAX_UNPACKED {
        return Err(PackError::UnpackedTooLarge { path: file.from.clone() });
    }
    let mode = if file.executable { Mode::Executable } else { Mode::Plain };
    let mut write = |bytes: &[u8]| out.write_all(bytes).map_err(|source| PackError::Write { source });
    write(header::encode(&file.path, mode, size).as_bytes())?;
    let (mut hasher, mut done) = (Hasher::default(), 0);
    loop {
        let read = match from.read(buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(FsError::new("read", &file.from)(error).into()),
        };
        done += read as u64;
        if done > size {
            break;
        }
        hasher.update(&buffer[..read]);
        write(&buffer[..read])?;
    }
    if done != size {
        return Err(PackError::Changed { path: file.from.clone() });
    }
    let padding = size.next_multiple_of(BLOCK as u64) - size;
    write(&[0; BLOCK][..usize::try_from(padding).expect("padding is less than a block")])?;
    Ok(FileEntry { mode, size, digest: hasher.finish() })
}

/// Opens a regular file, following no link and waiting for no pipe, and returns its size.
fn open(path: &Path) -> Result<(File, u64), PackError> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed());
    }
    let file = options.open(path).map_err(FsError::new("open", path))?;
    let metadata = file.metadata().map_err(FsError::new("look at", path))?;
    match metadata.is_file() {
        true => Ok((file, metadata.len())),
        false => Err(PackError::NotAFile { path: path.to_owned() }),
    }
}

/// Counts and hashes what passes.
struct Measured<W> {
    out: W,
    hasher: Hasher,
    size: u64,
}

impl<W: Write> Write for Measured<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
