//! The part of a package that choosing needs, laid out so that thousands of releases are read in a millisecond or
//! two: each distinct name and requirement is kept once, and a release is a row of numbers. The bytes are the
//! inside of a [`pack`](super::pack); they never leave this machine.

use super::cursor::{Cursor, put_text, put_varint};
use super::format::FormatError;
use super::package::{Package, Release};
use pintle_manifest::{HostName, Name, Requirement, Target, Version};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

const YANKED: u8 = 1;
/// The version is a text, since it has more than three numbers.
const LONG_VERSION: u8 = 2;

/// Holds the releases of one package, as far as choosing needs them; lowest version first.
#[derive(Debug)]
pub struct Candidates {
    hosts: Vec<HostName>,
    names: Vec<Name>,
    requirements: Vec<Arc<Requirement>>,
    targets: Vec<Target>,
    pairs: Vec<(u32, u32)>,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    version: Version,
    yanked: bool,
    hosts: Range<u32>,
    dependencies: Range<u32>,
    targets: u64,
    record: Range<u64>,
}

/// One release, as far as choosing needs it.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    all: &'a Candidates,
    row: &'a Row,
}

/// Keeps requirements that were parsed, since thousands of releases have the same few.
#[derive(Debug, Default)]
pub(super) struct Interner {
    requirements: HashMap<Box<str>, Arc<Requirement>>,
}

impl Candidates {
    /// Returns the releases, lowest version first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Candidate<'_>> + ExactSizeIterator {
        self.rows.iter().map(|row| Candidate { all: self, row })
    }

    /// Returns the release of a version, build metadata ignored.
    pub fn get(&self, version: &Version) -> Option<Candidate<'_>> {
        let place = self.rows.binary_search_by(|row| row.version.cmp(version)).ok()?;
        self.rows.get(place).map(|row| Candidate { all: self, row })
    }

    fn pairs(&self, range: &Range<u32>) -> &[(u32, u32)] {
        &self.pairs[range.start as usize..range.end as usize]
    }
}

impl<'a> Candidate<'a> {
    /// Returns which version it is.
    pub fn version(self) -> &'a Version {
        &self.row.version
    }

    /// Tells whether it should no longer be chosen.
    pub fn yanked(self) -> bool {
        self.row.yanked
    }

    /// Returns the contracts it serves, with the versions it works under, by name.
    pub fn hosts(self) -> impl ExactSizeIterator<Item = (&'a HostName, &'a Requirement)> {
        let Self { all, row } = self;
        let read = move |(host, requirement): &(u32, u32)| {
            (&all.hosts[*host as usize], &*all.requirements[*requirement as usize])
        };
        all.pairs(&row.hosts).iter().map(read)
    }

    /// Returns the extensions it needs, by name.
    pub fn dependencies(self) -> impl ExactSizeIterator<Item = (&'a Name, &'a Requirement)> {
        let Self { all, row } = self;
        let read = move |(name, requirement): &(u32, u32)| {
            (&all.names[*name as usize], &*all.requirements[*requirement as usize])
        };
        all.pairs(&row.dependencies).iter().map(read)
    }

    /// Returns the targets it has an artifact for.
    pub fn targets(self) -> impl Iterator<Item = Target> {
        let Self { all, row } = self;
        all.targets
            .iter()
            .enumerate()
            .filter(|(bit, _)| row.targets >> bit & 1 == 1)
            .map(|(_, target)| *target)
    }

    /// Tells whether it has an artifact that this machine can take.
    pub fn fits(self, target: Target) -> bool {
        self.targets().any(|have| have == target || have == Target::ANY)
    }

    /// Returns where its full record is among those of its package.
    pub(super) fn record(self) -> Range<u64> {
        self.row.record.clone()
    }
}

