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
    /// Each member of the sets. A name that several sets have is there several times; which one it is to be is decided by
    /// whoever loads them.
    pub candidates: Vec<Candidate>,
    /// What is not to be done without, and is left out because the command line says so.
    pub left_out: Vec<Name>,
    /// What was named on the command line as a folder.
    pub folders: BTreeSet<Name>,
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

/// One member of a set, and what it needs.
type Member = (Candidate, BTreeSet<Name>);
/// Everything of each name, that of the weakest set first.
type Members = BTreeMap<Name, Vec<Member>>;

/// Puts together what a host is to load. Fails only if it can't be known at all what that is.
pub(crate) fn lower(situation: &Situation<'_>, selection: &Selection) -> Result<Lowered, Failure> {
    let grants = Grants::read(&situation.home)?;
    let mut lowered = Lowered::default();
    let mut members = Members::new();
    let (mut all_required, mut undecided) = (Vec::new(), BTreeSet::new());
    for (scope, rank) in scopes(situation) {
        all_required.push((rank, required(&scope)?));
        let Some(generation) = scope.generations().current()? else { continue };
        // Held before it is read, so that it can't go in between.
        lowered._holds.extend(scope.generations().hold(generation).ok());
        let set = scope.generations().read(generation)?;
        let disabled = Disabled::read(&scope)?;
        undecided.extend(disabled.undecided(&set).cloned());
        let source = Installation { scope: &scope, set: &set, disabled: &disabled, grants: &grants, rank };
        for (name, one) in &set.extensions {
            let needs = one.dependencies.keys().cloned().collect();
            add(&mut members, source.candidate(name, one), needs);
        }
    }
    for folder in &selection.folders {
        let bundle = folder_bundle(&situation.directory.join(folder))?;
        let needs = bundle.manifest.dependencies.keys().cloned().collect();
        lowered.folders.insert(bundle.name().clone());
        add(&mut members, Candidate::Bundle(Box::new(bundle)), needs);
    }
    require(&all_required, &mut members);
    let wanted = wanted(&members, selection, &lowered.folders)?;
    // What may have been off must not run, and what may have been on, as a guard, must not be missed.
    if let Some(failure) = not_known_to_be_on(undecided.intersection(&wanted)) {
        return Err(failure);
    }
    let all_required: BTreeSet<Name> = all_required.into_iter().flat_map(|(_, names)| names).collect();
    lowered.left_out = all_required.difference(&wanted).cloned().collect();
    for (_, candidates) in members.into_iter().filter(|(name, _)| wanted.contains(name)) {
        lowered.candidates.extend(candidates.into_iter().map(|(candidate, _)| candidate));
    }
    Ok(lowered)
}

/// Says of which extensions nobody knows whether they are disabled.
pub(crate) fn not_known_to_be_on<'a>(undecided: impl Iterator<Item = &'a Name>) -> Option<Failure> {
    let names: Vec<&Name> = undecided.collect();
    let first = names.first()?;
    let all = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let what = format!(
        "the list of what is disabled was damaged, and nobody has said since whether these are: {all}"
    );
    let failure = Failure::new("state.undecided", what)
        .hint(format!("say it of each: `pintle enable {first}`, or `pintle disable {first}`"));
    Some(failure.detail("undecided", names.iter().map(ToString::to_string).collect::<Vec<_>>()))
}

/// Adds a member of a stronger set. One of a weaker set that can't be read is not missed.
fn add(members: &mut Members, candidate: Candidate, needs: BTreeSet<Name>) {
    let same = members.entry(candidate.name().clone()).or_default();
    same.retain(|(weaker, _)| {
        !matches!(weaker, Candidate::Withheld { why: Withheld::Unreadable { .. }, .. })
    });
    same.push((candidate, needs));
}

