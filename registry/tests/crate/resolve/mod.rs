//! What the resolver chooses and how it explains itself: rules and words in tables, thousands of small universes
//! against an oracle that tries everything, and scenarios from elsewhere.

mod explanations;
mod hostile;
mod oracle;
mod packse;
mod rules;
mod universe;
