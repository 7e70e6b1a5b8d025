//! What a handler answers, a type for each kind of hook. Each serializes as the `Answer` of the protocol, so nothing is
//! built twice; a kind of outcome that a hook does not accept has no value here.

use crate::protocol::Question;
use serde::{Serialize, Serializer};

/// May this happen? No outcome says "allow": one extension can't overrule another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Guard<P> {
    /// Nothing stands against it.
    Continue,
    /// Only in this form.
    Replace(P),
    /// The person decides. Where there is no person, it does not happen.
    Ask(Question),
    /// It does not happen; why, for the person.
    Block(String),
}

/// Shall this change?
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform<P> {
    /// It stays as it is.
    Continue,
    /// It becomes this.
    Replace(P),
}

/// Will someone take this?
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim<P, R> {
    /// Not this extension.
    Continue,
    /// Not this extension, and the next one sees it in this form.
    Replace(P),
    /// It is done; this is the reply.
    Handled(R),
}

/// What an extension adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collect<I>(pub Vec<I>);

/// The result of a wrapped action, as the extension hands it on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Around<R>(pub R);

impl<I: Serialize> Serialize for Collect<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_variant("Answer", 0, "items", &self.0)
    }
}

impl<R: Serialize> Serialize for Around<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_variant("Answer", 0, "handled", &self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Around, Claim, Collect, Guard, Transform};
    use crate::protocol::{Answer, Question};
    use serde::Serialize;

    /// Each outcome is an `Answer` of the protocol, and reads back as the one with the same name.
    #[track_caller]
    fn check(outcome: &impl Serialize, expected: &str) {
        let text = serde_json::to_string(outcome).unwrap();
        assert_eq!(text, expected);
        let answer: Answer = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&answer).unwrap(), expected);
    }

    #[test]
    fn outcomes_are_answers_of_the_protocol() {
        let question = Question { title: "Go on?".to_owned(), details: vec!["it is late".to_owned()] };
        check(&Guard::<u8>::Continue, r#""continue""#);
        check(&Guard::Replace(1), r#"{"replace":1}"#);
        check(&Guard::<u8>::Ask(question), r#"{"ask":{"title":"Go on?","details":["it is late"]}}"#);
        check(&Guard::<u8>::Block("no".to_owned()), r#"{"block":"no"}"#);
        check(&Transform::<u8>::Continue, r#""continue""#);
        check(&Transform::Replace("x"), r#"{"replace":"x"}"#);
        check(&Claim::<u8, u8>::Continue, r#""continue""#);
        check(&Claim::<u8, u8>::Replace(1), r#"{"replace":1}"#);
        check(&Claim::<u8, u8>::Handled(2), r#"{"handled":2}"#);
        check(&Collect(vec![1, 2]), r#"{"items":[1,2]}"#);
        check(&Around(None::<u8>), r#"{"handled":null}"#);
    }
}
