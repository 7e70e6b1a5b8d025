//! What repositories and databases would lose.

use crate::world::World;
use std::fs;

#[test]
fn hard_resets() {
    let world = World::repository();
    world.text("a", "1\n2\n3\n");
    world.file("b", 10);
    world.commit("one");
    world.run(&["tag", "first"]);
    world.commit("two");
    world.commit("three");
    world.text("a", "1\n2\n4\n5\n");
    world.text("c", "new\n");
    world.run(&["add", "c"]);
    world.check(
        "git reset --hard",
        &[
            "`git reset --hard` would throw away changes in 2 files in ROOT",
            "a (+2 -1)",
            "c (+1 -0)",
            "what was never committed can't be restored",
        ],
    );
    world.check(
        "git reset --hard HEAD~2",
        &[
            "`git reset --hard HEAD~2` would throw away changes in 2 files and 2 commits in ROOT",
            "a (+2 -1)",
            "c (+1 -0)",
            "what was never committed can't be restored",
            "commit HASH three",
            "commit HASH two",
            "they are on no other branch; `git reflog` finds them for some weeks",
        ],
    );
    world.run(&["branch", "other", "HEAD~1"]);
    world.check_contains("git reset --hard first", &["1 of them is on no other branch"]);
    world.check_contains("git reset --hard nowhere", &["cannot tell", "git knows no commit `nowhere`"]);
    world.check_contains("git reset --hard --upload-pack=x -- -x", &["changes in 2 files"]);
    fs::create_dir(world.root.join("sub")).unwrap();
    world.check_contains("cd sub && git reset --hard", &["changes in 2 files in ROOT"]);
    world.check_contains("git -C sub reset --hard", &["changes in 2 files in ROOT"]);
}

#[test]
fn heads_that_are_detached_or_not_born() {
    let world = World::repository();
    world.file("a", 10);
    world.check("git reset --hard", &[]);
    world.run(&["add", "a"]);
    world.check_contains("git reset --hard", &["throw away changes in 1 file in ROOT", "a"]);
    world.check_contains("rm -rf a", &["it is changed and not committed"]);
    world.check_contains("git push --force", &["would overwrite main on origin"]);
    world.commit("one");
    world.run(&["checkout", "-q", "--detach"]);
    world.commit("two");
    world.check_contains("git reset --hard main", &["1 commit", "it is on no other branch"]);
    world.check_contains("git push --force", &["what git chooses"]);
}

#[test]
fn cleaning() {
    let world = World::repository();
    world.text(".gitignore", "*.log\n.env\n");
    world.commit("one");
    world.file("new/a", 10);
    world.file("new/b", 10);
    world.file("c", 1000);
    world.file(".env", 20);
    world.file("x.log", 20);
    world.check(
        "git clean -fd",
        &[
            "`git clean -fd` would delete 3 files (1.0 KB) in ROOT",
            "c, new/",
            "what git ignores stays",
            "none of it is in git: it can't be restored",
            "largest: c (1.0 KB)",
            "newest: c, 2 hours ago",
        ],
    );
    world.check_contains("git clean -f", &["would delete 1 file (1.0 KB)"]);
    world.check_contains("git clean -fdx", &["would delete 5 files", ".env", "settings and secrets"]);
    world.check_contains("git clean -fX", &["would delete 2 files (40 bytes)"]);
    world.check_contains("git clean -fd -e c", &["would delete 2 files (20 bytes)"]);
    world.check_contains("git clean -fd -- new", &["would delete 2 files (20 bytes)"]);
    world.check_contains("cd new && git clean -fdx", &["would delete 2 files (20 bytes) in ROOT/new"]);
}

#[test]
fn discarding() {
    let world = World::repository();
    world.text("a", "1\n");
    world.text("sub/b", "1\n");
    world.text("main", "1\n");
    world.commit("one");
    world.text("a", "2\n");
    world.text("sub/b", "2\n");
    let both = ["throw away changes in 2 files in ROOT", "a (+1 -1)", "sub/b (+1 -1)"];
    for line in [
        "git checkout -- .",
        "git checkout .",
        "git restore .",
        "git checkout -f",
        "git switch -f main",
        "git restore -SW .",
    ] {
        world.check_contains(line, &both);
    }
    world.check_contains("git checkout a", &["throw away changes in 1 file"]);
    world.check_contains("git checkout -- sub", &["throw away changes in 1 file", "sub/b"]);
    world.check_contains("cd sub && git checkout .", &["throw away changes in 1 file"]);
    world.check("git checkout main", &[]);
    world.check("git restore --staged .", &[]);
    world.run(&["add", "a"]);
    world.check_contains("git checkout .", &["changes in 1 file", "sub/b"]);
    world.check_contains("git checkout HEAD -- .", &["changes in 2 files"]);
}

