//! What the clients of databases are told: statements of SQL as arguments or on standard input, and the words with which
//! stores of other kinds are emptied. Each statement is looked at by itself. What a file holds that a client reads, such
//! as `psql -f`, is not looked at, nor is what a pipe brings that the line does not say.

use super::danger::Action;
use super::reader::{Feed, Reader};
use super::shell::Shell;
use super::word::{Value, Word, joined};

/// Programs that take statements of SQL.
const SQL: [&str; 19] = [
    "psql",
    "pgcli",
    "mysql",
    "mariadb",
    "mycli",
    "sqlite3",
    "sqlite",
    "litecli",
    "duckdb",
    "cockroach",
    "clickhouse",
    "clickhouse-client",
    "sqlcmd",
    "mssql-cli",
    "sqlplus",
    "usql",
    "cqlsh",
    "snowsql",
    "wrangler",
];

/// Programs that take other commands, and what of those throws everything away, without space and in lower case.
const OTHERS: [(&[&str], &[&str]); 2] = [
    (&["redis-cli", "valkey-cli", "keydb-cli"], &["flushall", "flushdb"]),
    (&["mongosh", "mongo"], &["dropdatabase(", ".drop(", "deletemany({})", ".remove({})"]),
];

/// Options after which a statement stands.
const STATEMENT_FOLLOWS: [&str; 7] = ["-c", "--command", "-e", "--execute", "--eval", "-q", "--query"];

/// What can be dropped and no row is lost.
const NOT_ROWS: [&str; 11] = [
    "INDEX",
    "CONSTRAINT",
    "DEFAULT",
    "NOT",
    "EXPRESSION",
    "IDENTITY",
    "PRIMARY",
    "KEY",
    "TEMPORARY",
    "TEMP",
    "PREPARE",
];

/// Words after which a text in quotes is run as a statement.
const RUNS_TEXT: [&str; 4] = ["EXECUTE", "EXEC", "PREPARE", "DBLINK"];

/// Words before `UPDATE` where it is what happens and not what to do.
const BEFORE_A_NOUN: [&str; 9] = ["ON", "DO", "FOR", "KEY", "AFTER", "BEFORE", "OR", "GRANT", ","];

/// How the clients write that the rest of a line is for a shell.
const FOR_A_SHELL: [&str; 4] = ["\\!", ".shell ", ".system ", "system "];

/// Adds a danger if a client of a database is told to throw something away; says whether it is such a client.
pub(super) fn statement(
    reader: &mut Reader,
    program: &str,
    words: &[Word],
    shell: &Shell,
    feed: &Feed,
) -> bool {
    let other = OTHERS.iter().find(|(programs, _)| programs.contains(&program));
    let destroys = |text: &str| match other {
        Some((_, everything)) => {
            let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            everything.iter().any(|word| plain.to_lowercase().contains(word))
        }
        None => throws_away(text),
    };
    if other.is_none() && !SQL.contains(&program) {
        return false;
    }
    let read = match feed {
        Feed::Text(text) | Feed::Partly(text) => Some(text.clone()),
        Feed::Nothing | Feed::Unknown => None,
    };
    let texts: Vec<String> = words[1..].iter().map(said).chain(read).collect();
    for line in texts.iter().flat_map(|text| lines_for_a_shell(text)) {
        reader.inner_line(line, shell);
    }
    if texts.iter().any(|text| destroys(text)) {
        reader.add(joined(words), Action::Database { drops: true, migrations: &[] }, shell);
    } else if words.windows(2).any(|pair| is_statement(&pair[0]) && is_unknown(&pair[1])) {
        reader.opaque(words, "the statement that it would run is known only when it runs", shell);
    }
    true
}

fn is_statement(option: &Word) -> bool {
    option.known().is_some_and(|option| STATEMENT_FOLLOWS.contains(&option))
}

/// Tells whether nothing at all is known of a word.
fn is_unknown(word: &Word) -> bool {
    matches!(&word.value, Value::Unknown { lead, tail, .. } if lead.is_empty() && tail.is_empty())
}

/// Returns what a word may say, without the name of an option.
fn said(word: &Word) -> String {
    let text = word.in_the_line();
    match text.strip_prefix("--").and_then(|option| option.split_once('=')) {
        Some((_, value)) => value.to_owned(),
        None => text,
    }
}

/// Returns the rest of lines that a client hands to a shell.
fn lines_for_a_shell(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let line = line.trim_start();
        FOR_A_SHELL.iter().find_map(|order| line.strip_prefix(order))
    })
}

/// Tells whether statements throw rows away, or what holds them.
fn throws_away(text: &str) -> bool {
    statements(text).iter().any(|statement| {
        let words: Vec<&str> = statement.iter().map(String::as_str).collect();
        let has = |word: &str| words.contains(&word);
        let drops = words.windows(2).any(|pair| match pair {
            ["DROP", what] => is_name(what) && !NOT_ROWS.contains(what),
            ["TRUNCATE", what] => is_name(what),
            _ => false,
        });
        let deletes = words.windows(2).any(|pair| pair == ["DELETE", "FROM"])
            || words.first() == Some(&"DELETE") && has("FROM");
        let is_order = |at: usize| at == 0 || !BEFORE_A_NOUN.contains(&words[at - 1]);
        let overwrites = has("SET") && (0..words.len()).any(|at| words[at] == "UPDATE" && is_order(at));
        drops || (deletes || overwrites) && !has("WHERE")
    })
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '"'))
}

/// Returns the words of each statement in upper case. A name in quotes is a word that begins with `"`, a text in quotes
/// and a comment are none, and every other sign is a word of its own.
fn statements(text: &str) -> Vec<Vec<String>> {
    let upper = text.to_uppercase();
    let runs_text = upper.split(|c: char| !c.is_alphanumeric()).any(|word| RUNS_TEXT.contains(&word));
    // Where a quote may be part of a text, nobody can tell what is text, so nothing is.
    let hides = !runs_text && !upper.contains("\\'");
    let mut all = vec![Vec::new()];
    let mut rest = upper.as_str();
    while let Some(first) = rest.chars().next() {
        let current = all.last_mut().expect("it begins with one");
        let until = |end: &str, begin: usize| rest[begin..].find(end).map(|at| begin + at + end.len());
        let taken = match first {
            ';' => {
                all.push(Vec::new());
                1
            }
            '\'' if hides => until("'", 1).unwrap_or(1),
            '-' if hides && rest.starts_with("--") => until("\n", 2).unwrap_or(rest.len()),
            // A client runs what follows the mark of exclamation.
            '/' if hides && rest.starts_with("/*") && !rest.starts_with("/*!") => {
                until("*/", 2).unwrap_or(rest.len())
            }
            '/' if rest.starts_with("/*") => 2,
            '*' if rest.starts_with("*/") => 2,
            '"' | '`' => {
                let end = until(&first.to_string(), 1).unwrap_or(1);
                current.push(format!("\"{}", rest[1..end].trim_end_matches(first)));
                end
            }
            _ if is_part_of_a_word(first) => {
                let end = rest.find(|c| !is_part_of_a_word(c)).unwrap_or(rest.len());
                current.push(rest[..end].to_owned());
                end
            }
            _ => {
                if !first.is_whitespace() {
                    current.push(first.to_string());
                }
                first.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    all
}

fn is_part_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}
