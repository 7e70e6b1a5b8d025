//! The sorts of text that a manifest is made of, each with its reader. Bounds and patterns are here and nowhere
//! else; where a sort of text is allowed is in [`grammar`](super::grammar).

use super::checked::Checked;
use super::report::shown;
use super::word::{Fault, Word};
use crate::{HostName, Name, NameError, PackagePath, Requirement, Target, Untrusted, Version};
use std::time::Duration;

const NAME_PATTERN: &str = "^[a-z][a-z0-9]*(-[a-z0-9]+)*$";
const PATH_PATTERN: &str = "^[A-Za-z0-9._+@-]+(/[A-Za-z0-9._+@-]+)*$";
const VERSION_PATTERN: &str =
    r"^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$";
macro_rules! comparator {
    () => {
        r"(!=|=|>=?|<=?|~|\^)?\s*[0-9]+(\.([0-9]+|[*xX])){0,2}(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?"
    };
}
const REQUIREMENT_PATTERN: &str = concat!(r"^\s*(\*|", comparator!(), r"(\s*,\s*", comparator!(), r")*)\s*$");
const PLAIN_PATTERN: &str = r"^[^\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]*$";

/// A text in one line, and what the other words differ from.
pub(crate) const LINE: Word = Word {
    what: "this text",
    code: "manifest.control_character",
    pattern: Some(PLAIN_PATTERN),
    least: 1,
    most: 200,
    dotted: false,
    known: None,
    read: |text| plain(text).map(Checked::Text),
};
pub(crate) const DESCRIPTION: Word = Word { what: "a description", most: 300, ..LINE };
pub(super) const KEYWORD: Word = Word { what: "a keyword", most: 40, ..LINE };
pub(super) const PATTERN: Word = Word { what: "a pattern", most: 300, ..LINE };
pub(super) const GRANTED: Word = Word { what: "an item of a permission", most: 1000, ..LINE };
pub(crate) const FIELD: Word = Word { what: "the name of a field", most: 100, ..LINE };
/// A text to compare with, which may be empty.
pub(super) const FREE: Word = Word { least: 0, most: 1000, ..LINE };
pub(super) const NAME: Word = Word {
    what: "the name of an extension",
    code: "manifest.bad_name",
    pattern: Some(NAME_PATTERN),
    least: 3,
    most: 64,
    read: |text| Name::parse(text).map(Checked::Name).map_err(|error| misnamed(&error)),
    ..LINE
};
pub(crate) const HOST: Word = Word {
    what: "the name of a host",
    least: 2,
    read: |text| HostName::parse(text).map(Checked::Host).map_err(|error| misnamed(&error)),
    ..NAME
};
/// Names a hook, a slot or a permission; which exist is for the contract to say.
pub(crate) const DOTTED: Word = Word {
    what: "a name of the contract",
    pattern: Some(r"^[a-z0-9_]+(\.[a-z0-9_]+)*$"),
    least: 1,
    most: 100,
    dotted: true,
    read: dotted,
    ..NAME
};
pub(crate) const SLOT_ENTRY: Word = Word {
    what: "the name of an entry",
    pattern: Some("^[!-~]+$"),
    most: 64,
    read: visible,
    dotted: false,
    ..DOTTED
};
pub(super) const INTERPRETER: Word = Word {
    what: "the name of a program",
    pattern: Some("^[A-Za-z0-9._+-]+$"),
    most: 64,
    dotted: false,
    read: interpreter,
    ..DOTTED
};
pub(crate) const VERSION: Word = Word {
    what: "a version",
    code: "manifest.bad_version",
    pattern: Some(VERSION_PATTERN),
    least: 5,
    most: 128,
    read: version,
    ..LINE
};
pub(super) const REQUIREMENT: Word = Word {
    what: "a version requirement",
    code: "manifest.bad_requirement",
    pattern: Some(REQUIREMENT_PATTERN),
    most: 256,
    read: |text| requirement(text).map(Checked::Requirement),
    ..LINE
};
/// A requirement that some version is too new for.
pub(super) const BOUNDED: Word = Word { read: bounded, ..REQUIREMENT };
pub(super) const PATH: Word = Word {
    what: "a path in a package",
    code: "manifest.bad_path",
    pattern: Some(PATH_PATTERN),
    most: crate::MAX_PATH,
    read: |text| path(text).map(Checked::Path),
    ..LINE
};
/// A folder on the author's machine.
pub(super) const FOLDER: Word = Word {
    what: "the path of a folder",
    code: "manifest.bad_path",
    pattern: Some(r"^[^/\\][^\\]*$"),
    most: 1000,
    read: folder,
    ..LINE
};
pub(super) const ADDRESS: Word = Word {
    what: "an address",
    code: "manifest.bad_address",
    pattern: Some(r"^https://[!-~]+$"),
    most: 500,
    read: address,
    ..LINE
};
/// An argument of a program: anything that a system call can pass on.
pub(super) const ARGUMENT: Word = Word {
    what: "a part of a command",
    pattern: Some(r"^[^\u0000]*$"),
    most: 4096,
    read: |text| argument(text).map(Checked::Text),
    ..LINE
};
pub(super) const PROGRAM: Word = Word { what: "a program", read: program, ..ARGUMENT };
pub(super) const LIBRARY_TARGET: Word = Word {
    what: "a target",
    code: "manifest.unknown_target",
    pattern: None,
    most: 64,
    known: Some(library_targets),
    read: target,
    ..LINE
};
pub(crate) const TIME: Word = Word {
    what: "a time",
    code: "manifest.bad_time",
    pattern: Some("^0*[1-9][0-9]*(ms|s|m)$"),
    least: 2,
    most: 16,
    read: time,
    ..LINE
};

