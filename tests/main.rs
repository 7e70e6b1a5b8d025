//! The `pintle` program from the outside: every test runs the real binary in a directory of its own, offline, with a
//! clock and a machine that the test sets. One program, since linking costs more than running.
//!
//! Reading order: [`kit`] is the words the tests are written in; then one module for each area. Tests named
//! `case_NN_…` keep a failure away that people met elsewhere.

#![expect(clippy::unwrap_used, reason = "all of this is tests, also what is not a test function itself")]

mod kit;

mod archives;
mod authors;
mod bisect;
mod cache;
mod concurrent;
mod contract;
mod damage;
mod disable;
mod doctor;
mod doctor_more;
mod documents;
mod dry_run;
mod examples;
mod exec;
mod exec_command;
mod exec_questions;
mod exec_sets;
mod exits;
mod gone;
mod grants;
mod history;
mod hostile;
mod in_the_way;
mod install;
mod ledger;
mod lock;
mod misbehave;
mod names;
mod packaging;
mod people;
mod platform;
mod registries;
mod resolve;
mod state;
mod supervise;
mod terminal;
mod text;
mod tidy;
mod tidy_codes;
mod tour;
mod trust;
mod uninstall;
mod update;
mod verify;
mod words;
