//! The SDK against a host that is written here, on the level of frames: as a process's loop and as a library.

mod host;
mod extension;
mod process;
mod native;
