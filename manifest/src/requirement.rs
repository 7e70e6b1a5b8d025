//! Requirements: which versions will do. The syntax is Cargo's (`^1.2`, `~1.2`, `>=1, <2`, `1.*`, `*`), plus
//! `!=1.4.2` for "any but the broken one". Whether a pre-release or a yanked release may be chosen is not
//! decided here but in the resolver; this is arithmetic on the order of versions.

use crate::{Version, VersionError};
use serde::{Deserialize, Serialize};

/// States which versions will do: every comparator must hold. None at all is `*`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Requirement {
    comparators: Vec<Comparator>,
}

/// One condition on a version, already reduced to a point and a direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparator {
    /// How the version is compared.
    pub operator: Operator,
    /// What it is compared with; parts left out are in `parts`.
    pub version: Version,
    /// How many of the three numbers were written: `1.2` has two.
    pub parts: u8,
}

/// How a comparator compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `=1.2.3`, and with fewer numbers every version that begins so.
    Exact,
    /// `!=1.2.3`, the opposite of [`Operator::Exact`].
    Not,
    /// `>1.2.3`.
    Greater,
    /// `>=1.2.3`.
    GreaterEq,
    /// `<1.2.3`; never admits a pre-release of that version.
    Less,
    /// `<=1.2.3`.
    LessEq,
    /// `~1.2.3`: the same minor.
    Tilde,
    /// `^1.2.3` or `1.2.3`: up to the next breaking version.
    Caret,
    /// `1.2.*`.
    Wildcard,
}

/// Says why a text is not a requirement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequirementError {
    /// The text as a whole could not be read.
    #[error("`{}` is not a version requirement (such as `^1.2` or `>=1.0, <2`): {reason}", text.escape_debug())]
    Syntax {
        /// The text, cut to 64 characters.
        text: String,
        /// What the parser stumbled over.
        reason: String,
    },
}

