//! A guard through 1, 10 and 100 extensions with criterion, to see from one change of the code to the next what it
//! costs. Beside the peers it is measured by `run`.

use bench_host::{Hosted, Runtime, Set, call, runtime};
use criterion::Criterion;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    pintle_loader::worker::enter();
    let mut criterion = Criterion::default().configure_from_args();
    guards(&mut criterion)?;
    criterion.final_summary();
    Ok(())
}

fn guards(criterion: &mut Criterion) -> Result<(), Box<dyn Error>> {
    // Benches are built into `deps`, beside which programs and libraries lie.
    let program = std::env::current_exe()?;
    let built = program.ancestors().nth(2).unwrap_or(Path::new(".")).to_owned();
    let store = tempfile::tempdir()?;
    let set = Set { built, store: store.path().to_owned() };
    let runtime = runtime();
    let mut group = criterion.benchmark_group("guard");
    for kind in Runtime::ALL {
        for (count, filtered, tool, what) in [
            (1, false, "any", "all"),
            (10, false, "any", "all"),
            (10, true, "guard-009", "one"),
            (100, false, "any", "all"),
            (100, true, "guard-099", "one"),
            (100, true, "none", "none"),
        ] {
            let hosted = runtime.block_on(Hosted::start(set.guards(kind, count, filtered)?))?;
            group.bench_function(format!("{}/{count}/{what}", kind.as_str()), |bencher| {
                bencher.iter(|| runtime.block_on(hosted.ask(call(tool, "git"))).expect("no guard blocks"));
            });
            runtime.block_on(hosted.host.shutdown());
        }
    }
    group.finish();
    Ok(())
}
