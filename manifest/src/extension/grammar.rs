//! The grammar of `extension.toml`: every table and key, once. The reader and the JSON Schema are both driven by
//! [`ROOT`]; a key that is not here does not exist. Nothing is checked here, and how a single text is read is in
//! [`words`].

use super::word::Word;
use super::words;

/// Describes one key of a table with known keys.
pub(super) struct Key {
    pub(super) name: &'static str,
    /// What a person reads about it, in an editor.
    pub(super) doc: &'static str,
    /// A value as one would write it; of a table, the line that begins it.
    pub(super) example: &'static str,
    pub(super) need: Need,
    pub(super) kind: Kind,
}

/// Tells what it means that a key is not there.
#[derive(Clone, Copy)]
pub(super) enum Need {
    /// An error with this code.
    Required(&'static str),
    /// A warning with this code.
    Advised(&'static str),
    /// Nothing.
    Optional,
}

/// Tells what the value of a key is.
pub(super) enum Kind {
    /// The version of the grammar itself.
    ManifestVersion,
    /// One text.
    Text(&'static Word),
    /// An array of texts.
    List(List),
    /// `true`, or an array of texts.
    TrueOr(List),
    /// A text for short, or a table of which that text would be the first key.
    TextOr(&'static Word, &'static [Key]),
    /// A table with known keys.
    Table(&'static [Key]),
    /// A table whose known keys depend on one of them.
    Variants(Variants),
    /// A table whose keys are the author's.
    Map(Map),
}

/// Describes an array of texts.
pub(super) struct List {
    /// How the first is read, if not like the others.
    pub(super) first: Option<&'static Word>,
    pub(super) item: &'static Word,
    pub(super) least: usize,
    pub(super) most: usize,
}

/// Describes a table whose known keys depend on the value of `tag`.
pub(super) struct Variants {
    pub(super) tag: &'static Key,
    /// The code for a value of `tag` that is none of the names.
    pub(super) unknown: &'static str,
    /// The code for a key that another variant has.
    pub(super) misplaced: &'static str,
    pub(super) variants: &'static [Variant],
}

/// One value of a tag, with the keys that come with it.
pub(super) struct Variant {
    pub(super) name: &'static str,
    pub(super) doc: &'static str,
    pub(super) keys: &'static [Key],
}

/// Describes a table whose keys are the author's.
pub(super) struct Map {
    pub(super) key: &'static Word,
    pub(super) value: &'static Kind,
    /// The code for a table that is empty, if it may not be.
    pub(super) empty: Option<&'static str>,
}

impl Kind {
    /// Tells whether this is a table and nothing else.
    pub(super) const fn is_table(&self) -> bool {
        matches!(self, Self::Table(_) | Self::Variants(_) | Self::Map(_))
    }
}

impl Variants {
    /// Returns the first variant that has such a key.
    pub(super) fn having(&self, key: &str) -> Option<&'static Variant> {
        self.variants.iter().find(|variant| variant.keys.iter().any(|known| known.name == key))
    }
}

const REQUIRED: Need = Need::Required("manifest.missing_key");

/// The whole file.
pub(super) const ROOT: &[Key] = &[
    Key {
        name: "manifest_version",
        doc: "The version of this file's grammar: 1.",
        example: "1",
        need: REQUIRED,
        kind: Kind::ManifestVersion,
    },
    Key {
        name: "extension",
        doc: "What the extension is.",
        example: "[extension]",
        need: REQUIRED,
        kind: Kind::Table(EXTENSION),
    },
    Key {
        name: "hosts",
        doc: "The hosts it works in: one table for each contract it serves.",
        example: "[hosts.NAME]",
        need: Need::Required("manifest.no_host"),
        kind: Kind::Map(Map {
            key: &words::HOST,
            value: &Kind::Table(HOST),
            empty: Some("manifest.no_host"),
        }),
    },
    Key {
        name: "entry",
        doc: "How its code is run.",
        example: "[entry]",
        need: REQUIRED,
        kind: Kind::Variants(ENTRY),
    },
    Key {
        name: "hooks",
        doc: "The moments at which the host calls it, by the contract's names for them.",
        example: "[hooks.\"tool.call\"]",
        need: Need::Optional,
        kind: Kind::Map(Map { key: &words::DOTTED, value: &Kind::Table(HOOK), empty: None }),
    },
    Key {
        name: "permissions",
        doc: "What it asks to be allowed. A person approves it once for each release that asks for more.",
        example: "[permissions]",
        need: Need::Optional,
        kind: Kind::Map(Map { key: &words::DOTTED, value: &GRANT, empty: None }),
    },
    Key {
        name: "slots",
        doc: "What it puts into the host's slots: `[slots.SLOT.ENTRY]`.",
        example: "[slots.command.NAME]",
        need: Need::Optional,
        kind: Kind::Map(Map {
            key: &words::DOTTED,
            value: &Kind::Map(Map { key: &words::SLOT_ENTRY, value: &Kind::Table(SLOT), empty: None }),
            empty: None,
        }),
    },
    Key {
        name: "dependencies",
        doc: "The extensions it needs beside it.",
        example: "[dependencies]",
        need: Need::Optional,
        kind: Kind::Map(Map {
            key: &words::NAME,
            value: &Kind::TextOr(&words::REQUIREMENT, DEPENDENCY),
            empty: None,
        }),
    },
];

const GRANT: Kind = Kind::TrueOr(List { first: None, item: &words::GRANTED, least: 1, most: 200 });

const EXTENSION: &[Key] = &[
    Key {
        name: "name",
        doc: "What it is called: 3 to 64 of `a-z`, `0-9` and `-`.",
        example: "\"blast-radius\"",
        need: REQUIRED,
        kind: Kind::Text(&words::NAME),
    },
    Key {
        name: "version",
        doc: "Which release of it this is, by Semantic Versioning.",
        example: "\"0.1.0\"",
        need: REQUIRED,
        kind: Kind::Text(&words::VERSION),
    },
    Key {
        name: "description",
        doc: "What it does, in one line of at most 300 characters.",
        example: "\"Shows what a command would change, before it runs\"",
        need: REQUIRED,
        kind: Kind::Text(&words::DESCRIPTION),
    },
    Key {
        name: "license",
        doc: "Under which terms it may be used, as an SPDX expression.",
        example: "\"Apache-2.0\"",
        need: Need::Advised("manifest.no_license"),
        kind: Kind::Text(&words::LINE),
    },
    Key {
        name: "authors",
        doc: "Who made it.",
        example: "[\"Ada <ada@example.org>\"]",
        need: Need::Optional,
        kind: Kind::List(List { first: None, item: &words::LINE, least: 0, most: 50 }),
    },
    Key {
        name: "keywords",
        doc: "Words to find it by, at most ten.",
        example: "[\"safety\", \"shell\"]",
        need: Need::Optional,
        kind: Kind::List(List { first: None, item: &words::KEYWORD, least: 0, most: 10 }),
    },
    Key {
        name: "repository",
        doc: "Where its source is.",
        example: "\"https://example.org/blast-radius.git\"",
        need: Need::Optional,
        kind: Kind::Text(&words::ADDRESS),
    },
    Key {
        name: "homepage",
        doc: "Where to read about it.",
        example: "\"https://example.org/blast-radius\"",
        need: Need::Optional,
        kind: Kind::Text(&words::ADDRESS),
    },
    Key {
        name: "readme",
        doc: "The file of the package that `pintle info` shows.",
        example: "\"README.md\"",
        need: Need::Optional,
        kind: Kind::Text(&words::PATH),
    },
    Key {
        name: "include",
        doc: "If given, only what matches belongs to the package. Patterns are those of `.gitignore`.",
        example: "[\"bin/\", \"README.md\"]",
        need: Need::Optional,
        kind: Kind::List(List { first: None, item: &words::PATTERN, least: 0, most: 200 }),
    },
    Key {
        name: "exclude",
        doc: "What matches does not belong to the package. Patterns are those of `.gitignore`.",
        example: "[\"tests/\"]",
        need: Need::Optional,
        kind: Kind::List(List { first: None, item: &words::PATTERN, least: 0, most: 200 }),
    },
];

const HOST: &[Key] = &[Key {
    name: "api_version",
    doc: "The versions of the host's contract that it works under; bounded above, since no one knows the next.",
    example: "\">=1.0, <2\"",
    need: REQUIRED,
    kind: Kind::Text(&words::BOUNDED),
}];

const ENTRY: Variants = Variants {
    tag: &Key {
        name: "runtime",
        doc: "How its code is run: as a program, a native library or a WebAssembly component.",
        example: "\"process\"",
        need: REQUIRED,
        kind: Kind::Text(&words::LINE),
    },
    unknown: "manifest.unknown_runtime",
    misplaced: "manifest.other_runtime",
    variants: &[
        Variant { name: "process", doc: "A program of any kind, talked to over pipes.", keys: PROCESS },
        Variant { name: "native", doc: "A dynamic library, loaded by a worker.", keys: NATIVE },
        Variant { name: "wasm", doc: "A WebAssembly component.", keys: WASM },
    ],
};

const PROCESS: &[Key] = &[
    Key {
        name: "command",
        doc: "Program and arguments. A program with a `/` is a file of the package, one without is looked up.",
        example: "[\"bin/run\"]",
        need: REQUIRED,
        kind: Kind::List(List { first: Some(&words::PROGRAM), item: &words::ARGUMENT, least: 1, most: 200 }),
    },
    Key {
        name: "requires",
        doc: "Programs that must be on the machine, with the versions that will do.",
        example: "{ node = \">=20\" }",
        need: Need::Optional,
        kind: Kind::Map(Map {
            key: &words::INTERPRETER,
            value: &Kind::Text(&words::REQUIREMENT),
            empty: None,
        }),
    },
];

const NATIVE: &[Key] = &[Key {
    name: "library",
    doc: "The library for each target.",
    example: "{ x86_64-unknown-linux-gnu = \"lib/x.so\" }",
    need: REQUIRED,
    kind: Kind::Map(Map {
        key: &words::LIBRARY_TARGET,
        value: &Kind::Text(&words::PATH),
        empty: Some("manifest.empty"),
    }),
}];

const WASM: &[Key] = &[Key {
    name: "component",
    doc: "The component, a file of the package.",
    example: "\"x.wasm\"",
    need: REQUIRED,
    kind: Kind::Text(&words::PATH),
}];

const HOOK: &[Key] = &[
    Key {
        name: "filter",
        doc: "What the payload must hold for the extension to be called; the host compares.",
        example: "{ tool = \"bash\" }",
        need: Need::Optional,
        kind: Kind::Map(Map { key: &words::FIELD, value: &Kind::Text(&words::FREE), empty: None }),
    },
    Key {
        name: "own_time",
        doc: "Less time than the contract gives: a number and `ms`, `s` or `m`.",
        example: "\"5s\"",
        need: Need::Optional,
        kind: Kind::Text(&words::TIME),
    },
];

const SLOT: &[Key] = &[Key {
    name: "description",
    doc: "What a person reads about this entry.",
    example: "\"Explain the last hold\"",
    need: REQUIRED,
    kind: Kind::Text(&words::DESCRIPTION),
}];

const DEPENDENCY: &[Key] = &[
    Key {
        name: "version",
        doc: "Which versions will do.",
        example: "\"^1.2\"",
        need: REQUIRED,
        kind: Kind::Text(&words::REQUIREMENT),
    },
    Key {
        name: "path",
        doc: "For development: a folder to take it from, relative to this file. Never published.",
        example: "\"../shell-words\"",
        need: Need::Optional,
        kind: Kind::Text(&words::FOLDER),
    },
];

#[cfg(test)]
mod tests {
    use super::{Key, Kind, List, Map, ROOT};
    use crate::extension::word::Word;

    /// Calls back for every key there is.
    fn each(keys: &[Key], see: &mut dyn FnMut(&Key)) {
        for key in keys {
            see(key);
            each_in(&key.kind, see);
        }
    }

    fn each_in(kind: &Kind, see: &mut dyn FnMut(&Key)) {
        match kind {
            Kind::Table(keys) | Kind::TextOr(_, keys) => each(keys, see),
            Kind::Map(Map { value, .. }) => each_in(value, see),
            Kind::Variants(variants) => {
                see(variants.tag);
                variants.variants.iter().for_each(|variant| each(variant.keys, see));
            }
            Kind::ManifestVersion | Kind::Text(_) | Kind::List(_) | Kind::TrueOr(_) => {}
        }
    }

    fn reads(word: &Word, value: &toml::Value) -> bool {
        value.as_str().is_some_and(|text| word.parse(text).is_ok())
    }

    #[test]
    fn every_key_is_described_and_its_example_is_read() {
        let mut seen = 0;
        each(ROOT, &mut |key| {
            seen += 1;
            assert!(key.doc.ends_with('.'), "{}", key.name);
            if key.example.starts_with('[') && key.kind.is_table() {
                return;
            }
            let Ok(document) = format!("x = {}", key.example).parse::<toml::Table>() else {
                panic!("{} has no example", key.name);
            };
            let value = &document["x"];
            match &key.kind {
                Kind::Text(word) => assert!(reads(word, value), "{}", key.name),
                Kind::List(List { first, item, .. }) => {
                    for (index, value) in value.as_array().unwrap().iter().enumerate() {
                        let word = first.filter(|_| index == 0).unwrap_or(item);
                        assert!(reads(word, value), "{}", key.name);
                    }
                }
                Kind::ManifestVersion
                | Kind::TrueOr(_)
                | Kind::TextOr(..)
                | Kind::Table(_)
                | Kind::Variants(_)
                | Kind::Map(_) => {}
            }
        });
        assert!(seen > 20, "every table is walked");
    }
}
