//! When something of a contract may go: announced by a deprecation, after at least one minor release in which it was
//! still there, and not before the version that was named. A version number alone admits no removal.

use super::bump::Bump;
use super::difference::{Comparing, Side};
use crate::Version;
use crate::contract::model::Deprecation;

const WHY: &str = "an extension that uses it can no longer be loaded";

/// Judges that something is gone.
pub(super) fn gone(comparing: &mut Comparing<'_>, place: &[&str], deprecated: Option<&Deprecation>) {
    match too_soon(comparing, deprecated) {
        None => comparing.add_gone(place, Bump::Major, "it is gone", WHY),
        Some(because) => comparing.refuse(Side::Old, place, "it is gone", because),
    }
}

/// Says why something can't go yet.
fn too_soon(comparing: &Comparing<'_>, deprecated: Option<&Deprecation>) -> Option<String> {
    let (old, new) = (&comparing.old.version, &comparing.new.version);
    let Some(deprecated) = deprecated else {
        return Some(format!("{old} does not deprecate it; it has to say so first, with `remove_in`"));
    };
    let Deprecation { since, remove_in, .. } = deprecated;
    let numbers = Version::new(new.major(), new.minor(), new.patch());
    if numbers < *remove_in {
        return Some(format!("{old} promises it until {remove_in}, and this is {new}"));
    }
    let next = Version::new(since.major(), since.minor() + 1, 0);
    (*old < next).then(|| {
        format!("it is deprecated since {since}, and no minor release lies between: {old} is not yet {next}")
    })
}

/// Judges that a permission is gone.
pub(super) fn permission_gone(comparing: &mut Comparing<'_>, name: &str) {
    let place = ["permissions", name];
    let (old, new) = (comparing.old, comparing.new);
    let users = old.calls.iter().filter(|(_, call)| call.permission.as_deref() == Some(name));
    let kept = users.clone().find(|(call, _)| new.calls.contains_key(*call));
    let early = users.clone().find(|(_, call)| too_soon(comparing, call.deprecated.as_ref()).is_some());
    match kept.or(early) {
        None => comparing.add_gone(
            &place,
            Bump::Major,
            "it is gone",
            "an extension that asks for it can no longer be loaded",
        ),
        Some((call, _)) => {
            let because = format!(
                "the call `{call}` needs it in {}; one release has to keep it unused first",
                old.version
            );
            comparing.refuse(Side::Old, &place, "it is gone", because);
        }
    }
}

/// Compares the deprecations of something that is still there.
pub(super) fn deprecation(
    comparing: &mut Comparing<'_>,
    place: &[&str],
    old: Option<&Deprecation>,
    new: Option<&Deprecation>,
) {
    let version = &comparing.old.version;
    match (old, new) {
        (None, None) => {}
        (None, Some(new)) if new.since <= *version => {
            let because = format!("{version} did not deprecate it, so `since` is later than {version}");
            comparing.refuse(Side::New, place, format!("it is deprecated since {}", new.since), because);
        }
        (None, Some(_)) => {
            comparing.add(place, Bump::Minor, "it is deprecated", "it works on, with a warning");
        }
        (Some(_), None) => {
            comparing.add_gone(place, Bump::Minor, "it is no longer deprecated", "it stays");
        }
        (Some(old), Some(new)) => changed(comparing, place, old, new),
    }
}

fn changed(comparing: &mut Comparing<'_>, place: &[&str], old: &Deprecation, new: &Deprecation) {
    if new.since != old.since {
        let what = format!("`since` goes from {} to {}", old.since, new.since);
        let because = "when it was deprecated does not change afterwards".to_owned();
        comparing.refuse(Side::New, place, what, because);
    }
    if new.remove_in < old.remove_in {
        let what = format!("`remove_in` goes from {} to {}", old.remove_in, new.remove_in);
        comparing.refuse(Side::New, place, what, format!("it was promised until {}", old.remove_in));
    } else if new.remove_in != old.remove_in {
        let what = format!("`remove_in` goes from {} to {}", old.remove_in, new.remove_in);
        comparing.add(place, Bump::Minor, what, "it stays for longer");
    }
    if new.instead != old.instead {
        let what = format!("`instead` goes from `{}` to `{}`", old.instead, new.instead);
        comparing.add(place, Bump::Patch, what, "it is advice to authors");
    }
    if new.alias != old.alias {
        let what = format!("`alias` is now `{}`", new.alias);
        comparing.add(place, Bump::Minor, what, "the old name works on, served in another way");
    }
}
