//! Ways to break down, and to take more than one's share.

use crate::life::Life;
use std::hint::black_box;
use std::io::{self, Write};

const STEP: usize = 16 * 1024 * 1024;
const MOST: usize = 4 * 1024 * 1024 * 1024;

pub(crate) fn hang() -> ! {
    loop {
        std::thread::park();
    }
}

pub(crate) fn spin() -> ! {
    let mut count = 0_u64;
    loop {
        count = black_box(count.wrapping_add(1));
    }
}

#[expect(clippy::disallowed_methods, reason = "leaving without a word is what this is for")]
pub(crate) fn leave(code: i32) -> ! {
    std::process::exit(code)
}

#[expect(unsafe_code, reason = "only unsafe code crashes")]
pub(crate) fn segfault() {
    // SAFETY: none. Nothing is mapped at this address, and the crash is what is wanted.
    unsafe { std::ptr::without_provenance_mut::<u8>(8).write_volatile(1) };
}

pub(crate) fn exit(_life: &mut Life, _id: u64) {
    leave(3)
}

pub(crate) fn abort_in_call(_life: &mut Life, _id: u64) {
    std::process::abort()
}

pub(crate) fn segfault_in_call(_life: &mut Life, _id: u64) {
    segfault();
}

pub(crate) fn memory(_life: &mut Life, _id: u64) {
    let mut taken: Vec<Vec<u8>> = Vec::new();
    while taken.len() < MOST / STEP {
        // Ones, so that every page is really there.
        taken.push(black_box(vec![1; STEP]));
    }
    hang()
}

pub(crate) fn flood_stdout(_life: &mut Life, _id: u64) {
    let text = [b'x'; 64 * 1024];
    let mut out = io::stdout().lock();
    while out.write_all(&text).and_then(|()| out.write_all(b"\n")).is_ok() {}
}

pub(crate) fn close_in(life: &mut Life, _id: u64) {
    life.wire.input = None;
    hang()
}

pub(crate) fn close_out(life: &mut Life, _id: u64) {
    life.wire.output = None;
}
