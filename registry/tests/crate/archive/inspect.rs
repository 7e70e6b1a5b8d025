//! What is found wrong with the files of a package, and for which target they are.

use crate::archive::binaries::{
    ARM, ARM_LIBRARY, Elf, GLIBC, LIBRARY, MUSL, STATIC, fat_mach_o, mach_o, windows,
};
use crate::archive::folder::{Folder, manifest};
use pintle_manifest::{Dependency, Entry, Manifest, Requirement, Severity, Target};
use pintle_registry::package::{DetectError, Finding, detect_target, files, inspect};

fn target(text: &str) -> Target {
    Target::parse(text).unwrap()
}

fn findings(folder: &Folder, manifest: &Manifest) -> Vec<Finding> {
    folder.write("extension.toml", "x");
    inspect(folder.path(), manifest, &files(folder.path(), manifest).unwrap())
}

#[track_caller]
fn check(folder: &Folder, manifest: &Manifest, expected: &[&str]) {
    let codes: Vec<_> = findings(folder, manifest).iter().map(|finding| finding.code).collect();
    assert_eq!(codes, expected);
}

#[test]
fn case_06_the_program_must_be_there_and_part_of_the_package_and_executable() {
    let folder = Folder::new();
    let command = manifest(&["bin/run"]);
    check(&folder, &command, &["package.entry_missing"]);
    folder.write("bin/run", "#!/bin/sh\n");
    check(&folder, &command, &["package.entry_not_executable"]);
    folder.write_program("bin/run", "#!/bin/sh\n");
    check(&folder, &command, &[]);
    folder.write(".gitignore", "bin\n");
    check(&folder, &command, &["package.entry_left_out"]);
    check(&folder, &manifest(&["../run"]), &["package.entry_path"]);
    check(&folder, &manifest(&["/bin/sh"]), &["package.entry_path"]);
    check(&folder, &manifest(&["sh", "-c", "true"]), &[]);
    folder.write_program("run", "#!/bin/sh\n");
    check(&folder, &manifest(&["./run"]), &[]);
    check(&folder, &manifest(&["run"]), &["package.entry_bare"]);
    check(&folder, &manifest(&["node", "main.mjs"]), &["package.entry_missing"]);
    check(&folder, &manifest(&["node", "../main.mjs"]), &["package.entry_path"]);
    check(&folder, &manifest(&["python3", "."]), &[]);
    check(&folder, &manifest(&["python3", "bin"]), &[]);
    folder.write("main.mjs", "x");
    check(&folder, &manifest(&["node", "main.mjs"]), &[]);
    let mut left_out = manifest(&["node", "main.mjs"]);
    left_out.selection.exclude = vec!["*.mjs".to_owned()];
    check(&folder, &left_out, &["package.entry_left_out"]);
}

#[test]
fn case_87_a_script_with_a_carriage_return_in_its_first_line_is_an_error() {
    let folder = Folder::new();
    folder.write_program("hook.sh", "#!/bin/sh\r\necho\r\n");
    folder.write_program("good.sh", "#!/bin/sh\necho\r\n");
    folder.write("text.txt", "a\r\nb\r\n");
    let found = findings(&folder, &manifest(&["./hook.sh"]));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].code, found[0].severity), ("package.crlf_shebang", Severity::Error));
    assert_eq!(found[0].path.as_ref().unwrap().as_str(), "hook.sh");
}

#[test]
fn every_problem_is_reported_errors_first() {
    let folder = Folder::new();
    let mut many = manifest(&["bin/run"]);
    many.readme = Some("README.md".parse().unwrap());
    many.dependencies.insert(
        "shell-words".parse().unwrap(),
        Dependency {
            requirement: Requirement::parse("^1.2").unwrap(),
            path: Some("../shell-words".to_owned()),
        },
    );
    folder.write(".env", "TOKEN=1\n");
    let large = std::fs::File::create(folder.path().join("large.bin")).unwrap();
    large.set_len((10 << 20) + 1).unwrap();
    check(
        &folder,
        &many,
        &[
            "package.secret",
            "package.readme_missing",
            "package.entry_missing",
            "package.path_dependency",
            "package.large_file",
        ],
    );
}

