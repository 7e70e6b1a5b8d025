//! What is lost when a name of commits is deleted or moved, and when git forgets what nothing names.

use crate::world::World;

/// A repository with two commits that only the branch `feature` has, and the tag `old`, which has one more.
fn world() -> World {
    let world = World::repository();
    world.commit("one");
    world.run(&["checkout", "-q", "-b", "feature"]);
    world.commit("two");
    world.commit("three");
    world.commit("four");
    world.run(&["tag", "old"]);
    world.run(&["reset", "-q", "--hard", "HEAD~1"]);
    world.run(&["checkout", "-q", "main"]);
    world
}

#[test]
fn names_that_are_deleted_or_moved() {
    let world = world();
    world.check(
        "git tag -d old",
        &[
            "`git tag -d old` would lose 1 commit that is on no other branch, in ROOT",
            "commit HASH four",
            "git keeps them for some weeks, but under no name",
        ],
    );
    world.check("git update-ref -d refs/heads/feature", &[]);
    world.run(&["tag", "-d", "old"]);
    for line in [
        "git update-ref -d refs/heads/feature",
        "git update-ref refs/heads/feature main",
        "git update-ref --stdin <<< 'delete refs/heads/feature'",
        "git fetch origin +main:feature",
        "git branch -D feature",
        "git checkout -B feature main",
        "git switch -C feature main",
    ] {
        world.check_contains(line, &["would lose 2 commits that are on no other branch, in ROOT", "three"]);
    }
    world.check("git update-ref refs/heads/main feature", &[]);
    world.check("git update-ref refs/heads/new main", &[]);
    world.run(&["checkout", "-q", "feature"]);
    for line in [
        "git reset --keep main",
        "git checkout -B feature main",
        "git update-ref HEAD main",
        "git update-ref refs/heads/feature main",
    ] {
        world.check_contains(line, &["would lose 2 commits"]);
    }
}

#[test]
fn what_git_forgets() {
    let world = world();
    world.run(&["tag", "-d", "old"]);
    world.check(
        "git reflog expire --expire=now --all",
        &[
            "`git reflog expire --expire=now --all` would lose 1 commit that only the reflog names in ROOT",
            "commit HASH four",
            "git could not bring them back afterwards",
        ],
    );
    world.check("git gc --prune=now", &[]);
    world.run(&["reflog", "expire", "--expire=now", "--all"]);
    world.check_contains("git gc --prune=now", &["would lose 1 object that nothing names in ROOT", "four"]);
    world.check_contains("git prune", &["would lose 1 object that nothing names"]);
    world.check("git prune --expire=1.year", &[]);
    world.check("git gc", &[]);
    world.check("git reflog expire --expire=now --all", &[]);
    world.check_contains("git filter-branch --tree-filter true", &["may write 3 commits in ROOT anew"]);
    world.check_contains("git filter-repo --path a", &["the old ones are deleted at once"]);
}

#[test]
fn files_that_commands_below_the_usual_ones_overwrite() {
    let world = World::repository();
    world.text("a", "1\n");
    world.text("sub/b", "1\n");
    world.commit("one");
    for line in ["git rm -rf .", "git read-tree --reset -u HEAD", "git checkout-index -f -a"] {
        world.check(line, &[]);
    }
    world.text("a", "2\n");
    for line in [
        "git rm -rf .",
        "git rm -f a",
        "git read-tree --reset -u HEAD",
        "git read-tree -m -u HEAD",
        "cd sub && git checkout-index -f -a",
        "git checkout-index -f a",
        "git checkout -f -b new",
    ] {
        world.check_contains(line, &["throw away changes in 1 file in ROOT", "a (+1 -1)"]);
    }
    world.check("git rm -f sub/b", &[]);
}
