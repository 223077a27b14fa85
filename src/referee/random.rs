//! Chance of a match: [`Generator`] under the name that rules and bots use.

pub use crate::chance::Generator as Random;