#[test]
fn a_component_is_a_component() {
    let folder = Folder::new();
    let component = Entry::Wasm { component: "x.wasm".parse().unwrap() };
    let wasm = Manifest { entry: component, ..manifest(&[]) };
    check(&folder, &wasm, &["package.entry_missing"]);
    folder.write("x.wasm", b"\0asm\x0d\0\x01\0");
    check(&folder, &wasm, &[]);
    folder.write("x.wasm", b"\0asm\x01\0\0\0");
    check(&folder, &wasm, &["package.not_a_component"]);
    folder.write("x.wasm", "text");
    check(&folder, &wasm, &["package.not_a_component"]);
}

#[test]
fn a_library_is_a_library_of_its_target() {
    let folder = Folder::new();
    let library = [("x86_64-unknown-linux-gnu", "lib/x.so"), ("aarch64-unknown-linux-gnu", "lib/arm.so")]
        .map(|(triple, path)| (target(triple), path.parse().unwrap()));
    let native = Manifest { entry: Entry::Native { library: library.into() }, ..manifest(&[]) };
    check(&folder, &native, &["package.entry_missing", "package.entry_missing", "package.several_fit"]);
    folder.write("lib/x.so", LIBRARY.bytes());
    folder.write("lib/arm.so", ARM_LIBRARY.bytes());
    check(&folder, &native, &["package.several_fit"]);
    let selected = files(folder.path(), &native).unwrap();
    assert!(matches!(detect_target(&native, &selected, None), Err(DetectError::Unnamed { .. })));
    let any = Some(Target::ANY);
    assert!(matches!(detect_target(&native, &selected, any), Err(DetectError::NoLibrary { .. })));
    let gnu = Some(target("x86_64-unknown-linux-gnu"));
    assert!(detect_target(&native, &selected, gnu).is_ok());
    let apple = Some(target("aarch64-apple-darwin"));
    assert!(matches!(detect_target(&native, &selected, apple), Err(DetectError::NoLibrary { .. })));
    folder.write("lib/arm.so", LIBRARY.bytes());
    check(&folder, &native, &["package.target_mismatch", "package.several_fit"]);
    folder.write("lib/arm.so", ARM.bytes());
    check(&folder, &native, &["package.not_a_library", "package.several_fit"]);
    folder.write("lib/arm.so", "text");
    check(&folder, &native, &["package.not_a_library", "package.several_fit"]);
}

#[test]
fn a_package_with_one_library_is_for_the_target_of_that() {
    let folder = Folder::new();
    let gnu = target("x86_64-unknown-linux-gnu");
    let library = [(gnu, "lib/x.so".parse().unwrap())];
    let native = Manifest { entry: Entry::Native { library: library.into() }, ..manifest(&[]) };
    folder.write("lib/x.so", LIBRARY.bytes());
    check(&folder, &native, &[]);
    let selected = files(folder.path(), &native).unwrap();
    assert_eq!(detect_target(&native, &selected, None).unwrap(), gnu);
    // What else is compiled in it must run there, too.
    folder.write("bin/helper", ARM.bytes());
    check(&folder, &native, &["package.target"]);
}

/// Puts one file of code into a package and detects its target.
fn detect(code: &[u8], label: Option<&str>) -> Result<Target, DetectError> {
    let folder = Folder::new();
    folder.write("extension.toml", "x");
    folder.write_program("bin/run", code);
    let manifest = manifest(&["bin/run"]);
    detect_target(&manifest, &files(folder.path(), &manifest).unwrap(), label.map(target))
}

