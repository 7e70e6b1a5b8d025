//! The nearest known word to one that is not known, for "did you mean".

/// Returns the known word most like `word`, if it is like enough to be what was meant: a transposition, a slip
/// or two, a missing part. Distance is Damerau-Levenshtein's; ties go to the first in order.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let fold = |text: &str| text.to_ascii_lowercase().replace('-', "_");
    let folded = fold(word);
    let allowed = (folded.chars().count() / 3).clamp(1, 5);
    known
        .into_iter()
        .filter(|candidate| *candidate != word)
        .map(|candidate| (strsim::damerau_levenshtein(&folded, &fold(candidate)), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_forgiven_and_another_word_is_not() {
        let words = ["install", "uninstall", "update", "list"];
        let check = |word: &str, expected: Option<&str>| assert_eq!(nearest(word, words), expected, "{word}");
        check("instal", Some("install"));
        check("isntall", Some("install"));
        check("updaet", Some("update"));
        check("LIST", Some("list"));
        check("frobnicate", None);
        check("x", None);
    }
}
