//! Native extensions: the binary interface, as both sides see it.

pub mod abi;
