//! What is kept that nobody reads until it is needed, looked at for whoever asks what is wrong, and
//! put aside where that costs nobody anything.

use super::files::{self, FileError};
use super::{Keeper, Places, Quarantine, Starts, faults};
use pintle_manifest::Name;
use std::path::Path;

/// Something that is kept and can't be read.
#[derive(Debug)]
pub struct Damage {
    /// Whose it is, if it is one extension's.
    pub owner: Option<Name>,
    /// What is wrong, and with which file.
    pub error: FileError,
}

/// Puts aside what is damaged and protects nobody, and tells whether there was anything: the faults of the last minute.
/// What an extension stores is its own, and may well be what it protects somebody with.
pub fn put_harmless_aside(places: &Places) -> Result<bool, FileError> {
    faults::put_damaged_aside(&places.state)
}

/// Looks at the faults of the last minute, at the locks of what is kept, and at what each extension stores and logs.
pub fn damages(places: &Places) -> Vec<Damage> {
    let state = &places.state;
    let checks = [faults::check(state), Starts::check_lock(state), Quarantine::check_lock(state)];
    let of_all = |error| Damage { owner: None, error };
    let mut found: Vec<Damage> = checks.into_iter().filter_map(Result::err).map(of_all).collect();
    let mut look = |directory: &Path, check: &dyn Fn(&Path) -> Option<Damage>| match files::entries(directory)
    {
        Ok(paths) => found.extend(paths.iter().filter_map(|path| check(path))),
        Err(error) => found.push(of_all(error)),
    };
    look(&places.data, &|path| of_one(path, "", &|path| Keeper::new(path).check()));
    look(&places.log, &|path| of_one(path, ".log", &|path| files::open_to_read(path).map(drop)));
    found
}

/// Checks what is an extension's: its name, and this behind it. What has another name was put there by somebody else.
fn of_one(path: &Path, end: &str, check: &dyn Fn(&Path) -> Result<(), FileError>) -> Option<Damage> {
    let owner = Name::parse(path.file_name()?.to_str()?.strip_suffix(end)?).ok()?;
    check(path).err().map(|error| Damage { owner: Some(owner), error })
}
