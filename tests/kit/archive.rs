//! Archives written byte by byte: what an honest tool never makes, and what everyone else may send.

use std::io::Write as _;

/// One entry of an archive, as its header will have it.
#[derive(Clone)]
pub(crate) struct RawEntry<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) kind: u8,
    pub(crate) link: &'a [u8],
    pub(crate) mode: u32,
    pub(crate) content: &'a [u8],
}

impl<'a> RawEntry<'a> {
    /// An ordinary file.
    pub(crate) const fn file(name: &'a [u8], content: &'a [u8]) -> Self {
        Self { name, kind: b'0', link: b"", mode: 0o644, content }
    }

    /// Something that is no file.
    pub(crate) const fn special(name: &'a [u8], kind: u8, link: &'a [u8]) -> Self {
        Self { name, kind, link, mode: 0o644, content: b"" }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut block = vec![0_u8; 512];
        let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, self.name);
        put(100, format!("{:07o}\0", self.mode).as_bytes());
        put(108, b"0000000\0");
        put(116, b"0000000\0");
        put(124, format!("{:011o}\0", self.content.len()).as_bytes());
        put(136, b"00000000000\0");
        put(148, b"        ");
        put(156, &[self.kind]);
        put(157, self.link);
        put(257, b"ustar\x0000");
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:07o}\0").as_bytes());
        block.extend_from_slice(self.content);
        block.resize(block.len().next_multiple_of(512), 0);
        block
    }
}

/// Returns a tar of these entries, in this order.
pub(crate) fn tar_of(entries: &[RawEntry<'_>]) -> Vec<u8> {
    let mut tar: Vec<u8> = entries.iter().flat_map(RawEntry::bytes).collect();
    tar.extend_from_slice(&[0; 1024]);
    tar
}

/// Compresses as `pintle package` does: one member without a name or a time, best compression, no system named.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let header = flate2::GzBuilder::new().operating_system(255);
    let mut encoder = header.write(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns a package archive of these entries, in this order.
pub(crate) fn archive_of(entries: &[RawEntry<'_>]) -> Vec<u8> {
    gzip(&tar_of(entries))
}
