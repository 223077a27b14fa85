//! Plays a schedule of games on several threads and counts the results.

pub mod crosstable;
pub mod ratings;
pub mod record;
pub mod runner;
pub mod schedule;
pub mod sprt;
pub mod standings;
pub mod swiss;
pub mod tables;
