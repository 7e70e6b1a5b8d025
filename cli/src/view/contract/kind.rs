//! What each kind of hook means: which outcomes there are, in which order extensions are called, what a fault does.

use pintle_manifest::{Collision, HookKind, OnFault, QueueRule};
use std::time::Duration;

/// Returns the outcomes that a kind accepts, as names.
pub(crate) const fn outcomes(kind: HookKind) -> &'static [&'static str] {
    match kind {
        HookKind::Guard => &["continue", "replace", "ask", "block"],
        HookKind::Transform => &["continue", "replace"],
        HookKind::Claim => &["continue", "replace", "handled"],
        HookKind::Collect => &["items"],
        HookKind::Around => &["handled"],
        HookKind::Observe | HookKind::Stream => &["continue"],
    }
}

/// Says what an outcome means at a kind of hook.
pub(super) fn outcome(kind: HookKind, outcome: &str) -> &'static str {
    match (outcome, kind) {
        ("continue", HookKind::Observe | HookKind::Stream) => "it was seen; nothing is read back",
        ("continue", HookKind::Guard) => "go on; this never overrules another extension",
        ("continue", _) => "leave it as it is",
        ("replace", HookKind::Guard) => "go on with this payload; later extensions are asked about it",
        ("replace", _) => "go on with this payload",
        ("ask", _) => "the person decides; without a person it is blocked",
        ("block", _) => "it does not happen; the person is told who blocked it and why",
        ("handled", HookKind::Around) => "this is the result; `next` gives the inner one",
        ("handled", _) => "it is done, and this is the reply; no one else is asked",
        (_, _) => "these are added, under the name of the extension",
    }
}

/// Says in which order extensions are called.
pub(super) const fn order(kind: HookKind) -> &'static str {
    match kind {
        HookKind::Guard => {
            "Extensions are asked one after the other, in the order of loading. The first block ends it. An ask stands, whatever later extensions say."
        }
        HookKind::Transform => {
            "Extensions are called one after the other, in the order of loading. Each gets what the last one made of it."
        }
        HookKind::Claim => "Extensions are asked in the order of loading, until one has handled it.",
        HookKind::Collect => "All extensions are asked. What they add is joined in the order of loading.",
        HookKind::Around => "Extensions are nested in the order of loading, the first one outermost.",
        HookKind::Observe => "Each extension is told, side by side. Nothing waits for them.",
        HookKind::Stream => {
            "Each extension has a queue of its own and is given what is in it, many at a time, with the number of those that were dropped. Nothing waits for them."
        }
    }
}

/// Says what a fault means.
pub(super) const fn fault(on_fault: OnFault) -> &'static str {
    match on_fault {
        OnFault::Block => {
            "If an extension fails or is late, what it was asked about does not happen, and the person is told which one."
        }
        OnFault::Skip => "If an extension fails or is late, it is passed over.",
        OnFault::Log => "If an extension fails or is late, that is logged.",
    }
}

/// Says what becomes of a full queue.
pub(super) const fn queue(rule: QueueRule) -> &'static str {
    match rule {
        QueueRule::DropOldest => "When its queue is full, the oldest go.",
        QueueRule::Coalesce => "When its queue is full, the newest takes the place of the last.",
        QueueRule::Close => "When its queue is full, it gets no more.",
    }
}

/// Says what happens when two extensions want one name.
pub(super) const fn collision(collision: Collision) -> &'static str {
    match collision {
        Collision::FirstWins => "If two want one name, the first that is loaded has it.",
        Collision::LastWins => "If two want one name, the last that is loaded has it.",
        Collision::Suffix => "If two want one name, the first has it, and the next gets `name:2`.",
        Collision::Reject => "If two want one name, neither gets it.",
        Collision::Owned => "Each extension has names of its own, so nothing collides.",
    }
}

/// Says how much time there is.
pub(super) fn times(own: Duration, wall: Duration) -> String {
    format!(
        "It has {} of its own, not counting what it waits for the host, and {} in all.",
        time(own),
        time(wall)
    )
}

/// Returns a time as it is written in a contract.
pub(super) fn time(time: Duration) -> String {
    let milliseconds = time.as_millis();
    match (milliseconds % 60_000, milliseconds % 1000) {
        (0, _) => format!("{}m", milliseconds / 60_000),
        (_, 0) => format!("{}s", milliseconds / 1000),
        (_, _) => format!("{milliseconds}ms"),
    }
}
