//! `pintle package`: makes a package archive of a folder, and says what is wrong where it can't.

use super::check;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::fits;
use crate::situation::Situation;
use crate::ui::{Document, Format, Paint};
use crate::view::{table, words};
use clap::Args;
use pintle_manifest::{Manifest, PackagePath, Target};
use pintle_registry::archive::{Mode, PackError};
use pintle_registry::operations::local;
use pintle_registry::package::{
    self, DetectError, Finding, Options, PackageError, Packaged, SelectError, detect_target, file_name,
};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Makes a package archive of a folder
///
/// The same folder gives the same bytes, on any day, in any directory, under any umask. What `.gitignore` names is
/// left out, and so is what `[extension] exclude` names; what looks like a secret is refused.
#[derive(Debug, Args)]
#[command(visible_alias = "pack")]
pub(crate) struct PackageArgs {
    /// The folder
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Where to put the archive [default: DIR/dist]
    #[arg(short, long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
    /// The machine it is for; found out, if not said
    #[arg(long, value_name = "TARGET")]
    target: Option<Target>,
    /// Ships this file although it looks like a secret; may be repeated
    #[arg(long = "allow-secret", value_name = "PATH")]
    allow_secrets: Vec<PackagePath>,
    /// Lists what would be shipped, and writes nothing
    #[arg(long, visible_alias = "dry-run", short_alias = 'n')]
    list: bool,
}

struct Outcome<'a> {
    manifest: &'a Manifest,
    packaged: &'a Packaged,
}

impl Document for Outcome<'_> {
    fn verb(&self) -> &'static str {
        "package"
    }
    fn json(&self) -> Map<String, Value> {
        let packaged = self.packaged;
        let files = packaged.tree.files().map(|(path, file)| {
            json!({ "path": path, "bytes": file.size, "executable": file.mode == Mode::Executable, "sha256": file.digest })
        });
        let mut map = Map::new();
        map.insert("dry_run".to_owned(), json!(false));
        map.insert("name".to_owned(), json!(self.manifest.name));
        map.insert("version".to_owned(), json!(self.manifest.version));
        map.insert("target".to_owned(), json!(packaged.target));
        map.insert("path".to_owned(), json!(packaged.path.to_string_lossy()));
        map.insert("archive".to_owned(), json!(packaged.archive));
        map.insert("bytes".to_owned(), json!(packaged.size));
        map.insert("tree".to_owned(), json!(packaged.tree.digest()));
        map.insert("unpacked_bytes".to_owned(), json!(packaged.tree.unpacked_size()));
        map.insert("files".to_owned(), files.collect());
        map
    }
    fn human(&self, paint: Paint) -> String {
        let packaged = self.packaged;
        format!(
            "{}\n{}, {} unpacked, {}, for {}\n{}\n",
            paint.bold(&words::path(&packaged.path)),
            words::count(packaged.tree.len(), "file", "files"),
            words::bytes(packaged.tree.unpacked_size()),
            words::bytes(packaged.size),
            packaged.target,
            paint.dim(&format!("tree {}", packaged.tree.digest()))
        )
    }
}

struct Listing {
    manifest: Manifest,
    target: Target,
    archive: PathBuf,
    rows: Vec<(String, u64, bool)>,
}

impl Document for Listing {
    fn verb(&self) -> &'static str {
        "package"
    }
    fn json(&self) -> Map<String, Value> {
        let row = |(path, bytes, executable): &(String, u64, bool)| json!({ "path": path, "bytes": bytes, "executable": executable });
        let mut map = Map::new();
        map.insert("dry_run".to_owned(), json!(true));
        map.insert("name".to_owned(), json!(self.manifest.name));
        map.insert("version".to_owned(), json!(self.manifest.version));
        map.insert("target".to_owned(), json!(self.target));
        map.insert("path".to_owned(), json!(self.archive.to_string_lossy()));
        map.insert("files".to_owned(), self.rows.iter().map(row).collect());
        map
    }
    fn human(&self, _paint: Paint) -> String {
        let row = |(path, bytes, executable): &(String, u64, bool)| {
            vec![path.clone(), words::bytes(*bytes), if *executable { "executable" } else { "" }.to_owned()]
        };
        table::columns(&self.rows.iter().map(row).collect::<Vec<_>>())
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &PackageArgs) -> Result<Exit, Failure> {
    let folder = situation.directory.join(&arguments.folder);
    let (manifest, text) = local::read_manifest(&folder)?;
    fits::refuse(&folder.join(local::MANIFEST), &text, &manifest)?;
    let out_dir = match &arguments.out_dir {
        Some(directory) => situation.directory.join(directory),
        None => folder.join("dist"),
    };
    if arguments.list {
        let selected = package::files(&folder, &manifest).map_err(of_select)?;
        let target = detect_target(&manifest, &selected, arguments.target).map_err(of_target)?;
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let rows = selected
            .files
            .iter()
            .map(|file| (file.path.to_string(), size(&file.from), file.executable))
            .collect();
        let archive = out_dir.join(file_name(&manifest, target));
        situation.ui.outcome(&Listing { manifest, target, archive, rows });
        return Ok(Exit::Done);
    }
    let options =
        Options { target: arguments.target, allow_secrets: arguments.allow_secrets.clone(), out_dir };
    let packaged = make(situation, &folder, &manifest, &options)?;
    situation.ui.outcome(&Outcome { manifest: &manifest, packaged: &packaged });
    Ok(Exit::Done)
}

