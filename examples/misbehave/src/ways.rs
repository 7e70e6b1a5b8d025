//! The table of all ways to misbehave, and how one is chosen.

use crate::life::Life;
use crate::{answering, asking, breaking, daemon, leaving, starting};
use serde_json::Value;
use std::path::Path;

/// When something is done, and what.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    /// Before anything is read.
    Start(fn(&mut Life)),
    /// Instead of sending `ready`, which is handed over.
    Greet(fn(&mut Life, Value)),
    /// Instead of answering the call with this number.
    Call(fn(&mut Life, u64)),
    /// Before `disposed` is sent.
    Dispose(fn(&mut Life)),
}

impl Act {
    pub(crate) fn when(self) -> &'static str {
        match self {
            Self::Start(_) => "at start",
            Self::Greet(_) => "at hello",
            Self::Call(_) => "in a call",
            Self::Dispose(_) => "at the end",
        }
    }
}

pub(crate) struct Way {
    pub(crate) name: &'static str,
    pub(crate) does: &'static str,
    pub(crate) act: Act,
}

const fn way(name: &'static str, act: Act, does: &'static str) -> Way {
    Way { name, does, act }
}

pub(crate) static WAYS: [Way; 55] = [
    way("start-exit", Act::Start(starting::exit), "exits with 3 before the handshake"),
    way(
        "start-exit-well",
        Act::Start(starting::exit_well),
        "exits with 0 before the handshake, without a word",
    ),
    way("start-abort", Act::Start(starting::abort), "aborts before the handshake"),
    way("start-segfault", Act::Start(starting::segfault), "crashes before the handshake"),
    way("start-hang", Act::Start(starting::hang), "never reads anything and never says it is ready"),
    way("start-spin", Act::Start(starting::spin), "uses a processor and never says it is ready"),
    way(
        "start-noise",
        Act::Start(starting::noise),
        "prints 1 MiB without a line end and invalid UTF-8, then behaves",
    ),
    way("start-stderr", Act::Start(starting::stderr), "says why on standard error and exits with 1"),
    way("start-close-in", Act::Start(starting::close_in), "closes descriptor 3 before the handshake"),
    way("start-close-out", Act::Start(starting::close_out), "closes descriptor 4 before the handshake"),
    way("start-garbage", Act::Start(starting::garbage), "writes a line of text where frames belong"),
    way("start-request", Act::Start(starting::request), "asks for something before it is ready"),
    way(
        "ignore-signals",
        Act::Start(starting::ignore_signals),
        "ignores TERM, INT and HUP, and stays at the end",
    ),
    way("ignore-end", Act::Start(starting::ignore_end), "stays when the host is gone or has disposed of it"),
    way("ready-never", Act::Greet(starting::ready_never), "reads `hello` and says nothing"),
    way("ready-twice", Act::Greet(starting::ready_twice), "says twice that it is ready"),
    way("lie-name", Act::Greet(starting::lie_name), "says it is another extension"),
    way("lie-version", Act::Greet(starting::lie_version), "says it is another version"),
    way("lie-protocol", Act::Greet(starting::lie_protocol), "says it speaks version 99 of the protocol"),
    way(
        "lie-hooks",
        Act::Greet(starting::lie_hooks),
        "says it answers a hook that its manifest does not name",
    ),
    way("hang", Act::Call(answering::hang), "never answers, and reads nothing more"),
    way("silent", Act::Call(answering::silent), "never answers this call, and goes on with others"),
    way("spin", Act::Call(answering::spin), "uses a processor for ever"),
    way("twice", Act::Call(answering::twice), "answers twice"),
    way("late", Act::Call(answering::late), "answers after it was cancelled, and not before"),
    way("early", Act::Call(answering::early), "answers calls that were not made yet"),
    way("fault", Act::Call(answering::fault), "says that it failed"),
    way(
        "wrong-kind",
        Act::Call(answering::wrong_kind),
        "answers with items, which only a collect hook takes",
    ),
    way("wrong-payload", Act::Call(answering::wrong_payload), "replaces the payload by one of another shape"),
    way("wrong-outcome", Act::Call(answering::wrong_outcome), "answers `allow`, which does not exist"),
    way("terminal", Act::Call(answering::terminal), "blocks with a reason full of control characters"),
    way("bad-length", Act::Call(answering::bad_length), "sends a frame that claims to be 4 GiB long"),
    way("half-frame", Act::Call(answering::half_frame), "sends half a frame, and then nothing"),
    way("bad-json", Act::Call(answering::bad_json), "sends a frame that is not JSON"),
    way("bad-utf8", Act::Call(answering::bad_utf8), "sends a frame that is not UTF-8"),
    way("deep-json", Act::Call(answering::deep_json), "answers with 100,000 nested lists"),
    way("unknown-message", Act::Call(answering::unknown_message), "sends a message that does not exist"),
    way("huge", Act::Call(answering::huge), "blocks with a reason of 15 MiB"),
    way("flood-frames", Act::Call(asking::flood_frames), "asks without end, and reads no answer"),
    way("flood-stdout", Act::Call(breaking::flood_stdout), "prints without end"),
    way(
        "ungranted",
        Act::Call(asking::ungranted),
        "asks for what was not granted, and blocks with the answer",
    ),
    way(
        "unknown-call",
        Act::Call(asking::unknown_call),
        "asks for what does not exist, and blocks with the answer",
    ),
    way(
        "bad-arguments",
        Act::Call(asking::bad_arguments),
        "asks with wrong arguments, and blocks with the answer",
    ),
    way(
        "stale",
        Act::Call(asking::stale),
        "asks with the context of an earlier load, and blocks with the answer",
    ),
    way(
        "wrong-parent",
        Act::Call(asking::wrong_parent),
        "asks for a call that is not there, and blocks with the answer",
    ),
    way("same-id", Act::Call(asking::same_id), "asks twice at once under one number"),
    way("exit", Act::Call(breaking::exit), "exits with 3"),
    way("abort", Act::Call(breaking::abort_in_call), "aborts"),
    way("segfault", Act::Call(breaking::segfault_in_call), "writes where nothing is"),
    way("memory", Act::Call(breaking::memory), "takes memory until there is no more, at most 4 GiB"),
    way("close-in", Act::Call(breaking::close_in), "closes descriptor 3 and stays"),
    way("close-out", Act::Call(breaking::close_out), "closes descriptor 4 and stays"),
    way("daemon", Act::Call(daemon::start), "leaves a process in a session of its own, and goes on"),
    way(
        "daemon-holds",
        Act::Call(daemon::start_holding),
        "the same, and the process keeps descriptors 3 and 4 open",
    ),
    way("dispose-never", Act::Dispose(leaving::never), "never says that it is disposed"),
];

