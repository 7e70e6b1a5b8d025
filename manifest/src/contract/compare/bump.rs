//! Steps from one version to the next, by Semantic Versioning. Below 1.0.0 a minor step breaks and a patch step adds.

use crate::Version;

/// How large a step of the version something needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bump {
    /// Only words are different.
    Patch,
    /// Something is added; what was written for the old version works on.
    Minor,
    /// What was written for the old version may no longer work.
    Major,
}

impl Bump {
    /// Returns the word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }

    /// Tells whether the step from one version to another is large enough.
    pub fn is_admitted(self, old: &Version, new: &Version) -> bool {
        new > old && step(old, new) >= self
    }

    /// Returns the lowest version after `old` that admits this.
    pub fn least(self, old: &Version) -> Version {
        let (major, minor, patch) = (old.major(), old.minor(), old.patch());
        let release = Version::new(major, minor, patch);
        if self.is_admitted(old, &release) {
            return release;
        }
        match (self, major) {
            (Self::Major, 1..) => Version::new(major + 1, 0, 0),
            (Self::Major, 0) | (Self::Minor, 1..) => Version::new(major, minor + 1, 0),
            (Self::Minor, 0) | (Self::Patch, _) => Version::new(major, minor, patch + 1),
        }
    }
}

fn step(old: &Version, new: &Version) -> Bump {
    let is_early = new.major() == 0;
    // From a pre-release to its release, anything may change that the numbers themselves announce.
    let (major, minor) = match old.same_numbers(new) {
        true => (new.minor() == 0 && new.patch() == 0, new.patch() == 0),
        false => (new.major() != old.major(), new.major() != old.major() || new.minor() != old.minor()),
    };
    match (is_early, major, minor) {
        (false, true, _) | (true, _, true) => Bump::Major,
        (false, false, true) | (true, _, false) => Bump::Minor,
        (false, false, false) => Bump::Patch,
    }
}

#[cfg(test)]
mod tests {
    use super::Bump;
    use crate::Version;

    #[test]
    fn a_step_admits_what_semantic_versioning_says() {
        let check = |old: &str, new: &str, largest: &str| {
            let (old, new) = (Version::parse(old).unwrap(), Version::parse(new).unwrap());
            let all = [Bump::Patch, Bump::Minor, Bump::Major];
            let admitted = all.into_iter().rev().find(|bump| bump.is_admitted(&old, &new));
            assert_eq!(admitted.map_or("none", Bump::as_str), largest, "{old} to {new}");
        };
        check("1.0.0", "1.0.0", "none");
        check("1.0.0", "0.9.0", "none");
        check("1.0.0", "1.0.0-rc.1", "none");
        check("1.0.0", "1.0.0+build", "none");
        check("1.0.0", "1.0.1", "patch");
        check("1.0.0", "1.1.0", "minor");
        check("1.9.3", "1.10.0", "minor");
        check("1.0.0", "2.0.0", "major");
        check("1.0.0", "2.0.0-rc.1", "major");
        check("2.0.0-rc.1", "2.0.0", "major");
        check("1.1.0-rc.1", "1.1.0", "minor");
        check("1.1.1-rc.1", "1.1.1-rc.2", "patch");
        check("0.1.0", "0.2.0", "major");
        check("0.1.0", "0.1.1", "minor");
        check("0.1.0", "1.0.0", "major");
        check("0.2.0-a", "0.2.0-b", "major");
    }

    #[test]
    fn the_lowest_version_that_will_do_is_named() {
        let check = |old: &str, bump: Bump, expected: &str| {
            let old = Version::parse(old).unwrap();
            let least = bump.least(&old);
            assert_eq!(least.to_string(), expected, "{old} and {bump:?}");
            assert!(bump.is_admitted(&old, &least), "{old} to {least}");
        };
        check("1.2.3", Bump::Patch, "1.2.4");
        check("1.2.3", Bump::Minor, "1.3.0");
        check("1.2.3", Bump::Major, "2.0.0");
        check("0.2.3", Bump::Patch, "0.2.4");
        check("0.2.3", Bump::Minor, "0.2.4");
        check("0.2.3", Bump::Major, "0.3.0");
        check("2.0.0-rc.1", Bump::Major, "2.0.0");
        check("1.1.0-rc.1", Bump::Minor, "1.1.0");
        check("1.1.0-rc.1", Bump::Major, "2.0.0");
    }
}
