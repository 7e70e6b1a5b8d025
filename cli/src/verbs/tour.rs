//! `pintle tour`: the main job on real input, in a scratch folder that it makes and removes. It runs the real commands,
//! and prints each before it runs. It decides nothing: what a newcomer sees is what the commands say.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::Format;
use clap::Args;
use pintle_manifest::Untrusted;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The extension that the tour shows.
const EXAMPLE: &str = "blast-radius";
/// How many files the folder holds that is nearly lost.
const FILES: usize = 240;

/// Shows what Pintle does, in a minute, on real files in a scratch folder
///
/// Publishes an example extension to a registry in a directory, installs it with its consent shown, loads it, lets it
/// hold an `rm -rf`, turns it off, and looks whether anything is left. Builds the example with cargo, so it runs in a
/// checkout of Pintle.
#[derive(Debug, Args)]
pub(crate) struct TourArgs {
    /// Leaves the scratch folder there
    #[arg(long)]
    keep: bool,
}

/// The folder of a tour, with everything in it.
struct Tour<'a> {
    situation: &'a Situation<'a>,
    pintle: PathBuf,
    folder: PathBuf,
}

/// What a command came to.
struct Ran {
    code: i32,
    /// What it said on standard error, if that was looked at.
    said: String,
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &TourArgs) -> Result<Exit, Failure> {
    if situation.ui.format == Format::Json {
        return Err(
            Failure::new("usage", "`pintle tour` is for people and has no document").exit(Exit::Usage)
        );
    }
    let checkout = checkout(situation)?;
    let pintle = situation.environment.program.clone();
    let pintle = pintle.ok_or_else(|| Failure::new("tour.failed", "can't find my own program"))?;
    // Ctrl-C ends the command that runs, and then what the tour made is still to be removed.
    crate::stop::listen();
    let folder = scratch(situation)?;
    let tour = Tour { situation, pintle, folder };
    let result = match tour.walk(&checkout) {
        Err(_) if crate::stop::asked() => {
            Err(Failure::new("interrupted", "the tour was stopped").exit(Exit::Interrupted))
        }
        result => result,
    };
    match arguments.keep {
        true => tour.say(&format!("The scratch folder stays: {}", tour.folder.display())),
        false => {
            // Releases in a store are read-only, and so is what holds them.
            let removed = pintle_registry::store::fs::remove_tree(&tour.folder);
            match removed {
                Ok(()) => tour.say("\nThe scratch folder is removed; nothing of the tour is left."),
                Err(error) => situation.ui.warning(error),
            }
        }
    }
    result
}

