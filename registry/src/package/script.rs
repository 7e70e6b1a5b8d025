//! Which words of a command name a script that an interpreter of the machine is to run. Judges words only, and rather
//! passes one over than takes a module, an address or an option's value for a file.

/// How the names of scripts end, and of what else an interpreter is given to run.
const ENDINGS: [&str; 27] = [
    "py", "pyc", "pyz", "js", "mjs", "cjs", "ts", "mts", "cts", "rb", "pl", "lua", "php", "sh", "bash",
    "zsh", "fish", "ps1", "tcl", "jl", "exs", "scm", "awk", "wasm", "jar", "dll", "r",
];
/// Those whose first operand is always a file, however it is called.
const INTERPRETERS: [&str; 10] =
    ["python", "pypy", "ruby", "perl", "lua", "php", "sh", "bash", "dash", "zsh"];
/// Options that name something to load before the script.
const LOADING: [&str; 8] =
    ["-r", "--require", "-I", "--import", "--loader", "--experimental-loader", "--with", "--config"];

/// Returns the word that names the script, if one clearly does. Of `python3 -m module` or `node -e CODE` none does.
pub(super) fn script(command: &[String]) -> Option<&str> {
    let (program, arguments) = command.split_first()?;
    if program.contains('/') {
        // What a program of the package makes of its arguments is its own affair.
        return None;
    }
    let takes_a_file =
        INTERPRETERS.contains(&program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
    let mut before = "";
    for word in arguments.iter().map(String::as_str).take_while(|word| !gives_code(word)) {
        let may_be_a_value = before.starts_with('-') && before != "--";
        let is_loaded = LOADING.contains(&before);
        before = word;
        if word.starts_with('-') || is_loaded {
            continue;
        }
        let is_operand = takes_a_file && !may_be_a_value;
        if has_ending(word) || is_operand {
            return is_path(word).then_some(word);
        }
    }
    None
}

/// Tells whether what follows is code or a module: `-c`, `-e`, `-m`, `-p`, also after other letters (`bash -lc`).
fn gives_code(word: &str) -> bool {
    let letters = word.strip_prefix('-').filter(|letters| letters.chars().all(|c| c.is_ascii_alphabetic()));
    let last = letters.filter(|letters| letters.len() <= 3).and_then(|letters| letters.chars().last());
    matches!(last, Some('c' | 'e' | 'm' | 'p')) || matches!(word, "--eval" | "--print" | "--command")
}

/// Tells whether it can be a path in the package: not an absolute one, nor a list, a pattern or an address.
fn is_path(word: &str) -> bool {
    !word.starts_with('/') && !word.contains([':', '=', '*', '$', '%', ' ', '\n'])
}

fn has_ending(word: &str) -> bool {
    let ending = word.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

#[cfg(test)]
mod tests {
    use super::script;

    #[test]
    fn a_word_is_a_script_only_if_it_can_be_nothing_else() {
        let check = |line: &str, expected: Option<&str>| {
            let command: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(script(&command), expected, "{line}");
        };
        check("python3 main.py", Some("main.py"));
        check("python3 -u main.py out.js", Some("main.py"));
        check("python3.12 -W ignore app/main", Some("app/main"));
        check("python3 ../main.py", Some("../main.py"));
        check("env A=1 python3 main.py", Some("main.py"));
        check("node --import x main.js", Some("main.js"));
        check("node --import tsx/esm ./main.ts", Some("./main.ts"));
        check("node -r ./hook.js main.js", Some("main.js"));
        check("deno run -A main.ts", Some("main.ts"));
        check("java -jar lib/it.jar", Some("lib/it.jar"));
        check("sh run", Some("run"));
        check("bash -o pipefail run", Some("run"));
        check("sh -- run", Some("run"));
        check("python3 -m module", None);
        check("python3 -Im module.js", None);
        check("node -e require('./x.js')", None);
        check("bash -lc ./main.sh", None);
        check("sh -c true", None);
        check("deno run https://deno.land/x/it.ts", None);
        check("java -cp lib/a.jar:lib/b.jar Main", None);
        check("npx @scope/it", None);
        check("go run ./cmd/it", None);
        check("uvx it", None);
        check("python3 /usr/share/it.py", None);
        check("bin/it config.js", None);
        check("node", None);
    }
}
