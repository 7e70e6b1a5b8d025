//! Heeds what a person turns off while a host runs: the extension ends at once, wherever the person is, and with it what
//! needs it. What was named on the command line stays: whoever did that meant it.

use super::Agent;
use crate::lower;
use crate::situation::Situation;
use pintle_manifest::Name;
use pintle_registry::store::Disabled;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::time::Duration;

/// How often it is looked.
const PAUSE: Duration = Duration::from_millis(200);

/// Looks again and again what is turned off, and ends it here. Never returns.
pub(crate) async fn heed_disabling(situation: &Situation<'_>, agent: &Agent) -> Infallible {
    let scopes = lower::scopes(situation);
    let mut seen = None;
    loop {
        let times: Vec<_> = scopes
            .iter()
            .map(|(scope, _)| {
                scope.base.join("state/disabled.json").metadata().and_then(|data| data.modified()).ok()
            })
            .collect();
        if seen.as_ref() != Some(&times) {
            seen = Some(times);
            // A file that can't be read now turns nothing off, and nothing on.
            let read = scopes.iter().filter_map(|(scope, _)| Disabled::read(scope).ok());
            let off: BTreeSet<Name> = read.flat_map(|disabled| disabled.names.into_keys()).collect();
            end(situation, agent, &off).await;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Ends what runs and is off, and what needs it.
async fn end(situation: &Situation<'_>, agent: &Agent, off: &BTreeSet<Name>) {
    let off: BTreeSet<Name> = off.difference(&agent.lowered.folders).cloned().collect();
    for name in agent.host.running().into_iter().rev().filter(|name| off.contains(name)) {
        // What needed something else that is off has ended with it.
        let Ok(ended) = agent.host.disable(&name).await else { continue };
        for one in ended {
            match off.contains(&one.name) {
                true => situation.ui.note(format_args!("`{}` was disabled, and has ended here", one.name)),
                false => situation
                    .ui
                    .note(format_args!("`{}` has ended too, since it needs what was disabled", one.name)),
            }
        }
    }
}
