//! x
use libtest_mimic::Trial;
pub fn trials() -> Vec<Trial> {
    Vec::new()
}
pub fn read_by_group(_: &str) {}
