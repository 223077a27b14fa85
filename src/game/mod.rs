//! How the game is played.
//!
//! - [`exact`] is the judge: card by card, hands of any size, loops proved, traces.
//! - [`cycle`] finds the cycles of infinite games; [`flood`] finds their neighbours, [`skeleton`] those
//!   that have payment cards at the same places; [`family`] says which are alike.
//! - [`lanes`] plays many games at once, as fast as the machine allows.
//! - [`gpu`] does the same on graphics cards, through OpenCL.
//! - [`packed`] holds a game in a few registers, for decks of at most 63 cards.
//! - [`closure`] plays backward: every state, and every deal, that leads into a game or a cycle.
//!
//! This room knows no search: it plays the deals it is given.

pub mod closure;
pub mod cycle;
mod edit;
pub mod exact;
pub mod family;
pub mod flood;
pub mod gpu;
pub mod lanes;
pub mod packed;
pub mod skeleton;
mod verdict;

pub use verdict::{Outcome, Span, Verdict};
