//! The index of a deal: its rank among all deals of its deck, and back.
//!
//! A deal is a permutation of a multiset, A's cards followed by B's; its index is the
//! lexicographic rank, in one of two public orders of the kinds of cards. 128 bits hold it.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::card::Card;
use super::counting::share;
use super::deal::Deal;
use super::deck::{Deck, DeckError, KINDS};

/// The order of the kinds of cards in which deals are ranked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// A < K < Q < J < plain, written `akqj-`: the order of the lists of the standard deck.
    AcesFirst,
    /// plain < 1 < 2 < 3 < 4, written `-123`: the order of the lists of the Italian deck.
    PlainFirst,
}

impl Order {
    /// The usual order for a deck: `-123` where its deals are written in digits.
    pub fn usual(deck: &Deck) -> Order {
        if deck.digits() {
            Order::PlainFirst
        } else {
            Order::AcesFirst
        }
    }

    /// What the cards pay, from the least kind to the greatest.
    pub const fn kinds(self) -> [u8; KINDS] {
        match self {
            Order::AcesFirst => [4, 3, 2, 1, 0],
            Order::PlainFirst => [0, 1, 2, 3, 4],
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::AcesFirst => "akqj-",
            Order::PlainFirst => "-123",
        })
    }
}

impl FromStr for Order {
    type Err = IndexError;

    fn from_str(text: &str) -> Result<Order, IndexError> {
        match text {
            "akqj-" => Ok(Order::AcesFirst),
            "-123" => Ok(Order::PlainFirst),
            _ => Err(IndexError::Order(text.chars().take(40).collect())),
        }
    }
}

/// Why there is no such index or no such deal.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum IndexError {
    /// The order is neither of the two.
    #[error(
        "{0:?} is no order: accepted are akqj- (A < K < Q < J < plain) and -123 (plain < 1 < 2 < 3)"
    )]
    Order(String),
    /// The deck has too many deals.
    #[error("the deck {0} has 2^128 deals or more: its deals have no index")]
    TooMany(String),
    /// The index is past the end.
    #[error("index {index} is out of range: the deck {deck} has {deals} deals, 0 to {}", deals - 1)]
    Range {
        /// The index asked for.
        index: u128,
        /// The deck.
        deck: String,
        /// Its number of deals.
        deals: u128,
    },
    /// The deal is of another deck.
    #[error(transparent)]
    Deck(#[from] DeckError),
}

impl Deck {
    fn indexed(&self) -> Result<u128, IndexError> {
        self.deals()
            .ok_or_else(|| IndexError::TooMany(self.to_string()))
    }

    /// The index of a deal of this deck, from 0.
    ///
    /// # Errors
    /// [`IndexError::Deck`] if the deal is of another deck, [`IndexError::TooMany`] if the deck has
    /// no indices.
    pub fn index_of(&self, deal: &Deal, order: Order) -> Result<u128, IndexError> {
        self.check(deal)?;
        let mut deals = self.indexed()?;
        let mut counts = self.counts();
        let mut left = self.len() as u128;
        let mut index = 0;
        for card in deal.cards() {
            for kind in order.kinds() {
                let with = share(deals, counts[usize::from(kind)], left);
                if kind == card.pays() {
                    deals = with;
                    break;
                }
                index += with;
            }
            counts[usize::from(card.pays())] -= 1;
            left -= 1;
        }
        Ok(index)
    }

    /// The deal of this deck with this index.
    ///
    /// # Errors
    /// [`IndexError::Range`] past the end, [`IndexError::TooMany`] if the deck has no indices.
    pub fn deal_at(&self, index: u128, order: Order) -> Result<Deal, IndexError> {
        let mut deals = self.indexed()?;
        if index >= deals {
            return Err(IndexError::Range {
                index,
                deck: self.to_string(),
                deals,
            });
        }
        let mut counts = self.counts();
        let mut rest = index;
        let mut cards = Vec::with_capacity(self.len());
        for left in (1..=self.len() as u128).rev() {
            for kind in order.kinds() {
                let with = share(deals, counts[usize::from(kind)], left);
                if rest < with {
                    deals = with;
                    counts[usize::from(kind)] -= 1;
                    cards.push(Card::paying(kind).expect("a kind is 0 to 4"));
                    break;
                }
                rest -= with;
            }
        }
        let b = cards.split_off(self.hands()[0]);
        Ok(Deal::new(cards, b).expect("a deck has an accepted number of cards"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_and_last_deal_of_both_orders() {
        let deck: Deck = "plain=2,J=1,A=1".parse().unwrap();
        assert_eq!(
            deck.deal_at(0, Order::AcesFirst).unwrap().to_string(),
            "AJ/--"
        );
        assert_eq!(
            deck.deal_at(11, Order::AcesFirst).unwrap().to_string(),
            "--/JA"
        );
        assert_eq!(
            deck.deal_at(0, Order::PlainFirst).unwrap().to_string(),
            "--/JA"
        );
        assert_eq!(
            deck.deal_at(11, Order::PlainFirst).unwrap().to_string(),
            "AJ/--"
        );
    }

    #[test]
    fn indices_are_those_of_the_sorted_list() {
        let deck: Deck = "plain=3,1=2,2=1,4=1,hands=5/2".parse().unwrap();
        for order in [Order::AcesFirst, Order::PlainFirst] {
            let place = |card: Card| {
                order
                    .kinds()
                    .iter()
                    .position(|&k| k == card.pays())
                    .unwrap()
            };
            let mut last: Option<Vec<usize>> = None;
            for index in 0..deck.deals().unwrap() {
                let deal = deck.deal_at(index, order).unwrap();
                assert_eq!(deck.index_of(&deal, order), Ok(index));
                let key: Vec<usize> = deal.cards().map(place).collect();
                assert!(last.is_none_or(|last| last < key));
                last = Some(key);
            }
            assert!(matches!(
                deck.deal_at(420, order),
                Err(IndexError::Range { deals: 420, .. })
            ));
        }
    }

    #[test]
    fn a_deck_with_too_many_deals_has_no_index() {
        let deck: Deck = "plain=100,1=100,2=100".parse().unwrap();
        assert_eq!(deck.deals(), None);
        assert!(matches!(
            deck.deal_at(0, Order::PlainFirst),
            Err(IndexError::TooMany(_))
        ));
        // Near the limit, where products would overflow if they were taken first.
        let deck = Deck::new([22, 22, 13, 13, 0]).unwrap();
        let deals = deck.deals().expect("a 124-bit number");
        let deal = deck.deal_at(deals - 1, Order::PlainFirst).unwrap();
        assert_eq!(deck.index_of(&deal, Order::PlainFirst), Ok(deals - 1));
    }
}
