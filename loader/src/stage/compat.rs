//! The compat stage: the extension fits the host's contract. What it declares must exist there, so that a hook that
//! can never fire is an error and not silence. What fits is decided in the manifest crate, for authors and hosts alike.

use super::{StageFailure, Warning};
use crate::bundle::Bundle;
use crate::contract::Promise;
use pintle_manifest::{Misfit, MisfitKind, misfits};

/// How many misfits one message tells.
const MOST: usize = 5;

/// Checks it, and returns what works and should not stay as it is.
pub(super) fn check(bundle: &Bundle, promise: &Promise) -> Result<Vec<Warning>, StageFailure> {
    let misfits = misfits(promise.contract(), &bundle.manifest);
    let (stopping, remarks): (Vec<Misfit>, Vec<Misfit>) =
        misfits.into_iter().partition(|misfit| misfit.kind.stops_load());
    match stopping.first() {
        Some(first) => Err(refusal(bundle, first, &stopping)),
        None => Ok(remarks.iter().map(warning).collect()),
    }
}

fn refusal(bundle: &Bundle, first: &Misfit, all: &[Misfit]) -> StageFailure {
    let told: Vec<&str> = all.iter().take(MOST).map(|misfit| misfit.message.as_str()).collect();
    let mut message = told.join("; ");
    if let more @ 1.. = all.len().saturating_sub(MOST) {
        message.push_str(&format!("; and {more} more"));
    }
    let failure = StageFailure::new(first.kind.code(), message);
    match (first.kind, &first.help) {
        (MisfitKind::ApiVersion, _) => {
            failure.hint(format!("`pintle outdated` tells whether a newer `{}` fits", bundle.manifest.name))
        }
        (_, Some(help)) if all.len() == 1 => failure.hint(help.clone()),
        (_, Some(_)) => failure.hint("`pintle check` shows each of them at its place"),
        (_, None) => failure,
    }
}

fn warning(misfit: &Misfit) -> Warning {
    let message = match &misfit.help {
        Some(help) => format!("{}; {help}", misfit.message),
        None => misfit.message.clone(),
    };
    Warning { code: misfit.kind.code(), message }
}