/// Writes what [`read`] reads. `lengths` are those of the full records, release by release.
pub(super) fn write(package: &Package, lengths: &[u64]) -> Vec<u8> {
    let mut tables = Tables::default();
    let mut rows = Vec::new();
    put_varint(&mut rows, package.releases.len() as u64);
    for (release, length) in package.releases.iter().zip(lengths) {
        tables.put_row(&mut rows, release, *length);
    }
    let mut out = Vec::with_capacity(rows.len() + 512);
    for table in [&tables.hosts, &tables.names, &tables.requirements, &tables.targets] {
        put_varint(&mut out, table.order.len() as u64);
        for text in &table.order {
            put_text(&mut out, text);
        }
    }
    out.extend_from_slice(&rows);
    out
}

#[derive(Default)]
struct Tables {
    hosts: Words,
    names: Words,
    requirements: Words,
    targets: Words,
}

/// Numbers texts in the order in which they first come.
#[derive(Default)]
struct Words {
    numbers: HashMap<String, u64>,
    order: Vec<String>,
}

impl Words {
    fn number(&mut self, text: &str) -> u64 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.order.len() as u64;
        self.order.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

impl Tables {
    fn put_row(&mut self, out: &mut Vec<u8>, release: &Release, length: u64) {
        let version = &release.version;
        let text = version.to_string();
        let numbers = [version.major(), version.minor(), version.patch()];
        let long = text != numbers.map(|number| number.to_string()).join(".");
        let yanked = if release.yanked.is_some() { YANKED } else { 0 };
        out.push(yanked | if long { LONG_VERSION } else { 0 });
        match long {
            true => put_text(out, &text),
            false => numbers.into_iter().for_each(|number| put_varint(out, number)),
        }
        put_varint(out, release.hosts.len() as u64);
        for (host, requirement) in &release.hosts {
            put_varint(out, self.hosts.number(host.as_str()));
            put_varint(out, self.requirements.number(&requirement.to_string()));
        }
        put_varint(out, release.dependencies.len() as u64);
        for (name, requirement) in &release.dependencies {
            put_varint(out, self.names.number(name.as_str()));
            put_varint(out, self.requirements.number(&requirement.to_string()));
        }
        let bits = release.artifacts.keys().map(|target| 1_u64 << self.targets.number(target.as_str()));
        put_varint(out, bits.fold(0, |all, bit| all | bit));
        put_varint(out, length);
    }
}

/// Reads the candidates of one package. Every number is checked here, so that nothing can fail later.
pub(super) fn read(bytes: &[u8], interner: &mut Interner) -> Result<Candidates, FormatError> {
    let mut cursor = Cursor::new(bytes);
    let mut all = Candidates {
        hosts: read_table(&mut cursor, |text| HostName::parse(text).map_err(FormatError::malformed))?,
        names: read_table(&mut cursor, |text| Name::parse(text).map_err(FormatError::malformed))?,
        requirements: read_table(&mut cursor, |text| interner.requirement(text))?,
        targets: read_table(&mut cursor, |text| Target::parse(text).map_err(FormatError::malformed))?,
        pairs: Vec::new(),
        rows: Vec::new(),
    };
    if all.targets.len() > 64 {
        return Err(FormatError::malformed("it has more than 64 targets"));
    }
    let count = cursor.count()?;
    all.rows.reserve(count);
    let mut end = 0;
    for _ in 0..count {
        let row = all.read_row(&mut cursor, end)?;
        end = row.record.end;
        all.rows.push(row);
    }
    match cursor.is_empty() && all.rows.is_sorted_by(|left, right| left.version < right.version) {
        true => Ok(all),
        false => Err(FormatError::malformed("its releases are not in order")),
    }
}

fn read_table<T>(
    cursor: &mut Cursor<'_>,
    mut parse: impl FnMut(&str) -> Result<T, FormatError>,
) -> Result<Vec<T>, FormatError> {
    let count = cursor.count()?;
    (0..count).map(|_| parse(cursor.text()?)).collect()
}

impl Candidates {
    fn read_row(&mut self, cursor: &mut Cursor<'_>, start: u64) -> Result<Row, FormatError> {
        let flags = cursor.byte()?;
        let version = match flags & LONG_VERSION {
            0 => Version::new(cursor.varint()?, cursor.varint()?, cursor.varint()?),
            _ => Version::parse(cursor.text()?).map_err(FormatError::malformed)?,
        };
        let hosts = self.read_pairs(cursor, self.hosts.len())?;
        let dependencies = self.read_pairs(cursor, self.names.len())?;
        let targets = cursor.varint()?;
        let end = start.checked_add(cursor.varint()?);
        let end = end.ok_or_else(|| FormatError::malformed("a number is too large"))?;
        Ok(Row { version, yanked: flags & YANKED != 0, hosts, dependencies, targets, record: start..end })
    }

