//! Expands a word as a shell would, as far as the line alone allows. Runs nothing and reads no file: a pattern stays a
//! pattern, and a command substitution is handed back to be read as a line of its own.

use super::danger::Dir;
use super::shell::Shell;
use super::variable::Variable;
use super::word::{Value, Word};
use brush_parser::ParserOptions;
use brush_parser::word::{
    BraceExpressionMember, BraceExpressionOrText, Parameter, ParameterExpr, SpecialParameter, TildeExpr,
    WordPiece, WordPieceWithSource, parse, parse_brace_expansions, parse_heredoc,
};

/// More words than this from one brace expression are not looked at one by one.
const MOST_WORDS: usize = 1000;

/// What became of a word, and the lines that a shell runs to find out.
#[derive(Debug, Default)]
pub(super) struct Expansion {
    pub(super) words: Vec<Word>,
    pub(super) inner: Vec<String>,
}

/// Expands one word of a command.
pub(super) fn expand(text: &str, shell: &Shell, options: &ParserOptions) -> Expansion {
    let mut out = Expansion::default();
    let Some(texts) = braces(text, options) else {
        out.words.push(Word::unknown(text));
        return out;
    };
    for text in texts {
        let Ok(pieces) = parse(&text, options) else {
            out.words.push(Word::unknown(&text));
            continue;
        };
        if let Some(words) = whole_variable(&pieces, shell) {
            out.words.extend(words);
            continue;
        }
        let mut builder = Builder::new(shell, options, &text);
        builder.pieces(&pieces, false);
        out.inner.append(&mut builder.inner);
        let value = builder.finish();
        out.words.push(Word { shown: text, value });
    }
    out
}

/// Returns the text of a here-document if it is known.
pub(super) fn expand_document(text: &str, shell: &Shell, options: &ParserOptions) -> Option<String> {
    let pieces = parse_heredoc(text, options).ok()?;
    let mut builder = Builder::new(shell, options, text);
    builder.pieces(&pieces, true);
    match builder.finish() {
        Value::Known(text) => Some(text),
        Value::Glob(_) | Value::Unknown { .. } | Value::Fresh => None,
    }
}

/// `$X`, `"$@"` and `"${list[@]}"` alone can become several words.
fn whole_variable(pieces: &[WordPieceWithSource], shell: &Shell) -> Option<Vec<Word>> {
    let [only] = pieces else { return None };
    let (piece, is_quoted) = match &only.piece {
        WordPiece::DoubleQuotedSequence(inner) => match inner.as_slice() {
            [only] => (&only.piece, true),
            _ => return None,
        },
        other => (other, false),
    };
    match piece {
        WordPiece::ParameterExpansion(ParameterExpr::Parameter { parameter, indirect: false }) => {
            words_of(parameter, is_quoted, shell)
        }
        WordPiece::ParameterExpansion(ParameterExpr::Substring {
            parameter,
            indirect: false,
            offset,
            length,
        }) => {
            let (words, is_joined) = several(parameter, shell)?;
            let is_positional = matches!(parameter, Parameter::Special(_));
            let from = offset.value.trim().parse::<usize>().ok()?.checked_sub(usize::from(is_positional))?;
            let count = match length {
                Some(length) => length.value.trim().parse::<usize>().ok()?,
                None => words.len(),
            };
            let part = words.get(from.min(words.len())..from.saturating_add(count).min(words.len()))?;
            as_words(part, is_joined, is_quoted, shell)
        }
        _ => None,
    }
}

fn words_of(parameter: &Parameter, is_quoted: bool, shell: &Shell) -> Option<Vec<Word>> {
    if let Parameter::Named(name) = parameter {
        return match (shell.variables.get(name)?, is_quoted) {
            (Variable::Fresh, true) => {
                Some(vec![Word { shown: format!("\"${name}\""), value: Value::Fresh }])
            }
            (value @ (Variable::Text(_) | Variable::List(_)), false) => shell.split(value.text()?),
            (Variable::Text(_) | Variable::List(_) | Variable::Fresh | Variable::Unknown, _) => None,
        };
    }
    if let Parameter::Positional(number) = parameter {
        let at = usize::try_from(*number).ok()?.checked_sub(1).filter(|_| !is_quoted)?;
        return shell.split(shell.positional.as_ref()?.get(at)?.known()?);
    }
    let (words, is_joined) = several(parameter, shell)?;
    as_words(&words, is_joined, is_quoted, shell)
}