/// A way, and at which hook.
pub(crate) struct Chosen {
    pub(crate) way: &'static Way,
    hook: Option<String>,
}

impl Chosen {
    pub(crate) fn from_words(words: &[&str]) -> Option<Self> {
        let (name, hook) = match words {
            [name] => (name, None),
            [name, hook] => (name, Some((*hook).to_owned())),
            _ => return None,
        };
        let way = WAYS.iter().find(|way| way.name == *name)?;
        Some(Self { way, hook })
    }

    pub(crate) fn from_file(path: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(path).ok()?;
        Self::from_words(&text.split_whitespace().collect::<Vec<_>>())
    }

    /// Finds a way of answering a call among the words of the command that a payload shows.
    pub(crate) fn from_payload(payload: &Value) -> Option<Self> {
        let line = payload["line"].as_str().unwrap_or("").split_whitespace();
        let arguments = ["argv", "args"].into_iter().filter_map(|key| payload[key].as_array()).flatten();
        let entry = payload["payload"]["args"].as_array().into_iter().flatten();
        let words = line.chain(arguments.chain(entry).filter_map(Value::as_str));
        words
            .filter_map(|word| Self::from_words(&[word]))
            .find(|chosen| matches!(chosen.way.act, Act::Call(_)))
    }

    pub(crate) fn is_for(&self, hook: &str) -> bool {
        self.hook.as_ref().is_none_or(|own| own == hook)
    }
}
