//! A set of ranks: which of a package's candidates, counted from the oldest, will do. One bit each, so that the
//! operations of the search are a few machine words, and two sets with the same members are always equal (a set of
//! version *ranges* can be non-empty and hold no candidate).

use std::fmt::{self, Display};

/// Holds a set of whole numbers: some of the first, and of all the others either every one or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ranks {
    first: u64,
    /// Words after the first, without trailing ones that only repeat `tail`.
    rest: Vec<u64>,
    /// Whether every number past the last word is a member.
    tail: bool,
}

impl Ranks {
    /// Returns the numbers from `start` up to, not including, `end`.
    pub(super) fn span(start: u32, end: u32) -> Self {
        let words = end.div_ceil(64);
        let below = |limit: u32, word: u32| match limit.saturating_sub(word * 64) {
            0 => 0,
            bits if bits >= 64 => u64::MAX,
            bits => (1 << bits) - 1,
        };
        let word = |index: u32| below(end, index) & !below(start, index);
        Self { first: word(0), rest: (1..words).map(word).collect(), tail: false }.trimmed()
    }

    /// Returns the members of the words that are held, ascending; the tail is not among them.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = u32> {
        let words = (0u32..).step_by(64).zip(std::iter::once(&self.first).chain(&self.rest));
        let words: Vec<(u32, u64)> = words.map(|(base, word)| (base, *word)).collect();
        words.into_iter().flat_map(|(base, word)| {
            (0..64).filter(move |bit| word & (1 << bit) != 0).map(move |bit| base + bit)
        })
    }

    /// Returns the highest member of the words that are held.
    pub(super) fn highest(&self) -> Option<u32> {
        let top = |base: u32, word: u64| (word != 0).then(|| base + 63 - word.leading_zeros());
        let later = (64u32..).step_by(64).zip(&self.rest).filter_map(|(base, word)| top(base, *word)).last();
        later.or_else(|| top(0, self.first))
    }

    /// Counts the members of the words that are held.
    pub(super) fn count(&self) -> u32 {
        self.first.count_ones() + self.rest.iter().map(|word| word.count_ones()).sum::<u32>()
    }

    /// Tells whether there is no member at all.
    pub(super) fn is_empty(&self) -> bool {
        self.first == 0 && self.rest.is_empty() && !self.tail
    }

    fn word(&self, index: usize) -> u64 {
        self.rest.get(index).copied().unwrap_or(if self.tail { u64::MAX } else { 0 })
    }

    fn combine(&self, other: &Self, operation: impl Fn(u64, u64) -> u64, tail: bool) -> Self {
        let length = self.rest.len().max(other.rest.len());
        let rest = (0..length).map(|index| operation(self.word(index), other.word(index))).collect();
        Self { first: operation(self.first, other.first), rest, tail }.trimmed()
    }

    fn trimmed(mut self) -> Self {
        let fill = if self.tail { u64::MAX } else { 0 };
        while self.rest.last() == Some(&fill) {
            self.rest.pop();
        }
        self
    }
}

impl pubgrub::VersionSet for Ranks {
    type V = u32;

    fn empty() -> Self {
        Self { first: 0, rest: Vec::new(), tail: false }
    }

    fn full() -> Self {
        Self { first: u64::MAX, rest: Vec::new(), tail: true }
    }

    fn singleton(rank: u32) -> Self {
        Self::span(rank, rank + 1)
    }

    fn complement(&self) -> Self {
        Self { first: !self.first, rest: self.rest.iter().map(|word| !word).collect(), tail: !self.tail }
    }

    fn intersection(&self, other: &Self) -> Self {
        self.combine(other, |left, right| left & right, self.tail && other.tail)
    }

    fn union(&self, other: &Self) -> Self {
        self.combine(other, |left, right| left | right, self.tail || other.tail)
    }

    fn contains(&self, rank: &u32) -> bool {
        let (word, bit) = (rank / 64, rank % 64);
        let word = word.checked_sub(1).map_or(self.first, |index| self.word(index as usize));
        word & (1 << bit) != 0
    }
}

impl Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()?;
        if self.tail { f.write_str(" and all after") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::Ranks;
    use proptest::prelude::{prop_assert_eq, proptest};
    use pubgrub::VersionSet;

    /// Every span whose ends are near a border of words, and its complement.
    fn samples() -> Vec<Ranks> {
        let ends = [0u32, 1, 5, 63, 64, 65, 127, 128, 130];
        let spans = ends.iter().flat_map(|start| ends.iter().map(|end| Ranks::span(*start, *end)));
        spans.flat_map(|span| [span.complement(), span]).collect()
    }

    #[test]
    fn operations_agree_with_membership() {
        for left in samples() {
            for right in samples() {
                let (both, either) = (left.intersection(&right), left.union(&right));
                for rank in 0..200 {
                    let (in_left, in_right) = (left.contains(&rank), right.contains(&rank));
                    assert_eq!(both.contains(&rank), in_left && in_right, "{rank} in {left} and {right}");
                    assert_eq!(either.contains(&rank), in_left || in_right, "{rank} in {left} or {right}");
                    assert_eq!(left.complement().contains(&rank), !in_left, "{rank} not in {left}");
                }
                let same = (0..200).all(|rank| left.contains(&rank) == right.contains(&rank));
                assert_eq!(left == right, same, "{left} against {right}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_span_lists_what_it_holds(start in 0u32..300, length in 0u32..300) {
            let span = Ranks::span(start, start + length);
            prop_assert_eq!(span.iter().collect::<Vec<_>>(), (start..start + length).collect::<Vec<_>>());
            prop_assert_eq!(span.count(), length);
            prop_assert_eq!(span.highest(), (length > 0).then(|| start + length - 1));
            prop_assert_eq!(span.is_empty(), length == 0);
        }
    }
}
