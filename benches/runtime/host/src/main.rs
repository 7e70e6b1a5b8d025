//! `bench-host STORE ROW [...]`: measures one row and writes its samples. The extension is taken from beside this program.

use bench_host::{Runtime, Set, rows, runtime};
use std::error::Error;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    pintle_loader::worker::enter();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [store, row @ ..] = words.as_slice() else { return Err("the store is not named".into()) };
    let program = std::env::current_exe()?;
    let built = program.parent().ok_or("a program has a directory")?.to_owned();
    let set = Set { built, store: store.into() };
    runtime().block_on(async {
        match row {
            ["load", kind, count] => rows::load(&set, parse(kind)?, count.parse()?).await,
            ["guard", kind, ms] => rows::guard(&set, parse(kind)?, Duration::from_millis(ms.parse()?)).await,
            ["stream", rounds] => rows::stream(&set, rounds.parse()?).await,
            ["ledger"] => rows::ledger(&set).await,
            ["crash", kind] => rows::crash(&set, parse(kind)?).await,
            _ => Err("no such row: load, guard, stream, ledger, crash".into()),
        }
    })
}

fn parse(kind: &str) -> Result<Runtime, Box<dyn Error>> {
    let known = Runtime::ALL.into_iter().find(|runtime| runtime.as_str() == kind);
    known.ok_or_else(|| format!("`{kind}` is no runtime").into())
}
