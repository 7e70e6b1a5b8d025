//! What a person says to what a plan asks for: on the command line, by its hash, or at a terminal, when asked. Decides
//! nothing about the set: what follows from a no, the plan's rules say.

use super::set_change::{Intention, SetChange};
use crate::failure::Failure;
use crate::question::{self, Answer};
use crate::situation::Situation;
use crate::ui::Format;
use crate::view::{note, plan as plan_view};
use clap::Args;
use pintle_manifest::Name;
use pintle_registry::operations::change::{ChangeError, Changed};
use pintle_registry::operations::consent::{Accepted, Consent, Unanswered};
use pintle_registry::operations::plan::{Note, Plan};
use pintle_registry::trust::{Ask, How, combined};
use std::cell::Cell;
use std::collections::BTreeSet;

/// What is said on the command line to what extensions ask for.
#[derive(Debug, Clone, Args)]
pub(crate) struct ConsentArgs {
    /// Allows what is asked for, if this is the hash that was shown with it; may be repeated
    #[arg(long = "accept-permissions", value_name = "HASH")]
    pub(super) hashes: Vec<ConsentHash>,
}

/// The hash of what is asked for, or enough of its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConsentHash(String);

/// Fewer digits could be met by chance, or by someone who tries: two texts with the same 12 digits are found in minutes.
const FEWEST_DIGITS: usize = 32;

impl std::str::FromStr for ConsentHash {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix("sha256:").unwrap_or(text).to_ascii_lowercase();
        match digits.len() {
            FEWEST_DIGITS..=64 if digits.chars().all(|c| c.is_ascii_hexdigit()) => Ok(Self(digits)),
            _ => Err(format!("it has {FEWEST_DIGITS} to 64 hexadecimal digits, as it was shown")),
        }
    }
}

impl ConsentHash {
    /// Tells whether it accepts these, taken together.
    pub(super) fn accepts<'a>(&self, asks: impl IntoIterator<Item = &'a Ask>) -> bool {
        combined(asks).is_some_and(|hash| hash.to_hex().starts_with(&self.0))
    }
}

/// The one who is asked, and what they said.
pub(super) struct Person<'a> {
    situation: &'a Situation<'a>,
    change: &'a SetChange<'a>,
    answer: Cell<Option<Answer>>,
    mismatched: Cell<bool>,
}

impl<'a> Person<'a> {
    pub(super) const fn new(situation: &'a Situation<'a>, change: &'a SetChange<'a>) -> Self {
        Self { situation, change, answer: Cell::new(None), mismatched: Cell::new(false) }
    }

    /// Tells whether they were asked and said yes.
    pub(super) fn said_yes(&self) -> bool {
        self.answer.get() == Some(Answer::Yes)
    }

    /// Finds an answer to what a plan asks for: on the command line, or by asking.
    pub(super) fn answer(&self, plan: &Plan) -> Consent {
        if self.change.intention == Intention::DryRun {
            return Consent::Withheld;
        }
        let hashes = self.change.consent.map_or(&[][..], |consent| &consent.hashes);
        let names = accepted(hashes, plan);
        if plan.asks.iter().all(|ask| names.contains(&ask.name)) {
            return Consent::Given(Accepted { names, how: How::Flag });
        }
        if !hashes.is_empty() {
            self.mismatched.set(true);
            return Consent::Mismatched;
        }
        match self.ask(plan) {
            Answer::Yes => {
                let names = plan.asks.iter().map(|ask| ask.name.clone()).collect();
                Consent::Given(Accepted { names, how: How::Asked })
            }
            Answer::No | Answer::NoOne => Consent::Refused,
        }
    }

    /// Asks once; who said no is not asked again about what is left.
    fn ask(&self, plan: &Plan) -> Answer {
        let ui = self.situation.ui;
        let can_ask = self.situation.environment.can_ask() && ui.format == Format::Human;
        if !can_ask || self.change.consent.is_none() {
            return Answer::NoOne;
        }
        if self.answer.get() == Some(Answer::No) {
            return Answer::No;
        }
        self.situation.progress.end();
        self.show(plan);
        let question = match self.change.unanswered {
            Unanswered::Refuse => "Allow this, and go on?",
            Unanswered::Hold => "Allow this? If not, what asks for more stays as it is.",
            Unanswered::PutInPlace => "Allow this? If not, what asks for more is not loaded.",
        };
        let answer = question::ask(self.situation, question);
        self.answer.set(Some(answer));
        answer
    }

