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
        let bare = name.as_str().replace('-', "");
        let looks = fold(&bare);
        Self { bare, looks }
    }

    /// Compares with an existing name; `None` if nobody would confuse the two.
    pub(super) fn likeness(&self, existing: &Name) -> Option<Likeness> {
        let bare = existing.as_str().replace('-', "");
        match () {
            () if bare == self.bare => Some(Likeness::Dashes),
            () if fold(&bare) == self.looks => Some(Likeness::Looks),
            () => None,
        }
    }
}

/// Replaces each character, and then each pair, by the one that it looks like.
fn fold(bare: &str) -> String {
    let single = |character| match character {
        '0' => 'o',
        '1' | 'i' => 'l',
        '2' => 'z',
        '5' => 's',
        '8' => 'b',
        '9' | 'q' => 'g',
        other => other,
    };
    bare.chars().map(single).collect::<String>().replace("rn", "m").replace("vv", "w").replace("cl", "d")
}

#[cfg(test)]
mod tests {
    use super::{Likeness, Skeleton};
    use pintle_manifest::Name;

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
}
