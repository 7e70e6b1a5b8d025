//! The last steps before a program: a session of its own, its directory, limits and descriptors, and then its code.
//! Each step that fails is told by name.

use super::library::ServeLibrary;
use super::{descriptors, library, signals, system};
use crate::worker::report::{Failure, Report, Stage};
use crate::worker::request::{Request, Start};
use crate::worker::spec::Limits;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, chdir, getppid, getrlimit, set_parent_process_death_signal, setrlimit,
    setsid,
};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// Becomes the program, or tells over `told` why not.
pub(super) fn become_program(
    keeper: Pid,
    request: &Request,
    mut handed: Vec<OwnedFd>,
    told: OwnedFd,
    serve: ServeLibrary,
) -> ! {
    let number = i32::try_from(handed.len()).expect("there are few descriptors");
    if let Err(failure) = settle(keeper, request) {
        tell(&told, failure);
    }
    handed.push(told);
    let result = match &request.program {
        Start::Exec { path, arguments } => descriptors::arrange(handed, 1).map(|()| {
            let error = system::execute(path, arguments, &request.environment);
            failure(Stage::Execute, &error)
        }),
        Start::Open { arguments, .. } => descriptors::arrange(handed, 2).map(|()| {
            let error = system::execute_open(number - 1, arguments, &request.environment);
            failure(Stage::Execute, &error)
        }),
        Start::Native => descriptors::arrange(handed, 2)
            .map(|()| library::become_library(&request.environment, number, serve)),
    };
    let told = match &result {
        Ok(_) => descriptors::take(number),
        // The descriptors may be anywhere now. The keeper sees the end of this process.
        Err(_) => system::exit(127),
    };
    tell(&told, result.unwrap_or_else(|error| failure(Stage::Descriptors, &error)))
}

/// Does what needs no descriptor.
fn settle(keeper: Pid, request: &Request) -> Result<(), Failure> {
    signals::reset();
    // The keeper may hold rights in its user namespace; a program gets none of them.
    if rustix::process::geteuid().as_raw() != 0 {
        let none = CapabilitySet::empty();
        let none = CapabilitySets { effective: none, permitted: none, inheritable: none };
        set_capabilities(None, none).map_err(|error| failure(Stage::Session, &error.into()))?;
    }
    set_parent_process_death_signal(Some(Signal::KILL))
        .and_then(|()| setsid())
        .map_err(|error| failure(Stage::Session, &error.into()))?;
    if getppid() != Some(keeper) {
        system::exit(127);
    }
    chdir(&request.directory).map_err(|error| failure(Stage::Directory, &error.into()))?;
    limit(&request.limits).map_err(|error| failure(Stage::Limits, &error))
}

fn limit(limits: &Limits) -> io::Result<()> {
    let wanted = [
        (Resource::Core, 0),
        (Resource::Nofile, limits.open_files),
        (Resource::Data, limits.data),
        (Resource::Stack, limits.stack),
    ];
    for (resource, limit) in wanted {
        let limit = Some(getrlimit(resource).maximum.map_or(limit, |hard| hard.min(limit)));
        setrlimit(resource, Rlimit { current: limit, maximum: limit })?;
    }
    Ok(())
}

/// Tells why there will be no program, and ends this process.
fn tell(told: impl AsFd, failure: Failure) -> ! {
    // If the keeper is gone, so is this process in a moment.
    let _ = rustix::io::write(told, &Report::Failed(failure).encode());
    system::exit(127)
}

fn failure(stage: Stage, error: &io::Error) -> Failure {
    Failure::at(stage, error.raw_os_error().unwrap_or(0))
}
