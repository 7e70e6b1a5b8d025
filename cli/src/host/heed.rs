//! Heeds what a person turns off while a host runs: the extension ends at once, wherever the person is.

use super::Agent;
use crate::lower;
use crate::situation::Situation;
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
        tokio::time::sleep(PAUSE).await;
        let times: Vec<_> = scopes
            .iter()
            .map(|(scope, _)| {
                scope.base.join("state/disabled.json").metadata().and_then(|data| data.modified()).ok()
            })
            .collect();
        if seen.as_ref() == Some(&times) {
            continue;
        }
        seen = Some(times);
        // A file that can't be read now turns nothing off, and nothing on.
        let read = scopes.iter().filter_map(|(scope, _)| Disabled::read(scope).ok());
        let off: BTreeSet<_> = read.flat_map(|disabled| disabled.names.into_keys()).collect();
        for name in agent.host.running().into_iter().filter(|name| off.contains(name)) {
            if agent.host.disable(&name).await.is_ok() {
                situation.ui.note(format_args!("`{name}` was disabled, and has ended here"));
            }
        }
    }
}
