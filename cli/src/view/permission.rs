//! What an extension asks to be allowed, as sentences of the host's contract, and what its runtime means for that. No
//! partial measure is called a sandbox, and what the contract does not know is said first.

use crate::host;
use crate::ui::Paint;
use pintle_manifest::{PermissionKind, PermissionValue, Permissions, Risk, Untrusted};
use serde_json::{Value, json};

/// One permission, as a person is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// Its name.
    pub permission: String,
    /// What it allows: "run these programs: git". Nothing in it acts on a terminal.
    pub text: String,
    /// How much harm it can do; `None` if the contract does not know it.
    pub risk: Option<Risk>,
}

/// Returns a sentence for each permission: the unknown first, then the risky.
pub(crate) fn sentences(permissions: &Permissions) -> Vec<Sentence> {
    let known = &host::agent().permissions;
    let mut sentences: Vec<Sentence> =
        permissions.iter().map(|(name, value)| sentence(name, value, known.get(name))).collect();
    // An unknown risk may be any.
    sentences.sort_by_key(|one| std::cmp::Reverse(one.risk.map_or(u8::MAX, |risk| risk as u8)));
    sentences
}

fn sentence(name: &str, value: &PermissionValue, kind: Option<&PermissionKind>) -> Sentence {
    let text = match (kind, value) {
        (Some(kind), PermissionValue::All) => kind.all.clone(),
        (Some(PermissionKind { some: Some(some), .. }), PermissionValue::Only(items)) => {
            some.replace("{items}", &list(items))
        }
        (Some(PermissionKind { all, some: None, .. }), PermissionValue::Only(items)) => {
            format!("{all} ({})", list(items))
        }
        (None, PermissionValue::All) => format!("use {}, which this Pintle does not know", item(name)),
        (None, PermissionValue::Only(items)) => {
            format!("use {}, which this Pintle does not know, for {}", item(name), list(items))
        }
    };
    Sentence { permission: name.to_owned(), text, risk: kind.map(|kind| kind.risk) }
}

fn list(items: &[String]) -> String {
    match items.is_empty() {
        true => "none".to_owned(),
        false => items.iter().map(|one| item(one)).collect::<Vec<_>>().join(", "),
    }
}

/// Quotes what could be read as part of the sentence.
fn item(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_./*~+@:=%".contains(c);
    match !text.is_empty() && text.chars().all(is_word) {
        true => text.to_owned(),
        false => format!("\"{}\"", Untrusted(text).to_string().replace('"', "\\\"")),
    }
}

impl Sentence {
    /// Returns the word for how much harm it can do.
    pub(crate) const fn risk_word(&self) -> &'static str {
        match self.risk {
            None => "unknown",
            Some(Risk::High) => "high",
            Some(Risk::Medium) => "medium",
            Some(Risk::Low) => "low",
        }
    }

    /// Returns it with its risk: "run these programs: git (high risk)".
    pub(crate) fn with_risk(&self, paint: Paint) -> String {
        let risk = format!("{} risk", self.risk_word());
        let risk = match self.risk {
            None | Some(Risk::High) => paint.bad(&risk),
            Some(Risk::Medium) => paint.warn(&risk),
            Some(Risk::Low) => risk,
        };
        format!("{} ({risk})", self.text)
    }
}

/// Returns the lines that say what is asked for, and how it will run. What is `new` of it is marked.
pub(crate) fn lines(permissions: &Permissions, new: &Permissions, runtime: &str, paint: Paint) -> String {
    if permissions.is_empty() {
        return format!("    asks for nothing; {}\n", confinement(runtime));
    }
    let mut text = String::new();
    for one in sentences(permissions) {
        let mark = match new.get(&one.permission) {
            Some(PermissionValue::Only(items))
                if permissions.get(&one.permission) != new.get(&one.permission) =>
            {
                format!(", new: {}", list(items))
            }
            Some(PermissionValue::All | PermissionValue::Only(_)) => ", new".to_owned(),
            None => String::new(),
        };
        text.push_str(&format!("    wants to {}{mark}\n", one.with_risk(paint)));
    }
    text.push_str(&format!("    {}\n", confinement(runtime)));
    text
}

/// Returns the sentences for a document.
pub(crate) fn document(permissions: &Permissions) -> Value {
    let one = |one: Sentence| json!({ "permission": one.permission, "sentence": one.text, "risk": one.risk_word() });
    sentences(permissions).into_iter().map(one).collect()
}

/// Says in plain words how code of this runtime runs.
pub(crate) fn confinement(runtime: &str) -> &'static str {
    match runtime {
        "wasm" => "can't be run yet (wasm)",
        _ => "runs with your full rights",
    }
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn each_permission_is_a_sentence_and_the_risky_come_first() {
        let check = |json: &str, expected: &[(&str, &str)]| {
            let found = sentences(&serde_json::from_str(json).unwrap());
            let found: Vec<_> = found.iter().map(|one| (one.text.as_str(), one.risk_word())).collect();
            assert_eq!(found, expected, "{json}");
        };
        check("{}", &[]);
        check(r#"{"process.run":true}"#, &[("run any program, as you", "high")]);
        check(
            r#"{"a.b":["x"],"process.run":["git","du"],"ui.prompt":true,"z.z":true}"#,
            &[
                ("use a.b, which this Pintle does not know, for x", "unknown"),
                ("use z.z, which this Pintle does not know", "unknown"),
                ("run these programs, as you: du, git", "high"),
                ("ask you questions while a command waits", "low"),
            ],
        );
        check(
            r#"{"process.run":["git, and nothing else","a\"b","\u001b[2J","{items}",""]}"#,
            &[(
                r#"run these programs, as you: "", "\u{1b}[2J", "a\"b", "git, and nothing else", "{items}""#,
                "high",
            )],
        );
    }
}
