//! Builds archives byte by byte, right ones and wrong ones.

use crate::archive::folder::Folder;
use pintle_registry::archive::{Archive, ArchiveError, Verified};
use std::io::Write as _;

/// A ustar header. The default is the one that Pintle writes; each test changes what it is about.
#[derive(Clone)]
pub(crate) struct Header<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) prefix: &'a [u8],
    pub(crate) size: u64,
    pub(crate) raw_size: Option<[u8; 12]>,
    pub(crate) mode: u32,
    pub(crate) kind: u8,
    pub(crate) link: &'a [u8],
    pub(crate) magic: &'a [u8; 8],
    /// Bytes to put anywhere, before the checksum is computed.
    pub(crate) patch: &'a [(usize, &'a [u8])],
}

impl Default for Header<'_> {
    fn default() -> Self {
        Self {
            name: b"a",
            prefix: b"",
            size: 0,
            raw_size: None,
            mode: 0o644,
            kind: b'0',
            link: b"",
            magic: b"ustar\x0000",
            patch: &[],
        }
    }
}

impl Header<'_> {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut block = [0; 512];
        let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, self.name);
        put(100, format!("{:07o}\0", self.mode).as_bytes());
        put(108, b"0000000\0");
        put(116, b"0000000\0");
        match self.raw_size {
            Some(raw) => put(124, &raw),
            None => put(124, format!("{:011o}\0", self.size).as_bytes()),
        }
        put(136, b"00000000000\0");
        put(148, b"        ");
        put(156, &[self.kind]);
        put(157, self.link);
        put(257, self.magic);
        put(345, self.prefix);
        for (at, bytes) in self.patch {
            put(*at, bytes);
        }
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:07o}\0").as_bytes());
        block.to_vec()
    }
}

/// Fills the last block with zeros.
pub(crate) fn pad(data: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    data.resize(data.len().next_multiple_of(512), 0);
    data
}

/// A plain file, as Pintle writes it.
pub(crate) fn file(name: &str, data: &[u8]) -> Vec<u8> {
    let header = Header { name: name.as_bytes(), size: data.len() as u64, ..Header::default() };
    [header.bytes(), pad(data)].concat()
}

/// A PAX header with these records.
pub(crate) fn pax(kind: u8, records: &[(&str, &[u8])]) -> Vec<u8> {
    let data: Vec<u8> = records.iter().flat_map(|(key, value)| record(key, value)).collect();
    let header = Header { name: b"./PaxHeaders/x", size: data.len() as u64, kind, ..Header::default() };
    [header.bytes(), pad(&data)].concat()
}

fn record(key: &str, value: &[u8]) -> Vec<u8> {
    let rest = key.len() + value.len() + 3;
    let length = (1..).map(|digits| rest + digits).find(|length| rest + length.to_string().len() == *length);
    [format!("{} {key}=", length.unwrap()).as_bytes(), value, b"\n"].concat()
}

/// The two zero blocks that end an archive.
pub(crate) const END: [u8; 1024] = [0; 1024];

/// Compresses as Pintle does.
pub(crate) fn gzip(tar: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::GzBuilder::new()
        .mtime(0)
        .operating_system(255)
        .write(Vec::new(), flate2::Compression::best());
    encoder.write_all(tar).unwrap();
    encoder.finish().unwrap()
}

/// Writes bytes to a file and opens it as an archive.
pub(crate) fn open(folder: &Folder, bytes: &[u8]) -> Result<Verified, ArchiveError> {
    Archive::open(&folder.write("x.tar.gz", bytes))?.measure()
}

/// Checks that these bytes are refused with this code, by looking and by unpacking, and that nothing is left.
pub(crate) fn refused(what: &str, bytes: &[u8], code: &str) -> ArchiveError {
    let folder = Folder::new();
    folder.write("canary", "unchanged");
    let archive = match open(&folder, bytes) {
        Ok(archive) => archive,
        Err(error) => {
            assert_eq!(error.code(), Some(code), "{what}: {error}");
            return error;
        }
    };
    let before = folder.listing();
    let staging = folder.path().join("staging");
    let unpacked = archive.unpack(&staging, None, &|| false).map(|staged| staged.tree().clone());
    let error = unpacked.expect_err(what);
    assert_eq!(error.code(), Some(code), "{what}: {error}");
    assert_eq!(folder.listing(), before, "{what}: something is left");
    let scanned = archive.scan().expect_err(what);
    assert_eq!(scanned.to_string(), error.to_string(), "{what}: looking and unpacking agree");
    let shown = error.to_string();
    assert!(!shown.contains(|c: char| c.is_control()), "{what}: {shown:?}");
    error
}

/// Checks that a tar stream, compressed as it should be, is refused.
pub(crate) fn tar_refused(what: &str, tar: &[u8], code: &str) -> ArchiveError {
    refused(what, &gzip(tar), code)
}
