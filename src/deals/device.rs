//! The same deals as a device makes them: see [`gpu`](crate::game::gpu).

use std::collections::HashMap;
use std::ops::Range;

use super::indexed::{AllTails, IndexedDeals, TailCounts, tails};
use super::layout::{DeckLayout, FeedError, fits};
use super::random::keys;
use crate::cards::{Deck, Order};
use crate::game::gpu::{Block, Dealing, Source};

/// What a device needs to know to make random deals of a deck; `None` if it does not play this deck.
pub fn random_dealing(deck: &Deck) -> Option<Dealing> {
    fits(deck).ok()?;
    let layout = DeckLayout::of(deck);
    Dealing::new(deck, &layout.pays, layout.masks(), Vec::new())
}

/// The first `games` random deals of block `block` of the stream of `seed`, for a device.
pub fn random_block(seed: u64, block: u64, games: u32) -> Block {
    Block {
        games,
        source: Source::Random(keys(seed, block)),
    }
}

/// The deals of a deck in the order of their indices, for a device.
pub struct IndexedBlocks {
    deck: Deck,
    order: Order,
    dealing: Dealing,
    starts: HashMap<TailCounts, u32>,
}

impl IndexedBlocks {
    /// `None` if the device does not play this deck, or it has no indices.
    pub fn new(deck: &Deck, order: Order) -> Option<IndexedBlocks> {
        random_dealing(deck)?;
        deck.deals()?;
        let AllTails { words, starts } = tails(deck, order);
        Some(IndexedBlocks {
            dealing: Dealing::new(deck, &DeckLayout::of(deck).pays, [0; 6], words)?,
            deck: deck.clone(),
            order,
            starts,
        })
    }

    /// What a device needs to know to make these deals.
    pub fn dealing(&self) -> &Dealing {
        &self.dealing
    }

    /// The deals with the indices of `range`.
    ///
    /// # Errors
    /// See [`IndexedDeals::new`].
    ///
    /// # Panics
    /// If the range has 2^32 deals or more.
    pub fn block(&self, range: Range<u128>) -> Result<Block, FeedError> {
        let games = range.end.saturating_sub(range.start);
        let games = u32::try_from(games).expect("a small block");
        let mut feed = IndexedDeals::new(&self.deck, self.order, range)?;
        let mut runs = Vec::new();
        let mut offset = 0;
        while let Some(mut run) = feed.run(&self.starts) {
            run.offset = offset;
            offset += run.count;
            runs.push(run);
        }
        Ok(Block {
            games,
            source: Source::Runs(runs),
        })
    }
}
