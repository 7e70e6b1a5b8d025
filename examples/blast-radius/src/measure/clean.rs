//! Files that `git clean` would delete, as its own dry run names them.

use super::git::GitError;
use super::phrase::{count, name, plain, size, some};
use super::repository::Repository;
use super::survey::{Finding, Scene};
use super::walk::walk;
use std::path::PathBuf;

/// Measures `git clean`.
pub(super) fn clean(
    scene: &mut Scene<'_>,
    repository: &Repository<'_>,
    flags: &[String],
    paths: &[String],
) -> Result<Option<Finding>, GitError> {
    let mut arguments = vec!["clean", "-n"];
    arguments.extend(flags.iter().map(String::as_str));
    arguments.push("--");
    arguments.extend(paths.iter().map(String::as_str));
    let said = repository.ask(&arguments)?;
    let names: Vec<String> =
        said.lines().filter_map(|line| line.strip_prefix("Would remove ")).map(unquoted).collect();
    if names.is_empty() {
        return Ok(None);
    }
    let dir = scene.dir.clone().unwrap_or_else(|| repository.top.clone());
    let there: Vec<PathBuf> = names.iter().map(|name| dir.join(name.trim_end_matches('/'))).collect();
    let tree = walk(&there, true, false, &mut scene.budget);
    if tree.files == 0 && tree.unreadable.is_empty() && !tree.is_partial {
        return Ok(None);
    }
    let at_least = if tree.is_partial { "more than " } else { "" };
    let what = format!("{at_least}{} ({})", count(tree.files, "file"), size(tree.bytes));
    let title = format!("{} would delete {what} in {}", scene.shown, name(&dir));
    let mut details = vec![some(&names, 6)];
    let takes_ignored = flags.iter().any(|flag| flag == "-x" || flag == "-X");
    details.push(match takes_ignored {
        true => "also what git ignores, such as settings and secrets that are kept out of it".to_owned(),
        false => "what git ignores stays".to_owned(),
    });
    details.push("none of it is in git: it can't be restored".to_owned());
    details.extend(
        tree.repositories.iter().take(2).map(|path| format!("{} is a git repository of its own", name(path))),
    );
    if let [(bytes, path), ..] = tree.largest.as_slice() {
        let path = path.strip_prefix(&dir).unwrap_or(path);
        details.push(format!("largest: {} ({})", name(path), size(*bytes)));
    }
    if let Some((time, path)) = &tree.newest {
        let path = path.strip_prefix(&dir).unwrap_or(path);
        details.push(format!("newest: {}, {}", name(path), super::phrase::ago(*time, scene.survey.now)));
    }
    if let Some(first) = tree.unreadable.first() {
        details.push(format!("{} can't be read", plain(&first.to_string_lossy())));
    }
    Ok(Some(Finding { title, details }))
}

/// Takes the quotes off a name as git writes one that is not plain.
fn unquoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
        return text.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'v') => bytes.push(11),
            Some(b'f') => bytes.push(12),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                while value < 32
                    && let Some(next) = rest.next_if(|byte| (b'0'..=b'7').contains(byte))
                {
                    value = value * 8 + u32::from(next - b'0');
                }
                bytes.push(u8::try_from(value).unwrap_or(b'?'));
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::unquoted;

    #[test]
    fn names_as_git_writes_them() {
        let check = |text: &str, expected: &str| assert_eq!(unquoted(text), expected);
        check("a b", "a b");
        check(r#""a\nb""#, "a\nb");
        check(r#""\303\244 \"x\\""#, "ä \"x\\");
        check(r#""\001a""#, "\u{1}a");
    }
}
