//! Reads frames through a buffer: one system call for a frame, and often for several. It does not look into them.

use crate::protocol::{FrameError, MAX_FRAME};
use std::fs::File;
use std::io::{self, Read};

const BUFFER: usize = 64 * 1024;
const HEAD: usize = 4;

pub(crate) struct Frames {
    from: File,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Frames {
    pub(crate) fn new(from: File) -> Self {
        Self { from, buffer: vec![0; BUFFER], start: 0, end: 0 }
    }

    /// Reads the next frame into `frame`, waiting for it.
    pub(crate) fn next(&mut self, frame: &mut Vec<u8>) -> Result<(), FrameError> {
        loop {
            match self.length()? {
                Some(length) if self.buffered() >= HEAD + length => {
                    let text = self.start + HEAD;
                    frame.clear();
                    frame.extend_from_slice(&self.buffer[text..text + length]);
                    self.consume(HEAD + length);
                    return Ok(());
                }
                Some(length) if HEAD + length > BUFFER => return self.long(length, frame),
                Some(_) | None => self.fill()?,
            }
        }
    }

    /// Tells whether [`next`](Frames::next) has something to read without waiting for the other side to begin.
    pub(crate) fn is_ready(&self) -> bool {
        self.buffered() > 0 || is_readable(&self.from)
    }

    fn buffered(&self) -> usize {
        self.end - self.start
    }

    /// Returns the length of the frame that comes next, if its head has arrived.
    fn length(&self) -> Result<Option<usize>, FrameError> {
        let Some(head) = self.buffer[self.start..self.end].first_chunk::<HEAD>() else { return Ok(None) };
        let length = u32::from_be_bytes(*head) as usize;
        if length > MAX_FRAME { Err(FrameError::TooLong { length }) } else { Ok(Some(length)) }
    }

    fn consume(&mut self, count: usize) {
        self.start += count;
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    fn fill(&mut self) -> Result<(), FrameError> {
        if self.end == BUFFER {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.buffered());
        }
        loop {
            match self.from.read(&mut self.buffer[self.end..]) {
                Ok(0) => return Err(FrameError::Closed),
                Ok(count) => {
                    self.end += count;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(FrameError::Io(error)),
            }
        }
    }

    /// Reads a frame that does not fit into the buffer.
    fn long(&mut self, length: usize, frame: &mut Vec<u8>) -> Result<(), FrameError> {
        let have = self.buffered() - HEAD;
        frame.clear();
        frame.extend_from_slice(&self.buffer[self.start + HEAD..self.end]);
        frame.resize(length, 0);
        self.consume(HEAD + have);
        self.from.read_exact(&mut frame[have..]).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => FrameError::Closed,
            _ => FrameError::Io(error),
        })
    }
}

#[cfg(unix)]
fn is_readable(file: &File) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut descriptors = [PollFd::new(file, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut descriptors, Some(&now)).is_ok_and(|ready| ready > 0)
}

#[cfg(not(unix))]
fn is_readable(_file: &File) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::{BUFFER, Frames};
    use crate::protocol::{FrameError, MAX_FRAME};
    use std::fs::File;
    use std::io::Write;
    use std::os::fd::OwnedFd;

    fn frames(bytes: Vec<u8>) -> Frames {
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::thread::spawn(move || writer.write_all(&bytes));
        Frames::new(File::from(OwnedFd::from(reader)))
    }

    fn framed(text: &[u8]) -> Vec<u8> {
        let mut frame = u32::try_from(text.len()).unwrap().to_be_bytes().to_vec();
        frame.extend_from_slice(text);
        frame
    }

    #[test]
    fn frames_of_every_length_come_out_as_they_went_in() {
        let lengths = [0, 1, 3, BUFFER - 5, BUFFER - 4, BUFFER - 3, BUFFER, 3 * BUFFER + 7, 2, 1_000_000, 0];
        let texts: Vec<Vec<u8>> = lengths.iter().map(|length| vec![b'x'; *length]).collect();
        let mut from = frames(texts.iter().flat_map(|text| framed(text)).collect());
        let mut frame = Vec::new();
        for text in texts {
            from.next(&mut frame).unwrap();
            assert!(frame == text, "{} is not {}", frame.len(), text.len());
        }
        assert!(matches!(from.next(&mut frame), Err(FrameError::Closed)));
    }

    #[test]
    fn a_length_over_the_limit_and_half_a_frame_are_errors() {
        let mut frame = Vec::new();
        let long = u32::try_from(MAX_FRAME + 1).unwrap().to_be_bytes().to_vec();
        assert!(matches!(frames(long).next(&mut frame), Err(FrameError::TooLong { .. })));
        assert!(matches!(frames(vec![0, 0, 0, 9, b'{']).next(&mut frame), Err(FrameError::Closed)));
        assert!(matches!(frames(vec![0, 0]).next(&mut frame), Err(FrameError::Closed)));
    }
}
