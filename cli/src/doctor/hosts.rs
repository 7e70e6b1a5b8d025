//! What hosts left that were killed: processes and directories that nobody looks after. Looks only; `--fix` ends them.

use super::Finding;
use crate::failure::Failure;
use pintle_loader::doctor::left_by;
use pintle_loader::keep::Places;
use pintle_loader::ledger::{HostRecord, hosts};
use pintle_manifest::Untrusted;

/// Looks at the records of the hosts of one scope.
pub(crate) fn check(places: &Places) -> Vec<Finding> {
    let (records, unreadable) = match hosts(&places.hosts()) {
        Ok(found) => found,
        Err(error) => return vec![Finding::of_failure(&Failure::from(error))],
    };
    let mut findings: Vec<Finding> =
        unreadable.into_iter().map(|error| Finding::of_failure(&Failure::from(error))).collect();
    findings.extend(records.iter().filter(|record| !record.alive).flat_map(of_dead));
    findings.extend(records.iter().filter(|record| record.stopped).map(of_stopped));
    findings
}

fn of_stopped(record: &HostRecord) -> Finding {
    let (pid, command) = (record.pid, Untrusted(&record.command));
    let message = format!("a host is stopped (pid {pid}, `{command}`), and what is disabled runs on in it");
    let next = format!("let it go on, with `fg` where it was started or `kill -CONT {pid}`; or end it");
    Finding::note("doctor.stopped_host", message).at(&record.directory).next(next)
}

fn of_dead(record: &HostRecord) -> Vec<Finding> {
    let host = format!("a host that was killed (pid {}, `{}`)", record.pid, Untrusted(&record.command));
    let left = left_by(record);
    if left.is_empty() {
        let finding =
            Finding::note("doctor.dead_host", format!("{host} left its record, and nothing of it runs"));
        let next = "the next host that starts removes it, and so does `pintle doctor --fix`";
        return vec![finding.at(&record.directory).next(next).mendable()];
    }
    let of_one = |holding: &&pintle_loader::ledger::Holding| {
        let (kind, key) = (holding.kind.word(), holding.kind.key());
        let message = format!("{host} left the {kind} {}", Untrusted(&key));
        let finding = Finding::warning("doctor.orphan", message).of(&holding.owner);
        let next = "the next host that starts ends it, and so does `pintle doctor --fix`";
        finding.at(&record.directory).key(key).next(next).mendable()
    };
    left.iter().map(of_one).collect()
}