/// Returns all the words that a parameter stands for, and whether quotes make one of them.
fn several(parameter: &Parameter, shell: &Shell) -> Option<(Vec<Word>, bool)> {
    match parameter {
        Parameter::Special(SpecialParameter::AllPositionalParameters { concatenate }) => {
            Some((shell.positional.clone()?, *concatenate))
        }
        Parameter::NamedWithAllIndices { name, concatenate } => match shell.variables.get(name)? {
            Variable::List(words) => Some((words.clone(), *concatenate)),
            Variable::Text(text) => Some((vec![Word::literal(text)], *concatenate)),
            Variable::Fresh | Variable::Unknown => None,
        },
        _ => None,
    }
}

fn as_words(words: &[Word], is_joined: bool, is_quoted: bool, shell: &Shell) -> Option<Vec<Word>> {
    match (is_joined, is_quoted) {
        (_, false) => Some(shell.split_all(words)),
        (false, true) => Some(words.to_vec()),
        (true, true) => {
            let texts: Vec<&str> = words.iter().map(Word::known).collect::<Option<_>>()?;
            let between = shell.separators()?.chars().next().map(String::from).unwrap_or_default();
            Some(vec![Word::literal(&texts.join(&between))])
        }
    }
}

fn braces(text: &str, options: &ParserOptions) -> Option<Vec<String>> {
    if !text.contains('{') || !(text.contains(',') || text.contains("..")) {
        return Some(vec![text.to_owned()]);
    }
    match parse_brace_expansions(text, options) {
        Ok(Some(parts)) => product(&parts),
        Ok(None) | Err(_) => Some(vec![text.to_owned()]),
    }
}

fn product(parts: &[BraceExpressionOrText]) -> Option<Vec<String>> {
    let mut all = vec![String::new()];
    for part in parts {
        let choices = match part {
            BraceExpressionOrText::Text(text) => vec![text.clone()],
            BraceExpressionOrText::Expr(members) => {
                let mut choices = Vec::new();
                for member in members {
                    choices.extend(choices_of(member)?);
                }
                choices
            }
        };
        if all.len().checked_mul(choices.len())? > MOST_WORDS {
            return None;
        }
        all = all.iter().flat_map(|head| choices.iter().map(move |tail| format!("{head}{tail}"))).collect();
    }
    Some(all)
}

fn choices_of(member: &BraceExpressionMember) -> Option<Vec<String>> {
    match member {
        BraceExpressionMember::Child(parts) => product(parts),
        BraceExpressionMember::NumberSequence { start, end, increment } => {
            sequence(*start, *end, *increment).map(|all| all.iter().map(ToString::to_string).collect())
        }
        BraceExpressionMember::CharSequence { start, end, increment } => {
            let all = sequence(i64::from(u32::from(*start)), i64::from(u32::from(*end)), *increment)?;
            all.iter().map(|code| Some(char::from_u32(u32::try_from(*code).ok()?)?.to_string())).collect()
        }
    }
}

fn sequence(start: i64, end: i64, increment: i64) -> Option<Vec<i64>> {
    let step = increment.checked_abs()?.max(1);
    if start.abs_diff(end) / step.unsigned_abs() >= MOST_WORDS as u64 {
        return None;
    }
    let mut all = Vec::new();
    let mut at = start;
    while if start <= end { at <= end } else { at >= end } {
        all.push(at);
        at = if start <= end { at.checked_add(step)? } else { at.checked_sub(step)? };
    }
    Some(all)
}

struct Builder<'a> {
    shell: &'a Shell,
    options: &'a ParserOptions,
    source: &'a str,
    inner: Vec<String>,
    /// The text so far; after an unknown part, the text since then.
    plain: String,
    /// The same as a pattern.
    pattern: String,
    is_pattern: bool,
    /// The text before the first unknown part, and whether any unknown part may become several words.
    unknown: Option<(String, bool)>,
}

