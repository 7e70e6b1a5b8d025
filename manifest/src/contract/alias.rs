//! Whether the old name of something can be served through the new one: whether an extension that was written for
//! the old one would notice.

use super::compare::{Bump, Comparing, calls, hooks, slots};
use super::model::Contract;
use super::reading::{Link, Reading, Sort, Successor};
use crate::Problem;

/// Tells of an alias through which an old extension would not be served as before.
pub(super) fn check(reading: &Reading, contract: &Contract, link: &Link, successor: &Successor) {
    if !successor.alias {
        return;
    }
    let (old, new) = (successor.old.as_str(), link.name.as_str());
    let mut comparing = Comparing::new(contract, contract);
    match successor.sort {
        Sort::Hook => {
            if let (Some(one), Some(other)) = (contract.hooks.get(old), contract.hooks.get(new)) {
                hooks(&mut comparing, new, one, other);
            }
        }
        Sort::Call => {
            if let (Some(one), Some(other)) = (contract.calls.get(old), contract.calls.get(new)) {
                calls(&mut comparing, new, one, other);
            }
        }
        Sort::Slot => {
            if let (Some(one), Some(other)) = (contract.slots.get(old), contract.slots.get(new)) {
                slots(&mut comparing, new, one, other);
            }
        }
        Sort::Permission | Sort::Type => {}
    }
    for difference in comparing.finish().into_iter().filter(|one| one.needs == Bump::Major) {
        let message = format!(
            "`{old}` can't be served through `{new}`: at `{}`, {}",
            difference.place.join("."),
            difference.what
        );
        let problem = Problem::error("contract.bad_alias", link.at.clone(), message);
        reading.tell(
            problem.help("make the new one accept and give what the old one did, or leave out `alias`"),
        );
    }
}
