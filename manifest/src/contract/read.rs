//! Reads `contract.toml`: one pass that finds every problem there is. Gives a contract only if none is an error.

use super::fields::{Types, references, referred};
use super::model::Contract;
use super::parts::{self, FIELD, HOST, NAME, SENTENCE, VERSION};
use super::reading::{Reading, Sort};
use super::table::{Table, Text};
use super::{links, schema};
use crate::extension::shown;
use crate::{HostName, Problem, Severity, Span, Version};
use std::collections::{BTreeMap, BTreeSet};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The version of the grammar of `contract.toml`.
pub const CONTRACT_VERSION: u32 = 1;
/// The most bytes of a contract.
pub const MAX_CONTRACT: usize = 1024 * 1024;

/// The most hooks, calls, slots, permissions or types.
const MOST: usize = 500;

/// What a reading of a `contract.toml` came to.
#[derive(Debug, Clone)]
pub struct ReadContract {
    /// The contract, unless a problem is an error.
    pub contract: Option<Contract>,
    /// Every problem, in order of place.
    pub problems: Vec<Problem>,
}

impl Contract {
    /// Reads the text of a `contract.toml`, or reports every error in it. Spans are into the text as given.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        let ReadContract { contract, mut problems } = Self::read(text);
        contract.ok_or_else(|| {
            problems.retain(|problem| problem.severity == Severity::Error);
            problems
        })
    }

    /// Reads the text of a `contract.toml` and reports every problem in it, also what is only a warning.
    pub fn read(text: &str) -> ReadContract {
        let (shift, text) = match text.strip_prefix('\u{feff}') {
            Some(rest) => (text.len() - rest.len(), rest),
            None => (0, text),
        };
        let reading = Reading::default();
        let contract = document(&reading, text);
        let problems = reading.finish(shift);
        let is_right = problems.iter().all(|problem| problem.severity == Severity::Warning);
        ReadContract { contract: contract.filter(|_| is_right), problems }
    }
}

fn document(reading: &Reading, text: &str) -> Option<Contract> {
    if text.len() > MAX_CONTRACT {
        let message = format!("a contract has at most {MAX_CONTRACT} bytes, this has {}", text.len());
        reading.tell(Problem::error("contract.too_large", 0..0, message));
        return None;
    }
    let (root, errors) = DeTable::parse_recoverable(text);
    if let Some(newer) = newer_version(root.get_ref()) {
        reading.tell(newer);
        return None;
    }
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        let start = text.floor_char_boundary(span.start);
        let end = text.ceil_char_boundary(span.end).max(start);
        reading.tell(Problem::error("contract.syntax", start..end, error.message().to_owned()));
    }
    // What a reader guesses from a broken text is not judged.
    let contract = if errors.is_empty() { whole(reading, root.get_ref()) } else { None }?;
    links::follow(reading, &contract);
    circles(reading, &contract.types, root.get_ref());
    if reading.is_clean() {
        remarks(reading, &contract, root.get_ref());
    }
    Some(contract)
}

/// Reads everything, and puts in something harmless for what is wrong, so that the rest can be judged.
fn whole(reading: &Reading, root: &DeTable<'_>) -> Option<Contract> {
    let mut root = Table::new(reading, String::new(), 0..0, root);
    grammar_version(&mut root);
    let head = root.table("contract").and_then(|mut head| {
        let name: Option<Spanned<HostName>> = head.text("name", HOST, "\"my-host\"");
        let version: Option<Spanned<Version>> = head.text("version", VERSION, "\"1.0.0\"");
        let description: Option<Spanned<String>> =
            head.text("description", SENTENCE, "\"What the host is, in one line\"");
        head.end();
        Some((name?.into_inner(), version?.into_inner(), description?.into_inner()))
    });
    let hooks = section(&mut root, "hooks", Sort::Hook, NAME, parts::hook);
    let calls = section(&mut root, "calls", Sort::Call, NAME, parts::call);
    let slots = section(&mut root, "slots", Sort::Slot, NAME, parts::slot);
    let permissions =
        section(&mut root, "permissions", Sort::Permission, NAME, |_, table| parts::permission(table));
    let types = types(&mut root);
    root.end();
    let (name, version, description) = head?;
    Some(Contract { name, version, description, hooks, calls, slots, permissions, types })
}

fn section<T>(
    root: &mut Table<'_, '_>,
    key: &'static str,
    sort: Sort,
    name: Text,
    read: fn(&Spanned<String>, Table<'_, '_>) -> Option<T>,
) -> BTreeMap<String, T> {
    let tables = root.named_tables(key, name, MOST);
    for (name, _) in &tables {
        root.reading.name(sort, name.get_ref());
    }
    let parts = tables.into_iter();
    parts.filter_map(|(name, table)| read(&name, table).map(|part| (name.into_inner(), part))).collect()
}

