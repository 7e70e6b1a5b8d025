//! Load order: by where it was asked for, then what is needed before what needs it, then by name. Nothing else. Values in,
//! values out.

use crate::bundle::{Bundle, Rank};
use pintle_manifest::Name;
use std::collections::{BTreeMap, BTreeSet};

/// What decides the place of one extension.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) rank: Rank,
    pub(crate) needs: BTreeSet<Name>,
}

impl Place {
    /// Returns the place of an extension.
    pub(crate) fn of(bundle: &Bundle) -> Self {
        Self { rank: bundle.rank, needs: bundle.manifest.dependencies.keys().cloned().collect() }
    }
}

/// Returns the names in load order. What needs something comes after it, whatever its rank. Circles, which no resolver makes,
/// come last, by name.
pub(crate) fn load_order(places: &BTreeMap<Name, Place>) -> Vec<Name> {
    let mut left: BTreeMap<(Rank, &Name), &Place> =
        places.iter().map(|(name, place)| ((place.rank, name), place)).collect();
    let mut ordered: Vec<Name> = Vec::new();
    let mut done: BTreeSet<&Name> = BTreeSet::new();
    while !left.is_empty() {
        let is_free =
            |place: &Place| place.needs.iter().all(|need| done.contains(need) || !places.contains_key(need));
        let next = left.iter().find(|(_, place)| is_free(place)).or_else(|| left.iter().next());
        let Some((key, _)) = next.map(|(key, place)| (*key, *place)) else { break };
        left.remove(&key);
        done.insert(key.1);
        ordered.push(key.1.clone());
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::{Place, load_order};
    use crate::bundle::Rank;
    use pintle_manifest::Name;
    use std::collections::BTreeMap;

    #[test]
    fn rank_then_needs_then_name() {
        let check = |places: &[(&str, Rank, &[&str])], expected: &[&str]| {
            let name = |text: &&str| Name::parse(text).unwrap();
            let places: BTreeMap<Name, Place> = places
                .iter()
                .map(|(one, rank, needs)| {
                    (name(one), Place { rank: *rank, needs: needs.iter().map(name).collect() })
                })
                .collect();
            let order: Vec<String> = load_order(&places).iter().map(ToString::to_string).collect();
            assert_eq!(order, expected);
        };
        let (user, project) = (Rank::User, Rank::Project);
        check(&[("ccc", user, &[]), ("aaa", user, &[]), ("bbb", user, &[])], &["aaa", "bbb", "ccc"]);
        check(&[("aaa", project, &[]), ("bbb", user, &[])], &["bbb", "aaa"]);
        check(&[("aaa", user, &["bbb"]), ("bbb", user, &[]), ("abc", user, &[])], &["abc", "bbb", "aaa"]);
        check(
            &[("aaa", user, &["zzz"]), ("zzz", project, &[]), ("bbb", project, &[])],
            &["bbb", "zzz", "aaa"],
        );
        check(&[("aaa", user, &["gone"])], &["aaa"]);
        check(&[("aaa", user, &["bbb"]), ("bbb", user, &["aaa"])], &["aaa", "bbb"]);
    }
}