#[test]
fn the_target_is_read_from_the_code() {
    let check = |code: Vec<u8>, expected: &str| {
        assert_eq!(detect(&code, None).unwrap().as_str(), expected);
        assert_eq!(detect(&code, Some(expected)).unwrap().as_str(), expected);
    };
    check(b"#!/bin/sh\n".to_vec(), "any");
    check(GLIBC.bytes(), "x86_64-unknown-linux-gnu");
    check(MUSL.bytes(), "x86_64-unknown-linux-musl");
    check(ARM.bytes(), "aarch64-unknown-linux-gnu");
    check(STATIC.bytes(), "x86_64-unknown-linux-gnu");
    check(Elf { kind: 1, ..STATIC }.bytes(), "any");
    check(
        Elf { machine: 243, interpreter: Some("/lib/ld-linux-riscv64-lp64d.so.1"), ..GLIBC }.bytes(),
        "riscv64gc-unknown-linux-gnu",
    );
    check(mach_o(0x0100_0007, false), "x86_64-apple-darwin");
    check(mach_o(0x0100_000c, false), "aarch64-apple-darwin");
    check(fat_mach_o(), "aarch64-apple-darwin");
    check(windows(), "x86_64-pc-windows-msvc");
    assert!(detect(&STATIC.bytes(), Some("x86_64-unknown-linux-musl")).is_ok(), "static code fits both");
    assert!(detect(&fat_mach_o(), Some("x86_64-apple-darwin")).is_ok(), "fat code fits both");
    let android = Elf { interpreter: Some("/system/bin/linker64"), ..GLIBC };
    assert!(matches!(detect(&android.bytes(), None), Err(DetectError::Several { .. })));
}

#[test]
fn case_57_code_that_does_not_fit_the_label_is_named_with_its_interpreter_and_machine() {
    let message = |code: Vec<u8>, label| detect(&code, Some(label)).unwrap_err().to_string();
    assert_eq!(
        message(GLIBC.bytes(), "x86_64-unknown-linux-musl"),
        "the package is for `x86_64-unknown-linux-musl`, but `bin/run` is ELF code for x86_64 with the interpreter \
         `/lib64/ld-linux-x86-64.so.2`"
    );
    assert_eq!(
        message(ARM.bytes(), "x86_64-unknown-linux-gnu"),
        "the package is for `x86_64-unknown-linux-gnu`, but `bin/run` is ELF code for aarch64 with the interpreter \
         `/lib/ld-linux-aarch64.so.1`"
    );
    assert!(message(GLIBC.bytes(), "any").starts_with("the package is for `any`, but `bin/run` is"));
}

#[test]
fn case_57_code_for_several_machines_in_one_package_is_an_error_that_names_all() {
    let folder = Folder::new();
    folder.write_program("bin/run", GLIBC.bytes());
    folder.write_program("bin/run.exe", windows());
    let found = findings(&folder, &manifest(&["bin/run"]));
    assert_eq!(found[0].code, "package.target");
    assert!(found[0].message.contains("`bin/run` is ELF code for x86_64"), "{}", found[0].message);
    assert!(found[0].message.contains("`bin/run.exe` is Windows code for x86_64"), "{}", found[0].message);
    std::fs::remove_file(folder.path().join("bin/run.exe")).unwrap();
    folder.write("bin/helper", STATIC.bytes());
    check(&folder, &manifest(&["bin/run"]), &[]);
    folder.write_program("bin/run", STATIC.bytes());
    check(&folder, &manifest(&["bin/run"]), &["package.several_fit"]);
}

#[test]
fn the_newest_glibc_symbol_of_a_real_program_is_read() {
    let program = std::env::current_exe().unwrap();
    let binary = pintle_registry::package::Binary::read(&program).unwrap().unwrap();
    if cfg!(all(target_os = "linux", target_env = "gnu")) {
        assert!(binary.description.contains(" and glibc 2."), "{}", binary.description);
    }
}