impl<'a> Builder<'a> {
    fn new(shell: &'a Shell, options: &'a ParserOptions, source: &'a str) -> Builder<'a> {
        Builder {
            shell,
            options,
            source,
            inner: Vec::new(),
            plain: String::new(),
            pattern: String::new(),
            is_pattern: false,
            unknown: None,
        }
    }

    fn finish(self) -> Value {
        match self.unknown {
            Some((lead, splits)) => Value::Unknown { lead, tail: self.plain, splits },
            None if self.is_pattern => Value::Glob(self.pattern),
            None => Value::Known(self.plain),
        }
    }

    fn pieces(&mut self, pieces: &[WordPieceWithSource], is_quoted: bool) {
        for piece in pieces {
            self.piece(piece, is_quoted);
        }
    }

    fn piece(&mut self, piece: &WordPieceWithSource, is_quoted: bool) {
        match &piece.piece {
            WordPiece::Text(text) if is_quoted => self.literal(text),
            WordPiece::Text(text) => self.unquoted(text),
            WordPiece::SingleQuotedText(text) => self.literal(text),
            WordPiece::AnsiCQuotedText(text) => match ansi_c(text) {
                Some(text) => self.literal(&text),
                None => self.unknown(false),
            },
            WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                self.pieces(inner, true);
            }
            WordPiece::EscapeSequence(text) => {
                let text = text.strip_prefix('\\').unwrap_or(text);
                if text != "\n" {
                    self.literal(text);
                }
            }
            WordPiece::TildeExpansion(tilde) => match self.tilde(tilde) {
                Some(text) => self.literal(&text),
                None => self.unknown(false),
            },
            WordPiece::ParameterExpansion(expression) => self.parameter(expression, piece, is_quoted),
            WordPiece::CommandSubstitution(line) => {
                self.inner.push(line.clone());
                self.unknown(!is_quoted);
            }
            WordPiece::BackquotedCommandSubstitution(line) => {
                self.inner.push(line.replace("\\`", "`"));
                self.unknown(!is_quoted);
            }
            WordPiece::ArithmeticExpression(expression) => {
                self.substitutions_in(&expression.value);
                self.unknown(!is_quoted);
            }
        }
    }

    fn parameter(&mut self, expression: &ParameterExpr, piece: &WordPieceWithSource, is_quoted: bool) {
        if let ParameterExpr::Parameter { parameter, indirect: false } = expression {
            return match self.value_of(parameter) {
                Some(value) if is_quoted || self.shell.stays_whole(&value) => self.literal(&value),
                Some(_) | None => self.unknown(!is_quoted || spreads(parameter)),
            };
        }
        let mut is_several = !is_quoted;
        // Every other form can hold commands in its arguments: `${x:-$(rm -rf y)}`.
        if let Some(inside) = self.source.get(piece.start_index..piece.end_index) {
            let inside = inside.trim_start_matches("${").trim_end_matches('}').to_owned();
            // `"${list[@]:1}"` is several words in spite of its quotes.
            is_several |= inside.contains('@');
            self.substitutions_in(&inside);
        }
        self.unknown(is_several);
    }

    fn value_of(&self, parameter: &Parameter) -> Option<String> {
        match parameter {
            Parameter::Named(name) => match (self.shell.variables.get(name), name.as_str()) {
                (Some(value), _) => value.text().map(str::to_owned),
                (None, "HOME") => self.tilde(&TildeExpr::Home),
                (None, "PWD") => self.tilde(&TildeExpr::WorkingDir),
                (None, _) => None,
            },
            Parameter::Positional(number) => {
                let index = usize::try_from(*number).ok()?.checked_sub(1)?;
                self.shell.positional.as_ref()?.get(index)?.known().map(str::to_owned)
            }
            Parameter::NamedWithIndex { name, index } => {
                let at = index.trim().parse().ok()?;
                self.shell.variables.get(name)?.element(at)?.known().map(str::to_owned)
            }
            Parameter::Special(_) | Parameter::NamedWithAllIndices { .. } => None,
        }
    }

