//! A game played again from what was written down, by the rules alone: no bot, and none of the code that
//! talks to bots. It proves while it replays: every move is one the rules allow or punish as it was
//! punished, no card is lost or made, and the end is the one that was recorded.

use serde::Serialize;

use crate::referee::host::game::{CardGame, Fixture, Reason, Scene, Score, SeatIndex};

/// A game that can be played again without its bots.
pub trait Replayable: CardGame {
    /// Plays the game of `fixture` again from its moves.
    ///
    /// # Errors
    /// When the moves are not those of such a game.
    fn replay(&self, fixture: &Fixture, moves: &str) -> Result<Replay, ReplayError>;
}

/// A game that was played again.
#[derive(Clone, Debug, Serialize)]
pub struct Replay {
    /// What is played, as people say it.
    pub title: String,
    /// The names of the bots by seat.
    pub names: Vec<String>,
    /// The deal, then every step.
    pub steps: Vec<ReplayStep>,
    /// Why the game ended.
    #[serde(skip)]
    pub reason: Reason,
    /// Who won, or the points.
    pub score: Score,
    /// Turns played.
    pub turns: u64,
}

/// What the table looks like after the deal, or after a step of a game.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayStep {
    /// Who acted; none for the deal and the end.
    pub seat: Option<SeatIndex>,
    /// The step as people follow it, the same as with `--watch`.
    pub scene: Scene,
    /// The hands, card by card, as the game writes cards.
    pub hands: Vec<Vec<String>>,
    /// The cards that lie open, or on the pile that players lay on; the last one on top.
    pub table: Vec<String>,
    /// How many cards are left to draw.
    pub pile: usize,
}

/// Why a game cannot be played again.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// Nothing was written down.
    #[error("its moves were not kept")]
    NoMoves,
    /// A move is none, or none that the rules allow there.
    #[error("move {number}: {why}")]
    Move {
        /// Its number, from 1.
        number: usize,
        /// What is wrong.
        why: String,
    },
    /// The moves end before the game does.
    #[error("the moves end after {0}, and the game goes on")]
    Short(usize),
    /// The game ends before the moves do.
    #[error("the game is over after move {0}, and more are written down")]
    Long(usize),
    /// A card was lost or made.
    #[error("after move {0} the cards are not those that were dealt")]
    Cards(usize),
}

/// The moves of a game, one after the other.
pub(super) struct Moves<'a> {
    words: Vec<&'a str>,
    taken: usize,
}

impl<'a> Moves<'a> {
    /// The words of `moves`.
    pub fn new(moves: &'a str) -> Result<Moves<'a>, ReplayError> {
        let words: Vec<&str> = moves.split_ascii_whitespace().collect();
        if words.is_empty() {
            return Err(ReplayError::NoMoves);
        }
        Ok(Moves { words, taken: 0 })
    }

    /// The next one.
    pub fn next(&mut self) -> Result<&'a str, ReplayError> {
        let word = self.words.get(self.taken);
        let word = word.ok_or(ReplayError::Short(self.taken))?;
        self.taken += 1;
        Ok(word)
    }

    /// What is wrong with the last one.
    pub fn fault(&self, why: impl Into<String>) -> ReplayError {
        ReplayError::Move {
            number: self.taken,
            why: why.into(),
        }
    }

    /// Whether all cards are there, after the last one.
    pub fn check_cards(&self, all_there: bool) -> Result<(), ReplayError> {
        match all_there {
            true => Ok(()),
            false => Err(ReplayError::Cards(self.taken)),
        }
    }

    /// That none is left.
    pub fn end(&self) -> Result<(), ReplayError> {
        match self.taken == self.words.len() {
            true => Ok(()),
            false => Err(ReplayError::Long(self.taken)),
        }
    }
}
