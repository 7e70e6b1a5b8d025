//! Files as editors on other machines leave them: byte order marks, carriage returns, other encodings.

use crate::kit::Sandbox;

const MARK: &str = "\u{feff}";

#[test]
fn case_86_a_byte_order_mark_and_carriage_returns_are_read() {
    let sandbox = Sandbox::with_registry();
    let folder = sandbox.package("acme-a").write();
    let manifest = folder.join("extension.toml");
    sandbox.write(&manifest, format!("{MARK}{}", sandbox.read(&manifest).replace('\n', "\r\n")));
    sandbox.command(["check"]).arg(&folder).run().succeeds();
    sandbox.command(["publish"]).arg(&folder).arg("--registry=main").run().succeeds();
    sandbox.pintle(["install", "acme-a"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.0.0");
}

#[test]
fn case_86_another_encoding_is_named() {
    let sandbox = Sandbox::with_registry();
    let folder = sandbox.package("acme-a").write();
    let manifest = folder.join("extension.toml");
    let text = sandbox.read(&manifest);
    let utf16: Vec<u8> = format!("{MARK}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    sandbox.write(&manifest, utf16);
    insta::assert_snapshot!(sandbox.command(["check"]).arg(&folder).run(), @"
    [root]/packages/acme-a-1.0.0-any/extension.toml: 1 error
    ---- standard error
    error[manifest.encoding]: this is UTF-16; save it as UTF-8
     --> [root]/packages/acme-a-1.0.0-any/extension.toml:1:1
      |
    1 | ��m a n i f e s t _ v e r s i o n   =   1 
      | ^

    ---- exit code 1
    ");
    sandbox.command(["publish"]).arg(&folder).arg("--registry=main").run().fails(1, "manifest.invalid");
    sandbox.command(["install"]).arg(&folder).run().fails(1, "manifest.invalid");
    sandbox.write(&manifest, format!("{MARK}{MARK}{text}"));
    sandbox.command(["check"]).arg(&folder).run().exits(1);
}

#[test]
fn case_86_wishes_and_lock_keep_their_mark_and_their_line_ends() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.publish("acme-b", &["1.0.0"]);
    let (wishes, lock) = (sandbox.work("pintle.toml"), sandbox.work("pintle.lock"));
    sandbox.write(&wishes, format!("{MARK}# mine\r\n[extensions]\r\nacme-a = \"^1\"\r\n"));
    sandbox.pintle(["sync"]).succeeds();
    let marked = format!("{MARK}{}", sandbox.read(&lock));
    sandbox.write(&lock, &marked);
    sandbox.pintle(["sync"]).succeeds();
    assert_eq!(sandbox.read(&lock), marked, "nothing changes, so nothing is written");
    sandbox.pintle(["install", "acme-b"]).succeeds();
    assert_eq!(
        sandbox.read(&wishes),
        format!("{MARK}# mine\r\n[extensions]\r\nacme-a = \"^1\"\r\nacme-b = \"^1.0.0\"\r\n")
    );
    assert!(!sandbox.read(&lock).starts_with(MARK));
}

#[test]
fn case_87_a_script_with_carriage_returns_is_not_shipped() {
    let sandbox = Sandbox::with_registry();
    let script = "#!/bin/sh\r\necho hello\r\n";
    let folder = sandbox.package("acme-a").file("bin/run", 0o755, script).write();
    insta::assert_snapshot!(sandbox.command(["check"]).arg(&folder).run(), @"
    acme-a 1.0.0: 1 error
    ---- standard error
    error[package.crlf_shebang]: the first line of `bin/run` ends in a carriage return
      --> bin/run
    help: save it with LF line endings; the system would look for an interpreter of another name

    ---- exit code 1
    ");
    let output = sandbox.command(["publish"]).arg(&folder).arg("--registry=main").run();
    output.fails(1, "package.problems").says("crlf_shebang");
}

#[test]
fn case_87_other_files_with_carriage_returns_are_shipped_as_they_are() {
    let sandbox = Sandbox::with_registry();
    let text = "one\r\ntwo\r\n";
    let package = sandbox.package("acme-a").file("notes.txt", 0o644, text);
    let folder = package.file(".gitignore", 0o644, "left-out\r\n").file("left-out", 0o644, "x").write();
    sandbox.command(["publish"]).arg(&folder).arg("--registry=main").run().succeeds();
    sandbox.pintle(["install", "acme-a"]).succeeds();
    assert_eq!(sandbox.read(&sandbox.extension("acme-a").join("notes.txt")), text);
    assert!(
        !sandbox.extension("acme-a").join("left-out").exists(),
        "the pattern has no carriage return in it"
    );
}
