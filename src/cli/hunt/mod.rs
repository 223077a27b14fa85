//! Commands that search, and that look after searches.

pub mod bench;
pub mod exhaust;
pub mod grow;
pub mod merge;
pub mod progress;
pub mod search;
pub mod status;
