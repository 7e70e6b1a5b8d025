//! Which paths can't stand beside each other. A package must mean the same on a file system that ignores case,
//! and a path can't be both a file and a directory.

use pintle_manifest::PackagePath;
use std::collections::HashMap;

/// Holds the paths seen so far, and refuses one that collides with them.
#[derive(Debug, Default)]
pub struct Names {
    seen: HashMap<String, Seen>,
    /// The parent of the last path, whose own parents need no second look.
    parent: String,
}

#[derive(Debug)]
struct Seen {
    spelled: String,
    is_directory: bool,
}

/// Names two paths that can't both exist on every file system.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Collision {
    /// The same path twice.
    #[error("`{path}` is there twice")]
    Same {
        /// The path.
        path: String,
    },
    /// Two paths that differ only in case.
    #[error("`{path}` and `{other}` differ only in case")]
    Case {
        /// The path, or the directory in it.
        path: String,
        /// The one seen before.
        other: String,
    },
    /// A file that is also a directory of another file.
    #[error("`{path}` is a file and also a directory")]
    FileAndDirectory {
        /// The path of the file.
        path: String,
    },
}

impl Names {
    /// Adds the path of a file, or says with what it collides. After a refusal, others can still be added.
    pub fn add(&mut self, path: &PackagePath) -> Result<(), Collision> {
        let text = path.as_str();
        let parent = text.rfind('/').map_or("", |at| &text[..at]);
        if parent != self.parent {
            for (at, _) in text.match_indices('/') {
                self.add_one(&text[..at], true)?;
            }
            parent.clone_into(&mut self.parent);
        }
        self.add_one(text, false)
    }

    fn add_one(&mut self, path: &str, is_directory: bool) -> Result<(), Collision> {
        let folded = path.to_ascii_lowercase();
        let Some(seen) = self.seen.get(&folded) else {
            self.seen.insert(folded, Seen { spelled: path.to_owned(), is_directory });
            return Ok(());
        };
        if seen.spelled != path {
            return Err(Collision::Case { path: path.to_owned(), other: seen.spelled.clone() });
        }
        match (seen.is_directory, is_directory) {
            (true, true) => Ok(()),
            (false, false) => Err(Collision::Same { path: path.to_owned() }),
            (true, false) | (false, true) => Err(Collision::FileAndDirectory { path: path.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Collision, Names};
    use pintle_manifest::PackagePath;

    fn check(paths: &[&str], expected: Result<(), Collision>) {
        let mut names = Names::default();
        let actual = paths.iter().try_for_each(|path| names.add(&PackagePath::parse(path).unwrap()));
        assert_eq!(actual, expected, "{paths:?}");
    }

    fn case(path: &str, other: &str) -> Result<(), Collision> {
        Err(Collision::Case { path: path.to_owned(), other: other.to_owned() })
    }

    #[test]
    fn case_08_paths_that_collide_somewhere_are_refused_everywhere() {
        check(&["a", "b", "d/a", "d/b", "d/e/a"], Ok(()));
        check(&["a", "a"], Err(Collision::Same { path: "a".to_owned() }));
        check(&["bin/Run", "bin/run"], case("bin/run", "bin/Run"));
        check(&["Dir/a", "dir/b"], case("dir", "Dir"));
        check(&["x/Dir/a", "x/b", "x/dir/b"], case("x/dir", "x/Dir"));
        check(&["A/b", "a"], case("a", "A"));
        check(&["a", "a/b"], Err(Collision::FileAndDirectory { path: "a".to_owned() }));
        check(&["a/b", "a"], Err(Collision::FileAndDirectory { path: "a".to_owned() }));
        check(&["a", "A/b"], case("A", "a"));
    }
}
