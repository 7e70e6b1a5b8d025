//! The keywords of JSON Schema that a contract may use, and what each holds. JSON Schema itself takes a keyword that
//! it does not know for a remark, so that a slip would check nothing; here it is an error.

/// What a keyword holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// Words for people, which check nothing.
    Remark,
    /// One type or a list of types.
    Types,
    /// A schema, or `true` or `false`.
    Schema,
    /// Schemas by names of the host's choosing.
    SchemasByName,
    /// A list of schemas.
    Schemas,
    /// A list of texts.
    Texts,
    /// Any value.
    Value,
    /// A list of any values.
    Values,
    /// A number.
    Number,
    /// A whole number, not below zero.
    Count,
    /// A text.
    Text,
    /// `true` or `false`.
    Flag,
    /// The name of a type: `#/$defs/NAME`.
    Reference,
}

/// Every keyword there is (source: JSON Schema draft 2020-12), but those that look at what stands elsewhere.
pub(super) const KEYWORDS: [(&str, Holds); 41] = [
    ("$comment", Holds::Remark),
    ("$ref", Holds::Reference),
    ("additionalProperties", Holds::Schema),
    ("allOf", Holds::Schemas),
    ("anyOf", Holds::Schemas),
    ("const", Holds::Value),
    ("contains", Holds::Schema),
    ("default", Holds::Remark),
    ("deprecated", Holds::Remark),
    ("description", Holds::Remark),
    ("else", Holds::Schema),
    ("enum", Holds::Values),
    ("examples", Holds::Remark),
    ("exclusiveMaximum", Holds::Number),
    ("exclusiveMinimum", Holds::Number),
    ("format", Holds::Text),
    ("if", Holds::Schema),
    ("items", Holds::Schema),
    ("maxContains", Holds::Count),
    ("maxItems", Holds::Count),
    ("maxLength", Holds::Count),
    ("maxProperties", Holds::Count),
    ("maximum", Holds::Number),
    ("minContains", Holds::Count),
    ("minItems", Holds::Count),
    ("minLength", Holds::Count),
    ("minProperties", Holds::Count),
    ("minimum", Holds::Number),
    ("multipleOf", Holds::Number),
    ("not", Holds::Schema),
    ("oneOf", Holds::Schemas),
    ("pattern", Holds::Text),
    ("patternProperties", Holds::SchemasByName),
    ("prefixItems", Holds::Schemas),
    ("properties", Holds::SchemasByName),
    ("propertyNames", Holds::Schema),
    ("required", Holds::Texts),
    ("then", Holds::Schema),
    ("title", Holds::Remark),
    ("type", Holds::Types),
    ("uniqueItems", Holds::Flag),
];
/// The types of JSON.
pub(super) const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// What stands before the name of a type in a reference.
pub(super) const DEFINITIONS: &str = "#/$defs/";
