//! Chance of a match: [`Chance`] under the name that rules and bots use.

pub use crate::chance::Chance as Random;
