//! What dealing needs to know of a deck, and how a row of cards is cut into two hands.

use thiserror::Error;

use crate::cards::{Deck, IndexError, KINDS};
use crate::chance::spread;
use crate::game::lanes::Dealt;
use crate::game::packed::MAX_CARDS;

/// Why a deck cannot be fed to the fast engine.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FeedError {
    /// Too many cards for the packed form.
    #[error("the deck {deck} has {cards} cards: a search takes decks of at most {MAX_CARDS}")]
    TooLarge {
        /// The deck.
        deck: String,
        /// Its cards.
        cards: usize,
    },
    /// The deck has no indices, or not these.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// Refuses a deck that has no packed form.
pub(super) fn fits(deck: &Deck) -> Result<(), FeedError> {
    if deck.len() <= MAX_CARDS {
        Ok(())
    } else {
        Err(FeedError::TooLarge {
            deck: deck.to_string(),
            cards: deck.len(),
        })
    }
}

/// What dealing needs to know of a deck.
#[derive(Clone, Debug)]
pub(super) struct DeckLayout {
    pub(super) cards: u32,
    pub(super) payment_cards: u32,
    hands: [u32; 2],
    /// What each payment card pays, less one.
    pub(super) pays: Vec<u8>,
    /// Changes of places: cards this far apart, where the mask has the later one.
    swaps: [(u32, u64); SWAPS],
}

/// How many times cards of a circle change places before it is cut.
const SWAPS: usize = 6;

impl DeckLayout {
    pub(super) fn of(deck: &Deck) -> DeckLayout {
        let counts = deck.counts();
        DeckLayout {
            cards: deck.len() as u32,
            payment_cards: deck.payment_cards() as u32,
            hands: deck.hands().map(|n| n as u32),
            pays: (1..KINDS)
                .flat_map(|pays| std::iter::repeat_n(pays as u8 - 1, counts[pays]))
                .collect(),
            swaps: std::array::from_fn(|at| {
                let apart = 1 << at;
                let random = spread(at as u64);
                // Of each two blocks of as many cards the later one, as far as the cards go.
                let mask = (0..(deck.len() as u64).saturating_sub(apart))
                    .filter(|place| place / apart % 2 == 0 && random >> place & 1 == 1)
                    .fold(0, |mask, place| mask | 1 << place);
                (apart as u32, mask)
            }),
        }
    }

    /// The cards of a circle in other places: a fixed permutation, which takes neighbours apart.
    #[inline(always)]
    pub(super) fn scatter(&self, mut row: u64) -> u64 {
        for (apart, mask) in self.swaps {
            let change = (row >> apart ^ row) & mask;
            row ^= change ^ change << apart;
        }
        row
    }

    /// The masks of the changes of places, of cards 1, 2, 4 and so on apart.
    pub(super) fn masks(&self) -> [u64; SWAPS] {
        self.swaps.map(|(_, mask)| mask)
    }

    /// Cuts a row of cards, its first in bit `cards - 1`, into hands as [`Dealt`] has them.
    #[inline(always)]
    pub(super) fn cut(&self, row: u64, kinds: u128) -> Dealt {
        let [a, b] = self.hands;
        Dealt {
            // A hand of 63 cards, shifted by nothing, ends at bit 0.
            a: row >> b << (63 - a),
            b: (row & ((1 << b) - 1)) << (63 - b),
            kinds,
        }
    }
}
