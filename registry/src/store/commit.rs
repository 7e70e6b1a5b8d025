//! How a set changes: whole or not at all, whatever instant the power fails at.
//!
//! 1. `state/pending.json` says which generation is coming and what `pintle.toml` and `pintle.lock` will be.
//! 2. The new generation is written beside the others, with copies of both texts, and renamed to its number.
//! 3. One barrier puts all of that on the disk.
//! 4. `current` is swapped by a rename. **This is the commit**: before it the old set stands, after it the new one.
//! 5. `pintle.toml` and `pintle.lock` are renamed into place, the directory is synced, the pending file removed.
//!
//! Recovery, which every changing command runs first, looks at the pending file. If `current` is the generation it
//! names, step 5 is done again from the copies, unless a person has changed the file since. If not, the generation
//! never became current and is dropped. Both can be interrupted and repeated.

use super::fs::{self, Barrier, FsError};
use super::lease::Lease;
use super::scope::Scope;
use super::set_file::Set;
use super::state_file::{self, StateError};
use pintle_manifest::{Digest, Name};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How many generations are kept.
pub const KEPT: usize = 5;
/// The largest `pintle.toml` or `pintle.lock` that is read.
pub const MAX_TEXT: u64 = 32 * 1024 * 1024;

/// A set that is to become current.
pub struct NewGeneration<'a> {
    /// What it is made of; its number is given by [`commit`].
    pub set: Set,
    /// The text of `pintle.toml` that it fulfils.
    pub wishes: FileChange<'a>,
    /// The text of `pintle.lock` that it holds.
    pub lock: FileChange<'a>,
    /// The directory of each extension.
    pub roots: BTreeMap<Name, PathBuf>,
}

/// What a file was when the change was prepared, and what it is to be.
#[derive(Debug, Clone, Copy)]
pub struct FileChange<'a> {
    /// The digest of what was read; `None` if there was no file.
    pub before: Option<Digest>,
    /// The text to be.
    pub after: &'a str,
}

/// What recovery found and did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovered {
    /// A change had become current, and was finished.
    Finished {
        /// The generation.
        generation: u64,
    },
    /// A change had not become current, and was dropped.
    Dropped {
        /// The generation.
        generation: u64,
    },
}

/// Says why a set did not change.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// A file was changed by someone else meanwhile.
    #[error("`{}` was changed while this command ran, so nothing was done", path.display())]
    ChangedMeanwhile {
        /// The file.
        path: PathBuf,
    },
    /// Another generation became current meanwhile, which the lease should have kept from happening.
    #[error("the set was changed by another process while this command ran, so nothing was done")]
    SetChangedMeanwhile,
    /// The set has changed, and what belongs to it could not all be written or synced.
    #[error("generation {generation} is current now, but not all that belongs to it could be written")]
    Unfinished {
        /// The generation.
        generation: u64,
        /// What could not be done.
        #[source]
        source: FsError,
    },
    /// There is no generation of this number.
    #[error("there is no generation {number}")]
    NoGeneration {
        /// The number.
        number: u64,
        /// Those that are there.
        available: Vec<u64>,
    },
    /// A file of state can't be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// The disk refused.
    #[error(transparent)]
    Fs(#[from] FsError),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pending {
    version: u64,
    generation: u64,
    origin: Origin,
    files: Vec<PendingFile>,
}

/// Whether dropping the change also drops the generation.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Origin {
    /// It was made for this change.
    New,
    /// It was there before.
    Kept,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PendingFile {
    #[serde(with = "super::written_path")]
    path: PathBuf,
    #[serde(with = "super::written_path")]
    temporary: PathBuf,
    copy: String,
    before: Option<Digest>,
    after: Digest,
}

const WISHES_COPY: &str = "pintle.toml";
const LOCK_COPY: &str = "pintle.lock";

/// Makes a new set current. Returns it with the number it got.
pub fn commit(scope: &Scope, _lease: &Lease, new: NewGeneration<'_>) -> Result<Set, CommitError> {
    let generations = scope.generations();
    let mut set = new.set;
    let barrier = Barrier::raise(&scope.base)?;
    set.generation = generations.numbers()?.last().map_or(1, |last| last + 1);
    let changes = [(&scope.wishes, WISHES_COPY, new.wishes), (&scope.lock, LOCK_COPY, new.lock)];
    for (path, _, change) in &changes {
        check_unchanged(path, *change)?;
    }
    let files = pending_files(scope, &changes);
    write_pending(scope, set.generation, Origin::New, &files)?;
    let made = (|| {
        write_generation(scope, &set, &new.roots, [new.wishes.after, new.lock.after])?;
        write_drafts(scope, &files, [new.wishes.after, new.lock.after])?;
        barrier.sync()?;
        if generations.current()? != set.parent {
            return Err(CommitError::SetChangedMeanwhile);
        }
        // The wait for the disk may have been long enough for a person to save a file.
        changes.iter().try_for_each(|(path, _, change)| check_unchanged(path, *change))
    })();
    if let Err(error) = made {
        // The old set stands; what can't be cleaned up now is dropped by the next recovery.
        let _ = drop_pending(scope, set.generation, Origin::New, &files);
        return Err(error);
    }
    point_current(scope, set.generation)?;
    let generation = set.generation;
    finish(scope, &files).map_err(|source| CommitError::Unfinished { generation, source })?;
    Ok(set)
}

