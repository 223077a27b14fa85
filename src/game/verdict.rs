//! What a game came to.

use serde::{Deserialize, Serialize};

use crate::cards::Player;

/// A stretch of a game. Longer ones are greater: by cards, then by tricks.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize,
)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// Cards laid.
    pub cards: u64,
    /// Piles collected.
    pub tricks: u64,
}

/// How a game ended. `W` is what is known of the winner: the player, or, where a claim may leave
/// him out, `Option<Player>`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome<W = Player> {
    /// One player could not play, or held every card after a trick.
    Finished {
        /// The other one.
        winner: W,
    },
    /// A state came back at a trick boundary: the game goes on for ever.
    Loop {
        /// What is played before the cycle is entered.
        lead_in: Span,
        /// One round of the cycle.
        period: Span,
    },
}

impl<W> Outcome<W> {
    /// Whether the game goes on for ever.
    pub fn is_loop(&self) -> bool {
        matches!(self, Outcome::Loop { .. })
    }

    /// `finished` or `loop`, as results are written.
    pub fn status(&self) -> &'static str {
        if self.is_loop() { "loop" } else { "finished" }
    }
}

/// Where the winner may be left out.
impl From<Outcome> for Outcome<Option<Player>> {
    fn from(outcome: Outcome) -> Outcome<Option<Player>> {
        match outcome {
            Outcome::Finished { winner } => Outcome::Finished {
                winner: Some(winner),
            },
            Outcome::Loop { lead_in, period } => Outcome::Loop { lead_in, period },
        }
    }
}

/// A game played to its end, or until a state came back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Verdict {
    /// Cards laid, and piles collected, the last one included.
    pub played: Span,
    /// Finished or loop.
    pub outcome: Outcome,
}

impl Verdict {
    /// Whether the game goes on for ever.
    pub fn is_loop(&self) -> bool {
        self.outcome.is_loop()
    }

    /// The winner of a finished game.
    pub fn winner(&self) -> Option<Player> {
        match self.outcome {
            Outcome::Finished { winner } => Some(winner),
            Outcome::Loop { .. } => None,
        }
    }

    /// `finished` or `loop`, as results are written.
    pub fn status(&self) -> &'static str {
        self.outcome.status()
    }
}