/// Says what is wrong with a text that is no comparison with a version.
fn wrong_with(part: &str) -> String {
    let numbers = part.trim_start_matches(['!', '=', '>', '<', '~', '^']).trim();
    let core = numbers.split(['-', '+']).next().unwrap_or_default();
    let is_part = |one: &&str| {
        ["*", "x", "X"].contains(one) || (!one.is_empty() && one.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match core.split('.').find(|one| !is_part(one)) {
        Some("") => "a number is missing".to_owned(),
        Some(wrong) => format!("`{}` is no number", wrong.escape_debug()),
        None => format!("`{}` is no comparison with a version", part.escape_debug()),
    }
}

impl Requirement {
    /// Accepts every version.
    pub const fn any() -> Self {
        Self { comparators: Vec::new() }
    }

    /// Accepts only this version (`=1.2.3`).
    pub fn exact(version: &Version) -> Self {
        Self::of(Operator::Exact, version)
    }

    /// Accepts this version and what follows it up to the next breaking one (`^1.2.3`).
    pub fn caret(version: &Version) -> Self {
        Self::of(Operator::Caret, version)
    }

    fn of(operator: Operator, version: &Version) -> Self {
        Self { comparators: vec![Comparator { operator, version: version.without_build(), parts: 3 }] }
    }

    /// Parses a requirement, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, RequirementError> {
        let syntax =
            |reason: String| RequirementError::Syntax { text: text.chars().take(64).collect(), reason };
        if text.len() > 256 {
            return Err(syntax("a requirement has at most 256 characters".to_owned()));
        }
        if text.trim() == "*" {
            return Ok(Self::any());
        }
        let mut comparators = Vec::new();
        for part in text.split(',') {
            let part = part.trim();
            let (exclude, rest) = match part.strip_prefix("!=") {
                Some(rest) => (true, rest.trim()),
                None => (false, part),
            };
            if exclude && rest.starts_with(['=', '>', '<', '~', '^', '*', '!']) {
                return Err(syntax("`!=` is followed by a version".to_owned()));
            }
            let source = if exclude { format!("={rest}") } else { rest.to_owned() };
            let parsed = semver::Comparator::parse(&source).map_err(|_| syntax(wrong_with(part)))?;
            comparators.push(Comparator::from_semver(&parsed, exclude).map_err(&syntax)?);
        }
        Ok(Self { comparators })
    }

    /// Returns the comparators, in the order written.
    pub fn comparators(&self) -> &[Comparator] {
        &self.comparators
    }

    /// Returns the only version this accepts, if it was written as `=1.2.3`.
    pub fn pinned(&self) -> Option<&Version> {
        match self.comparators.as_slice() {
            [Comparator { operator: Operator::Exact, version, parts: 3 }] => Some(version),
            _ => None,
        }
    }

    /// Tells whether every version will do.
    pub fn is_any(&self) -> bool {
        self.comparators.is_empty()
    }

    /// Tells whether this names a pre-release.
    pub fn names_prerelease(&self) -> bool {
        self.comparators.iter().any(|comparator| comparator.version.is_prerelease())
    }

    /// Tells whether some version is too new for this: `^1` and `<2` are bounded, `*` and `>=1.0` are not.
    pub fn has_upper_bound(&self) -> bool {
        self.comparators.iter().any(|comparator| comparator.upper_bound().is_some())
    }

    /// Tells whether the version satisfies every comparator, by order alone.
    pub fn matches(&self, version: &Version) -> bool {
        self.comparators.iter().all(|comparator| comparator.matches(version))
    }
}

impl Comparator {
    fn from_semver(parsed: &semver::Comparator, exclude: bool) -> Result<Self, String> {
        let operator = match (exclude, parsed.op) {
            (true, _) => Operator::Not,
            (false, semver::Op::Exact) => Operator::Exact,
            (false, semver::Op::Greater) => Operator::Greater,
            (false, semver::Op::GreaterEq) => Operator::GreaterEq,
            (false, semver::Op::Less) => Operator::Less,
            (false, semver::Op::LessEq) => Operator::LessEq,
            (false, semver::Op::Tilde) => Operator::Tilde,
            (false, semver::Op::Caret) => Operator::Caret,
            (false, semver::Op::Wildcard) => Operator::Wildcard,
            (false, other) => return Err(format!("the operator {other:?} is not known")),
        };
        let mut version =
            semver::Version::new(parsed.major, parsed.minor.unwrap_or(0), parsed.patch.unwrap_or(0));
        version.pre = parsed.pre.clone();
        let parts = 1 + u8::from(parsed.minor.is_some()) + u8::from(parsed.patch.is_some());
        Ok(Self { operator, version: Version::from_semver(version), parts })
    }

    /// Returns the lowest version that satisfies this, and whether it is itself included; `None` if there is none.
    pub fn lower_bound(&self) -> Option<(Version, bool)> {
        match self.operator {
            Operator::Exact
            | Operator::GreaterEq
            | Operator::Tilde
            | Operator::Caret
            | Operator::Wildcard => Some((self.version.clone(), true)),
            Operator::Greater if self.parts == 3 => Some((self.version.clone(), false)),
            Operator::Greater => Some((self.next(self.parts), true)),
            Operator::Not | Operator::Less | Operator::LessEq => None,
        }
    }

    /// Returns the end of what satisfies this, and whether the end is itself included; `None` if there is none.
    pub fn upper_bound(&self) -> Option<(Version, bool)> {
        let before = |version: Version| Some((version.lowest_prerelease(), false));
        match self.operator {
            Operator::Exact | Operator::LessEq if self.parts == 3 => Some((self.version.clone(), true)),
            Operator::Exact | Operator::LessEq | Operator::Wildcard => before(self.next(self.parts)),
            Operator::Less if self.version.is_prerelease() => Some((self.version.clone(), false)),
            Operator::Less => before(self.version.clone()),
            Operator::Tilde => before(self.next(self.parts.min(2))),
            Operator::Caret => before(self.next_breaking()),
            Operator::Not | Operator::Greater | Operator::GreaterEq => None,
        }
    }

    /// Tells whether a version satisfies this one condition.
    pub fn matches(&self, version: &Version) -> bool {
        if self.operator == Operator::Not {
            let excluded = Self { operator: Operator::Exact, ..self.clone() };
            return !excluded.matches(version);
        }
        let above =
            self.lower_bound().is_none_or(|(low, closed)| *version > low || (closed && *version == low));
        let below =
            self.upper_bound().is_none_or(|(high, closed)| *version < high || (closed && *version == high));
        above && below
    }

    /// Raises the last of the first `parts` numbers by one.
    fn next(&self, parts: u8) -> Version {
        let (major, minor, patch) = (self.version.major(), self.version.minor(), self.version.patch());
        match parts {
            1 => Version::new(major.saturating_add(1), 0, 0),
            2 => Version::new(major, minor.saturating_add(1), 0),
            _ => Version::new(major, minor, patch.saturating_add(1)),
        }
    }

    fn next_breaking(&self) -> Version {
        let zeros = match (self.version.major(), self.version.minor()) {
            (0, 0) => 3,
            (0, _) => 2,
            (_, _) => 1,
        };
        self.next(zeros.min(self.parts))
    }
}

impl std::fmt::Display for Requirement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = match self.comparators.is_empty() {
            true => "*".to_owned(),
            false => self.comparators.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        };
        f.pad(&text)
    }
}

impl std::fmt::Display for Comparator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let operator = match self.operator {
            Operator::Exact => "=",
            Operator::Not => "!=",
            Operator::Greater => ">",
            Operator::GreaterEq => ">=",
            Operator::Less => "<",
            Operator::LessEq => "<=",
            Operator::Tilde => "~",
            Operator::Caret => "^",
            Operator::Wildcard => "",
        };
        let star = if self.operator == Operator::Wildcard { ".*" } else { "" };
        let (major, minor) = (self.version.major(), self.version.minor());
        match self.parts {
            1 => write!(f, "{operator}{major}{star}"),
            2 => write!(f, "{operator}{major}.{minor}{star}"),
            _ => write!(f, "{operator}{}", self.version),
        }
    }
}

