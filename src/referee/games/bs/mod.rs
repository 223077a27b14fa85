//! BS, the game of lying about cards, as its text (in Portuguese) tells it.
//!
//! `rules` is pure; `protocol` says what is read and written (BS/1); `bots` come with the program;
//! `java` lets a player class of the text take part as it is. Where the text is silent: a bot that
//! fails is out, its cards stay with it, its turns pass with their ranks, and the others play on.

mod bots;
pub mod check;
mod java;
mod notation;
mod protocol;
mod replay;
mod rules;
mod scenes;

pub use bots::BOTS;
pub use java::{JavaError, JavaPlayers};
pub use protocol::Bs;
