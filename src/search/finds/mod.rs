//! What was found: finds, their lines in files, leaderboards, tallies, and what was known before.

pub mod formats;
pub mod known;
pub mod results;
pub mod tail;
pub mod tally;
