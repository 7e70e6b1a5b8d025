//! What is found in a line, in words.

use blast_radius::analyse::{Action, Command, Danger, Dir, GitAction, Target, analyse};
use std::path::Path;

fn shown(danger: &Danger) -> String {
    let target = |target: &Target| match target {
        Target::Path(path) => path.clone(),
        Target::Glob(pattern) => format!("glob:{pattern}"),
        Target::Unknown(text) => format!("unknown:{text}"),
    };
    let targets = |all: &[Target]| all.iter().map(target).collect::<Vec<_>>().join(" ");
    let action = match &danger.action {
        Action::Remove(remove) => {
            format!("{} {}", if remove.recursive { "rm-r" } else { "rm" }, targets(&remove.targets))
        }
        Action::Find { roots } => format!("find {}", targets(roots)),
        Action::Database { drops: false, .. } => "database".to_owned(),
        Action::Database { drops: true, .. } => "database drops".to_owned(),
        Action::Opaque { .. } => "opaque".to_owned(),
        Action::Git { place, action } => {
            let place = place.git_dir.as_ref().map(|dir| format!(" git-dir={dir}")).unwrap_or_default();
            let action = match action {
                GitAction::Reset { to } => format!("reset {to}"),
                GitAction::Clean { flags, paths } => {
                    format!("clean {} {}", flags.join(""), paths.join(" ")).trim().to_owned()
                }
                GitAction::Discard { from, paths } => {
                    format!(
                        "discard {}from {}",
                        paths.iter().map(|p| format!("{p} ")).collect::<String>(),
                        from.as_deref().unwrap_or("index")
                    )
                }
                GitAction::DiscardIfPath { name } => format!("discard-if-path {name}"),
                GitAction::DiscardAll => "discard-all".to_owned(),
                GitAction::DropStash { which } => format!("stash {}", which.as_deref().unwrap_or("all")),
                GitAction::DropRefs { names, to } => {
                    let to = to.as_ref().map(|to| format!(" to {to}")).unwrap_or_default();
                    let short = |name: &String| match name.strip_prefix("refs/remotes/") {
                        Some(name) => format!("{name} remote"),
                        None => name.trim_start_matches("refs/heads/").to_owned(),
                    };
                    format!("branch {}{to}", names.iter().map(short).collect::<Vec<_>>().join(" "))
                }
                GitAction::Forget { expire, reflog } => {
                    let expire =
                        expire.as_ref().map(|expire| format!(" objects {expire}")).unwrap_or_default();
                    format!("forget{expire}{}", if *reflog { " reflog" } else { "" })
                }
                GitAction::Rewrite { keeps_old } => {
                    format!("rewrite{}", if *keeps_old { "" } else { " for good" })
                }
                GitAction::RemoveWorktree { name } => format!("worktree {name}"),
                GitAction::EmptySubmodules { paths } => format!("submodules {}", paths.join(" ")),
                GitAction::PushAsSet { remote, names } => {
                    format!("push-as-set {} {}", remote.as_deref().unwrap_or("-"), names.join(" "))
                        .trim()
                        .to_owned()
                }
                GitAction::Push { remote, refs, mirror } => {
                    let refs: Vec<_> = refs
                        .iter()
                        .map(|r| format!("{}:{}", r.source.as_deref().unwrap_or(""), r.target))
                        .collect();
                    let mirror = if *mirror { " mirror" } else { "" };
                    format!("push {} {}{mirror}", remote.as_deref().unwrap_or("-"), refs.join(" "))
                        .trim()
                        .to_owned()
                }
                GitAction::Alias { name, rest } => format!("alias {name} {rest}").trim().to_owned(),
            };
            format!("git {action}{place}")
        }
    };
    match &danger.dir {
        Dir::Known { path, fallback: None } if path == Path::new("/w") => action,
        Dir::Known { path, fallback: None } => format!("{action} @{}", path.display()),
        Dir::Known { path, fallback: Some(other) } => {
            format!("{action} @{} else {}", path.display(), other.display())
        }
        Dir::Unknown(_) => format!("{action} @?"),
    }
}

pub(crate) fn found(command: Command<'_>) -> Vec<String> {
    analyse(command, Path::new("/w"), Some(Path::new("/home/ada"))).iter().map(shown).collect()
}

#[track_caller]
pub(crate) fn check(line: &str, expected: &[&str]) {
    assert_eq!(found(Command::Line(line)), expected, "in the line {line:?}");
}
