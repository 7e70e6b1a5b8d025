//! Frames from a worker. Each is bounded before it is read and checked before anything acts on it; a worker that
//! breaks the protocol is ended, and told why in the fault.

use super::pending::{Parent, Taken};
use super::wait::Link;
use crate::runtime::{Asked, Fault};
use pintle_sdk::protocol::{Answer, MAX_FRAME, Reply, Request, ToHost, WireError, encode};
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;

/// How many frames a worker may send in one second.
const MAX_FRAMES_PER_SECOND: u32 = 50_000;
/// How many requests may be unanswered at once.
const MAX_REQUESTS: usize = 1024;
/// How much is read at once, in bytes.
const PIECE: usize = 64 * 1024;
/// How long the buffer stays when nothing is in it, in bytes.
const KEPT: usize = 4 * PIECE;
/// How much of a wrong frame is quoted, in characters.
const QUOTED: usize = 200;
/// How long the message of a fault may be, in characters.
const MESSAGE: usize = 2000;
/// What a worker may send.
const MESSAGES: [&str; 5] = ["ready", "outcome", "fault", "request", "disposed"];

/// Reads until the worker closes its end or breaks the protocol. Returns what was wrong, if anything was.
pub(super) async fn read_all(link: &Arc<Link>, mut pipe: pipe::Receiver) -> Option<Fault> {
    let mut buffer = Buffer::default();
    let mut rate = Rate::new();
    loop {
        while let Some(frame) = next_frame(buffer.unread()) {
            let body = match frame {
                Ok(body) => body,
                Err(fault) => return Some(fault),
            };
            let used = 4 + body.len();
            if let Err(fault) = rate.count() {
                return Some(fault);
            }
            if let Err(fault) = take(link, body) {
                return Some(fault);
            }
            buffer.start += used;
        }
        // A read that fills less than its room is known to be the last one, and no other is tried.
        match pipe.read(buffer.room()).await {
            Ok(0) => {
                return (!buffer.unread().is_empty()).then(|| {
                    Fault::protocol("protocol.bad_frame", "it closed the connection in the middle of a frame")
                });
            }
            Ok(read) => buffer.end += read,
            Err(_) => return None,
        }
    }
}

/// What was read and not taken yet. Its bytes are made zero once, when it grows, and not for each read.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Buffer {
    fn unread(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Returns where the next piece goes. It grows by a piece at a time, so never far beyond what has come, and after a
    /// long frame it is let go of.
    fn room(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            self.bytes.truncate(KEPT);
            self.bytes.shrink_to(KEPT);
        } else if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.bytes.len() < self.end + PIECE {
            self.bytes.resize(self.end + PIECE, 0);
        }
        &mut self.bytes[self.end..]
    }
}

/// Returns the body of the first frame, if all of it is there.
fn next_frame(bytes: &[u8]) -> Option<Result<&[u8], Fault>> {
    let head: [u8; 4] = bytes.get(..4)?.try_into().expect("four bytes are four bytes");
    let length = u32::from_be_bytes(head) as usize;
    if length > MAX_FRAME {
        let quoted = quote(bytes);
        return Some(Err(Fault::protocol(
            "protocol.bad_frame",
            format!("a frame of {length} bytes is over the limit of {MAX_FRAME}; it begins with {quoted}"),
        )));
    }
    bytes.get(4..4 + length).map(Ok)
}

fn take(link: &Arc<Link>, body: &[u8]) -> Result<(), Fault> {
    if body.is_empty() {
        return Err(Fault::protocol("protocol.bad_message", "it sent a frame with nothing in it"));
    }
    let message: ToHost = serde_json::from_slice(body).map_err(|error| {
        let code = match is_known(body) {
            true => "protocol.bad_message",
            false => "protocol.unknown_message",
        };
        let what = of_answer(body).unwrap_or_else(|| error.to_string());
        Fault::protocol(code, format!("{what}; it sent {}", quote(body)))
    })?;
    match message {
        ToHost::Ready(ready) => link.shook_hands(ready),
        ToHost::Outcome(outcome) => answer(link, outcome.id, Ok(outcome.answer)),
        ToHost::Fault(fault) => answer(link, fault.id, Err(cut(fault.message))),
        ToHost::Request(request) => ask(link, request),
        ToHost::Disposed {} => link.note_disposed(),
    }
}

/// Cuts what an extension says of its own fault. It is told and kept in several places.
fn cut(message: String) -> String {
    match message.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message,
    }
}

/// Says what is wrong with an answer that is none, in words for whoever wrote the extension.
fn of_answer(body: &[u8]) -> Option<String> {
    let message: Value = serde_json::from_slice(body).ok()?;
    let answer = message.get("outcome")?.get("answer")?;
    if serde_json::from_value::<Answer>(answer.clone()).is_ok() {
        return None;
    }
    let known = "an answer is \"continue\", or an object with one of `replace`, `ask`, `block`, `handled` and `items`";
    let shown: String = answer.to_string().chars().take(QUOTED).collect();
    Some(format!("`{}` is no answer: {known}", pintle_manifest::Untrusted(&shown)))
}

/// Tells whether something that can't be read is at least called a message that exists, or is nothing that has a name.
fn is_known(body: &[u8]) -> bool {
    let message: Result<BTreeMap<String, IgnoredAny>, _> = serde_json::from_slice(body);
    message.map_or(true, |message| message.keys().all(|name| MESSAGES.contains(&name.as_str())))
}

