//! Whether the old name of something can be served through the new one.

use super::model::Contract;
use super::reading::{Link, Reading, Sort, Successor};
use crate::Problem;

/// Tells of an alias whose new name is not of the old one's kind.
pub(super) fn check(reading: &Reading, contract: &Contract, link: &Link, successor: &Successor) {
    if !successor.alias {
        return;
    }
    let (old, new) = (&successor.old, &link.name);
    let fits = match successor.sort {
        Sort::Hook => {
            contract.hooks.get(old).map(|hook| hook.kind) == contract.hooks.get(new).map(|hook| hook.kind)
        }
        Sort::Call => {
            let permission = |name: &String| contract.calls.get(name).map(|call| &call.permission);
            permission(old) == permission(new)
        }
        Sort::Slot => {
            let collision = |name: &String| contract.slots.get(name).map(|slot| slot.collision);
            collision(old) == collision(new)
        }
        Sort::Permission | Sort::Type => true,
    };
    if !fits {
        let message = format!("`{old}` can't be served through `{new}`: they are not of one kind");
        reading.tell(Problem::error("contract.bad_alias", link.at.clone(), message));
    }
}
