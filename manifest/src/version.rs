//! Versions, compared by what they mean. Build metadata is kept for display and ignored for identity, so that
//! `1.0.0+a` and `1.0.0+b` are one version.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Holds a version by Semantic Versioning 2.0.0 (source: semver.org). Ordered by precedence, build ignored.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Version(semver::Version);

/// Says why a text is not a version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a version (three numbers like `1.4.0`): {reason}", text.escape_debug())]
pub struct VersionError {
    /// The text, cut to 64 characters.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Version {
    /// Parses a full version, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        let error = |reason: String| VersionError { text: text.chars().take(64).collect(), reason };
        if text.len() > 128 {
            return Err(error("a version has at most 128 characters".to_owned()));
        }
        semver::Version::parse(text).map(Self).map_err(|_| error(wrong_with(text)))
    }

    /// Makes a version of three numbers.
    pub const fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self(semver::Version::new(major, minor, patch))
    }

    /// Wraps a version that was parsed elsewhere.
    pub const fn from_semver(version: semver::Version) -> Self {
        Self(version)
    }

    /// Returns the first number.
    pub const fn major(&self) -> u64 {
        self.0.major
    }

    /// Returns the second number.
    pub const fn minor(&self) -> u64 {
        self.0.minor
    }

    /// Returns the third number.
    pub const fn patch(&self) -> u64 {
        self.0.patch
    }

    /// Tells whether this is a pre-release, such as `1.0.0-rc.1`.
    pub fn is_prerelease(&self) -> bool {
        !self.0.pre.is_empty()
    }

    /// Returns the pre-release part, empty for a full release.
    pub fn prerelease(&self) -> &str {
        self.0.pre.as_str()
    }

    /// Returns the same version without build metadata.
    #[must_use]
    pub fn without_build(&self) -> Self {
        let mut version = self.0.clone();
        version.build = semver::BuildMetadata::EMPTY;
        Self(version)
    }

    /// Returns the lowest version of the same three numbers: `1.2.3-0` of `1.2.3` and of `1.2.3-rc.1`.
    #[must_use]
    pub fn lowest_prerelease(&self) -> Self {
        let mut version = semver::Version::new(self.0.major, self.0.minor, self.0.patch);
        version.pre = semver::Prerelease::new("0").expect("`0` is a pre-release identifier");
        Self(version)
    }

    /// Tells whether two versions have the same three numbers.
    pub fn same_numbers(&self, other: &Self) -> bool {
        (self.0.major, self.0.minor, self.0.patch) == (other.0.major, other.0.minor, other.0.patch)
    }
}

/// Says what is wrong with a text that is no version.
fn wrong_with(text: &str) -> String {
    let core = text.split(['-', '+']).next().unwrap_or_default();
    let rest = &text[core.len()..];
    for part in core.split('.') {
        if part.is_empty() {
            return "a number is missing".to_owned();
        }
        if !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return format!("`{}` is no number", part.escape_debug());
        }
        if part.len() > 1 && part.starts_with('0') {
            return format!("`{part}` begins with a zero");
        }
        if part.parse::<u64>().is_err() {
            return format!("`{part}` is too large");
        }
    }
    match core.split('.').count() {
        1 => "it has one number".to_owned(),
        3 if rest.len() < 2 => format!("nothing comes after `{rest}`"),
        3 => format!(
            "what stands from `{}` on is not a list of words and numbers with dots between",
            &rest[..1]
        ),
        count => format!("it has {count} numbers"),
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Version {}
impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp_precedence(&other.0)
    }
}
impl std::hash::Hash for Version {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.0.major, self.0.minor, self.0.patch, &self.0.pre).hash(state);
    }
}
impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.0.to_string())
    }
}

crate::as_text::as_text!(Version, VersionError);

#[cfg(test)]
mod tests {
    use super::Version;
    use std::cmp::Ordering;

    #[test]
    fn versions_are_ordered_by_precedence() {
        let check = |left: &str, right: &str, expected: Ordering| {
            let (left, right) = (Version::parse(left).unwrap(), Version::parse(right).unwrap());
            assert_eq!(left.cmp(&right), expected, "{left} against {right}");
        };
        check("1.0.0", "1.0.1", Ordering::Less);
        check("1.10.0", "1.9.0", Ordering::Greater);
        check("1.0.0-rc.1", "1.0.0", Ordering::Less);
        check("1.0.0-0", "1.0.0-alpha", Ordering::Less);
        check("1.0.0+a", "1.0.0+b", Ordering::Equal);
    }

    #[test]
    fn what_is_not_a_version_is_refused() {
        for text in
            ["", "1", "1.2", "v1.2.3", "1.2.3.4", "01.2.3", "1.2.3-01", "1.2.3 ", "18446744073709551616.0.0"]
        {
            assert!(Version::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn nothing_is_below_the_lowest_prerelease() {
        let lowest = Version::parse("1.2.3-rc.1").unwrap().lowest_prerelease();
        assert_eq!(lowest.to_string(), "1.2.3-0");
        assert!(lowest > Version::parse("1.2.2").unwrap());
    }
}
