//! How deals are explored: plans, blocks and shards, the ways of searching, the runner and its
//! store, and what is found.
//!
//! - [`plan`] reads what is to be searched.
//! - [`finds`] is what was found, which anyone can prove again.
//! - [`methods`] are the ways of searching: each plays a block of a plan, and adds blocks up.
//! - [`run`] plays the blocks of any way on all threads, keeps the state of a run, so that it can be
//!   stopped anywhere and go on, and puts shards together.
//! - [`workunit`] plays the work units of a public BOINC project.
//!
//! This room does not know the terminal, and prints nothing.

mod encoding;
pub mod finds;
pub mod methods;
pub mod plan;
pub mod run;
pub mod workunit;
