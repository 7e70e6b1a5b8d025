//! Copies what a command prints to where it would have gone, and shows it to the tap on the way. The bytes are not
//! looked at.

use super::readiness::{Watched, is_ready, watched};
use super::signals::Signals;
use super::sink::Sink;
use super::tail::Tail;
use super::{Ended, Finished, Stream, Tap};
use rustix::event::PollFlags;
use rustix::io::Errno;
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::io;
use std::os::fd::OwnedFd;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::Interest;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// How large the pieces are that are copied, and the pipe that they come from.
pub(super) const PIECE: usize = 256 * 1024;
/// How long output may be late after the command has ended.
const GRACE: Duration = Duration::from_millis(100);

/// Why something could not be passed on, if so.
pub(super) type Lost = Option<(Stream, io::Error)>;
/// What a copied run comes to: how the process ended, after how long, and what could not be passed on.
pub(super) type Outcome = (Ended, Duration, Lost);

/// What both streams of one command share: the tap and the tail.
pub(super) struct Copied<'a> {
    tap: RefCell<Tap<'a>>,
    tail: RefCell<Tail>,
}

impl<'a> Copied<'a> {
    pub(super) fn new(tap: Tap<'a>) -> Self {
        Self { tap: RefCell::new(tap), tail: RefCell::new(Tail::default()) }
    }

    fn show(&self, stream: Stream, piece: &[u8]) {
        (self.tap.borrow_mut())(stream, piece);
        self.tail.borrow_mut().push(piece);
    }

    pub(super) fn finish(self, ended: Ended, duration: Duration, lost: Lost) -> Finished {
        let (tail, truncated) = self.tail.into_inner().end();
        Finished { code: ended.code, signal: ended.signal, duration, tail, truncated, lost }
    }
}

/// The copying of all streams of a command. It may end before the command does, or after.
pub(super) struct Flow<'a> {
    copies: Vec<Pin<Box<dyn Future<Output = Lost> + 'a>>>,
    lost: Lost,
}

impl<'a> Flow<'a> {
    pub(super) fn new<F: Future<Output = Lost> + 'a>(copies: impl IntoIterator<Item = F>) -> Self {
        let copies =
            copies.into_iter().map(|copy| -> Pin<Box<dyn Future<Output = Lost> + 'a>> { Box::pin(copy) });
        Self { copies: copies.collect(), lost: None }
    }

    /// Copies while something else goes on, until that has come to an end.
    pub(super) async fn alongside<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = pin!(other);
        poll_fn(|context| {
            if let done @ Poll::Ready(_) = other.as_mut().poll(context) {
                return done;
            }
            self.poll(context);
            Poll::Pending
        })
        .await
    }

    fn poll(&mut self, context: &mut Context<'_>) {
        let lost = &mut self.lost;
        self.copies.retain_mut(|copy| match copy.as_mut().poll(context) {
            Poll::Pending => true,
            Poll::Ready(ended) => {
                *lost = lost.take().or(ended);
                false
            }
        });
    }

    /// Copies what is left. A person who does not want to wait for that ends it with a signal.
    pub(super) async fn finish(mut self, signals: &mut Signals) -> Lost {
        let is_over = async |flow: &mut Self| {
            poll_fn(|context| {
                flow.poll(context);
                if flow.copies.is_empty() { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        };
        tokio::select! {
            biased;
            () = is_over(&mut self) => self.lost,
            _ = signals.next() => self.lost,
        }
    }
}

/// Where a stream of the command is read from.
pub(super) struct Source {
    pub fd: Rc<Watched>,
    pub is_terminal: bool,
    pub stream: Stream,
}

impl Source {
    /// Makes one of our side of a pipe.
    pub(super) fn pipe(fd: OwnedFd, stream: Stream) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&fd, true)?;
        Ok(Self { fd: Rc::new(watched(fd, Interest::READABLE)?), is_terminal: false, stream })
    }

    /// Makes one of our side of a terminal.
    pub(super) fn terminal(fd: Rc<Watched>, stream: Stream) -> Self {
        Self { fd, is_terminal: true, stream }
    }

    /// Reads a piece; nothing is the end. A terminal that no one has open any more ends with an error.
    async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let is_terminal = self.is_terminal;
        let read = self.fd.async_io(Interest::READABLE, |fd| Ok(rustix::io::read(fd, &mut *buffer)?));
        match read.await {
            Err(error) if is_terminal && error.raw_os_error() == Some(Errno::IO.raw_os_error()) => Ok(0),
            read => read,
        }
    }

    /// Returns how many bytes wait to be read.
    pub(super) fn waiting(&self) -> usize {
        // What was written to a terminal is on its way until someone asks for it, and is not counted till then.
        if !is_ready(&*self.fd, PollFlags::IN) {
            return 0;
        }
        let waiting = rustix::io::ioctl_fionread(&*self.fd).unwrap_or(0);
        usize::try_from(waiting).unwrap_or(usize::MAX)
    }
}

