//! A whole game as a list of moves, as a replay shows it.
//!
//! The exact engine plays; this file only writes down what it does. The same source is compiled
//! into the program and into the WebAssembly engine of the page, so that a pasted deal is played
//! by the one engine there is. What a page does with the moves is to carry cards from hand to
//! pile and from pile to hand: it knows no rule.

use serde::Serialize;
use thiserror::Error;

use crate::cards::{Card, Deal, NotationError, Player, Rank, Reader};
use crate::game::exact::{Capped, Event, Game, Sameness, play_until};
use crate::game::{Outcome, Span, Verdict};

/// The most cards laid that a film holds: a page of some megabytes.
pub const MAX_LAID: u64 = 1_000_000;

/// Why there is no film.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FilmError {
    /// The text is no deal.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// More than [`MAX_LAID`] cards are laid.
    #[error(
        "the game lays over {MAX_LAID} cards, more than a replay holds: \
         give a bound, for example --max-tricks 10000"
    )]
    TooLong,
}

/// How a deal is played for a film.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Take {
    /// Digits say what a card pays.
    pub digits: bool,
    /// When two states count as the same.
    pub sameness: Sameness,
    /// Stop after this many tricks without a verdict.
    pub max_tricks: Option<u64>,
}

impl Default for Take {
    fn default() -> Take {
        Take {
            digits: false,
            sameness: Sameness::Skeleton,
            max_tricks: None,
        }
    }
}

/// A game from the first card to its verdict.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Film {
    /// The deal, as `HANDA/HANDB`.
    pub deal: String,
    /// What is written on each card, A's hand first.
    pub cards: Vec<String>,
    /// What each card pays, one digit a card.
    pub pays: String,
    /// How many cards each hand has at the start.
    pub hands: [usize; 2],
    /// The moves, one letter each: `A` and `B` lay their top card, `a` and `b` collect the pile.
    pub moves: String,
    /// What is owed after each move, one digit each: 0 nothing, 1 to 4 by A, 5 to 8 that less 4
    /// by B.
    pub debts: String,
    /// How the game ended.
    pub verdict: Summary,
    /// For a loop, the orbit of each card, from 0, in the order of their first cards where the
    /// loop is entered. Cards of one orbit take each other's places from round to round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orbits: Option<Vec<u32>>,
}

/// A verdict, with the keys of `camicia play --json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Summary {
    /// `finished`, `loop`, or `capped`.
    pub status: &'static str,
    /// Cards laid.
    pub cards: u64,
    /// Piles collected.
    pub tricks: u64,
    /// The winner of a finished game.
    pub winner: Option<Player>,
    /// What is played before a loop is entered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead_in: Option<Span>,
    /// One round of a loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Span>,
}

impl From<Result<Verdict, Capped>> for Summary {
    fn from(verdict: Result<Verdict, Capped>) -> Summary {
        let (status, played) = match &verdict {
            Ok(verdict) => (verdict.status(), verdict.played),
            Err(capped) => ("capped", capped.played),
        };
        let mut summary = Summary {
            status,
            cards: played.cards,
            tricks: played.tricks,
            winner: None,
            lead_in: None,
            period: None,
        };
        match verdict.map(|verdict| verdict.outcome) {
            Ok(Outcome::Finished { winner }) => summary.winner = Some(winner),
            Ok(Outcome::Loop { lead_in, period }) => {
                summary.lead_in = Some(lead_in);
                summary.period = Some(period);
            }
            Err(_) => {}
        }
        summary
    }
}

impl Film {
    /// Reads a deal and plays it.
    ///
    /// # Errors
    /// [`FilmError`].
    pub fn read(text: &str, reader: Reader, take: Take) -> Result<Film, FilmError> {
        Film::of(&reader.deal(text)?, take)
    }

    /// Plays `deal` to its verdict, or to the bound of `take`.
    ///
    /// # Errors
    /// [`FilmError::TooLong`].
    pub fn of(deal: &Deal, take: Take) -> Result<Film, FilmError> {
        // A trick lays a card at least.
        let bound = take.max_tricks.unwrap_or(u64::MAX).min(MAX_LAID + 1);
        let verdict = play_until(deal, take.sameness, bound);
        let played = match &verdict {
            Ok(verdict) => verdict.played,
            Err(capped) => capped.played,
        };
        if played.cards > MAX_LAID {
            return Err(FilmError::TooLong);
        }
        let mut game = Game::new(deal);
        let mut moves = String::new();
        let mut debts = String::new();
        while game.played().tricks < played.tricks {
            let Some(event) = game.step() else { break };
            moves.push(match event {
                Event::Laid {
                    player: Player::A, ..
                } => 'A',
                Event::Laid {
                    player: Player::B, ..
                } => 'B',
                Event::Collected { player: Player::A } => 'a',
                Event::Collected { player: Player::B } => 'b',
            });
            let owed = game
                .debt()
                .map_or(0, |(player, debt)| debt + 4 * player.index() as u8);
            debts.push(char::from(b'0' + owed));
        }
        let orbits = match &verdict {
            Ok(Verdict {
                outcome: Outcome::Loop { lead_in, .. },
                ..
            }) => Some(orbits(deal, *lead_in)),
            _ => None,
        };
        let show = |card: Card| match (take.digits, card.rank) {
            (true, _) => card.digit().to_string(),
            (false, Rank::Plain) => String::new(),
            (false, _) => card.to_string(),
        };
        Ok(Film {
            deal: deal.to_string(),
            cards: deal.cards().map(show).collect(),
            pays: deal.cards().map(Card::digit).collect(),
            hands: [Player::A, Player::B].map(|player| deal.hand(player).len()),
            moves,
            debts,
            verdict: verdict.into(),
            orbits,
        })
    }

    /// What was played.
    pub fn played(&self) -> Span {
        Span {
            cards: self.verdict.cards,
            tricks: self.verdict.tricks,
        }
    }
}

/// The orbit of each card of an infinite deal, entered after `lead_in`.
///
/// The round is the shortest after which the state comes back, leader first: the players may have
/// changed places.
fn orbits(deal: &Deal, lead_in: Span) -> Vec<u32> {
    let pays: Vec<u8> = deal.cards().map(Card::pays).collect();
    let mut game = Game::new(deal);
    while game.played().tricks < lead_in.tricks {
        game.trick();
    }
    let (entry, leads) = places(&game);
    let after = loop {
        if !game.trick() {
            // A decks-only reading calls games loops that end: then no card takes another's place.
            break entry.clone();
        }
        let (now, led) = places(&game);
        let alike = |(&a, &b): (&usize, &usize)| pays[a] == pays[b];
        if led == leads && now.iter().zip(&entry).all(alike) {
            break now;
        }
    };
    let mut next = vec![0; pays.len()];
    for (&before, &after) in entry.iter().zip(&after) {
        next[before] = after;
    }
    let mut orbits = vec![u32::MAX; pays.len()];
    let mut count = 0;
    for first in entry {
        let mut at = first;
        let fresh = orbits[at] == u32::MAX;
        while orbits[at] == u32::MAX {
            orbits[at] = count;
            at = next[at];
        }
        count += u32::from(fresh);
    }
    orbits
}

/// The cards of both hands, the leader's first, and how many he holds.
fn places(game: &Game) -> (Vec<usize>, usize) {
    let leader = game.turn();
    let cards = game.hand(leader).chain(game.hand(leader.other())).collect();
    (cards, game.hand(leader).len())
}
