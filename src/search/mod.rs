//! How deals are explored.

pub mod feed;
pub mod known;
pub mod results;
