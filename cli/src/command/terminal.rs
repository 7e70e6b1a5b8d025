//! Terminals: a pseudo terminal for the command, and our own one, which is raw while it is only a window to that.

use super::readiness::{Watched, is_ready, watched};
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::process::getpgrp;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{
    OptionalActions, OutputModes, Termios, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr, tcsetwinsize,
};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use tokio::io::Interest;

/// A pseudo terminal: our side of it, and the command's.
pub(super) struct Pair {
    pub ours: OwnedFd,
    pub commands: OwnedFd,
}

impl Pair {
    /// Opens one with the size of another terminal, and its modes if we may use that: else they are those of whoever
    /// uses it now, such as of a shell whose person types the next line.
    pub(super) fn like(terminal: impl AsFd) -> io::Result<Self> {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let commands =
            ioctl_tiocgptpeer(&ours, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        let pair = Self { ours, commands };
        if is_ours(&terminal) {
            copy_modes(&terminal, &pair.ours)?;
        }
        copy_size(terminal, &pair.ours)?;
        rustix::io::ioctl_fionbio(&pair.ours, true)?;
        Ok(pair)
    }

    /// Leaves what is printed as it is, since the terminal that it is copied to will end the lines.
    pub(super) fn without_processing(self) -> io::Result<Self> {
        let mut modes = tcgetattr(&self.commands)?;
        modes.output_modes.remove(OutputModes::OPOST);
        tcsetattr(&self.commands, OptionalActions::Now, &modes)?;
        Ok(self)
    }
}

/// Gives one terminal the size of another.
pub(super) fn copy_size(from: impl AsFd, to: impl AsFd) -> io::Result<()> {
    Ok(tcsetwinsize(to, tcgetwinsize(from)?)?)
}

/// Gives one terminal the modes of another.
pub(super) fn copy_modes(from: impl AsFd, to: impl AsFd) -> io::Result<()> {
    Ok(tcsetattr(to, OptionalActions::Now, &tcgetattr(from)?)?)
}

/// Tells whether our process group may use the terminal now. Where there is no job control, it may.
pub(super) fn is_ours(terminal: impl AsFd) -> bool {
    tcgetpgrp(terminal).map_or(true, |group| group == getpgrp())
}

/// Our terminal, raw from time to time. It is as it was when this is dropped.
pub(super) struct Screen {
    terminal: OwnedFd,
    before: Option<Termios>,
}

impl Screen {
    pub(super) fn new(terminal: impl AsFd) -> io::Result<Self> {
        Ok(Self { terminal: terminal.as_fd().try_clone_to_owned()?, before: None })
    }

    /// Makes it raw, and keeps how it was.
    pub(super) fn enter(&mut self) -> io::Result<()> {
        let before = tcgetattr(&self.terminal)?;
        tcsetattr(&self.terminal, OptionalActions::Now, &raw(&before))?;
        self.before.get_or_insert(before);
        Ok(())
    }

    /// Makes it as it was.
    pub(super) fn leave(&mut self) {
        if let Some(before) = self.before.take() {
            // If it is gone there is nothing to mend.
            let _ = tcsetattr(&self.terminal, OptionalActions::Now, &before);
        }
    }

    pub(super) const fn is_raw(&self) -> bool {
        self.before.is_some()
    }

    pub(super) fn is_ours(&self) -> bool {
        is_ours(&self.terminal)
    }

    /// Gives the command's terminal the modes of this one.
    pub(super) fn give_modes(&self, to: impl AsFd) {
        // Without them it has those that terminals begin with.
        let _ = copy_modes(&self.terminal, to);
    }

    /// Gives the command's terminal the size of this one.
    pub(super) fn give_size(&self, to: impl AsFd) {
        // A terminal that is gone has no size, and then no one looks.
        let _ = copy_size(&self.terminal, to);
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Returns the modes in which each key arrives as it is, and each byte is shown as it is.
fn raw(modes: &Termios) -> Termios {
    let mut raw = modes.clone();
    raw.make_raw();
    raw
}

/// Makes a terminal as it was, if it still is as we made it. Allocates nothing.
pub(super) fn undo_raw(terminal: impl AsFd, before: &Termios) {
    let ours = raw(before);
    let is_still_ours = tcgetattr(&terminal).is_ok_and(|now| {
        (now.local_modes, now.input_modes, now.output_modes)
            == (ours.local_modes, ours.input_modes, ours.output_modes)
    });
    if is_still_ours {
        let _ = tcsetattr(&terminal, OptionalActions::Now, before);
    }
}

/// Carries keys from our terminal to the command's.
pub(super) struct Keyboard {
    terminal: Watched,
    typed: Vec<u8>,
    is_open: bool,
}

impl Keyboard {
    pub(super) fn new(terminal: impl AsFd) -> io::Result<Self> {
        let terminal = watched(terminal.as_fd().try_clone_to_owned()?, Interest::READABLE)?;
        Ok(Self { terminal, typed: Vec::new(), is_open: true })
    }

    /// Tells whether there may be more keys.
    pub(super) fn is_open(&self) -> bool {
        self.is_open || !self.typed.is_empty()
    }

    /// Reads some keys, or hands over some that were read. More are read only when the command's terminal has taken
    /// those. Nothing is lost if the future is dropped.
    pub(super) async fn carry(&mut self, to: &Watched) {
        if self.typed.is_empty() {
            return self.read().await;
        }
        let typed = &self.typed;
        match to.async_io(Interest::WRITABLE, |fd| Ok(rustix::io::write(fd, typed)?)).await {
            Ok(taken) => drop(self.typed.drain(..taken)),
            Err(_) => self.typed.clear(),
        }
    }

    /// The terminal is not ours alone, so it is not made non-blocking; it is read only if there is something.
    async fn read(&mut self) {
        let Ok(mut ready) = self.terminal.readable().await else {
            self.is_open = false;
            return;
        };
        if !is_ready(self.terminal.get_ref(), PollFlags::IN) {
            return ready.clear_ready();
        }
        let mut keys = [0; 4096];
        match rustix::io::read(self.terminal.get_ref(), &mut keys) {
            Ok(0) => self.is_open = false,
            Ok(length) => self.typed.extend_from_slice(&keys[..length]),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => self.is_open = false,
        }
    }
}