/// Makes the package, and says what its author should know.
pub(super) fn make(
    situation: &Situation<'_>,
    folder: &Path,
    manifest: &Manifest,
    options: &Options,
) -> Result<Packaged, Failure> {
    let packaged =
        package::package(folder, manifest, options).map_err(|error| of_package(situation, error))?;
    if situation.ui.format == Format::Human {
        check::findings(situation, &packaged.warnings);
    }
    Ok(packaged)
}

fn of_package(situation: &Situation<'_>, error: PackageError) -> Failure {
    let draw = |findings: &[Finding]| {
        if situation.ui.format == Format::Human {
            check::findings(situation, findings);
        }
    };
    match error {
        PackageError::Select(error) => of_select(error),
        PackageError::Target(error) => of_target(error),
        PackageError::Disk(error) => error.into(),
        PackageError::Problems { ref findings } => {
            draw(findings);
            let errors = findings.iter().filter(|finding| finding.is_error()).count();
            let message = format!("the package has {}", words::count(errors, "problem", "problems"));
            Failure::new("package.problems", message).detail("problems", problems(findings))
        }
        PackageError::Secrets { ref secrets } => {
            let findings: Vec<Finding> = secrets.iter().map(Finding::from).collect();
            draw(&findings);
            let looks = if secrets.len() == 1 { "looks like a secret" } else { "look like secrets" };
            let count = words::count(secrets.len(), "file", "files");
            Failure::new("package.secret", format!("{count} {looks}, and no archive was made"))
                .hint("leave it out with `[extension] exclude`, or ship it all the same with `--allow-secret PATH`")
                .detail("problems", problems(&findings))
        }
        PackageError::NothingAllowed { .. } => Failure::of("package.nothing_allowed", &error)
            .exit(Exit::Usage)
            .hint("take the option away, or mend its path"),
        PackageError::Pack(PackError::Disk(error)) => error.into(),
        PackageError::Pack(ref error) => Failure::of("package.pack", error),
        PackageError::ReadBack { .. } => Failure::of("package.read_back", &error).exit(Exit::Integrity),
    }
}

fn problems(findings: &[Finding]) -> Vec<Value> {
    let one = |finding: &Finding| json!({ "code": finding.code, "path": finding.path, "message": finding.message, "help": finding.help });
    findings.iter().map(one).collect()
}

/// Turns a failure to select files into words.
pub(super) fn of_select(error: SelectError) -> Failure {
    match error {
        SelectError::Disk(error) => error.into(),
        SelectError::Pattern { .. } => Failure::of("package.pattern", &error)
            .hint("`include` and `exclude` hold patterns as in .gitignore"),
        SelectError::Refused { ref files } => {
            let code = files.first().map_or("package.path", |file| file.reason.code());
            let mut failure = Failure::new(
                code,
                format!("{} can't be part of a package", words::count(files.len(), "file", "files")),
            );
            for file in files {
                failure = failure.cause(file.to_string());
            }
            failure.hint("rename them, or leave them out with `[extension] exclude`")
        }
    }
}

/// Turns a failure to find the target into words.
pub(super) fn of_target(error: DetectError) -> Failure {
    match error {
        DetectError::Disk(error) => error.into(),
        DetectError::Several { .. } => Failure::of("package.target", &error)
            .hint("package the code for each machine apart, from a folder that holds only that"),
        DetectError::Mismatch { .. } => Failure::of("package.target_mismatch", &error)
            .hint("name the machine that the code was built for"),
        DetectError::Unnamed { .. } => Failure::of("package.target", &error)
            .hint("name it with `--target`; publish the package once for each"),
        DetectError::NoLibrary { .. } => Failure::of("package.target_mismatch", &error)
            .hint("add it to `[entry] library`, or name another target"),
    }
}
