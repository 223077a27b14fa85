//! Commands on single deals.

pub mod close;
pub mod cycle;
pub mod index;
pub mod input;
pub mod play;
