//! How deals are explored.
#![allow(missing_docs)]

pub mod grow;
pub mod known;
pub mod results;
