//! `pintle install`: turns what a person typed into wishes. What is installed already is not moved.

use super::consent::ConsentArgs;
use super::set_change::{self, Intention, SetChange};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use clap::Args;
use pintle_registry::index::RegistryName;
use pintle_registry::operations::consent::Unanswered;
use pintle_registry::operations::install::{self, Install};
use pintle_registry::operations::plan::Note;
use pintle_registry::operations::spec::Spec;
use pintle_registry::store::{Disabled, ScopeKind};
use std::path::{Path, PathBuf};

/// Installs extensions
///
/// A SPEC is the name of an extension (`blast-radius`), a name and a requirement (`blast-radius@^0.3`), a folder
/// with an `extension.toml`, which is linked for development, or a package archive.
///
/// A full version (`blast-radius@0.3.1`) is a pin: `pintle update` does not move it. What is installed already stays
/// at its version; `pintle update` moves it. Without a SPEC, installs what `pintle.toml` and `pintle.lock` say, as
/// `pintle sync` does.
///
/// What an extension asks for is shown, and needs a yes. Without a terminal nothing is installed that asks for more than
/// was allowed before, and the command that allows exactly what was shown is printed.
#[derive(Debug, Args)]
#[command(
    visible_alias = "add",
    after_help = "Examples:\n  pintle install blast-radius\n  pintle install blast-radius@0.3.1\n  pintle install ./my-extension"
)]
pub(crate) struct InstallArgs {
    /// What to install
    #[arg(value_name = "SPEC")]
    specs: Vec<String>,
    /// Takes it from this registry and no other
    #[arg(long, value_name = "NAME")]
    registry: Option<RegistryName>,
    /// Allows pre-releases
    #[arg(long)]
    pre: bool,
    /// Says what would change, and changes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    #[command(flatten)]
    consent: ConsentArgs,
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &InstallArgs) -> Result<Exit, Failure> {
    let specs = arguments.specs.iter().map(|text| parse(situation, text)).collect::<Result<_, _>>()?;
    let install = Install { specs, registry: arguments.registry.clone(), prereleases: arguments.pre };
    if install.specs.is_empty() {
        super::sync::refuse_without_lock(situation)?;
    }
    let change = SetChange {
        verb: "install",
        intention: Intention::from_flag(arguments.dry_run),
        // Without a SPEC it is a `sync`.
        named: &[],
        unanswered: if install.specs.is_empty() { Unanswered::PutInPlace } else { Unanswered::Refuse },
        consent: Some(&arguments.consent),
    };
    set_change::run_to_end(situation, &change, |context, snapshot, _| {
        let mut plan = install::prepare(context, snapshot, &install)?;
        // What is disabled is a remark here: that it can't be read is said, and stops nothing.
        let disabled = Disabled::read(&context.scope).unwrap_or_else(|error| {
            situation.ui.warning_of(&error.into());
            Disabled::default()
        });
        let added = plan.changes.keys().filter(|name| disabled.names.contains_key(*name));
        plan.notes.extend(added.map(|name| Note::Disabled { name: name.clone() }));
        Ok(plan)
    })
}

/// A path is typed relative to where the person is, and kept relative to where the wishes are.
fn parse(situation: &Situation<'_>, text: &str) -> Result<Spec, Failure> {
    super::registry::refuse_address(text)?;
    let spec = Spec::parse(text).map_err(|error| {
        let failure = Failure::from(error);
        match situation.directory.join(text).join("extension.toml").is_file() {
            true => failure.hint(format!("to link the folder here, write `./{text}`")),
            false => failure,
        }
    })?;
    Ok(match spec {
        Spec::Folder(path) => Spec::Folder(kept_path(situation, &path)?),
        Spec::Archive(path) => Spec::Archive(kept_path(situation, &path)?),
        Spec::Newest(name) => Spec::Newest(name),
        Spec::Required(name, requirement) => Spec::Required(name, requirement),
    })
}

fn kept_path(situation: &Situation<'_>, typed: &str) -> Result<String, Failure> {
    let scope = situation.scope();
    let absolute = situation.directory.join(typed);
    // Without it, at least each `.` goes.
    let absolute = std::fs::canonicalize(&absolute).unwrap_or_else(|_| absolute.components().collect());
    let kept = match &scope.kind {
        ScopeKind::User => absolute,
        ScopeKind::Project(directory) => way(directory, &absolute),
    };
    // `pintle.toml` is text, and a path that is none could not be found again.
    kept.into_os_string().into_string().map_err(|path| {
        Failure::new(
            "path.not_unicode",
            format!("`{}` is not Unicode, so `pintle.toml` can't hold it", path.to_string_lossy()),
        )
        .hint("rename the folder, or move the extension elsewhere")
    })
}

/// Returns the way from a directory to a path.
pub(super) fn way(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(shared).map(|_| Path::new(".."));
    let down = to.components().skip(shared).map(|part| Path::new(part.as_os_str()));
    let way: PathBuf = up.chain(down).collect();
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}

#[cfg(test)]
mod tests {
    use super::way;
    use std::path::Path;

    #[test]
    fn a_way_goes_up_as_far_as_needed() {
        let check = |from: &str, to: &str, expected: &str| {
            assert_eq!(way(Path::new(from), Path::new(to)), Path::new(expected));
        };
        check("/a/b", "/a/c/d", "../c/d");
        check("/a/b", "/a/b/c", "c");
        check("/a/b", "/a/b", ".");
    }
}
