//! From a file that someone named to one whose size and digest are known. All later reading goes through the
//! descriptor that was hashed, so a file put in its place afterwards is never seen.

use super::caps::{BUFFER, MAX_PACKED};
use super::error::ArchiveError;
use crate::store::fs::FsError;
use pintle_manifest::{Digest, Hasher};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// How many bytes of a wrong file an error carries.
const START: usize = 256;

/// Holds an open file of which nothing is known yet.
#[derive(Debug)]
pub struct Archive {
    file: File,
    path: PathBuf,
    size: u64,
}

/// Says what the bytes of an archive must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    /// The digest of all its bytes.
    pub archive: Digest,
    /// Their number.
    pub size: u64,
}

/// Holds an open archive whose bytes were hashed. What is in it is still unknown.
#[derive(Debug)]
pub struct Verified {
    file: File,
    path: PathBuf,
    size: u64,
    digest: Digest,
}

impl Archive {
    /// Opens a regular file of at most [`MAX_PACKED`] bytes.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let file = open_for_reading(path)?;
        let metadata = file.metadata().map_err(FsError::new("look at", path))?;
        if !metadata.is_file() {
            return Err(ArchiveError::NotAFile { path: path.to_owned() });
        }
        Ok(Self { file, path: path.to_owned(), size: metadata.len() })
    }

    /// Hashes the archive and compares it with what was stated.
    pub fn verify(self, expected: &Expected) -> Result<Verified, ArchiveError> {
        if self.size != expected.size {
            let (expected, actual, start) = (expected.size, self.size, self.start()?);
            return Err(ArchiveError::WrongSize { expected, actual, start });
        }
        let start = self.start()?;
        let verified = self.measure()?;
        match verified.digest == expected.archive {
            true => Ok(verified),
            false => {
                let (expected, actual) = (expected.archive, verified.digest);
                Err(ArchiveError::WrongDigest { expected, actual, start })
            }
        }
    }

    /// Hashes an archive about which nothing was stated, such as a file that a person names.
    pub fn measure(self) -> Result<Verified, ArchiveError> {
        if self.size == 0 {
            return Err(ArchiveError::Empty { path: self.path });
        }
        if self.size > MAX_PACKED {
            return Err(ArchiveError::PackedTooLarge { actual: self.size, most: MAX_PACKED });
        }
        let (mut hasher, mut buffer, mut at) = (Hasher::default(), vec![0; BUFFER], 0);
        while at < self.size {
            let most = usize::try_from(self.size - at).unwrap_or(BUFFER).min(BUFFER);
            match read_at(&self.file, &mut buffer[..most], at).map_err(FsError::new("read", &self.path))? {
                0 => return Err(ArchiveError::Truncated),
                read => {
                    hasher.update(&buffer[..read]);
                    at += read as u64;
                }
            }
        }
        Ok(Verified { file: self.file, path: self.path, size: self.size, digest: hasher.finish() })
    }

    fn start(&self) -> Result<Vec<u8>, ArchiveError> {
        first_bytes(&self.file, &self.path, START)
    }
}

impl Verified {
    /// Returns the digest of all bytes of the archive.
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the number of bytes of the archive.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Returns where the archive was when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the first bytes.
    pub(super) fn start(&self, most: usize) -> Result<Vec<u8>, ArchiveError> {
        first_bytes(&self.file, &self.path, most)
    }

    /// Reads the archive from its start, and never more of it than was hashed.
    pub(super) const fn reader(&self) -> FromStart<'_> {
        FromStart { file: &self.file, at: 0, end: self.size }
    }
}

/// Reads a file by position, so that several readers of one descriptor don't disturb each other.
#[derive(Debug)]
pub(super) struct FromStart<'a> {
    file: &'a File,
    at: u64,
    end: u64,
}

impl io::Read for FromStart<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.end - self.at).unwrap_or(usize::MAX).min(buffer.len());
        let read = read_at(self.file, &mut buffer[..most], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

fn first_bytes(file: &File, path: &Path, most: usize) -> Result<Vec<u8>, ArchiveError> {
    let mut start = vec![0; most];
    let mut filled = 0;
    while filled < most {
        let read = read_at(file, &mut start[filled..], filled as u64).map_err(FsError::new("read", path))?;
        if read == 0 {
            break;
        }
        filled += read;
    }
    start.truncate(filled);
    Ok(start)
}

/// Opens without waiting for the other end, should it be a pipe.
fn open_for_reading(path: &Path) -> Result<File, FsError> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    options.open(path).map_err(FsError::new("open", path))
}

fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    loop {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(file, buffer, at);
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(file, buffer, at);
        match read {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}
