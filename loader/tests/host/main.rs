//! A host from the outside: extensions are loaded into it, fire at its hooks, fail and are taken off. The test program is
//! host, nursery and extension in turn, so it has a `main` of its own. As an extension it is either [`script`], which
//! does what it is told, or the example `misbehave`, which does what no extension should.

#![expect(clippy::unwrap_used, reason = "all of this is tests, also what is not a test function itself")]

mod kit;
mod script;
mod extension;
mod yard;
mod alone;

#[path = "../../../examples/misbehave/src/answering.rs"]
mod answering;
#[path = "../../../examples/misbehave/src/asking.rs"]
mod asking;
#[path = "../../../examples/misbehave/src/breaking.rs"]
mod breaking;
#[path = "../../../examples/misbehave/src/daemon.rs"]
mod daemon;
#[path = "../../../examples/misbehave/src/leaving.rs"]
mod leaving;
#[path = "../../../examples/misbehave/src/life.rs"]
mod life;
#[path = "../../../examples/misbehave/src/starting.rs"]
mod starting;
#[path = "../../../examples/misbehave/src/ways.rs"]
#[expect(dead_code, reason = "only its own `main` lists the ways")]
mod ways;
#[path = "../../../examples/misbehave/src/wire.rs"]
mod wire;

mod calls;
mod faults;
mod guards;
mod held;
mod killed;
mod loads;
mod misbehaves;
mod reloads;
mod shapes;
mod slots;
mod stages;
mod times;
mod told;
mod wraps;

use libtest_mimic::{Arguments, Trial};

fn main() {
    pintle_loader::worker::enter();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [script::AS] => return script::act(),
        [alone::AS, rest @ ..] => return alone::act(rest),
        [MISBEHAVE, way @ ..] => return life::Life::new(ways::Chosen::from_words(way)).run(),
        [daemon::FIRST, rest @ ..] => return daemon::first(rest),
        [daemon::SECOND, rest @ ..] => return daemon::second(rest),
        _ => {}
    }
    let mut trials: Vec<Trial> = Vec::new();
    trials.extend(calls::trials());
    trials.extend(faults::trials());
    trials.extend(guards::trials());
    trials.extend(held::trials());
    trials.extend(killed::trials());
    trials.extend(loads::trials());
    trials.extend(misbehaves::trials());
    trials.extend(reloads::trials());
    trials.extend(shapes::trials());
    trials.extend(slots::trials());
    trials.extend(stages::trials());
    trials.extend(times::trials());
    trials.extend(told::trials());
    trials.extend(wraps::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// The argument by which the program knows that it is the example.
const MISBEHAVE: &str = "--misbehave";

/// What the example says of itself.
fn complain(message: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "misbehave: {message}");
}
