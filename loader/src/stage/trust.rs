//! The trust stage: nobody forbade the extension, and what it asks for was granted for exactly these files.

use super::StageFailure;
use crate::bundle::{Bundle, Withheld};
use pintle_manifest::{Contract, Matching, Name};

/// Says why an extension that must not run does not.
pub(super) fn withheld(name: &Name, why: &Withheld) -> StageFailure {
    match why {
        Withheld::Disabled { reason } => {
            let reason = reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            StageFailure::new("trust.disabled", format!("it is disabled{reason}"))
                .hint(format!("turn it on with `pintle enable {name}`"))
        }
        Withheld::Quarantined { reason } => {
            StageFailure::new("trust.quarantined", format!("it is in quarantine: {reason}")).hint(format!(
                "see the evidence with `pintle quarantine show {name}`; let it run again with `pintle quarantine release {name}`"
            ))
        }
        Withheld::Denied { reason } => {
            StageFailure::new("trust.denied", format!("a policy forbids it: {reason}"))
        }
        Withheld::Unreadable { reason } => StageFailure::new("install.unreadable", reason.clone()),
    }
}

/// Tells whether the grants cover what it asks for, as the contract compares it.
pub(super) fn check(bundle: &Bundle, contract: &Contract) -> Result<(), StageFailure> {
    let name = bundle.name();
    for (permission, asked) in &bundle.manifest.permissions {
        let matching = contract.permissions.get(permission).map_or(Matching::Text, |kind| kind.matching);
        let covered = bundle.grants.get(permission).is_some_and(|granted| granted.covers(asked, matching));
        if !covered {
            let failure = StageFailure::new(
                "trust.not_granted",
                format!("it asks for `{permission}` ({asked}), which nobody granted for these files"),
            );
            return Err(failure
                .hint(format!("look at what it asks for, and grant it, with `pintle trust grant {name}`")));
        }
    }
    Ok(())
}
