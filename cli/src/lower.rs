//! The one place where what is installed becomes what a host loads: sets, grants and what is turned off go in, the
//! loader's [`Candidate`]s come out. An extension that is turned off is handed on by its name; none of its files is
//! read.

mod salvage;

pub(crate) use salvage::salvage;

use crate::failure::Failure;
use crate::situation::Situation;
use pintle_loader::bundle::{Bundle, Candidate, Content, File, Rank, Withheld};
use pintle_manifest::{Name, Version};
use pintle_registry::archive::{Mode, Tree};
use pintle_registry::operations::local::read_manifest;
use pintle_registry::operations::switch_off::dependents;
use pintle_registry::set::Wishes;
use pintle_registry::store::{Disabled, Hold, Installed, Scope, ScopeKind, Set, Source, Store, fs};
use pintle_registry::trust::{Grants, Subject};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Which extensions of the sets are meant.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selection {
    /// If not empty, only these, and what they need.
    pub only: BTreeSet<Name>,
    /// Not these.
    pub without: BTreeSet<Name>,
    /// These folders besides, under development.
    pub folders: Vec<PathBuf>,
}

/// What is to be loaded, and what keeps it in place meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Lowered {
    /// Each member of the sets, once.
    pub candidates: Vec<Candidate>,
    /// Updates and garbage collection leave alone what a live host holds.
    _holds: Vec<Hold>,
}

/// Returns the scopes whose sets a host loads, the weakest first: the person's own, then that of the project.
pub(crate) fn scopes(situation: &Situation<'_>) -> Vec<(Scope, Rank)> {
    let user = (Scope::user(&situation.home), Rank::User);
    let scope = situation.scope();
    match scope.kind {
        ScopeKind::User => vec![user],
        ScopeKind::Project(_) => vec![user, (scope, Rank::Project)],
    }
}

/// Puts together what a host is to load. Fails only if it can't be known at all what that is.
pub(crate) fn lower(situation: &Situation<'_>, selection: &Selection) -> Result<Lowered, Failure> {
    let grants = Grants::read(&situation.home)?;
    let mut lowered = Lowered::default();
    let mut members: BTreeMap<Name, (Candidate, BTreeSet<Name>)> = BTreeMap::new();
    for (scope, rank) in scopes(situation) {
        let Some(generation) = scope.generations().current()? else {
            missing_required(&required(&scope)?, None, &mut members);
            continue;
        };
        // Held before it is read, so that it can't go in between.
        lowered._holds.extend(scope.generations().hold(generation).ok());
        let set = scope.generations().read(generation)?;
        let disabled = Disabled::read(&scope)?;
        let required = required(&scope)?;
        let source = Installation {
            scope: &scope,
            set: &set,
            disabled: &disabled,
            required: &required,
            grants: &grants,
            rank,
        };
        for (name, one) in &set.extensions {
            let needs = one.dependencies.keys().cloned().collect();
            members.insert(name.clone(), (source.candidate(name, one), needs));
        }
        missing_required(&required, Some(&set), &mut members);
    }
    for folder in &selection.folders {
        let bundle = folder_bundle(&situation.directory.join(folder))?;
        let needs = bundle.manifest.dependencies.keys().cloned().collect();
        members.insert(bundle.name().clone(), (Candidate::Bundle(Box::new(bundle)), needs));
    }
    let wanted = wanted(&members, selection)?;
    lowered.candidates = members
        .into_iter()
        .filter(|(name, _)| wanted.contains(name))
        .map(|(_, (candidate, _))| candidate)
        .collect();
    Ok(lowered)
}

/// Returns which of the members are meant.
fn wanted(
    members: &BTreeMap<Name, (Candidate, BTreeSet<Name>)>,
    selection: &Selection,
) -> Result<BTreeSet<Name>, Failure> {
    let named = selection.only.iter().chain(&selection.without);
    if let Some(unknown) = named.into_iter().find(|name| !members.contains_key(*name)) {
        let near = pintle_manifest::nearest(unknown.as_str(), members.keys().map(Name::as_str));
        return Err(Failure::new("set.not_installed", format!("`{unknown}` is not installed"))
            .hint_nearest(near)
            .hint("see what is installed with `pintle list`"));
    }
    let mut open: Vec<Name> = match selection.only.is_empty() {
        true => members.keys().cloned().collect(),
        false => {
            // A folder on the command line is meant in any case.
            let folders = members.iter().filter(|(_, (candidate, _))| is_folder_of_command_line(candidate));
            selection.only.iter().chain(folders.map(|(name, _)| name)).cloned().collect()
        }
    };
    let mut wanted = BTreeSet::new();
    while let Some(name) = open.pop() {
        if selection.without.contains(&name) {
            continue;
        }
        let needs = members.get(&name).map(|(_, needs)| needs.iter().cloned()).into_iter().flatten();
        if wanted.insert(name) {
            open.extend(needs);
        }
    }
    Ok(wanted)
}

