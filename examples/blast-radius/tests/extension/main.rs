//! The program that was built, as a host talks to it.
#![expect(clippy::unwrap_used, reason = "all of this is tests, also what is not a test function itself")]
#![expect(
    clippy::disallowed_methods,
    reason = "a fixture is made of plain files, and needs no care against a crash"
)]

mod host;

use host::Host;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

struct World {
    _temporary: tempfile::TempDir,
    root: PathBuf,
    host: Host,
}

impl World {
    fn new() -> World {
        let temporary = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temporary.path()).unwrap();
        let host = Host::start(&root.join("home"));
        for n in 0..1204 {
            let path = root.join(format!("site/build/{}/{n}.js", n % 9));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, vec![b'x'; 1000]).unwrap();
        }
        World { _temporary: temporary, root, host }
    }

    fn shell(&mut self, line: &str) -> Value {
        self.tool_call("shell", line, &["sh", "-c", line])
    }

    fn tool_call(&mut self, tool: &str, line: &str, argv: &[&str]) -> Value {
        let cwd = self.root.join("site");
        let program = Path::new(argv[0]).file_name().unwrap().to_str().unwrap();
        let payload = json!({
            "id": "1", "tool": tool, "program": program, "argv": argv, "cwd": cwd, "line": line, "interactive": true,
        });
        let message = self.host.call("tool.call", &payload);
        message["outcome"]["answer"].clone()
    }

    fn blast(&mut self) -> String {
        let call = json!({ "args": [], "cwd": self.root, "interactive": true });
        let message = self.host.call("slot.command", &json!({ "entry": "blast", "payload": call }));
        message["outcome"]["answer"]["handled"]["text"].as_str().unwrap().to_owned()
    }

    fn names(&self) -> Vec<&str> {
        self.host.requests.iter().map(|request| request["call"].as_str().unwrap()).collect()
    }
}

#[test]
fn harmless_commands_pass_and_ask_nothing() {
    let mut world = World::new();
    for line in ["ls -la", "cargo test && git status", "rm a", "git commit -m 'rm -rf /'", ""] {
        assert_eq!(world.shell(line), "continue", "{line}");
    }
    assert_eq!(world.tool_call("exec", "echo 'rm -rf build'", &["echo", "rm -rf build"]), "continue");
    assert_eq!(world.names(), [""; 0]);
    assert_eq!(world.blast(), "nothing was held yet\n");
}

#[test]
fn a_removal_is_asked_about_and_kept() {
    let mut world = World::new();
    let answer = world.shell("rm -rf build");
    let root = world.root.to_str().unwrap().to_owned();
    let title = format!("`rm -rf build` would delete 1,204 files (1.2 MB) in {root}/site/build");
    assert_eq!(answer["ask"]["title"], title);
    let details: Vec<&str> =
        answer["ask"]["details"].as_array().unwrap().iter().map(|d| d.as_str().unwrap()).collect();
    assert_eq!(details[0], "not in git: can't be restored");
    assert!(world.root.join("site/build/0/0.js").exists(), "it was only measured");
    let explained = world.blast();
    assert!(explained.starts_with(&format!("{title}\n  not in git: can't be restored\n")), "{explained}");
    assert!(
        explained.ends_with(&format!("\nThe whole line was: rm -rf build\nIn: {root}/site\n")),
        "{explained}"
    );
}

#[test]
fn exact_arguments_are_asked_about_as_well() {
    let mut world = World::new();
    let answer = world.tool_call("exec", "rm -rf build", &["/bin/rm", "-rf", "build"]);
    assert!(answer["ask"]["title"].as_str().unwrap().contains("1,204 files"), "{answer}");
    assert_eq!(world.tool_call("exec", "rm -rf '*'", &["rm", "-rf", "*"]), "continue");
}

#[test]
fn where_git_is_not_granted_the_person_is_asked_all_the_same() {
    let mut world = World::new();
    world.host.refuses = Some(json!({ "code": "permission.denied", "message": "git is not granted" }));
    let answer = world.shell("git reset --hard");
    assert_eq!(answer["ask"]["title"], "cannot tell what `git reset --hard` would throw away");
    assert_eq!(
        answer["ask"]["details"],
        json!(["git could not be asked: git is not granted (permission.denied)"])
    );
    let answer = world.shell("rm -rf build");
    assert!(answer["ask"]["title"].as_str().unwrap().contains("1,204 files"), "{answer}");
}

#[test]
fn several_dangers_are_one_question() {
    let mut world = World::new();
    let answer = world.shell("rm -rf build/1 && rm -rf build/2; rm -rf $X");
    assert_eq!(answer["ask"]["title"], "this line holds 3 commands that can lose work");
    let details = answer["ask"]["details"].as_array().unwrap();
    assert!(
        details[0].as_str().unwrap().starts_with("`rm -rf build/1` would delete 134 files (134 KB)"),
        "{answer}"
    );
    assert!(details.len() <= 12, "{answer}");
    let many: Vec<String> = (0..9).map(|n| format!("rm -rf build/{n}")).collect();
    let answer = world.shell(&many.join("; "));
    assert_eq!(answer["ask"]["title"], "this line holds 9 commands that can lose work");
    let last = answer["ask"]["details"].as_array().unwrap().last().unwrap().as_str().unwrap().to_owned();
    assert!(last.starts_with("not measured, for there are too many: `rm -rf build/5`"), "{last}");
}

#[test]
fn a_line_that_cannot_be_followed_does_not_end_the_extension() {
    let mut world = World::new();
    for line in [
        "((((".repeat(2000),
        "$(".repeat(300),
        "rm -rf ${x:-${y:-${z:-$(rm}}}".to_owned(),
        "{".repeat(390) + "a,b}",
    ] {
        let answer = world.shell(&line);
        assert!(answer == "continue" || answer["ask"]["title"].is_string(), "{line:.40}: {answer}");
    }
    assert!(world.shell("rm -rf build")["ask"]["title"].is_string());
}
