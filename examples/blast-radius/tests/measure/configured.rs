//! Pushes that a setting forces.

use crate::world::World;

fn pushed() -> (World, World) {
    let remote = World::new();
    remote.run(&["init", "-q", "--bare", "-b", "main"]);
    let world = World::repository();
    world.run(&["remote", "add", "origin", remote.root.to_str().unwrap()]);
    for message in ["one", "two", "three"] {
        world.commit(message);
    }
    world.run(&["push", "-q", "-u", "origin", "main"]);
    world.run(&["push", "-q", "origin", "main:other"]);
    world.run(&["fetch", "-q"]);
    world.run(&["reset", "-q", "--hard", "HEAD~2"]);
    (remote, world)
}

#[test]
fn pushes_that_no_setting_forces_lose_nothing() {
    let (_remote, world) = pushed();
    for line in
        ["git push", "git push origin main", "make && git push", "git push https://example.org/x main"]
    {
        world.check(line, &[]);
    }
    world.run(&["config", "remote.origin.push", "main"]);
    world.run(&["config", "remote.origin.mirror", "false"]);
    world.check("git push", &[]);
}

#[test]
fn a_setting_that_forces_is_seen() {
    let (_remote, world) = pushed();
    world.run(&["config", "remote.origin.push", "+refs/heads/*:refs/heads/*"]);
    for line in
        ["git push", "git push origin", "git push origin main", "git push origin HEAD", "make && git push"]
    {
        world.check_contains(
            line,
            &[
                "would take 2 commits off main on origin",
                "the setting remote.origin.push = +refs/heads/*:refs/heads/* says so",
            ],
        );
    }
    for line in ["git push elsewhere", "git push origin main:main", "git push origin v1", "git push --tags"] {
        world.check(line, &[]);
    }
    world.run(&["config", "remote.origin.push", "+main:other"]);
    world.check_contains("git push", &["would take 2 commits off other on origin"]);
    world.run(&["config", "remote.origin.push", ":other"]);
    world.check_contains("git push", &["would delete other on origin"]);
    world.run(&["config", "remote.origin.push", "+:"]);
    world.check_contains("git push", &["would take 2 commits off main on origin"]);
    world.run(&["config", "--unset", "remote.origin.push"]);
    world.run(&["config", "remote.origin.mirror", "true"]);
    world.check_contains(
        "git push",
        &[
            "would overwrite all of origin",
            "1 branch not here would be deleted there: other",
            "mirror says so",
        ],
    );
}

#[test]
fn a_setting_that_the_line_gives_counts_as_well() {
    let (_remote, world) = pushed();
    let taken = ["would take 2 commits off main on origin"];
    for line in [
        "git -c remote.origin.push=+main push",
        "git -c remote.origin.push=+refs/heads/*:refs/heads/* push origin main",
        "git config remote.origin.push +main && git push",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.push GIT_CONFIG_VALUE_0=+main git push",
        "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.push GIT_CONFIG_VALUE_0=+main; git push",
        "P=+main git --config-env=remote.origin.push=P push",
        "git -c alias.p=push -c remote.origin.push=+main p",
    ] {
        world.check_contains(line, &taken);
    }
    world.check_contains("git -c remote.origin.mirror=true push", &["would overwrite all of origin"]);
    world.check_contains("git -c remote.origin.mirror push", &["would overwrite all of origin"]);
    for line in [
        "git -c remote.origin.push=\"$X\" push",
        "git --config-env=remote.origin.push=X push",
        "GIT_CONFIG_COUNT=$N git push",
        "GIT_CONFIG_GLOBAL=/x git push",
        "HOME=/x git push",
    ] {
        world.check_contains(line, &["cannot tell what", "would overwrite"]);
    }
    world.check("git -c user.name=\"$X\" push", &[]);
    world.check("GIT_CONFIG_GLOBAL=/dev/null git push", &[]);
}

#[test]
fn a_push_is_asked_about_with_one_question_to_git() {
    let (_remote, world) = pushed();
    world.check("git push", &[]);
    assert_eq!(world.git.runs.get(), 1);
}