/// Makes an older or newer generation current again, with the wishes and the lock it had.
/// Returns the copies that were made of files which a person had changed since the current generation was made.
pub fn switch(scope: &Scope, _lease: &Lease, number: u64) -> Result<Vec<PathBuf>, CommitError> {
    let generations = scope.generations();
    let available = generations.numbers()?;
    if !available.contains(&number) {
        return Err(CommitError::NoGeneration { number, available });
    }
    let current = generations.read_current().ok().flatten();
    let mut saved = Vec::new();
    let texts: [String; 2] = read_copies(scope, number)?.into();
    let mut changes = Vec::new();
    for (path, copy, text, known) in [
        (&scope.wishes, WISHES_COPY, &texts[0], current.as_ref().map(|set| set.wishes)),
        (&scope.lock, LOCK_COPY, &texts[1], current.as_ref().map(|set| set.lock)),
    ] {
        let bytes = fs::read_if_present(path, MAX_TEXT)?;
        let before = bytes.as_deref().map(Digest::of);
        if let (Some(bytes), Some(digest)) = (&bytes, before)
            && known != Some(digest)
            && digest != Digest::of(text.as_bytes())
        {
            saved.push(save_copy(path, bytes)?);
        }
        changes.push((path, copy, FileChange { before, after: text }));
    }
    let barrier = Barrier::raise(&scope.base)?;
    let files = pending_files(scope, &changes);
    write_pending(scope, number, Origin::Kept, &files)?;
    let made = write_drafts(scope, &files, [&texts[0], &texts[1]]).and_then(|()| Ok(barrier.sync()?));
    if let Err(error) = made {
        let _ = drop_pending(scope, number, Origin::Kept, &files);
        return Err(error);
    }
    point_current(scope, number)?;
    finish(scope, &files).map_err(|source| CommitError::Unfinished { generation: number, source })?;
    Ok(saved)
}

/// Finishes or drops what a killed command began, and sweeps what it left. Does nothing if nothing was begun.
pub fn recover(scope: &Scope, _lease: &Lease) -> Result<Option<Recovered>, CommitError> {
    let path = pending_path(scope);
    // A pending file is written by rename, so one that can't be read was never ours to act on.
    let Some(pending) = state_file::read::<Pending>(&path, MAX_TEXT, 1)? else {
        sweep(scope)?;
        return Ok(None);
    };
    let generation = pending.generation;
    let files = pending.files.into_iter().filter_map(|file| ours(scope, file)).collect();
    let pending = Pending { files, ..pending };
    if scope.generations().current()? != Some(generation) {
        drop_pending(scope, generation, pending.origin, &pending.files)?;
        sweep(scope)?;
        return Ok(Some(Recovered::Dropped { generation }));
    }
    let directory = scope.generations().path(generation);
    for file in &pending.files {
        let now = fs::read_if_present(&file.path, MAX_TEXT)?.as_deref().map(Digest::of);
        if now == file.before && now != Some(file.after) {
            // Under the name that the pending file holds, so that recovery can itself be killed and leave nothing.
            let text = read_copy(&directory, &file.copy)?;
            fs::remove_file(&file.temporary)?;
            fs::write_through(&file.temporary, &file.path, text.as_bytes())?;
        }
    }
    remove_drafts(&pending.files)?;
    fs::remove_file(&path)?;
    sweep(scope)?;
    Ok(Some(Recovered::Finished { generation }))
}

/// Replaces the wishes or the lock of a scope by a text, in one step, without making a generation.
pub fn write_beside_set(scope: &Scope, _lease: &Lease, path: &Path, text: &str) -> Result<(), FsError> {
    fs::write_through(&temporary_beside(scope, path), path, text.as_bytes())
}

