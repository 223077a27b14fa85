//! The run of a plan: the runner, its store, merging of shards.

pub mod disk;
pub mod merge;
pub mod runner;
pub mod store;
