//! The ledger on disk: `run/hosts/<id>/ledger.jsonl`, one JSON object a line, beside `lock`, which the host holds for
//! as long as it lives. A line is in the hands of the system once it is written, so it outlives the host, though
//! perhaps not the machine; after a restart of the machine nothing that it names exists either.

use super::entry::{EntryId, Holding, Kind};
use crate::keep::files::{self, FileError};
use pintle_manifest::kept::read_json_line;
use pintle_manifest::{Digest, Name, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The format of the file.
const FORMAT: u64 = 1;
/// The largest file that is read, in bytes.
const MAX: u64 = 64 * 1024 * 1024;
/// How long the file gets, in bytes, before what is not held any more is left out of it.
const LONG: u64 = 1024 * 1024;

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    /// The first line.
    Host { version: u64, pid: u32, started: u64, command: String, since_ms: u64, token: String },
    /// The code of an extension is about to run.
    Loading { name: Name, version: Version, tree: Option<Digest> },
    /// It is ready.
    Loaded { name: Name },
    /// It did not become ready, and that was counted.
    Failed { name: Name },
    /// Something is held.
    Held { id: EntryId, owner: Name, epoch: u64, since_ms: u64, kind: Kind },
    /// These are not held any more.
    Released { ids: Vec<EntryId> },
}

/// The record that a live host writes.
#[derive(Debug)]
pub(crate) struct Record {
    directory: PathBuf,
    written: Mutex<Option<Written>>,
    /// Held as long as the host lives.
    _lock: File,
    /// What marks the environment of everything that the host starts.
    pub(crate) token: String,
}

/// The file, and what has to be in it whatever is held.
#[derive(Debug)]
struct Written {
    file: File,
    length: u64,
    /// At which length it is written anew.
    limit: u64,
    /// The first line.
    head: Vec<u8>,
    /// The last line about the loading of each extension.
    loads: BTreeMap<Name, Vec<u8>>,
}

/// What the record of a host says.
#[derive(Debug, Clone)]
pub struct HostRecord {
    /// Its directory.
    pub directory: PathBuf,
    /// The host's process.
    pub pid: u32,
    /// What was typed to start it.
    pub command: String,
    /// Since when, in milliseconds since 1970.
    pub since_ms: u64,
    /// What marks the environment of everything that it started.
    pub(crate) token: String,
    /// Whether it still runs.
    pub alive: bool,
    /// Whether it was stopped, as by Ctrl-Z. It ends nothing until it goes on.
    pub stopped: bool,
    /// What is held in it, oldest first.
    pub holdings: Vec<Holding>,
    /// How far the loading of each extension went.
    pub loads: BTreeMap<Name, LoadState>,
}

/// How far the loading of an extension went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadState {
    /// Its code was about to run, and it never became ready or failed.
    Loading {
        /// Its version.
        version: Version,
        /// Its tree hash, if it has one.
        tree: Option<Digest>,
    },
    /// It became ready.
    Loaded,
    /// It failed, and that was counted.
    Failed,
}

impl Record {
    /// Begins one below `hosts`.
    pub(crate) fn begin(hosts: &Path, command: &str) -> Result<Self, FileError> {
        let pid = std::process::id();
        let started = crate::worker::start_time(pid).unwrap_or_default();
        let since_ms = files::now_ms();
        let token = format!("{pid}-{since_ms:x}-{:x}", files::random());
        let directory = hosts.join(&token);
        files::create_dirs(&directory)?;
        let lock = files::lock_now(&directory.join("lock"))?
            .ok_or_else(|| FileError::Busy { path: directory.join("lock") })?;
        let path = directory.join("ledger.jsonl");
        let mut file = files::create_new(&path)?;
        let command = command.to_owned();
        let head =
            Line::Host { version: FORMAT, pid, started, command, since_ms, token: token.clone() }.encode();
        // Without its first line it is no record, and is not taken for one.
        if let Err(error) = file.write_all(&head) {
            let _ = files::remove_tree(&directory);
            return Err(files::failed("write", &path)(error));
        }
        let length = head.len() as u64;
        let written = Written { file, length, limit: LONG, head, loads: BTreeMap::new() };
        Ok(Self { directory, written: Mutex::new(Some(written)), _lock: lock, token })
    }

