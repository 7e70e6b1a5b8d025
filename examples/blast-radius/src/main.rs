//! The program; all of it is in the library.

fn main() {
    blast_radius::main();
}
