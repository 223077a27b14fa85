//! The ways of searching.

pub mod climb;
pub mod decks;
pub mod exhaust;
pub mod grow;
pub mod harvest;
pub mod random;