/// Copies one stream until its end. After the command has ended: what waits to be read at that moment, and then what
/// comes within a short grace. Returns why something could not be passed on.
pub(super) async fn copy(
    source: Source,
    mut sink: Sink,
    copied: &Copied<'_>,
    mut ended: watch::Receiver<bool>,
    idle: &Cell<bool>,
) -> Lost {
    let mut last = Last::default();
    while !last.is_over() {
        idle.set(sink.is_idle());
        let Some(buffer) = sink.buffer().await else {
            let (stream, is_terminal) = (source.stream, source.is_terminal);
            // To close a terminal would hang it up. What comes is shown to the tap alone.
            if is_terminal {
                discard(source, copied, ended).await;
            }
            return sink.finish().await.filter(|error| !is_reader_gone(error)).map(|error| (stream, error));
        };
        let read = match last.deadline {
            None => tokio::select! {
                biased;
                _ = ended.wait_for(|ended| *ended) => None,
                read = source.read(buffer) => Some(read),
            },
            Some(_) if last.owed > 0 => Some(source.read(buffer).await),
            Some(deadline) => match timeout_at(deadline, source.read(buffer)).await {
                Ok(read) => Some(read),
                Err(_) => break,
            },
        };
        match read {
            None => last.begin(source.waiting()),
            Some(Ok(0) | Err(_)) => break,
            Some(Ok(length)) => {
                idle.set(false);
                copied.show(source.stream, &buffer[..length]);
                last.took(length);
                sink.write(length);
            }
        }
    }
    let stream = source.stream;
    // A command that still prints learns that no one reads any more.
    drop(source);
    sink.finish().await.filter(|error| !is_reader_gone(error)).map(|error| (stream, error))
}

/// What is still read after the command has ended.
#[derive(Default)]
struct Last {
    deadline: Option<Instant>,
    owed: usize,
}

impl Last {
    fn begin(&mut self, waiting: usize) {
        (self.deadline, self.owed) = (Some(Instant::now() + GRACE), waiting);
    }

    fn took(&mut self, length: usize) {
        self.owed = self.owed.saturating_sub(length);
    }

    fn is_over(&self) -> bool {
        self.owed == 0 && self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

async fn discard(source: Source, copied: &Copied<'_>, mut ended: watch::Receiver<bool>) {
    let mut buffer = vec![0; 4096];
    loop {
        tokio::select! {
            read = source.read(&mut buffer) => match read {
                Ok(0) | Err(_) => return,
                Ok(length) => copied.show(source.stream, &buffer[..length]),
            },
            _ = ended.wait_for(|ended| *ended) => return,
        }
    }
}

fn is_reader_gone(error: &io::Error) -> bool {
    let is_hung_up = error.raw_os_error() == Some(Errno::IO.raw_os_error());
    error.kind() == io::ErrorKind::BrokenPipe || is_hung_up
}

#[cfg(test)]
mod tests {
    use super::{Copied, PIECE, Source, copy};
    use crate::command::sink::Sink;
    use crate::command::{Ended, Stream};
    use std::cell::Cell;
    use std::io::{Read as _, Write as _};
    use std::os::fd::AsFd as _;
    use std::time::Duration;
    use tokio::sync::watch;

    #[tokio::test]
    async fn a_reader_that_waits_holds_up_the_command_and_not_our_memory() {
        const ALL: usize = 64 * PIECE;
        let (from_command, mut command) = std::io::pipe().unwrap();
        let (mut reader, to_reader) = std::io::pipe().unwrap();
        let writes = std::thread::spawn(move || command.write_all(&vec![7; ALL]).unwrap());
        let seen = Cell::new(0);
        let mut tap = |stream: Stream, piece: &[u8]| {
            assert_eq!(stream, Stream::Out);
            seen.set(seen.get() + piece.len());
        };
        let copied = Copied::new(&mut tap);
        let (_end, ended) = watch::channel(false);
        let idle = Cell::new(true);
        let source = Source::pipe(from_command.into(), Stream::Out).unwrap();
        let sink = Sink::new(to_reader.as_fd(), PIECE).unwrap();
        drop(to_reader);
        let mut copying = Box::pin(copy(source, sink, &copied, ended, &idle));
        // That nothing more happens can't be waited for but by the clock.
        let waited = tokio::time::timeout(Duration::from_millis(300), &mut copying).await;
        assert!(waited.is_err(), "it has not ended");
        assert!(seen.get() > 0 && seen.get() <= 4 * PIECE, "{} were taken", seen.get());
        assert!(!idle.get());

        let reads = std::thread::spawn(move || {
            let mut all = Vec::new();
            reader.read_to_end(&mut all).unwrap();
            all
        });
        assert!(copying.await.is_none());
        writes.join().unwrap();
        assert!(reads.join().unwrap() == vec![7; ALL]);
        let finished = copied.finish(Ended { code: Some(0), signal: None }, Duration::ZERO, None);
        assert_eq!((finished.tail.len(), finished.truncated, seen.get()), (64 * 1024, true, ALL));
    }

    #[tokio::test]
    async fn after_the_end_comes_what_was_there_and_then_no_more_than_a_moment() {
        let (from_command, mut command) = std::io::pipe().unwrap();
        let (mut reader, to_reader) = std::io::pipe().unwrap();
        command.write_all(b"last words").unwrap();
        let mut tap = |_: Stream, _: &[u8]| {};
        let copied = Copied::new(&mut tap);
        let (_end, ended) = watch::channel(true);
        let source = Source::pipe(from_command.into(), Stream::Err).unwrap();
        let sink = Sink::new(to_reader.as_fd(), PIECE).unwrap();
        drop(to_reader);
        // The other end stays open, as by a child in the background.
        assert!(copy(source, sink, &copied, ended, &Cell::new(true)).await.is_none());
        let mut all = String::new();
        reader.read_to_string(&mut all).unwrap();
        assert_eq!(all, "last words");
        assert_eq!(command.write(b"late").unwrap_err().kind(), std::io::ErrorKind::BrokenPipe);
    }
}