#[test]
fn stashes_and_branches() {
    let world = World::repository();
    world.text("a", "1\n");
    world.commit("one");
    for text in ["2\n", "3\n4\n"] {
        world.text("a", text);
        world.run(&["stash", "push", "-q", "-m", "wip"]);
    }
    world.check_contains(
        "git stash drop",
        &["would drop 1 stash in ROOT", "stash@{0} On main: wip", "1 file (+2 -1)"],
    );
    world.check_contains("git stash drop 1", &["stash@{1}", "(+1 -1)"]);
    world.check_contains("git stash clear", &["would drop 2 stashes in ROOT"]);
    world.run(&["checkout", "-q", "-b", "feature"]);
    world.commit("two");
    world.commit("three");
    world.run(&["branch", "same"]);
    world.run(&["checkout", "-q", "main"]);
    world.check("git branch -D same", &[]);
    world.check(
        "git branch -D same feature",
        &[
            "`git branch -D same feature` would lose 2 commits that are on no other branch, in ROOT",
            "commit HASH three",
            "commit HASH two",
            "git keeps them for some weeks, but under no name",
        ],
    );
    world.run(&["branch", "-q", "-D", "same"]);
    world.check_contains("git branch -f feature main", &["would lose 2 commits"]);
}

#[test]
fn forced_pushes() {
    let remote = World::new();
    remote.run(&["init", "-q", "--bare", "-b", "main"]);
    let world = World::repository();
    world.run(&["remote", "add", "origin", remote.root.to_str().unwrap()]);
    for message in ["one", "two", "three"] {
        world.commit(message);
    }
    world.run(&["push", "-q", "-u", "origin", "main"]);
    world.run(&["push", "-q", "origin", "main:other"]);
    world.check_contains(
        "git push -f",
        &["nothing was fetched since origin was cloned or added; others may have pushed"],
    );
    world.run(&["fetch", "-q"]);
    world.run(&["reset", "-q", "--hard", "HEAD~2"]);
    world.check(
        "git push --force",
        &[
            "`git push --force` would take 2 commits off main on origin",
            "commit HASH three",
            "commit HASH two",
            "as of the last fetch, 2 hours ago; others may have pushed since",
        ],
    );
    for line in [
        "git push -f origin main",
        "git push origin +main",
        "git push --force-with-lease",
        "git push origin +HEAD:main",
        "git push -f origin +HEAD",
    ] {
        world.check_contains(line, &["would take 2 commits off main on origin"]);
    }
    world.check_contains(
        "git push --delete origin main",
        &["would delete main on origin", "no commit that is known here"],
    );
    world.run(&["push", "-q", "--delete", "origin", "other"]);
    world.check_contains(
        "git push origin :main",
        &["would delete main on origin, with 2 commits found nowhere else"],
    );
    world
        .check_contains("git push -f origin main:never", &["what never on origin holds was never seen here"]);
    world.check_contains("git push -f https://user:secret@example.org/x main", &["on the other side"]);
    world.run(&["checkout", "-q", "-b", "solo"]);
    world.run(&["branch", "-q", "-D", "main"]);
    world.check_contains(
        "git push --mirror origin",
        &["would overwrite all of origin", "1 branch not here would be deleted there: main"],
    );
}

#[test]
fn aliases_of_git_are_followed() {
    let world = World::repository();
    world.text("a", "1\n");
    world.commit("one");
    world.text("a", "2\n");
    world.run(&["config", "alias.undo", "reset --hard"]);
    world.run(&["config", "alias.wipe", "!rm -rf"]);
    world.run(&["config", "alias.loop", "loop"]);
    world.run(&["config", "alias.st", "status"]);
    world.check_contains(
        "git undo",
        &["throw away changes in 1 file", "`git undo` is an alias for `git reset --hard`"],
    );
    world.check_contains("git wipe a", &["would delete ROOT/a", "is an alias for `rm -rf a`"]);
    world.check_contains("git loop", &["its aliases lead to each other"]);
    world.check("git st", &[]);
}

