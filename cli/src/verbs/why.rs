//! `pintle why`: shows which wishes lead to an extension, from the current generation alone.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use clap::Args;
use pintle_manifest::{Name, Version, nearest};
use pintle_registry::operations::graph::{self, Chain};
use serde_json::{Map, Value, json};

/// Shows why an extension is installed
#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// The extension
    #[arg(value_name = "NAME")]
    name: Name,
}

struct Why {
    name: Name,
    version: Version,
    chains: Vec<Chain>,
}

impl Document for Why {
    fn verb(&self) -> &'static str {
        "why"
    }
    fn json(&self) -> Map<String, Value> {
        let chain = |chain: &Chain| -> Value {
            chain
                .iter()
                .map(|(name, requirement)| json!({ "name": name, "requirement": requirement }))
                .collect()
        };
        let mut map = Map::new();
        map.insert("name".to_owned(), json!(self.name));
        map.insert("version".to_owned(), json!(self.version));
        map.insert("chains".to_owned(), self.chains.iter().map(chain).collect());
        map
    }
    fn human(&self, paint: Paint) -> String {
        let mut text = format!("{} {}\n", paint.bold(self.name.as_str()), self.version);
        for chain in &self.chains {
            let (root, requirement) = &chain[0];
            text.push_str(&format!("  you asked for {root} ({requirement})\n"));
            for (name, requirement) in &chain[1..] {
                text.push_str(&format!("    which needs {name} ({requirement})\n"));
            }
        }
        text
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &WhyArgs) -> Result<Exit, Failure> {
    let set = situation.scope().generations().read_current()?;
    let name = &arguments.name;
    let Some((set, one)) = set.as_ref().and_then(|set| Some((set, set.extensions.get(name)?))) else {
        let known = set.iter().flat_map(|set| set.extensions.keys()).map(Name::as_str);
        let near = nearest(name.as_str(), known);
        return Err(Failure::new("set.not_installed", format!("`{name}` is not installed"))
            .hint_nearest(near)
            .hint("see what is installed with `pintle list`"));
    };
    let chains = graph::why(set, name);
    situation.ui.document(&Why { name: name.clone(), version: one.version.clone(), chains });
    Ok(Exit::Done)
}