fn plain(text: &str) -> Result<String, Fault> {
    let fault = |message: String| Err(Fault::new(message).code("manifest.control_character"));
    match text
        .chars()
        .find(|c| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
    {
        None => Ok(text.to_owned()),
        Some('\n' | '\r') => fault("a line break can't stand in this text".to_owned()),
        Some(found) if found.is_control() => {
            fault(format!("this text has no control characters; `{}` is one", found.escape_unicode()))
        }
        Some(found) => fault(format!("`{}` turns the direction of reading", found.escape_unicode())),
    }
}

fn misnamed(error: &NameError) -> Fault {
    Fault::new(error.to_string())
}

fn dotted(text: &str) -> Result<Checked, Fault> {
    let is_part = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '_' | '.');
    if let Some(found) = text.chars().find(|c| !is_part(*c)) {
        let message = format!("this name is made of `a-z`, `0-9`, `_` and `.`; `{}` is not", seen(found));
        let guess = text.to_ascii_lowercase().replace(['-', ' '], "_");
        return Err(match guess.chars().all(is_part) {
            true => Fault::new(message).help(format!("did you mean `{guess}`?")),
            false => Fault::new(message),
        });
    }
    match text.split('.').any(str::is_empty) {
        true => Err(Fault::new("this name has single `.` between words, and none at its ends")),
        false => Ok(Checked::Text(text.to_owned())),
    }
}

fn visible(text: &str) -> Result<Checked, Fault> {
    match text.chars().find(|c| !c.is_ascii_graphic()) {
        None => Ok(Checked::Text(text.to_owned())),
        Some(found) => Err(Fault::new(format!(
            "this name is made of visible ASCII characters; `{}` is none",
            seen(found)
        ))),
    }
}

fn interpreter(text: &str) -> Result<Checked, Fault> {
    match text.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-'))) {
        None => Ok(Checked::Text(text.to_owned())),
        Some('/') => Err(Fault::new("a program that is required is looked up by its name, not by a path")),
        Some(found) => Err(Fault::new(format!(
            "the name of a program is made of letters, `0-9` and `._+-`; `{}` is not",
            seen(found)
        ))),
    }
}

fn seen(character: char) -> String {
    match character.is_ascii_graphic() || character == ' ' {
        true => character.to_string(),
        false => character.escape_unicode().to_string(),
    }
}

fn version(text: &str) -> Result<Checked, Fault> {
    let refused = |error: crate::VersionError| {
        let fault = Fault::new(Untrusted(&error.to_string()).to_string());
        let zeros = ["", ".0", ".0.0"];
        let bare = text.trim().trim_start_matches(['v', 'V', '=']);
        match zeros.iter().map(|zeros| format!("{bare}{zeros}")).find(|guess| Version::parse(guess).is_ok()) {
            Some(guess) => fault.help(format!("did you mean `{guess}`?")),
            None => fault,
        }
    };
    Version::parse(text).map(Checked::Version).map_err(refused)
}

fn requirement(text: &str) -> Result<Requirement, Fault> {
    Requirement::parse(text).map_err(|error| Fault::new(Untrusted(&error.to_string()).to_string()))
}

