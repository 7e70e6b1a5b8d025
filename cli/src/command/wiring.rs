//! Decides what a command's streams are joined to, from what ours are. Looks, and opens nothing.

use rustix::fs::FileType;
use std::io::IsTerminal as _;
use std::os::fd::AsFd;

/// What our own streams are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    /// Whether standard input is a terminal.
    pub input_is_terminal: bool,
    /// Whether standard output is a terminal.
    pub output_is_terminal: bool,
    /// Whether standard error is a terminal.
    pub errors_are_terminal: bool,
    /// Whether standard output and standard error lead to the same place.
    pub same: bool,
}

/// What one stream of the command is joined to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// A pipe that we copy to our own stream.
    Pipe,
    /// A terminal that we copy to our own.
    Terminal,
    /// The same as standard output.
    WithOutput,
    /// Our own stream, which is not copied.
    Untouched,
}

/// The two streams of a command that stays in our session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wires {
    pub output: Wire,
    pub errors: Wire,
}

/// How a command that is tapped is joined to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wiring {
    /// It gets a terminal and a session of its own. Standard error may lead elsewhere.
    Session { errors: Wire },
    /// It stays in our session and keeps our standard input.
    Attached(Wires),
}

impl Ends {
    /// Looks at our own streams.
    pub(super) fn look() -> Self {
        let (input, output, errors) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
        Self {
            input_is_terminal: input.is_terminal(),
            output_is_terminal: output.is_terminal(),
            errors_are_terminal: errors.is_terminal(),
            same: are_same(&output, &errors),
        }
    }
}

/// Tells whether two descriptors lead to the same file, pipe or device.
fn are_same(one: &impl AsFd, other: &impl AsFd) -> bool {
    let (Ok(one), Ok(other)) = (rustix::fs::fstat(one), rustix::fs::fstat(other)) else { return false };
    let kind = FileType::from_raw_mode(one.st_mode);
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino) && kind != FileType::Unknown
}

impl Wiring {
    /// Chooses. Keys are taken from the terminal only by a command that has both its ends, and so is not part of a
    /// pipeline whose other members want them. A program at the end of a pipeline, such as a pager or an editor, takes
    /// its keys from standard error and sets the modes of that, so there it must be the real terminal.
    pub(super) fn choose(ends: &Ends) -> Self {
        let wire = |is_terminal: bool| if is_terminal { Wire::Terminal } else { Wire::Pipe };
        let errors = match ends.same {
            true => Wire::WithOutput,
            false => wire(ends.errors_are_terminal),
        };
        let output = wire(ends.output_is_terminal);
        match (ends.input_is_terminal, ends.output_is_terminal, ends.errors_are_terminal) {
            (true, true, _) => Self::Session { errors },
            (false, true, true) => Self::Attached(Wires { output, errors: Wire::Untouched }),
            (_, false, _) | (false, true, false) => Self::Attached(Wires { output, errors }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ends, Wire, Wires, Wiring};

    #[test]
    fn each_stream_stays_what_it_is() {
        #[track_caller]
        fn check(ends: &str, expected: Wiring) {
            let has = |word: &str| ends.split(' ').any(|one| one == word);
            let ends = Ends {
                input_is_terminal: has("in"),
                output_is_terminal: has("out"),
                errors_are_terminal: has("err"),
                same: has("same"),
            };
            assert_eq!(Wiring::choose(&ends), expected, "{ends:?}");
        }
        let attached = |output, errors| Wiring::Attached(Wires { output, errors });
        check("in out err same", Wiring::Session { errors: Wire::WithOutput });
        check("in out err", Wiring::Session { errors: Wire::Terminal });
        check("in out", Wiring::Session { errors: Wire::Pipe });
        check("out err same", attached(Wire::Terminal, Wire::Untouched));
        check("out err", attached(Wire::Terminal, Wire::Untouched));
        check("out", attached(Wire::Terminal, Wire::Pipe));
        check("in err", attached(Wire::Pipe, Wire::Terminal));
        check("err", attached(Wire::Pipe, Wire::Terminal));
        check("in", attached(Wire::Pipe, Wire::Pipe));
        check("", attached(Wire::Pipe, Wire::Pipe));
        check("same", attached(Wire::Pipe, Wire::WithOutput));
    }
}
