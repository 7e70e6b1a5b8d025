#!/bin/sh
# Builds Pintle and takes one extension through its whole life: written, checked, published, installed, updated, rolled
# back, switched off and removed. Everything happens in a scratch directory, which is removed at the end.
#
# Run it from anywhere: sh docs/first-steps.sh
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
echo "building pintle ..."
cargo build --quiet --manifest-path "$root/Cargo.toml" --package pintle
built=$(cargo metadata --manifest-path "$root/Cargo.toml" --format-version 1 --no-deps |
    sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
binary=$built/debug/pintle

scratch=$(mktemp -d)
# Releases in the store are read-only, so they are unlocked before they are removed.
trap 'chmod -R u+w "$scratch" && rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$scratch"
unset PINTLE_OFFLINE PINTLE_TARGET PINTLE_TEST_NOW
export PINTLE_HOME="$scratch/home"

step() {
    printf '\n# %s\n' "$1"
}

pintle() {
    printf '$ pintle %s\n' "$*"
    "$binary" "$@" 2>&1
}

# Fails unless the last command left what it should have.
expect() {
    if ! "$binary" "$1" --format json | grep -q "$2"; then
        printf 'first steps: `pintle %s` does not show %s\n' "$1" "$2" >&2
        exit 1
    fi
}

step "A registry is a directory. Make one, and look for extensions in it."
pintle registry init registry
pintle registry add main registry

step "A maintainer starts an extension, checks it and publishes it."
pintle new word-count
pintle check word-count
pintle publish word-count

step "A user finds it, looks at it and installs it."
pintle search word
pintle info word-count
pintle install word-count
pintle list
expect list '"version":"0.1.0"'

step "It runs: a command is asked about before it is started, and the extension says how many it has seen."
pintle exec -- echo hello
pintle exec --command word-count

step "The maintainer raises the version, in the manifest and in the program, and tries it. Then it is published."
sed 's/^version = .*/version = "0.1.1"/' word-count/extension.toml >edited
mv edited word-count/extension.toml
sed 's/^VERSION = .*/VERSION = "0.1.1"/' word-count/main.py >edited
mv edited word-count/main.py
pintle exec --with ./word-count --command word-count
pintle publish word-count

step "The user sees it, takes it, and goes back."
pintle outdated
pintle update
expect list '"version":"0.1.1"'
pintle exec --command word-count
pintle history
pintle rollback
expect list '"version":"0.1.0"'

step "Is everything on the disk as it was installed?"
pintle verify

step "Something is wrong with it: off, at once, without removing it."
pintle disable word-count --reason miscounts
pintle list

step "It is not needed any more."
pintle uninstall word-count
expect list '"extensions":\[\]'

step "What a gc would let go of: nothing yet, for you can still go back."
pintle gc --dry-run

printf '\nfirst steps: every command did what it should\n'