fn types(root: &mut Table<'_, '_>) -> Types {
    let mut types = Types::new();
    for (name, value) in root.named("types", FIELD, MOST) {
        let text = name.get_ref();
        root.reading.name(Sort::Type, text);
        if !text.bytes().all(|c| c.is_ascii_alphanumeric()) {
            let message =
                format!("the name of a type is made of letters and digits; `{}` is not", shown(text));
            root.tell(Problem::error("contract.bad_name", name.span(), message));
        }
        let read = schema::schema(root.reading, &format!("types.{}", shown(text)), value, 0);
        types.insert(name.into_inner(), read);
    }
    types
}

fn grammar_version(root: &mut Table<'_, '_>) {
    root.require("contract_version", &CONTRACT_VERSION.to_string());
    let Some(value) = root.value("contract_version") else { return };
    if whole_number(value) != Some(i128::from(CONTRACT_VERSION)) {
        let problem =
            Problem::error("contract.bad_contract_version", value.span(), "there is no such version");
        root.tell(problem.help(format!("write `contract_version = {CONTRACT_VERSION}`")));
    }
}

fn whole_number(value: &Spanned<DeValue<'_>>) -> Option<i128> {
    let integer = value.get_ref().as_integer()?;
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// Finds a `contract_version` that this Pintle does not read. What is written in one can't be judged.
fn newer_version(root: &DeTable<'_>) -> Option<Problem> {
    let value = root.get("contract_version")?;
    let version = whole_number(value).filter(|version| *version > i128::from(CONTRACT_VERSION))?;
    let message =
        format!("this is written in contract_version {version}, and this Pintle reads {CONTRACT_VERSION}");
    let problem = Problem::error("contract.newer_version", value.span(), message);
    Some(problem.help("a newer Pintle is needed to read it"))
}

/// Tells of types that are nothing but references in a circle: no value could ever be judged by them.
fn circles(reading: &Reading, types: &Types, root: &DeTable<'_>) {
    for (name, schema) in types {
        let mut seen = BTreeSet::from([name.as_str()]);
        let mut at = schema;
        while let Some(next) = referred(at) {
            if !seen.insert(next) {
                let message = format!("the type `{}` refers to itself and to nothing else", shown(name));
                reading.tell(Problem::error("contract.bad_schema", span(root, &["types", name]), message));
                break;
            }
            let Some(schema) = types.get(next) else { break };
            at = schema;
        }
    }
}

/// Warns of what is there and used by nothing, and of what may be gone by now.
fn remarks(reading: &Reading, contract: &Contract, root: &DeTable<'_>) {
    for name in unused_types(contract) {
        let message = format!("nothing uses the type `{}`", shown(name));
        let at = span(root, &["types", name]);
        reading.tell(Problem::warning("contract.unused", at, message).help("take it out"));
    }
    for name in contract.permissions.keys() {
        if !contract.calls.values().any(|call| call.permission.as_ref() == Some(name)) {
            let message = format!("no call needs the permission `{name}`");
            let at = span(root, &["permissions", name]);
            let problem = Problem::warning("contract.unused", at, message);
            reading.tell(problem.help("it would be asked of a person and give nothing"));
        }
    }
    let hooks = contract.hooks.iter().map(|(name, hook)| ("hooks", name, &hook.deprecated));
    let calls = contract.calls.iter().map(|(name, call)| ("calls", name, &call.deprecated));
    let slots = contract.slots.iter().map(|(name, slot)| ("slots", name, &slot.deprecated));
    for (section, name, deprecated) in hooks.chain(calls).chain(slots) {
        if let Some(deprecated) = deprecated.as_ref().filter(|one| one.remove_in <= contract.version) {
            let message = format!("`{name}` was to be removed in {}", deprecated.remove_in);
            let at = span(root, &[section, name]);
            reading.tell(Problem::warning("contract.overdue", at, message));
        }
    }
}

fn unused_types(contract: &Contract) -> Vec<&str> {
    let mut open: Vec<&str> = Vec::new();
    for hook in contract.hooks.values() {
        open.push(&hook.payload);
        open.extend(hook.reply.as_deref());
    }
    for call in contract.calls.values() {
        open.extend([call.arguments.as_str(), call.returns.as_str()]);
    }
    for invoke in contract.slots.values().filter_map(|slot| slot.invoke.as_ref()) {
        open.extend([invoke.payload.as_str(), invoke.reply.as_str()]);
    }
    let mut used = BTreeSet::new();
    while let Some(name) = open.pop() {
        if used.insert(name)
            && let Some(schema) = contract.types.get(name)
        {
            references(schema, &mut open);
        }
    }
    contract.types.keys().map(String::as_str).filter(|name| !used.contains(name)).collect()
}

/// Returns where the last of these keys stands.
fn span(root: &DeTable<'_>, path: &[&str]) -> Span {
    super::locate::in_table(root, path).unwrap_or(0..0)
}
