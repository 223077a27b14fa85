//! How deals are explored.

pub mod results;
