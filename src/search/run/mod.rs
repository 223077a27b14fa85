//! The run of a plan.
//!
//! - [`runner`] plays the blocks of a shard on all threads and merges them in order.
//! - [`store`] keeps the state of a run in a folder; [`saved`] reads it again; [`status`] says where
//!   it stands.
//! - [`publish`] writes results, [`merge`] puts shards together, and [`mend`] mends damaged finds.
//! - [`disk`] and [`clock`] are what is asked of the machine.

pub mod clock;
pub mod disk;
pub mod mend;
pub mod merge;
pub mod publish;
pub mod runner;
pub mod saved;
pub mod status;
pub mod store;
