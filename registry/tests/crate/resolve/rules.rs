//! Each rule of what may be chosen and what is preferred, in tables of tiny universes.

use crate::resolve::universe::{And, ask, check, name, outcome, universe};
use pintle_registry::resolve::{ResolveError, resolve};
use std::error::Error;

#[test]
fn the_newest_that_fits_is_chosen() {
    let releases = "app 1.0.0 -> lib ^1; app 1.1.0 -> lib ^1.1; lib 1.0.0; lib 1.2.0; lib 2.0.0";
    check(releases, &ask("app"), "app 1.1.0, lib 1.2.0");
    check(releases, &ask("app =1.0.0"), "app 1.0.0, lib 1.2.0");
    check(
        releases,
        &ask("app; lib =1.0.0"),
        "app 1.0.0, lib 1.0.0\nnote: app 1.1.0 needs lib ^1.1, have 1.0.0",
    );
    check(releases, &ask("lib !=2.0.0"), "lib 1.2.0");
    check(releases, &ask("lib <=1, !=1.2.0"), "lib 1.0.0");
    check(releases, &ask(""), "");
}

#[test]
fn a_release_that_cannot_be_completed_is_stepped_over() {
    check("app 1.0.0; app 2.0.0 -> gone", &ask("app"), "app 1.0.0");
    check("app 1.0.0; app 2.0.0 -> app ^1", &ask("app"), "app 1.0.0");
    let many: Vec<String> = (1..=9).map(|patch| format!("lib 2.0.{patch} -> app =1.0.0")).collect();
    check(
        &format!("app 1.0.0; app 2.0.0; lib 1.0.0 -> old; {}; old 1.0.0", many.join(";")),
        &ask("app; lib"),
        "app 1.0.0, lib 2.0.9\nnote: app 2.0.0 held back by lib 2.0.9, needs =1.0.0",
    );
}

#[test]
fn what_is_locked_stays_while_it_will_do() {
    let releases = "app 1.0.0 -> lib; app 2.0.0 -> lib ^2; lib 1.0.0; lib 2.0.0; new 1.0.0 -> lib ^2; opt 1.0.0 -> lib ^1; opt 2.0.0 -> lib ^2";
    check(releases, &ask("app").locked("app 1.0.0; lib 1.0.0"), "app 1.0.0, lib 1.0.0");
    check(releases, &ask("app").locked("app 1.0.0"), "app 1.0.0, lib 2.0.0");
    check(releases, &ask("app ^2").locked("app 1.0.0; lib 1.0.0"), "app 2.0.0, lib 2.0.0");
    check(releases, &ask("app; new").locked("app 1.0.0; lib 1.0.0"), "app 1.0.0, lib 2.0.0, new 1.0.0");
    check(
        releases,
        &ask("app; opt").locked("app 1.0.0; lib 1.0.0"),
        "app 1.0.0, lib 1.0.0, opt 1.0.0\nnote: opt 2.0.0 needs lib ^2, have 1.0.0",
    );
    check(releases, &ask("app").locked("app 1.5.0; lib 1.0.0"), "app 2.0.0, lib 2.0.0");
    check(releases, &ask("opt").locked("app 1.0.0"), "lib 2.0.0, opt 2.0.0");
}

#[test]
fn case_20_a_prerelease_is_for_those_who_ask() {
    let releases = "acme-r 0.9.0; acme-r 1.0.0-rc.1; acme-r 1.0.0-rc.2; \
        alpha 0.1.0-alpha.2; alpha 0.1.0-alpha.3; app 1.0.0 -> acme-r =1.0.0-rc.1";
    check(releases, &ask("acme-r"), "acme-r 0.9.0");
    check(releases, &ask("acme-r ^1.0.0-rc.1"), "acme-r 1.0.0-rc.2");
    check(releases, &ask("acme-r").prereleases(), "acme-r 1.0.0-rc.2");
    check(releases, &ask("acme-r <1.0.0").prereleases(), "acme-r 0.9.0");
    check(releases, &ask("acme-r").locked("acme-r 1.0.0-rc.1"), "acme-r 1.0.0-rc.1");
    check(releases, &ask("acme-r").floors("acme-r 0.9.0"), "acme-r 0.9.0");
    check(releases, &ask("alpha").prereleases(), "alpha 0.1.0-alpha.3");
    check(releases, &ask("alpha >=0.1.0-alpha.1"), "alpha 0.1.0-alpha.3");
    check(
        releases,
        &ask("app; acme-r >0.0.0-0"),
        "acme-r 1.0.0-rc.1, app 1.0.0\nnote: acme-r 1.0.0-rc.2 held back by app 1.0.0, needs =1.0.0-rc.1",
    );
    check(
        releases,
        &ask("alpha"),
        "no version of `alpha` can be used: `alpha 0.1.0-alpha.3` is a pre-release, which is chosen only when asked \
         for (as `alpha@=0.1.0-alpha.3`)",
    );
    check(
        releases,
        &ask("app"),
        "`app 1.0.0` needs `acme-r =1.0.0-rc.1`, so `app` cannot be installed
         `acme-r 1.0.0-rc.1` is a pre-release, which is chosen only when asked for (as `acme-r@=1.0.0-rc.1`)",
    );
}

