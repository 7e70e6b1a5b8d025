//! `pintle info`: shows what a registry knows about one extension. Fetches no archive.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::{note, permission, words};
use clap::Args;
use pintle_manifest::{Name, Permissions, Requirement, Untrusted, Version, nearest};
use pintle_registry::index::{FindError, Package, Registries, RegistryName, Release, Yank};
use pintle_registry::operations::snapshot::Snapshot;
use pintle_registry::operations::sources;
use pintle_registry::operations::spec::Spec;
use pintle_registry::trust::Grants;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Shows what a registry knows about an extension
///
/// Shows the newest release, or the newest that fits a requirement (`pintle info blast-radius@^0.3`).
#[derive(Debug, Args)]
#[command(visible_alias = "show")]
pub(crate) struct InfoArgs {
    /// The extension, with a requirement if you like
    #[arg(value_name = "NAME[@REQUIREMENT]")]
    spec: String,
    /// Asks this registry and no other
    #[arg(long, value_name = "NAME")]
    registry: Option<RegistryName>,
    /// Shows the readme
    #[arg(long)]
    readme: bool,
}

struct Info {
    registry: RegistryName,
    package: Arc<Package>,
    release: Release,
    /// The installed version, and why it was yanked, if it was.
    installed: Option<(Version, Option<Yank>)>,
    /// Whether what is installed was granted all that it asks for; `None` if nothing is, or if it is not known.
    granted: Option<bool>,
    readme: Option<String>,
}

impl Document for Info {
    fn verb(&self) -> &'static str {
        "info"
    }
    fn json(&self) -> Map<String, Value> {
        let release = &self.release;
        let yanked = |release: &Release| {
            release
                .yanked
                .as_ref()
                .map(|yank| json!({ "reason": yank.reason, "use_instead": yank.use_instead, "at": yank.at }))
        };
        let artifacts = release.artifacts.iter().map(|(target, artifact)| {
            json!({
                "target": target, "archive": artifact.archive, "bytes": artifact.size, "tree": artifact.tree,
                "unpacked_bytes": artifact.unpacked, "files": artifact.files,
            })
        });
        let versions = self.package.releases.iter().rev().map(|one| {
            json!({ "version": one.version, "published": one.published, "yanked": yanked(one), "hosts": one.hosts })
        });
        let mut map = Map::new();
        map.insert("name".to_owned(), json!(self.package.name));
        map.insert("registry".to_owned(), json!(self.registry));
        map.insert("version".to_owned(), json!(release.version));
        map.insert("installed".to_owned(), json!(self.installed.as_ref().map(|(version, _)| version)));
        map.insert("description".to_owned(), json!(release.description));
        map.insert("license".to_owned(), json!(release.license));
        map.insert("keywords".to_owned(), json!(release.keywords));
        map.insert("repository".to_owned(), json!(release.repository));
        map.insert("homepage".to_owned(), json!(release.homepage));
        map.insert("published".to_owned(), json!(release.published));
        map.insert("yanked".to_owned(), json!(yanked(release)));
        map.insert("runtime".to_owned(), json!(release.runtime.as_str()));
        map.insert("hosts".to_owned(), json!(release.hosts));
        map.insert("dependencies".to_owned(), json!(release.dependencies));
        map.insert("permissions".to_owned(), json!(release.permissions));
        map.insert("sentences".to_owned(), permission::document(&release.permissions));
        map.insert("granted".to_owned(), json!(self.granted));
        map.insert("artifacts".to_owned(), artifacts.collect());
        map.insert("versions".to_owned(), versions.collect());
        map.insert("readme".to_owned(), json!(self.readme));
        map
    }
    fn human(&self, paint: Paint) -> String {
        if let Some(readme) = &self.readme {
            return readme.lines().map(|line| format!("{}\n", Untrusted(line))).collect();
        }
        let release = &self.release;
        let mut text = format!(
            "{} {}  {}\n{}\n",
            paint.bold(self.package.name.as_str()),
            release.version,
            paint.dim(&format!("registry {}", self.registry)),
            Untrusted(&release.description)
        );
        if let Some(yank) = &release.yanked {
            text.push_str(&format!("{}\n", paint.warn(&format!("yanked: {}", note::yanked(yank)))));
        }
        for (label, value) in self.facts() {
            text.push_str(&format!("{label:>14}  {value}\n"));
        }
        text
    }
}

impl Info {
    fn facts(&self) -> Vec<(&'static str, String)> {
        let release = &self.release;
        let pairs = |map: Vec<String>| if map.is_empty() { "none".to_owned() } else { map.join(", ") };
        let plain = |text: &Option<String>| text.as_ref().map(|text| Untrusted(text).to_string());
        let dependencies =
            release.dependencies.iter().map(|(name, needs)| format!("{name} {needs}")).collect();
        let artifacts = release.artifacts.iter().map(|(target, artifact)| {
            format!("{target} ({}, {} files)", words::bytes(artifact.size), artifact.files)
        });
        let mut facts = vec![
            ("installed", self.installed_words()),
            ("published", release.published.strftime("%Y-%m-%d").to_string()),
        ];
        facts.extend(plain(&release.license).map(|license| ("license", license)));
        facts.extend([
            ("hosts", words::list(release.hosts.iter().map(|(host, needs)| format!("{host} {needs}")))),
            ("needs", pairs(dependencies)),
        ]);
        facts.extend(asks(&release.permissions));
        facts.extend([
            (
                "runtime",
                format!("{}; {}", release.runtime, permission::confinement(release.runtime.as_str())),
            ),
            ("artifacts", pairs(artifacts.collect())),
        ]);
        facts.extend(plain(&release.repository).map(|address| ("repository", address)));
        facts.extend(plain(&release.homepage).map(|address| ("homepage", address)));
        facts.push(("versions", self.versions()));
        facts
    }

