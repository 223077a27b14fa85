//! How deals are explored.

pub mod known;
pub mod results;