#[test]
fn build_metadata_makes_no_other_version() {
    let releases = "app 1.0.0+b2; app 1.0.0+b1";
    check(releases, &ask("app").locked("app 1.0.0"), "app 1.0.0+b1");
    check(releases, &ask("app =1.0.0"), "app 1.0.0+b1");
}

#[test]
fn a_yanked_release_is_kept_but_never_newly_chosen() {
    let releases = "lib 1.0.0; lib 1.1.0 | yanked; app 1.0.0 -> lib >1.0.0; bad 1.0.0 | yanked";
    check(releases, &ask("lib"), "lib 1.0.0");
    check(releases, &ask("lib").locked("lib 1.1.0"), "lib 1.1.0\nnote: lib 1.1.0 yanked but locked");
    // What is installed may stay when everything may move, and gives way to anything newer.
    check(
        releases,
        &ask("lib").kept("lib 1.1.0").floors("lib 1.1.0"),
        "lib 1.1.0\nnote: lib 1.1.0 yanked but locked",
    );
    check(
        releases,
        &ask("bad").kept("bad 1.0.0").floors("bad 1.0.0"),
        "bad 1.0.0\nnote: bad 1.0.0 yanked but locked",
    );
    check("app 1.0.0 | yanked; app 1.1.0", &ask("app").kept("app 1.0.0").floors("app 1.0.0"), "app 1.1.0");
    check(releases, &ask("lib =1.1.0"), "lib 1.1.0\nnote: lib 1.1.0 yanked but locked");
    check(releases, &ask("app; lib =1.1.0"), "app 1.0.0, lib 1.1.0\nnote: lib 1.1.0 yanked but locked");
    check(
        releases,
        &ask("lib >=1.1.0"),
        "no version of `lib` that matches `>=1.1.0` can be used: `lib 1.1.0` was withdrawn; the older 1.0.0 can be used",
    );
    check(releases, &ask("bad"), "no version of `bad` can be used: `bad 1.0.0` was withdrawn");
}

#[test]
fn case_24_the_newest_that_fits_the_host_is_chosen_and_the_newer_is_named() {
    let releases = "acme-w 0.1.8 | host agent ^1.2; acme-w 0.1.9 | host agent ^1.6; acme-w 0.2.0 | host agent ^1.6 | yanked";
    check(
        releases,
        &ask("acme-w").hosts("agent 1.4.0"),
        "acme-w 0.1.8\nnote: acme-w 0.1.9 needs agent ^1.6, have 1.4.0",
    );
    check(
        releases,
        &ask("acme-w =0.1.9").hosts("agent 1.4.0"),
        "`acme-w 0.1.9` needs the host `agent ^1.6`, which is 1.4.0 here; the older 0.1.8 can be used",
    );
    check(releases, &ask("acme-w").hosts("agent 1.6.0"), "acme-w 0.1.9");
    check(releases, &ask("acme-w").locked("acme-w 0.1.8").hosts("agent 1.6.0"), "acme-w 0.1.8");
    check(releases, &ask("acme-w"), "acme-w 0.1.9");
}