    /// Notes that the code of an extension is about to run.
    pub(crate) fn loading(&self, name: &Name, version: &Version, tree: Option<Digest>) {
        self.load(name, &Line::Loading { name: name.clone(), version: version.clone(), tree });
    }

    /// Notes that an extension became ready.
    pub(crate) fn loaded(&self, name: &Name) {
        self.load(name, &Line::Loaded { name: name.clone() });
    }

    /// Notes that an extension did not become ready.
    pub(crate) fn failed(&self, name: &Name) {
        self.load(name, &Line::Failed { name: name.clone() });
    }

    pub(super) fn held(&self, holding: &Holding) {
        self.write(&Line::of(holding));
    }

    /// Tells whether so much was written that it is worth writing what is held anew.
    pub(super) fn is_long(&self) -> bool {
        let written = self.written.lock().expect("no holder panics");
        written.as_ref().is_some_and(|written| written.length > written.limit)
    }

    /// Writes it anew, with what is held and nothing else. If that fails, the old one goes on.
    pub(super) fn shorten<'a>(&self, held: impl Iterator<Item = &'a Holding>) {
        let mut written = self.written.lock().expect("no holder panics");
        let Some(written) = &mut *written else { return };
        let mut text = written.head.clone();
        written.loads.values().for_each(|line| text.extend_from_slice(line));
        held.for_each(|holding| text.extend(Line::of(holding).encode()));
        let new = self.directory.join("ledger.new");
        let path = self.directory.join("ledger.jsonl");
        let replaced = files::create_new(&new).and_then(|mut file| {
            let failed = |source| FileError::Io { action: "write", path: new.clone(), source };
            file.write_all(&text).and_then(|()| std::fs::rename(&new, &path)).map_err(failed)?;
            Ok(file)
        });
        match replaced {
            Ok(file) => (written.file, written.length) = (file, text.len() as u64),
            Err(_) => drop(std::fs::remove_file(&new)),
        }
        written.limit = LONG.max(written.length * 4);
    }

    pub(super) fn released(&self, ids: &[EntryId]) {
        self.write(&Line::Released { ids: ids.to_vec() });
    }

    /// Names a directory for one load of an extension, which goes with it.
    pub(crate) fn temporary(&self, name: &Name, epoch: u64) -> PathBuf {
        self.directory.join("tmp").join(format!("{name}-{epoch}"))
    }

    /// Removes the record of a host that ends in order.
    pub(crate) fn end(&self) {
        self.written.lock().expect("no holder panics").take();
        let _ = files::remove_tree(&self.directory);
    }

    fn load(&self, name: &Name, line: &Line) {
        let text = line.encode();
        if let Some(written) = &mut *self.written.lock().expect("no holder panics") {
            written.append(&text);
            written.loads.insert(name.clone(), text);
        }
    }

    fn write(&self, line: &Line) {
        if let Some(written) = &mut *self.written.lock().expect("no holder panics") {
            written.append(&line.encode());
        }
    }
}

impl Written {
    /// A line that can't be written is lost: the host goes on, and after a kill less is cleaned up.
    fn append(&mut self, line: &[u8]) {
        let _ = self.file.write_all(line);
        self.length += line.len() as u64;
    }
}

impl Line {
    fn of(holding: &Holding) -> Self {
        let Holding { id, owner, epoch, kind, since_ms } = holding.clone();
        Self::Held { id, owner, epoch, since_ms, kind }
    }

