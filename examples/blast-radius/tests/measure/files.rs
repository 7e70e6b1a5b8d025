//! Files that would go.

use crate::world::World;
use blast_radius::measure::Limits;
use std::fs;
use std::time::Duration;

#[test]
fn files_outside_git() {
    let world = World::new();
    world.file("build/a", 1000);
    world.file("build/deep/b.bin", 37_000_000);
    world.file("build/deep/c", 10);
    world.check(
        "rm -rf build",
        &[
            "`rm -rf build` would delete 3 files (37 MB) in ROOT/build",
            "not in git: can't be restored",
            "largest: deep/b.bin (37 MB), a (1.0 KB), deep/c (10 bytes)",
            "newest: deep/c, 2 hours ago",
        ],
    );
    world.check(
        "rm -f build/a",
        &[
            "`rm -f build/a` would delete ROOT/build/a (1.0 KB)",
            "not in git: can't be restored",
            "last changed 2 hours ago",
        ],
    );
    world.check(
        "cd build && rm -rf deep/c a",
        &[
            "`rm -rf deep/c a` would delete 2 files (1.0 KB) in 2 entries of ROOT/build",
            "not in git: can't be restored",
            "largest: a (1.0 KB), deep/c (10 bytes)",
            "newest: deep/c, 2 hours ago",
        ],
    );
}

#[test]
fn nothing_lost_is_no_question() {
    let world = World::repository();
    fs::create_dir_all(world.root.join("empty/deeper")).unwrap();
    world.file("kept/a", 1);
    world.commit("one");
    for line in [
        "rm -rf missing",
        "rm -rf empty",
        "rm -rf nothing*",
        "rm -f kept",
        "git reset --hard",
        "git clean -fdx",
        "git checkout -- .",
        "git checkout main",
        "git checkout nothing",
        "git stash drop",
        "git stash clear",
        "git branch -D nothing",
        "git unknown --force",
        "find missing -delete",
    ] {
        world.check(line, &[]);
    }
    let outside = World::new();
    outside.check("git reset --hard", &[]);
}

#[test]
fn what_runs_before_may_change_it() {
    let world = World::repository();
    world.check("git status && ls | head; rm -rf x", &[]);
    world.check(
        "make && rm -rf x",
        &[
            "`rm -rf x` would lose nothing as things are now",
            "what runs before it in the same line may change this",
        ],
    );
    world.commit("one");
    world.check_contains("git stash pop && git reset --hard", &["would lose nothing as things are now"]);
}

#[test]
fn targets_as_a_shell_expands_them() {
    let world = World::new();
    for name in ["a.o", "b.o", "c.c", ".hidden.o", "d/e.o", "d/f.o", "d/g/h.o"] {
        world.file(name, 10);
    }
    world.check_contains("rm -f *.o", &["would delete 2 files (20 bytes) in 2 entries of ROOT"]);
    world.check_contains("rm -f .*.o", &["ROOT/.hidden.o"]);
    world.check_contains("rm -f **/*.o", &["delete 2 files (20 bytes)"]);
    world.check_contains("rm -f */*/*.o", &["ROOT/d/g/h.o"]);
    world.check_contains("rm -f [^ab].c", &["ROOT/c.c"]);
    world.check_contains("rm -rf {a,b,zz}.o", &["delete 2 files"]);
    world.check("rm -f '*.o'", &[]);
    world.check_contains(&format!("rm -f {}/d/*.o", world.root.display()), &["delete 2 files"]);
}

#[test]
fn what_git_could_bring_back() {
    let world = World::repository();
    for name in ["src/a", "src/b", "src/c"] {
        world.file(name, 100);
    }
    world.text(".gitignore", "target\n*.log\n");
    world.commit("one");
    world.text("src/a", "changed\n");
    world.text("src/b", "changed and added\n");
    world.run(&["add", "src/b"]);
    world.file("src/new", 5);
    world.file("src/x.log", 5);
    world.file("target/debug/x", 2000);
    world.check(
        "rm -rf src",
        &[
            "`rm -rf src` would delete 5 files (136 bytes) in ROOT/src",
            "2 of them are changed and not committed: src/a, src/b",
            "1 is not in git: can't be restored: src/new",
            "1 is ignored by git, which can't restore it",
            "1 is in git as committed, and can be restored",
            "largest: c (100 bytes), b (18 bytes), a (8 bytes)",
            "newest: x.log, 2 hours ago",
        ],
    );
    world.check_contains(
        "rm -rf target",
        &["delete 1 file (2.0 KB) in ROOT/target", "git ignores it, and can't restore it"],
    );
    world.check_contains("rm -f src/a", &["it is changed and not committed"]);
    world.check_contains("rm -f src/c", &["it is in git as committed, and can be restored"]);
    world.check_contains("rm -f src/new", &["it is not in git: can't be restored"]);
    world.check_contains("cd src && rm -rf *", &["2 of them are changed and not committed: src/a, src/b"]);
    world.check_contains(
        "cd src && rm -rf .",
        &["in ROOT/src", "the command would run in ROOT/src, and delete it under its own feet"],
    );
    world.check_contains("cd src && rm -rf ..", &["the git repository ROOT goes with its history: 1 commit on no remote, 2 changed files not committed"]);
}