    fn installed_words(&self) -> String {
        let granted = if self.granted == Some(false) { ", not granted" } else { "" };
        match &self.installed {
            None => "no".to_owned(),
            Some((version, None)) => format!("{version}{granted}"),
            Some((version, Some(yank))) => format!("{version} (yanked: {}){granted}", note::yanked(yank)),
        }
    }

    fn versions(&self) -> String {
        let newest = self.package.releases.iter().rev().take(8);
        let shown = newest.map(|one| match one.yanked.is_some() {
            true => format!("{} (yanked)", one.version),
            false => one.version.to_string(),
        });
        let more = self.package.releases.len().saturating_sub(8);
        let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
        words::list(shown) + &rest
    }
}

/// A line for each permission, the first with the label.
fn asks(permissions: &Permissions) -> Vec<(&'static str, String)> {
    let sentences = permission::sentences(permissions);
    let labels = std::iter::once("wants to").chain(std::iter::repeat(""));
    match sentences.is_empty() {
        true => vec![("asks for", "nothing".to_owned())],
        false => labels.zip(sentences.iter().map(|one| one.with_risk(Paint { on: false }))).collect(),
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &InfoArgs) -> Result<Exit, Failure> {
    let (name, requirement) = match Spec::parse(&arguments.spec)? {
        Spec::Newest(name) => (name, Requirement::any()),
        Spec::Required(name, requirement) => (name, requirement),
        Spec::Folder(path) | Spec::Archive(path) => {
            return Err(Failure::new(
                "usage",
                format!("`{}` is a path; name an extension", Untrusted(&path)),
            )
            .exit(Exit::Usage)
            .hint("look at a package folder with `pintle check DIR`"));
        }
    };
    let info = situation.with_context(|context| -> Result<Info, Failure> {
        let snapshot = Snapshot::read(context)?;
        let registries = sources::open(context, &snapshot.wishes)?;
        if registries.iter().next().is_none() {
            return Err(super::search::no_registry());
        }
        let installed = snapshot.current.as_ref().and_then(|set| set.extensions.get(&name));
        let found = registries.find(&name, arguments.registry.as_ref()).map_err(Failure::from)?;
        let (registry, package) = found.ok_or_else(|| {
            let failure = unknown(&registries, &name);
            match installed {
                Some(one) => failure.hint(format!("{name} {} is installed from {}", one.version, one.source)),
                None => failure,
            }
        })?;
        let release = choose(&package, &requirement)?;
        let readme = match (arguments.readme, &release.readme) {
            (false, _) => None,
            (true, None) => {
                return Err(Failure::new(
                    "info.no_readme",
                    format!("`{name} {}` has no readme", release.version),
                ));
            }
            (true, Some(digest)) => {
                let registry = registries.get(&registry).map_err(|error: FindError| Failure::from(error))?;
                Some(String::from_utf8_lossy(&registry.readme(digest)?).into_owned())
            }
        };
        sources::close(context, &registries);
        let granted = installed.and_then(|one| match Grants::read(&context.scope.home) {
            Ok(grants) => Some(grants.covers_installed(&name, one, &context.meaning)),
            // That it can't be read is said, and what the registry knows is shown all the same.
            Err(error) => {
                situation.ui.warning_of(&error.into());
                None
            }
        });
        let installed = installed.map(|one| {
            let yank = package.release(&one.version).and_then(|release| release.yanked.clone());
            (one.version.clone(), yank)
        });
        Ok(Info { registry, package, release, installed, granted, readme })
    })?;
    situation.ui.document(&info);
    Ok(Exit::Done)
}

fn choose(package: &Package, requirement: &Requirement) -> Result<Release, Failure> {
    let fits = || package.releases.iter().filter(|release| requirement.matches(&release.version));
    let full = fits().rfind(|release| !release.version.is_prerelease() && release.yanked.is_none());
    full.or_else(|| fits().next_back()).cloned().ok_or_else(|| {
        let versions = words::list(package.releases.iter().rev().take(8).map(|release| &release.version));
        Failure::new("info.no_version", format!("no version of `{}` is {requirement}", package.name))
            .hint(format!("there are {versions}"))
    })
}

fn unknown(registries: &Registries, name: &Name) -> Failure {
    let known: Vec<Name> =
        registries.iter().filter_map(|(_, registry)| registry.ok()?.names().ok()).flatten().collect();
    Failure::new("resolve.unknown_package", format!("there is no package `{name}`"))
        .exit(Exit::Conflict)
        .hint_nearest(nearest(name.as_str(), known.iter().map(Name::as_str)))
        .hint("look for it with `pintle search`")
}