    fn encode(&self) -> Vec<u8> {
        // A path that is no text can't be written, and is left out.
        let mut text = serde_json::to_vec(self).unwrap_or_default();
        if !text.is_empty() {
            text.push(b'\n');
        }
        text
    }
}

impl Drop for Record {
    /// A host that goes away with its process still running, or that is given up while it starts, did not die: what it
    /// started ends with it, and nobody is to be blamed.
    fn drop(&mut self) {
        self.end();
    }
}

/// Removes the directories of hosts that were killed before they wrote anything.
pub(super) fn remove_empty(directory: &Path) -> Result<(), FileError> {
    for path in files::directories(directory)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let pid = name.split('-').next().and_then(|pid| pid.parse().ok());
        let is_dead = pid.is_some_and(|pid| crate::worker::start_time(pid).is_none());
        // Something that is no file is not nothing.
        let found = path.join("ledger.jsonl").symlink_metadata();
        let is_empty = found.map_or(true, |found| found.is_file() && found.len() == 0);
        if is_dead && is_empty {
            let _ = files::remove_tree(&path);
        }
    }
    Ok(())
}

/// Reads the records of all hosts, live and dead. One that can't be read is told apart, and left as it is.
pub fn hosts(directory: &Path) -> Result<(Vec<HostRecord>, Vec<FileError>), FileError> {
    let (mut records, mut unreadable) = (Vec::new(), Vec::new());
    for path in files::directories(directory)? {
        match read(&path) {
            Ok(Some(record)) => records.push(record),
            Ok(None) => {}
            Err(error) => unreadable.push(error),
        }
    }
    records.sort_by_key(|record| (record.since_ms, record.pid));
    Ok((records, unreadable))
}

/// Reads one record; `None` if the host ended in this instant.
fn read(directory: &Path) -> Result<Option<HostRecord>, FileError> {
    let path = directory.join("ledger.jsonl");
    let Some(text) = files::read_text(&path, MAX)? else { return Ok(None) };
    let alive = files::is_locked(&directory.join("lock"))?;
    let mut record: Option<HostRecord> = None;
    let mut held: BTreeMap<EntryId, Holding> = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let line: Line = match read_json_line(line, at + 1) {
            Ok(line) => line,
            // The last line of a host that was killed may be torn; one in the middle is not.
            Err(_) if !text.ends_with('\n') && text.lines().last() == Some(line) => break,
            Err(reason) => return Err(FileError::Unreadable { path, reason }),
        };
        match (line, &mut record) {
            (Line::Host { version, pid, started: _, command, since_ms, token }, None) => {
                if version > FORMAT {
                    return Err(FileError::Newer { path, format: version, reads: FORMAT });
                }
                record = Some(HostRecord {
                    directory: directory.to_owned(),
                    pid,
                    command,
                    since_ms,
                    token,
                    alive,
                    stopped: alive && crate::worker::is_stopped(pid),
                    holdings: Vec::new(),
                    loads: BTreeMap::new(),
                });
            }
            (Line::Loading { name, version, tree }, Some(record)) => {
                record.loads.insert(name, LoadState::Loading { version, tree });
            }
            (Line::Loaded { name }, Some(record)) => drop(record.loads.insert(name, LoadState::Loaded)),
            (Line::Failed { name }, Some(record)) => drop(record.loads.insert(name, LoadState::Failed)),
            (Line::Held { id, owner, epoch, since_ms, kind }, Some(_)) => {
                held.insert(id, Holding { id, owner, epoch, kind, since_ms });
            }
            (Line::Released { ids }, Some(_)) => ids.iter().for_each(|id| drop(held.remove(id))),
            (_, None) | (Line::Host { .. }, Some(_)) => {
                let reason = "its first line, and no other, says whose it is".to_owned();
                return Err(FileError::Unreadable { path, reason });
            }
        }
    }
    Ok(record.map(|mut record| {
        record.holdings = held.into_values().collect();
        record
    }))
}
