//! The search by halving: a set that fails, an empty one that passes, and the smallest group between them that fails by
//! itself. It asks a function about sets, and always about sets that hold what their members need.

use pintle_manifest::Name;
use std::collections::{BTreeMap, BTreeSet};

/// Some of the extensions.
pub(crate) type Members = BTreeSet<Name>;

/// What each extension needs, and an order in which nothing comes before what it needs.
#[derive(Debug, Clone)]
pub(crate) struct Needs {
    order: Vec<Name>,
    needs: BTreeMap<Name, Members>,
}

impl Needs {
    /// Takes the extensions in load order, each with what it needs.
    pub(crate) fn new(order: Vec<(Name, Members)>) -> Self {
        let names = order.iter().map(|(name, _)| name.clone()).collect();
        Self { order: names, needs: order.into_iter().collect() }
    }

    /// Returns all extensions.
    pub(crate) fn all(&self) -> Members {
        self.order.iter().cloned().collect()
    }

    /// Returns these with everything that they need.
    pub(crate) fn closed(&self, names: &[Name]) -> Members {
        let mut open: Vec<Name> = names.to_vec();
        let mut closed = Members::new();
        while let Some(name) = open.pop() {
            // What is needed and is not in the set can't be tried.
            let Some(needs) = self.needs.get(&name) else { continue };
            if closed.insert(name) {
                open.extend(needs.iter().cloned());
            }
        }
        closed
    }

    /// Returns all but one and what needs it.
    pub(crate) fn without(&self, name: &Name) -> Members {
        let all = self.order.iter();
        all.filter(|one| !self.closed(std::slice::from_ref(*one)).contains(name)).cloned().collect()
    }

    /// Finds the smallest group that fails by itself, given that all fail and that none passes. A group of several means
    /// that they fail together only.
    ///
    /// Each member of the group costs about as many questions as the set can be halved, and one more.
    pub(crate) fn search<E>(
        &self,
        fails: &mut dyn FnMut(&Members) -> Result<bool, E>,
    ) -> Result<Vec<Name>, E> {
        let mut group: Vec<Name> = Vec::new();
        let mut known_to_fail = self.all();
        loop {
            // What the group so far leaves open, in load order, of what is known to fail with it.
            let base = self.closed(&group);
            let is_open = |name: &&Name| known_to_fail.contains(*name) && !base.contains(*name);
            let open: Vec<&Name> = self.order.iter().filter(is_open).collect();
            if open.is_empty() || (!group.is_empty() && fails(&base)?) {
                return Ok(group);
            }
            let with = |count: usize| -> Members {
                base.iter().chain(open[..count].iter().copied()).cloned().collect()
            };
            // The first so many pass, the first so many fail: the one in between makes the difference.
            let (mut passing, mut failing) = (0, open.len());
            while failing - passing > 1 {
                let half = passing + (failing - passing) / 2;
                match fails(&with(half))? {
                    true => failing = half,
                    false => passing = half,
                }
            }
            known_to_fail = with(failing);
            group.push(open[failing - 1].clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Members, Needs};
    use pintle_manifest::Name;
    use std::convert::Infallible;

    fn name(text: &str) -> Name {
        Name::parse(text).unwrap()
    }

    /// Makes extensions `ext-00`, `ext-01` and so on; some need others.
    fn needs(count: usize, edges: &[(usize, usize)]) -> Needs {
        let one = |number: usize| {
            let needs = edges.iter().filter(|(from, _)| *from == number);
            (name(&format!("ext-{number:02}")), needs.map(|(_, to)| name(&format!("ext-{to:02}"))).collect())
        };
        Needs::new((0..count).map(one).collect())
    }

    fn check(needs: &Needs, culprits: &[&str], questions: usize) {
        let wanted: Members = culprits.iter().map(|text| name(text)).collect();
        let mut asked = Vec::new();
        let found = needs.search::<Infallible>(&mut |members| {
            for one in members {
                assert!(
                    needs.closed(std::slice::from_ref(one)).is_subset(members),
                    "{members:?} lacks something"
                );
            }
            asked.push(members.clone());
            Ok(wanted.is_subset(members))
        });
        let mut found: Vec<String> = found.unwrap().iter().map(ToString::to_string).collect();
        found.sort();
        assert_eq!(found, culprits);
        assert!(asked.len() <= questions, "{} questions for {culprits:?}", asked.len());
        assert!(asked.iter().all(|members| !members.is_empty() && *members != needs.all()), "known answers");
    }

    #[test]
    fn one_is_found_in_as_many_questions_as_a_set_can_be_halved() {
        check(&needs(1, &[]), &["ext-00"], 0);
        for culprit in 0..12 {
            check(&needs(12, &[]), &[&format!("ext-{culprit:02}")], 5);
        }
        check(&needs(64, &[]), &["ext-17"], 7);
        check(&needs(2, &[]), &["ext-01"], 2);
    }

    #[test]
    fn those_that_fail_together_only_are_all_found() {
        check(&needs(12, &[]), &["ext-03", "ext-09"], 10);
        check(&needs(2, &[]), &["ext-00", "ext-01"], 2);
        check(&needs(16, &[]), &["ext-00", "ext-07", "ext-15"], 15);
    }

    #[test]
    fn what_needs_something_is_never_tried_without_it() {
        let chain = needs(8, &[(7, 3), (3, 1), (5, 0)]);
        for culprit in 0..8 {
            check(&chain, &[&format!("ext-{culprit:02}")], 5);
        }
        check(&chain, &["ext-05", "ext-07"], 10);
        let everyone_needs_the_first = needs(6, &[(1, 0), (2, 0), (3, 0), (4, 0), (5, 0)]);
        check(&everyone_needs_the_first, &["ext-00"], 4);
        check(&everyone_needs_the_first, &["ext-04"], 4);
    }

    #[test]
    fn all_but_one_leaves_out_what_needs_it() {
        let chain = needs(4, &[(2, 1), (3, 2)]);
        let left = chain.without(&name("ext-01"));
        assert_eq!(left, Members::from([name("ext-00")]));
    }

    #[test]
    fn a_search_ends_whatever_it_is_told() {
        // Answers that contradict each other, in all ways that ten questions can be answered.
        for answers in 0..1024_u32 {
            let mut asked = 0;
            let _ = needs(6, &[(4, 2)]).search::<Infallible>(&mut |_| {
                asked += 1;
                assert!(asked < 40);
                Ok(answers >> (asked % 10) & 1 == 1)
            });
        }
    }
}
