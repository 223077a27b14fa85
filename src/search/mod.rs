//! How deals are explored.
#![allow(missing_docs)]
pub mod grow;
