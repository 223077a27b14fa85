//! The table of all small decks: every composition up to a number of cards, each exhausted.

use std::sync::atomic::AtomicBool;

use thiserror::Error;

use super::exhaust::{Exhaust, ExhaustOptions};
use super::method::{Disagreement, Method, Way};
use crate::cards::{Deck, KINDS};
use crate::game::Span;
use crate::search::plan::shard::Shard;
use crate::search::plan::{Common, Count, Keys, PlanError};

/// The most cards the table goes to: beyond, it would take months.
pub const MAX_CARDS: usize = 20;

/// Finished games of small decks have fewer tricks; the rest is looked at for a loop.
const CAP: u64 = 100;

/// One deck, hands as equal as can be, A having the odd card.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeckRow {
    /// The deck.
    pub deck: Deck,
    /// Its deals.
    pub deals: u128,
    /// How many of them are loops.
    pub loops: u128,
    /// How many cycles they enter, counted once with their mirror images.
    pub cycles: u64,
    /// The longest finished game, if one finishes.
    pub longest: Option<Longest>,
}

/// The longest finished games of a deck.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Longest {
    /// What is played.
    pub played: Span,
    /// How many deals have so many cards.
    pub deals: u64,
    /// The first of them by tricks, most first, then by index.
    pub deal: String,
}

/// Every composition of `min` to `max` cards, by number of cards, then from the most plain cards
/// on.
pub fn compositions(min: usize, max: usize) -> Vec<Deck> {
    let mut all = Vec::new();
    for cards in min..=max {
        let mut counts = [0; KINDS];
        compose(cards, 0, &mut counts, &mut all);
    }
    all
}

fn compose(left: usize, kind: usize, counts: &mut [usize; KINDS], all: &mut Vec<Deck>) {
    if kind == KINDS - 1 {
        counts[kind] = left;
        all.push(Deck::new(*counts).expect("one card or more"));
        return;
    }
    for count in (0..=left).rev() {
        counts[kind] = count;
        compose(left - count, kind + 1, counts, all);
    }
}

/// Why there is no row of a deck.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RowError {
    /// The deck cannot be exhausted.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The engines disagree.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
    /// Backward play disagrees.
    #[error("{deck}: {error}")]
    Backward {
        /// The deck.
        deck: Deck,
        /// What does not hold.
        error: String,
    },
}

/// Exhausts one deck.
///
/// # Errors
/// [`RowError`].
pub fn row(deck: &Deck) -> Result<DeckRow, RowError> {
    let keys = Keys {
        deck: Some(deck.to_string()),
        keep: Some(Count(1)),
        keep_loops: Some(Count(0)),
        cap: Some(Count(CAP)),
        ..Keys::default()
    };
    let common = Common::check(&keys, ExhaustOptions::KEEP_CYCLES)?;
    let method = Exhaust::new(&common, &ExhaustOptions::check(&keys, &common)?);
    let mut tally = method.begin();
    let blocks = method.blocks().unwrap_or(0);
    let stay = AtomicBool::new(false);
    for block in 0..blocks {
        let part = method.play(block, &tally, &stay);
        method.merge(&mut tally, block, part.expect("nobody asks it to leave"))?;
    }
    let proved = method.prove(&tally, Shard::WHOLE, blocks);
    proved.map_err(|error| RowError::Backward {
        deck: deck.clone(),
        error,
    })?;
    let [(_, cards), _] = tally.histograms();
    let deals = cards.iter().last().map_or(0, |(_, deals)| deals);
    let best = method.report(&tally).best;
    Ok(DeckRow {
        deck: deck.clone(),
        deals: tally.deals(),
        loops: tally.loops(),
        cycles: tally.cycles().len() as u64,
        longest: best.map(|(played, deal)| Longest {
            played,
            deals,
            deal,
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compositions_are_all_and_in_order() {
        let decks = compositions(1, 4);
        assert_eq!(decks.len(), 5 + 15 + 35 + 70);
        let deals: u128 = compositions(5, 5).iter().filter_map(Deck::deals).sum();
        assert_eq!(deals, 5u128.pow(5));
        assert_eq!(decks[0].to_string(), "plain=1");
        assert_eq!(decks[4].to_string(), "A=1");
    }

    #[test]
    fn a_row_as_published() {
        let deck = Deck::new([2, 2, 2, 2, 0]).unwrap();
        let row = row(&deck).unwrap();
        assert_eq!((row.deals, row.loops, row.cycles), (2_520, 0, 0));
        assert_eq!(row.longest.unwrap().played.cards, 15);
    }
}
