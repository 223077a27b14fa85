//! Plays a schedule of games on several threads and counts the results.

pub mod record;
pub mod runner;
pub mod schedule;
pub mod standings;
pub mod swiss;
pub mod tables;
