//! What of a contract is enforced, by whom, and what is only trusted, in words for a person. What is written here must
//! be true of the code; nothing here enforces anything.

/// What the host itself sees to, whatever the extension is made of.
pub(crate) const BY_HOST: &[&str] = &[
    "An extension is called only at the hooks that its manifest names, and only for payloads that its filters match.",
    "Each callback has its times. One that is late is ended, with the process that it runs in.",
    "Each answer is checked before it is used: that the kind of hook has this outcome, the types, the pinned fields.",
    "A call is carried out only if it needs no permission or a person granted it; of a list, only what is in it.",
    "An extension fills only the slots, and speaks on the bus only under the name, that are its own.",
    "What it holds through the host is recorded, and given back when it is disabled or fails.",
];

/// How each runtime runs, and what the system holds it to.
pub(crate) const RUNTIMES: &[(&str, &str)] = &[
    (
        "process",
        "runs with your full rights. It is a process of its own, so that a crash costs only itself; it and all that it starts end with it and with the host",
    ),
    (
        "native",
        "runs with your full rights. It is loaded by a process of its own and never by the host; what holds for `process` holds for it",
    ),
    ("wasm", "is not run by this Pintle yet"),
];

/// What nothing sees to.
pub(crate) const TRUSTED: &[&str] = &[
    "That a process or native extension asks the host at all. It can read and change your files, use the network and start programs by itself. Permissions bind what it asks the host to do, and nothing else.",
    "That what it says of a payload is true: a guard that lets something pass may be wrong.",
    "That the host calls when it says. A host that starts without having taken charge of a hook is refused; that it fires it at the right moment is up to its author.",
];

/// The same in one sentence, for a single part.
pub(crate) const RIGHTS: &str = "A process or native extension runs with your full rights: permissions bind what it asks the host to do, not what it does by itself.";
