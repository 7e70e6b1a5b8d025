//! Whether the files that the manifest names are there, and are what it says they are.

use super::binary::Binary;
use super::content::head;
use super::finding::Finding;
use super::script::script;
use super::select::{Selected, place};
use crate::archive::SourceFile;
use pintle_manifest::{Entry, Manifest, PackagePath, Target};
use std::path::Path;

/// How a WebAssembly component begins: the magic, version 13, layer 1 (source: the component model's binary format).
const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

/// Checks everything that `[entry]` names.
pub(super) fn check(folder: &Path, manifest: &Manifest, selected: &Selected) -> Vec<Finding> {
    match &manifest.entry {
        Entry::Process { command, .. } => check_command(folder, command, selected),
        Entry::Native { library } => {
            library.iter().flat_map(|(target, path)| check_library(folder, *target, path, selected)).collect()
        }
        Entry::Wasm { component } => check_component(folder, component, selected),
    }
}

/// Finds a file that the manifest names among those selected, or says why it is not there.
pub(super) fn named<'a>(
    folder: &Path,
    path: &PackagePath,
    selected: &'a Selected,
    codes: [&'static str; 2],
) -> Result<&'a SourceFile, Finding> {
    let [missing, left_out] = codes;
    match selected.get(path) {
        Some(file) => Ok(file),
        None if place(folder, path).symlink_metadata().is_ok() => {
            Err(Finding::error(left_out, format!("`{path}` is there, but not part of the package"))
                .at(path)
                .help("name it in `[extension] include`, or take it out of `.gitignore` and `exclude`"))
        }
        None => {
            let finding =
                Finding::error(missing, format!("`{path}` is named in the manifest, but not there"));
            let finding = finding.at(path);
            Err(match missing == ENTRY[0] {
                true => finding.help("build the program or copy it there first, or mend the path"),
                false => finding,
            })
        }
    }
}

const ENTRY: [&str; 2] = ["package.entry_missing", "package.entry_left_out"];

fn check_command(folder: &Path, command: &[String], selected: &Selected) -> Vec<Finding> {
    let Some((program, arguments)) = command.split_first() else {
        return vec![Finding::error("package.entry_missing", "`[entry] command` is empty")];
    };
    let mut findings = match program.contains('/') {
        true => check_program(folder, program, selected),
        false => check_bare_program(program, selected),
    };
    let script = script(command);
    findings.extend(script.and_then(|script| check_script(folder, script, selected)));
    let others = arguments.iter().filter(|word| !word.starts_with('-') && Some(word.as_str()) != script);
    findings.extend(others.filter_map(|argument| check_argument(folder, argument, selected)));
    findings
}

fn check_program(folder: &Path, program: &str, selected: &Selected) -> Vec<Finding> {
    let path = match PackagePath::parse(program.strip_prefix("./").unwrap_or(program)) {
        Ok(path) => path,
        Err(error) => {
            let message = format!("`[entry] command` does not name a file of the package: {error}");
            return vec![Finding::error("package.entry_path", message)];
        }
    };
    match named(folder, &path, selected, ENTRY) {
        Err(finding) => vec![finding],
        Ok(file) if !file.executable => {
            let message = format!("`{path}` is the program to run, but not executable");
            vec![
                Finding::error("package.entry_not_executable", message)
                    .at(&path)
                    .help(format!("run `chmod +x {path}`")),
            ]
        }
        Ok(_) => Vec::new(),
    }
}

/// A program without `/` is looked for on the machine, which is probably not meant if the package has such a file.
fn check_bare_program(program: &str, selected: &Selected) -> Vec<Finding> {
    let Some(file) = PackagePath::parse(program).ok().and_then(|path| selected.get(&path)) else {
        return Vec::new();
    };
    let message = format!("`{program}` is looked for on the machine, not in the package");
    vec![
        Finding::warning("package.entry_bare", message)
            .at(&file.path)
            .help(format!("to run the file of the package, put it in a folder of it: `bin/{program}`")),
    ]
}

/// A script must be there. A folder may stand for one in it, as `python3 app` does.
fn check_script(folder: &Path, script: &str, selected: &Selected) -> Option<Finding> {
    match PackagePath::parse(script.strip_prefix("./").unwrap_or(script)) {
        Ok(path) if place(folder, &path).is_dir() => None,
        Ok(path) => named(folder, &path, selected, ENTRY).err(),
        Err(_) if folder.join(script).is_dir() => None,
        Err(error) => {
            let message =
                format!("`{script}` in `[entry] command` does not name a file of the package: {error}");
            Some(Finding::error("package.entry_path", message))
        }
    }
}

/// Another argument that names a file of the folder must be shipped with it.
fn check_argument(folder: &Path, argument: &str, selected: &Selected) -> Option<Finding> {
    let path = PackagePath::parse(argument.strip_prefix("./").unwrap_or(argument)).ok()?;
    let is_there = place(folder, &path).is_file();
    is_there.then(|| named(folder, &path, selected, ENTRY).err())?
}

fn check_library(folder: &Path, target: Target, path: &PackagePath, selected: &Selected) -> Vec<Finding> {
    let file = match named(folder, path, selected, ENTRY) {
        Ok(file) => file,
        Err(finding) => return vec![finding],
    };
    let error = |code, message: String| vec![Finding::error(code, message).at(path)];
    match Binary::read(&file.from) {
        Err(failed) => error("package.unreadable", failed.to_string()),
        Ok(None) => error("package.not_a_library", format!("`{path}` is not compiled code")),
        Ok(Some(binary)) if !binary.fits.contains(&target) => error(
            "package.target_mismatch",
            format!("`{path}` is for `{target}`, but is {}", binary.description),
        ),
        Ok(Some(binary)) if !binary.is_library => {
            error("package.not_a_library", format!("`{path}` is a program, not a dynamic library"))
        }
        Ok(Some(_)) => Vec::new(),
    }
}

fn check_component(folder: &Path, path: &PackagePath, selected: &Selected) -> Vec<Finding> {
    let file = match named(folder, path, selected, ENTRY) {
        Ok(file) => file,
        Err(finding) => return vec![finding],
    };
    match head(&file.from, 8) {
        Err(failed) => vec![Finding::error("package.unreadable", failed.to_string()).at(path)],
        Ok(head) if head == COMPONENT => Vec::new(),
        Ok(head) if head.starts_with(b"\0asm") => vec![
            Finding::error("package.not_a_component", format!("`{path}` is a core module, not a component"))
                .at(path)
                .help("build it for a component target, or wrap it with `wasm-tools component new`"),
        ],
        Ok(_) => {
            vec![Finding::error("package.not_a_component", format!("`{path}` is not WebAssembly")).at(path)]
        }
    }
}
