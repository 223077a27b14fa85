//! The games: rules, protocols and built-in bots.

pub mod barbu;
pub mod bs;
pub mod builtin;
pub mod uno;
