//! Machines: a lock is for all of them, and code for another one is never taken for one's own.

use crate::kit::{Sandbox, remove};

const LINUX: &str = "x86_64-unknown-linux-gnu";
const MUSL: &str = "x86_64-unknown-linux-musl";
const MAC: &str = "aarch64-apple-darwin";
const OLD_MAC: &str = "x86_64-apple-darwin";

fn publish_for(sandbox: &Sandbox, name: &str, version: &str, targets: &[&str]) {
    for target in targets {
        sandbox.package(name).version(version).target(target).publish_to("main");
    }
}

#[test]
fn case_27_updating_on_one_machine_keeps_the_digests_of_the_others() {
    let sandbox = Sandbox::with_registry();
    publish_for(&sandbox, "acme-a", "1.0.0", &[LINUX, MUSL, MAC]);
    publish_for(&sandbox, "acme-b", "1.0.0", &[LINUX, MUSL, MAC]);
    sandbox.pintle(["install", "acme-a", "acme-b"]).succeeds();
    let lock = || sandbox.read(&sandbox.home("pintle.lock"));
    let block = |lock: &str, name: &str| {
        let all: Vec<&str> = lock.split("[[extension]]\n").collect();
        all.into_iter().find(|block| block.contains(&format!("name = \"{name}\""))).unwrap().to_owned()
    };
    let before = lock();
    assert_eq!(before.matches("target = ").count(), 6, "{before}");
    publish_for(&sandbox, "acme-a", "1.1.0", &[MAC, LINUX, MUSL]);
    publish_for(&sandbox, "acme-b", "1.1.0", &[MAC]);
    sandbox.command(["update", "acme-a"]).target(MAC).run().succeeds();
    let after = lock();
    assert_eq!(block(&after, "acme-b"), block(&before, "acme-b"));
    assert_eq!(block(&after, "acme-a").matches("target = ").count(), 3, "{after}");
    assert!(block(&after, "acme-a").contains("1.1.0"));
    // The lock that was made there installs here, and writes nothing anew.
    sandbox.command(["sync", "--locked"]).target(LINUX).run().succeeds();
    sandbox.command(["sync", "--locked"]).target(MUSL).run().succeeds();
    assert_eq!(lock(), after);
    let program = sandbox.read(&sandbox.extension("acme-a").join("bin/run"));
    assert!(program.contains(MUSL), "each machine gets its own archive: {program}");
}

