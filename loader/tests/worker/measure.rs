//! What a start costs: `cargo test -p pintle-loader --test worker -- --as measure` prints it. Asserts nothing, since
//! times say more of the machine than of the code.

use crate::kit::{Asked, acting, in_runtime, setting, shell, token};
use crate::native::{ENTRY, library};
use pintle_loader::worker::{Exec, Program, Worker, memfd_sealed};
use std::time::{Duration, Instant};

const ROUNDS: usize = 15;
const MANY: usize = 50;

#[expect(clippy::print_stdout, reason = "a person reads it")]
pub(crate) fn measure() {
    for asked in [Asked::Best, Asked::Fallback] {
        let begun = Instant::now();
        let fence = in_runtime(async { asked.nursery().fence().await }).unwrap();
        println!("{fence}\n  first start of a nursery: {:?}", begun.elapsed());
        let library = library(ENTRY);
        let programs = [
            ("/bin/true", Program::Exec(Exec { path: "/bin/true".into(), arguments: vec!["true".into()] })),
            ("a shell", Program::Exec(shell("read x <&3"))),
            ("this program", Program::Exec(acting("linger", &[]))),
            ("a native library", Program::Native { library: memfd_sealed(&library).unwrap() }),
        ];
        for (name, program) in &programs {
            let [one, many, end] = in_runtime(times(asked, program));
            println!(
                "  {name}: one {one:?}, {MANY} at once {many:?}, their end {end:?} (medians of {ROUNDS})"
            );
        }
    }
}

async fn times(asked: Asked, program: &Program) -> [Duration; 3] {
    let nursery = asked.nursery();
    let setting = setting(&token());
    nursery.fence().await.unwrap();
    let mut all = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let one = nursery.spawn(program, &setting).await.unwrap();
        all[0].push(begun.elapsed());
        one.process.end(Duration::ZERO).await;

        let begun = Instant::now();
        let many: Vec<Worker> = at_once((0..MANY).map(|_| nursery.spawn(program, &setting))).await;
        all[1].push(begun.elapsed());

        let begun = Instant::now();
        at_once(many.iter().map(|worker| worker.process.end(Duration::ZERO))).await;
        all[2].push(begun.elapsed());
    }
    all.map(|mut times: Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2]
    })
}

/// Awaits all of the futures side by side.
async fn at_once<T: Done>(futures: impl Iterator<Item: Future<Output = T>>) -> Vec<T::Value> {
    let mut waiting: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        let mut is_ready = true;
        for (future, value) in &mut waiting {
            if value.is_none() {
                match future.as_mut().poll(context) {
                    std::task::Poll::Ready(done) => *value = Some(done.done()),
                    std::task::Poll::Pending => is_ready = false,
                }
            }
        }
        if is_ready { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    waiting.into_iter().map(|(_, value)| value.unwrap()).collect()
}

/// What has to have gone well.
trait Done {
    type Value;
    fn done(self) -> Self::Value;
}

impl Done for Result<Worker, pintle_loader::worker::SpawnError> {
    type Value = Worker;
    fn done(self) -> Worker {
        self.unwrap()
    }
}

impl Done for pintle_loader::worker::Ending {
    type Value = ();
    fn done(self) {
        assert!(self.is_gone);
    }
}