#[test]
fn every_host_at_hand_that_is_declared_must_fit_and_one_must_be() {
    let releases = "app 1.0.0 | host agent ^1 | host editor <3; lone 1.0.0; lib 1.0.0 | host editor *";
    check(releases, &ask("app").hosts("agent 1.0.0"), "app 1.0.0");
    check(releases, &ask("app").hosts("agent 1.0.0; editor 2.9.0"), "app 1.0.0");
    check(
        releases,
        &ask("app").hosts("agent 1.0.0; editor 3.0.0"),
        "no version of `app` can be used: `app 1.0.0` needs the host `editor <3`, which is 3.0.0 here",
    );
    check(
        releases,
        &ask("lone").hosts("agent 1.0.0"),
        "no version of `lone` can be used: `lone 1.0.0` does not serve this host",
    );
    check(
        releases,
        &ask("lib").hosts("agent 1.0.0"),
        "no version of `lib` can be used: `lib 1.0.0` does not serve this host",
    );
    check(releases, &ask("lone"), "lone 1.0.0");
    check(releases, &ask("app").hosts("agent 1.5.0-beta.1"), "app 1.0.0");
}

#[test]
fn case_58_a_release_without_an_artifact_here_is_passed_over_and_the_older_named() {
    let releases = "acme-k 0.5.0 | for x86_64-apple-darwin; acme-k 0.4.0 | for x86_64-apple-darwin aarch64-apple-darwin; \
        acme-k 0.3.0";
    let arm = |wish: &str| ask(wish).target("aarch64-apple-darwin");
    check(
        releases,
        &arm("acme-k"),
        "acme-k 0.4.0\nnote: acme-k 0.5.0 nothing for aarch64-apple-darwin, only x86_64-apple-darwin",
    );
    check(
        releases,
        &arm("acme-k =0.5.0"),
        "`acme-k 0.5.0` has no artifact for `aarch64-apple-darwin`, only for `x86_64-apple-darwin`; the older 0.4.0 has one",
    );
    check(
        releases,
        &ask("acme-k").target("riscv64gc-unknown-linux-gnu"),
        "acme-k 0.3.0\nnote: acme-k 0.5.0 nothing for riscv64gc-unknown-linux-gnu, only x86_64-apple-darwin",
    );
}

#[test]
fn case_98_a_locked_release_that_no_longer_fits_the_host_is_replaced() {
    let releases = "acme-pan 1.2.11 | host agent ^1; acme-pan 2.1.14 | host agent ^2";
    let question = ask("acme-pan").locked("acme-pan 1.2.11").floors("acme-pan 1.2.11").hosts("agent 2.0.0");
    check(releases, &question, "acme-pan 2.1.14");
}

#[test]
fn case_99_an_update_never_moves_down() {
    let releases = "camel 0.5.5 | host agent *; camel 0.7.10 | host agent >=1.2, <1.5";
    let question = ask("camel").floors("camel 0.7.10").hosts("agent 1.6.0");
    check(
        releases,
        &question,
        "no version of `camel` can be used: `camel 0.7.10` needs the host `agent >=1.2, <1.5`, which is 1.6.0 here; `camel 0.5.5` is older than 0.7.10, and nothing moves down unasked
         only an older version fits; ask for it as `camel@=0.5.5` to move down",
    );
    let Err(ResolveError::Conflict(conflict)) = resolve(&question, &universe(releases)) else {
        panic!("a conflict is expected");
    };
    let downgrades: Vec<String> =
        conflict.downgrades.iter().map(|(name, version)| format!("{name} {version}")).collect();
    assert_eq!(downgrades, ["camel 0.5.5"]);
    check(releases, &ask("camel =0.5.5").hosts("agent 1.6.0"), "camel 0.5.5");
}

#[test]
fn case_21_members_that_cannot_move_together_stay() {
    let releases = "fam-core 9.9.0; fam-core 9.10.0; fam-tree 9.9.0 -> fam-core =9.9.0; \
        fam-tree 9.10.0 -> fam-core =9.10.0; other 1.0.0 -> fam-core <9.10";
    let floors = "fam-core 9.9.0; fam-tree 9.9.0; other 1.0.0";
    check(
        releases,
        &ask("fam-core; fam-tree; other").floors(floors),
        "fam-core 9.9.0, fam-tree 9.9.0, other 1.0.0
         note: fam-core 9.10.0 held back by other 1.0.0, needs <9.10
         note: fam-tree 9.10.0 needs fam-core =9.10.0, have 9.9.0",
    );
    check(
        releases,
        &ask("fam-tree =9.10.0; other"),
        "`fam-tree 9.10.0` needs `fam-core =9.10.0`, and `other 1.0.0` needs `fam-core <9.10`, so both cannot be installed together",
    );
}

