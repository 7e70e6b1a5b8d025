//! The examples of the repository, built and laid out as their authors would package them.

use super::Sandbox;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// The folder of the examples.
fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples")
}

/// Builds an example, once for each run of the tests, and returns the directory that cargo leaves it in.
fn built(name: &str) -> PathBuf {
    static BUILT: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut built = BUILT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(directory) = built.get(name) {
        return directory.clone();
    }
    // Beside the program that is tested, so that nothing is built twice.
    let directory = Path::new(env!("CARGO_BIN_EXE_pintle")).parent().unwrap().to_owned();
    let profile = match directory.file_name().unwrap().to_str().unwrap() {
        "debug" => "dev",
        profile => profile,
    };
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline", "--package", name, "--profile", profile, "--target-dir"])
        .arg(directory.parent().unwrap())
        .current_dir(examples())
        .output()
        .unwrap();
    assert!(output.status.success(), "`{name}` is not built: {}", String::from_utf8_lossy(&output.stderr));
    built.insert(name.to_owned(), directory.clone());
    directory
}

/// Returns a program or library of an example without what only a debugger needs, which is most of it.
fn stripped(name: &str, file: &str) -> PathBuf {
    let original = built(name).join(file);
    let own = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{file}-{}", std::process::id()));
    static DONE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    let mut done = DONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !done.contains(&own) {
        std::fs::copy(&original, &own).unwrap();
        // Where there is no such tool it stays as it is.
        let _ = Command::new("strip").arg(&own).status();
        done.push(own.clone());
    }
    own
}

/// Returns the program of an example, wherever it is.
pub(super) fn program(name: &str) -> PathBuf {
    built(name).join(name)
}

impl Sandbox {
    /// Lays out an example in a folder, ready to be packaged. Words are added to its command.
    pub(crate) fn example(&self, name: &str, words: &[&str]) -> PathBuf {
        let folder = self.root().join("examples").join([&[name], words].concat().join("-"));
        let manifest = self.read(&examples().join(name).join("extension.toml"));
        let command = format!("\"bin/{name}\"");
        let longer: String = words.iter().map(|word| format!(", \"{word}\"")).collect();
        self.write(&folder.join("extension.toml"), manifest.replace(&command, &(command.clone() + &longer)));
        self.write(&folder.join("README.md"), self.read(&examples().join(name).join("README.md")));
        match examples().join(name).join("Cargo.toml").exists() {
            true => place(&stripped(name, name), &folder.join("bin").join(name)),
            false => {
                for file in ["main.mjs", "main.py"] {
                    let source = examples().join(name).join(file);
                    if source.exists() {
                        place(&source, &folder.join(file));
                    }
                }
            }
        }
        folder
    }

    /// Lays out `hello` as a native library.
    pub(crate) fn hello_native(&self) -> PathBuf {
        let folder = self.root().join("examples/hello-native");
        self.native(&folder, "hello", "native.toml");
        folder
    }

    /// Lays out `misbehave-native`, which misbehaves in this way.
    pub(crate) fn misbehave_native(&self, way: &str) -> PathBuf {
        let folder = self.root().join("examples").join(format!("misbehave-native-{way}"));
        self.native(&folder, "misbehave-native", "extension.toml");
        self.write(&folder.join("way"), way);
        folder
    }

    fn native(&self, folder: &Path, name: &str, manifest: &str) {
        let target = pintle_manifest::Target::current().unwrap().to_string();
        let example = examples().join(name);
        self.write(
            &folder.join("extension.toml"),
            self.read(&example.join(manifest)).replace("@TARGET@", &target),
        );
        self.write(&folder.join("README.md"), self.read(&example.join("README.md")));
        let file = name.replace('-', "_");
        let library = stripped(name, &format!("lib{file}.so"));
        place(&library, &folder.join(format!("lib/{file}.so")));
    }

    /// Publishes a folder to the registry `main`.
    #[track_caller]
    pub(crate) fn publish_folder(&self, folder: &Path) {
        self.command(["publish", "--registry", "main"]).arg(folder).run().succeeds();
    }
}

fn place(from: &Path, to: &Path) {
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    std::fs::copy(from, to).unwrap();
    let mode = if to.extension().is_some_and(|ending| ending != "so") { 0o644 } else { 0o755 };
    std::fs::set_permissions(to, std::fs::Permissions::from_mode(mode)).unwrap();
}
