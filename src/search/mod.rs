//! How deals are explored: plans, blocks and shards, the runner, its store, and what it finds.
//!
//! - [`plan`] reads what is to be searched; [`random`] is one way of searching.
//! - [`runner`] plays the blocks of any way on all threads and merges them in order.
//! - [`store`] keeps the state of a run, so that it can be stopped anywhere and go on.
//! - [`results`] are the finds, which anyone can prove again.
//!
//! This room does not know the terminal, and prints nothing.

pub mod disk;
pub mod plan;
pub mod random;
pub mod results;
pub mod runner;
pub mod shard;
pub mod store;
pub mod tally;
