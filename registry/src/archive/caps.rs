//! How large an archive may be. Depth and length of paths are bounded by
//! [`PackagePath`](pintle_manifest::PackagePath) itself.

/// The most bytes that an archive may have, compressed: 64 MiB.
pub const MAX_PACKED: u64 = 64 << 20;
/// The most bytes that the files of an archive may have together: 512 MiB.
pub const MAX_UNPACKED: u64 = 512 << 20;
/// The most files that an archive may hold.
pub const MAX_FILES: u64 = 10_000;
/// The most bytes that `extension.toml` may have: 256 KiB.
pub const MAX_MANIFEST: u64 = 256 << 10;

/// The name of the manifest in every package.
pub(super) const MANIFEST: &str = "extension.toml";

/// How many bytes are read, inflated and written at once.
pub(super) const BUFFER: usize = 64 << 10;

/// The unit of a tar stream.
pub(super) const BLOCK: usize = 512;

/// The only gzip header: deflate, no flags, no time, best compression, unknown system (source: RFC 1952).
pub(super) const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
