//! What can be in the place of a file that is none. Only the words and the rule; whoever may look at the disk hands in what
//! is seen there.

use std::path::Path;

/// What is in the place of a file, or in the way to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// A directory.
    #[error("it is a directory, where a file belongs")]
    Directory,
    /// A pipe, from which a read would wait for whoever writes.
    #[error("it is a named pipe, where a file belongs")]
    Pipe,
    /// A socket.
    #[error("it is a socket, where a file belongs")]
    Socket,
    /// A device.
    #[error("it is a device, where a file belongs")]
    Device,
    /// A link to something that is not there.
    #[error("it is a link that leads nowhere")]
    LinkToNowhere,
    /// A link that leads back to itself.
    #[error("it is a link that leads in a circle")]
    LinkInACircle,
    /// A file or the like where there should be a directory.
    #[error("it is no directory, and one belongs here")]
    NoDirectory,
}

/// What is seen at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// Nothing.
    Nothing,
    /// Something with this mode (`st_mode`), links followed.
    Mode(u32),
    /// A link to something that is not there.
    LinkToNowhere,
    /// A link that leads back to itself.
    LinkInACircle,
}

/// What belongs into a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Belongs {
    /// A file.
    File,
    /// A directory.
    Directory,
}

const KIND: u32 = 0o170_000;
const FILE: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;
const PIPE: u32 = 0o010_000;
const SOCKET: u32 = 0o140_000;

impl Obstacle {
    /// Tells what a mode (`st_mode`) is that of; `None` for a regular file.
    pub const fn of_mode(mode: u32) -> Option<Self> {
        match mode & KIND {
            FILE => None,
            DIRECTORY => Some(Self::Directory),
            PIPE => Some(Self::Pipe),
            SOCKET => Some(Self::Socket),
            _ => Some(Self::Device),
        }
    }

    /// Tells whether a directory is missing, rather than that something is in the place of a file.
    pub const fn is_on_the_way(self) -> bool {
        matches!(self, Self::NoDirectory)
    }

    /// Finds what keeps a file or directory from being at `path`: there, or in the way to it.
    pub fn at(path: &Path, belongs: Belongs, look: impl Fn(&Path) -> Sight) -> Option<(&Path, Self)> {
        for place in path.ancestors() {
            let is_directory = belongs == Belongs::Directory || place != path;
            let found = match look(place) {
                Sight::Nothing => continue,
                Sight::LinkToNowhere => Some(Self::LinkToNowhere),
                Sight::LinkInACircle => Some(Self::LinkInACircle),
                Sight::Mode(mode) if is_directory => (mode & KIND != DIRECTORY).then_some(Self::NoDirectory),
                Sight::Mode(mode) => Self::of_mode(mode),
            };
            return found.map(|found| (place, found));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Belongs, DIRECTORY, FILE, Obstacle, PIPE, Sight};
    use std::path::Path;

    #[test]
    fn the_first_thing_on_the_way_that_is_not_what_it_should_be_is_found() {
        let check = |seen: &[(&str, Sight)], belongs, expected: Option<(&str, Obstacle)>| {
            let look = |place: &Path| {
                seen.iter()
                    .find(|(path, _)| place == Path::new(path))
                    .map_or(Sight::Nothing, |(_, sight)| *sight)
            };
            let found = Obstacle::at(Path::new("/home/state/x.json"), belongs, look);
            assert_eq!(found, expected.map(|(path, what)| (Path::new(path), what)), "{seen:?}");
        };
        let (file, directory) = (Sight::Mode(FILE | 0o644), Sight::Mode(DIRECTORY | 0o755));
        let (x, state) = ("/home/state/x.json", "/home/state");
        check(&[(x, file)], Belongs::File, None);
        check(&[(x, file)], Belongs::Directory, Some((x, Obstacle::NoDirectory)));
        check(&[(x, directory)], Belongs::File, Some((x, Obstacle::Directory)));
        check(&[(x, directory)], Belongs::Directory, None);
        check(&[(x, Sight::Mode(PIPE | 0o600))], Belongs::File, Some((x, Obstacle::Pipe)));
        check(&[(x, Sight::Mode(0o020_666))], Belongs::File, Some((x, Obstacle::Device)));
        check(&[(x, Sight::LinkToNowhere)], Belongs::File, Some((x, Obstacle::LinkToNowhere)));
        check(&[(state, directory)], Belongs::File, None);
        check(&[(state, file)], Belongs::File, Some((state, Obstacle::NoDirectory)));
        check(&[("/home", Sight::LinkInACircle)], Belongs::File, Some(("/home", Obstacle::LinkInACircle)));
        check(&[], Belongs::File, None);
    }
}
