//! Text that came from outside. This is the only way such text reaches a screen: what could move the cursor,
//! change colours, turn the direction of reading or hide is shown as an escape instead.

use std::fmt::Write as _;

/// Prints a text from a package, a registry or another program so that it cannot act on a terminal.
#[derive(Debug, Clone, Copy)]
pub struct Untrusted<'a>(pub &'a str);

impl Untrusted<'_> {
    /// Tells whether the text is printed as it is.
    pub fn is_plain(&self) -> bool {
        self.0.chars().all(is_plain)
    }
}

impl std::fmt::Display for Untrusted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for character in self.0.chars() {
            match is_plain(character) {
                true => f.write_char(character)?,
                false => write!(f, "{}", character.escape_unicode())?,
            }
        }
        Ok(())
    }
}

/// Refuses controls (Cc), formats (Cf: bidi, zero-width, tags), separators, variation selectors and private use.
const fn is_plain(character: char) -> bool {
    !matches!(character,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}'
        | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{e000}'..='\u{f8ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests {
    use super::Untrusted;

    #[test]
    fn nothing_from_outside_acts_on_a_terminal() {
        let check = |text: &str, expected: &str| assert_eq!(Untrusted(text).to_string(), expected);
        check("plain, \u{e9} and \u{4f60}", "plain, \u{e9} and \u{4f60}");
        check("ok\x1b[2J\x07", "ok\\u{1b}[2J\\u{7}");
        check("a\nb\rc\td", "a\\u{a}b\\u{d}c\\u{9}d");
        check("\u{9b}31m", "\\u{9b}31m");
        check("x\u{202e}y\u{200b}z\u{feff}", "x\\u{202e}y\\u{200b}z\\u{feff}");
        check("tag\u{e0041}", "tag\\u{e0041}");
    }
}
