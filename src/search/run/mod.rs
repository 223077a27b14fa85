//! The run of a plan.
//!
//! - [`runner`] plays the blocks of a shard on all threads and merges them in order.
//! - [`store`] keeps the state of a run in a folder; [`saved`] reads it again; [`status`] says where
//!   it stands.
//! - [`publish`] writes results, and [`merge`] puts shards together.
//! - [`disk`] and [`clock`] are what is asked of the machine.

pub mod clock;
pub mod disk;
pub mod merge;
pub mod publish;
pub mod runner;
pub mod saved;
pub mod status;
pub mod store;