/// Marks what is required: that of the set that says so, or if it has none, wherever it is installed. What is nowhere
/// installed is not ready either.
fn require(all: &[(Rank, BTreeSet<Name>)], members: &mut Members) {
    for (rank, name) in all.iter().flat_map(|(rank, names)| names.iter().map(move |name| (*rank, name))) {
        let same = members.entry(name.clone()).or_default();
        let is_of = |candidate: &Candidate, rank: Rank| match candidate {
            Candidate::Bundle(bundle) => bundle.rank == rank,
            Candidate::Withheld { .. } => false,
        };
        let has_own = same.iter().any(|(candidate, _)| is_of(candidate, rank));
        for (candidate, _) in same.iter_mut() {
            let is_meant = !has_own || is_of(candidate, rank) || is_of(candidate, Rank::CommandLine);
            match candidate {
                Candidate::Bundle(bundle) => bundle.required |= is_meant,
                Candidate::Withheld { required, .. } => *required = true,
            }
        }
        if same.is_empty() {
            let reason = "it is required and not installed; run `pintle sync`".to_owned();
            let (why, version) = (Withheld::Unreadable { reason }, Version::new(0, 0, 0));
            let candidate = Candidate::Withheld { name: name.clone(), version, required: true, why };
            same.push((candidate, BTreeSet::new()));
        }
    }
}

/// Returns which of the members are meant. A folder on the command line is meant in any case.
fn wanted(
    members: &Members,
    selection: &Selection,
    folders: &BTreeSet<Name>,
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
        false => selection.only.iter().chain(folders).cloned().collect(),
    };
    let mut wanted = BTreeSet::new();
    while let Some(name) = open.pop() {
        if selection.without.contains(&name) {
            continue;
        }
        let needs = members.get(&name).into_iter().flatten().flat_map(|(_, needs)| needs.iter().cloned());
        if wanted.insert(name.clone()) {
            open.extend(needs);
        }
    }
    Ok(wanted)
}

/// Returns the names that a host is not to do without.
pub(crate) fn required(scope: &Scope) -> Result<BTreeSet<Name>, Failure> {
    let most = pintle_registry::store::commit::MAX_TEXT;
    let mut bytes = fs::read_if_present(&scope.wishes, most)?;
    // That the file is gone takes nothing back: what is installed keeps a copy of it.
    if let (None, Ok(Some(current))) = (&bytes, scope.generations().current()) {
        bytes = fs::read_if_present(&scope.generations().path(current).join("pintle.toml"), most)?;
    }
    let Some(bytes) = bytes else { return Ok(BTreeSet::new()) };
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
        .places(&scope.wishes, &text, &problems)
        .hint(mend(scope))),
    }
}

/// Says how wishes that can't be read are mended, and where they are as they were when the set was made.
fn mend(scope: &Scope) -> String {
    match scope.generations().current() {
        Ok(Some(current)) => {
            let copy = scope.generations().path(current).join("pintle.toml");
            format!("mend what is marked; what is installed was made from the copy `{}`", copy.display())
        }
        Ok(None) | Err(_) => "mend what is marked".to_owned(),
    }
}

/// One set with what is known about its members.
struct Installation<'a> {
    scope: &'a Scope,
    set: &'a Set,
    disabled: &'a Disabled,
    grants: &'a Grants,
    rank: Rank,
}

impl Installation<'_> {
    fn candidate(&self, name: &Name, one: &Installed) -> Candidate {
        let withheld = |why: Withheld| Candidate::Withheld {
            name: name.clone(),
            version: one.version.clone(),
            required: false,
            why,
        };
        if let Some(why) = self.disabled.names.get(name) {
            return withheld(Withheld::Disabled { reason: why.reason.clone() });
        }
        if self.disabled.is_undecided(name) {
            let reason = "it is not known whether it was before the list was damaged".to_owned();
            return withheld(Withheld::Disabled { reason: Some(reason) });
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
        Ok(Bundle { manifest, root, content, grants, rank: self.rank, required: false })
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
