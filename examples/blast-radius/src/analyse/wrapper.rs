//! Programs that run what follows them: `sudo`, `env`, `nice`, `xargs`, `ssh` and their like. What follows is read as a
//! command of its own.

use super::carrier::{elsewhere, lines_and_commands};
use super::database::database;
use super::launcher::{Launcher, launcher};
use super::program::is_flag;
use super::reader::{Feed, Reader};
use super::shell::Shell;
use super::word::{Word, joined};

/// Reads what a program runs; says whether it is one that runs another.
pub(super) fn wrapper(
    reader: &mut Reader,
    program: &str,
    words: &[Word],
    shell: &mut Shell,
    feed: &Feed,
) -> bool {
    if let Some(known) = launcher(program) {
        transparent(reader, program, &known, words, shell, feed);
        return true;
    }
    match program {
        "xargs" | "gxargs" | "parallel" | "sem" => xargs(reader, words, shell),
        "su" | "runuser" | "sg" | "newgrp" | "script" | "watch" | "gwatch" | "flock" | "entr" | "expect"
        | "pee" | "mispipe" | "tmux" | "screen" | "hyperfine" | "nodemon" | "concurrently" | "watchexec"
        | "capsh" | "socat" | "proot" | "perf" | "gdb" | "nu" | "pwsh" | "xonsh" | "start-stop-daemon" => {
            if RUN_INPUT.contains(&program) {
                reads_a_line(reader, words, shell, feed);
            }
            lines_and_commands(reader, words, shell, feed);
        }
        "at" | "batch" => reads_a_line(reader, words, shell, feed),
        "ssh" | "mosh" | "rsh" => {
            // With nothing but options and a name, the other side runs what it is given to read.
            let own = Shell { elsewhere: Some("on another machine".to_owned()), ..shell.clone() };
            match words {
                [_, .., last]
                    if words[1..words.len() - 1].iter().all(Word::is_option) && !last.is_option() =>
                {
                    reads_a_line(reader, words, &own, feed);
                }
                [..] => {}
            }
            elsewhere(reader, "on another machine", words, shell, feed);
        }
        "docker" | "podman" | "nerdctl" | "docker-compose" | "kubectl" | "oc" | "lxc" | "heroku" | "fly" => {
            // Its own `rm` and the like are about containers; only what follows `exec` and `run` is a command.
            let begin =
                words.iter().position(|word| matches!(word.known(), Some("exec" | "run" | "run:detached")));
            if let Some(begin) = begin {
                elsewhere(reader, "in a container", &words[begin..], shell, feed);
            }
        }
        "chroot" | "unshare" | "nsenter" | "systemd-run" | "bwrap" | "firejail" | "toolbox" | "distrobox" => {
            elsewhere(reader, "where other files may be in place of these", words, shell, feed);
        }
        "bundle" | "poetry" | "uv" | "uvx" | "pipenv" | "pdm" | "rye" | "hatch" | "npx" | "pnpm" | "pnpx"
        | "yarn" | "bun" | "bunx" | "mise" | "asdf" | "direnv" | "dotenv" | "op" | "doppler" | "foreman"
        | "nix" | "nix-shell" | "devbox" | "xvfb-run" | "npm" | "conda" | "mamba" | "pixi" => {
            let begin = words.iter().position(|word| {
                matches!(
                    word.known(),
                    Some("exec" | "run" | "x" | "dlx" | "--" | "-c" | "--command" | "--run" | "shell")
                )
            });
            let is_direct =
                ["npx", "pnpx", "bunx", "uvx", "yarn", "dotenv", "xvfb-run", "bundle"].contains(&program);
            match begin {
                _ if is_direct => lines_and_commands(reader, words, shell, feed),
                Some(begin) => lines_and_commands(reader, &words[begin..], shell, feed),
                None => {}
            }
        }
        "cargo" => {
            let sub = words[1..].iter().position(|word| matches!(word.known(), Some("sqlx" | "diesel")));
            if let Some(at) = sub {
                database(reader, words[1 + at].program().unwrap_or_default(), &words[1 + at..], shell);
            } else if words.get(1).and_then(Word::known) == Some("watch") {
                lines_and_commands(reader, &words[1..], shell, feed);
            }
        }
        "python" | "python2" | "python3" | "php" | "ruby" | "node" | "deno" | "perl" | "dotnet-exec" => {
            let script = words[1..].iter().position(|word| !word.is_option());
            if let Some(at) = script
                && !words[1..=at]
                    .iter()
                    .any(|word| matches!(word.known(), Some("-c" | "-e" | "-r" | "--eval")))
            {
                database(reader, words[1 + at].program().unwrap_or_default(), &words[1 + at..], shell);
            }
        }
        _ => return false,
    }
    true
}

