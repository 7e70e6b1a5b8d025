//! The program; all of it is in the library.

fn main() {
    bench_extension::main();
}
