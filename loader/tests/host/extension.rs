//! Extensions as tests make them: a folder with a manifest, a script and a link to this program.

use crate::kit::write;
use crate::{MISBEHAVE, script};
use pintle_loader::bundle::{Content, File, Rank};
use pintle_loader::{Bundle, Candidate};
use pintle_manifest::{Digest, Manifest, PackagePath, Permissions, parse};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// An extension that is being made.
#[derive(Clone)]
pub(crate) struct Extension {
    name: String,
    version: String,
    host: String,
    api: String,
    /// What follows `[entry]`.
    entry: String,
    hooks: Vec<String>,
    /// More of the manifest.
    more: String,
    script: Value,
    pub(crate) grants: Option<Permissions>,
    pub(crate) rank: Rank,
    pub(crate) required: bool,
}

impl Extension {
    /// Begins with an extension that does nothing.
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            host: "yard".to_owned(),
            api: ">=1.0, <2".to_owned(),
            entry: format!("runtime = \"process\"\ncommand = [\"bin/it\", \"{}\"]", script::AS),
            hooks: Vec::new(),
            more: String::new(),
            script: json!({ "at": {} }),
            grants: None,
            rank: Rank::User,
            required: false,
        }
    }

    /// Begins with the example that misbehaves, in one way from its start, or when a call asks for it.
    pub(crate) fn misbehaving(way: Option<&str>, own_time: &str) -> Self {
        let mut it = Self::new("misbehave");
        it.version = "0.1.0".to_owned();
        it.host = "agent".to_owned();
        let words: Vec<String> =
            ["bin/it", MISBEHAVE].into_iter().chain(way).map(|word| format!("\"{word}\"")).collect();
        it.entry = format!("runtime = \"process\"\ncommand = [{}]", words.join(", "));
        for hook in ["session.start", "session.end", "tool.result", "output.delta"] {
            it = it.hook(hook);
        }
        it.hook_with("tool.call", &format!("own_time = \"{own_time}\""))
    }

    pub(crate) fn version(mut self, version: &str) -> Self {
        version.clone_into(&mut self.version);
        self
    }

    pub(crate) fn host(mut self, host: &str, api: &str) -> Self {
        host.clone_into(&mut self.host);
        api.clone_into(&mut self.api);
        self
    }

    pub(crate) fn entry(mut self, entry: &str) -> Self {
        entry.clone_into(&mut self.entry);
        self
    }

    pub(crate) fn rank(mut self, rank: Rank) -> Self {
        self.rank = rank;
        self
    }

    /// Is called at a hook.
    pub(crate) fn hook(self, hook: &str) -> Self {
        self.hook_with(hook, "")
    }

    /// Is called at a hook, in some way.
    pub(crate) fn hook_with(mut self, hook: &str, how: &str) -> Self {
        self.more.push_str(&format!("[hooks.\"{hook}\"]\n{how}\n"));
        self.hooks.push(hook.to_owned());
        self
    }

    /// Is called at a hook, and does this there: a list of acts, or a list of such lists, one for each call.
    pub(crate) fn at(mut self, hook: &str, acts: Value) -> Self {
        self.script["at"][hook] = acts;
        match hook.starts_with("slot.")
            || matches!(hook, "bus" | "timer")
            || self.hooks.contains(&hook.to_owned())
        {
            true => self,
            false => self.hook(hook),
        }
    }

    /// Does this at a moment of its life: `start`, `ready`, `dispose`, `disposed`.
    pub(crate) fn when(mut self, moment: &str, acts: Value) -> Self {
        self.script[moment] = acts;
        self
    }

    pub(crate) fn slot(mut self, slot: &str, entry: &str) -> Self {
        self.more.push_str(&format!(
            "[slots.\"{slot}\".\"{entry}\"]\ndescription = \"{entry} of {}\"\n",
            self.name
        ));
        self
    }

    pub(crate) fn needs(mut self, name: &str) -> Self {
        self.more.push_str(&format!("[dependencies]\n{name} = \"^1.0\"\n"));
        self
    }

    /// Asks for a permission, and is granted it.
    pub(crate) fn permission(mut self, name: &str, value: &str) -> Self {
        if !self.more.contains("[permissions]") {
            self.more.push_str("[permissions]\n");
        }
        self.more = self.more.replace("[permissions]\n", &format!("[permissions]\n\"{name}\" = {value}\n"));
        self
    }

    pub(crate) fn ungranted(mut self) -> Self {
        self.grants = Some(Permissions::new());
        self
    }

    pub(crate) fn manifest(&self) -> Manifest {
        let Self { name, version, host, api, entry, more, .. } = self;
        let text = format!(
            "manifest_version = 1\n[extension]\nname = \"{name}\"\nversion = \"{version}\"\n\
             description = \"An extension of a test\"\nlicense = \"Apache-2.0\"\n\
             [hosts.{host}]\napi_version = \"{api}\"\n[entry]\n{entry}\n{more}"
        );
        let parsed = parse(text.as_bytes());
        parsed.manifest.unwrap_or_else(|| panic!("{text}\n{:#?}", parsed.problems))
    }

    /// Makes the folder, below `yard`, and returns what a host is handed. What it notes goes to `out`.
    pub(crate) fn bundle(&self, yard: &Path, out: &Path) -> Bundle {
        let root = yard.join(format!("{}-{}", self.name, self.version));
        let mut script = self.script.clone();
        script["name"] = json!(self.name);
        script["version"] = json!(self.version);
        script["hooks"] = json!(self.hooks);
        script["out"] = json!(out);
        // What is made twice was not changed by its author.
        let (path, script) = (root.join("script.json"), script.to_string());
        if std::fs::read_to_string(&path).ok().as_ref() != Some(&script) {
            write(&path, script);
        }
        std::fs::create_dir_all(root.join("bin")).unwrap();
        let _ = std::os::unix::fs::symlink(std::env::current_exe().unwrap(), root.join("bin/it"));
        let manifest = self.manifest();
        let grants = self.grants.clone().unwrap_or_else(|| manifest.permissions.clone());
        Bundle { manifest, root, content: None, grants, rank: self.rank, required: self.required }
    }
}

/// Returns what a host is handed of extensions.
pub(crate) fn candidates(bundles: Vec<Bundle>) -> Vec<Candidate> {
    bundles.into_iter().map(|bundle| Candidate::Bundle(Box::new(bundle))).collect()
}

/// Returns what the files below a folder are now.
pub(crate) fn content(root: &Path) -> Content {
    use std::os::unix::fs::PermissionsExt as _;
    let mut files = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(root.join(&directory)).unwrap().flatten() {
            let path = directory.join(entry.file_name());
            let metadata = root.join(&path).metadata().unwrap();
            if metadata.is_dir() {
                open.push(path);
                continue;
            }
            let bytes = std::fs::read(root.join(&path)).unwrap();
            files.push(File {
                path: PackagePath::parse(path.to_str().unwrap()).unwrap(),
                executable: metadata.permissions().mode() & 0o111 != 0,
                size: bytes.len() as u64,
                digest: Digest::of(&bytes),
            });
        }
    }
    files.sort_by(|one, two| one.path.as_str().cmp(two.path.as_str()));
    let list: Vec<String> =
        files.iter().map(|file| format!("{} {}", file.path.as_str(), file.digest)).collect();
    Content { tree: Digest::of(list.join("\n").as_bytes()), files }
}
