//! Workers from the outside: what they get, what holds them, and what is left when they end. The test program is host,
//! nursery and extension in turn, so it has a `main` of its own; see `fixture` for what it is as an extension.

#![expect(clippy::unwrap_used, reason = "all of this is tests, also what is not a test function itself")]

mod kit;
mod fixture;
mod started;
mod refused;
mod held;
mod killed;
mod native;
mod people;
mod measure;

use libtest_mimic::{Arguments, Trial};

fn main() {
    pintle_loader::worker::enter_with(native::serve);
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, as_what, name, rest @ ..] = arguments.as_slice()
        && as_what == fixture::AS
    {
        return fixture::act(name, rest);
    }
    let mut trials: Vec<Trial> = Vec::new();
    trials.extend(started::trials());
    trials.extend(refused::trials());
    trials.extend(held::trials());
    trials.extend(killed::trials());
    trials.extend(native::trials());
    trials.extend(people::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