#[test]
fn case_57_code_for_another_machine_is_not_published_under_a_label() {
    let sandbox = Sandbox::with_registry();
    let glibc = elf(62, "/lib64/ld-linux-x86-64.so.2");
    let arm = elf(183, "/lib/ld-linux-aarch64.so.1");
    let publish = |code: &[u8], target: &str| {
        let package = sandbox.package("acme-a").folder(sandbox.work("native")).target(target);
        package.file("bin/run", 0o755, code).try_publish_to("main")
    };
    insta::assert_snapshot!(publish(&glibc, MUSL), @"
    ---- standard error
    error[package.target_mismatch]: the package is for `x86_64-unknown-linux-musl`, but `bin/run` is ELF code for x86_64 with the interpreter `/lib64/ld-linux-x86-64.so.2`
    help: name the machine that the code was built for
    ---- exit code 1
    ");
    insta::assert_snapshot!(publish(&arm, LINUX), @"
    ---- standard error
    error[package.target_mismatch]: the package is for `x86_64-unknown-linux-gnu`, but `bin/run` is ELF code for aarch64 with the interpreter `/lib/ld-linux-aarch64.so.1`
    help: name the machine that the code was built for
    ---- exit code 1
    ");
    publish(&glibc, LINUX).succeeds();
}

#[test]
fn case_57_an_archive_that_is_installed_by_its_path_is_for_the_machines_of_its_code() {
    let sandbox = Sandbox::new();
    let arm = elf(183, "/lib/ld-linux-aarch64.so.1");
    let archive = sandbox.package("acme-a").file("bin/run", 0o755, arm).archive();
    let install = || sandbox.command(["install"]).arg(&archive);
    let refused = install().target(LINUX).run();
    refused.fails(5, "resolve.target").says("no artifact for `x86_64-unknown-linux-gnu`, only for `aarch64-");
    assert_eq!(sandbox.installed(), "");
    install().target("aarch64-unknown-linux-gnu").run().succeeds();
    let lock = sandbox.read(&sandbox.home("pintle.lock"));
    assert!(lock.contains("target = \"aarch64-unknown-linux-gnu\""), "{lock}");
    // A script is for all.
    let sandbox = Sandbox::new();
    let script = sandbox.package("acme-b").archive();
    sandbox.command(["install"]).arg(&script).run().succeeds();
    assert!(sandbox.read(&sandbox.home("pintle.lock")).contains("target = \"any\""));
}

#[test]
fn a_library_for_one_machine_alone_is_installed_on_no_other() {
    let sandbox = Sandbox::with_registry();
    let folder = sandbox.hello_native();
    let output = sandbox.command(["publish", "--registry", "main"]).arg(&folder).target(LINUX).run();
    output.succeeds().says("hello 0.1.0 for x86_64-unknown-linux-gnu");
    sandbox.command(["install", "hello"]).target(MAC).run().exits(5).says("resolve.target");
    sandbox.command(["install", "hello"]).target(LINUX).run().succeeds();
}

#[test]
fn case_58_an_older_version_for_this_machine_is_taken_and_the_newer_is_named() {
    let sandbox = Sandbox::with_registry();
    publish_for(&sandbox, "acme-k", "0.4.0", &[OLD_MAC, MAC]);
    publish_for(&sandbox, "acme-k", "0.5.0", &[OLD_MAC]);
    insta::assert_snapshot!(sandbox.command(["install", "acme-k"]).target(MAC).run(), @"
    + acme-k 0.4.0  from registry main
        asks for nothing; runs with your full rights
    1 installed (generation 1)
    ---- standard error
    note: acme-k 0.5.0 was passed over: it has no artifact for aarch64-apple-darwin, only for x86_64-apple-darwin
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.command(["install", "acme-k@0.5.0"]).target(MAC).run(), @"
    ---- standard error
    error[resolve.target]: no set of releases fulfils the wishes
      caused by: `acme-k 0.5.0` has no artifact for `aarch64-apple-darwin`, only for `x86_64-apple-darwin`; the older 0.4.0 has one
    help: see what is offered with `pintle info acme-k`
    ---- exit code 5
    ");
    // No machine is taken for another, also not one that could run its code by translation.
    publish_for(&sandbox, "acme-x", "1.0.0", &[OLD_MAC]);
    insta::assert_snapshot!(sandbox.command(["install", "acme-x"]).target(MAC).run(), @"
    ---- standard error
    error[resolve.target]: no set of releases fulfils the wishes
      caused by: no version of `acme-x` can be used: `acme-x 1.0.0` has no artifact for `aarch64-apple-darwin`, only for `x86_64-apple-darwin`
    help: see what is offered with `pintle info acme-x`
    ---- exit code 5
    ");
}

#[test]
fn case_58_a_lock_without_this_machine_says_what_there_is() {
    let sandbox = Sandbox::with_registry();
    publish_for(&sandbox, "acme-k", "0.5.0", &[LINUX]);
    sandbox.pintle(["install", "acme-k"]).succeeds();
    let before = sandbox.listing();
    let output = sandbox.command(["sync"]).target(MAC).run();
    insta::assert_snapshot!(output, @"
    ---- standard error
    error[resolve.target]: no set of releases fulfils the wishes
      caused by: no version of `acme-k` that matches `^0.5.0` can be used: `acme-k 0.5.0` has no artifact for `aarch64-apple-darwin`, only for `x86_64-unknown-linux-gnu`
    help: see what is offered with `pintle info acme-k`
    ---- exit code 5
    ");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "a missing artifact");
    publish_for(&sandbox, "acme-k", "0.5.0", &[MAC]);
    sandbox.command(["sync"]).target(MAC).run().succeeds();
    assert_eq!(sandbox.read(&sandbox.home("pintle.lock")).matches("target = ").count(), 2);
}

#[test]
fn case_58_a_registry_that_lacks_an_archive_it_names_is_blamed() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-k", &["0.4.0"]);
    let archives = sandbox.registry_dir("main").join("a");
    remove(&archives);
    let output = sandbox.pintle(["install", "acme-k"]);
    insta::assert_snapshot!(output.fails(4, "registry.missing_artifact"), @"
    ---- standard error
    error[registry.missing_artifact]: `acme-k 0.4.0` can't be installed
      caused by: failed to open `[root]/registries/main/a/[digest]`
      caused by: No such file or directory (os error 2)
    help: the registry names it and does not have it; tell its maintainer
    ---- exit code 4
    ");
    assert_eq!(sandbox.installed(), "");
    sandbox.assert_no_leftovers();
}

#[test]
fn a_target_that_does_not_exist_is_named() {
    let sandbox = Sandbox::with_registry();
    let output = sandbox.command(["install", "acme-a"]).target("x86_64-linux").run();
    assert_ne!(output.code, 0, "{output}");
    output.says("PINTLE_TARGET");
}

/// Returns the shortest program that says for which machine it is and which loader it needs.
fn elf(machine: u16, interpreter: &str) -> Vec<u8> {
    let mut bytes = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0];
    bytes.resize(16, 0);
    bytes.extend(2_u16.to_le_bytes());
    bytes.extend(machine.to_le_bytes());
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend(64_u64.to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend(0_u32.to_le_bytes());
    for half in [64_u16, 56, 1, 64, 0, 0] {
        bytes.extend(half.to_le_bytes());
    }
    let length = interpreter.len() as u64 + 1;
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend(4_u32.to_le_bytes());
    for word in [120_u64, 0, 0, length, length, 1] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(interpreter.as_bytes());
    bytes.push(0);
    bytes
}
