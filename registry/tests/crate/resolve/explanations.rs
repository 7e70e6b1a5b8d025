//! The words in which a conflict is told.

use crate::resolve::universe::{And, ask, check, universe};
use pintle_registry::resolve::{ResolveError, Why, resolve};

#[test]
fn two_wishes_clash() {
    check(
        "app 1.0.0 -> lib =2.0.0; lib 1.0.0; lib 2.0.0",
        &ask("app; lib =1.0.0"),
        "you ask for `lib =1.0.0`, and `app 1.0.0` needs `lib =2.0.0`, so `app` and `lib =1.0.0` cannot be installed together",
    );
    check(
        "app 1.0.0 -> lib =1.0.0; tool 1.0.0 -> lib =2.0.0; lib 1.0.0; lib 2.0.0; bystander 1.0.0 -> lib",
        &ask("app; tool; bystander"),
        "`app 1.0.0` needs `lib =1.0.0`, and `tool 1.0.0` needs `lib =2.0.0`, so both cannot be installed together",
    );
}

#[test]
fn a_requirement_that_nothing_meets() {
    let releases = "app 1.0.0 -> lib >=3; lib 1.0.0; lib 2.0.0; gap 1.0.0; gap 3.0.0";
    check(releases, &ask("lib =3.0.0"), "no version of `lib` matches `=3.0.0`; the nearest is 2.0.0");
    check(releases, &ask("gap ^2"), "no version of `gap` matches `^2`; the nearest are 1.0.0 and 3.0.0");
    check(releases, &ask("lib <1"), "no version of `lib` matches `<1`; the nearest is 1.0.0");
    check(
        releases,
        &ask("gap !=1.0.0, !=3.0.0"),
        "no version of `gap` matches `!=1.0.0, !=3.0.0`; the nearest is 3.0.0",
    );
    check(
        releases,
        &ask("app"),
        "`app 1.0.0` needs `lib >=3`, so `app` cannot be installed
         no version of `lib` matches `>=3`; the nearest is 2.0.0",
    );
}

#[test]
fn a_chain_is_told_in_one_breath() {
    check(
        "app 1.0.0 -> mid ^1; mid 1.0.0 -> low ^2; low 2.0.0 -> lib =1.0.0; lib 1.0.0; lib 2.0.0",
        &ask("app; lib ^2"),
        "you ask for `lib ^2`, and `app 1.0.0` needs `mid ^1`, which needs `low ^2`, which needs `lib =1.0.0`, so `app` and `lib ^2` cannot be installed together",
    );
    check(
        "app 1.0.0 -> n-a; n-a 1.0.0 -> n-b; n-b 1.0.0 -> n-c; n-c 1.0.0 -> n-d; n-d 1.0.0 -> lib ^1; lib 1.0.0; lib 2.0.0",
        &ask("app; lib ^2"),
        "you ask for `lib ^2`, and `app 1.0.0` needs `n-a`, which by way of 3 others needs `lib ^1`, so `app` and `lib ^2` cannot be installed together",
    );
}

#[test]
fn versions_are_told_in_runs() {
    check(
        "app 1.0.0 -> lib ^1; app 2.0.0 -> lib ^1; app 2.1.0 -> lib ^1; lib 1.0.0; lib 2.0.0",
        &ask("app; lib ^2"),
        "you ask for `lib ^2`, and every version of `app` needs `lib ^1`, so `app` and `lib ^2` cannot be installed together",
    );
    check(
        "app 1.0.0; app 2.0.0 -> lib ^1; app 2.1.0 -> lib ^1; app 2.2.0 -> lib =1.0.0; lib 1.0.0; lib 2.0.0",
        &ask("app >=2; lib ^2"),
        "you ask for `lib ^2`, `app` 2.0.0 to 2.1.0 need `lib ^1`, and `app 2.2.0` needs `lib =1.0.0`, so `app >=2` and `lib ^2` cannot be installed together",
    );
}