fn is_folder_of_command_line(candidate: &Candidate) -> bool {
    match candidate {
        Candidate::Bundle(bundle) => bundle.rank == Rank::CommandLine,
        Candidate::Withheld { .. } => false,
    }
}

/// Returns the names that a host is not to do without.
fn required(scope: &Scope) -> Result<BTreeSet<Name>, Failure> {
    let Some(bytes) = fs::read_if_present(&scope.wishes, pintle_registry::store::commit::MAX_TEXT)? else {
        return Ok(BTreeSet::new());
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match Wishes::parse(&text) {
        Ok(wishes) => Ok(wishes.required),
        Err(problems) => Err(Failure::new(
            "wishes.invalid",
            format!(
                "`{}` can't be read, so it is not known which extensions are required",
                scope.wishes.display()
            ),
        )
        .places(&scope.wishes, &text, &problems)),
    }
}

/// Something that is required and was never installed is not ready either.
fn missing_required(
    required: &BTreeSet<Name>,
    set: Option<&Set>,
    members: &mut BTreeMap<Name, (Candidate, BTreeSet<Name>)>,
) {
    for name in required {
        if set.is_some_and(|set| set.extensions.contains_key(name)) {
            continue;
        }
        let why =
            Withheld::Unreadable { reason: "it is required and not installed; run `pintle sync`".to_owned() };
        let candidate =
            Candidate::Withheld { name: name.clone(), version: Version::new(0, 0, 0), required: true, why };
        members.entry(name.clone()).or_insert((candidate, BTreeSet::new()));
    }
}

/// One set with what is known about its members.
struct Installation<'a> {
    scope: &'a Scope,
    set: &'a Set,
    disabled: &'a Disabled,
    required: &'a BTreeSet<Name>,
    grants: &'a Grants,
    rank: Rank,
}

impl Installation<'_> {
    fn candidate(&self, name: &Name, one: &Installed) -> Candidate {
        let required = self.required.contains(name);
        let withheld = |why: Withheld| Candidate::Withheld {
            name: name.clone(),
            version: one.version.clone(),
            required,
            why,
        };
        if let Some(why) = self.disabled.names.get(name) {
            return withheld(Withheld::Disabled { reason: why.reason.clone() });
        }
        let off =
            self.disabled.names.keys().find(|off| dependents(self.set, &[(*off).clone()]).contains(name));
        if let Some(off) = off {
            return withheld(Withheld::Disabled { reason: Some(format!("it needs `{off}`, which is off")) });
        }
        match self.bundle(name, one) {
            Ok(bundle) => Candidate::Bundle(Box::new(bundle)),
            Err(reason) => withheld(Withheld::Unreadable { reason }),
        }
    }

    fn bundle(&self, name: &Name, one: &Installed) -> Result<Bundle, String> {
        let (root, content) = match (&one.source, one.tree) {
            (_, Some(tree)) => {
                let store = Store::new(self.scope.home.store());
                let list = store.tree(&tree).ok_or_else(|| {
                    format!(
                        "the store has no whole copy of `{name} {}`; `pintle verify --fix` fetches it",
                        one.version
                    )
                })?;
                (store.entry(&tree), Some(Content { tree, files: files(&list) }))
            }
            (Source::Folder(path) | Source::Archive(path), None) => (path.clone(), None),
            (Source::Registry(_), None) => {
                return Err(format!("`{name}` has no tree hash; run `pintle sync`"));
            }
        };
        let (manifest, _) = read_manifest(&root).map_err(|error| crate::failure::one_line(&error))?;
        if manifest.name != *name {
            return Err(format!("`{}` says that it is `{}`", root.display(), manifest.name));
        }
        let grants = Subject::of(one).and_then(|subject| self.grants.get(name, &subject));
        let grants = grants.map(|grant| grant.permissions.clone()).unwrap_or_default();
        let required = self.required.contains(name);
        Ok(Bundle { manifest, root, content, grants, rank: self.rank, required })
    }
}

fn files(list: &Tree) -> Vec<File> {
    let file = |(path, entry): (&pintle_manifest::PackagePath, &pintle_registry::archive::FileEntry)| File {
        path: path.clone(),
        executable: entry.mode == Mode::Executable,
        size: entry.size,
        digest: entry.digest,
    };
    list.files().map(file).collect()
}

/// Makes a bundle of a folder that was named on the command line, which is the consent to everything it asks for.
fn folder_bundle(folder: &Path) -> Result<Bundle, Failure> {
    let root = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let (manifest, _) = read_manifest(&root)?;
    let grants = manifest.permissions.clone();
    Ok(Bundle { manifest, root, content: None, grants, rank: Rank::CommandLine, required: false })
}
