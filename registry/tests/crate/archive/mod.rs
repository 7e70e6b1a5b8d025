//! Packages, from the outside: what is packed reads back, and everything else is refused with nothing left behind.

mod binaries;
mod bits;
mod build;
mod builder;
mod folder;
mod hostile;
mod inspect;
mod limits;
mod round_trip;
mod select;
mod unpack;