/// Returns how the temporary names beside a file of a scope begin. Two homes may share a project, and each has a lease of
/// its own, so each has names of its own.
fn prefix_beside(scope: &Scope, path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let key = Digest::of(scope.base.as_os_str().as_encoded_bytes()).short();
    format!(".{name}.tmp-{key}-")
}

fn temporary_beside(scope: &Scope, path: &Path) -> PathBuf {
    path.with_file_name(format!("{}{}", prefix_beside(scope, path), std::process::id()))
}

/// Takes of a pending file only what this scope may write, whatever it says: the copy decides which of the two files
/// is meant, and of the temporary name only the last part counts. So a home that moved is recovered where it is now.
fn ours(scope: &Scope, file: PendingFile) -> Option<PendingFile> {
    let path = match file.copy.as_str() {
        WISHES_COPY => scope.wishes.clone(),
        LOCK_COPY => scope.lock.clone(),
        _ => return None,
    };
    let prefix = prefix_beside(scope, &path);
    let named = file.temporary.file_name().filter(|name| name.to_string_lossy().starts_with(&prefix));
    let temporary = named.map_or_else(|| temporary_beside(scope, &path), |name| path.with_file_name(name));
    Some(PendingFile { path, temporary, ..file })
}

/// Tells whether a killed command left something to recover, without changing anything.
pub fn is_pending(scope: &Scope) -> bool {
    // A link that leads nowhere is something, too.
    pending_path(scope).symlink_metadata().is_ok()
}

/// Removes the generations beyond the newest five, except the current one and those that a host holds.
pub fn prune(scope: &Scope, _lease: &Lease) -> Result<Vec<u64>, CommitError> {
    let generations = scope.generations();
    let mut numbers = generations.numbers()?;
    if numbers.len() <= KEPT {
        return Ok(Vec::new());
    }
    let current = generations.current()?;
    numbers.truncate(numbers.len() - KEPT);
    numbers.retain(|number| Some(*number) != current);
    let mut removed = Vec::new();
    for number in numbers {
        if generations.remove_unless_held(number)? {
            removed.push(number);
        }
    }
    Ok(removed)
}

fn pending_path(scope: &Scope) -> PathBuf {
    scope.base.join("state/pending.json")
}

fn check_unchanged(path: &Path, change: FileChange<'_>) -> Result<(), CommitError> {
    let now = fs::read_if_present(path, MAX_TEXT)?.as_deref().map(Digest::of);
    match now == change.before {
        true => Ok(()),
        false => Err(CommitError::ChangedMeanwhile { path: path.to_owned() }),
    }
}

