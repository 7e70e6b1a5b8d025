//! `pintle new`: starts an extension in a new folder. Never writes into a folder that holds something.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::words;
use clap::{Args, ValueEnum};
use pintle_manifest::Name;
use pintle_registry::store::fs;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Starts an extension in a new folder
#[derive(Debug, Args)]
#[command(visible_alias = "init")]
pub(crate) struct NewArgs {
    /// Its name, and that of the folder
    #[arg(value_name = "NAME")]
    name: Name,
    /// What to start from
    #[arg(long, value_enum, default_value_t = Template::Shell)]
    template: Template,
    /// The folder, if it is not to be called like the extension
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
    /// Says what would be written, and writes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

/// What an extension is started from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Template {
    /// A shell script
    Shell,
    /// A Python program
    Python,
    /// A Node.js program
    Node,
}

struct Outcome {
    folder: PathBuf,
    files: Vec<String>,
    dry_run: bool,
}

impl Document for Outcome {
    fn verb(&self) -> &'static str {
        "new"
    }
    fn json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("dry_run".to_owned(), json!(self.dry_run));
        map.insert("path".to_owned(), json!(self.folder.to_string_lossy()));
        map.insert("files".to_owned(), json!(self.files));
        map
    }
    fn human(&self, paint: Paint) -> String {
        let done = if self.dry_run { "Would start" } else { "Started" };
        format!("{done} an extension in {}\n", paint.bold(&words::path(&self.folder)))
    }
}

struct File {
    path: &'static str,
    text: String,
    mode: u32,
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &NewArgs) -> Result<Exit, Failure> {
    let typed = arguments.path.clone().unwrap_or_else(|| PathBuf::from(arguments.name.as_str()));
    let folder = situation.directory.join(&typed);
    refuse_full(&folder)?;
    let files = files(&arguments.name, arguments.template);
    if !arguments.dry_run {
        write(&folder, &files)?;
    }
    let files = files.iter().map(|file| file.path.to_owned()).collect();
    situation.ui.outcome(&Outcome { folder, files, dry_run: arguments.dry_run });
    if !arguments.dry_run {
        let shown = typed.display();
        situation.ui.note(format_args!("next: `pintle check {shown}`, then `pintle install ./{shown}`"));
    }
    Ok(Exit::Done)
}

fn refuse_full(folder: &Path) -> Result<(), Failure> {
    let is_full = match std::fs::read_dir(folder) {
        Ok(mut listing) => listing.next().is_some(),
        Err(error) => error.kind() == std::io::ErrorKind::NotADirectory,
    };
    match is_full {
        false => Ok(()),
        true => Err(Failure::new("new.not_empty", format!("`{}` is there and not empty", folder.display()))
            .hint("choose another name, or another folder with `--path DIR`")),
    }
}

fn write(folder: &Path, files: &[File]) -> Result<(), Failure> {
    for file in files {
        let path = folder.join(file.path);
        fs::create_dirs(fs::parent(&path))?;
        fs::write_atomic(&path, file.text.as_bytes())?;
        fs::set_mode(&path, file.mode)?;
    }
    Ok(())
}

fn files(name: &Name, template: Template) -> Vec<File> {
    let plain = |path, text: String| File { path, text, mode: 0o644 };
    let program = |path, text: String| File { path, text, mode: 0o755 };
    let (entry, code) = match template {
        Template::Shell => ("command = [\"bin/main\"]", program("bin/main", SHELL.to_owned())),
        Template::Python => (
            "command = [\"python3\", \"main.py\"]\nrequires = { python3 = \">=3.9\" }",
            plain("main.py", PYTHON.to_owned()),
        ),
        Template::Node => (
            "command = [\"node\", \"main.mjs\"]\nrequires = { node = \">=20\" }",
            plain("main.mjs", NODE.to_owned()),
        ),
    };
    let manifest = MANIFEST.replace("NAME", name.as_str()).replace("ENTRY", entry);
    vec![
        plain("extension.toml", manifest),
        plain("README.md", format!("# {name}\n\nWhat it does, and what it needs to be allowed for that.\n")),
        plain(".gitignore", "/dist\n__pycache__/\nnode_modules/\n".to_owned()),
        code,
    ]
}

const MANIFEST: &str = r#"manifest_version = 1

[extension]
name = "NAME"
version = "0.1.0"
description = "Says in one line what it does"
license = "Apache-2.0"
readme = "README.md"

# The contracts it serves, and the versions of each that it works under.
[hosts.agent]
api_version = ">=1.0, <2"

[entry]
runtime = "process"
ENTRY

# What it asks to be allowed. People see this before they install it.
# [permissions]
# "process.run" = ["git"]
"#;

const SHELL: &str = r#"#!/bin/sh
# The host talks to an extension in frames: each is a length of four bytes, big-endian, and as many bytes of JSON.
# Frames come in on descriptor 3 and go out on descriptor 4. What is printed here goes to the extension's log.
echo "started"
cat <&3 >/dev/null
"#;

const PYTHON: &str = r#"# The host talks to an extension in frames: each is a length of four bytes, big-endian, and as many bytes of JSON.
# Frames come in on descriptor 3 and go out on descriptor 4. What is printed here goes to the extension's log.
import json
import os
import struct


def frames():
    with os.fdopen(3, "rb") as incoming:
        while head := incoming.read(4):
            yield json.loads(incoming.read(struct.unpack(">I", head)[0]))


for frame in frames():
    print(frame)
"#;

const NODE: &str = r#"// The host talks to an extension in frames: each is a length of four bytes, big-endian, and as many bytes of JSON.
// Frames come in on descriptor 3 and go out on descriptor 4. What is printed here goes to the extension's log.
import { createReadStream } from "node:fs";

let pending = Buffer.alloc(0);
for await (const chunk of createReadStream(null, { fd: 3 })) {
  pending = Buffer.concat([pending, chunk]);
  while (pending.length >= 4 && pending.length >= 4 + pending.readUInt32BE(0)) {
    const end = 4 + pending.readUInt32BE(0);
    console.log(JSON.parse(pending.subarray(4, end).toString()));
    pending = pending.subarray(end);
  }
}
"#;
