//! `data/<name>/store.json`: the small durable state of one extension, by key. Each change is read anew, merged by key
//! and written whole, so that two hosts at once lose nothing of each other's keys.

use super::files::FileError;
use super::json_file::{FORMAT, JsonFile};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The largest store, in bytes of its file.
const MAX: u64 = 1024 * 1024;
/// The longest value, in bytes of JSON.
const MAX_VALUE: usize = 64 * 1024;
/// The longest key, in bytes.
const MAX_KEY: usize = 128;

/// The store of one extension.
#[derive(Debug)]
pub(crate) struct Keeper {
    file: JsonFile<StoreFile>,
}

/// Says why something can't be stored.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// The key is empty or too long.
    #[error("a key has 1 to {MAX_KEY} bytes, this has {length}")]
    Key {
        /// Its length.
        length: usize,
    },
    /// The value is too long.
    #[error("a value has at most {MAX_VALUE} bytes of JSON, this has {length}")]
    Value {
        /// Its length.
        length: usize,
    },
    /// It would be too much.
    #[error("the store would have {bytes} bytes, and may have {MAX}")]
    Full {
        /// How much it would be.
        bytes: u64,
    },
    /// The file can't be used.
    #[error(transparent)]
    File(#[from] FileError),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoreFile {
    version: u64,
    values: BTreeMap<String, Value>,
}

impl Keeper {
    /// Names the store in the directory that is the extension's own.
    pub(crate) fn new(data: &Path) -> Self {
        Self { file: JsonFile::new(data, ["store.json", "store.lock"], MAX, serde_json::to_string) }
    }

    /// Tells whether it can be read and locked.
    pub(super) fn check(&self) -> Result<(), FileError> {
        self.file.check_lock().and_then(|()| self.file.read().map(drop))
    }

    /// Returns what is stored under a key.
    pub(crate) fn get(&self, key: &str) -> Result<Option<Value>, StoreError> {
        check_key(key)?;
        Ok(self.file.read()?.and_then(|mut file| file.values.remove(key)))
    }

    /// Stores a value under a key; `None` removes it.
    pub(crate) fn set(&self, key: &str, value: Option<Value>) -> Result<(), StoreError> {
        check_key(key)?;
        let length = value.as_ref().map_or(0, |value| value.to_string().len());
        if length > MAX_VALUE {
            return Err(StoreError::Value { length });
        }
        self.file.change(|before| {
            let mut values = before.map(|file| file.values).unwrap_or_default();
            match value {
                Some(value) => drop(values.insert(key.to_owned(), value)),
                None => drop(values.remove(key)),
            }
            let file = StoreFile { version: FORMAT, values };
            let bytes = serde_json::to_string(&file).expect("keys are texts").len() as u64;
            match bytes < MAX {
                true => Ok((file, ())),
                false => Err(StoreError::Full { bytes }),
            }
        })
    }
}

fn check_key(key: &str) -> Result<(), StoreError> {
    match (1..=MAX_KEY).contains(&key.len()) {
        true => Ok(()),
        false => Err(StoreError::Key { length: key.len() }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Keeper, StoreError};
    use serde_json::json;

    #[test]
    fn what_was_set_is_there_and_what_is_damaged_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let keeper = Keeper::new(&dir.path().join("acme"));
        assert_eq!(keeper.get("count").unwrap(), None);
        keeper.set("count", Some(json!(3))).unwrap();
        keeper.set("name", Some(json!("ada"))).unwrap();
        keeper.set("count", None).unwrap();
        assert_eq!((keeper.get("count").unwrap(), keeper.get("name").unwrap()), (None, Some(json!("ada"))));
        assert!(matches!(keeper.set("", Some(json!(1))), Err(StoreError::Key { length: 0 })));
        let long = "x".repeat(2 * 1024 * 1024);
        assert!(matches!(keeper.set("long", Some(json!(long))), Err(StoreError::Value { .. })));
        let mut file = std::fs::File::create(dir.path().join("acme/store.json")).unwrap();
        std::io::Write::write_all(&mut file, b"{").unwrap();
        assert!(matches!(keeper.set("name", Some(json!("bob"))), Err(StoreError::File(_))));
        assert_eq!(std::fs::read_to_string(dir.path().join("acme/store.json")).unwrap(), "{");
    }
}
