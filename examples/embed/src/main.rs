//! A host in under a hundred lines: keeps the notes that it reads, a line each, and lets the extensions in the folders
//! that it is given refuse, change and tag them. `docs/embedding.md` walks through it.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program for a terminal")]

use pintle_loader::bundle::{Bundle, Candidate, Rank};
use pintle_loader::call::{CallError, Caller};
use pintle_loader::hook::Verdict;
use pintle_loader::{HostBuilder, Promise};
use pintle_manifest::Contract;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Serialize, Deserialize)]
struct Note {
    text: String,
}

#[derive(Deserialize)]
struct Nothing {}

#[derive(Serialize)]
struct Count {
    notes: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    // Workers are this program started anew; this line is where they turn off.
    pintle_loader::worker::enter();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(keep_notes())
}

async fn keep_notes() -> Result<(), Box<dyn Error>> {
    let contract =
        Contract::parse(include_str!("../contract.toml")).map_err(|problems| problems[0].message.clone())?;
    let mut builder = HostBuilder::new(Promise::compile(contract)?);

    // Claim every moment, take every slot, answer every call: a host that forgets one does not start.
    let save = builder.guard::<Note>("note.save")?;
    let text = builder.transform::<Note>("note.text")?;
    let tags = builder.collect::<Note, String>("note.tags")?;
    let reports = builder.slot("report")?;
    let notes = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&notes);
    builder.answer("note.count", move |_caller: Caller, _: Nothing| {
        let notes = counted.load(Ordering::Relaxed);
        async move { Ok::<_, CallError>(Count { notes }) }
    })?;
    builder.environment(std::env::vars_os().filter(|(name, _)| name == "PATH").collect());
    builder.notices(|notice| eprintln!("{notice}"));

    let started = builder.start(std::env::args().skip(1).map(folder).collect::<Result<_, _>>()?).await?;
    for (report, (stage, failure)) in started.reports.iter().filter_map(|one| Some((one, one.failure()?))) {
        eprintln!("{} is left out at {}: {failure}", report.name, stage.as_str());
    }
    for line in std::io::stdin().lines() {
        match save.ask(Note { text: line? }).await {
            Verdict::Block(why) => println!("not kept: {}", why.reason),
            Verdict::Continue(note) => {
                let note = text.apply(note).await;
                let tags: Vec<String> = tags.gather(&note).await.into_iter().map(|(_, tag)| tag).collect();
                notes.fetch_add(1, Ordering::Relaxed);
                println!("kept: {} [{}]", note.text, tags.join(", "));
            }
        }
    }
    for report in reports.entries() {
        println!("{}: {}", report.name, reports.invoke(&report.name, &Default::default()).await?);
    }
    started.host.shutdown().await;
    Ok(())
}

/// An extension in a folder. Whoever names it on this command line grants what it asks for.
fn folder(path: String) -> Result<Candidate, Box<dyn Error>> {
    let root = std::fs::canonicalize(path)?;
    let parsed = pintle_manifest::parse(&std::fs::read(root.join("extension.toml"))?);
    let manifest = parsed.manifest.ok_or_else(|| parsed.problems[0].message.clone())?;
    let grants = manifest.permissions.clone();
    let bundle = Bundle { manifest, root, content: None, grants, rank: Rank::CommandLine, required: false };
    Ok(Candidate::Bundle(Box::new(bundle)))
}
