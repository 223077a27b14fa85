//! Random deals.

/// Deals in a block, unless the plan says otherwise.
pub const BLOCK: u64 = 1 << 16;

/// Tricks after which a game is looked at for a loop, unless the plan says otherwise.
pub const CAP: u64 = 5000;

/// The keys of a plan with `how = "random"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How many deals are played.
    pub games: u64,
    /// How many deals are in a block.
    pub block: u64,
    /// Games of at least so many cards are closed backward; `None` until it is
    /// settled.
    pub close_from: Option<u64>,
    /// After so many tricks a game is looked at for a loop.
    pub cap: u64,
}
