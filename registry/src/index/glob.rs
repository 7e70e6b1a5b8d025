//! Patterns by which a registry claims names, such as `acme-*`. Only `*` is special; it stands for any text.

/// Matches names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameGlob(String);

/// Says why a text is not a pattern for names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a pattern for names (`a-z`, `0-9`, `-` and `*`, at most 64 characters)", text.escape_debug())]
pub struct NameGlobError {
    /// The text, cut to 64 characters.
    pub text: String,
}

impl NameGlob {
    /// Parses a pattern.
    pub fn parse(text: &str) -> Result<Self, NameGlobError> {
        let known = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'*');
        match !text.is_empty() && text.len() <= 64 && text.bytes().all(known) {
            true => Ok(Self(text.to_owned())),
            false => Err(NameGlobError { text: text.chars().take(64).collect() }),
        }
    }

    /// Returns the pattern as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Tells whether a name is claimed. Costs at most pattern times name, whatever the pattern.
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name) = (self.0.as_bytes(), name.as_bytes());
        let (mut at, mut read) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        while read < name.len() {
            if pattern.get(at) == Some(&b'*') {
                retry = Some((at + 1, read));
                at += 1;
            } else if pattern.get(at) == Some(&name[read]) {
                (at, read) = (at + 1, read + 1);
            } else if let Some((star, from)) = retry {
                retry = Some((star, from + 1));
                (at, read) = (star, from + 1);
            } else {
                return false;
            }
        }
        pattern[at..].iter().all(|byte| *byte == b'*')
    }
}

#[cfg(test)]
mod tests {
    use super::NameGlob;

    #[test]
    fn a_star_stands_for_any_text() {
        let check = |pattern: &str, name: &str, expected: bool| {
            assert_eq!(NameGlob::parse(pattern).unwrap().matches(name), expected, "{pattern} {name}");
        };
        check("acme-*", "acme-a", true);
        check("acme-*", "acme", false);
        check("acme-*", "my-acme-a", false);
        check("*-int", "acme-int", true);
        check("*-int", "acme-int-x", false);
        check("a*b*c", "aXbXbc", true);
        check("acme", "acme", true);
        check("acme", "acme-a", false);
        check("*", "anything", true);
        check(&"*a".repeat(32), &"a".repeat(31), false);
        assert!(NameGlob::parse("").is_err() && NameGlob::parse("acme-?").is_err());
    }
}
