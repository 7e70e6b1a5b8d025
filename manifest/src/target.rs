//! Targets: which machine an artifact is for. A target is `any` or one of the triples that Pintle knows;
//! an unknown triple is refused, since nothing could check that the artifact fits it.

use serde::{Deserialize, Serialize};

/// Names the machine that an artifact runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "String")]
pub struct Target(&'static str);

/// Says that a text is not a target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a known target", text.escape_debug())]
pub struct TargetError {
    /// The text, cut to 64 characters.
    pub text: String,
    /// The known target that is most like it, if one is.
    pub nearest: Option<String>,
}

const KNOWN: &[&str] = &[
    "any",
    "aarch64-apple-darwin",
    "aarch64-pc-windows-msvc",
    "aarch64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
    "armv7-unknown-linux-gnueabihf",
    "riscv64gc-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-freebsd",
    "x86_64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
];

impl Target {
    /// Runs everywhere.
    pub const ANY: Self = Self("any");

    /// Parses a target, or names the nearest one.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        KNOWN.iter().find(|known| **known == text).map(|known| Self(known)).ok_or_else(|| TargetError {
            text: text.chars().take(64).collect(),
            nearest: crate::nearest(text, KNOWN.iter().copied()).map(str::to_owned),
        })
    }

    /// Returns the target that this program was built for, if Pintle knows it.
    pub fn current() -> Option<Self> {
        let suffix = match (std::env::consts::OS, cfg!(target_env = "musl")) {
            ("linux", true) => "unknown-linux-musl",
            ("linux", false) if cfg!(target_arch = "arm") => "unknown-linux-gnueabihf",
            ("linux", false) => "unknown-linux-gnu",
            ("macos", _) => "apple-darwin",
            ("windows", _) => "pc-windows-msvc",
            ("freebsd", _) => "unknown-freebsd",
            (_, _) => return None,
        };
        let architecture = match std::env::consts::ARCH {
            "arm" => "armv7",
            "riscv64" => "riscv64gc",
            other => other,
        };
        Self::parse(&format!("{architecture}-{suffix}")).ok()
    }

    /// Returns every target that Pintle knows, `any` first.
    pub fn known() -> impl Iterator<Item = Self> {
        KNOWN.iter().map(|known| Self(known))
    }

    /// Returns the target as text.
    pub const fn as_str(&self) -> &'static str {
        self.0
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.0)
    }
}

/// Written out, since a derived one would borrow the `&'static str` from the input.
impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

crate::as_text::as_text!(Target, TargetError);

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn targets_are_a_closed_list() {
        assert_eq!(Target::parse("any").unwrap(), Target::ANY);
        assert!(Target::current().is_some(), "this machine's target is in the list");
        let error = Target::parse("x86_64-unknow-linux-gnu").unwrap_err();
        assert_eq!(error.nearest.as_deref(), Some("x86_64-unknown-linux-gnu"));
    }
}
