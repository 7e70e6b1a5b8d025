//! A registry in a directory, as its readers and its publishers see it.

mod caching;
mod keeping;
mod publishing;
mod reading;
mod several;
mod shelf;
mod size;
