//! Barbu, as its text tells it to bots: eight games, four seats, thirteen cards each.
//!
//! `cards`, `contract`, `tricks`, `dominoes` and `doubling` are pure; `protocol` says what is read and
//! written, in either of the two protocols; `scenes` shows it to people; `bots` come with the program.
//! Where the text is silent: the suit of trumps is drawn from the deal, dominoes end when three seats
//! are out of cards, and a seat that fails forfeits the game.

mod bots;
mod cards;
pub mod check;
mod contract;
mod dominoes;
mod doubling;
mod notation;
mod protocol;
mod replay;
mod scenes;
mod tricks;

pub use bots::BOTS;
pub use contract::Contract;
pub use protocol::{Barbu, Protocol};
