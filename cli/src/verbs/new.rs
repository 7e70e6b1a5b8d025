//! `pintle new`: starts an extension in a new folder. Never writes into a folder that holds something.

mod sdk;
mod template;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::words;
use clap::Args;
use pintle_manifest::Name;
use pintle_registry::store::fs;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use template::{File, Template, files};

/// Starts an extension in a new folder
///
/// What is started works as it is: a guard that holds commands with a certain word in them, and a command that says how
/// many it has seen.
#[derive(Debug, Args)]
#[command(visible_alias = "init")]
pub(crate) struct NewArgs {
    /// Its name, and that of the folder
    #[arg(value_name = "NAME")]
    name: Name,
    /// What to start from
    #[arg(long, value_enum, default_value_t = Template::Python)]
    template: Template,
    /// The folder of the SDK, for `rust`; by default that of the checkout that this is run in or from
    #[arg(long, value_name = "DIR")]
    sdk: Option<PathBuf>,
    /// The folder, if it is not to be called like the extension
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
    /// Says what would be written, and writes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

struct Outcome {
    folder: PathBuf,
    files: Vec<String>,
    dry_run: bool,
}

impl Document for Outcome {
    fn verb(&self) -> &'static str {
        "new"
    }
    fn json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("dry_run".to_owned(), json!(self.dry_run));
        map.insert("path".to_owned(), json!(self.folder.to_string_lossy()));
        map.insert("files".to_owned(), json!(self.files));
        map
    }
    fn human(&self, paint: Paint) -> String {
        let done = if self.dry_run { "Would start" } else { "Started" };
        format!("{done} an extension in {}\n", paint.bold(&words::path(&self.folder)))
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &NewArgs) -> Result<Exit, Failure> {
    let typed = arguments.path.clone().unwrap_or_else(|| PathBuf::from(arguments.name.as_str()));
    let folder = situation.directory.join(&typed);
    refuse_full(&folder)?;
    let sdk = match arguments.template {
        Template::Rust => Some(sdk::find(situation, arguments.sdk.as_deref())?),
        Template::Python | Template::Node => None,
    };
    let files = files(&arguments.name, arguments.template, sdk.as_deref());
    if !arguments.dry_run {
        write(&folder, &files)?;
    }
    let files = files.iter().map(|file| file.path.to_owned()).collect();
    situation.ui.outcome(&Outcome { folder, files, dry_run: arguments.dry_run });
    if !arguments.dry_run {
        let shown = match typed.is_absolute() {
            true => typed.display().to_string(),
            false => format!("./{}", typed.display()),
        };
        let build = match arguments.template {
            Template::Rust => format!("`{shown}/build`, then "),
            Template::Python | Template::Node => String::new(),
        };
        situation.ui.note(format_args!(
            "next: {build}`pintle check {shown}`, then `pintle exec --with {shown} -- COMMAND`"
        ));
    }
    Ok(Exit::Done)
}

fn refuse_full(folder: &Path) -> Result<(), Failure> {
    let is_full = match std::fs::read_dir(folder) {
        Ok(mut listing) => listing.next().is_some(),
        Err(error) => error.kind() == std::io::ErrorKind::NotADirectory,
    };
    match is_full {
        false => Ok(()),
        true => Err(Failure::new("new.not_empty", format!("`{}` is there and not empty", folder.display()))
            .hint("choose another name, or another folder with `--path DIR`")),
    }
}

fn write(folder: &Path, files: &[File]) -> Result<(), Failure> {
    for file in files {
        let path = folder.join(file.path);
        fs::create_dirs(fs::parent(&path))?;
        fs::write_atomic(&path, file.text.as_bytes())?;
        fs::set_mode(&path, file.mode)?;
    }
    Ok(())
}
