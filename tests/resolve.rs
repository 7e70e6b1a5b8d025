//! What is chosen: pre-releases, hosts, several registries, families, cycles, and how a conflict is told.

use crate::kit::{Sandbox, remove};

#[test]
fn case_20_a_prerelease_is_chosen_only_if_it_is_asked_for() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-r", &["0.9.0", "1.0.0-rc.1", "1.0.0-rc.2"]);
    sandbox.publish("acme-alpha", &["0.1.0-alpha.3"]);
    sandbox.pintle(["install", "acme-r"]).succeeds();
    sandbox.pintle(["update"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-r 0.9.0");
    sandbox.pintle(["install", "acme-r@^1.0.0-rc.1"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-r 1.0.0-rc.2");
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-alpha"]), @"
    ---- standard error
    error[resolve.only_prerelease]: no set of releases fulfils the wishes
      caused by: no version of `acme-alpha` can be used: `acme-alpha 0.1.0-alpha.3` is a pre-release, which is chosen only when asked for (as `acme-alpha@=0.1.0-alpha.3`)
    help: ask for it: `pintle install acme-alpha@0.1.0-alpha.3`, or use `--pre`
    ---- exit code 5
    ");
    sandbox.pintle(["install", "acme-alpha", "--pre"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-alpha 0.1.0-alpha.3, acme-r 1.0.0-rc.2");
}

#[test]
fn case_20_build_metadata_makes_no_other_version() {
    let sandbox = Sandbox::with_registry();
    sandbox.package("acme-m").version("1.0.0+b1").publish_to("main");
    let output = sandbox.package("acme-m").version("1.0.0+b2").try_publish_to("main");
    insta::assert_snapshot!(output, @"
    ---- standard error
    error[publish.build_metadata]: `acme-m` has version 1.0.0+b1 already, and build metadata does not make 1.0.0+b2 another version
    help: raise one of the three numbers instead
    ---- exit code 1
    ");
    sandbox.pintle(["install", "acme-m"]).succeeds();
    sandbox.pintle(["update"]).succeeds().says("Nothing to do");
}

#[test]
fn case_21_a_family_that_can_not_move_together_stays() {
    let sandbox = Sandbox::with_registry();
    for version in ["9.9.0", "9.10.0"] {
        sandbox.package("fam-core").version(version).publish_to("main");
        sandbox
            .package("fam-tree")
            .version(version)
            .depends("fam-core", &format!("={version}"))
            .publish_to("main");
    }
    sandbox.package("other").depends("fam-core", "<9.10").publish_to("main");
    sandbox.pintle(["install", "fam-core@^9", "fam-tree@^9", "other"]).succeeds();
    assert_eq!(sandbox.installed(), "fam-core 9.9.0, fam-tree 9.9.0, other 1.0.0");
    insta::assert_snapshot!(sandbox.pintle(["update"]), @"
    Nothing to do: everything is as wished
    ---- standard error
    note: fam-core 9.10.0 was passed over: other 1.0.0 needs <9.10
    note: fam-tree 9.10.0 was passed over: it needs fam-core =9.10.0, and 9.9.0 was chosen
    ---- exit code 0
    ");
    assert_eq!(sandbox.installed(), "fam-core 9.9.0, fam-tree 9.9.0, other 1.0.0");
    insta::assert_snapshot!(sandbox.pintle(["outdated"]), @"
    NAME      INSTALLED  UPDATE  NEWEST
    fam-core  9.9.0      9.9.0   9.10.0  held by fam-tree (`=9.9.0`)
    fam-tree  9.9.0      9.10.0  9.10.0
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["install", "fam-tree@9.10.0"]), @"
    ---- standard error
    error[resolve.conflict]: no set of releases fulfils the wishes
      caused by: `fam-tree 9.10.0` needs `fam-core =9.10.0`, and `other 1.0.0` needs `fam-core <9.10`, so both cannot be installed together
    help: leaving out or loosening one of these wishes ends it: fam-tree, other
    ---- exit code 5
    ");
}

#[test]
fn case_22_a_name_belongs_to_one_registry() {
    let sandbox = Sandbox::new();
    sandbox.registry("corp");
    sandbox.registry("pub");
    sandbox.package("acme-int").publish_to("corp");
    sandbox.package("acme-int").version("99.0.0").publish_to("pub");
    // Both have it and nothing says whose it is: no guess, and nothing is fetched.
    let before = sandbox.listing();
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-int"]), @r#"
    ---- standard error
    error[registry.ambiguous]: `acme-int` is in several registries (`corp`, `pub`), and nothing says which one is meant
    help: say which: `pintle install acme-int --registry corp`
    help: or let one claim it in `pintle.toml`: `names = ["…"]` under `[registries.…]`
    ---- exit code 3
    "#);
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "an ambiguous name");
    sandbox.pintle(["install", "acme-int", "--registry", "corp"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-int 1.0.0");
    sandbox.pintle(["update"]).succeeds();
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-int@^99"]), @"
    ---- standard error
    error[resolve.conflict]: no version of `acme-int` matches `^99`; the nearest is 1.0.0
    help: `pintle info acme-int` lists its versions
    ---- exit code 5
    ");
    let lock = sandbox.read(&sandbox.home("pintle.lock"));
    // Another order of the registries changes nothing of what is locked.
    sandbox.pintle(["registry", "remove", "corp"]).succeeds();
    sandbox.command(["registry", "add", "corp"]).arg(sandbox.registry_dir("corp")).run().succeeds();
    sandbox.pintle(["sync"]).succeeds();
    sandbox.pintle(["update"]).succeeds();
    assert_eq!(sandbox.read(&sandbox.home("pintle.lock")), lock);
}

#[test]
fn case_22_a_claim_decides_whose_a_name_is() {
    let sandbox = Sandbox::new();
    sandbox.make_registry("corp");
    let corp = sandbox.command(["registry", "add", "corp"]).arg(sandbox.registry_dir("corp"));
    corp.args(["--claims", "acme-*"]).run().succeeds();
    sandbox.registry("pub");
    sandbox.package("acme-int").publish_to("corp");
    sandbox.package("acme-int").version("99.0.0").publish_to("pub");
    sandbox.package("acme-other").publish_to("pub");
    sandbox.pintle(["install", "acme-int"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-int 1.0.0");
    sandbox.pintle(["install", "acme-other"]).fails(5, "resolve.unknown_package");
    insta::assert_snapshot!(sandbox.pintle(["registry", "list"]), @"
    corp  [root]/registries/corp  acme-*
    pub   [root]/registries/pub
    ---- exit code 0
    ");
}

#[test]
fn case_23_a_registry_that_can_not_be_read_is_not_replaced_by_another() {
    let sandbox = Sandbox::new();
    let corp = sandbox.registry("corp");
    sandbox.registry("pub");
    sandbox.package("acme-int").version("99.0.0").publish_to("pub");
    let before = sandbox.listing().without(&["registries"]);
    let check = |what: &str, exit: i32, code: &str| {
        sandbox.pintle(["install", "acme-int"]).fails(exit, code).says("corp");
        before
            .clone()
            .without_traces()
            .assert_same(&sandbox.listing().without(&["registries"]).without_traces(), what);
    };
    let head = std::fs::read(corp.join("head.json")).unwrap();
    for damage in [&b"<html>502</html>"[..], b"", b"{\"version\":"] {
        sandbox.write(&corp.join("head.json"), damage);
        check("a damaged registry", 4, "registry.bad_head");
    }
    remove(&corp);
    check("an unreachable registry", 6, "registry.unreachable");
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-int"]), @"
    ---- standard error
    error[registry.unreachable]: the registry `corp` at `[root]/registries/corp` can't be reached
      caused by: failed to list `[root]/registries/corp`
      caused by: No such file or directory (os error 2)
    help: no other registry is asked instead
    help: use what was seen before with `--offline`
    ---- exit code 6
    ");
    std::fs::create_dir(&corp).unwrap();
    check("an empty registry", 1, "registry.empty");
    drop(head);
}

#[test]
fn case_24_the_newest_that_fits_the_host_is_installed_and_the_newer_is_named() {
    let sandbox = Sandbox::with_registry();
    sandbox.package("acme-w").version("0.1.8").host("agent", ">=1.2, <2").publish_to("main");
    sandbox.package("acme-w").version("0.1.9").host("agent", ">=1.6, <2").publish_to("main");
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-w", "--host", "agent@1.4"]), @"
    + acme-w 0.1.8  from registry main
        asks for nothing; runs with your full rights
    1 installed (generation 1)
    ---- standard error
    note: acme-w 0.1.9 was passed over: it needs agent >=1.6, <2, and this is agent 1.4.0
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-w@0.1.9", "--host", "agent@1.4"]), @"
    ---- standard error
    error[resolve.host]: no set of releases fulfils the wishes
      caused by: `acme-w 0.1.9` needs the host `agent >=1.6, <2`, which is 1.4.0 here; the older 0.1.8 can be used
    help: use a host with `agent >=1.6, <2`, or look for another release with `pintle info acme-w`
    ---- exit code 5
    ");
    sandbox.pintle(["update", "--host", "agent@1.6"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-w 0.1.9");
    // The host goes back: what is installed stays, is named, and keeps nothing else away.
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox.pintle(["install", "acme-b", "--host", "agent@1.4"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-b 1.0.0, acme-w 0.1.9");
}

#[test]
fn case_25_a_cycle_is_refused_with_its_path() {
    let sandbox = Sandbox::with_registry();
    sandbox.package("xx-one").depends("yy-two", "^1").publish_to("main");
    sandbox.package("yy-two").depends("zz-three", "^1").publish_to("main");
    sandbox.package("zz-three").depends("xx-one", "^1").publish_to("main");
    let before = sandbox.listing();
    insta::assert_snapshot!(sandbox.pintle(["install", "xx-one"]), @"
    ---- standard error
    error[resolve.cycle]: these packages need each other in a circle: `xx-one` > `yy-two` > `zz-three` > `xx-one`
    help: one of them has to do without the other; tell its maintainer
    ---- exit code 5
    ");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "a cycle");
    let output = sandbox.package("self-ish").depends("self-ish", "^1").try_publish_to("main");
    assert_ne!(output.code, 0, "{output}");
}

#[test]
fn a_conflict_names_the_chain_and_a_way_out() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-d", &["1.0.0", "2.0.0"]);
    sandbox.package("acme-a").depends("acme-d", "^1").publish_to("main");
    sandbox.package("acme-b").depends("acme-d", "^2").publish_to("main");
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-a", "acme-b"]), @"
    ---- standard error
    error[resolve.conflict]: no set of releases fulfils the wishes
      caused by: `acme-a 1.0.0` needs `acme-d ^1`, and `acme-b 1.0.0` needs `acme-d ^2`, so both cannot be installed together
    help: leaving out or loosening one of these wishes ends it: acme-a, acme-b
    ---- exit code 5
    ");
    sandbox.package("acme-c").depends("acme-gone", "^1").publish_to("main");
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-c"]), @"
    ---- standard error
    error[resolve.unknown_package]: there is no package `acme-gone`, which `acme-c 1.0.0` needs
    ---- exit code 5
    ");
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-d@^3"]), @"
    ---- standard error
    error[resolve.conflict]: no version of `acme-d` matches `^3`; the nearest is 2.0.0
    help: `pintle info acme-d` lists its versions
    ---- exit code 5
    ");
}

#[test]
fn case_56_an_extension_for_an_older_host_blocks_no_other() {
    let sandbox = Sandbox::with_registry();
    sandbox.package("acme-old").host("agent", "=1.2.0").publish_to("main");
    sandbox.publish("acme-new", &["1.0.0"]);
    sandbox.pintle(["install", "acme-old", "--host", "agent@1.2"]).succeeds();
    sandbox.pintle(["install", "acme-new", "--host", "agent@1.4"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-new 1.0.0, acme-old 1.0.0");
    sandbox.pintle(["sync", "--host", "agent@1.4"]).succeeds();
    insta::assert_snapshot!(sandbox.pintle(["outdated", "--host", "agent@1.4"]), @"
    NAME      INSTALLED  UPDATE  NEWEST
    acme-old  1.0.0      1.0.0   1.0.0   needs agent =1.2.0, have 1.4.0
    ---- exit code 0
    ");
    sandbox.package("acme-old").version("1.1.0").host("agent", ">=1.4, <2").publish_to("main");
    sandbox.pintle(["update", "--host", "agent@1.4"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-new 1.0.0, acme-old 1.1.0");
}

#[test]
fn case_98_what_no_longer_fits_the_host_can_be_found_updated_and_removed() {
    let sandbox = Sandbox::with_registry();
    sandbox.package("acme-pan").version("1.2.11").host("agent", ">=1, <2").publish_to("main");
    sandbox.package("acme-pan").version("2.1.14").host("agent", ">=2, <3").publish_to("main");
    sandbox.package("acme-stuck").host("agent", ">=1, <2").publish_to("main");
    sandbox.pintle(["install", "acme-pan@>=1", "acme-stuck", "--host", "agent@1.9"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-pan 1.2.11, acme-stuck 1.0.0");
    let config = sandbox.home("config/acme-pan.toml");
    sandbox.write(&config, "k = 1\n");
    let document = sandbox.pintle(["outdated", "--host", "agent@2.0.0", "--format", "json"]).json();
    let rows = document["outdated"].as_array().unwrap();
    assert_eq!((rows[0]["name"].as_str(), rows[0]["in_range"].as_str()), (Some("acme-pan"), Some("2.1.14")));
    assert_eq!(rows[1]["name"], "acme-stuck", "{rows:#?}");
    assert!(rows.iter().all(|row| row["incompatible"]["have"] == "2.0.0"), "{rows:#?}");
    sandbox.pintle(["update", "--host", "agent@2.0.0"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-pan 2.1.14, acme-stuck 1.0.0");
    assert_eq!(sandbox.read(&config), "k = 1\n");
    sandbox.pintle(["uninstall", "acme-stuck", "--host", "agent@2.0.0"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-pan 2.1.14");
}

#[test]
fn case_99_an_update_never_goes_down_by_itself() {
    let sandbox = Sandbox::with_registry();
    sandbox.package("acme-camel").version("0.5.5").host("agent", ">=1, <9").publish_to("main");
    sandbox.package("acme-camel").version("0.7.10").host("agent", ">=1.2, <1.5").publish_to("main");
    sandbox.pintle(["install", "acme-camel@>=0.5", "--host", "agent@1.4"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-camel 0.7.10");
    sandbox.pintle(["update", "--host", "agent@1.6"]).succeeds();
    sandbox.pintle(["update", "acme-camel", "--host", "agent@1.6"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-camel 0.7.10");
    insta::assert_snapshot!(sandbox.pintle(["outdated", "--host", "agent@1.6"]), @"
    NAME        INSTALLED  UPDATE  NEWEST
    acme-camel  0.7.10     0.7.10  0.7.10  needs agent >=1.2, <1.5, have 1.6.0
    ---- exit code 0
    ");
    sandbox.pintle(["install", "acme-camel@0.5.5", "--host", "agent@1.6"]).succeeds().says("downgrade");
}

/// A fresh installation takes the newest that fits, even if that is old, and names the newer one it passed over.
#[test]
fn case_99_a_fresh_installation_of_something_old_names_what_is_newer() {
    let sandbox = Sandbox::with_registry();
    sandbox.package("acme-camel").version("0.5.5").host("agent", ">=1, <9").publish_to("main");
    sandbox.package("acme-camel").version("0.7.10").host("agent", ">=1.2, <1.5").publish_to("main");
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-camel", "--host", "agent@1.6"]), @"
    + acme-camel 0.5.5  from registry main
        asks for nothing; runs with your full rights
    1 installed (generation 1)
    ---- standard error
    note: acme-camel 0.7.10 was passed over: it needs agent >=1.2, <1.5, and this is agent 1.6.0
    ---- exit code 0
    ");
}

#[test]
fn case_99_a_release_without_an_upper_bound_is_not_published() {
    let sandbox = Sandbox::with_registry();
    for versions in [">=1", "*"] {
        let output = sandbox.package("acme-camel").host("agent", versions).try_publish_to("main");
        output.fails(1, "manifest.invalid").says("manifest.host_unbounded");
    }
}