#[test]
fn case_25_a_circle_is_refused_with_its_path() {
    let releases = "xxx 1.0.0 -> yyy; yyy 1.0.0 -> zzz; zzz 1.0.0 -> xxx; app 1.0.0 -> zzz; one 1.0.0 -> one";
    check(releases, &ask("xxx"), "these packages need each other in a circle: `xxx` > `yyy` > `zzz` > `xxx`");
    check(releases, &ask("yyy"), "these packages need each other in a circle: `yyy` > `zzz` > `xxx` > `yyy`");
    check(releases, &ask("app"), "these packages need each other in a circle: `xxx` > `yyy` > `zzz` > `xxx`");
    check(releases, &ask("one"), "these packages need each other in a circle: `one` > `one`");
}

#[test]
fn dependencies_come_first_and_then_names_decide() {
    let releases =
        universe("bee 1.0.0 -> zoo; ant 1.0.0 -> cat; cat 1.0.0; zoo 1.0.0; dog 1.0.0 -> ant -> bee");
    let order = resolve(&ask("bee; ant; dog"), &releases).unwrap().order;
    assert_eq!(order, ["cat", "ant", "zoo", "bee", "dog"].map(name));
}

#[test]
fn case_96_what_nothing_needs_is_not_chosen() {
    let releases = "aaa 1.0.0 -> ddd; bbb 1.0.0 -> ddd; ddd 1.0.0";
    let locked = "aaa 1.0.0; bbb 1.0.0; ddd 1.0.0";
    check(releases, &ask("bbb").locked(locked), "bbb 1.0.0, ddd 1.0.0");
    check(releases, &ask("ddd").locked(locked), "ddd 1.0.0");
    check(releases, &ask("").locked(locked), "");
}

#[test]
fn case_22_only_the_catalog_is_believed() {
    check(
        "acme-int 1.0.0",
        &ask("acme-int ^99"),
        "no version of `acme-int` matches `^99`; the nearest is 1.0.0",
    );
}

#[test]
fn a_package_that_does_not_exist_is_named_with_who_needs_it() {
    let releases = "app 1.0.0 -> mid; mid 1.0.0 -> lib; mid 2.0.0 -> lib; library 1.0.0";
    check(releases, &ask("librari"), "there is no package `librari`\nsimilar: library");
    check(
        releases,
        &ask("app"),
        "there is no package `lib`, which `mid 2.0.0` needs (wanted through `app 1.0.0`)",
    );
    check(releases, &ask("mid"), "there is no package `lib`, which `mid 2.0.0` needs");
}

#[test]
fn a_catalog_is_asked_once_for_each_name_that_comes_up() {
    let releases = universe("app 1.0.0 -> lib ^1; app 2.0.0 -> lib ^3; lib 1.0.0; lib 2.0.0; idle 1.0.0");
    assert_eq!(
        outcome(&releases, &ask("app").floors("app 1.0.0")),
        "app 1.0.0, lib 1.0.0\nnote: app 2.0.0 needs lib ^3, have 1.0.0"
    );
    assert_eq!(*releases.asked.borrow(), ["app", "lib"].map(name));
    releases.asked.borrow_mut().clear();
    let conflict = outcome(&releases, &ask("app ^2").floors("app 1.0.0"));
    assert!(conflict.contains("`app 2.0.0` needs `lib ^3`"), "{conflict}");
    assert_eq!(*releases.asked.borrow(), ["app", "lib"].map(name));
}

#[test]
fn a_failing_catalog_ends_the_resolution_with_its_own_error() {
    let mut releases = universe("app 1.0.0 -> lib; lib 1.0.0");
    releases.broken = Some(name("lib"));
    let error = resolve(&ask("app"), &releases).unwrap_err();
    assert_eq!(error.to_string(), "cannot look up `lib`");
    assert_eq!(error.source().unwrap().to_string(), "the shelf for `lib` is locked");
}