fn transparent(
    reader: &mut Reader,
    program: &str,
    known: &Launcher,
    words: &[Word],
    shell: &mut Shell,
    feed: &Feed,
) {
    let mut own = shell.clone();
    let mut wants_shell = false;
    let mut operands = known.operands;
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let text = word.known().unwrap_or_default();
        let (option, attached) =
            text.split_once('=').map_or((text, None), |(option, value)| (option, Some(value)));
        let takes_next = known.with_value.contains(&text);
        let value = attached.map(Word::literal).or_else(|| words.get(at + 1).filter(|_| takes_next).cloned());
        match (program, option) {
            ("command", _) if is_flag(text, 'v') || is_flag(text, 'V') => return,
            ("sudo", "-l" | "-v" | "-k" | "-K" | "--list") | ("ionice", "-p" | "-P" | "-u") => return,
            (_, "--") => {
                at += 1;
                at += operands;
                // Assignments may still follow.
                while let Some((name, value)) = assignment(program, words.get(at)) {
                    own.assign(&name, value);
                    at += 1;
                }
                break;
            }
            ("env", "-S" | "--split-string") => {
                let rest = &words[(at + if takes_next { 2 } else { 1 }).min(words.len())..];
                return reader.joined_line(&split(value, rest), words, &mut own);
            }
            ("env", "-C" | "--chdir") | ("sudo", "-D" | "--chdir") => {
                if let Some(value) = &value {
                    own.change_dir(value);
                }
            }
            ("sudo", "-R" | "--chroot") => own.elsewhere = Some("under another root".to_owned()),
            ("sudo" | "doas", "-i" | "-s" | "--login" | "--shell") => wants_shell = true,
            // Also at the end of other letters, as in `-iS`, or with the text attached.
            ("env", _) if !text.starts_with("--") && word.is_option() && text.contains('S') => {
                let (_, attached) = text.split_once('S').expect("it holds one");
                let (value, rest) = match attached.is_empty() {
                    true => (words.get(at + 1).cloned(), at + 2),
                    false => (Some(Word::literal(attached)), at + 1),
                };
                return reader.joined_line(&split(value, &words[rest.min(words.len())..]), words, &mut own);
            }
            ("env", _) if text.starts_with("-C") => own.change_dir(&Word::literal(&text[2..])),
            _ if word.is_option() || text == "-" => {}
            _ if let Some((name, value)) = assignment(program, Some(word)) => own.assign(&name, value),
            _ if operands > 0 => operands -= 1,
            _ => break,
        }
        at += if takes_next { 2 } else { 1 };
    }
    let rest = words.get(at..).unwrap_or_default();
    match (rest, wants_shell, feed) {
        ([], true, Feed::Text(text)) => reader.inner_line(text, &own),
        ([], true, Feed::Unknown) => {
            reader.opaque(words, "it would run what a pipe brings, which nobody can tell", &own);
        }
        ([], _, _) => {}
        ([_, ..], true, _) => {
            // Each word is kept whole for the shell that runs them, but not by all of these programs.
            let begin = reader.found.len();
            reader.call(rest, &mut own.clone(), feed);
            if reader.found.len() == begin {
                reader.joined_line(rest, words, &mut own);
            }
        }
        ([_, ..], false, _) => {
            reader.call(rest, &mut own, feed);
            // `command cd` and `builtin cd` are the shell's own.
            if matches!(program, "command" | "builtin") {
                *shell = own;
            }
        }
    }
}