fn bounded(text: &str) -> Result<Checked, Fault> {
    let requirement = requirement(text)?;
    if requirement.has_upper_bound() {
        return Ok(Checked::Requirement(requirement));
    }
    let lowest =
        requirement.comparators().iter().filter_map(|comparator| comparator.lower_bound()).next_back();
    let next = lowest.map(|(version, _)| Requirement::caret(&version));
    let next =
        next.and_then(|caret| caret.comparators().first().and_then(|comparator| comparator.upper_bound()));
    let suggestion = match next {
        Some((next, _)) if next.major() > 0 => format!("{requirement}, <{}", next.major()),
        Some((next, _)) => format!("{requirement}, <{}.{}", next.major(), next.minor().max(1)),
        None => ">=1.0, <2".to_owned(),
    };
    let message = format!("`{requirement}` admits every later version of the host, and no one knows those");
    let fault = Fault::new(message).code("manifest.host_unbounded");
    Err(fault.help(format!("bound it above, such as `{suggestion}`")))
}

fn path(text: &str) -> Result<PackagePath, Fault> {
    PackagePath::parse(text).map_err(|error| {
        let fault = Fault::new(error.to_string());
        let guess = text.replace('\\', "/");
        let guess = guess.trim_start_matches("./");
        match guess != text && PackagePath::parse(guess).is_ok() {
            true => fault.help(format!("write `{guess}`")),
            false => fault,
        }
    })
}

fn folder(text: &str) -> Result<Checked, Fault> {
    if text.contains('\\') {
        return Err(Fault::new("the parts of a path are separated by `/`").help("write `/` for each `\\`"));
    }
    if text.starts_with('/') {
        return Err(Fault::new("the path of a folder is relative to this file"));
    }
    plain(text).map(Checked::Text)
}

fn address(text: &str) -> Result<Checked, Fault> {
    let Some(rest) = text.strip_prefix("https://") else {
        let fault = Fault::new("an address begins with `https://`");
        return Err(match text.strip_prefix("http://").filter(|rest| !rest.is_empty() && is_visible(rest)) {
            Some(rest) => fault.help(format!("write `https://{}`", shown(rest))),
            None => fault,
        });
    };
    match !rest.is_empty() && is_visible(rest) {
        true => Ok(Checked::Text(text.to_owned())),
        false => Err(Fault::new("an address is `https://` and visible ASCII characters")),
    }
}

fn is_visible(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_graphic())
}

fn argument(text: &str) -> Result<String, Fault> {
    match text.contains('\0') {
        true => Err(Fault::new("no program can be given a NUL character").code("manifest.control_character")),
        false => Ok(text.to_owned()),
    }
}

fn program(text: &str) -> Result<Checked, Fault> {
    let text = argument(text)?;
    if text.contains(['/', '\\']) {
        path(&text).map_err(|fault| in_folder(&text, fault.code("manifest.bad_path")))?;
    }
    Ok(Checked::Text(text))
}

/// A program at the root of the package has no `/`, and would be looked up on the machine instead.
fn in_folder(text: &str, fault: Fault) -> Fault {
    match text.strip_prefix("./").filter(|name| PackagePath::parse(name).is_ok() && !name.contains('/')) {
        Some(name) => fault.help(format!("put the program in a folder of the package, such as `bin/{name}`")),
        None => fault,
    }
}

fn library_targets() -> Vec<&'static str> {
    let all = Target::known().filter(|target| *target != Target::ANY);
    all.map(|target| target.as_str()).collect()
}

fn target(text: &str) -> Result<Checked, Fault> {
    match Target::parse(text) {
        Ok(Target::ANY) => Err(Fault::new("a library is built for one target, never for `any`")),
        Ok(target) => Ok(Checked::Target(target)),
        Err(_) => {
            let known = library_targets();
            let fault = Fault::new(format!("`{}` is not a known target", shown(text)));
            Err(match crate::nearest(text, known.iter().copied()) {
                Some(nearest) => fault.help(format!("did you mean `{nearest}`?")),
                None => fault.help(format!("known targets: `{}`", known.join("`, `"))),
            })
        }
    }
}

fn time(text: &str) -> Result<Checked, Fault> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let fault = || Fault::new(format!("`{}` is not a time", shown(text)));
    let milliseconds = match unit {
        _ if number.is_empty() => return Err(fault().help("write a number and a unit, such as `250ms`")),
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "" => {
            let message = format!("the time `{number}` has no unit");
            return Err(
                Fault::new(message).help(format!("add one: `{number}ms`, `{number}s` or `{number}m`"))
            );
        }
        _ => return Err(fault().help("the units are `ms`, `s` and `m`, right after the number")),
    };
    match number.parse::<u64>().ok().and_then(|number| number.checked_mul(milliseconds)) {
        Some(0) => Err(Fault::new("a callback that has no time can't run")),
        Some(time) if time <= 3_600_000 => Ok(Checked::Time(Duration::from_millis(time))),
        Some(_) | None => Err(Fault::new("a time is at most an hour").code("manifest.too_long")),
    }
}