    fn read_pairs(&mut self, cursor: &mut Cursor<'_>, words: usize) -> Result<Range<u32>, FormatError> {
        let number = |value: u64, end: usize| match value < end as u64 {
            true => u32::try_from(value).map_err(FormatError::malformed),
            false => Err(FormatError::malformed("a number points nowhere")),
        };
        let start = u32::try_from(self.pairs.len()).map_err(FormatError::malformed)?;
        for _ in 0..cursor.count()? {
            let word = number(cursor.varint()?, words)?;
            self.pairs.push((word, number(cursor.varint()?, self.requirements.len())?));
        }
        let end = u32::try_from(self.pairs.len()).map_err(FormatError::malformed)?;
        Ok(start..end)
    }
}

impl Interner {
    fn requirement(&mut self, text: &str) -> Result<Arc<Requirement>, FormatError> {
        if let Some(known) = self.requirements.get(text) {
            return Ok(Arc::clone(known));
        }
        let parsed = Arc::new(Requirement::parse(text).map_err(FormatError::malformed)?);
        self.requirements.insert(text.into(), Arc::clone(&parsed));
        Ok(parsed)
    }
}

/// Compares what choosing sees of a release with the release itself; for tests.
#[cfg(test)]
pub(super) fn agrees(candidate: Candidate<'_>, release: &Release) -> bool {
    let hosts: std::collections::BTreeMap<_, _> =
        candidate.hosts().map(|(host, range)| (host.clone(), range.clone())).collect();
    let dependencies: std::collections::BTreeMap<_, _> =
        candidate.dependencies().map(|(name, range)| (name.clone(), range.clone())).collect();
    let mut targets: Vec<_> = candidate.targets().collect();
    targets.sort();
    candidate.version().to_string() == release.version.to_string()
        && candidate.yanked() == release.yanked.is_some()
        && hosts == release.hosts
        && dependencies == release.dependencies
        && targets.iter().eq(release.artifacts.keys())
}

#[cfg(test)]
mod tests {
    use super::{Interner, agrees, read, write};
    use crate::index::document;
    use proptest::prelude::{any, proptest};

    const FIXTURE: &[u8] = include_bytes!("../../tests/fixtures/package-1.json");

    #[test]
    fn choosing_sees_what_the_document_says() {
        let package = document::parse(FIXTURE).unwrap();
        let bytes = write(&package, &[10, 20]);
        let candidates = read(&bytes, &mut Interner::default()).unwrap();
        assert_eq!(candidates.iter().len(), 2);
        for (candidate, release) in candidates.iter().zip(&package.releases) {
            assert!(agrees(candidate, release), "{}", release.version);
            assert!(candidates.get(&release.version).is_some());
        }
        assert_eq!(candidates.iter().last().unwrap().record(), 10..30);
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end], &mut Interner::default()).is_err(), "cut at {end}");
        }
    }

    proptest! {
        #[test]
        fn no_change_of_a_byte_makes_it_panic(place in any::<usize>(), byte in any::<u8>()) {
            let package = document::parse(FIXTURE).unwrap();
            let mut bytes = write(&package, &[10, 20]);
            let place = place % bytes.len();
            bytes[place] = byte;
            if let Ok(candidates) = read(&bytes, &mut Interner::default()) {
                for candidate in candidates.iter() {
                    let _ = (candidate.hosts().count(), candidate.dependencies().count(), candidate.targets().count());
                }
            }
        }
    }
}
