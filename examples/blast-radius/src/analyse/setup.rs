//! Programs whose output is made to be read into a shell: it sets variables and completions, as everybody's profile has
//! it. What they write can't be seen, and is trusted as the programs themselves are.

use super::fresh::only_substitution;
use super::word::Word;
use brush_parser::ParserOptions;

/// The programs, and words one of which must be among their arguments; none if any do.
const PROGRAMS: [(&str, &[&str]); 26] = [
    ("ssh-agent", &[]),
    ("dircolors", &[]),
    ("lesspipe", &[]),
    ("brew", &["shellenv"]),
    ("direnv", &["hook", "export"]),
    ("starship", &["init"]),
    ("zoxide", &["init"]),
    ("mise", &["activate", "env", "hook-env"]),
    ("rtx", &["activate"]),
    ("fnm", &["env"]),
    ("pyenv", &["init", "virtualenv-init"]),
    ("rbenv", &["init"]),
    ("nodenv", &["init"]),
    ("goenv", &["init"]),
    ("jenv", &["init"]),
    ("opam", &["env"]),
    ("conda", &["shell.bash", "shell.zsh", "shell.posix"]),
    ("micromamba", &["shell"]),
    ("minikube", &["docker-env"]),
    ("docker-machine", &["env"]),
    ("keychain", &["--eval"]),
    ("gpg-agent", &["--daemon"]),
    ("thefuck", &["--alias"]),
    ("kubectl", &["completion"]),
    ("helm", &["completion"]),
    ("gh", &["completion"]),
];

/// Tells whether a word is the output of such a program.
pub(super) fn sets_up_a_shell(word: &Word, options: &ParserOptions) -> bool {
    let shown = word.shown.as_str();
    let line = match shown.strip_prefix("<(").and_then(|line| line.strip_suffix(')')) {
        Some(line) => line.to_owned(),
        None => only_substitution(shown, options).unwrap_or_default(),
    };
    let is_plain = |c: char| c.is_alphanumeric() || "-_=./ ".contains(c);
    let mut words = line.split_whitespace();
    let program = words.next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let arguments: Vec<&str> = words.collect();
    let is_known = PROGRAMS.iter().any(|(name, needs)| {
        *name == program && (needs.is_empty() || arguments.iter().any(|word| needs.contains(word)))
    });
    is_known && line.chars().all(is_plain)
}
