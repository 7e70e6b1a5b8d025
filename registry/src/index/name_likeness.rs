//! Which names a reader would take for one another. Two names that differ only in dashes, or that look alike in a
//! common typeface, can't both be published, whoever asks.

use pintle_manifest::Name;

/// Tells why two names can't stand side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// They differ only in dashes.
    Dashes,
    /// They look alike.
    Looks,
}

/// Holds what a new name is compared by.
pub(super) struct Skeleton {
    bare: String,
    looks: String,
}

impl Skeleton {
    pub(super) fn of(name: &Name) -> Self {
        Self { bare: bare(name).collect(), looks: looks(name).collect() }
    }

    /// Compares with an existing name; `None` if nobody would confuse the two. It is asked of every name there is,
    /// so it makes no copy and mostly ends at the first character.
    pub(super) fn likeness(&self, existing: &Name) -> Option<Likeness> {
        match () {
            () if !looks(existing).eq(self.looks.chars()) => None,
            () if bare(existing).eq(self.bare.chars()) => Some(Likeness::Dashes),
            () => Some(Likeness::Looks),
        }
    }
}

fn bare(name: &Name) -> impl Iterator<Item = char> {
    name.as_str().chars().filter(|character| *character != '-')
}

/// Replaces each character, and then each pair, by the one that it looks like. No pair begins with the end of
/// another or with what another becomes, so one pass is enough.
fn looks(name: &Name) -> impl Iterator<Item = char> {
    let single = |character| match character {
        '0' => 'o',
        '1' | 'i' => 'l',
        '2' => 'z',
        '5' => 's',
        '8' => 'b',
        '9' | 'q' => 'g',
        other => other,
    };
    let mut singles = bare(name).map(single).peekable();
    std::iter::from_fn(move || {
        let first = singles.next()?;
        let pair = match (first, singles.peek()) {
            ('r', Some('n')) => 'm',
            ('v', Some('v')) => 'w',
            ('c', Some('l')) => 'd',
            (_, _) => return Some(first),
        };
        singles.next();
        Some(pair)
    })
}

#[cfg(test)]
mod tests {
    use super::{Likeness, Skeleton, looks};
    use pintle_manifest::Name;
    use proptest::prelude::{prop_assert_eq, proptest};

    #[test]
    fn names_that_a_reader_would_confuse_are_alike() {
        let check = |new: &str, existing: &str, expected: Option<Likeness>| {
            let (new, existing) = (Name::parse(new).unwrap(), Name::parse(existing).unwrap());
            assert_eq!(Skeleton::of(&new).likeness(&existing), expected, "{new} {existing}");
            assert_eq!(Skeleton::of(&existing).likeness(&new), expected, "{existing} {new}");
        };
        check("blast-radius", "blastradius", Some(Likeness::Dashes));
        check("blast-radius", "b-last-radius", Some(Likeness::Dashes));
        check("blast-radius", "b1ast-radius", Some(Likeness::Looks));
        check("install", "lnstall", Some(Likeness::Looks));
        check("modern", "modem", Some(Likeness::Looks));
        check("view-er", "v1evv-er", Some(Likeness::Looks));
        check("wiki-er", "vvikier", Some(Likeness::Looks));
        check("clock-a", "dock-a", Some(Likeness::Looks));
        check("base5-o", "bases0", Some(Likeness::Looks));
        check("acme-a", "acme-b", None);
        check("acme-10", "acme-11", None);
    }

    proptest! {
        #[test]
        fn one_pass_finds_what_one_pass_for_each_pair_finds(text in "x[rnvcl-]{0,20}[rnvclmwdx]") {
            if let Ok(name) = Name::parse(&text) {
                let bare = text.replace('-', "");
                let expected = bare.replace("rn", "m").replace("vv", "w").replace("cl", "d");
                prop_assert_eq!(looks(&name).collect::<String>(), expected);
            }
        }
    }
}