fn answer(link: &Arc<Link>, id: u64, answer: Result<Answer, String>) -> Result<(), Fault> {
    match link.take_pending(id) {
        Taken::Wanted(waiting) => {
            // Whoever waited may have gone in this instant.
            let _ = waiting.answer.send(answer);
            Ok(())
        }
        Taken::Late => Ok(()),
        Taken::Unknown => Err(Fault::protocol(
            "protocol.unknown_call",
            format!("it answered call {id}, which is not waiting: it was answered before, or never made"),
        )),
    }
}

fn ask(link: &Arc<Link>, request: Request) -> Result<(), Fault> {
    if link.requests.fetch_add(1, std::sync::atomic::Ordering::AcqRel) >= MAX_REQUESTS {
        return Err(Fault::protocol(
            "protocol.flood",
            format!("more than {MAX_REQUESTS} requests wait for an answer at once"),
        ));
    }
    let Request { id, parent, epoch, call, arguments } = request;
    let Parent { clock, depth, next } = link.parent(parent)?;
    let is_next = call == "next";
    let pauses = is_next || !link.asks.counts_as_own(&call);
    if let Some(clock) = clock.as_ref().filter(|_| pauses) {
        clock.pause();
    }
    let answer = match (is_next, next) {
        (true, Some(next)) => next(arguments),
        (true, None) => Box::pin(std::future::ready(Err(WireError {
            code: "call.unknown".to_owned(),
            message: "`next` exists only in an around hook, with that call as its parent".to_owned(),
        }))),
        (false, _) => link.asks.ask(Asked { call, arguments, epoch, depth }),
    };
    let link = Arc::clone(link);
    tokio::spawn(async move {
        let answered = match is_next {
            // What is inside is the host's own, and goes on also when nobody waits for it any more.
            true => answer.await,
            false => tokio::select! {
                biased;
                answered = answer => answered,
                _ = link.ended() => return,
            },
        };
        let reply = match answered {
            Ok(value) => Reply { id, value: Some(value), error: None },
            Err(error) => Reply { id, value: None, error: Some(error) },
        };
        if let Some(clock) = clock.filter(|_| pauses) {
            clock.resume();
        }
        link.requests.fetch_sub(1, std::sync::atomic::Ordering::AcqRel);
        link.reply(&reply);
    });
    Ok(())
}

impl Link {
    fn reply(&self, reply: &Reply) {
        let message = pintle_sdk::protocol::ToExtension::Reply(reply.clone());
        let frame = encode(&message).or_else(|_| {
            let error = WireError {
                code: "call.too_long".to_owned(),
                message: "the answer is longer than a frame may be; ask for less".to_owned(),
            };
            encode(&pintle_sdk::protocol::ToExtension::Reply(Reply {
                id: reply.id,
                value: None,
                error: Some(error),
            }))
        });
        if let Ok(frame) = frame {
            self.send_frame(frame);
        }
    }
}

/// Quotes the beginning of something that was sent, with nothing in it that could act on a terminal.
fn quote(bytes: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(bytes).chars().take(QUOTED).collect();
    format!("`{}`", pintle_manifest::Untrusted(&text))
}

/// Counts frames, second by second.
struct Rate {
    since: Instant,
    count: u32,
}

impl Rate {
    fn new() -> Self {
        Self { since: Instant::now(), count: 0 }
    }

    fn count(&mut self) -> Result<(), Fault> {
        self.count += 1;
        if self.count.is_multiple_of(1024) && self.since.elapsed() > Duration::from_secs(1) {
            *self = Self::new();
        }
        match self.count > MAX_FRAMES_PER_SECOND {
            true => Err(Fault::protocol(
                "protocol.flood",
                format!("it sent more than {MAX_FRAMES_PER_SECOND} messages in a second"),
            )),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Buffer, KEPT, PIECE, next_frame};

    #[test]
    fn a_frame_is_taken_when_all_of_it_is_there() {
        let check = |bytes: &[u8], expected: Option<Result<&[u8], &str>>| {
            let found = next_frame(bytes);
            let found =
                found.as_ref().map(|found| found.as_ref().map(|body| *body).map_err(|fault| fault.code()));
            assert_eq!(found, expected, "{bytes:?}");
        };
        check(b"", None);
        check(&[0, 0, 0], None);
        check(&[0, 0, 0, 2, b'{'], None);
        check(&[0, 0, 0, 2, b'{', b'}', 0], Some(Ok(b"{}")));
        check(b"hello, world", Some(Err("protocol.bad_frame")));
        check(&[1, 0, 0, 1], Some(Err("protocol.bad_frame")));
        check(&[0, 0, 0, 0], Some(Ok(b"")));
    }

    #[test]
    fn frames_are_found_however_they_are_cut_and_a_long_one_leaves_no_long_buffer() {
        let texts = [vec![b'a'; 3], vec![], vec![b'b'; 3 * KEPT], vec![b'c'; PIECE], vec![b'd'; 1]];
        let mut stream: Vec<u8> = Vec::new();
        for text in &texts {
            stream.extend(u32::try_from(text.len()).unwrap().to_be_bytes());
            stream.extend(text);
        }
        for piece in [1, 7, PIECE - 1, PIECE] {
            let (mut buffer, mut found) = (Buffer::default(), Vec::new());
            for bytes in stream.chunks(piece) {
                buffer.room()[..bytes.len()].copy_from_slice(bytes);
                buffer.end += bytes.len();
                while let Some(frame) = next_frame(buffer.unread()) {
                    let body = frame.unwrap().to_vec();
                    buffer.start += 4 + body.len();
                    found.push(body);
                }
            }
            assert!(found == texts, "in pieces of {piece}");
            buffer.room();
            assert!(buffer.bytes.len() <= KEPT, "{} bytes are kept", buffer.bytes.len());
        }
    }
}
