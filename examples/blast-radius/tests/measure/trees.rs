//! Work trees that git would delete by force.

use crate::world::World;

#[test]
fn other_work_trees() {
    let world = World::repository();
    world.text("a", "1\n");
    world.commit("one");
    world.run(&["worktree", "add", "-q", "trees/other"]);
    world.check("git worktree remove --force trees/other", &[]);
    world.text("trees/other/new", "2\n");
    for line in [
        "git worktree remove --force trees/other",
        "git worktree remove -f other",
        "cd trees && git worktree remove -f other",
    ] {
        world.check_contains(
            line,
            &["would delete", "ROOT/trees/other", "its history is elsewhere and stays"],
        );
    }
    world.check("git worktree remove -f nowhere", &[]);
    world.check("git worktree remove trees/other", &[]);
}

#[test]
fn submodules() {
    let inner = World::repository();
    inner.text("b", "1\n");
    inner.commit("one");
    let world = World::repository();
    let url = inner.root.to_str().unwrap();
    world.run(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "part"]);
    world.commit("one");
    world.check("git submodule deinit -f part", &[]);
    world.text("part/new", "2\n");
    for line in ["git submodule deinit -f part", "git submodule deinit --force --all"] {
        world.check_contains(line, &["would delete", "ROOT/part"]);
    }
    world.check_contains("git submodule foreach 'git clean -fd'", &["it runs in each submodule"]);
}
