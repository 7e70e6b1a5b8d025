//! Bytes together with descriptors over a unix socket.

use rustix::io::{Errno, retry_on_intr};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The most descriptors that one message carries.
const MOST: usize = 8;

/// Sends bytes, and descriptors with the first of them. Returns how many bytes were taken.
pub(super) fn send(socket: impl AsFd, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> Result<usize, Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(Errno::TOOBIG);
    }
    retry_on_intr(|| sendmsg(&socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL))
}

/// Sends all of the bytes.
pub(super) fn send_all(socket: impl AsFd, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        let sent = send(&socket, bytes, &[])?;
        bytes = &bytes[sent..];
    }
    Ok(())
}

/// Receives bytes and the descriptors that come with them. No bytes mean that the other side is gone.
pub(super) fn receive(
    socket: impl AsFd,
    buffer: &mut [u8],
    flags: RecvFlags,
) -> Result<(usize, Vec<OwnedFd>), Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = flags | RecvFlags::CMSG_CLOEXEC;
    let received =
        retry_on_intr(|| recvmsg(&socket, &mut [IoSliceMut::new(buffer)], &mut control, flags))?.bytes;
    let mut descriptors = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            descriptors.extend(rights);
        }
    }
    Ok((received, descriptors))
}

/// Receives until the buffer is full. Returns whether it was filled, and the descriptors that came.
pub(super) fn receive_exact(socket: impl AsFd, buffer: &mut [u8]) -> Result<(bool, Vec<OwnedFd>), Errno> {
    let mut filled = 0;
    let mut descriptors = Vec::new();
    while filled < buffer.len() {
        let (received, more) = receive(&socket, &mut buffer[filled..], RecvFlags::empty())?;
        descriptors.extend(more);
        if received == 0 {
            return Ok((false, descriptors));
        }
        filled += received;
    }
    Ok((true, descriptors))
}
