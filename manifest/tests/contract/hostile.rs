//! Texts that no one means well with: cut off, altered, deep, circular. Each ends, with a contract or with problems.

use crate::check::{BASE, told};
use pintle_manifest::{Contract, compare};

#[test]
fn a_contract_that_is_cut_off_anywhere_is_told_of() {
    for (at, _) in BASE.char_indices().step_by(11) {
        let read = Contract::read(&BASE[..at]);
        assert_eq!(read.contract.is_none(), !read.problems.is_empty(), "{at}");
    }
}

#[test]
fn any_altered_character_is_read_or_told_of() {
    for (at, old) in BASE.char_indices().step_by(23) {
        for new in ["\0", "\"", "é", "[", "=", ""] {
            let text = format!("{}{new}{}", &BASE[..at], &BASE[at + old.len_utf8()..]);
            let read = Contract::read(&text);
            for problem in &read.problems {
                assert!(text.get(problem.span.clone()).is_some(), "a place in the text: {problem:?}");
            }
            if read.contract.is_none() {
                assert!(!read.problems.is_empty(), "{at} {new:?}");
            }
        }
    }
}

#[test]
fn problems_are_bounded() {
    let many: String = (0..2000).map(|number| format!("k{number} = 1\n")).collect();
    assert_eq!(told(&many).len(), 500);
}

/// Two types that refer to each other twice at each level would take forever if each path were walked.
#[test]
fn types_that_refer_to_themselves_are_compared_once() {
    let tree = |most: u32| {
        let both = "{ \"$ref\" = \"#/$defs/Empty\" }";
        let types = format!(
            "[types.Empty]\ntype = \"object\"\nproperties.left = {both}\nproperties.right = {both}\nanyOf = [{both}, {{ maxProperties = {most} }}]\nallOf = [{both}, {both}]\n"
        );
        Contract::parse(&BASE.replace("[types.Empty]\ntype = \"object\"\n", &types)).unwrap()
    };
    let found = compare(&tree(3), &tree(4));
    let places: Vec<String> = found.iter().map(|difference| difference.place.join("/")).collect();
    assert_eq!(places, ["types/Empty/anyOf/maxProperties"]);
}
