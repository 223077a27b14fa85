//! What is looked at: replays, reports and plots, as pages of one file and as SVG.
//!
//! This room renders what it is handed. It reads no clock, no file and no terminal, and nothing it
//! makes asks for anything from the network.
//!
//! - [`replay`]: a game of Camicia, card by card.
//! - [`table`]: a game of a match, step by step.
//! - [`report`]: what searches and matches came to.
//! - [`bins`]: histograms in few bars, and as text.
//! - [`plot`]: numbers drawn as SVG.

pub mod bins;
pub mod plot;
pub mod replay;
pub mod report;
mod sheet;
pub mod table;
