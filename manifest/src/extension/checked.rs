//! Values that passed the grammar, on their way from the walk to the [`Manifest`](super::Manifest). A value is
//! parsed once; here it waits in its final type, and is taken out by that type.

use crate::{HostName, Name, PackagePath, PermissionValue, Requirement, Target, Version};
use std::collections::BTreeMap;
use std::time::Duration;

/// One checked value.
pub(crate) enum Checked {
    /// A bare `true`.
    True,
    /// The `manifest_version`, which has one value only.
    ManifestVersion,
    Text(String),
    Name(Name),
    Host(HostName),
    Version(Version),
    Requirement(Requirement),
    Path(PackagePath),
    Target(Target),
    Time(Duration),
    List(Vec<Checked>),
    /// A table with known keys.
    Fields(Fields),
    /// A table whose keys are the author's.
    Map(Vec<(Checked, Checked)>),
}

/// A table with known keys.
#[derive(Default)]
pub(crate) struct Fields(BTreeMap<&'static str, Checked>);

/// Is what a checked value can be taken as.
pub(crate) trait FromChecked: Sized {
    /// Takes the value, if it is of this type.
    fn from_checked(value: Checked) -> Option<Self>;
}

impl Fields {
    pub(super) fn put(&mut self, key: &'static str, value: Checked) {
        self.0.insert(key, value);
    }

    /// Takes the value of a key, if it is there and of this type.
    pub(super) fn take<T: FromChecked>(&mut self, key: &str) -> Option<T> {
        self.0.remove(key).and_then(T::from_checked)
    }

    /// Takes the value of a key, or what stands for nothing.
    pub(super) fn take_or_default<T: FromChecked + Default>(&mut self, key: &str) -> T {
        self.take(key).unwrap_or_default()
    }
}

macro_rules! taken_as {
    ($($variant:ident($type:ty)),*) => {
        $(impl FromChecked for $type {
            fn from_checked(value: Checked) -> Option<Self> {
                if let Checked::$variant(value) = value { Some(value) } else { None }
            }
        })*
    };
}
taken_as!(
    Text(String),
    Name(Name),
    Host(HostName),
    Version(Version),
    Requirement(Requirement),
    Path(PackagePath),
    Target(Target),
    Time(Duration),
    Fields(Fields)
);

impl<T: FromChecked> FromChecked for Vec<T> {
    fn from_checked(value: Checked) -> Option<Self> {
        let Checked::List(items) = value else { return None };
        items.into_iter().map(T::from_checked).collect()
    }
}

impl<K: FromChecked + Ord, V: FromChecked> FromChecked for BTreeMap<K, V> {
    fn from_checked(value: Checked) -> Option<Self> {
        let Checked::Map(entries) = value else { return None };
        entries
            .into_iter()
            .map(|(key, value)| Some((K::from_checked(key)?, V::from_checked(value)?)))
            .collect()
    }
}

impl FromChecked for PermissionValue {
    fn from_checked(value: Checked) -> Option<Self> {
        if matches!(value, Checked::True) {
            return Some(Self::All);
        }
        let mut items = Vec::from_checked(value)?;
        items.sort();
        items.dedup();
        Some(Self::Only(items))
    }
}