    fn tilde(&self, tilde: &TildeExpr) -> Option<String> {
        let dir = |dir: &Dir| match dir {
            Dir::Known { path, fallback: None } => path.to_str().map(str::to_owned),
            Dir::Known { .. } | Dir::Unknown(_) => None,
        };
        match tilde {
            TildeExpr::Home => self.shell.home.as_ref()?.to_str().map(str::to_owned),
            TildeExpr::WorkingDir => dir(&self.shell.dir),
            TildeExpr::OldWorkingDir => dir(self.shell.previous.as_ref()?),
            TildeExpr::UserHome(_)
            | TildeExpr::NthDirFromTopOfDirStack { .. }
            | TildeExpr::NthDirFromBottomOfDirStack { .. } => None,
        }
    }

    fn substitutions_in(&mut self, text: &str) {
        if !text.contains(['$', '`']) {
            return;
        }
        let Ok(pieces) = parse(text, self.options) else { return };
        let mut inner = Builder::new(self.shell, self.options, text);
        inner.pieces(&pieces, false);
        self.inner.append(&mut inner.inner);
    }

    fn unknown(&mut self, splits: bool) {
        self.pattern.clear();
        let plain = std::mem::take(&mut self.plain);
        match &mut self.unknown {
            Some((_, before)) => *before |= splits,
            None => self.unknown = Some((plain, splits)),
        }
    }

    fn literal(&mut self, text: &str) {
        self.plain.push_str(text);
        self.pattern.push_str(&glob::Pattern::escape(text));
    }

    fn unquoted(&mut self, text: &str) {
        if ["!(", "+(", "@(", "?(", "*("].iter().any(|mark| text.contains(mark)) {
            return self.unknown(true);
        }
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match (c, rest.find(']')) {
                ('*', _) => self.active(if self.pattern.ends_with('*') { "" } else { "*" }, "*"),
                ('?', _) => self.active("?", "?"),
                ('[', Some(end)) if end > 0 => {
                    let set = &rest[..end];
                    if set.starts_with('[') || set == "!" || set == "^" {
                        return self.unknown(true);
                    }
                    let set = set.strip_prefix('^').map_or(set.to_owned(), |set| format!("!{set}"));
                    self.active(&format!("[{set}]"), &format!("[{set}]"));
                    rest = &rest[end + 1..];
                }
                (c, _) => self.literal(c.encode_utf8(&mut [0; 4])),
            }
        }
    }

    fn active(&mut self, pattern: &str, plain: &str) {
        self.is_pattern = true;
        self.pattern.push_str(pattern);
        self.plain.push_str(plain);
    }
}

/// Tells whether a parameter is several words even in quotes.
fn spreads(parameter: &Parameter) -> bool {
    matches!(
        parameter,
        Parameter::Special(SpecialParameter::AllPositionalParameters { concatenate: false })
            | Parameter::NamedWithAllIndices { concatenate: false, .. }
    )
}

/// Returns what `$'…'` stands for; `None` if that is no text, or not understood.
fn ansi_c(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let number = |rest: &mut std::iter::Peekable<std::str::Chars<'_>>, radix: u32, most: usize| {
            let mut digits = String::new();
            while digits.len() < most
                && let Some(digit) = rest.next_if(|c| c.is_digit(radix))
            {
                digits.push(digit);
            }
            u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32)
        };
        match rest.next()? {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'a' => out.push('\u{7}'),
            'b' => out.push('\u{8}'),
            'e' | 'E' => out.push('\u{1b}'),
            'f' => out.push('\u{c}'),
            'v' => out.push('\u{b}'),
            'x' => out.push(number(&mut rest, 16, 2).filter(char::is_ascii)?),
            'u' => out.push(number(&mut rest, 16, 4)?),
            'U' => out.push(number(&mut rest, 16, 8)?),
            digit @ '0'..='7' => {
                let mut octal = digit.to_string();
                while octal.len() < 3
                    && let Some(next) = rest.next_if(|c| c.is_digit(8))
                {
                    octal.push(next);
                }
                out.push(
                    u32::from_str_radix(&octal, 8).ok().and_then(char::from_u32).filter(char::is_ascii)?,
                );
            }
            same @ ('\\' | '\'' | '"' | '?') => out.push(same),
            _ => return None,
        }
    }
    Some(out)
}
