//! The bytes of a tar stream out of one gzip member. Checks that the member is the only thing in the file, and that
//! its checksum was really compared; knows nothing of headers.

use super::caps::{BLOCK, BUFFER, GZIP_HEADER};
use super::error::ArchiveError;
use super::verify::{FromStart, Verified};
use crate::store::fs::FsError;
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;

/// Hands out what is inflated, without copying it.
pub(super) struct Stream<'a> {
    decoder: GzDecoder<BufReader<FromStart<'a>>>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    path: &'a Path,
}

impl<'a> Stream<'a> {
    /// Begins to read, after a look at the gzip header.
    pub(super) fn new(archive: &'a Verified) -> Result<Self, ArchiveError> {
        let start = archive.start(GZIP_HEADER.len())?;
        if !GZIP_HEADER.starts_with(&start[..start.len().min(3)]) {
            return Err(ArchiveError::NotGzip { start: archive.start(256)? });
        }
        if start.len() < GZIP_HEADER.len() {
            return Err(ArchiveError::Truncated);
        }
        if start != GZIP_HEADER {
            return Err(ArchiveError::GzipHeader);
        }
        let decoder = GzDecoder::new(BufReader::with_capacity(BUFFER, archive.reader()));
        Ok(Self { decoder, buffer: vec![0; BUFFER], start: 0, end: 0, path: archive.path() })
    }

    /// Returns the next block, or `None` if the stream ends right here.
    pub(super) fn block(&mut self) -> Result<Option<[u8; BLOCK]>, ArchiveError> {
        while self.end - self.start < BLOCK {
            let had = self.end - self.start;
            match (self.fill()?, had) {
                (0, 0) => return Ok(None),
                (0, _) => return Err(ArchiveError::Truncated),
                (_, _) => {}
            }
        }
        let mut block = [0; BLOCK];
        block.copy_from_slice(&self.buffer[self.start..self.start + BLOCK]);
        self.start += BLOCK;
        Ok(Some(block))
    }

    /// Returns at least one and at most `most` bytes, which must be there.
    pub(super) fn chunk(&mut self, most: u64) -> Result<&[u8], ArchiveError> {
        if self.start == self.end && self.fill()? == 0 {
            return Err(ArchiveError::Truncated);
        }
        let length = usize::try_from(most).unwrap_or(usize::MAX).min(self.end - self.start);
        let at = self.start;
        self.start += length;
        Ok(&self.buffer[at..at + length])
    }

    /// Ends: nothing more is inflated, the checksum holds, and the file holds nothing else.
    pub(super) fn finish(mut self) -> Result<(), ArchiveError> {
        if self.start != self.end || self.fill()? != 0 {
            return Err(ArchiveError::AfterEnd);
        }
        let path = self.path;
        let mut rest = self.decoder.into_inner();
        let rest = rest.fill_buf().map_err(FsError::new("read", path))?;
        match rest {
            [] => Ok(()),
            [0x1f, 0x8b, ..] => Err(ArchiveError::SecondMember),
            [..] => Err(ArchiveError::AfterGzip),
        }
    }

    /// Inflates more, behind what is still unread. Returns how much; 0 means that the member ended and was whole.
    fn fill(&mut self) -> Result<usize, ArchiveError> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        loop {
            match self.decoder.read(&mut self.buffer[self.end..]) {
                Ok(read) => {
                    self.end += read;
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.raw_os_error().is_some() => {
                    return Err(FsError::new("read", self.path)(error).into());
                }
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return Err(ArchiveError::Truncated);
                }
                Err(source) => return Err(ArchiveError::Compressed { source }),
            }
        }
    }
}
