//! `pintle tree`: shows what is installed and what each needs, from the current generation alone.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use clap::Args;
use pintle_registry::operations::graph::{self, Branch};
use serde_json::{Map, Value, json};

/// Shows what is installed and what each needs
#[derive(Debug, Args)]
pub(crate) struct TreeArgs {
    /// Goes only this deep
    #[arg(long, value_name = "LEVELS")]
    depth: Option<usize>,
}

struct Tree {
    roots: Vec<Branch>,
    depth: usize,
}

impl Document for Tree {
    fn verb(&self) -> &'static str {
        "tree"
    }
    fn json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert(
            "roots".to_owned(),
            self.roots.iter().map(|branch| document(branch, self.depth)).collect(),
        );
        map
    }
    fn human(&self, paint: Paint) -> String {
        let mut text = String::new();
        for root in &self.roots {
            draw(root, "", "", self.depth, paint, &mut text);
        }
        match text.is_empty() {
            true => paint.dim("nothing is installed here") + "\n",
            false => text,
        }
    }
}

fn document(branch: &Branch, depth: usize) -> Value {
    let needs: Vec<Value> = match depth {
        0 => Vec::new(),
        depth => branch.needs.iter().map(|need| document(need, depth - 1)).collect(),
    };
    json!({
        "name": branch.name,
        "version": branch.version,
        "requirement": branch.requirement,
        "repeated": branch.repeated,
        "needs": needs,
    })
}

fn draw(branch: &Branch, lead: &str, below: &str, depth: usize, paint: Paint, text: &mut String) {
    let repeated = if branch.repeated { " (*)" } else { "" };
    let requirement = paint.dim(&format!("({})", branch.requirement));
    text.push_str(&format!(
        "{lead}{} {} {requirement}{repeated}\n",
        paint.bold(branch.name.as_str()),
        branch.version
    ));
    if depth == 0 {
        return;
    }
    for (at, need) in branch.needs.iter().enumerate() {
        let (fork, rest) =
            if at + 1 == branch.needs.len() { ("└── ", "    ") } else { ("├── ", "│   ") };
        draw(need, &format!("{below}{fork}"), &format!("{below}{rest}"), depth - 1, paint, text);
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &TreeArgs) -> Result<Exit, Failure> {
    let set = situation.scope().generations().read_current()?;
    let roots = set.as_ref().map(graph::tree).unwrap_or_default();
    situation.ui.document(&Tree { roots, depth: arguments.depth.unwrap_or(usize::MAX) });
    Ok(Exit::Done)
}