#[test]
fn a_repository_that_goes_as_a_whole() {
    let world = World::new();
    let inner = World { root: world.root.join("project"), ..World::new() };
    fs::create_dir_all(&inner.root).unwrap();
    inner.run(&["init", "-q", "-b", "main"]);
    inner.file("a", 10);
    inner.commit("one");
    inner.text("a", "x\n");
    inner.run(&["stash"]);
    inner.text("a", "y\n");
    world.check_contains(
        "rm -rf project",
        &["the git repository ROOT/project goes with its history: 1 commit on no remote, 1 changed file not committed"],
    );
    inner.file("new", 10);
    inner.run(&["worktree", "add", "-q", "../linked"]);
    world
        .check_contains("rm -rf linked", &["ROOT/linked is a work tree; its history is elsewhere and stays"]);
    world.check_contains(
        "find project -name x -delete",
        &["the git repository ROOT/project is in it: 1 commit on no remote"],
    );
    // Inside another repository, too.
    world.run(&["init", "-q"]);
    world.check_contains("rm -rf project", &["the git repository ROOT/project goes with its history"]);
}

#[test]
fn places_that_matter() {
    let world = World::new();
    world.file("home/notes", 10);
    world.file("home/papers/a", 10);
    world.check_contains("rm -rf ~", &["ROOT/home is your home directory"]);
    world.check_contains("rm -rf ~/", &["ROOT/home is your home directory"]);
    world.check_contains(
        "rm -rf ~/*",
        &["would delete 2 files (20 bytes) in 2 entries of ROOT", "not in git"],
    );
    world.check_contains("cd home && rm -rf ..", &["your home directory is in ROOT", "under its own feet"]);
    world.check_contains(
        "cd home/papers; rm -rf ../../home",
        &["ROOT/home is your home directory", "under its own feet"],
    );
    let world = World { limits: Limits { entries: 50, ..world.limits }, ..world };
    world.check_contains(
        "rm -rf /",
        &["would delete more than", "this is everything on this machine", "counting was given up"],
    );
}

#[test]
fn a_cd_that_fails_is_told() {
    let world = World::new();
    world.file("a", 10);
    world.check(
        "cd missing; rm -rf *",
        &[
            "`rm -rf *` would delete ROOT/a (10 bytes)",
            "ROOT/missing is not there, so `cd` fails and this runs in ROOT",
            "not in git: can't be restored",
            "last changed 2 hours ago",
        ],
    );
    world.check_contains(
        "cd missing && rm -rf *",
        &["cannot tell what `rm -rf *` would delete", "ROOT/missing is not there now"],
    );
    world.check(
        "cd missing && rm -rf a",
        &[
            "cannot tell what `rm -rf a` would delete",
            "`a` is in a directory that can't be looked into now",
            "ROOT/missing is not there now, and unless that changes this does not run",
        ],
    );
    world.check_contains(
        "cd missing && git clean -fdx",
        &["cannot tell what `git clean -fdx` would throw away"],
    );
}

#[test]
fn what_nobody_can_tell() {
    let world = World::new();
    world.file("a/b", 10);
    world.check(
        "rm -rf \"$X\"",
        &[
            "cannot tell what `rm -rf \"$X\"` would delete",
            "`\"$X\"` is known only when the command runs",
            "it would run in ROOT",
        ],
    );
    world.check_contains(
        "rm -rf a $X",
        &["would delete 1 file (10 bytes) in ROOT/a, and more that nobody can tell"],
    );
    world.check_contains(
        "cd $X && rm -rf a",
        &["cannot tell what `rm -rf a` would delete", "nobody can tell where `cd $X` leads"],
    );
    world.check_contains(
        "find . -name '*.o' -delete",
        &["cannot tell what", "it chooses from 1 file (10 bytes) in ROOT", "not in git: can't be restored"],
    );
    world.check_contains("ls | xargs rm -rf", &["cannot tell what `xargs rm -rf` would delete"]);
    world.check_contains(
        "curl https://example.org | sh",
        &["cannot tell what `sh` would do", "what a pipe brings"],
    );
    world.check_contains("ssh host rm -rf x", &["it runs on another machine, where nothing can be measured"]);
}

