//! The tree: what a release is made of, whatever archive brings it. Its digest is the identity of a release.
//!
//! As text it is one line `pintle-tree 1`, then one line a file, sorted by the bytes of the path:
//! `<0644|0755> <size> <sha256 in hex> <path>`. There is exactly one text for each tree.

use super::caps::{MAX_FILES, MAX_UNPACKED};
use super::names::{Collision, Names};
use pintle_manifest::{Digest, PackagePath};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const FIRST_LINE: &str = "pintle-tree 1";

/// Tells whether a file may be run. Nothing else of a mode is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// A file to read: 0644 in an archive, 0444 in the store.
    Plain,
    /// A file to run: 0755 in an archive, 0555 in the store.
    Executable,
}

/// Describes one file of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileEntry {
    /// Whether it may be run.
    pub mode: Mode,
    /// Its size in bytes.
    pub size: u64,
    /// The digest of its bytes.
    pub digest: Digest,
}

/// Holds the files of a release, by path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tree {
    files: BTreeMap<PackagePath, FileEntry>,
}

/// Says why a text is not a tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// The first line is another one: not a tree, or of a newer format.
    #[error("the first line is not `{FIRST_LINE}`")]
    FirstLine,
    /// A line is not as it must be.
    #[error("line {line} is not a mode, a size, a digest and a path")]
    Line {
        /// The line, from 1.
        line: usize,
    },
    /// Sizes, digests or order are written in another way than the only one.
    #[error("the text is not in the one form that a tree has")]
    NotCanonical,
    /// Two paths collide.
    #[error(transparent)]
    Collision(#[from] Collision),
    /// More files or bytes than a package may have.
    #[error("the tree is larger than a package may be")]
    TooLarge,
}

impl Mode {
    /// Returns the mode as it stands in an archive.
    pub const fn packed(self) -> u32 {
        match self {
            Self::Plain => 0o644,
            Self::Executable => 0o755,
        }
    }

    /// Returns the mode that a file has in the store.
    pub const fn stored(self) -> u32 {
        match self {
            Self::Plain => 0o444,
            Self::Executable => 0o555,
        }
    }
}

impl Tree {
    /// Makes a tree of files; the last of two with the same path stays.
    pub fn new(files: impl IntoIterator<Item = (PackagePath, FileEntry)>) -> Self {
        Self { files: files.into_iter().collect() }
    }

    /// Returns the one text of this tree.
    pub fn encode(&self) -> Vec<u8> {
        let mut text = String::with_capacity(16 + self.files.len() * 112);
        text.push_str(FIRST_LINE);
        text.push('\n');
        for (path, file) in &self.files {
            let (mode, digest) = (file.mode.packed(), file.digest.to_hex());
            writeln!(text, "{mode:04o} {} {digest} {path}", file.size).expect("a String takes all");
        }
        text.into_bytes()
    }

    /// Reads the text of a tree, and refuses every other way to write the same.
    pub fn decode(bytes: &[u8]) -> Result<Self, TreeError> {
        let text = std::str::from_utf8(bytes).map_err(|_| TreeError::NotCanonical)?;
        let mut lines = text.lines();
        if lines.next() != Some(FIRST_LINE) {
            return Err(TreeError::FirstLine);
        }
        let (mut tree, mut names) = (Self::default(), Names::default());
        for (number, line) in lines.enumerate() {
            let (path, file) = decode_line(line).ok_or(TreeError::Line { line: number + 2 })?;
            names.add(&path)?;
            tree.files.insert(path, file);
            if tree.files.len() as u64 > MAX_FILES {
                return Err(TreeError::TooLarge);
            }
        }
        if tree.unpacked_size() > MAX_UNPACKED {
            return Err(TreeError::TooLarge);
        }
        match tree.encode() == bytes {
            true => Ok(tree),
            false => Err(TreeError::NotCanonical),
        }
    }

    /// Returns the tree hash: the digest of [`encode`](Self::encode).
    pub fn digest(&self) -> Digest {
        Digest::of(&self.encode())
    }

    /// Returns the files, sorted by the bytes of their paths.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&PackagePath, &FileEntry)> {
        self.files.iter()
    }

    /// Returns what is known of one file.
    pub fn get(&self, path: &PackagePath) -> Option<&FileEntry> {
        self.files.get(path)
    }

    /// Returns the sum of all sizes, in bytes.
    pub fn unpacked_size(&self) -> u64 {
        self.files.values().fold(0, |sum, file| sum.saturating_add(file.size))
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Tells whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

fn decode_line(line: &str) -> Option<(PackagePath, FileEntry)> {
    let mut words = line.splitn(4, ' ');
    let mode = match words.next()? {
        "0644" => Mode::Plain,
        "0755" => Mode::Executable,
        _ => return None,
    };
    let size = words.next()?.parse().ok()?;
    let digest = Digest::parse(words.next()?).ok()?;
    let path = PackagePath::parse(words.next()?).ok()?;
    Some((path, FileEntry { mode, size, digest }))
}

#[cfg(test)]
mod tests {
    use super::{FileEntry, Mode, Tree, TreeError};
    use pintle_manifest::{Digest, PackagePath};

    fn tree(paths: &[&str]) -> Tree {
        let entry = |path: &str| FileEntry {
            mode: if path.starts_with("bin/") { Mode::Executable } else { Mode::Plain },
            size: path.len() as u64,
            digest: Digest::of(path.as_bytes()),
        };
        Tree::new(paths.iter().map(|path| (PackagePath::parse(path).unwrap(), entry(path))))
    }

    #[test]
    fn a_tree_has_one_text_and_so_one_hash() {
        let tree = tree(&["bin/run", "a", "a-b"]);
        let text = String::from_utf8(tree.encode()).unwrap();
        let digest = |path: &str| Digest::of(path.as_bytes()).to_hex();
        let expected = format!(
            "pintle-tree 1\n0644 1 {} a\n0644 3 {} a-b\n0755 7 {} bin/run\n",
            digest("a"),
            digest("a-b"),
            digest("bin/run")
        );
        assert_eq!(text, expected);
        assert_eq!(Tree::decode(text.as_bytes()).unwrap(), tree);
        assert_eq!(tree.digest(), Digest::of(text.as_bytes()));
        assert_eq!((tree.len(), tree.unpacked_size()), (3, 11));
    }

    #[test]
    fn any_other_text_is_refused() {
        let good = String::from_utf8(tree(&["a", "b"]).encode()).unwrap();
        let lines: Vec<&str> = good.lines().collect();
        let check = |text: &str, expected: TreeError| {
            assert_eq!(Tree::decode(text.as_bytes()), Err(expected), "{text}")
        };
        check("", TreeError::FirstLine);
        check(&good.replace("tree 1", "tree 2"), TreeError::FirstLine);
        check(good.trim_end(), TreeError::NotCanonical);
        check(&good.replace('\n', "\r\n"), TreeError::NotCanonical);
        check(&good.replace("0644 1", "0644 01"), TreeError::NotCanonical);
        check(&good.replace("0644 1", "0644 +1"), TreeError::NotCanonical);
        check(&good.replacen("0644", "0600", 1), TreeError::Line { line: 2 });
        check(&good.replace(" a\n", " ../a\n"), TreeError::Line { line: 2 });
        check(&format!("{}\n{}\n{}\n", lines[0], lines[2], lines[1]), TreeError::NotCanonical);
        check(&good.replace(" 1 ", " 999999999999 "), TreeError::TooLarge);
        assert!(matches!(
            Tree::decode(good.replace(" b\n", " A\n").as_bytes()),
            Err(TreeError::Collision(_))
        ));
    }
}
