//! A terminal with a person at it: a pseudo terminal, whose other side the test types on and reads.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::Stdio;

/// The person's side of a terminal.
pub(crate) struct Terminal {
    person: File,
    device: std::path::PathBuf,
    /// Held until a program is started, or reading would find the terminal hung up.
    open: Option<File>,
}

impl Terminal {
    /// Opens one.
    pub(crate) fn new() -> Self {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let name = ptsname(&person, Vec::new()).unwrap();
        let device = std::path::PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes()));
        let mut terminal = Self { person: File::from(person), device, open: None };
        terminal.open = Some(terminal.side());
        terminal
    }

    fn side(&self) -> File {
        let no_controlling = i32::try_from(rustix::fs::OFlags::NOCTTY.bits()).unwrap();
        File::options().read(true).write(true).custom_flags(no_controlling).open(&self.device).unwrap()
    }

    /// Returns the side of a program.
    pub(super) fn stdio(&self) -> Stdio {
        Stdio::from(self.side())
    }

    /// Says that a program has been started on it, so that it hangs up when that ends.
    pub(super) fn is_in_use(&mut self) {
        self.open = None;
    }

    /// Reads until something is shown, at most for half a minute.
    #[track_caller]
    pub(crate) fn shows(&mut self, text: &str) {
        let mut shown = Vec::new();
        let mut byte = [0];
        while !String::from_utf8_lossy(&shown).contains(text) {
            let mut polled = [PollFd::new(&self.person, PollFlags::IN)];
            let is_there = poll(&mut polled, Some(&Timespec { tv_sec: 30, tv_nsec: 0 })).unwrap() > 0;
            let read = if is_there { self.person.read(&mut byte).unwrap_or(0) } else { 0 };
            assert_ne!(read, 0, "`{text}` is not shown, only {:?}", String::from_utf8_lossy(&shown));
            shown.extend(byte);
        }
    }

    /// Gives it a size, as a person does who drags a corner of its window.
    pub(crate) fn resize(&self, rows: u16, columns: u16) {
        let size = rustix::termios::Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&self.person, size).unwrap();
    }

    /// Returns its modes, which a program may change and has to set back.
    pub(crate) fn modes(&self) -> String {
        format!("{:?}", rustix::termios::tcgetattr(&self.person).unwrap())
    }

    /// Types something.
    pub(crate) fn types(&mut self, text: &str) {
        self.person.write_all(text.as_bytes()).unwrap();
    }

    /// Reads what is shown until the program has ended.
    pub(crate) fn shows_at_last(mut self) -> String {
        // That the terminal hung up comes as an error.
        let mut shown = Vec::new();
        let _ = self.person.read_to_end(&mut shown);
        String::from_utf8(shown).unwrap()
    }
}
