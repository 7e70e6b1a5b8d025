//! `pintle trust`: shows what extensions were allowed, allows more, and takes it back. Installs and removes nothing.

use super::consent::{ConsentHash, accepting};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::question::{self, Answer};
use crate::situation::Situation;
use crate::ui::{Document, Format, Paint};
use crate::view::{permission, plan as plan_view, trust as trust_view, words};
use clap::{Args, Subcommand};
use pintle_manifest::Name;
use pintle_registry::operations::trust::{self, Asked, NewGrant, Revoked};
use pintle_registry::trust::{Ask, Grants, How, Subject, combined};
use serde_json::{Map, Value, json};

/// Shows what extensions were allowed, allows more, and takes it back
///
/// A grant is bound to the content of one release, by its tree hash, or to a linked folder. It holds in all sets of this
/// home. An extension that asks for more than it was granted is not loaded.
#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists what was allowed, and what is installed here and lacks a grant
    List,
    /// Allows what installed extensions ask for, after showing it
    #[command(visible_alias = "accept")]
    Grant {
        /// The extensions; everything here that lacks a grant, if none is named
        #[arg(value_name = "NAME")]
        names: Vec<Name>,
        /// Allows it without a question, if this is the hash that was shown with it; may be repeated
        #[arg(long = "accept-permissions", value_name = "HASH")]
        hashes: Vec<ConsentHash>,
        /// Says what would be allowed, and allows nothing
        #[arg(short = 'n', long)]
        dry_run: bool,
    },
    /// Takes back everything that extensions were allowed, in all versions and sets
    Revoke {
        /// The extensions
        #[arg(required = true, value_name = "NAME")]
        names: Vec<Name>,
        /// Says what would be taken back, and takes nothing back
        #[arg(short = 'n', long)]
        dry_run: bool,
    },
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &TrustArgs) -> Result<Exit, Failure> {
    match &arguments.action {
        Action::List => list(situation),
        Action::Grant { names, hashes, dry_run } => grant(situation, names, hashes, *dry_run),
        Action::Revoke { names, dry_run } => revoke(situation, names, *dry_run),
    }
}

struct List {
    grants: Vec<NewGrant>,
    asks: Vec<Ask>,
}

impl Document for List {
    fn verb(&self) -> &'static str {
        "trust list"
    }
    fn json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("grants".to_owned(), self.grants.iter().map(trust_view::grant_document).collect());
        map.insert("asks".to_owned(), self.asks.iter().map(trust_view::ask_document).collect());
        map.insert("accept_permissions".to_owned(), json!(combined(&self.asks).map(|hash| hash.to_hex())));
        map
    }
    fn human(&self, paint: Paint) -> String {
        if self.grants.is_empty() && self.asks.is_empty() {
            return paint.dim("nothing was granted, and nothing installed here asks for anything") + "\n";
        }
        let granted = self.grants.iter().map(|new| grant_lines(new, paint));
        let asked = self.asks.iter().map(|ask| {
            let lines = plan_view::ask_lines(ask, paint);
            format!("{}    {}\n", lines.trim_start(), paint.warn("not granted"))
        });
        granted.chain(asked).collect()
    }
}

fn grant_lines(new: &NewGrant, paint: Paint) -> String {
    let NewGrant { name, subject, grant } = new;
    let content = match subject {
        Subject::Tree(tree) => format!("tree {}", tree.short()),
        Subject::Folder(_) => subject.to_string(),
    };
    let content = paint.dim(&content);
    let mut text = format!("{} {}  {content}\n", paint.bold(name.as_str()), grant.version);
    for one in permission::sentences(&grant.permissions) {
        text.push_str(&format!("    may {}\n", one.with_risk(paint)));
    }
    let when = grant.at.strftime("%Y-%m-%d %H:%M");
    text.push_str(&format!("    granted {when}, {}\n", trust_view::how(&grant.how)));
    text
}

fn list(situation: &Situation<'_>) -> Result<Exit, Failure> {
    let grants = Grants::read(&situation.home)?;
    // What was allowed is shown also where the set can't be read.
    let asked = situation.with_context(|context| trust::asked(context, &[])).unwrap_or_else(|error| {
        situation.ui.warning(error);
        Asked::default()
    });
    let grants = grants.iter().map(|(name, subject, grant)| NewGrant {
        name: name.clone(),
        subject: subject.clone(),
        grant: grant.clone(),
    });
    situation.ui.document(&List { grants: grants.collect(), asks: asked.asks });
    Ok(Exit::Done)
}

struct Granted {
    granted: Vec<NewGrant>,
    asks: Vec<Ask>,
    settled: Vec<Name>,
    dry_run: bool,
    /// Whether what is asked was shown already, with a question.
    shown: bool,
}

impl Document for Granted {
    fn verb(&self) -> &'static str {
        "trust grant"
    }
    fn json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("dry_run".to_owned(), json!(self.dry_run));
        map.insert("granted".to_owned(), self.granted.iter().map(trust_view::grant_document).collect());
        map.insert("asks".to_owned(), self.asks.iter().map(trust_view::ask_document).collect());
        map.insert("accept_permissions".to_owned(), json!(combined(&self.asks).map(|hash| hash.to_hex())));
        map.insert("unchanged".to_owned(), json!(self.settled));
        map
    }
    fn human(&self, paint: Paint) -> String {
        let mut text = String::new();
        if self.dry_run && !self.shown {
            text.extend(self.asks.iter().map(|ask| plan_view::ask_lines(ask, paint)));
        }
        let names = words::list(self.asks.iter().map(|ask| &ask.name));
        let all = words::list(self.granted.iter().map(|new| &new.name));
        text.push_str(&match (self.granted.is_empty(), self.asks.is_empty(), self.dry_run) {
            (false, _, _) => format!("Granted what {all} asked for\n"),
            (true, false, _) => format!("Would grant what {names} asked for (dry run)\n"),
            (true, true, _) => "Nothing to grant: nothing asks for more than it was granted\n".to_owned(),
        });
        text
    }
}

