//! Bytes in memory that nobody can change any more: what was checked is what is loaded.

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;

/// Returns a file in memory with these bytes, sealed against writing, growing, shrinking and further seals.
pub fn memfd_sealed(bytes: &[u8]) -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // Some systems only allow files that can't be executed as programs, and older kernels do not know the flag. A
    // library can be mapped from either.
    let memory = match memfd_create(c"pintle-library", flags | MemfdFlags::NOEXEC_SEAL) {
        Err(Errno::INVAL) => memfd_create(c"pintle-library", flags)?,
        other => other?,
    };
    let mut file = File::from(memory);
    file.write_all(bytes)?;
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use super::memfd_sealed;
    use std::fs::File;
    use std::io::{Read as _, Seek as _, Write as _};

    #[test]
    fn sealed_bytes_are_read_and_never_changed() {
        let mut file = File::from(memfd_sealed(b"checked").unwrap());
        file.rewind().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "checked");
        file.rewind().unwrap();
        assert!(file.write(b"x").is_err(), "written");
        assert!(file.set_len(1).is_err(), "shrunk");
        assert!(file.set_len(100).is_err(), "grown");
    }
}
