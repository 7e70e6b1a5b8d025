//! What is wrong with a type.

use crate::check::problems;

#[test]
fn keywords_are_known_and_hold_what_they_should() {
    let check = |from: &str, to: &str, expected: &[&str]| problems(&[(from, to)], expected);
    check(
        "properties.text = { type = \"string\", maxLength = 1000 }",
        "properties.text = { type = \"string\", maxLenght = 1000 }",
        &[
            "contract.unknown_keyword: `maxLenght` in `types.Save.properties.text` is no keyword of a schema that is known here [maxLenght] (did you mean `maxLength`?)",
        ],
    );
    check(
        "maxLength = 1000",
        "maxLength = -1",
        &[
            "contract.bad_schema: `types.Save.properties.text.maxLength` is a whole number, not below zero [-1]",
        ],
    );
    check(
        "maxLength = 1000",
        "maxLength = \"1000\"",
        &[
            "contract.wrong_type: `types.Save.properties.text.maxLength` is a number, this is a text [\"1000\"]",
        ],
    );
    check(
        "{ type = [\"string\", \"null\"] }",
        "{ type = [\"string\", \"nul\"] }",
        &["contract.bad_schema: `nul` is no type of JSON [\"nul\"] (did you mean `null`?)"],
    );
    check(
        "required = [\"path\", \"text\"]",
        "required = [\"path\", \"path\"]",
        &["contract.bad_schema: \"path\" is twice in `types.Save.required` [\"path\"]"],
    );
    check(
        "enum = [\"window\", \"tab\"]",
        "enum = []",
        &["contract.wrong_type: `types.Opened.enum` is a list of at least one value, this is a list [[]]"],
    );
    check(
        "enum = [\"window\", \"tab\"]",
        "enum = [2020-01-01]",
        &["contract.bad_schema: JSON has no dates; write it as a text [2020-01-01]"],
    );
    check(
        "enum = [\"window\", \"tab\"]",
        "enum = [nan]",
        &["contract.bad_schema: JSON has no such number [nan]"],
    );
    check(
        "properties.to = { type = \"string\", pattern = \"^[a-z]+:\" }",
        "properties.to = \"string\"",
        &[
            "contract.wrong_type: `types.Link.properties.to` is a schema, this is a text [\"string\"] (write a table such as `{ type = \"string\" }`, or `true` for anything)",
        ],
    );
}

#[test]
fn references_lead_to_types_and_say_all() {
    let check = |to: &str, expected: &[&str]| problems(&[("{ \"$ref\" = \"#/$defs/Item\" }", to)], expected);
    check(
        "{ \"$ref\" = \"#/$defs/Itm\" }",
        &["contract.leads_nowhere: there is no type `Itm` [\"#/$defs/Itm\"] (did you mean `Item`?)"],
    );
    check(
        "{ \"$ref\" = \"other.json\" }",
        &[
            "contract.bad_schema: `other.json` names no type [\"other.json\"] (write `#/$defs/NAME` for the type `NAME` of this file)",
        ],
    );
    check(
        "{ \"$ref\" = \"#/$defs/Item\", maxLength = 3 }",
        &[
            "contract.bad_schema: beside `$ref` in `types.Item.properties.below.items` stand checks [\"$ref\"] (put the reference and the checks into `allOf = [ … ]`)",
        ],
    );
    check("{ \"$ref\" = \"#/$defs/Item\", description = \"one below\" }", &[]);
}

#[test]
fn references_in_a_circle_are_told() {
    problems(
        &[(
            "[types.Opened]\nenum = [\"window\", \"tab\"]",
            "[types.Opened]\n\"$ref\" = \"#/$defs/Again\"\n[types.Again]\n\"$ref\" = \"#/$defs/Opened\"",
        )],
        &[
            "contract.bad_schema: the type `Opened` refers to itself and to nothing else [Opened]",
            "contract.bad_schema: the type `Again` refers to itself and to nothing else [Again]",
        ],
    );
}