#[test]
fn many_needs_are_counted() {
    check(
        "app 1.0.0 -> lib =1.0.0; app 2.0.0 -> lib =1.1.0; app 3.0.0 -> lib =1.2.0; app 4.0.0 -> lib =1.3.0; \
         app 5.0.0 -> lib =1.4.0; app 6.0.0 -> lib =1.5.0; app 7.0.0 -> lib =1.6.0; app 8.0.0 -> lib =1.7.0; \
         lib 1.0.0; lib 1.1.0; lib 1.2.0; lib 1.3.0; lib 1.4.0; lib 1.5.0; lib 1.6.0; lib 1.7.0; lib 2.0.0",
        &ask("app; lib ^2"),
        "you ask for `lib ^2`, `app 1.0.0` needs `lib =1.0.0`, `app 2.0.0` needs `lib =1.1.0`, `app 3.0.0` needs `lib =1.2.0`, `app 4.0.0` needs `lib =1.3.0`, `app 5.0.0` needs `lib =1.4.0`, and 3 more such needs stand in the way, so `app` and `lib ^2` cannot be installed together",
    );
}

#[test]
fn a_host_that_is_too_old_is_named_down_the_chain() {
    let releases =
        "app 1.0.0 -> lib ^2 | host agent ^1; lib 1.0.0 | host agent ^1; lib 2.0.0 | host agent ^2";
    check(releases, &ask("app").hosts("agent 1.4.0"), "`app 1.0.0` needs `lib ^2`, so `app` cannot be installed
         no version of `lib` that matches `^2` can be used: `lib 2.0.0` needs the host `agent ^2`, which is 1.4.0 here");
}

#[test]
fn a_version_that_would_settle_it_is_named() {
    let releases = "app 1.0.0 -> lib >=1.1; tool 1.0.0 -> lib <1.3; lib 1.0.0; lib 1.2.0 | yanked; lib 1.3.0";
    check(releases, &ask("app; tool"), "`app 1.0.0` needs `lib >=1.1`, and `tool 1.0.0` needs `lib <1.3`, so both cannot be installed together
         `lib 1.2.0` would do, but it was withdrawn");
}

#[test]
fn a_missing_package_among_other_ways_out_is_told() {
    check(
        "app 1.0.0 -> gone; app 2.0.0; tool 1.0.0 -> app =1.0.0; tool 2.0.0 -> app =1.0.0",
        &ask("app; tool"),
        "there is no package `gone`, which `app 1.0.0` needs (wanted through `tool 2.0.0`)",
    );
    check(
        "app 1.0.0 -> gone; app 2.0.0 -> lib ^2; lib 1.0.0; lib 2.0.0",
        &ask("app; lib ^1"),
        "you ask for `lib ^1`, `app 2.0.0` needs `lib ^2`, and `app 1.0.0` needs `gone`, which does not exist, so `app` and `lib ^1` cannot be installed together",
    );
    check(
        "app 1.0.0 -> gone; app 2.0.0 -> lost",
        &ask("app"),
        "`app 1.0.0` needs `gone`, which does not exist, and `app 2.0.0` needs `lost`, which does not exist, so `app` cannot be installed",
    );
    check(
        "app 1.0.0 -> app ^2; app 3.0.0 | yanked",
        &ask("app"),
        "`app 1.0.0` needs `app ^2`, so `app` cannot be installed
         no version of `app` matches `^2`; the nearest is 1.0.0",
    );
}

#[test]
fn only_older_versions_fit() {
    check(
        "app 1.0.0 -> lib ^1; app 2.0.0 -> lib ^2; lib 1.0.0; lib 2.0.0; tool 1.0.0 -> lib ^1",
        &ask("app; tool").floors("app 2.0.0"),
        "`app 2.0.0` needs `lib ^2`, and `tool 1.0.0` needs `lib ^1`, so both cannot be installed together
         only an older version fits; ask for it as `app@=1.0.0` to move down",
    );
}

#[test]
fn a_program_can_ask_for_the_one_reason() {
    let reason = |releases: &str, wishes: &str| {
        let question = ask(wishes).hosts("agent 1.4.0");
        match resolve(&question, &universe(releases)) {
            Err(ResolveError::Conflict(conflict)) => conflict.only_reason().map(|one| one.why.clone()),
            other => panic!("a conflict is expected, not {other:?}"),
        }
    };
    let host = reason("app 1.0.0 | host agent ^2; app 1.1.0 | host agent ^2", "app");
    assert!(matches!(host, Some(Why::NeedsHost { .. })), "{host:?}");
    let alpha = reason("app 1.0.0-a | host agent ^1", "app");
    assert_eq!(alpha, Some(Why::Prerelease));
    assert_eq!(reason("app 1.0.0-a | host agent ^1; app 1.0.0 | host agent ^2", "app"), None);
    assert_eq!(reason("app 1.0.0 | host agent ^1", "app ^2"), None);
}
