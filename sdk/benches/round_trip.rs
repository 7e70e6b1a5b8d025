//! What a guard costs: there and back through two pipes, and the loop's own share of it, without the waking of threads.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pintle_sdk::agent::ToolCall;
use pintle_sdk::protocol::read_frame;
use pintle_sdk::serve::{Ending, Instance, serve};
use pintle_sdk::{Context, Error, Extension, Guard, Hooks, Identity};
use std::fs::File;
use std::io::{BufReader, PipeReader, PipeWriter, Write};
use std::os::fd::OwnedFd;

/// So many calls are on their way at once where waking is not to count.
const AT_ONCE: u64 = 200;

struct Quiet;

impl Extension for Quiet {
    fn start(_context: &Context) -> Result<Self, Error> {
        Ok(Self)
    }
    fn hooks(hooks: &mut Hooks<Self>) {
        hooks.guard("tool.call", |_, _, _call: ToolCall| Ok(Guard::<ToolCall>::Continue));
    }
}

fn framed(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).expect("a short text");
    [&length.to_be_bytes(), text.as_bytes()].concat()
}

fn call(id: u64) -> Vec<u8> {
    framed(&format!(
        r#"{{"call":{{"id":{id},"hook":"tool.call","payload":{{"id":"c1","tool":"exec","program":"ls","argv":["ls","-l"],"cwd":"/home/ada","line":"ls -l","interactive":true}}}}}}"#
    ))
}

fn served() -> (PipeWriter, BufReader<PipeReader>) {
    let (extension_in, mut to) = std::io::pipe().expect("a pipe");
    let (from, extension_out) = std::io::pipe().expect("a pipe");
    std::thread::spawn(move || {
        let ends = (File::from(OwnedFd::from(extension_in)), File::from(OwnedFd::from(extension_out)));
        let identity = Identity { name: "quiet", version: "0.1.0" };
        serve(Instance::<Quiet>::new(identity), ends.0, ends.1, Ending::Return)
    });
    let hello = r#"{"hello":{"protocol":1,"host":"agent","host_version":"1.0.0","extension":"quiet","version":"0.1.0","root":"/","epoch":1}}"#;
    to.write_all(&framed(hello)).expect("it reads");
    let mut from = BufReader::new(from);
    read_frame(&mut from, &mut Vec::new()).expect("it is ready");
    (to, from)
}

fn guards(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("guard");
    let (mut to, mut from) = served();
    let (mut id, mut frame) = (0, Vec::new());
    group.bench_function("round trip", |bencher| {
        bencher.iter(|| {
            id += 1;
            to.write_all(&call(id)).expect("it reads");
            read_frame(&mut from, &mut frame).expect("it answers");
        });
    });
    let together: Vec<u8> = (0..AT_ONCE).flat_map(call).collect();
    group.throughput(Throughput::Elements(AT_ONCE));
    group.bench_function("many at once", |bencher| {
        bencher.iter(|| {
            to.write_all(&together).expect("it reads");
            for _ in 0..AT_ONCE {
                read_frame(&mut from, &mut frame).expect("it answers");
            }
        });
    });
    group.finish();
}

criterion_group!(benches, guards);
criterion_main!(benches);
