//! A package that is being described: its folder is written, made an archive, or published in one go.

use super::{Output, Sandbox};
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

/// A package that is being described.
pub(crate) struct Package<'a> {
    sandbox: &'a Sandbox,
    name: String,
    version: String,
    description: String,
    hosts: Vec<(String, String)>,
    dependencies: Vec<(String, String)>,
    permissions: Vec<String>,
    files: Vec<(String, u32, Vec<u8>)>,
    extension_lines: Vec<String>,
    target: Option<String>,
    folder: Option<PathBuf>,
    command: Vec<String>,
    tables: String,
}

impl<'a> Package<'a> {
    pub(super) fn new(sandbox: &'a Sandbox, name: &str) -> Self {
        Self {
            sandbox,
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            description: "Does what it is asked to".to_owned(),
            hosts: Vec::new(),
            dependencies: Vec::new(),
            permissions: Vec::new(),
            files: Vec::new(),
            extension_lines: Vec::new(),
            target: None,
            folder: None,
            command: vec!["bin/run".to_owned()],
            tables: String::new(),
        }
    }

    /// Says which version it is.
    pub(crate) fn version(mut self, version: &str) -> Self {
        version.clone_into(&mut self.version);
        self
    }

    /// Says what it does.
    pub(crate) fn description(mut self, description: &str) -> Self {
        description.clone_into(&mut self.description);
        self
    }

    /// Adds something that it needs.
    pub(crate) fn depends(mut self, name: &str, requirement: &str) -> Self {
        self.dependencies.push((name.to_owned(), requirement.to_owned()));
        self
    }

    /// Adds a host that it serves, instead of `agent`.
    pub(crate) fn host(mut self, host: &str, versions: &str) -> Self {
        self.hosts.push((host.to_owned(), versions.to_owned()));
        self
    }

    /// Adds a permission, as a line of the manifest.
    pub(crate) fn permission(mut self, line: &str) -> Self {
        self.permissions.push(line.to_owned());
        self
    }

    /// Adds a file.
    pub(crate) fn file(mut self, path: &str, mode: u32, bytes: impl AsRef<[u8]>) -> Self {
        self.files.push((path.to_owned(), mode, bytes.as_ref().to_vec()));
        self
    }

    /// Adds a line to `[extension]`.
    pub(crate) fn extension(mut self, line: &str) -> Self {
        self.extension_lines.push(line.to_owned());
        self
    }

    /// Says what is run, instead of `bin/run`.
    pub(crate) fn runs(mut self, command: &[&str]) -> Self {
        self.command = command.iter().map(|word| (*word).to_owned()).collect();
        self
    }

    /// Adds a table to the manifest, such as `[hooks."tool.call"]`, with its lines.
    pub(crate) fn table(mut self, text: &str) -> Self {
        self.tables.push_str(text);
        self.tables.push('\n');
        self
    }

    /// Says which machine it is for.
    pub(crate) fn target(mut self, target: &str) -> Self {
        self.target = Some(target.to_owned());
        self
    }

    /// Says which folder to write it to.
    pub(crate) fn folder(mut self, folder: PathBuf) -> Self {
        self.folder = Some(folder);
        self
    }

    /// Returns the text of its manifest.
    pub(crate) fn manifest(&self) -> String {
        let quoted = |text: &str| serde_json::to_string(text).unwrap();
        let mut text = format!(
            "manifest_version = 1\n[extension]\nname = {}\nversion = {}\ndescription = {}\nlicense = \"MIT\"\n",
            quoted(&self.name),
            quoted(&self.version),
            quoted(&self.description)
        );
        for line in &self.extension_lines {
            let _ = writeln!(text, "{line}");
        }
        let agent = [("agent".to_owned(), ">=1.0, <2".to_owned())];
        for (host, versions) in if self.hosts.is_empty() { &agent[..] } else { &self.hosts } {
            let _ = writeln!(text, "[hosts.{host}]\napi_version = {}", quoted(versions));
        }
        let command = serde_json::to_string(&self.command).unwrap();
        let _ = writeln!(text, "[entry]\nruntime = \"process\"\ncommand = {command}");
        if !self.permissions.is_empty() {
            let _ = writeln!(text, "[permissions]\n{}", self.permissions.join("\n"));
        }
        if !self.dependencies.is_empty() {
            text.push_str("[dependencies]\n");
        }
        for (name, requirement) in &self.dependencies {
            let _ = writeln!(text, "{name} = {}", quoted(requirement));
        }
        text.push_str(&self.tables);
        text
    }

    /// Writes its folder. Every package has a program and says its version in it, unless its files do.
    pub(crate) fn write(self) -> PathBuf {
        let target = self.target.as_deref().unwrap_or("any");
        let folder = self.folder.clone().unwrap_or_else(|| {
            let folder = format!("{}-{}-{target}", self.name, self.version);
            self.sandbox.root().join("packages").join(folder)
        });
        let manifest = self.manifest();
        self.sandbox.write(&folder.join("extension.toml"), manifest);
        let program = format!("#!/bin/sh\necho {} {} {target}\n", self.name, self.version);
        let own = [("bin/run".to_owned(), 0o755, program.into_bytes())];
        let has_program = self.files.iter().any(|(path, ..)| path == "bin/run");
        for (path, mode, bytes) in self.files.iter().chain(if has_program { &own[..0] } else { &own[..] }) {
            let path = folder.join(path);
            self.sandbox.write(&path, bytes);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(*mode)).unwrap();
        }
        folder
    }

    /// Makes its archive and returns where it is.
    pub(crate) fn archive(self) -> PathBuf {
        let (sandbox, target) = (self.sandbox, self.target.clone());
        let folder = self.write();
        let mut run = sandbox.command(["package", "--format", "json"]).arg(&folder);
        run = run.arg("--out-dir").arg(sandbox.root().join("archives"));
        if let Some(target) = target {
            run = run.arg("--target").arg(target);
        }
        PathBuf::from(run.run().succeeds().json()["path"].as_str().unwrap())
    }

    /// Publishes it and says how that went.
    pub(crate) fn try_publish_to(self, registry: &str) -> Output {
        let (sandbox, target) = (self.sandbox, self.target.clone());
        let folder = self.write();
        let mut run = sandbox.command(["publish"]).arg(&folder);
        run = run.arg("--registry").arg(sandbox.registry_dir(registry));
        if let Some(target) = target {
            run = run.arg("--target").arg(target);
        }
        run.run()
    }

    /// Publishes it.
    #[track_caller]
    pub(crate) fn publish_to(self, registry: &str) {
        self.try_publish_to(registry).succeeds();
    }
}
