//! `pintle publish`: adds a release to a registry. Never changes one that was published.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::fits;
use crate::situation::Situation;
use crate::stop;
use crate::ui::{Document, Paint};
use crate::view::words;
use clap::Args;
use pintle_manifest::{PackagePath, Target, Untrusted};
use pintle_registry::index::{NewRelease, Published, RegistryName, publish};
use pintle_registry::operations::release::{self, Described, ReleaseError, Scratch};
use pintle_registry::operations::snapshot::read_wishes;
use pintle_registry::operations::{local, sources};
use pintle_registry::package::Options;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Publishes a package to a registry
///
/// Takes a folder, which is packaged first, or an archive made by `pintle package`. A release never changes: the same
/// version with other bytes is refused. Publishing the same archive again does nothing. For several machines, publish
/// the archive of each under the same version.
#[derive(Debug, Args)]
pub(crate) struct PublishArgs {
    /// The folder, or the archive
    #[arg(value_name = "DIR|ARCHIVE", default_value = ".")]
    what: PathBuf,
    /// The registry: its directory, or its name in pintle.toml
    #[arg(long, value_name = "DIR|NAME")]
    registry: Option<String>,
    /// The machine it is for; found out, if not said
    #[arg(long, value_name = "TARGET")]
    target: Option<Target>,
    /// Ships this file although it looks like a secret; may be repeated
    #[arg(long = "allow-secret", value_name = "PATH")]
    allow_secrets: Vec<PackagePath>,
    /// Checks everything, and publishes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

struct Outcome {
    release: NewRelease,
    registry: PathBuf,
    published: Option<Published>,
}

impl Document for Outcome {
    fn verb(&self) -> &'static str {
        "publish"
    }
    fn json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("dry_run".to_owned(), json!(self.published.is_none()));
        map.insert(
            "changed".to_owned(),
            json!(self.published.as_ref().is_some_and(|published| !published.already)),
        );
        map.insert("name".to_owned(), json!(self.release.name));
        map.insert("version".to_owned(), json!(self.release.version));
        map.insert("target".to_owned(), json!(self.release.target));
        map.insert("registry".to_owned(), json!(self.registry.to_string_lossy()));
        map.insert("archive".to_owned(), json!(self.release.artifact.archive));
        map.insert("tree".to_owned(), json!(self.release.artifact.tree));
        map.insert("bytes".to_owned(), json!(self.release.artifact.size));
        map
    }
    fn human(&self, paint: Paint) -> String {
        let what = format!(
            "{} {} for {}",
            paint.bold(self.release.name.as_str()),
            self.release.version,
            self.release.target
        );
        match &self.published {
            None => {
                format!("Would publish {what} ({}) (dry run)\n", words::bytes(self.release.artifact.size))
            }
            Some(published) if published.already => {
                format!("{what} is published already, with the same bytes\n")
            }
            Some(_) => format!("Published {what} ({})\n", words::bytes(self.release.artifact.size)),
        }
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &PublishArgs) -> Result<Exit, Failure> {
    let registry = find_registry(situation, arguments.registry.as_deref())?;
    let scratch = situation.with_context(Scratch::new)?;
    let what = situation.directory.join(&arguments.what);
    if !what.exists() {
        return Err(local::LocalError::NotAnExtension { path: what }.into());
    }
    let archive = match what.is_dir() {
        false => what,
        true => {
            let (manifest, text) = local::read_manifest(&what)?;
            fits::refuse(&what.join(local::MANIFEST), &text, &manifest)?;
            let options = Options {
                target: arguments.target,
                allow_secrets: arguments.allow_secrets.clone(),
                out_dir: scratch.packages(),
            };
            super::package::make(situation, &what, &manifest, &options)?.path
        }
    };
    let Described { release, manifest, text } =
        release::describe(&archive, arguments.target, situation.now, &scratch, &stop::asked)
            .map_err(|error| of_release(situation, error))?;
    fits::refuse(&archive, &text, &manifest)?;
    let published = match arguments.dry_run {
        true => None,
        false if stop::asked() => {
            return Err(
                Failure::new("interrupted", "interrupted; nothing was published").exit(Exit::Interrupted)
            );
        }
        false => Some(publish(&registry, &release)?),
    };
    situation.ui.outcome(&Outcome { release, registry, published });
    Ok(Exit::Done)
}

/// Finds the directory of a registry by what was typed, or the only one that the wishes name.
pub(super) fn find_registry(situation: &Situation<'_>, typed: Option<&str>) -> Result<PathBuf, Failure> {
    let configured = situation.with_context(|context| -> Result<Vec<sources::Configured>, Failure> {
        let (wishes, _) = read_wishes(&context.scope)?;
        Ok(sources::configured(context, &wishes)?)
    });
    let Some(typed) = typed else {
        return match configured?.as_slice() {
            [] => Err(super::search::no_registry().hint("or name its directory: `--registry DIR`")),
            [only] => Ok(only.place.clone()),
            several => {
                let names = words::list(several.iter().map(|one| &one.name));
                Err(Failure::new("registry.which", "several registries are named in `pintle.toml`")
                    .exit(Exit::Usage)
                    .hint(format!("say which with `--registry`: {names}")))
            }
        };
    };
    let configured = configured.unwrap_or_default();
    if let Ok(name) = RegistryName::parse(typed)
        && let Some(found) = configured.iter().find(|one| one.name == name)
    {
        return Ok(found.place.clone());
    }
    let path = situation.directory.join(typed);
    if path.is_dir() {
        return Ok(path);
    }
    let failure = Failure::new("registry.unknown", format!("there is no registry `{}`", Untrusted(typed)));
    Err(match pintle_manifest::nearest(typed, configured.iter().map(|one| one.name.as_str())) {
        Some(near) => failure.hint_nearest(Some(near)),
        None => failure.hint(format!("make one with `pintle registry init {}`", Untrusted(typed))),
    })
}

fn of_release(situation: &Situation<'_>, error: ReleaseError) -> Failure {
    match error {
        ReleaseError::Archive { path, source } => {
            let failure = Failure::from(source);
            failure.in_archive(&path)
        }
        ReleaseError::NoManifest { .. } => {
            Failure::of("local.no_manifest", &error).hint("a package archive is made by `pintle package`")
        }
        ReleaseError::Manifest { ref path, ref text, ref problems } => {
            Failure::of("manifest.invalid", &error).places(Path::new(path), text, problems)
        }
        ReleaseError::PathOnly { .. } => Failure::of("publish.path_dependency", &error)
            .hint("say which versions will do: `{ version = \"^1.0\", path = \"…\" }`"),
        ReleaseError::Select(error) => super::package::of_select(error),
        ReleaseError::Target(error) => super::package::of_target(error),
        ReleaseError::Problems { ref findings } => {
            super::check::findings(situation, findings);
            Failure::of("package.problems", &error)
        }
        ReleaseError::Fs(error) => error.into(),
    }
}
