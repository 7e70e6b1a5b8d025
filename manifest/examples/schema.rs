//! Prints the JSON Schema of `extension.toml`, to keep `manifest/extension.schema.json` current.

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    writeln!(std::io::stdout().lock(), "{:#}", pintle_manifest::json_schema())
}
