//! Aliases that a line defines for itself. Whether a shell follows them depends on the shell, so both are read: what the
//! alias stands for, and the word as it is.

use super::program::is_flag;
use super::reader::{Feed, Reader};
use super::shell::Shell;
use super::word::{Word, joined};

/// Reads `alias`, `unalias` and `hash -p`, which give a name to something else.
pub(super) fn define(program: &str, words: &[Word], shell: &mut Shell) {
    match program {
        "alias" => {
            for word in &words[1..] {
                let (name, line) = match (word.known(), word.lead().split_once('=')) {
                    (Some(text), _) => match text.split_once('=') {
                        Some((name, line)) => (name, Some(line.to_owned())),
                        None => continue,
                    },
                    (None, Some((name, _))) => (name, None),
                    (None, None) => continue,
                };
                shell.aliases.insert(name.to_owned(), line);
            }
        }
        "hash" => {
            if let [_, option, path, names @ ..] = words
                && option.known().is_some_and(|text| is_flag(text, 'p'))
            {
                for name in names.iter().filter_map(Word::known) {
                    shell.aliases.insert(name.to_owned(), path.known().map(str::to_owned));
                }
            }
        }
        _ => {
            for name in words[1..].iter().filter_map(Word::known) {
                shell.aliases.remove(name);
            }
        }
    }
}

impl Reader {
    /// Reads a command whose first word is an alias; says whether that found something.
    pub(super) fn alias(&mut self, words: &[Word], shell: &mut Shell, feed: &Feed) -> bool {
        let Some(name) = words[0].known().filter(|name| shell.aliases.contains_key(*name)) else {
            return false;
        };
        let name = name.to_owned();
        let begin = self.found.len();
        // An alias does not stand for itself again.
        match shell.aliases.remove(&name) {
            Some(Some(line)) => {
                // What it is given to read comes from before, which the text alone does not say.
                let fed = if *feed == Feed::Nothing { "" } else { " <&0" };
                self.line(&format!("{line} {}{fed}", joined(&words[1..])), shell);
                shell.aliases.insert(name, Some(line));
            }
            Some(None) => {
                self.opaque(words, "what the alias stands for, nobody can tell before it runs", shell);
                shell.aliases.insert(name, None);
            }
            None => {}
        }
        self.found.len() > begin
    }
}
