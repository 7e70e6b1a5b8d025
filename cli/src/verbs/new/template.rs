//! What an extension is started from: the files of each template, with the name put in. Each is a whole extension that
//! passes `pintle check` and works, once what must be built is built. There is none for the shell: JSON that comes from
//! outside can't be read safely there without further tools.

use clap::ValueEnum;
use pintle_manifest::Name;
use pintle_registry::package::DESCRIPTION_TO_WRITE;
use std::path::Path;

/// What an extension is started from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Template {
    /// A Python program
    Python,
    /// A Node.js program
    Node,
    /// A Rust program, with the SDK
    Rust,
}

/// One file of a new folder.
pub(super) struct File {
    pub(super) path: &'static str,
    pub(super) text: String,
    pub(super) mode: u32,
}

/// Returns the files; `sdk` is the folder of the SDK, which only the template for Rust names.
pub(super) fn files(name: &Name, template: Template, sdk: Option<&Path>) -> Vec<File> {
    let fill =
        |text: &str| text.replace("@NAME@", name.as_str()).replace("@DESCRIPTION@", DESCRIPTION_TO_WRITE);
    let plain = |path, text: &str| File { path, text: fill(text), mode: 0o644 };
    let program = |path, text: &str| File { path, text: fill(text), mode: 0o755 };
    let (entry, include, build, code) = match template {
        Template::Python => (
            "command = [\"python3\", \"main.py\"]\nrequires = { python3 = \">=3.8\" }",
            "",
            "",
            vec![plain("main.py", include_str!("../../../templates/python/main.py"))],
        ),
        Template::Node => (
            "command = [\"node\", \"main.mjs\"]\nrequires = { node = \">=18\" }",
            "",
            "",
            vec![plain("main.mjs", include_str!("../../../templates/node/main.mjs"))],
        ),
        Template::Rust => (
            "command = [\"bin/@NAME@\"]",
            "include = [\"bin/\", \"README.md\"]\n",
            "\n`./build` makes the program anew.\n",
            vec![
                plain("Cargo.toml", &cargo_toml(sdk)),
                plain("src/main.rs", include_str!("../../../templates/rust/src/main.rs")),
                program("build", include_str!("../../../templates/rust/build")),
            ],
        ),
    };
    let manifest = include_str!("../../../templates/extension.toml");
    let manifest = manifest.replace("@ENTRY@", entry).replace("@INCLUDE@\n", &format!("{include}\n"));
    let readme = format!("# @NAME@\n\nWhat it does, and what it needs to be allowed for that.\n{build}");
    let ignored = match template {
        Template::Python => "/dist\n__pycache__/\n",
        Template::Node => "/dist\nnode_modules/\n",
        Template::Rust => "/dist\n/bin\n/target\n",
    };
    let mut files =
        vec![plain("extension.toml", &manifest), plain("README.md", &readme), plain(".gitignore", ignored)];
    files.extend(code);
    files
}

/// The path is quoted as JSON quotes, which TOML reads as well.
fn cargo_toml(sdk: Option<&Path>) -> String {
    let path = sdk.unwrap_or_else(|| Path::new("sdk")).to_string_lossy();
    let quoted = serde_json::Value::from(&*path).to_string();
    include_str!("../../../templates/rust/Cargo.toml.template").replace("@SDK@", &quoted)
}