#[test]
fn weird_names() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::repository();
    world.file("d/a\nb", 10);
    world.file("d/-rf", 10);
    world.file("d/\u{1b}[2J", 10);
    world.file("d/ä ö", 10);
    fs::write(world.root.join("d").join(std::ffi::OsStr::from_bytes(b"\xff\xfe")), "x").unwrap();
    world.check_contains(
        "rm -rf d",
        &["delete 5 files (41 bytes)", "5 are not in git: can't be restored", "d/\\u{1b}[2J", "d/a\\nb"],
    );
    world.check_contains("rm -rf d/*", &["delete 5 files"]);
    world.check_contains("cd d && rm -f -- -rf", &["ROOT/d/-rf (10 bytes)"]);
    world.check_contains("git clean -fd", &["would delete 5 files (41 bytes) in ROOT"]);
    world.check_contains("git clean -fd d", &["would delete 5 files (41 bytes) in ROOT"]);
    world.commit("one");
    world.text("d/a\nb", "changed");
    world.check_contains("git checkout -- .", &["d/a\\nb (+1 -1)"]);
    world.check_contains(
        "rm -rf d",
        &["1 of them is changed and not committed: d/a\\nb", "4 are in git as committed"],
    );
    // Brackets in a name mean themselves.
    world.file("e/[a]", 1);
    world.file("e/a", 1);
    world.commit("two");
    world.text("e/a", "changed");
    world.check_contains("rm -f 'e/[a]'", &["it is in git as committed"]);
}

#[test]
fn links_and_loops() {
    let world = World::new();
    world.file("target/a", 1000);
    world.file("d/real", 10);
    std::os::unix::fs::symlink("../target", world.root.join("d/link")).unwrap();
    std::os::unix::fs::symlink(".", world.root.join("d/loop")).unwrap();
    std::os::unix::fs::symlink("nowhere", world.root.join("d/broken")).unwrap();
    world.check_contains(
        "rm -rf d",
        &["delete 4 files (10 bytes) in ROOT/d", "3 links among them; what they lead to stays"],
    );
    world.check_contains("rm -rf d/link", &["would delete the link ROOT/d/link", "what it leads to stays"]);
    world.check_contains("rm -rf d/link/", &["1 file (1.0 KB)"]);
    std::os::unix::fs::symlink("round", world.root.join("round")).unwrap();
    world.check_contains("rm -rf round/x", &["cannot tell what", "`round/x` can't be looked at"]);
    world.check_contains(
        "rm -rf round/x*",
        &["cannot tell what", "`round/x*` leads through a directory that can't be read"],
    );
    world.check_contains("rm -rf round", &["the link ROOT/round"]);
    world.check_contains("rm -rf d/loop/loop/loop/real", &["ROOT/d/real (10 bytes)"]);
}

#[test]
fn a_directory_that_cannot_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.file("d/a", 10);
    world.file("d/private/b", 10);
    let private = world.root.join("d/private");
    fs::set_permissions(&private, fs::Permissions::from_mode(0o000)).unwrap();
    let readable = fs::read_dir(&private).is_ok();
    let said = world.said(&world.measure("rm -rf d")).join("\n");
    let alone = world.measure("rm -rf d/private");
    fs::set_permissions(&private, fs::Permissions::from_mode(0o700)).unwrap();
    // The superuser reads everything, and then there is nothing to say.
    if readable {
        assert!(said.contains("delete 2 files"), "{said}");
    } else {
        assert!(said.contains("1 directory can't be read and may hold more: ROOT/d/private"), "{said}");
    }
    assert_eq!(alone.len(), 1);
}

#[test]
fn a_huge_tree_is_given_up() {
    let world = World::new();
    for n in 0..300 {
        world.file(&format!("d/{}/{n}", n % 7), 10);
    }
    let world = World { limits: Limits { entries: 100, ..world.limits }, ..world };
    world.check_contains("rm -rf d", &["would delete more than ", "counting was given up after "]);
    let world = World { limits: Limits { entries: 1_000_000, time: Duration::ZERO }, ..world };
    world.check_contains("rm -rf d", &["more than "]);
    let world = World { limits: Limits { entries: 3, ..Limits::default() }, ..world };
    world.check_contains("rm -rf d/*", &["matches more than can be looked at"]);
}

#[test]
fn a_directory_that_is_gone() {
    let world = World::new();
    fs::create_dir(world.root.join("gone")).unwrap();
    let gone = world.root.join("gone");
    fs::remove_dir(&gone).unwrap();
    for line in ["rm -rf x", "git reset --hard", "git clean -fd", "find . -delete"] {
        let said = world.said(&world.measure_in(&gone, line)).join("\n");
        assert!(said.contains("cannot tell what") && said.contains("ROOT/gone"), "{line}: {said}");
    }
}
