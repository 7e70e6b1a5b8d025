//! What is kept and damaged, as `pintle doctor` finds it, and what of it `--fix` puts aside.

use crate::doctor::check;
use crate::kit::Sandbox;
use serde_json::json;

#[test]
fn what_an_extension_stores_is_looked_at_and_put_aside_by_nobody() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-a").at("tool.call", json!([])).install();
    sandbox.write(&sandbox.home("data/acme-a/store.json"), "{\"version\":1,\"values\":{\"last\":1}}");
    sandbox.write(&sandbox.home("data/notes.txt"), "of somebody else");
    sandbox.write(&sandbox.home("data/Not A Name/store.json"), "of somebody else");
    check(&sandbox, &[], 0, &[]);
    for (text, code) in [("", "unreadable"), ("[]", "unreadable"), ("{\"version\":7}", "newer")] {
        let store = sandbox.home("data/acme-a/store.json");
        sandbox.write(&store, text);
        for arguments in [&[][..], &["--fix"]] {
            let document = check(&sandbox, arguments, 1, &[&format!("error state.{code} acme-a")]);
            let finding = &document["findings"][0];
            assert!(finding["file"].as_str().unwrap().ends_with("data/acme-a/store.json"), "{finding:#}");
            assert_eq!(sandbox.read(&store), text);
        }
    }
}

#[test]
fn the_faults_of_the_last_minute_are_looked_at_and_a_damaged_count_is_put_aside() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-a").at("tool.call", json!([])).install();
    sandbox.write(&sandbox.home("state/faults.json"), "torn");
    let document = check(&sandbox, &[], 1, &["error state.unreadable -"]);
    let message = document["findings"][0]["message"].as_str().unwrap();
    assert!(message.ends_with("line 1, column 2: it is no JSON from here on"), "{message}");
    check(&sandbox, &["--fix"], 0, &["error state.unreadable - mended"]);
    assert_eq!(sandbox.read(&sandbox.home("state/faults.json.damaged-1")), "torn");
    std::fs::create_dir(sandbox.home("state/faults.json")).unwrap();
    check(&sandbox, &["--fix"], 0, &["error fs.in_the_way - mended"]);
    assert!(sandbox.home("state/faults.json.damaged-2").is_dir());
    check(&sandbox, &[], 0, &[]);
}
