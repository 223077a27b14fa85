//! Where the deals of a search come from. Both feeds write the packed form that the fast engine
//! plays.
//!
//! - [`RandomDeals`]: random deals, each with an address (seed, block, offset).
//! - [`IndexedDeals`]: the deals of a range of indices, in order.
//! - [`random_block`] and [`IndexedBlocks`]: the same deals, to be made on a graphics card.
//!
//! Not here: which deals a search wants. A plan and its blocks say that.

mod device;
mod indexed;
mod layout;
mod random;
#[cfg(test)]
mod tests;

pub use device::{IndexedBlocks, random_block, random_dealing};
pub use indexed::IndexedDeals;
pub use layout::FeedError;
pub use random::{RandomDeals, random_deal};
