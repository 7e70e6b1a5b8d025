//! `pintle registry`: makes, names and looks after registries. Extensions are not installed or removed here.

use super::install::way;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::{table, words};
use clap::{Args, Subcommand};
use pintle_manifest::Untrusted;
use pintle_registry::index::{self, CheckReport, Mode, NameGlob, RegistryName};
use pintle_registry::operations::change::{take_lease, write_wishes};
use pintle_registry::operations::release::check_archive;
use pintle_registry::operations::snapshot::read_wishes;
use pintle_registry::operations::sources;
use pintle_registry::set::RegistryWish;
use pintle_registry::store::{ScopeKind, Source};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Makes, names and looks after registries
///
/// A registry is a directory of files that anyone can copy or mirror.
#[derive(Debug, Args)]
pub(crate) struct RegistryArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Makes an empty registry in a directory
    Init {
        /// The directory; made, if it does not exist
        #[arg(value_name = "DIR")]
        directory: PathBuf,
        /// Says what would be made, and makes nothing
        #[arg(short = 'n', long)]
        dry_run: bool,
    },
    /// Names a registry in pintle.toml, so that extensions are looked for in it
    Add {
        /// What to call it
        #[arg(value_name = "NAME")]
        name: RegistryName,
        /// Its directory
        #[arg(value_name = "DIR")]
        directory: PathBuf,
        /// Names that it alone is asked for, such as `acme-*`; may be repeated
        #[arg(long = "claims", value_name = "PATTERN")]
        claims: Vec<String>,
        /// Says what would change, and changes nothing
        #[arg(short = 'n', long)]
        dry_run: bool,
    },
    /// Takes the name of a registry out of pintle.toml
    Remove {
        /// Its name
        #[arg(value_name = "NAME")]
        name: RegistryName,
        /// Says what would change, and changes nothing
        #[arg(short = 'n', long)]
        dry_run: bool,
    },
    /// Lists the registries that extensions are looked for in
    List,
    /// Checks that everything a registry names is there and whole
    Check {
        /// The registry: its directory, or its name in pintle.toml
        #[arg(value_name = "DIR|NAME")]
        registry: Option<String>,
        /// Reads every archive, too
        #[arg(long)]
        deep: bool,
    },
    /// Removes files of a registry that nothing names any more
    Gc {
        /// The registry: its directory, or its name in pintle.toml
        #[arg(value_name = "DIR|NAME")]
        registry: Option<String>,
        /// Spares what is younger: someone may be publishing
        #[arg(long, value_name = "TIME", default_value = "1d", value_parser = crate::arguments::parse_duration)]
        older_than: Duration,
        /// Says what would go, and removes nothing
        #[arg(short = 'n', long)]
        dry_run: bool,
    },
}