#[test]
fn databases() {
    let world = World::new();
    world.text("db/migrate/1_make.rb", "create_table :a");
    world.text("db/migrate/2_drop.rb", "drop_table :a");
    world.file("db/development.sqlite3", 5000);
    world.check(
        "bin/rails db:migrate",
        &[
            "`bin/rails db:migrate` would change a database; there is no dry run for it",
            "it would run in ROOT",
            "db/migrate holds 2 files, the newest db/migrate/2_drop.rb (2 hours ago)",
            "1 has words that drop or delete something: db/migrate/2_drop.rb",
            "ROOT/db/development.sqlite3 is a database of 5.0 KB",
            "which database it is, and what is in it, is not known here; make a backup first",
        ],
    );
    world.check_contains("rails db:drop", &["would throw away data in a database"]);
}

#[test]
fn case_85_git_asks_about_the_repository_that_is_meant() {
    // The variables that point git elsewhere come from the line alone, and then they count.
    let world = World::repository();
    world.text("a", "1\n");
    world.commit("one");
    world.text("a", "2\n");
    let other = World::new();
    let git_dir = world.root.join(".git");
    let line =
        format!("GIT_DIR={} GIT_WORK_TREE={} git reset --hard", git_dir.display(), world.root.display());
    let said = world.said(&other.measure(&line)).join("\n");
    assert!(said.contains("throw away changes in 1 file in ROOT"), "{said}");
    let line = format!("git --git-dir={} --work-tree={} checkout .", git_dir.display(), world.root.display());
    let said = world.said(&other.measure(&line)).join("\n");
    assert!(said.contains("throw away changes in 1 file in ROOT"), "{said}");
}

#[test]
fn a_dry_run_runs_no_program_of_the_repository() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::repository();
    world.text("a", "1\n");
    world.text("b", "1\n");
    world.commit("one");
    let trap = world.root.join(".git/trap");
    fs::write(&trap, format!("#!/bin/sh\ntouch {}/.git/sprung\ncat\n", world.root.display())).unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    let trap = trap.to_str().unwrap();
    for setting in [
        "core.fsmonitor",
        "diff.external",
        "core.pager",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.evil.command",
        "core.sshCommand",
        "credential.helper",
        "gpg.program",
        "core.editor",
    ] {
        world.run(&["config", setting, trap]);
    }
    world.run(&["config", "filter.evil.required", "true"]);
    world.run(&["config", "log.showSignature", "true"]);
    fs::create_dir_all(world.root.join(".git/hooks")).unwrap();
    for hook in
        ["post-index-change", "reference-transaction", "post-checkout", "pre-push", "fsmonitor-watchman"]
    {
        fs::copy(trap, world.root.join(".git/hooks").join(hook)).unwrap();
    }
    fs::write(world.root.join(".git/info/attributes"), "* filter=evil diff=evil\n").unwrap();
    fs::write(world.root.join("a"), "2\n").unwrap();
    fs::write(world.root.join("new"), "2\n").unwrap();
    let index = fs::read(world.root.join(".git/index")).unwrap();
    for line in [
        "git reset --hard",
        "git checkout .",
        "git checkout HEAD -- .",
        "git clean -fdx",
        "rm -rf a",
        "rm -rf .",
        "git stash clear",
        "git push -f",
        "git branch -D x",
        "git checkout a",
        "git whatever",
    ] {
        world.measure(line);
        assert!(!world.root.join(".git/sprung").exists(), "{line} ran a program of the repository");
    }
    world.check_contains("git reset --hard", &["throw away changes in 1 file"]);
    assert_eq!(index, fs::read(world.root.join(".git/index")).unwrap(), "the index was written");
}

#[test]
fn harmless_commands_ask_git_nothing() {
    let world = World::repository();
    world.file("a", 10);
    for line in [
        "ls",
        "git status",
        "git commit -m x",
        "git checkout main",
        "git checkout -b x",
        "cargo test",
        "rm a",
    ] {
        world.check(line, &[]);
    }
    assert_eq!(world.git.runs.get(), 0);
}
