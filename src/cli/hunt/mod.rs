//! Commands that search, and that look after searches.

pub mod bench;
pub mod devices;
mod errors;
pub mod exhaust;
mod flags;
pub mod grow;
pub mod merge;
mod progress;
mod run;
pub mod search;
mod shard;
mod show;
pub mod status;
pub mod workunit;
