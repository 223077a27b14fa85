//! A deal: two hands of cards, in order.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::card::Card;

/// The most cards a deal may have. A game of that many cards still ends within seconds.
pub const MAX_CARDS: usize = 10_000;

/// One of the two players. A leads first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Player {
    A,
    B,
}

impl Player {
    /// The other one.
    pub const fn other(self) -> Player {
        match self {
            Player::A => Player::B,
            Player::B => Player::A,
        }
    }

    /// 0 for A, 1 for B.
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Player::A => "A",
            Player::B => "B",
        })
    }
}

/// Two hands, top card first. Either may be empty, not both.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Deal {
    hands: [Vec<Card>; 2],
}

/// Why two hands are no deal.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DealError {
    /// Neither hand has a card.
    #[error("the deal has no cards: write the cards of both hands, for example J-2/-Q-")]
    Empty,
    /// More than [`MAX_CARDS`].
    #[error("the deal has {0} cards: at most {MAX_CARDS} are accepted")]
    TooLarge(usize),
}

impl Deal {
    /// A deal of these hands.
    ///
    /// # Errors
    /// [`DealError`] if both hands are empty or there are more than [`MAX_CARDS`] cards.
    pub fn new(a: Vec<Card>, b: Vec<Card>) -> Result<Deal, DealError> {
        match a.len() + b.len() {
            0 => Err(DealError::Empty),
            n if n > MAX_CARDS => Err(DealError::TooLarge(n)),
            _ => Ok(Deal { hands: [a, b] }),
        }
    }

    /// A deal from what each card pays (0 to 4), top first.
    ///
    /// # Errors
    /// As [`Deal::new`].
    ///
    /// # Panics
    /// If a value is over 4.
    pub fn from_payments(a: &[u8], b: &[u8]) -> Result<Deal, DealError> {
        let hand = |pays: &[u8]| {
            pays.iter()
                .map(|&p| Card::paying(p).expect("a card pays 0 to 4"))
                .collect()
        };
        Deal::new(hand(a), hand(b))
    }

    /// The hand of `player`, top card first.
    pub fn hand(&self, player: Player) -> &[Card] {
        &self.hands[player.index()]
    }

    /// All cards, A's first.
    pub fn cards(&self) -> impl DoubleEndedIterator<Item = Card> + '_ {
        self.hands.iter().flatten().copied()
    }

    /// How many cards there are in both hands.
    pub fn len(&self) -> usize {
        self.hands[0].len() + self.hands[1].len()
    }

    /// Never: a deal has at least one card.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// How many cards pay 0, 1, 2, 3, 4.
    pub fn composition(&self) -> [usize; 5] {
        let mut counts = [0; 5];
        for card in self.cards() {
            counts[usize::from(card.pays())] += 1;
        }
        counts
    }

    /// Whether the hands are as equal as can be, A having the odd card.
    pub fn is_balanced(&self) -> bool {
        let [a, b] = self.hands.each_ref().map(Vec::len);
        a == b || a == b + 1
    }

    /// The same deal with numbers and suits forgotten: what decides a game.
    pub fn skeleton(&self) -> Deal {
        let forget = |hand: &Vec<Card>| {
            hand.iter()
                .map(|card| Card::paying(card.pays()).expect("0 to 4"))
                .collect()
        };
        Deal {
            hands: [forget(&self.hands[0]), forget(&self.hands[1])],
        }
    }
}

/// The skeleton notation, `HANDA/HANDB`.
impl fmt::Display for Deal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self
            .hands
            .each_ref()
            .map(|hand| hand.iter().map(|card| card.skeleton()).collect::<String>());
        write!(f, "{a}/{b}")
    }
}
