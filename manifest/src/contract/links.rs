//! Follows the names of a contract to where they lead: to types, permissions, fields, successors. Comes after
//! everything was read, since a name may stand before what it names.

use super::fields::{field, is_object, is_required, is_text, resolved};
use super::model::Contract;
use super::reading::{LeadsTo, Link, Reading, Scope, Sort, Successor};
use crate::extension::{cut, shown};
use crate::{Problem, Span, Version, nearest};

/// Follows every name that was noted.
pub(super) fn follow(reading: &Reading, contract: &Contract) {
    for link in reading.take_links() {
        match &link.leads_to {
            LeadsTo::Type => {
                leads_to(reading, &link, Sort::Type);
            }
            LeadsTo::ObjectType => object(reading, contract, &link),
            LeadsTo::Permission(scope) => permission(reading, contract, &link, scope),
            LeadsTo::TextField(of) => text_field(reading, contract, &link, of),
            LeadsTo::RequiredTextField(of) => {
                text_field(reading, contract, &link, of);
                let there = field(&contract.types, of, &link.name).is_some();
                if there && !is_required(&contract.types, of, &link.name) {
                    let message = format!("the field `{}` of `{of}` may be left out", shown(&link.name));
                    let problem = Problem::error("contract.bad_field", link.at, message);
                    reading.tell(problem.help("name it in `required`, or nothing would be compared"));
                }
            }
            LeadsTo::Field(of) => {
                a_field(reading, contract, &link, of);
            }
            LeadsTo::Successor(successor) => succeeds(reading, contract, &link, successor),
        }
    }
}

/// Tells whether there is something of this name and sort, and tells of it if not.
fn leads_to(reading: &Reading, link: &Link, sort: Sort) -> bool {
    if reading.has(sort, &link.name) {
        return true;
    }
    let noun = sort.noun();
    let names = reading.all(sort);
    let help = match nearest(cut(&link.name), names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{}`?", shown(near)),
        None => format!("describe it in this file, as a table below `[{noun}s]`"),
    };
    let message = format!("there is no {noun} `{}`", shown(&link.name));
    reading.tell(Problem::error("contract.leads_nowhere", link.at.clone(), message).help(help));
    false
}

fn object(reading: &Reading, contract: &Contract, link: &Link) {
    let was_read = contract.types.contains_key(&link.name);
    if leads_to(reading, link, Sort::Type) && was_read && !is_object(&contract.types, &link.name) {
        let message = format!("the type `{}` is no object", shown(&link.name));
        let problem = Problem::error("contract.not_an_object", link.at.clone(), message);
        reading
            .tell(problem.help("give it `type = \"object\"`; nothing could ever be added to anything else"));
    }
}

fn permission(reading: &Reading, contract: &Contract, link: &Link, scope: &Scope) {
    leads_to(reading, link, Sort::Permission);
    let Some(permission) = contract.permissions.get(&link.name) else { return };
    match (&permission.some, &scope.at) {
        (Some(_), Some(_)) | (None, None) => {}
        (None, Some(at)) => no_list(reading, &scope.call, at),
        (Some(_), None) => {
            let message = format!(
                "the permission `{}` can be granted as a list, and `{}` does not say with what it is compared",
                link.name, scope.call
            );
            let problem = Problem::error("contract.bad_scope", link.at.clone(), message);
            reading.tell(problem.help("add `scoped_by = \"FIELD\"`, a text of the arguments"));
        }
    }
}

/// Tells of a call that names an argument to compare where there is no list.
pub(super) fn no_list(reading: &Reading, call: &str, at: &Span) {
    let message = format!("`{call}` needs no permission that can be granted as a list");
    let problem = Problem::error("contract.bad_scope", at.clone(), message);
    reading.tell(problem.help("take `scoped_by` out"));
}

fn text_field(reading: &Reading, contract: &Contract, link: &Link, of: &str) {
    if let Some(schema) = a_field(reading, contract, link, of)
        && !is_text(schema)
    {
        let message = format!("the field `{}` of `{of}` is not always a text", shown(&link.name));
        reading.tell(Problem::error("contract.bad_field", link.at.clone(), message));
    }
}

fn a_field<'a>(
    reading: &Reading,
    contract: &'a Contract,
    link: &Link,
    of: &str,
) -> Option<&'a serde_json::Value> {
    // A type that is not there, or is no object, was told of where it is named.
    let properties = resolved(&contract.types, contract.types.get(of)?).get("properties")?.as_object()?;
    let found = field(&contract.types, of, &link.name);
    if found.is_none() {
        let message = format!("the type `{of}` has no field `{}`", shown(&link.name));
        let mut problem = Problem::error("contract.bad_field", link.at.clone(), message);
        problem.help = nearest(cut(&link.name), properties.keys().map(String::as_str))
            .map(|near| format!("did you mean `{}`?", shown(near)));
        reading.tell(problem);
    }
    found
}

fn succeeds(reading: &Reading, contract: &Contract, link: &Link, successor: &Successor) {
    let (since, since_at) = &successor.since;
    let (remove_in, remove_at) = &successor.remove_in;
    let bad = |at: &Span, message: String, help: String| {
        reading.tell(Problem::error("contract.bad_deprecation", at.clone(), message).help(help));
    };
    if since > &contract.version {
        let message = format!("`{since}` is not out: this is version {}", contract.version);
        bad(since_at, message, "name the version that deprecates it".to_owned());
    }
    if let Some(least) = too_early(since, remove_in) {
        let message = format!("what is deprecated since {since} can't be removed in {remove_in}");
        let help = format!("name a later version; the first that can remove it is {least}");
        bad(remove_at, message, help);
    }
    let noun = successor.sort.noun();
    if link.name == successor.old {
        bad(&link.at, format!("the {noun} `{}` is its own successor", link.name), "name another".to_owned());
    } else if leads_to(reading, link, successor.sort) && is_deprecated(contract, successor.sort, &link.name) {
        let message = format!("the {noun} `{}` is deprecated, too", link.name);
        bad(&link.at, message, "name what will stay".to_owned());
    } else {
        super::alias::check(reading, contract, link, successor);
    }
}

/// Returns the first version that can remove what is deprecated since another, if this one is earlier: a removal
/// breaks, and a minor release lies between.
fn too_early(since: &Version, remove_in: &Version) -> Option<Version> {
    let breaks = match remove_in.major() {
        0 => remove_in.patch() == 0,
        _ => remove_in.minor() == 0 && remove_in.patch() == 0,
    };
    let least = match since.major() {
        0 => Version::new(0, since.minor() + 2, 0),
        major => Version::new(major + 1, 0, 0),
    };
    (!breaks || *remove_in < least).then_some(least)
}

fn is_deprecated(contract: &Contract, sort: Sort, name: &str) -> bool {
    let deprecated = match sort {
        Sort::Hook => contract.hooks.get(name).map(|hook| hook.deprecated.is_some()),
        Sort::Call => contract.calls.get(name).map(|call| call.deprecated.is_some()),
        Sort::Slot => contract.slots.get(name).map(|slot| slot.deprecated.is_some()),
        Sort::Permission | Sort::Type => None,
    };
    deprecated.unwrap_or(false)
}