impl From<VersionError> for RequirementError {
    fn from(error: VersionError) -> Self {
        Self::Syntax { text: error.text, reason: error.reason }
    }
}

crate::as_text::as_text!(Requirement, RequirementError);

#[cfg(test)]
mod tests {
    use super::Requirement;
    use crate::Version;
    use proptest::prelude::{Strategy, prop_assert_eq, prop_oneof, proptest};

    #[test]
    fn requirements_are_intervals() {
        let check = |requirement: &str, yes: &[&str], no: &[&str]| {
            let parsed = Requirement::parse(requirement).unwrap();
            for version in yes {
                assert!(parsed.matches(&Version::parse(version).unwrap()), "{requirement} admits {version}");
            }
            for version in no {
                assert!(
                    !parsed.matches(&Version::parse(version).unwrap()),
                    "{requirement} refuses {version}"
                );
            }
            assert_eq!(Requirement::parse(&parsed.to_string()).unwrap(), parsed, "{requirement} reads back");
        };
        check("*", &["0.0.0", "9.9.9", "1.0.0-rc.1"], &[]);
        check("1.2.3", &["1.2.3", "1.9.0"], &["1.2.2", "2.0.0", "2.0.0-rc.1"]);
        check("^0.3.1", &["0.3.1", "0.3.9"], &["0.4.0", "0.3.0", "1.0.0"]);
        check("^0.0.3", &["0.0.3"], &["0.0.4", "0.0.2"]);
        check("^0", &["0.0.0", "0.9.0"], &["1.0.0"]);
        check("^0.0", &["0.0.0", "0.0.9"], &["0.1.0"]);
        check("~1.2.3", &["1.2.3", "1.2.9"], &["1.3.0"]);
        check("~1", &["1.0.0", "1.9.0"], &["2.0.0"]);
        check("=1.2", &["1.2.0", "1.2.9"], &["1.3.0", "1.1.9"]);
        check("1.2.*", &["1.2.0", "1.2.9"], &["1.3.0"]);
        check(">1.2", &["1.3.0", "2.0.0"], &["1.2.0", "1.2.9"]);
        check("<=1.2", &["1.2.9", "0.1.0"], &["1.3.0"]);
        check(">=1.0, <2", &["1.0.0", "1.9.9"], &["2.0.0", "2.0.0-rc.1", "0.9.0"]);
        check(">=1.0.0, !=1.4.2", &["1.4.1", "1.4.3"], &["1.4.2"]);
        check("!=1.4", &["1.3.9", "1.5.0"], &["1.4.0", "1.4.9"]);
        check("<1.0.0-rc.2", &["1.0.0-rc.1"], &["1.0.0-rc.2", "1.0.0"]);
    }

    #[test]
    fn what_is_not_a_requirement_is_refused() {
        for text in ["", "latest", ">=", "1.x.y.z", ">=1.0 <2", "!=", "!=^1", "1,", "=> 1"] {
            assert!(Requirement::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn only_what_is_written_in_full_is_a_pin() {
        let pin = |text: &str| Requirement::parse(text).unwrap().pinned().map(ToString::to_string);
        assert_eq!(pin("=1.2.3").as_deref(), Some("1.2.3"));
        assert_eq!(pin("=1.2"), None);
        assert_eq!(pin("1.2.3"), None);
    }

    #[test]
    fn an_upper_bound_is_seen() {
        let bounded = |text: &str| Requirement::parse(text).unwrap().has_upper_bound();
        assert!(bounded("^1") && bounded("1.*") && bounded(">=1, <3") && bounded("=1.0.0"));
        assert!(!bounded("*") && !bounded(">=1.0") && !bounded("!=1.0.0"));
    }

    proptest! {
        /// Full releases are judged as the `semver` crate judges them; only its pre-release rule lives elsewhere.
        #[test]
        fn agrees_with_semver_on_full_releases(
            text in prop_oneof!["(=|>|>=|<|<=|~|\\^|)[0-2](\\.[0-2](\\.[0-2])?)?", "[0-2]\\.\\*", "[0-2]\\.[0-2]\\.\\*"],
            version in (0u64..4, 0u64..4, 0u64..4).prop_map(|(a, b, c)| format!("{a}.{b}.{c}")),
        ) {
            let expected = semver::VersionReq::parse(&text).unwrap().matches(&semver::Version::parse(&version).unwrap());
            let actual = Requirement::parse(&text).unwrap().matches(&Version::parse(&version).unwrap());
            prop_assert_eq!(actual, expected, "{} against {}", text, version);
        }
    }
}
