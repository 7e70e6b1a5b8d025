//! `fs.read`: the beginning of a file. A granted list holds paths; links are followed before the path is compared, so that
//! none leads out of what was granted. What is compared is what is read, whatever is put in its place meanwhile.

use crate::call::{CallError, Caller};
use pintle_manifest::PermissionValue;
use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// How much is read at most, in bytes.
const MOST: u64 = 4 * 1024 * 1024;
/// How much is read if the caller does not say, in bytes.
const USUAL: u64 = 1024 * 1024;

#[derive(Deserialize)]
pub(super) struct ReadFile {
    path: PathBuf,
    #[serde(default)]
    max_bytes: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct Content {
    text: String,
    /// The size of the file, in bytes.
    size: u64,
    /// Whether there is more.
    truncated: bool,
    /// Whether some bytes were no UTF-8 and are replaced.
    lossy: bool,
}

pub(super) async fn read(caller: Caller, arguments: ReadFile) -> Result<Content, CallError> {
    let most = arguments.max_bytes.unwrap_or(USUAL).min(MOST);
    let path = caller.core.directory.join(arguments.path);
    let permission = caller.core.promise.call("fs.read").and_then(|call| call.permission.as_ref());
    let bundle = &caller.member.bundle;
    let roots: Vec<Vec<PathBuf>> = [&bundle.grants, &bundle.manifest.permissions]
        .into_iter()
        .filter_map(|permissions| match permissions.get(permission?)? {
            PermissionValue::Only(roots) => {
                Some(roots.iter().map(|root| caller.core.directory.join(root)).collect())
            }
            PermissionValue::All => None,
        })
        .collect();
    let read = tokio::task::spawn_blocking(move || read_now(&path, most, &roots));
    read.await.map_err(|_| CallError::new("file.failed", "the file could not be read"))?
}

/// Reads a file, which must be below one of the roots of each list: what was granted, and what was asked for.
fn read_now(path: &Path, most: u64, lists: &[Vec<PathBuf>]) -> Result<Content, CallError> {
    let failed = |error: io::Error| {
        let code = match error.kind() {
            io::ErrorKind::NotFound => "file.not_found",
            io::ErrorKind::PermissionDenied => "file.denied",
            _ => "file.failed",
        };
        CallError::new(code, format!("can't read `{}`: {error}", path.display()))
    };
    let found = Found::look(path).map_err(failed)?;
    let real = &found.real;
    for roots in lists {
        let below = |root: &PathBuf| std::fs::canonicalize(root).is_ok_and(|root| real.starts_with(root));
        if !roots.iter().any(below) {
            let message =
                format!("`{}` leads to `{}`, which was not granted", path.display(), real.display());
            return Err(CallError::new("permission.denied", message));
        }
    }
    let metadata = found.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(CallError::new("file.not_a_file", format!("`{}` is no file", path.display())));
    }
    let mut bytes = Vec::new();
    let file = found.open().map_err(failed)?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    let truncated = bytes.len() as u64 > most;
    bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    let lossy = std::str::from_utf8(&bytes).is_err();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(Content { text, size: metadata.len(), truncated, lossy })
}

/// Something that was found and not opened yet: a pipe that is looked at does not wait for whoever writes it.
struct Found {
    #[cfg(target_os = "linux")]
    file: File,
    /// Where it is, without links.
    real: PathBuf,
}

#[cfg(target_os = "linux")]
impl Found {
    fn look(path: &Path) -> io::Result<Self> {
        use rustix::fs::{Mode, OFlags, open};
        let file = File::from(open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?);
        let real = std::fs::read_link(Self::place(&file))?;
        Ok(Self { file, real })
    }

    fn metadata(&self) -> io::Result<Metadata> {
        self.file.metadata()
    }

    fn open(&self) -> io::Result<File> {
        File::open(Self::place(&self.file))
    }

    fn place(file: &File) -> PathBuf {
        use std::os::fd::AsRawFd as _;
        PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
    }
}

#[cfg(not(target_os = "linux"))]
impl Found {
    fn look(path: &Path) -> io::Result<Self> {
        Ok(Self { real: std::fs::canonicalize(path)? })
    }

    fn metadata(&self) -> io::Result<Metadata> {
        self.real.metadata()
    }

    fn open(&self) -> io::Result<File> {
        File::open(&self.real)
    }
}
