//! Prints to standard error while a command may have made the terminal raw, in which case a line ends in two characters.

use std::io::Write as _;

/// Prints text as it is; whoever made it escaped what came from outside.
pub(super) fn print(text: &str) {
    let mut err = std::io::stderr().lock();
    let is_raw = rustix::termios::tcgetattr(&err)
        .is_ok_and(|attributes| !attributes.output_modes.contains(rustix::termios::OutputModes::OPOST));
    let text = if is_raw { text.replace('\n', "\r\n") } else { text.to_owned() };
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}
