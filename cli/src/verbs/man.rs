//! `pintle man`: prints manual pages, made from the command line's own description.

use crate::arguments::Cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use clap::{Args, CommandFactory as _};
use clap_mangen::Man;
use pintle_registry::store::fs;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Prints the manual page of Pintle or of a verb, or writes all of them
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pintle man install | man -l -")]
pub(crate) struct ManArgs {
    /// The verb; Pintle itself, if none is named
    #[arg(value_name = "VERB")]
    verb: Option<String>,
    /// Writes every page into this directory
    #[arg(long, value_name = "DIR", conflicts_with = "verb")]
    out_dir: Option<PathBuf>,
}

struct Text {
    verb: &'static str,
    text: String,
}

impl Document for Text {
    fn verb(&self) -> &'static str {
        self.verb
    }
    fn json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("text".to_owned(), json!(self.text));
        map
    }
    fn human(&self, _paint: Paint) -> String {
        self.text.clone()
    }
}

/// Prints a text as it is, or in a document.
pub(super) fn print_text(situation: &Situation<'_>, verb: &'static str, text: &str) {
    situation.ui.document(&Text { verb, text: text.to_owned() });
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &ManArgs) -> Result<Exit, Failure> {
    let mut root = Cli::command();
    root.build();
    if let Some(directory) = &arguments.out_dir {
        let directory = situation.directory.join(directory);
        fs::create_dirs(&directory)?;
        let mut written = String::new();
        for (name, page) in pages(&root) {
            let path = directory.join(format!("{name}.1"));
            fs::write_atomic(&path, page.as_bytes())?;
            written.push_str(&format!("{}\n", path.display()));
        }
        print_text(situation, "man", &written);
        return Ok(Exit::Done);
    }
    let wanted = arguments.verb.as_ref().map_or_else(|| "pintle".to_owned(), |verb| format!("pintle-{verb}"));
    let page = pages(&root).into_iter().find(|(name, _)| *name == wanted);
    let (_, page) = page.ok_or_else(|| {
        let verb = arguments.verb.as_deref().unwrap_or_default();
        let verbs = root.get_subcommands().map(clap::Command::get_name);
        Failure::new("usage", format!("there is no verb `{}`", pintle_manifest::Untrusted(verb)))
            .exit(Exit::Usage)
            .hint_nearest(pintle_manifest::nearest(verb, verbs))
    })?;
    print_text(situation, "man", &page);
    Ok(Exit::Done)
}

/// Renders every page: Pintle's own, and one for each verb.
fn pages(root: &clap::Command) -> Vec<(String, String)> {
    let render = |name: &str, command: clap::Command| {
        let mut page = Vec::new();
        // Writing to memory can't fail.
        let _ = Man::new(command.name(name.to_owned())).render(&mut page);
        (name.to_owned(), String::from_utf8_lossy(&page).into_owned())
    };
    let mut all = vec![render("pintle", root.clone())];
    let mut open: Vec<(String, &clap::Command)> = vec![("pintle".to_owned(), root)];
    while let Some((above, command)) = open.pop() {
        for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
            let name = format!("{above}-{}", verb.get_name());
            all.push(render(&name, verb.clone()));
            open.push((name, verb));
        }
    }
    all.sort();
    all
}
