//! The parts of a contract for a machine, each with its types as whole schemas.

use super::kind::outcomes;
use pintle_manifest::{Call, Contract, Deprecation, Hook, PermissionKind, Slot};
use serde_json::{Value, json};

/// Returns a hook.
pub(crate) fn hook(contract: &Contract, name: &str, hook: &Hook) -> Value {
    json!({
        "name": name,
        "kind": hook.kind.as_str(),
        "when": hook.when,
        "payload": schema(contract, Some(&hook.payload)),
        "outcomes": outcomes(hook.kind),
        "reply": schema(contract, hook.reply.as_ref()),
        "filters": hook.filters,
        "pinned": hook.pinned,
        "own_time_ms": milliseconds(hook.own_time),
        "wall_time_ms": milliseconds(hook.wall_time),
        "on_fault": hook.on_fault.as_str(),
        "queue": hook.queue.map(pintle_manifest::QueueRule::as_str),
        "deprecated": deprecated(hook.deprecated.as_ref()),
    })
}

/// Returns a call.
pub(crate) fn call(contract: &Contract, name: &str, call: &Call) -> Value {
    json!({
        "name": name,
        "does": call.does,
        "arguments": schema(contract, Some(&call.arguments)),
        "returns": schema(contract, Some(&call.returns)),
        "permission": call.permission,
        "scoped_by": call.scoped_by,
        "counts_as_own": call.counts_as_own,
        "deprecated": deprecated(call.deprecated.as_ref()),
    })
}

/// Returns a slot.
pub(crate) fn slot(contract: &Contract, name: &str, slot: &Slot) -> Value {
    let invoke = slot.invoke.as_ref().map(|invoke| {
        json!({
            "payload": schema(contract, Some(&invoke.payload)),
            "reply": schema(contract, Some(&invoke.reply)),
            "own_time_ms": milliseconds(invoke.own_time),
            "wall_time_ms": milliseconds(invoke.wall_time),
        })
    });
    json!({
        "name": name,
        "holds": slot.holds,
        "collision": slot.collision.as_str(),
        "reserved": slot.reserved,
        "invoke": invoke,
        "deprecated": deprecated(slot.deprecated.as_ref()),
    })
}

/// Returns a permission.
pub(crate) fn permission(name: &str, permission: &PermissionKind) -> Value {
    json!({
        "name": name,
        "all": permission.all,
        "some": permission.some,
        "matching": permission.some.as_ref().map(|_| permission.matching.as_str()),
        "risk": permission.risk.as_str(),
    })
}

fn schema(contract: &Contract, name: Option<&String>) -> Option<Value> {
    name.and_then(|name| contract.schema(name))
}

fn milliseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn deprecated(deprecated: Option<&Deprecation>) -> Option<Value> {
    deprecated.map(|one| {
        json!({
            "since": one.since, "remove_in": one.remove_in, "instead": one.instead, "alias": one.alias,
        })
    })
}