    fn show(&self, plan: &Plan) {
        let paint = self.situation.ui.paint();
        let lines = plan_view::change_lines(&plan.changes, &plan.extensions, &plan.asks, paint);
        self.situation.ui.rendered(&(lines + &plan_view::unchanged_lines(&plan.changes, &plan.asks, paint)));
    }

    /// Says why nothing was done.
    pub(super) fn refusal(&self, plan: &Plan) -> Failure {
        if self.answer.get() == Some(Answer::No) {
            return Failure::new("declined", "you said no, so nothing was changed");
        }
        if self.situation.ui.format == Format::Human {
            self.show(plan);
        }
        let command = self.change.consent.and_then(|_| accepting(self.situation, &plan.asks));
        let failure = Failure::from(ChangeError::NeedsConsent { plan: Box::new(plan.clone()) });
        let failure = match self.mismatched.get() {
            true => failure.cause("`--accept-permissions` accepts something else than this"),
            false => failure,
        };
        match command {
            Some(command) => {
                failure.hint(format!("to allow exactly this: `{command}`")).detail("command", command)
            }
            None => failure,
        }
    }

    /// Says what a person may not expect. In a document the notes are part of it.
    pub(super) fn notes(&self, changed: &Changed) {
        let ui = self.situation.ui;
        if ui.format == Format::Json {
            return;
        }
        for one in &changed.plan.notes {
            match note::code(one) {
                "yanked" | "incompatible" | "gone" | "not_granted" => ui.warning(note::words(one)),
                _ => ui.note(note::words(one)),
            }
            if let Note::Waits { asking, .. } = one {
                let asks = changed.refused.iter().filter(|ask| asking.contains(&ask.name));
                let lines = asks.map(|ask| plan_view::ask_lines(ask, ui.paint())).collect::<String>();
                ui.aside(&lines);
            }
        }
        let waits = |note: &Note| matches!(note, Note::Waits { .. });
        let is_waiting = !changed.done || changed.plan.notes.iter().any(waits);
        if let (true, Some(command)) = (is_waiting, accepting(self.situation, &changed.refused)) {
            ui.note(format_args!("to allow exactly what is asked for: `{command}`"));
        } else if let Some(hash) = combined(&changed.plan.ungranted).filter(|_| changed.done) {
            let asking = self.situation.command(&["trust", "grant"]);
            let hash = hash.to_hex();
            ui.note(format_args!(
                "`{asking}` shows what is asked for, and asks; without a terminal add `--accept-permissions {hash}`"
            ));
        }
    }
}

/// Returns who is accepted by hashes: each by its own, all that is asked by one, or all that lacks a grant by one.
fn accepted(hashes: &[ConsentHash], plan: &Plan) -> BTreeSet<Name> {
    let all = || plan.asks.iter().chain(&plan.ungranted);
    let names = |asks: &mut dyn Iterator<Item = &Ask>| asks.map(|ask| ask.name.clone()).collect::<Vec<_>>();
    let mut accepted = BTreeSet::new();
    for hash in hashes {
        if hash.accepts(all()) {
            accepted.extend(names(&mut all()));
        }
        if hash.accepts(&plan.asks) {
            accepted.extend(names(&mut plan.asks.iter()));
        }
        if hash.accepts(&plan.ungranted) {
            accepted.extend(names(&mut plan.ungranted.iter()));
        }
        accepted.extend(names(&mut all().filter(|ask| hash.accepts([*ask]))));
    }
    accepted
}

/// Returns the command as typed, with what accepts exactly this.
pub(super) fn accepting(situation: &Situation<'_>, asks: &[Ask]) -> Option<String> {
    let hash = combined(asks)?.to_hex();
    Some(situation.environment.again_with("--accept-permissions", &hash))
}

#[cfg(test)]
mod tests {
    use super::ConsentHash;

    #[test]
    fn a_hash_has_enough_digits() {
        let full = "0123456789abcdef".repeat(4);
        let check = |text: &str, expected: Option<&str>| {
            let parsed = text.parse::<ConsentHash>().ok();
            assert_eq!(parsed, expected.map(|digits| ConsentHash(digits.to_owned())), "{text}");
        };
        check(&full, Some(&full));
        check(&format!("sha256:{full}"), Some(&full));
        check(&full.to_uppercase(), Some(&full));
        check(&full[..32], Some(&full[..32]));
        check(&full[..31], None);
        check(&format!("{full}0"), None);
        check(&full.replace('f', "g"), None);
        check("", None);
        check("all", None);
    }
}
