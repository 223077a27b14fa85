//! What a game came to.

use crate::cards::Player;

/// A stretch of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Span {
    /// Cards laid.
    pub cards: u64,
    /// Piles collected.
    pub tricks: u64,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// One player could not play, or held every card after a trick.
    Finished {
        /// The other one.
        winner: Player,
    },
    /// A state came back at a trick boundary: the game goes on for ever.
    Loop {
        /// What is played before the cycle is entered.
        lead_in: Span,
        /// One round of the cycle.
        period: Span,
    },
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
        matches!(self.outcome, Outcome::Loop { .. })
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
        if self.is_loop() { "loop" } else { "finished" }
    }
}
