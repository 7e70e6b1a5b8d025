//! Why an archive is refused. Every kind has a variant of its own; names that came out of an archive are printed
//! only through [`Untrusted`].

use super::names::Collision;
use crate::store::fs::FsError;
use pintle_manifest::{Digest, PackagePath, PathError, Untrusted};
use std::io;
use std::path::PathBuf;

/// Says why an archive was refused, or what failed while it was read or unpacked.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The disk failed.
    #[error(transparent)]
    Disk(#[from] FsError),
    /// The path names a directory, a pipe or a device.
    #[error("`{}` is not a regular file", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
    },
    /// The file has no bytes.
    #[error("`{}` is empty", path.display())]
    Empty {
        /// The archive.
        path: PathBuf,
    },
    /// The file is larger than any archive may be.
    #[error("the archive has {actual} bytes, at most {most} are allowed")]
    PackedTooLarge {
        /// Its size.
        actual: u64,
        /// [`MAX_PACKED`](super::MAX_PACKED).
        most: u64,
    },
    /// The file has another size than was stated.
    #[error("the archive has {actual} bytes where {expected} were stated")]
    WrongSize {
        /// The size that was stated.
        expected: u64,
        /// The size it has.
        actual: u64,
        /// Its first bytes, which tell an error page from a cut download.
        start: Vec<u8>,
    },
    /// The file has another digest than was stated.
    #[error("the archive has the digest `{actual}` where `{expected}` was stated")]
    WrongDigest {
        /// The digest that was stated.
        expected: Digest,
        /// The digest it has.
        actual: Digest,
        /// Its first bytes.
        start: Vec<u8>,
    },
    /// The file is something else.
    #[error("this is not a gzip file")]
    NotGzip {
        /// Its first bytes.
        start: Vec<u8>,
    },
    /// A gzip file, with a name, a time or a flag in its header.
    #[error("the gzip header is not the one that every package has")]
    GzipHeader,
    /// The compressed data is damaged, or its checksum does not match.
    #[error("the compressed data is damaged")]
    Compressed {
        /// What the decoder said.
        #[source]
        source: io::Error,
    },
    /// The archive ends too soon.
    #[error("the archive is cut short")]
    Truncated,
    /// A second gzip member follows, which some readers show and others hide.
    #[error("a second gzip member follows the first")]
    SecondMember,
    /// Bytes follow the gzip member.
    #[error("bytes follow the end of the compressed data")]
    AfterGzip,
    /// There is one zero block where two end an archive.
    #[error("a single zero block stands where two end the archive")]
    LoneZeroBlock,
    /// The archive stops without two zero blocks.
    #[error("the archive does not end with two zero blocks")]
    NoEnd,
    /// Something follows the two zero blocks.
    #[error("data follows the end of the archive")]
    AfterEnd,
    /// There is no file in it.
    #[error("the archive holds no files")]
    NoFiles,
    /// More files than any archive, or this one by its record, may hold.
    #[error("the archive holds more than {most} files")]
    TooManyFiles {
        /// The number allowed or stated.
        most: u64,
    },
    /// More bytes than any archive, or this one by its record, may hold.
    #[error("the archive holds more than {most} bytes, at `{entry}`")]
    UnpackedTooLarge {
        /// The entry that passes the bound.
        entry: EntryName,
        /// The number of bytes allowed or stated.
        most: u64,
    },
    /// One entry is not as every entry is.
    #[error("the entry `{entry}` is refused: {refusal}")]
    Entry {
        /// Which entry.
        entry: EntryName,
        /// Why.
        refusal: Refusal,
    },
    /// A file that is read whole is larger than it may be.
    #[error("`{path}` has {actual} bytes, at most {most} are allowed")]
    FileTooLarge {
        /// The file.
        path: PackagePath,
        /// Its size.
        actual: u64,
        /// The number allowed.
        most: u64,
    },
    /// The files are not those that the release was made of.
    #[error("the files have the tree hash `{actual}` where `{expected}` was stated")]
    WrongTree {
        /// The tree hash that was stated.
        expected: Digest,
        /// The tree hash they have.
        actual: Digest,
    },
    /// The caller asked to stop.
    #[error("unpacking was cancelled")]
    Cancelled,
}

/// Says what is wrong with one entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A symbolic link.
    #[error("it is a symbolic link")]
    Symlink,
    /// A hard link.
    #[error("it is a hard link")]
    HardLink,
    /// A directory.
    #[error("it is a directory; directories follow from the paths of files")]
    Directory,
    /// A character or block device.
    #[error("it is a device")]
    Device,
    /// A named pipe.
    #[error("it is a named pipe")]
    Fifo,
    /// A PAX header, for one entry or for all.
    #[error("it is a PAX header")]
    Pax,
    /// A GNU long name or long link.
    #[error("it is a GNU long name")]
    GnuLongName,
    /// A sparse file.
    #[error("it is a sparse file")]
    Sparse,
    /// Any other type.
    #[error("it has the unknown type `{}`", kind.escape_ascii())]
    UnknownType {
        /// The byte that names the type.
        kind: u8,
    },
    /// The checksum of the header is wrong.
    #[error("the checksum of its header is wrong")]
    Checksum,
    /// The header is of another tar format.
    #[error("its header is not a ustar header")]
    Magic,
    /// The path is not one that a package may hold.
    #[error("{0}")]
    Path(PathError),
    /// The mode is neither 0644 nor 0755.
    #[error("its mode is neither 0644 nor 0755")]
    Mode,
    /// User or group is not 0.
    #[error("its owner is not 0")]
    Owner,
    /// User or group has a name.
    #[error("its owner has a name")]
    OwnerName,
    /// The time is not 0.
    #[error("its time is not 0")]
    Time,
    /// The size is not written as eleven octal digits.
    #[error("its size is not written as eleven octal digits")]
    Size,
    /// The header differs elsewhere from the one that Pintle would write.
    #[error("the field `{field}` of its header is not written as it must be")]
    Field {
        /// Which field (source: the ustar format of POSIX.1-1988).
        field: &'static str,
    },
    /// The bytes that fill its last block are not zero.
    #[error("the bytes that fill its last block are not zero")]
    Padding,
    /// It does not come after the entry before it.
    #[error("it is out of order, after `{before}`")]
    Order {
        /// The entry before it.
        before: PackagePath,
    },
    /// The same path twice.
    #[error("it is there twice")]
    Duplicate,
    /// It and another path can't both exist on every file system.
    #[error("{0}")]
    Collision(Collision),
}

