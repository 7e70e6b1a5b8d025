//! Writes output to one of our own streams without ever holding up the runtime. Our streams belong to others too, so
//! they are never made non-blocking; a thread of the sink's own waits for a slow reader instead.

use super::readiness::is_ready;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::FileType;
use rustix::io::Errno;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use tokio::sync::mpsc;

/// How many bytes a pipe that is ready takes without waiting, everywhere.
const ATOMIC: usize = 4096;
/// How many buffers there are: one is filled while the other is written.
const BUFFERS: usize = 2;

/// A buffer and how much of it is in use.
type Filled = (Vec<u8>, usize);

/// One of our own streams, to be written to.
pub(super) struct Sink {
    target: Arc<OwnedFd>,
    kind: Kind,
    home: Vec<Vec<u8>>,
    thread: Option<Thread>,
    error: Option<io::Error>,
}

/// What a write may have to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A file or a device that takes everything at once.
    Ready,
    /// A pipe or socket, which takes a little at once if it says that it is ready.
    Queue,
    /// A terminal, which may stop at any byte.
    Terminal,
}

struct Thread {
    work: mpsc::Sender<Filled>,
    /// Ends when the thread has ended.
    done: mpsc::Receiver<Result<Vec<u8>, io::Error>>,
}

impl Sink {
    /// Makes one that writes to a copy of this descriptor.
    pub(super) fn new(target: BorrowedFd<'_>, buffer: usize) -> io::Result<Self> {
        let target = target.try_clone_to_owned()?;
        let kind = match FileType::from_raw_mode(rustix::fs::fstat(&target)?.st_mode) {
            FileType::CharacterDevice if rustix::termios::isatty(&target) => Kind::Terminal,
            FileType::Fifo | FileType::Socket => Kind::Queue,
            _ => Kind::Ready,
        };
        let home = (0..BUFFERS).map(|_| vec![0; buffer]).collect();
        Ok(Self { target: Arc::new(target), kind, home, thread: None, error: None })
    }

    /// Returns a buffer to fill, as soon as there is one, or nothing if no more can be written. Nothing is lost if the
    /// future is dropped.
    pub(super) async fn buffer(&mut self) -> Option<&mut Vec<u8>> {
        while self.home.is_empty() && self.error.is_none() {
            self.come_home().await;
        }
        if self.error.is_some() { None } else { self.home.last_mut() }
    }

    /// Writes the first bytes of the buffer that was last handed out, or gives them to the thread.
    pub(super) fn write(&mut self, length: usize) {
        if self.home.len() == BUFFERS && self.takes_at_once(length) {
            let buffer = self.home.last().expect("all buffers are at home");
            self.error = write_all(&self.target, &buffer[..length]).err();
            return;
        }
        let Some(buffer) = self.home.pop() else { return };
        let target = Arc::clone(&self.target);
        let thread = self.thread.get_or_insert_with(|| Thread::start(target));
        if thread.work.try_send((buffer, length)).is_err() && self.error.is_none() {
            self.error = Some(io::Error::from(io::ErrorKind::BrokenPipe));
        }
    }

    fn takes_at_once(&self, length: usize) -> bool {
        match self.kind {
            Kind::Ready => true,
            Kind::Queue => length <= ATOMIC && is_ready(&self.target, PollFlags::OUT),
            Kind::Terminal => false,
        }
    }

    /// Tells whether everything has been written.
    pub(super) fn is_idle(&mut self) -> bool {
        while let Some(Ok(written)) = self.thread.as_mut().map(|thread| thread.done.try_recv()) {
            self.took(Some(written));
        }
        self.home.len() == BUFFERS || self.error.is_some()
    }

    /// Waits until everything has been written, and returns why something could not be.
    pub(super) async fn finish(mut self) -> Option<io::Error> {
        while self.home.len() < BUFFERS && self.error.is_none() {
            self.come_home().await;
        }
        self.error
    }

    async fn come_home(&mut self) {
        let Some(thread) = &mut self.thread else { return };
        let written = thread.done.recv().await;
        self.took(written);
    }

    fn took(&mut self, written: Option<Result<Vec<u8>, io::Error>>) {
        match written {
            Some(Ok(buffer)) => self.home.push(buffer),
            Some(Err(error)) => self.error = Some(error),
            None => self.error = Some(io::Error::from(io::ErrorKind::BrokenPipe)),
        }
    }
}

impl Thread {
    /// Starts it. It ends after an error, or when the sink is gone and what it was given is written.
    fn start(target: Arc<OwnedFd>) -> Self {
        let (work, mut given) = mpsc::channel::<Filled>(BUFFERS);
        let (back, done) = mpsc::channel(BUFFERS + 1);
        std::thread::spawn(move || {
            while let Some((buffer, length)) = given.blocking_recv() {
                let written = write_all(&target, &buffer[..length]).map(|()| buffer);
                let failed = written.is_err();
                if back.blocking_send(written).is_err() || failed {
                    return;
                }
            }
        });
        Self { work, done }
    }
}

fn write_all(target: &OwnedFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(target, bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            // Whoever shares the stream with us made it non-blocking.
            Err(Errno::AGAIN) => {
                poll(&mut [PollFd::new(target, PollFlags::OUT)], None)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Sink;
    use std::io::Read as _;
    use std::os::fd::AsFd as _;

    async fn put(sink: &mut Sink, piece: &[u8]) -> bool {
        let Some(buffer) = sink.buffer().await else { return false };
        buffer[..piece.len()].copy_from_slice(piece);
        sink.write(piece.len());
        true
    }

    #[tokio::test]
    async fn small_and_large_pieces_arrive_in_order() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut sink = Sink::new(writer.as_fd(), 1 << 20).unwrap();
        drop(writer);
        let pieces: Vec<Vec<u8>> =
            (0..60_usize).map(|at| vec![at as u8; [1, 5000, 1 << 20, 4096][at % 4]]).collect();
        let read = std::thread::spawn(move || {
            let mut all = Vec::new();
            reader.read_to_end(&mut all).unwrap();
            all
        });
        for piece in &pieces {
            assert!(put(&mut sink, piece).await);
        }
        assert!(sink.finish().await.is_none());
        assert!(read.join().unwrap() == pieces.concat());
    }

    #[tokio::test]
    async fn a_reader_that_goes_is_noticed_also_while_the_thread_waits_for_it() {
        let (reader, writer) = std::io::pipe().unwrap();
        let mut sink = Sink::new(writer.as_fd(), 1 << 20).unwrap();
        drop(writer);
        assert!(put(&mut sink, &[0; 1 << 20]).await, "the thread waits in a write");
        assert!(!sink.is_idle());
        drop(reader);
        let error = sink.finish().await.expect("it can't all be written");
        assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
    }
}
