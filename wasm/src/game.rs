//! The part of the program's room `game` that a film needs.

#[path = "../../src/game/exact.rs"]
pub mod exact;
#[path = "../../src/game/verdict.rs"]
mod verdict;

pub use verdict::{Outcome, Span, Verdict};
