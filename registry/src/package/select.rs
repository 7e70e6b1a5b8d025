//! Which files of a folder belong to the package. Knows `.gitignore` as it stands in the folder, and nothing of what
//! git, the user or the folders above would add to it; so everyone gets the same files.

use crate::archive::{Collision, Names, SourceFile};
use crate::store::fs::FsError;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder};
use pintle_manifest::{Manifest, PackagePath, PathError, Untrusted};
use std::io;
use std::path::{Path, PathBuf};

/// The manifest, which belongs to every package whatever the patterns say.
const MANIFEST: &str = "extension.toml";

/// What version control keeps beside the files, as a directory or (in a linked worktree) a file.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// Holds the files that belong to a package, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selected {
    /// The files.
    pub files: Vec<SourceFile>,
}

/// Says why the files of a folder can't be selected.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    /// The disk failed.
    #[error(transparent)]
    Disk(#[from] FsError),
    /// A pattern of `include` or `exclude` is none.
    #[error("`{}` is not a pattern", Untrusted(pattern))]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        #[source]
        source: ignore::Error,
    },
    /// Some files can't be part of any package.
    #[error("{} of the files can't be part of a package: {}", files.len(), list(files))]
    Refused {
        /// All of them, sorted by path.
        files: Vec<RefusedFile>,
    },
}

/// Names a file that would belong to the package and can't.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` {reason}", Untrusted(path))]
pub struct RefusedFile {
    /// Its path, with what is not UTF-8 replaced.
    pub path: String,
    /// Why it can't.
    pub reason: Reason,
}

/// Says why a file can't be part of a package.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// A symbolic link.
    #[error("is a symbolic link")]
    Symlink,
    /// A pipe, a socket or a device.
    #[error("is not a regular file")]
    Special,
    /// A name that is not UTF-8.
    #[error("has a name that is not UTF-8")]
    NotUtf8,
    /// A name that not every platform takes.
    #[error("has a name that not every platform takes: {0}")]
    Path(PathError),
    /// It and another path can't both exist on every file system.
    #[error("can't be there: {0}")]
    Collision(Collision),
}

impl Reason {
    /// Returns the stable code of this kind.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Symlink => "package.link",
            Self::Special => "package.special_file",
            Self::NotUtf8 | Self::Path(_) => "package.path",
            Self::Collision(_) => "package.collision",
        }
    }
}

impl Selected {
    /// Finds a file by its path.
    pub fn get(&self, path: &PackagePath) -> Option<&SourceFile> {
        self.files.binary_search_by(|file| file.path.cmp(path)).ok().map(|at| &self.files[at])
    }
}

/// Finds the files that belong to the package. Without `include`, that is all that `.gitignore` does not name; with
/// it, exactly what it matches, ignored by git or not, so that what a build made can be shipped.
pub fn files(folder: &Path, manifest: &Manifest) -> Result<Selected, SelectError> {
    let folder = folder.canonicalize().map_err(FsError::new("find", folder))?;
    let patterns = Patterns::new(manifest)?;
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for entry in walk(&folder, patterns.include.is_none()) {
        let entry = entry.map_err(|error| disk_error(&folder, error))?;
        let Some(kind) = entry.file_type().filter(|kind| !kind.is_dir()) else { continue };
        let relative = entry.path().strip_prefix(&folder).unwrap_or_else(|_| entry.path());
        if !patterns.select(relative) {
            continue;
        }
        match source_file(&entry, relative, kind) {
            Ok(file) => found.push(file),
            Err(reason) => refused.push(RefusedFile { path: display(relative), reason }),
        }
    }
    add_manifest(&folder, &mut found, &mut refused)?;
    found.sort_by(|one, other| one.path.cmp(&other.path));
    let mut names = Names::default();
    for file in &found {
        if let Err(collision) = names.add(&file.path) {
            refused.push(RefusedFile { path: file.path.to_string(), reason: Reason::Collision(collision) });
        }
    }
    refused.sort_by(|one, other| one.path.cmp(&other.path));
    match refused.is_empty() {
        true => Ok(Selected { files: found }),
        false => Err(SelectError::Refused { files: refused }),
    }
}

