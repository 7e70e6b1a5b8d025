//! Guards: may this happen? In load order, one at a time. The first block ends it. An ask stands whatever later guards
//! say: the person is asked at the end, and without a person it is a block. A fault blocks, naming the extension. No
//! outcome says "allow", so no extension overrules another.

use super::Subscriber;
use super::consult::{Firing, Mistake, Payload};
use super::line::Line;
use crate::host::{Asked, Notice};
use pintle_manifest::Name;
use pintle_sdk::protocol::{Answer, Question};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest reason that is handed on, in characters.
pub(super) const MAX_REASON: usize = 2000;
/// The longest line of a question, in characters.
const MAX_LINE: usize = 400;
/// How many lines a question has besides its title.
const MAX_DETAILS: usize = 30;

/// A claimed guard hook.
#[derive(Debug, Clone)]
pub struct Guard<P>(pub(crate) Line<P>);

/// What the guards decided.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict<P> {
    /// It may happen, with this payload.
    Continue(P),
    /// It may not.
    Block(Blocked),
}

/// Who blocked something, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// The extension; `None` if it is the host itself.
    pub by: Option<Name>,
    /// A stable code: `guard.blocked`, `guard.refused` (the person said no), `guard.unasked` (nobody to ask), the code of a
    /// fault, or `host.not_running`.
    pub code: String,
    /// Why, for a person.
    pub reason: String,
}

impl<P: Serialize + DeserializeOwned> Guard<P> {
    /// Asks all guards. Before the host has started and after it ended, everything is blocked.
    pub async fn ask(&self, payload: P) -> Verdict<P> {
        let Some(firing) = self.0.firing() else {
            let reason = "its host is not running, so nobody could be asked".to_owned();
            return Verdict::Block(Blocked { by: None, code: "host.not_running".to_owned(), reason });
        };
        if firing.is_idle() {
            return Verdict::Continue(payload);
        }
        let Some(first) = Payload::of(&payload) else { return Verdict::Block(mistake("it is no JSON")) };
        match ask_all(&firing, first).await {
            Ok(None) => Verdict::Continue(payload),
            Ok(Some(changed)) => match changed.into_host() {
                Some(payload) => Verdict::Continue(payload),
                None => Verdict::Block(mistake("it can't be read back")),
            },
            Err(blocked) => Verdict::Block(blocked),
        }
    }
}

/// Cuts a question so that a person still sees what is asked.
fn bounded(Question { title, details }: Question) -> Question {
    let cut = |text: String| match text.chars().count() > MAX_LINE {
        true => text.chars().take(MAX_LINE).chain(['…']).collect(),
        false => text,
    };
    let more = details.len().saturating_sub(MAX_DETAILS);
    let mut details: Vec<String> = details.into_iter().take(MAX_DETAILS).map(cut).collect();
    if more > 0 {
        details.push(format!("… and {more} more lines"));
    }
    Question { title: cut(title), details }
}

/// A question that stands, with the payload it is about.
struct Standing<'a> {
    subscriber: &'a Subscriber,
    question: Question,
    about: Payload,
}

/// Returns the payload if it was changed.
async fn ask_all(firing: &Firing<'_>, first: Payload) -> Result<Option<Payload>, Blocked> {
    firing.called(&first).map_err(|Mistake(reason)| mistake(&reason))?;
    let mut payload = first;
    let mut changed = false;
    let mut standing: Vec<Standing<'_>> = Vec::new();
    for subscriber in firing.all() {
        // What a guard made of it is what those after it are asked about.
        if !firing.wakes(subscriber, &payload) {
            continue;
        }
        match firing.consult(subscriber, &payload, None).await {
            Ok(Answer::Continue) => {}
            Ok(Answer::Replace(raw)) => {
                payload = firing
                    .replaced(subscriber, &payload, &raw)
                    .map_err(|fault| faulty(subscriber, &fault))?;
                firing.core.tell(Notice::Replaced {
                    name: subscriber.member.name().clone(),
                    hook: firing.name.to_string(),
                });
                changed = true;
            }
            Ok(Answer::Ask(question)) => {
                let question = bounded(question);
                standing.push(Standing { subscriber, question, about: payload.clone() });
            }
            Ok(Answer::Block(reason)) => return Err(blocked(subscriber, "guard.blocked", &reason)),
            Ok(other @ (Answer::Handled(_) | Answer::Items(_))) => {
                return Err(faulty(subscriber, &firing.not_admitted(subscriber, &other)));
            }
            Err(fault) => return Err(faulty(subscriber, &fault)),
        }
    }
    for asked in standing {
        let question = about_what_will_happen(firing, &asked, &payload).await?;
        put(firing, asked.subscriber, question).await?;
    }
    Ok(changed.then_some(payload))
}

/// A question about a payload that was changed since is asked anew of whoever had it, about what will really happen.
async fn about_what_will_happen(
    firing: &Firing<'_>,
    asked: &Standing<'_>,
    payload: &Payload,
) -> Result<Question, Blocked> {
    if asked.about.value == payload.value {
        return Ok(asked.question.clone());
    }
    match firing.consult(asked.subscriber, payload, None).await {
        Ok(Answer::Ask(question)) => Ok(bounded(question)),
        // An ask stands.
        Ok(Answer::Continue) => Ok(asked.question.clone()),
        Ok(Answer::Block(reason)) => Err(blocked(asked.subscriber, "guard.blocked", &reason)),
        Ok(other @ (Answer::Replace(_) | Answer::Handled(_) | Answer::Items(_))) => {
            Err(faulty(asked.subscriber, &firing.not_admitted(asked.subscriber, &other)))
        }
        Err(fault) => Err(faulty(asked.subscriber, &fault)),
    }
}

async fn put(firing: &Firing<'_>, subscriber: &Subscriber, question: Question) -> Result<(), Blocked> {
    let title = question.title.clone();
    // Who can't be asked is told everything that would have been shown.
    let all =
        std::iter::once(&question.title).chain(&question.details).cloned().collect::<Vec<_>>().join("\n");
    match firing.core.ask_person(subscriber.member.name(), question).await {
        Asked::Yes => Ok(()),
        Asked::No => Err(blocked(subscriber, "guard.refused", &title)),
        Asked::Nobody => Err(blocked(subscriber, "guard.unasked", &all)),
    }
}

fn blocked(subscriber: &Subscriber, code: &str, reason: &str) -> Blocked {
    let reason = reason.chars().take(MAX_REASON).collect();
    Blocked { by: Some(subscriber.member.name().clone()), code: code.to_owned(), reason }
}

fn faulty(subscriber: &Subscriber, fault: &crate::runtime::Fault) -> Blocked {
    blocked(subscriber, fault.code(), &fault.to_string())
}

fn mistake(reason: &str) -> Blocked {
    let reason = format!("the host's payload is not what its contract says: {reason}");
    Blocked { by: None, code: "host.payload".to_owned(), reason }
}