/// A short answer: one line for a person, some keys for a machine.
struct Answer {
    verb: &'static str,
    line: String,
    keys: Vec<(&'static str, Value)>,
}

impl Document for Answer {
    fn verb(&self) -> &'static str {
        self.verb
    }
    fn ok(&self) -> bool {
        !self.keys.iter().any(|(key, value)| *key == "whole" && *value == json!(false))
    }
    fn json(&self) -> Map<String, Value> {
        self.keys.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
    }
    fn human(&self, _paint: Paint) -> String {
        format!("{}\n", self.line)
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &RegistryArgs) -> Result<Exit, Failure> {
    match &arguments.action {
        Action::Init { directory, dry_run } => init(situation, directory, *dry_run),
        Action::Add { name, directory, claims, dry_run } => add(situation, name, directory, claims, *dry_run),
        Action::Remove { name, dry_run } => remove(situation, name, *dry_run),
        Action::List => list(situation),
        Action::Check { registry, deep } => check(situation, registry.as_deref(), *deep),
        Action::Gc { registry, older_than, dry_run } => {
            gc(situation, registry.as_deref(), *older_than, *dry_run)
        }
    }
}

fn init(situation: &Situation<'_>, directory: &Path, dry_run: bool) -> Result<Exit, Failure> {
    let path = situation.directory.join(directory);
    let already = match dry_run {
        true => index::would_init(&path)?.already,
        false => index::init(&path)?.already,
    };
    let line = match (already, dry_run) {
        (true, _) => format!("{} is a registry already", words::path(&path)),
        (false, true) => format!("Would make a registry in {} (dry run)", words::path(&path)),
        (false, false) => format!("Made a registry in {}", words::path(&path)),
    };
    let keys = vec![
        ("dry_run", json!(dry_run)),
        ("changed", json!(!already && !dry_run)),
        ("path", json!(path.to_string_lossy())),
    ];
    situation.ui.outcome(&Answer { verb: "registry init", line, keys });
    if !already && !dry_run {
        let shown = directory.display();
        situation.ui.note(format_args!("to install from it: `pintle registry add main {shown}`"));
    }
    Ok(Exit::Done)
}

fn add(
    situation: &Situation<'_>,
    name: &RegistryName,
    directory: &Path,
    claims: &[String],
    dry_run: bool,
) -> Result<Exit, Failure> {
    for claim in claims {
        NameGlob::parse(claim).map_err(|error| {
            Failure::of("wishes.bad_claim", &error)
                .exit(Exit::Usage)
                .hint("write a name, or its beginning and `*`")
        })?;
    }
    refuse_address(&directory.to_string_lossy())?;
    let place = situation.directory.join(directory);
    if !place.exists() {
        return Err(Failure::new(
            "registry.not_a_registry",
            format!("there is no directory `{}`", place.display()),
        )
        .hint(format!("make a registry there: `pintle registry init {}`", directory.display())));
    }
    let place = std::fs::canonicalize(&place).unwrap_or(place);
    index::Registry::open(name.clone(), &place, None, false)?;
    let path = match &situation.scope().kind {
        // As typed, so that what is beside the project is named so for everyone who has both.
        ScopeKind::Project(project) if directory.is_relative() => way(project, &place),
        ScopeKind::Project(_) => place.clone(),
        ScopeKind::User => place.clone(),
    };
    let wish = RegistryWish { path: path.to_string_lossy().into_owned(), names: claims.to_vec() };
    let changed = edit_wishes(situation, dry_run, |wishes| {
        match wishes.registries.iter().find(|(known, _)| known == name) {
            Some((_, known)) if *known == wish => Ok(false),
            Some((_, known)) => {
                Err(Failure::new("registry.name_taken", format!("`{name}` names `{}`", known.path))
                    .hint(format!("take that away first: `pintle registry remove {name}`")))
            }
            None => {
                wishes.add_registry(name, wish.clone());
                Ok(true)
            }
        }
    })?;
    let line = match (changed, dry_run) {
        (false, _) => format!("Extensions are looked for in `{name}` already"),
        (true, true) => {
            format!("Extensions would be looked for in `{name}` ({}) (dry run)", words::path(&place))
        }
        (true, false) => format!("Extensions are now looked for in `{name}` ({})", words::path(&place)),
    };
    let keys = vec![
        ("dry_run", json!(dry_run)),
        ("changed", json!(changed && !dry_run)),
        ("name", json!(name)),
        ("path", json!(place.to_string_lossy())),
    ];
    situation.ui.outcome(&Answer { verb: "registry add", line, keys });
    Ok(Exit::Done)
}

/// Says of an address that only directories can be registries today.
pub(super) fn refuse_address(text: &str) -> Result<(), Failure> {
    match text.contains("://") {
        false => Ok(()),
        true => Err(Failure::new("address.unsupported", format!("`{}` is an address", Untrusted(text)))
            .hint("nothing is fetched over the network yet; name a directory")),
    }
}

fn remove(situation: &Situation<'_>, name: &RegistryName, dry_run: bool) -> Result<Exit, Failure> {
    edit_wishes(situation, dry_run, |wishes| match wishes.remove_registry(name) {
        true => Ok(true),
        false => {
            let known = wishes.registries.iter().map(|(known, _)| known.as_str());
            let near = pintle_manifest::nearest(name.as_str(), known).map(str::to_owned);
            Err(Failure::new("registry.unknown", format!("there is no registry `{name}`"))
                .hint_nearest(near.as_deref()))
        }
    })?;
    let set = situation.scope().generations().read_current().ok().flatten();
    let from_it = set
        .iter()
        .flat_map(|set| &set.extensions)
        .filter(|(_, one)| matches!(&one.source, Source::Registry(registry) if registry == name));
    let from_it: Vec<_> = from_it.map(|(name, _)| name).collect();
    if !from_it.is_empty() {
        let names = words::list(from_it);
        situation
            .ui
            .note(format_args!("these came from it, and stay as they are until it is named again: {names}"));
    }
    let line = match dry_run {
        true => format!("`{name}` would be taken out of pintle.toml (dry run)"),
        false => format!("`{name}` is no longer named in pintle.toml; what came from it stays installed"),
    };
    let keys = vec![("dry_run", json!(dry_run)), ("changed", json!(!dry_run)), ("name", json!(name))];
    situation.ui.outcome(&Answer { verb: "registry remove", line, keys });
    Ok(Exit::Done)
}

/// Changes the wishes under the lease. Returns whether they did or would change.
fn edit_wishes(
    situation: &Situation<'_>,
    dry_run: bool,
    edit: impl Fn(&mut pintle_registry::set::Wishes) -> Result<bool, Failure>,
) -> Result<bool, Failure> {
    situation.with_context(|context| {
        let lease = match dry_run {
            true => None,
            false => {
                context.scope.create()?;
                Some(take_lease(context)?)
            }
        };
        let (mut wishes, _) = read_wishes(&context.scope)?;
        let changed = edit(&mut wishes)?;
        if let (true, Some(lease)) = (changed, &lease) {
            write_wishes(context, lease, &wishes)?;
        }
        Ok(changed)
    })
}

fn list(situation: &Situation<'_>) -> Result<Exit, Failure> {
    let configured = situation.with_context(|context| -> Result<_, Failure> {
        let (wishes, _) = read_wishes(&context.scope)?;
        Ok(sources::configured(context, &wishes)?)
    })?;
    let rows: Vec<Vec<String>> = configured
        .iter()
        .map(|one| vec![one.name.to_string(), words::path(&one.place), words::list(&one.names)])
        .collect();
    let line = match rows.is_empty() {
        true => "no registry is named; `pintle registry add NAME DIR` names one".to_owned(),
        false => table::columns(&rows).trim_end().to_owned(),
    };
    let all = configured
        .iter()
        .map(|one| json!({ "name": one.name, "path": one.place.to_string_lossy(), "claims": one.names }));
    let keys = vec![("registries", all.collect())];
    situation.ui.document(&Answer { verb: "registry list", line, keys });
    Ok(Exit::Done)
}

fn check(situation: &Situation<'_>, registry: Option<&str>, deep: bool) -> Result<Exit, Failure> {
    let path = super::publish::find_registry(situation, registry)?;
    let report: CheckReport = index::check(&path, if deep { Some(&check_archive) } else { None })?;
    for finding in &report.findings {
        situation.ui.warning(finding);
    }
    let counts = format!(
        "{} of {} in {}",
        words::count(usize::try_from(report.releases).unwrap_or(usize::MAX), "release", "releases"),
        words::count(usize::try_from(report.packages).unwrap_or(usize::MAX), "package", "packages"),
        words::path(&path)
    );
    let line = match report.findings.len() {
        0 => format!("Checked {counts}: all whole"),
        found => format!("Checked {counts}: {}", words::count(found, "problem", "problems")),
    };
    let findings: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    let keys = vec![
        ("whole", json!(findings.is_empty())),
        ("packages", json!(report.packages)),
        ("releases", json!(report.releases)),
        ("objects", json!(report.objects)),
        ("unreferenced", json!(report.unreferenced)),
        ("findings", json!(findings)),
    ];
    situation.ui.document(&Answer { verb: "registry check", line, keys });
    Ok(if report.findings.is_empty() { Exit::Done } else { Exit::Integrity })
}

fn gc(
    situation: &Situation<'_>,
    registry: Option<&str>,
    older_than: Duration,
    dry_run: bool,
) -> Result<Exit, Failure> {
    let path = super::publish::find_registry(situation, registry)?;
    let mode = if dry_run { Mode::DryRun } else { Mode::Remove };
    let nanoseconds = u64::try_from(situation.environment.clock.as_nanosecond()).unwrap_or(0);
    let now = SystemTime::UNIX_EPOCH + Duration::from_nanos(nanoseconds);
    let collected = index::collect_garbage(&path, older_than, now, mode)?;
    let files = words::count(usize::try_from(collected.objects).unwrap_or(usize::MAX), "file", "files");
    let line = match dry_run {
        true => format!("Would remove {files} ({}) (dry run)", words::bytes(collected.bytes)),
        false => format!("Removed {files} ({})", words::bytes(collected.bytes)),
    };
    let keys = vec![
        ("dry_run", json!(dry_run)),
        ("objects", json!(collected.objects)),
        ("bytes", json!(collected.bytes)),
    ];
    situation.ui.outcome(&Answer { verb: "registry gc", line, keys });
    Ok(Exit::Done)
}
