//! The hosts that this Pintle is itself, and the contracts that they ship. Reads nothing and runs nothing.

use pintle_manifest::{Contract, HostName, PermissionKind, Risk, Version};
use std::collections::BTreeMap;
use std::sync::LazyLock;

static AGENT: LazyLock<Contract> = LazyLock::new(|| {
    let permission = |name: &str, all: &str, some: Option<&str>, risk| {
        let kind = PermissionKind { all: all.to_owned(), some: some.map(str::to_owned), risk };
        (name.to_owned(), kind)
    };
    Contract {
        name: HostName::parse("agent").expect("`agent` is a name"),
        version: Version::new(1, 0, 0),
        description: "Runs commands for a person or an agent".to_owned(),
        hooks: BTreeMap::new(),
        calls: BTreeMap::new(),
        slots: BTreeMap::new(),
        permissions: BTreeMap::from([
            permission(
                "process.run",
                "run any program, as you",
                Some("run these programs, as you: {items}"),
                Risk::High,
            ),
            permission(
                "fs.read",
                "read any file that you can read",
                Some("read files at or below: {items}"),
                Risk::Medium,
            ),
            permission("ui.prompt", "ask you questions while a command waits", None, Risk::Low),
        ]),
        types: BTreeMap::new(),
    }
});

/// Returns the contract of `pintle exec`.
pub(crate) fn agent() -> &'static Contract {
    &AGENT
}
