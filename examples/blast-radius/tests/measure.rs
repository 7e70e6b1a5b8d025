//! Real files and real repositories, and what is said of them. Everything is in a directory of its own.
#![expect(clippy::unwrap_used, reason = "all of this is tests, also what is not a test function itself")]
#![expect(
    clippy::disallowed_methods,
    reason = "a fixture is made of plain files, and needs no care against a crash"
)]

use blast_radius::analyse::{Command, analyse};
use blast_radius::measure::{Finding, Git, GitError, Limits, Ran, SAFE_ENVIRONMENT, Survey};
use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::time::{Duration, SystemTime};

/// Runs the real git, with settings of this test alone, and counts how often.
struct RealGit {
    runs: Cell<usize>,
}

impl Git for RealGit {
    fn git(&self, dir: &Path, arguments: &[String]) -> Result<Ran, GitError> {
        self.runs.set(self.runs.get() + 1);
        let mut command = clean_git(dir);
        command.envs(SAFE_ENVIRONMENT).args(arguments);
        let output = command.output().map_err(|error| GitError::NotRun { message: error.to_string() })?;
        Ok(Ran {
            success: output.status.success(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            truncated: false,
        })
    }
}

fn clean_git(dir: &Path) -> process::Command {
    let mut command = process::Command::new("git");
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", "/nonexistent");
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@example.org");
    }
    command.current_dir(dir);
    command
}

struct World {
    _temporary: tempfile::TempDir,
    root: PathBuf,
    git: RealGit,
    limits: Limits,
}

impl World {
    fn new() -> World {
        let temporary = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temporary.path()).unwrap();
        let git = RealGit { runs: Cell::new(0) };
        World {
            _temporary: temporary,
            root,
            git,
            limits: Limits { time: Duration::from_secs(60), ..Limits::default() },
        }
    }

    fn repository() -> World {
        let world = World::new();
        world.run(&["init", "-q", "-b", "main"]);
        world
    }

    /// Writes a file of so many bytes.
    fn file(&self, path: &str, bytes: usize) {
        self.text(path, &"x".repeat(bytes));
    }

    fn text(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run(&self, arguments: &[&str]) {
        let output = clean_git(&self.root).args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn commit(&self, message: &str) {
        self.run(&["add", "-A"]);
        self.run(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    fn measure(&self, line: &str) -> Vec<Finding> {
        self.measure_in(&self.root, line)
    }

    fn measure_in(&self, dir: &Path, line: &str) -> Vec<Finding> {
        let home = self.root.join("home");
        let survey = Survey {
            git: &self.git,
            now: SystemTime::now() + Duration::from_secs(7200),
            home: Some(&home),
            limits: self.limits,
        };
        analyse(Command::Line(line), dir, Some(&home))
            .iter()
            .flat_map(|danger| survey.measure(danger))
            .collect()
    }

    /// Compares all that is said, with the root directory as `ROOT`.
    #[track_caller]
    fn check(&self, line: &str, expected: &[&str]) {
        let said = self.said(&self.measure(line));
        assert_eq!(said, expected, "for the line {line:?}");
    }

    fn said(&self, findings: &[Finding]) -> Vec<String> {
        let root = self.root.to_str().unwrap();
        let lines =
            findings.iter().flat_map(|finding| std::iter::once(&finding.title).chain(&finding.details));
        let hashed = |line: &String| match line.strip_prefix("commit ") {
            Some(rest) => format!("commit HASH {}", rest.split_once(' ').unwrap().1),
            None => line.clone(),
        };
        lines.map(hashed).map(|line| line.replace(root, "ROOT")).collect()
    }

    #[track_caller]
    fn check_contains(&self, line: &str, expected: &[&str]) {
        let said = self.said(&self.measure(line)).join("\n");
        for text in expected {
            assert!(said.contains(text), "`{text}` is not said for {line:?}:\n{said}");
        }
    }
}

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
    world.file("home/work/a", 10);
    world.check_contains("rm -rf ~", &["ROOT/home is your home directory"]);
    world.check_contains("rm -rf ~/", &["ROOT/home is your home directory"]);
    world.check_contains(
        "rm -rf ~/*",
        &["would delete 2 files (20 bytes) in 2 entries of ROOT", "not in git"],
    );
    world.check_contains("cd home && rm -rf ..", &["your home directory is in ROOT", "under its own feet"]);
    world.check_contains(
        "cd home/work; rm -rf ../../home",
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
        &["cannot tell what `rm -rf *` would delete", "ROOT/missing, which is not there now"],
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
        "git push",
        "cargo test",
        "rm a",
    ] {
        world.check(line, &[]);
    }
    assert_eq!(world.git.runs.get(), 0);
}