impl Tour<'_> {
    fn walk(&self, checkout: &Path) -> Result<Exit, Failure> {
        self.say(&format!("A scratch folder: {}", self.folder.display()));
        self.heading("An author builds an extension, and publishes it to a registry, which is a directory");
        self.build(checkout)?;
        let package = checkout.join("target/extensions").join(EXAMPLE);
        self.pintle(&["registry", "init", "registry"])?;
        self.pintle(&["registry", "add", "main", "registry"])?;
        self.pintle(&["publish", &package.to_string_lossy(), "--registry", "main"])?;

        self.heading("A user sees what it may do, and installs it");
        if !self.install()? {
            self.say(
                "You said no, so nothing was installed. The tour ends here; run it again whenever you like.",
            );
            return Ok(Exit::Done);
        }
        self.pintle(&["list"])?;

        self.heading("A host takes it through the stages");
        self.pintle(&["load"])?;

        self.heading("A command that would lose something is held");
        let build = self.something_to_lose()?;
        let held = self.pintle_with(&["exec", "--", "rm", "-rf", "site/build"])?;
        match (held.code, build.exists()) {
            (126, true) => self.say(&format!("It did not run: {} is still there.", build.display())),
            (_, false) => self.say("You let it run, and it did."),
            (code, true) => {
                return Err(Failure::new(
                    "tour.unexpected",
                    format!("the command ended with {code}, and the folder is still there"),
                ));
            }
        }

        self.heading("An operator turns it off, and nothing of it is left");
        self.pintle(&["disable", EXAMPLE, "--reason", "end of the tour"])?;
        self.pintle(&["exec", "--", "rm", "-rf", "site"])?;
        if self.folder.join("site").exists() {
            return Err(Failure::new("tour.unexpected", "the command did not run, though nothing guards it"));
        }
        self.pintle(&["ledger"])?;
        self.pintle(&["doctor"])?;
        Ok(Exit::Done)
    }

    /// Installs the example, and tells whether that was allowed. Without a terminal the consent can't be asked for; then the command that gives it is the
    /// one that was printed.
    fn install(&self) -> Result<bool, Failure> {
        if self.situation.environment.can_ask() {
            let installed = self.pintle_with(&["install", EXAMPLE])?;
            return match installed.code {
                0 => Ok(true),
                code if code == i32::from(Exit::Failed.code()) => Ok(false),
                code => Err(self.ended(&format!("pintle install {EXAMPLE}"), code)),
            };
        }
        let refused = self.captured(&["install", EXAMPLE])?;
        let hash = refused
            .said
            .split_whitespace()
            .skip_while(|word| !word.ends_with("--accept-permissions"))
            .nth(1)
            .map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned());
        match (refused.code, hash) {
            (3, Some(hash)) => {
                self.say(
                    "Nobody is here to be asked, so nothing was granted. The printed command grants it:",
                );
                self.pintle(&["install", EXAMPLE, "--accept-permissions", &hash]).map(|()| true)
            }
            (code, _) => Err(self.ended(&format!("pintle install {EXAMPLE}"), code)),
        }
    }

    fn build(&self, checkout: &Path) -> Result<(), Failure> {
        let mut command = Command::new(checkout.join("examples/build"));
        // As this program was built itself, so that what is there already is used.
        let profile: &[&str] = if cfg!(debug_assertions) { &[] } else { &["--release"] };
        command.args(profile).arg(EXAMPLE).current_dir(checkout);
        let words = [&["examples/build"], profile, &[EXAMPLE]].concat();
        self.show(&words.join(" "));
        let code = self.wait(command)?.code;
        match code {
            0 => Ok(()),
            code => Err(self
                .ended("examples/build", code)
                .hint("it needs cargo, and the crates that Pintle needs itself")),
        }
    }

    /// Makes a folder whose loss would be felt.
    fn something_to_lose(&self) -> Result<PathBuf, Failure> {
        let build = self.folder.join("site/build");
        let failed = |error: std::io::Error| {
            Failure::new("tour.failed", format!("can't make `{}`: {error}", build.display()))
        };
        for index in 0..FILES {
            let folder = build.join(format!("page-{:02}", index / 10));
            std::fs::create_dir_all(&folder).map_err(failed)?;
            let mut text = format!("page {index}\n").repeat(400 + index * 3);
            text.push('\n');
            let file = folder.join(format!("{index}.html"));
            std::fs::File::create(&file)
                .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()))
                .map_err(failed)?;
        }
        let place = build.display();
        self.say(&format!("A folder with something in it, of the tour's own: {FILES} pages in {place}"));
        Ok(build)
    }

    /// Runs one of our own commands, which must go well.
    fn pintle(&self, words: &[&str]) -> Result<(), Failure> {
        match self.pintle_with(words)?.code {
            0 => Ok(()),
            code => Err(self.ended(&format!("pintle {}", words.join(" ")), code)),
        }
    }

    fn pintle_with(&self, words: &[&str]) -> Result<Ran, Failure> {
        self.show(&crate::command::line([&["pintle"], words].concat()));
        self.wait(self.own(words))
    }

    /// Runs one of our own commands, and keeps what it says on standard error, which is printed all the same.
    fn captured(&self, words: &[&str]) -> Result<Ran, Failure> {
        self.show(&crate::command::line([&["pintle"], words].concat()));
        let mut command = self.own(words);
        command.stderr(Stdio::piped());
        let failed =
            |error: std::io::Error| Failure::new("tour.failed", format!("can't run a command: {error}"));
        let mut child = command.spawn().map_err(failed)?;
        let mut said = String::new();
        if let Some(mut stderr) = child.stderr.take() {
            stderr.read_to_string(&mut said).map_err(failed)?;
        }
        self.situation.ui.rendered(&said);
        Ok(Ran { code: child.wait().map_err(failed)?.code().unwrap_or(-1), said })
    }

    fn own(&self, words: &[&str]) -> Command {
        // What follows two dashes belongs to another command.
        let dashes = words.iter().position(|word| *word == "--").unwrap_or(words.len());
        let (ours, theirs) = words.split_at(dashes);
        let mut command = Command::new(&self.pintle);
        command.args(ours).arg("--home").arg(self.folder.join("home")).arg("--user").args(theirs);
        command.current_dir(&self.folder);
        command
    }

    fn wait(&self, mut command: Command) -> Result<Ran, Failure> {
        let status = command
            .status()
            .map_err(|error| Failure::new("tour.failed", format!("can't run a command: {error}")))?;
        Ok(Ran { code: status.code().unwrap_or(-1), said: String::new() })
    }

    fn ended(&self, command: &str, code: i32) -> Failure {
        Failure::new("tour.failed", format!("`{}` ended with exit code {code}", Untrusted(command)))
            .hint("what it said is above")
    }

    fn heading(&self, text: &str) {
        let paint = self.situation.ui.paint();
        self.situation.ui.rendered(&format!("\n{}\n", paint.bold(&format!("# {text}"))));
    }

    fn show(&self, command: &str) {
        let paint = self.situation.ui.paint();
        self.situation.ui.rendered(&format!("\n{}\n", paint.hint(&format!("$ {command}"))));
    }

    fn say(&self, text: &str) {
        self.situation.ui.rendered(&format!("{text}\n"));
    }
}

/// Finds the checkout of Pintle here or above.
fn checkout(situation: &Situation<'_>) -> Result<PathBuf, Failure> {
    let found = situation.directory.ancestors().find(|above| above.join("examples").join(EXAMPLE).is_dir());
    found.map(Path::to_owned).ok_or_else(|| {
        Failure::new(
            "tour.no_checkout",
            "this is no checkout of Pintle, and the tour builds one of its examples",
        )
        .hint("change to the folder of Pintle's source")
    })
}

fn scratch(situation: &Situation<'_>) -> Result<PathBuf, Failure> {
    let name = format!("pintle-tour-{}-{}", std::process::id(), situation.now.as_millisecond());
    let folder = situation.environment.temporary.join(name);
    std::fs::create_dir(&folder).map_err(|error| {
        Failure::new("tour.failed", format!("can't make the scratch folder `{}`: {error}", folder.display()))
    })?;
    Ok(folder)
}
