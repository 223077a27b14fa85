//! Uno with ordinary cards, as its text (in Portuguese) tells it to bots.
//!
//! `cards` and `rules` are pure; `protocol` says what is read and written; `bots` come with the
//! program. Where the text is silent: a card that cannot be played costs the turn and no more, a debt
//! that is not paid costs the game, discards are never shuffled anew.

mod bots;
mod cards;
pub mod check;
mod notation;
mod protocol;
mod replay;
mod rules;
mod scenes;

pub use bots::BOTS;
pub use protocol::Uno;
