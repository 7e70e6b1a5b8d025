//! Sets of extensions as a store would hold them: a directory for each with its own copy of the program or library, and
//! the digest of every file, so that the stages have all their work to do.

use pintle_loader::bundle::{Bundle, Candidate, Content, File, Rank};
use pintle_manifest::{Digest, PackagePath, Target};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// How an extension runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runtime {
    /// As a program.
    Process,
    /// As a library in a worker.
    Native,
}

impl Runtime {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Process, Self::Native];

    /// Returns its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Native => "native",
        }
    }
}

/// Where the extension was built, and where the sets are put.
#[derive(Debug, Clone)]
pub struct Set {
    /// The directory with the program and the library.
    pub built: PathBuf,
    /// Where the copies go. They are kept for the next run.
    pub store: PathBuf,
}

impl Set {
    /// Returns so many guards. Each is called for the tool with its own name, or without a filter for every one.
    pub fn guards(
        &self,
        runtime: Runtime,
        count: usize,
        filtered: bool,
    ) -> Result<Vec<Candidate>, Box<dyn Error>> {
        (0..count)
            .map(|number| {
                let name = format!("guard-{number:03}");
                let filter =
                    if filtered { format!("filter = {{ tool = \"{name}\" }}\n") } else { String::new() };
                self.one(runtime, &name, &format!("[hooks.\"tool.call\"]\n{filter}"))
            })
            .collect()
    }

    /// Returns readers of the stream, and after them stuck ones.
    pub fn readers(&self, reading: usize, stuck: usize) -> Result<Vec<Candidate>, Box<dyn Error>> {
        let reading = (0..reading).map(|number| format!("reader-{number:03}"));
        let stuck = (0..stuck).map(|number| format!("stuck-{number:03}"));
        reading
            .chain(stuck)
            .map(|name| self.one(Runtime::Process, &name, "[hooks.\"output.delta\"]\n"))
            .collect()
    }

    /// Returns one that holds a thousand things: 400 subscriptions, 400 timers, 197 entries of a slot, a hook, its
    /// worker and its temporary directory.
    pub fn holder(&self) -> Result<Vec<Candidate>, Box<dyn Error>> {
        let mut rest = "[hooks.\"tool.call\"]\n".to_owned();
        for number in 0..197 {
            rest.push_str(&format!("[slots.item.item-{number}]\ndescription = \"An item\"\n"));
        }
        Ok(vec![self.one(Runtime::Process, "holder-000", &rest)?])
    }

    #[expect(clippy::disallowed_methods, reason = "a fixture is no state")]
    fn one(&self, runtime: Runtime, name: &str, rest: &str) -> Result<Candidate, Box<dyn Error>> {
        let target = Target::current().ok_or("this machine is no target")?;
        let (file, entry, built) = match runtime {
            Runtime::Process => ("bin/it", "command = [\"bin/it\"]".to_owned(), "bench-extension"),
            Runtime::Native => (
                "lib/it.so",
                format!("library = {{ \"{target}\" = \"lib/it.so\" }}"),
                "libbench_extension.so",
            ),
        };
        let text = format!(
            "manifest_version = 1\n[extension]\nname = \"{name}\"\nversion = \"0.1.0\"\n\
             description = \"Is measured\"\nlicense = \"Apache-2.0\"\n[hosts.bench]\napi_version = \"^1\"\n\
             [entry]\nruntime = \"{}\"\n{entry}\n{rest}",
            runtime.as_str()
        );
        let parsed = pintle_manifest::parse(text.as_bytes());
        let manifest = parsed.manifest.ok_or_else(|| parsed.problems[0].message.clone())?;
        let root = self.store.join(runtime.as_str()).join(name);
        let path = root.join(file);
        fs::create_dir_all(path.parent().ok_or("a file has a directory")?)?;
        copy_if_newer(&self.built.join(built), &path)?;
        fs::write(root.join("extension.toml"), &text)?;
        let files = vec![of(&root, "extension.toml", false)?, of(&root, file, true)?];
        let tree = Digest::of(format!("{files:?}").as_bytes());
        let content = Some(Content { tree, files });
        let grants = manifest.permissions.clone();
        let bundle = Bundle { manifest, root, content, grants, rank: Rank::User, required: false };
        Ok(Candidate::Bundle(Box::new(bundle)))
    }
}

fn copy_if_newer(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let modified = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    if modified(to) < modified(from) {
        // Not over the old one, which a process may still run.
        let _ = fs::remove_file(to);
        fs::copy(from, to)?;
    }
    Ok(())
}

fn of(root: &Path, path: &str, executable: bool) -> Result<File, Box<dyn Error>> {
    let bytes = fs::read(root.join(path))?;
    let size = u64::try_from(bytes.len())?;
    Ok(File { path: PackagePath::parse(path)?, executable, size, digest: Digest::of(&bytes) })
}
