//! An extension that does what the test says: at which hooks it is called, what it answers, what it asks of the host. What
//! happens to it is in its marks, a line each.

use super::{Package, Sandbox, example};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// An extension that is being described.
pub(crate) struct Actor<'a> {
    sandbox: &'a Sandbox,
    name: String,
    version: String,
    hooks: Vec<String>,
    on: Map<String, Value>,
    marks: String,
    edit: Vec<Box<dyn Fn(Package<'a>) -> Package<'a> + 'a>>,
}

impl Sandbox {
    /// Starts to describe an extension that does what is said, version 1.0.0 until said otherwise.
    pub(crate) fn actor(&self, name: &str) -> Actor<'_> {
        Actor {
            sandbox: self,
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            hooks: Vec::new(),
            on: Map::new(),
            marks: name.to_owned(),
            edit: Vec::new(),
        }
    }

    /// Returns what an actor marked so far, a line each.
    pub(crate) fn marks(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.root().join("marks").join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

impl<'a> Actor<'a> {
    /// Says which version it is.
    pub(crate) fn version(mut self, version: &str) -> Self {
        version.clone_into(&mut self.version);
        self
    }

    /// Says what it does at a hook; what it does not say, it lets pass.
    pub(crate) fn at(mut self, hook: &str, steps: Value) -> Self {
        self.hooks.push(hook.to_owned());
        let table = format!("[hooks.\"{hook}\"]");
        self.on.insert(hook.to_owned(), steps);
        self.with(move |package| package.table(&table))
    }

    /// Says what it does at its start or its end (`start`, `dispose`).
    pub(crate) fn when(mut self, occasion: &str, steps: Value) -> Self {
        self.on.insert(occasion.to_owned(), steps);
        self
    }

    /// Lets it offer a command, and says what that does.
    pub(crate) fn offers(mut self, command: &str, steps: Value) -> Self {
        self.on.insert("slot.command".to_owned(), steps);
        let table = format!("[slots.command.{command}]\ndescription = \"What {command} does\"");
        self.with(move |package| package.table(&table))
    }

    /// Lets it mark in the file of another, so that the order of both is seen.
    pub(crate) fn marks_in(mut self, name: &str) -> Self {
        name.clone_into(&mut self.marks);
        self
    }

    /// Changes its package in another way.
    pub(crate) fn with(mut self, edit: impl Fn(Package<'a>) -> Package<'a> + 'a) -> Self {
        self.edit.push(Box::new(edit));
        self
    }

    fn package(self) -> Package<'a> {
        let marks = self.sandbox.root().join("marks");
        std::fs::create_dir_all(&marks).unwrap();
        let script = json!({
            "name": self.name,
            "version": self.version,
            "hooks": self.hooks,
            "on": self.on,
            "marks": marks.join(&self.marks),
        });
        let program = example::program("misbehave");
        let run = format!("#!/bin/sh\nexec '{}' --script script.json\n", program.display());
        let package = self.sandbox.package(&self.name).version(&self.version);
        let package = package.file("bin/run", 0o755, run).file("script.json", 0o644, script.to_string());
        self.edit.iter().fold(package, |package, edit| edit(package))
    }

    /// Writes it to a folder, and returns that.
    pub(crate) fn folder(self) -> PathBuf {
        self.package().write()
    }

    /// Publishes it to the registry `main`.
    #[track_caller]
    pub(crate) fn publish(self) {
        self.package().publish_to("main");
    }

    /// Publishes it and installs it, with whatever it asks for.
    #[track_caller]
    pub(crate) fn install(self) {
        let (sandbox, wish) = (self.sandbox, format!("{}@{}", self.name, self.version));
        self.publish();
        let shown = sandbox.command(["install", &wish, "--dry-run", "--format=json"]).run().succeeds().json();
        let install = sandbox.command(["install", &wish]);
        match shown["accept_permissions"].as_str() {
            Some(hash) => install.args(["--accept-permissions", hash]),
            None => install,
        }
        .run()
        .succeeds();
    }
}
