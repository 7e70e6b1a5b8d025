//! The same extension through the binary interface: the table of functions in this process, and the worker's loop over
//! it.

use crate::extension::Probe;
use crate::host::{Host, tool_call};
use pintle_sdk::native::abi::{ABI_MAJOR, Vtable};
use pintle_sdk::native::{Library, LibraryError};
use pintle_sdk::serve::{Ending, serve};
use serde_json::{Value, json};

#[expect(unsafe_code, reason = "the table is the one of this test, and stays")]
fn library(table: *const Vtable) -> Result<Library, LibraryError> {
    // SAFETY: every table of these tests is static, or null, or begins with a true size.
    unsafe { Library::new(table) }
}

/// A library is loaded once in a process, so this is one test, in the order of a life.
#[test]
fn a_library_lives_and_ends_as_a_process_does() {
    static TABLE: Vtable = pintle_sdk::native::vtable::<Probe>();
    let serving =
        |input, output| serve(library(&TABLE).expect("the table is good"), input, output, Ending::Return);
    let mut host = Host::serving(serving);
    let ready = host.greet();
    assert_eq!((&ready["ready"]["extension"], &ready["ready"]["protocol"]), (&json!("probe"), &json!(1)));

    let mut replaced = tool_call("replace");
    replaced["line"] = json!("replaced");
    let mut check = |line: &str, expected: Value| {
        assert_eq!(host.ask(3, "tool.call", tool_call(line))["outcome"]["answer"], expected, "{line}");
    };
    check("continue", json!("continue"));
    check("replace", json!({ "replace": replaced }));
    check("block", json!({ "block": "no" }));

    let fault = host.ask(4, "tool.call", tool_call("panic"))["fault"]["message"].clone();
    assert_eq!(fault, json!("the extension panicked: the thread is lost"));
    let fault = host.ask(5, "tool.other", json!({}))["fault"]["message"].clone();
    assert_eq!(fault, json!("this extension does not answer the hook `tool.other`"));

    // It is called while it waits, and gets the host's answer and the host's error.
    host.call(6, "tool.call", tool_call("select"));
    let waiting = host.request();
    assert_eq!(
        (&waiting["parent"], &waiting["epoch"], &waiting["call"]),
        (&json!(6), &json!(7), &json!("ui.select"))
    );
    assert_eq!(host.ask(7, "claim", json!(2))["outcome"]["answer"], json!({ "handled": { "number": 2 } }));
    host.reply(&waiting, json!({ "chosen": 0, "asked": true }));
    assert_eq!(host.receive()["outcome"], json!({ "id": 6, "answer": { "block": "chose Some(0)" } }));
    host.call(8, "tool.call", tool_call("stale"));
    let request = host.request();
    host.refuse(&request, "context.stale", "it was reloaded");
    let reason = json!("context.stale: it was reloaded (context.stale)");
    assert_eq!(host.receive()["outcome"]["answer"]["block"], reason);

    host.call(9, "tool.call", tool_call("until cancelled"));
    host.send(json!({ "cancel": { "id": 9 } }));
    assert_eq!(host.receive()["outcome"], json!({ "id": 9, "answer": { "block": "cancelled" } }));

    host.send(json!({ "dispose": { "reason": "reload", "budget_ms": 5000 } }));
    let request = host.request();
    host.refuse(&request, "context.stale", "it was reloaded");
    assert_eq!(host.receive(), json!({ "disposed": {} }));
    host.hang_up();
    host.ended().unwrap();
    host.closed();

    let mut again = Host::serving(serving);
    again.send(crate::host::hello());
    let error = again.ended().unwrap_err().to_string();
    assert_eq!(error, "this library is loaded already, and it can be loaded once in a worker");
}

#[test]
fn tables_of_another_layout_are_refused() {
    let check = |table: &'static Vtable, expected: LibraryError| {
        assert_eq!(library(table).unwrap_err(), expected);
    };
    static NEWER: Vtable = Vtable { abi_major: ABI_MAJOR + 1, ..pintle_sdk::native::vtable::<Probe>() };
    static SHORT: Vtable = Vtable { size: 16, ..pintle_sdk::native::vtable::<Probe>() };
    assert_eq!(library(std::ptr::null()).unwrap_err(), LibraryError::NoTable);
    check(&NEWER, LibraryError::Major { found: ABI_MAJOR + 1 });
    check(&SHORT, LibraryError::Short { found: 16, needed: size_of::<Vtable>() });
}
