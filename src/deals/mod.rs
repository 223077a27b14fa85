//! Where the deals of a search come from. Both feeds write the packed form that the fast engine
//! plays.
//!
//! - [`RandomDeals`]: random deals, each with an address (seed, block, offset).
//! - [`IndexedDeals`]: the deals of a range of indices, in order.
//!
//! Not here: which deals a search wants. A plan and its blocks say that.

mod indexed;
mod layout;
mod random;
#[cfg(test)]
mod tests;

pub use indexed::IndexedDeals;
pub use layout::FeedError;
pub use random::{RandomDeals, random_deal};