fn pending_files(scope: &Scope, changes: &[(&PathBuf, &str, FileChange<'_>)]) -> Vec<PendingFile> {
    let changed = changes.iter().filter(|(_, _, change)| match change.before {
        Some(before) => before != Digest::of(change.after.as_bytes()),
        None => !change.after.is_empty(),
    });
    changed
        .map(|(path, copy, change)| PendingFile {
            path: (*path).clone(),
            temporary: temporary_beside(scope, path),
            copy: (*copy).to_owned(),
            before: change.before,
            after: Digest::of(change.after.as_bytes()),
        })
        .collect()
}

fn write_pending(
    scope: &Scope,
    generation: u64,
    origin: Origin,
    files: &[PendingFile],
) -> Result<(), CommitError> {
    #[derive(Serialize)]
    struct Borrowed<'a> {
        version: u64,
        generation: u64,
        origin: Origin,
        files: &'a [PendingFile],
    }
    let text = serde_json::to_string(&Borrowed { version: 1, generation, origin, files })
        .expect("numbers, digests and paths are texts");
    let path = pending_path(scope);
    // Synced before it gets its name: the barrier comes later, and a power cut between the two would leave an empty
    // file, by which recovery can't tell what to drop.
    let temporary = fs::write_beside(&path, text.as_bytes())?;
    Ok(fs::rename(&temporary, &path)?)
}

fn write_generation(
    scope: &Scope,
    set: &Set,
    roots: &BTreeMap<Name, PathBuf>,
    [wishes, lock]: [&str; 2],
) -> Result<(), CommitError> {
    let generations = scope.generations();
    let place = generations.path(set.generation);
    let new = fs::temporary_name(&place);
    let links = new.join("ext");
    std::fs::create_dir(&new).map_err(FsError::new("create", &new))?;
    let written = (|| {
        std::fs::create_dir(&links).map_err(FsError::new("create", &links))?;
        for (name, root) in roots {
            fs::create_link(root, &links.join(name.as_str()))?;
        }
        fs::draft(&new.join(WISHES_COPY), wishes.as_bytes())?;
        fs::draft(&new.join(LOCK_COPY), lock.as_bytes())?;
        fs::draft(&new.join("set.json"), set.to_json().as_bytes())?;
        fs::rename(&new, &place)
    })();
    Ok(written.inspect_err(|_| drop(fs::remove_tree(&new)))?)
}

/// Writes the new texts beside the files. The barrier covers those on the file system of the scope.
fn write_drafts(scope: &Scope, files: &[PendingFile], [wishes, lock]: [&str; 2]) -> Result<(), CommitError> {
    for file in files {
        let text = if file.copy == WISHES_COPY { wishes } else { lock };
        fs::draft(&file.temporary, text.as_bytes())?;
        fs::copy_mode(&file.path, &file.temporary)?;
        if !fs::same_file_system(&file.temporary, &scope.base) {
            fs::sync_file(&file.temporary)?;
        }
    }
    Ok(())
}

fn point_current(scope: &Scope, generation: u64) -> Result<(), CommitError> {
    let target = Path::new("generations").join(generation.to_string());
    Ok(fs::replace_link(&target, &scope.generations().current_link())?)
}

/// After the commit: puts the texts in place. If this fails the set has changed all the same, and recovery finishes.
fn finish(scope: &Scope, files: &[PendingFile]) -> Result<(), FsError> {
    if files.iter().any(|file| !fs::same_file_system(fs::parent(&file.path), &scope.base)) {
        // Another file system keeps no order with this one: the commit has to last before anything there follows it.
        fs::sync_dir(&scope.base)?;
    }
    for file in files {
        keep_edit(file)?;
        fs::rename(&file.temporary, &file.path)?;
    }
    fs::sync_dir(&scope.base)?;
    for file in files {
        let directory = fs::parent(&file.path);
        if directory != scope.base {
            fs::sync_dir(directory)?;
        }
    }
    fs::remove_file(&pending_path(scope))
}

/// What a person saved in the last instant is kept beside the file that takes its place.
fn keep_edit(file: &PendingFile) -> Result<(), FsError> {
    let Some(now) = fs::read_if_present(&file.path, MAX_TEXT)? else { return Ok(()) };
    match Some(Digest::of(&now)) == file.before || Digest::of(&now) == file.after {
        true => Ok(()),
        false => save_copy(&file.path, &now).map(drop),
    }
}

fn drop_pending(
    scope: &Scope,
    generation: u64,
    origin: Origin,
    files: &[PendingFile],
) -> Result<(), CommitError> {
    let generations = scope.generations();
    let is_newest = generations.numbers()?.last() == Some(&generation);
    // Only what this change made may go, and that is always the newest and never the current one.
    if origin == Origin::New && is_newest && generations.current()? != Some(generation) {
        generations.remove(generation)?;
    }
    remove_drafts(files)?;
    Ok(fs::remove_file(&pending_path(scope))?)
}

fn remove_drafts(files: &[PendingFile]) -> Result<(), FsError> {
    files.iter().try_for_each(|file| fs::remove_file(&file.temporary))
}

/// Removes the temporary names that a killed command can have left where only the holder of the lease writes.
fn sweep(scope: &Scope) -> Result<(), FsError> {
    let places = [
        (scope.base.clone(), ".current.tmp-"),
        (scope.base.clone(), ".project.json.tmp-"),
        (scope.generations().directory(), "."),
        (scope.base.join("state"), ".pending.json.tmp-"),
    ];
    for (directory, prefix) in places {
        fs::sweep(&directory, prefix)?;
    }
    for file in [&scope.wishes, &scope.lock] {
        fs::sweep(fs::parent(file), &prefix_beside(scope, file))?;
    }
    Ok(())
}

/// Returns the wishes and the lock that a generation was made from.
pub fn read_copies(scope: &Scope, number: u64) -> Result<(String, String), CommitError> {
    let directory = scope.generations().path(number);
    Ok((read_copy(&directory, WISHES_COPY)?, read_copy(&directory, LOCK_COPY)?))
}

fn read_copy(directory: &Path, copy: &str) -> Result<String, CommitError> {
    let path = directory.join(copy);
    let bytes = fs::read(&path, MAX_TEXT)?;
    String::from_utf8(bytes)
        .map_err(|_| StateError::Unreadable { path, reason: "it is not UTF-8".to_owned() })
        .map_err(CommitError::from)
}

fn save_copy(path: &Path, bytes: &[u8]) -> Result<PathBuf, FsError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut number = 1;
    loop {
        let copy = path.with_file_name(format!("{name}.saved-{number}"));
        if !copy.exists() {
            fs::write_atomic(&copy, bytes)?;
            return Ok(copy);
        }
        number += 1;
    }
}
