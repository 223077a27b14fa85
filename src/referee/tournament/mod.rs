//! Plays a schedule of games on several threads, counts the results, and rates the bots.

pub mod course;
pub mod crosstable;
pub mod ratings;
pub mod record;
pub mod runner;
pub mod schedule;
pub mod sprt;
pub mod standings;
pub mod summary;
pub mod swiss;
pub mod tables;
