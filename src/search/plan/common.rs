//! What all ways of searching share of a plan.

use std::time::Duration;

use super::canonical::Canonical;
use super::keys::{Keys, MAX_NUMBER, PlanError, in_range};
use crate::cards::Deck;
use crate::game::packed;

/// The keys of a plan that every way of searching knows, checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Common {
    /// The deck: at most 63 cards, no hand empty.
    pub deck: Deck,
    /// The seed of everything drawn; below 2^53.
    pub seed: u64,
    /// How many of the best trees are kept.
    pub keep: usize,
    /// How many cycles are kept, each with all its deals.
    pub keep_cycles: usize,
    /// Time between two checkpoints. Decides no result.
    pub checkpoint_every: Duration,
}

impl Common {
    /// The keys that it reads. A way that draws nothing does not know the seed: see its own keys.
    pub const KEYS: &[&str] = &["how", "deck", "keep", "keep_cycles", "checkpoint_every"];

    /// Checks the keys of a plan. `keep_cycles` is how many cycles are kept unless the plan says
    /// otherwise.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn check(keys: &Keys, keep_cycles: u64) -> Result<Common, PlanError> {
        let deck = keys.deck.as_deref().unwrap_or("standard");
        let deck: Deck = deck.parse().map_err(|error| PlanError::Value {
            key: "deck",
            message: format!("{error}"),
        })?;
        if deck.len() > packed::MAX_CARDS {
            return Err(PlanError::Value {
                key: "deck",
                message: format!(
                    "{deck} has {} cards: decks of at most {} can be searched",
                    deck.len(),
                    packed::MAX_CARDS
                ),
            });
        }
        if deck.hands().contains(&0) {
            return Err(PlanError::Value {
                key: "deck",
                message: format!("{deck} leaves a hand empty: every game is over at once"),
            });
        }
        let keep = in_range("keep", keys.keep, 1000, 1..=1_000_000)?;
        let keep_cycles = in_range("keep_cycles", keys.keep_cycles, keep_cycles, 1..=1_000_000)?;
        let every = keys.checkpoint_every.unwrap_or(60.0);
        if !(0.01..=86_400.0).contains(&every) {
            return Err(PlanError::Value {
                key: "checkpoint_every",
                message: format!("{every} is out of range: 0.01 to 86400 seconds are accepted"),
            });
        }
        Ok(Common {
            deck,
            seed: in_range("seed", keys.seed, 1, 0..=MAX_NUMBER - 1)?,
            keep: keep as usize,
            keep_cycles: keep_cycles as usize,
            checkpoint_every: Duration::from_secs_f64(every),
        })
    }

    /// The beginning of the canonical form of a plan with `how = "{how}"`. What only some ways
    /// know, such as the seed, they add themselves.
    pub fn canonical(&self, how: &str) -> Canonical {
        Canonical::begin(how, &self.deck, self.keep, self.keep_cycles)
    }
}
