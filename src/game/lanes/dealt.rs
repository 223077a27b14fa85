//! What feeds hand to kernels, and what comes out of them.

use crate::cards::{Deal, Deck, Player};
use crate::game::packed::{self, End, Kinds, MAX_CARDS, State};
use crate::game::verdict::Span;

/// How many deals are asked of a feed at a time.
pub(super) const BATCH: usize = 256;

/// A deal of a known deck in three words. What it means is known to feeds and kernels alone;
/// whoever else holds one turns it into a [`Deal`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Dealt {
    /// Where A's payment cards are: his top card is bit 62, the next one bit 61, and so on.
    pub a: u64,
    /// Where B's payment cards are, likewise.
    pub b: u64,
    /// What the deck's payment cards pay, less one, two bits each: A's from the top of his hand,
    /// then B's. The last one is in bits 0 and 1.
    pub kinds: u128,
}

impl Dealt {
    /// A deal in packed form; `None` if it has over 63 cards.
    pub fn of(deal: &Deal) -> Option<Dealt> {
        if deal.len() > MAX_CARDS {
            return None;
        }
        let mut dealt = Dealt::default();
        for player in [Player::A, Player::B] {
            let mut hand = 0;
            for (at, card) in deal.hand(player).iter().enumerate() {
                if card.pays() > 0 {
                    hand |= 1 << (62 - at);
                    dealt.kinds = dealt.kinds << 2 | u128::from(card.pays() - 1);
                }
            }
            *[&mut dealt.a, &mut dealt.b][player.index()] = hand;
        }
        Some(dealt)
    }

    /// The deal in which A leads with the leader's hand. It must have 1 to 31 payment cards.
    #[inline(always)]
    pub(super) fn of_state<K: Kinds>(state: State<K>) -> Dealt {
        let hand = |hand: packed::Hand<K>| (hand.words().0 ^ 1 << hand.len()).reverse_bits() >> 1;
        let queue = |hand: packed::Hand<K>| {
            // From the top at the lowest bits to the top at the highest, two bits a card.
            let turned = hand.words().1.low().reverse_bits();
            turned >> 1 & 0x5555_5555_5555_5555 | (turned & 0x5555_5555_5555_5555) << 1
        };
        let queues = queue(state.leader) | queue(state.other) >> (2 * state.leader.payment_cards());
        let payment_cards = state.leader.payment_cards() + state.other.payment_cards();
        Dealt {
            a: hand(state.leader),
            b: hand(state.other),
            kinds: (queues >> (64 - 2 * payment_cards)).into(),
        }
    }

    /// The deal again, given the deck it is of.
    ///
    /// # Panics
    /// If it is of another deck and the deck has over 63 cards.
    pub fn deal(self, deck: &Deck) -> Deal {
        let mut left = self.payment_cards();
        let [a, b] = [(self.a, 0), (self.b, 1)].map(|(hand, player)| {
            (0..deck.hands()[player])
                .map(|at| {
                    if hand >> (62 - at) & 1 == 0 {
                        return 0;
                    }
                    left -= 1;
                    (self.kinds >> (2 * left)) as u8 % 4 + 1
                })
                .collect::<Vec<u8>>()
        });
        Deal::from_payments(&a, &b).expect("a deck has cards")
    }

    pub(super) fn payment_cards(self) -> u32 {
        self.a.count_ones() + self.b.count_ones()
    }

    /// The state of the scalar engine, for hands of `sizes` cards.
    pub(super) fn state<K: Kinds>(self, sizes: [usize; 2]) -> State<K> {
        let mut left = self.payment_cards();
        let [leader, other] = [(self.a, sizes[0]), (self.b, sizes[1])].map(|(hand, size)| {
            let mut kinds = K::default();
            let payment_cards = hand.count_ones();
            for at in 0..payment_cards {
                left -= 1;
                kinds |= K::from((self.kinds >> (2 * left)) as u8 & 3) << (2 * at);
            }
            packed::Hand::from_words((hand << 1).reverse_bits() | 1 << size, kinds)
        });
        State { leader, other }
    }
}

/// Where deals come from: all of one deck, one after the other.
pub trait Feed {
    /// The deck.
    fn deck(&self) -> &Deck;

    /// Writes the next deals from the start of `deals` on, and says how many. Fewer than there is
    /// room for, and there are no more.
    fn fill(&mut self, deals: &mut [Dealt]) -> usize;
}

/// One game, as it comes out of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Played {
    /// The place of its deal in the feed, from 0.
    pub at: u64,
    /// Cards laid; 0 if the game was capped.
    pub cards: u32,
    /// Piles collected; 0 if the game was capped.
    pub tricks: u32,
    /// How it ended.
    pub end: End,
}

impl Played {
    /// Cards and tricks.
    pub fn span(self) -> Span {
        Span {
            cards: self.cards.into(),
            tricks: self.tricks.into(),
        }
    }
}