fn walk(folder: &Path, honour_gitignore: bool) -> ignore::Walk {
    WalkBuilder::new(folder)
        .standard_filters(false)
        .git_ignore(honour_gitignore)
        .require_git(false)
        .follow_links(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(|entry| {
            entry.depth() == 0 || !VERSION_CONTROL.iter().any(|name| entry.file_name() == *name)
        })
        .build()
}

/// The manifest's own patterns.
struct Patterns {
    include: Option<Gitignore>,
    exclude: Gitignore,
}

impl Patterns {
    fn new(manifest: &Manifest) -> Result<Self, SelectError> {
        let selection = &manifest.selection;
        let include = match selection.include.is_empty() {
            true => None,
            false => Some(compile(&selection.include)?),
        };
        Ok(Self { include, exclude: compile(&selection.exclude)? })
    }

    fn select(&self, path: &Path) -> bool {
        let matches = |patterns: &Gitignore| patterns.matched_path_or_any_parents(path, false).is_ignore();
        path != Path::new(MANIFEST) && self.include.as_ref().is_none_or(matches) && !matches(&self.exclude)
    }
}

fn compile(patterns: &[String]) -> Result<Gitignore, SelectError> {
    let mut builder = GitignoreBuilder::new("");
    for pattern in patterns {
        builder
            .add_line(None, pattern)
            .map_err(|source| SelectError::Pattern { pattern: pattern.clone(), source })?;
    }
    builder.build().map_err(|source| SelectError::Pattern { pattern: patterns.join(" "), source })
}

fn source_file(entry: &DirEntry, relative: &Path, kind: std::fs::FileType) -> Result<SourceFile, Reason> {
    if kind.is_symlink() {
        return Err(Reason::Symlink);
    }
    if !kind.is_file() {
        return Err(Reason::Special);
    }
    let parts: Option<Vec<&str>> = relative.iter().map(|part| part.to_str()).collect();
    let path = PackagePath::parse(&parts.ok_or(Reason::NotUtf8)?.join("/")).map_err(Reason::Path)?;
    let executable = entry.metadata().is_ok_and(|metadata| is_executable(&metadata));
    Ok(SourceFile { path, from: entry.path().to_owned(), executable })
}

/// Adds `extension.toml`, which no pattern can leave out.
fn add_manifest(
    folder: &Path,
    found: &mut Vec<SourceFile>,
    refused: &mut Vec<RefusedFile>,
) -> Result<(), SelectError> {
    let from = folder.join(MANIFEST);
    let metadata = std::fs::symlink_metadata(&from).map_err(FsError::new("find", &from))?;
    let mut refuse = |reason| refused.push(RefusedFile { path: MANIFEST.to_owned(), reason });
    match (metadata.is_symlink(), metadata.is_file()) {
        (true, _) => refuse(Reason::Symlink),
        (false, false) => refuse(Reason::Special),
        (false, true) => {
            let path = PackagePath::parse(MANIFEST).expect("the name of the manifest is a package path");
            found.push(SourceFile { path, from, executable: is_executable(&metadata) });
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o100 != 0
}

/// There is no such bit here.
#[cfg(not(unix))]
fn is_executable(_metadata: &std::fs::Metadata) -> bool {
    false
}

fn display(relative: &Path) -> String {
    let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

fn disk_error(folder: &Path, error: ignore::Error) -> FsError {
    let path = error_path(&error).unwrap_or(folder).to_owned();
    let text = error.to_string();
    let source = error.into_io_error().unwrap_or_else(|| io::Error::other(text));
    FsError { action: "list", path, source }
}

/// Returns the path that an error of the walk is about.
fn error_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => error_path(err),
        _ => None,
    }
}

fn list(files: &[RefusedFile]) -> String {
    files.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Makes the path of a file on this machine.
pub(super) fn place(folder: &Path, path: &PackagePath) -> PathBuf {
    path.parts().fold(folder.to_owned(), |place, part| place.join(part))
}
