//! What is kept that nobody reads until it is needed, looked at for whoever asks what is wrong, and
//! put aside where that costs nobody anything.

use super::files::{self, FileError};
use super::{Keeper, Places, faults};
use pintle_manifest::Name;

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

/// Looks at the faults of the last minute, and at what each extension stores.
pub fn damages(places: &Places) -> Vec<Damage> {
    let of_all = |error| Damage { owner: None, error };
    let mut found: Vec<Damage> = faults::check(&places.state).err().map(of_all).into_iter().collect();
    let directories = match files::directories(&places.data) {
        Ok(directories) => directories,
        Err(error) => {
            found.push(of_all(error));
            return found;
        }
    };
    for directory in directories {
        // What has no name of an extension was put there by somebody else.
        let name = directory.file_name().and_then(|name| Name::parse(name.to_str()?).ok());
        if let Some(owner) = name
            && let Err(error) = Keeper::new(&directory).check()
        {
            found.push(Damage { owner: Some(owner), error });
        }
    }
    found
}