/// Holds the name of an entry as it stands in an archive; it is escaped when printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryName(Vec<u8>);

impl EntryName {
    /// Wraps the bytes of a name, as they were found.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// Returns the bytes, which need not be UTF-8 and may hold anything.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Display for EntryName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for chunk in self.0.utf8_chunks() {
            write!(f, "{}{}", Untrusted(chunk.valid()), chunk.invalid().escape_ascii())?;
        }
        Ok(())
    }
}

impl ArchiveError {
    /// Makes the refusal of one entry.
    pub(super) fn entry(name: impl Into<Vec<u8>>, refusal: Refusal) -> Self {
        Self::Entry { entry: EntryName::new(name), refusal }
    }

    /// Returns the entry that is to blame, if one is.
    pub const fn blamed(&self) -> Option<&EntryName> {
        match self {
            Self::Entry { entry, .. } | Self::UnpackedTooLarge { entry, .. } => Some(entry),
            Self::Disk(_)
            | Self::NotAFile { .. }
            | Self::Empty { .. }
            | Self::PackedTooLarge { .. }
            | Self::WrongSize { .. }
            | Self::WrongDigest { .. }
            | Self::NotGzip { .. }
            | Self::GzipHeader
            | Self::Compressed { .. }
            | Self::Truncated
            | Self::SecondMember
            | Self::AfterGzip
            | Self::LoneZeroBlock
            | Self::NoEnd
            | Self::AfterEnd
            | Self::NoFiles
            | Self::TooManyFiles { .. }
            | Self::FileTooLarge { .. }
            | Self::WrongTree { .. }
            | Self::Cancelled => None,
        }
    }

    /// Returns the stable code of this kind, `archive.` and a word; `None` where the disk or the caller is the cause.
    pub const fn code(&self) -> Option<&'static str> {
        Some(match self {
            Self::Disk(_) | Self::Cancelled => return None,
            Self::NotAFile { .. } => "archive.not_a_file",
            Self::Empty { .. } => "archive.empty",
            Self::PackedTooLarge { .. } => "archive.packed_size",
            Self::WrongSize { .. } => "archive.wrong_size",
            Self::WrongDigest { .. } => "archive.wrong_digest",
            Self::NotGzip { .. } => "archive.not_gzip",
            Self::GzipHeader => "archive.gzip_header",
            Self::Compressed { .. } => "archive.damaged",
            Self::Truncated => "archive.truncated",
            Self::SecondMember => "archive.second_member",
            Self::AfterGzip => "archive.after_gzip",
            Self::LoneZeroBlock => "archive.lone_zero_block",
            Self::NoEnd => "archive.no_end",
            Self::AfterEnd => "archive.after_end",
            Self::NoFiles => "archive.no_files",
            Self::TooManyFiles { .. } => "archive.too_many_files",
            Self::UnpackedTooLarge { .. } => "archive.unpacked_size",
            Self::FileTooLarge { .. } => "archive.file_size",
            Self::WrongTree { .. } => "archive.wrong_tree",
            Self::Entry { refusal, .. } => refusal.code(),
        })
    }
}

impl Refusal {
    /// Returns the stable code of this kind, `archive.` and a word.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Symlink | Self::HardLink => "archive.link",
            Self::Directory => "archive.directory",
            Self::Device => "archive.device",
            Self::Fifo => "archive.fifo",
            Self::Pax => "archive.pax",
            Self::GnuLongName => "archive.gnu_long_name",
            Self::Sparse => "archive.sparse",
            Self::UnknownType { .. } => "archive.unknown_type",
            Self::Checksum => "archive.checksum",
            Self::Magic => "archive.magic",
            Self::Path(_) => "archive.path",
            Self::Mode => "archive.mode",
            Self::Owner | Self::OwnerName => "archive.owner",
            Self::Time => "archive.time",
            Self::Size => "archive.size",
            Self::Field { .. } => "archive.field",
            Self::Padding => "archive.padding",
            Self::Order { .. } => "archive.order",
            Self::Duplicate => "archive.duplicate",
            Self::Collision(_) => "archive.collision",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EntryName;

    #[test]
    fn names_from_an_archive_are_printed_escaped() {
        let check = |bytes: &[u8], expected: &str| assert_eq!(EntryName::new(bytes).to_string(), expected);
        check(b"plain/name", "plain/name");
        check(b"a\nb\x1b[2Jc\0d", "a\\u{a}b\\u{1b}[2Jc\\u{0}d");
        check(b"\xff\xfe", "\\xff\\xfe");
    }
}
