//! The install stage: the files are what a person approved. The file that will be run is kept open while it is
//! checked, and what is run later is what is open, so it can't be swapped in between.

use super::StageFailure;
use crate::bundle::{Bundle, Content, File};
use pintle_manifest::{Digest, Entry, Hasher, PackagePath};
use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::Path;

/// How much of a file is read at once, in bytes. More than this the allocator takes from the system anew for each file.
const PIECE: usize = 64 * 1024;

/// Compares every file with what was approved. Returns the program or the library, open; none for a program that is looked
/// up on the machine, or that is not there. Of a folder under development only that is opened.
pub(super) fn check(bundle: &Bundle) -> Result<Option<std::fs::File>, StageFailure> {
    let entry = entry_path(bundle);
    let Some(content) = &bundle.content else {
        return Ok(
            entry.and_then(|entry| crate::keep::files::open_to_read(&bundle.root.join(entry.as_str())).ok())
        );
    };
    let mut opened = None;
    let found = present(&bundle.root).map_err(|error| unreadable(&bundle.root, &error))?;
    for file in &content.files {
        let path = bundle.root.join(file.path.as_str());
        let mut open = open_itself(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => changed(content, format!("`{}` is gone", file.path.as_str())),
            _ if error.raw_os_error() == Some(libc::ELOOP) => {
                changed(content, format!("`{}` is a link now", file.path.as_str()))
            }
            _ => unreadable(&path, &error),
        })?;
        let is_entry = entry.as_ref() == Some(&file.path);
        // A library is loaded from memory, so its bytes are compared when they are there.
        let is_compared_later = is_entry && matches!(bundle.manifest.entry, Entry::Native { .. });
        let compared = shape(&open, file).and_then(|()| match is_compared_later {
            true => Ok(()),
            false => bytes(&mut open, file),
        });
        compared.map_err(|problem| match problem {
            Problem::Differs(what) => changed(content, what),
            Problem::Io(error) => unreadable(&path, &error),
        })?;
        if is_entry {
            opened = Some(open);
        }
    }
    let known: BTreeSet<&str> = content.files.iter().map(|file| file.path.as_str()).collect();
    if let Some(extra) = found.iter().find(|path| !known.contains(path.as_str())) {
        return Err(changed(content, format!("`{extra}` was added")));
    }
    Ok(opened)
}

/// Opens a file, and nothing that a link in its place leads to.
fn open_itself(path: &Path) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options.open(path)
}

/// Returns the file of the package that will be run, if it is one.
pub(super) fn entry_path(bundle: &Bundle) -> Option<PackagePath> {
    match &bundle.manifest.entry {
        Entry::Process { command, .. } => command
            .first()
            .filter(|program| program.contains('/'))
            .and_then(|program| PackagePath::parse(program.strip_prefix("./").unwrap_or(program)).ok()),
        Entry::Native { library } => {
            let target = pintle_manifest::Target::current()?;
            library.get(&target).cloned()
        }
        Entry::Wasm { component } => Some(component.clone()),
    }
}

enum Problem {
    Differs(String),
    Io(io::Error),
}

fn shape(open: &std::fs::File, file: &File) -> Result<(), Problem> {
    let name = file.path.as_str();
    let metadata = open.metadata().map_err(Problem::Io)?;
    if !metadata.is_file() {
        return Err(Problem::Differs(format!("`{name}` is no file any more")));
    }
    if metadata.len() != file.size {
        return Err(Problem::Differs(format!(
            "`{name}` has {} bytes instead of {}",
            metadata.len(),
            file.size
        )));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let executable = metadata.permissions().mode() & 0o111 != 0;
        if executable != file.executable {
            let what = if executable { "can be run now" } else { "can't be run any more" };
            return Err(Problem::Differs(format!("`{name}` {what}")));
        }
    }
    Ok(())
}

fn bytes(open: &mut std::fs::File, file: &File) -> Result<(), Problem> {
    match digest(open).map_err(Problem::Io)? == file.digest {
        true => Ok(()),
        false => Err(Problem::Differs(format!("`{}` has other bytes", file.path.as_str()))),
    }
}

/// Compares bytes that were read into memory with what was approved for a file. Of a folder under development nothing was.
pub(super) fn compare_read(bundle: &Bundle, path: &PackagePath, bytes: &[u8]) -> Result<(), StageFailure> {
    let Some(content) = &bundle.content else { return Ok(()) };
    let approved = content.files.iter().find(|file| file.path == *path);
    match approved.is_some_and(|file| file.digest == Digest::of(bytes)) {
        true => Ok(()),
        false => Err(changed(content, format!("`{}` has other bytes", path.as_str()))),
    }
}

fn digest(open: &mut std::fs::File) -> io::Result<Digest> {
    let mut hasher = Hasher::default();
    let mut piece = vec![0; PIECE];
    loop {
        match open.read(&mut piece)? {
            0 => return Ok(hasher.finish()),
            read => hasher.update(&piece[..read]),
        }
    }
}

/// Returns the relative paths of all files that are there.
fn present(root: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                open.push(path);
                continue;
            }
            let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            found.push(relative);
        }
    }
    found.sort();
    Ok(found)
}

fn changed(content: &Content, what: String) -> StageFailure {
    let tree = content.tree.to_string();
    StageFailure::new(
        "install.changed",
        format!("its files are not those that were approved as {tree}: {what}"),
    )
    .hint("`pintle verify --fix` fetches them anew")
}

fn unreadable(path: &Path, error: &io::Error) -> StageFailure {
    StageFailure::new("install.unreadable", format!("`{}` can't be read: {error}", path.display()))
        .hint("`pintle verify` looks at every file")
}