/// Returns what `NAME=value` before a command assigns, after a program that takes such words.
fn assignment(program: &str, word: Option<&Word>) -> Option<(String, Option<String>)> {
    let takes = matches!(program, "env" | "genv" | "sudo" | "doas" | "run0" | "please" | "cross-env");
    let word = word.filter(|_| takes)?;
    let (name, value) = word.lead().split_once('=')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| (name.to_owned(), word.known().is_some().then(|| value.to_owned())))
}

/// The words that `xargs` adds come from elsewhere, so nobody can tell them.
fn xargs(reader: &mut Reader, words: &[Word], shell: &Shell) {
    const WITH_VALUE: [&str; 16] = [
        "-I",
        "-n",
        "-P",
        "-L",
        "-d",
        "-E",
        "-s",
        "-a",
        "-j",
        "--max-args",
        "--max-procs",
        "--max-lines",
        "--delimiter",
        "--arg-file",
        "--jobs",
        "-R",
    ];
    let mut at = 1;
    let mut marker = "{}".to_owned();
    while let Some(word) = words.get(at).filter(|word| word.is_option()) {
        let text = word.known().unwrap_or_default();
        if text == "-I" || text == "-J" {
            marker = words.get(at + 1).and_then(Word::known).unwrap_or("{}").to_owned();
        } else if let Some(attached) = text.strip_prefix("-I") {
            marker = attached.to_owned();
        }
        at += if WITH_VALUE.contains(&text) || text == "-J" { 2 } else { 1 };
    }
    let end =
        words.iter().position(|word| matches!(word.known(), Some(":::" | "::::"))).unwrap_or(words.len());
    let Some(command) = words.get(at..end).filter(|rest| !rest.is_empty()) else {
        // Without a command of its own, `parallel` runs the lines that it reads; `xargs` runs `echo`.
        if matches!(words[0].program(), Some("parallel" | "sem")) {
            reader.opaque(words, "it would run lines that nobody can tell before it runs", shell);
        }
        return;
    };
    let mut command = with_unknown(command, &marker);
    command.push(Word::unknown("…"));
    through(reader, &command, words, shell);
}

/// Reads a command some of whose words are filled in later. It stands for the whole command in what is shown.
pub(super) fn through(reader: &mut Reader, command: &[Word], words: &[Word], shell: &Shell) {
    let begin = reader.found.len();
    let mut own = shell.clone();
    if command.len() == 2
        && let Some(line) = command[0].known()
        && line.contains(char::is_whitespace)
    {
        reader.line(line, &mut own);
    }
    reader.call(command, &mut own, &Feed::Unknown);
    for danger in &mut reader.found[begin..] {
        danger.command = joined(words);
    }
}

/// Puts an unknown word in place of each that holds a marker.
pub(super) fn with_unknown(words: &[Word], marker: &str) -> Vec<Word> {
    let is_marked = |word: &&Word| word.shown.contains(marker);
    let unknown = |word: &Word| Word::unknown(&word.shown);
    words.iter().map(|word| Some(word).filter(is_marked).map_or(word.clone(), unknown)).collect()
}

/// Programs that are shells for another user or group, and read lines if they are given none.
const RUN_INPUT: [&str; 4] = ["su", "runuser", "sg", "newgrp"];

/// A program that runs the lines which it is given to read.
fn reads_a_line(reader: &mut Reader, words: &[Word], shell: &Shell, feed: &Feed) {
    let has_line =
        words.iter().filter_map(Word::known).any(|text| is_flag(text, 'c') || text.starts_with("--comm"));
    match feed {
        Feed::Text(text) if !has_line => reader.inner_line(text, shell),
        Feed::Partly(_) | Feed::Unknown if !has_line => {
            reader.opaque(words, "it would run what a pipe brings, which nobody can tell", shell);
        }
        Feed::Text(_) | Feed::Partly(_) | Feed::Unknown | Feed::Nothing => {}
    }
}

/// Returns the line that `env -S` makes: the text is split, may begin with options of `env` itself, and what follows is put
/// behind it. `\\_` stands for a blank in it.
fn split(text: Option<Word>, rest: &[Word]) -> Vec<Word> {
    let text =
        text.map(|word| word.known().map_or(word.clone(), |known| Word::literal(&known.replace("\\_", " "))));
    std::iter::once(Word::literal("env")).chain(text).chain(rest.iter().cloned()).collect()
}