fn grant(
    situation: &Situation<'_>,
    names: &[Name],
    hashes: &[ConsentHash],
    dry_run: bool,
) -> Result<Exit, Failure> {
    let Asked { mut asks, settled } = situation.with_context(|context| trust::asked(context, names))?;
    let mut outcome = Granted { granted: Vec::new(), asks: Vec::new(), settled, dry_run, shown: false };
    if dry_run || asks.is_empty() {
        outcome.asks = asks;
        situation.ui.outcome(&outcome);
        if let Some(command) = accepting(situation, &outcome.asks) {
            situation.ui.note(format_args!("to allow exactly what is asked for: `{command}`"));
        }
        return Ok(Exit::Done);
    }
    let how = match hashes.is_empty() {
        true => {
            outcome.shown = true;
            ask(situation, &asks)?
        }
        false => {
            let all = hashes.iter().any(|hash| hash.accepts(&asks));
            let one = |ask: &Ask| hashes.iter().any(|hash| hash.accepts([ask]));
            let accepted: Vec<Ask> = asks.iter().filter(|ask| all || one(ask)).cloned().collect();
            if accepted.is_empty() || (!names.is_empty() && accepted.len() < asks.len()) {
                return Err(needs_consent(situation, &asks)
                    .cause("`--accept-permissions` accepts something else than this"));
            }
            asks = accepted;
            How::Flag
        }
    };
    let new = |ask: &Ask| NewGrant::of(ask, how.clone(), situation.now);
    let new: Vec<NewGrant> = asks.iter().map(new).collect();
    situation.with_context(|context| trust::record(context, &new))?;
    outcome.granted = new;
    situation.ui.outcome(&outcome);
    Ok(Exit::Done)
}

fn ask(situation: &Situation<'_>, asks: &[Ask]) -> Result<How, Failure> {
    if situation.ui.format == Format::Json || !situation.environment.can_ask() {
        return Err(needs_consent(situation, asks));
    }
    show(situation, asks);
    match question::ask(situation, "Allow this?") {
        Answer::Yes => Ok(How::Asked),
        Answer::No => Err(Failure::new("declined", "you said no, so nothing was changed")),
        Answer::NoOne => Err(needs_consent(situation, asks)),
    }
}

fn show(situation: &Situation<'_>, asks: &[Ask]) {
    let paint = situation.ui.paint();
    let lines = asks.iter().map(|ask| plan_view::ask_lines(ask, paint));
    situation.ui.rendered(&lines.collect::<String>());
}

fn needs_consent(situation: &Situation<'_>, asks: &[Ask]) -> Failure {
    if situation.ui.format == Format::Human {
        show(situation, asks);
    }
    let names = words::list(asks.iter().map(|ask| format!("`{} {}`", ask.name, ask.version)));
    let verb = if asks.len() == 1 { "asks" } else { "ask" };
    let failure = Failure::new("trust.needs_consent", format!("{names} {verb} for what nobody has allowed"))
        .exit(Exit::Refused)
        .detail("asks", asks.iter().map(trust_view::ask_document).collect::<Vec<_>>())
        .detail("accept_permissions", combined(asks).map(|hash| hash.to_hex()));
    match accepting(situation, asks) {
        Some(command) => {
            failure.hint(format!("to allow exactly this: `{command}`")).detail("command", command)
        }
        None => failure,
    }
}

struct Taken {
    revoked: Revoked,
    dry_run: bool,
}

impl Document for Taken {
    fn verb(&self) -> &'static str {
        "trust revoke"
    }
    fn json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("dry_run".to_owned(), json!(self.dry_run));
        map.insert("revoked".to_owned(), self.revoked.gone.iter().map(trust_view::grant_document).collect());
        map.insert("unchanged".to_owned(), json!(self.revoked.without));
        map
    }
    fn human(&self, paint: Paint) -> String {
        let mut text = String::new();
        for new in &self.revoked.gone {
            let would =
                if self.dry_run { "would lose what it was allowed" } else { "lost what it was allowed" };
            text.push_str(&format!("{} {} {would}\n", paint.bold(new.name.as_str()), new.grant.version));
            for one in permission::sentences(&new.grant.permissions) {
                text.push_str(&format!("    {}\n", one.text));
            }
        }
        for name in &self.revoked.without {
            text.push_str(&format!("{} had no grant\n", paint.bold(name.as_str())));
        }
        text
    }
}

fn revoke(situation: &Situation<'_>, names: &[Name], dry_run: bool) -> Result<Exit, Failure> {
    let revoked = situation.with_context(|context| match dry_run {
        true => trust::would_revoke(context, names),
        false => trust::revoke(context, names),
    })?;
    for name in &revoked.without {
        let off = situation.command(&["disable", name.as_str()]);
        situation.ui.note(format_args!("to turn {name} off whatever it asks for: `{off}`"));
    }
    let mut names: Vec<&Name> = revoked.gone.iter().map(|new| &new.name).collect();
    names.dedup();
    let set = situation.scope().generations().read_current().ok().flatten();
    for name in names {
        if !dry_run && set.as_ref().is_some_and(|set| set.extensions.contains_key(name)) {
            let again = situation.command(&["trust", "grant", name.as_str()]);
            situation.ui.note(format_args!("{name} stays installed and is not loaded until `{again}`"));
        }
    }
    situation.ui.outcome(&Taken { revoked, dry_run });
    Ok(Exit::Done)
}
