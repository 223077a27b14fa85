//! Where the deals of a search come from: random deals, each with an address, and the deals of a
//! range of indices in order. Both write the packed form that the fast engine plays.
//!
//! Not here: which deals a search wants. A plan and its blocks say that.
//!
//! # Random deals
//!
//! A shuffle of 52 cards costs as much as a game, so one shuffle serves a group of deals. The cards
//! of a deck of `n` lie in a circle: which places hold payment cards is one uniform draw, in which
//! order the payment cards pay is another, independent one. For each of the `n` deals of a group the
//! circle turns by one place and the queue of payments by one card, whether a payment card passed or
//! not; then a fixed permutation scatters the places, so that neighbours on the circle are far from
//! each other in the hands. All three are one-to-one, so every deal is exactly uniform by itself.
//!
//! The deals of one group are not independent of each other, and no group shares anything with
//! another one: each has its own generator, seeded from (seed, block, group). So counts over many
//! groups have the right mean, and their variance is that of independent deals times
//! `1 + (n - 1) r`, `r` being the mean correlation of two deals of a group. Measured over 200,000
//! groups of the standard deck (to 0.003), that factor is 1.013 for cards, 1.011 for tricks, 1.017
//! for games over 250 cards, 1.003 over 500 and 0.998 over 1000: a histogram of so many deals is as
//! good as one of independent deals, less one in a hundred. (Without the scattering, a deal and
//! the next one are nearly the same game for a while, and the factor for cards is 1.98.)
//!
//! All numbers come from xoshiro256++ and integer arithmetic alone. The deal of an address is the
//! same in every version of this program and on every machine.

use std::ops::Range;
use std::sync::Arc;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use thiserror::Error;

use crate::cards::{Deal, Deck, IndexError, KINDS, Order};
use crate::game::lanes::{Dealt, Feed};
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

fn fits(deck: &Deck) -> Result<(), FeedError> {
    if deck.len() <= MAX_CARDS {
        Ok(())
    } else {
        Err(FeedError::TooLarge {
            deck: deck.to_string(),
            cards: deck.len(),
        })
    }
}

/// The random deal at an address: deal `offset` of block `block` of the stream of `seed`.
///
/// # Errors
/// [`FeedError::TooLarge`] if the deck has over 63 cards.
pub fn random_deal(deck: &Deck, seed: u64, block: u64, offset: u64) -> Result<Deal, FeedError> {
    let mut feed = Random::new(deck, seed, block, offset..u64::MAX)?;
    let mut deals = [Dealt::default()];
    feed.fill(&mut deals);
    Ok(deals[0].deal(deck))
}

/// The random deals of one block.
#[derive(Clone, Debug)]
pub struct Random {
    deck: Deck,
    layout: Layout,
    keys: [u64; 2],
    left: Range<u64>,
    circle: Circle,
}

impl Random {
    /// The deals at `offsets` of block `block` of the stream of `seed`; an offset is any number
    /// below 2^64 - 1.
    ///
    /// # Errors
    /// [`FeedError::TooLarge`] if the deck has over 63 cards.
    pub fn new(
        deck: &Deck,
        seed: u64,
        block: u64,
        offsets: Range<u64>,
    ) -> Result<Random, FeedError> {
        fits(deck)?;
        let mut feed = Random {
            deck: deck.clone(),
            layout: Layout::of(deck),
            keys: [FIRST_KEY, SECOND_KEY].map(|key| absorb(absorb(key, seed), block)),
            left: offsets,
            circle: Circle::default(),
        };
        if !feed.left.is_empty() {
            let cards = deck.len() as u64;
            feed.circle = feed.group(feed.left.start / cards);
            feed.circle
                .turn(&feed.layout, (feed.left.start % cards) as u32);
        }
        Ok(feed)
    }

    /// The first deal of a group, in a circle.
    fn group(&self, group: u64) -> Circle {
        Circle::shuffled(&self.layout, self.keys.map(|key| absorb(key, group)))
    }
}

impl Feed for Random {
    fn deck(&self) -> &Deck {
        &self.deck
    }

    fn fill(&mut self, deals: &mut [Dealt]) -> usize {
        let cards = self.deck.len() as u64;
        let mut written = 0;
        while written < deals.len() && !self.left.is_empty() {
            let step = self.left.start % cards;
            if step == 0 {
                self.circle = self.group(self.left.start / cards);
            }
            let n = (cards - step)
                .min(self.left.end - self.left.start)
                .min((deals.len() - written) as u64);
            self.circle
                .deal(&self.layout, &mut deals[written..written + n as usize]);
            self.left.start += n;
            written += n as usize;
        }
        written
    }
}

/// What dealing needs to know of a deck.
#[derive(Clone, Debug)]
struct Layout {
    cards: u32,
    payment_cards: u32,
    hands: [u32; 2],
    /// What each payment card pays, less one.
    pays: Vec<u8>,
    /// Changes of places: cards this far apart, where the mask has the later one.
    swaps: [(u32, u64); SWAPS],
}

/// How many times cards of a circle change places before it is cut.
const SWAPS: usize = 6;

impl Layout {
    fn of(deck: &Deck) -> Layout {
        let counts = deck.counts();
        Layout {
            cards: deck.len() as u32,
            payment_cards: deck.payment_cards() as u32,
            hands: deck.hands().map(|n| n as u32),
            pays: (1..KINDS)
                .flat_map(|pays| std::iter::repeat_n(pays as u8 - 1, counts[pays]))
                .collect(),
            swaps: std::array::from_fn(|at| {
                let apart = 1 << at;
                let random = mix(at as u64);
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
    fn scatter(&self, mut row: u64) -> u64 {
        for (apart, mask) in self.swaps {
            let change = (row >> apart ^ row) & mask;
            row ^= change ^ change << apart;
        }
        row
    }

    /// Cuts a row of cards, its first in bit `cards - 1`, into hands as [`Dealt`] has them.
    #[inline(always)]
    fn cut(&self, row: u64, kinds: u128) -> Dealt {
        let [a, b] = self.hands;
        Dealt {
            // A hand of 63 cards, shifted by nothing, ends at bit 0.
            a: row >> b << (63 - a),
            b: (row & ((1 << b) - 1)) << (63 - b),
            kinds,
        }
    }
}

/// The cards of a deck in a circle, and where it is cut.
#[derive(Clone, Copy, Default, Debug)]
struct Circle {
    /// Bit `cards - 1` is the first place; a set bit is a payment card.
    places: u64,
    /// What the payment cards pay, less one, two bits each, the first in the highest.
    kinds: u128,
}

impl Circle {
    fn shuffled(layout: &Layout, keys: [u64; 2]) -> Circle {
        let mut random = Numbers::new(keys);
        Circle {
            places: random.places(layout.cards, layout.payment_cards),
            kinds: random.row(&layout.pays),
        }
    }

    /// Moves the cut by `steps` cards, and the payments by as many.
    fn turn(&mut self, layout: &Layout, steps: u32) {
        for _ in 0..steps {
            self.places = turned(self.places, layout.cards);
            self.kinds = turned_wide(self.kinds, layout.payment_cards);
        }
    }

    /// Writes a deal and moves the cut by one card, until `deals` is full.
    fn deal(&mut self, layout: &Layout, deals: &mut [Dealt]) {
        let mut places = self.places;
        if layout.payment_cards <= 32 {
            let mut kinds = self.kinds as u64;
            let bits = 2 * layout.payment_cards;
            for deal in deals {
                *deal = layout.cut(layout.scatter(places), kinds.into());
                places = turned(places, layout.cards);
                kinds = turned_pairs(kinds, bits);
            }
            self.kinds = kinds.into();
        } else {
            let mut kinds = self.kinds;
            for deal in deals {
                *deal = layout.cut(layout.scatter(places), kinds);
                places = turned(places, layout.cards);
                kinds = turned_wide(kinds, layout.payment_cards);
            }
            self.kinds = kinds;
        }
        self.places = places;
    }
}

/// `row` of `n` bits (1 to 63), its first bit moved to the end.
#[inline(always)]
fn turned(row: u64, n: u32) -> u64 {
    ((row << 1) & ((1 << n) - 1)) | row >> (n - 1)
}

/// `row` of `bits` bits (an even number, 0 to 64), its first two bits moved to the end.
#[inline(always)]
fn turned_pairs(row: u64, bits: u32) -> u64 {
    // With no bits at all the row is 0, and stays so.
    let mask = u64::MAX >> (64 - bits.max(2));
    ((row << 2) & mask) | row >> (bits.max(2) - 2)
}

/// `row` of `n` pairs of bits (0 to 63), its first pair moved to the end.
fn turned_wide(row: u128, n: u32) -> u128 {
    let bits = 2 * n.max(1);
    ((row << 2) & ((1 << bits) - 1)) | row >> (bits - 2)
}

const FIRST_KEY: u64 = 0x243f_6a88_85a3_08d3; // digits of pi
const SECOND_KEY: u64 = 0x1319_8a2e_0370_7344;

/// The output function of splitmix64: one-to-one, and every bit of `x` moves every bit.
fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// A key that `x` went into.
fn absorb(key: u64, x: u64) -> u64 {
    mix((key ^ x).wrapping_add(0x9e37_79b9_7f4a_7c15))
}

/// Random numbers, and what dealing makes of them.
struct Numbers {
    random: Xoshiro256PlusPlus,
}

impl Numbers {
    /// The generator of two keys. Their 128 bits are spread over its 256; no two groups of a
    /// search that could ever be run share a state but by a chance of 2^-50.
    fn new(keys: [u64; 2]) -> Numbers {
        let mut seed = [0; 32];
        for (at, word) in seed.chunks_exact_mut(8).enumerate() {
            let word_of = mix(keys[at % 2].wrapping_add(at as u64 / 2));
            word.copy_from_slice(&word_of.to_le_bytes());
        }
        Numbers {
            random: Xoshiro256PlusPlus::from_seed(seed),
        }
    }

    /// `chosen` of `n` places (1 to 63), each choice as likely: a word of `n` bits.
    fn places(&mut self, n: u32, chosen: u32) -> u64 {
        // The fewer of the two are drawn, one after the other, drawn again if they hit.
        let drawn = chosen.min(n - chosen);
        let bits = u32::BITS - (n - 1).leading_zeros();
        let mask = (1 << bits) - 1;
        let (mut places, mut left) = (0u64, drawn);
        let (mut word, mut word_bits) = (0, 0);
        while left > 0 {
            if word_bits < bits {
                (word, word_bits) = (self.random.next_u64(), u64::BITS);
            }
            let place = word & mask;
            word >>= bits;
            word_bits -= bits;
            let fresh = place < u64::from(n) && places >> place & 1 == 0;
            places |= u64::from(fresh) << place;
            left -= u32::from(fresh);
        }
        if drawn == chosen {
            places
        } else {
            places ^ ((1 << n) - 1)
        }
    }

    /// The values of `pays` (at most 63 of two bits) in an order, each order as likely.
    fn row(&mut self, pays: &[u8]) -> u128 {
        let mut shuffled = [0; MAX_CARDS];
        let shuffled = &mut shuffled[..pays.len()];
        shuffled.copy_from_slice(pays);
        for last in (1..shuffled.len()).rev() {
            shuffled.swap(last, self.below(last as u32 + 1) as usize);
        }
        shuffled
            .iter()
            .fold(0, |row, &pays| row << 2 | u128::from(pays))
    }

    /// A number below `bound` (which is over 0), each as likely.
    fn below(&mut self, bound: u32) -> u32 {
        loop {
            let product = (self.random.next_u64() >> 32) * u64::from(bound);
            // The low half tells how far into its share of 2^32 the number fell. The first
            // 2^32 mod bound of each share are one too many.
            let low = product as u32;
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (product >> 32) as u32;
            }
        }
    }
}

/// How many of the last cards of a deal come from a table of all their arrangements.
const TAIL: usize = 8;

/// The deals of a range of indices, in order.
///
/// All arrangements of the last eight cards stand in a table, one for each choice of those cards;
/// the cards before them move on by the next permutation, once a table.
#[derive(Debug)]
pub struct Indexed {
    deck: Deck,
    layout: Layout,
    /// What a card pays, by place in the order of the index.
    pays: [u8; KINDS],
    /// The current deal: places in the order. Its tail is only kept where the table starts.
    row: Vec<u8>,
    left: u128,
    /// What the cards before each one come to, in places and kinds.
    before: Vec<(u64, u128)>,
    /// The cards before the tail, as a row of the whole deck.
    head: u64,
    head_kinds: u128,
    table: Arc<Table>,
    /// The entry of the table that comes next.
    next: usize,
    /// The tables made so far, by [`key`].
    tables: Vec<Option<Arc<Table>>>,
}

/// Cards of each place in the order of the index, in a tail.
type Counts = [u8; KINDS];

/// The place of a tail in the tables: a number for each choice of `TAIL` cards or fewer.
fn key(counts: &Counts) -> usize {
    counts[1..]
        .iter()
        .fold(0, |key, &count| key * (TAIL + 1) + usize::from(count))
}

/// All arrangements of some cards, in order.
#[derive(Default, Debug)]
struct Table {
    /// The cards.
    counts: Counts,
    /// How many of them are payment cards.
    payment_cards: u32,
    arrangements: Vec<Arrangement>,
}

/// Places and payments of a tail, as a row and its kinds have them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Arrangement {
    places: u8,
    kinds: u16,
}

impl Indexed {
    /// The deals of `deck` with the indices of `range`, in `order`.
    ///
    /// # Errors
    /// [`FeedError::TooLarge`] if the deck has over 63 cards, [`FeedError::Index`] if it has no
    /// index or the range reaches past its last deal.
    pub fn new(deck: &Deck, order: Order, range: Range<u128>) -> Result<Indexed, FeedError> {
        fits(deck)?;
        let mut feed = Indexed {
            deck: deck.clone(),
            layout: Layout::of(deck),
            pays: order.kinds(),
            row: Vec::new(),
            left: range.end.saturating_sub(range.start),
            before: vec![(0, 0); deck.len() + 1],
            head: 0,
            head_kinds: 0,
            table: Arc::default(),
            next: 0,
            tables: vec![None; (TAIL + 1).pow(KINDS as u32 - 1)],
        };
        if feed.left > 0 {
            deck.deal_at(range.end - 1, order)?;
            let first = deck.deal_at(range.start, order)?;
            for card in first.cards() {
                let rank = feed.pays.iter().position(|&pays| pays == card.pays());
                feed.row.push(rank.expect("every kind has a rank") as u8);
            }
            feed.enter(0);
            let tail = feed.arrangement(&feed.row[feed.split()..]);
            feed.next = feed
                .table
                .arrangements
                .iter()
                .position(|&arrangement| arrangement == tail)
                .expect("the table has every arrangement");
        }
        Ok(feed)
    }

    /// Where the tail begins.
    fn split(&self) -> usize {
        self.row.len().saturating_sub(TAIL)
    }

    fn arrangement(&self, tail: &[u8]) -> Arrangement {
        let mut arrangement = Arrangement {
            places: 0,
            kinds: 0,
        };
        for &rank in tail {
            let pay = self.pays[usize::from(rank)];
            arrangement.places <<= 1;
            if pay > 0 {
                arrangement.places |= 1;
                arrangement.kinds = arrangement.kinds << 2 | u16::from(pay - 1);
            }
        }
        arrangement
    }

    /// Takes up the head of the current row, which has changed from place `from` on, and the table
    /// of its tail from the start.
    fn enter(&mut self, from: usize) {
        let split = self.split();
        let (mut places, mut kinds) = self.before[from.min(split)];
        for at in from..split {
            let pay = self.pays[usize::from(self.row[at])];
            places <<= 1;
            if pay > 0 {
                places |= 1;
                kinds = kinds << 2 | u128::from(pay - 1);
            }
            self.before[at + 1] = (places, kinds);
        }
        let mut counts = [0; KINDS];
        for &rank in &self.row[split..] {
            counts[usize::from(rank)] += 1;
        }
        let key = key(&counts);
        let table = match &self.tables[key] {
            Some(table) => Arc::clone(table),
            None => {
                let table = Arc::new(self.tabulate(counts));
                self.tables[key] = Some(Arc::clone(&table));
                table
            }
        };
        self.head = places << (self.row.len() - split);
        self.head_kinds = kinds << (2 * table.payment_cards);
        self.table = table;
        self.next = 0;
    }

    /// All arrangements of `counts` cards of each rank.
    fn tabulate(&self, counts: Counts) -> Table {
        let mut tail = Vec::new();
        let mut payment_cards = 0;
        for (rank, &count) in counts.iter().enumerate() {
            tail.extend(std::iter::repeat_n(rank as u8, usize::from(count)));
            if self.pays[rank] > 0 {
                payment_cards += u32::from(count);
            }
        }
        let mut arrangements = vec![self.arrangement(&tail)];
        while advance(&mut tail).is_some() {
            arrangements.push(self.arrangement(&tail));
        }
        Table {
            counts,
            payment_cards,
            arrangements,
        }
    }

    /// Moves on past the last arrangement of a tail.
    fn advance(&mut self) {
        // The last arrangement is the tail in falling order; what follows the next permutation of
        // the whole row is in rising order, the first arrangement of its table.
        let mut at = self.row.len();
        for (rank, &count) in self.table.counts.iter().enumerate() {
            let end = at;
            at -= usize::from(count);
            self.row[at..end].fill(rank as u8);
        }
        let changed = advance(&mut self.row).expect("this was not the last deal");
        self.enter(changed);
    }
}

/// Moves to the next permutation in lexicographic order, and says where the change begins; `None`
/// after the last one.
fn advance(row: &mut [u8]) -> Option<usize> {
    let pivot = (1..row.len()).rev().find(|&at| row[at - 1] < row[at])?;
    let greater = (pivot..row.len())
        .rev()
        .find(|&at| row[at] > row[pivot - 1])
        .expect("the pivot's neighbour is greater");
    row.swap(pivot - 1, greater);
    row[pivot..].reverse();
    Some(pivot - 1)
}

impl Feed for Indexed {
    fn deck(&self) -> &Deck {
        &self.deck
    }

    fn fill(&mut self, deals: &mut [Dealt]) -> usize {
        let mut written = 0;
        while written < deals.len() && self.left > 0 {
            if self.next == self.table.arrangements.len() {
                self.advance();
            }
            let n = (self.table.arrangements.len() - self.next)
                .min(deals.len() - written)
                .min(usize::try_from(self.left).unwrap_or(usize::MAX));
            let tails = &self.table.arrangements[self.next..self.next + n];
            for (deal, tail) in deals[written..].iter_mut().zip(tails) {
                *deal = self.layout.cut(
                    self.head | u64::from(tail.places),
                    self.head_kinds | u128::from(tail.kinds),
                );
            }
            self.next += n;
            self.left -= n as u128;
            written += n;
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(feed: &mut impl Feed, batch: usize) -> Vec<Dealt> {
        let mut all = Vec::new();
        let mut deals = vec![Dealt::default(); batch];
        loop {
            let n = feed.fill(&mut deals);
            all.extend_from_slice(&deals[..n]);
            if n < batch {
                return all;
            }
        }
    }

    fn decks() -> Vec<Deck> {
        [
            "standard",
            "italian",
            "half",
            "standard,hands=0/52",
            "standard,hands=51/1",
            "plain=1",
            "J=1",
            "plain=1,A=1",
            "plain=63",
            "A=63",
            "A=63,hands=63/0",
            "plain=2,J=20,Q=20,K=20,A=1",
            "J=10,Q=10,K=10,A=2",
            "plain=31,J=10,Q=10,K=10,A=2",
            "plain=23,J=10,Q=10,K=10,A=10",
            "plain=47,J=4,Q=4,K=4,A=4,hands=1/62",
        ]
        .map(|deck| deck.parse().unwrap())
        .to_vec()
    }

    #[test]
    fn a_random_deal_is_of_its_deck_wherever_the_batches_end() {
        for deck in decks() {
            let all = collect(&mut Random::new(&deck, 7, 3, 0..200).unwrap(), 1000);
            assert_eq!(all.len(), 200);
            for (offset, dealt) in all.iter().enumerate() {
                let deal = dealt.deal(&deck);
                assert_eq!(deck.check(&deal), Ok(()), "{deck}");
                assert_eq!(Dealt::of(&deal), Some(*dealt), "{deck}");
                assert_eq!(random_deal(&deck, 7, 3, offset as u64), Ok(deal));
            }
            for (batch, start) in [(1, 5), (7, 0), (64, 130)] {
                let offsets = start..200;
                let mut feed = Random::new(&deck, 7, 3, offsets).unwrap();
                assert_eq!(collect(&mut feed, batch), all[start as usize..]);
            }
        }
    }

    #[test]
    fn addresses_never_change_their_deals() {
        let deal = |deck: &str, seed, block, offset| {
            random_deal(&deck.parse().unwrap(), seed, block, offset)
                .unwrap()
                .to_string()
        };
        assert_eq!(
            deal("standard", 0, 0, 0),
            "----KA-J--J--AK---------JQ/----K-Q-J--A--A-K---Q--Q--"
        );
        assert_eq!(
            deal("standard", 0, 0, 1),
            "---A--JJ-A---------K------/-JQ--KQJAA-K----Q--Q----K-"
        );
        assert_eq!(
            deal("standard", 1, 0, 0),
            "Q--Q-J-J--A--AK------Q-A-K/------------K-Q--K--J---AJ"
        );
        assert_eq!(
            deal("standard", 2029, 1_000_000, 1_000_000),
            "Q-----J-Q-------A----JAQ-A/K--K-----------JKKJ---A--Q"
        );
        assert_eq!(
            deal("italian", 5, 6, u64::MAX - 1),
            "--K-QJ---J-K------K-/Q-QK-----Q--J---J---"
        );
        assert_eq!(deal("half,hands=13/7", 5, 6, 7), "-----Q--JK---/QJ----K");
        assert_eq!(
            deal("plain=3,J=20,Q=20,K=10,A=10", 5, 6, 7),
            "KJAKQJJQQAQJJAAQAAQQJQJQAQJJKK-J/JJJQQKKQQQJJJQKKAA--QKKJJQAQQJJ"
        );
    }

    #[test]
    fn addresses_do_not_share_deals() {
        let deck = Deck::standard();
        let mut seen = std::collections::HashSet::new();
        for seed in 0..10 {
            for block in 0..10 {
                let mut feed = Random::new(&deck, seed, block, 0..100).unwrap();
                seen.extend(collect(&mut feed, 128));
            }
        }
        assert_eq!(seen.len(), 10_000);
    }

    /// The chi-square statistic of `counts` against equal shares.
    fn chi_square(counts: &[u64]) -> f64 {
        let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
        counts
            .iter()
            .map(|&n| (n as f64 - expected).powi(2) / expected)
            .sum()
    }

    #[test]
    fn each_deal_is_uniform() {
        // Chi-square with d degrees of freedom has mean d and variance 2 d; five deviations.
        let sound = |counts: &[u64]| {
            let degrees = counts.len() as f64 - 1.0;
            let off = (chi_square(counts) - degrees) / (2.0 * degrees).sqrt();
            assert!(off.abs() < 5.0, "{off} deviations over {}", counts.len());
        };
        for deck in [
            "plain=3,J=1,Q=2",
            "plain=2,1=2,2=2,3=2",
            "plain=1,A=4,hands=1/4",
        ] {
            let deck: Deck = deck.parse().unwrap();
            let deals = deck.deals().unwrap() as usize;
            // One place of each group alone: its deals are independent of each other.
            for place in [0, deck.len() as u64 - 1] {
                let mut counts = vec![0; deals];
                for group in 0..(40 * deals as u64) {
                    let offset = group * deck.len() as u64 + place;
                    let deal = random_deal(&deck, 11, place, offset).unwrap();
                    let index = deck.index_of(&deal, Order::PlainFirst).unwrap();
                    counts[index as usize] += 1;
                }
                sound(&counts);
            }
        }
        // In the standard deck: each place of a deal holds each kind as often as the deck says.
        let deck = Deck::standard();
        let mut aces = [0; 52];
        let mut payment_cards = [0; 52];
        for group in 0..20_000 {
            let deal = random_deal(&deck, 12, 0, 52 * group + group % 52).unwrap();
            for (at, card) in deal.cards().enumerate() {
                aces[at] += u64::from(card.pays() == 4);
                payment_cards[at] += u64::from(card.pays() > 0);
            }
        }
        sound(&aces);
        sound(&payment_cards);
    }

    #[test]
    fn bounded_numbers_are_even() {
        let mut random = Numbers::new([1, 2]);
        for bound in [1, 2, 3, 7, 63] {
            let mut counts = vec![0u64; bound as usize];
            for _ in 0..10_000 {
                counts[random.below(bound) as usize] += 1;
            }
            assert!(chi_square(&counts) < 5.0 * f64::from(bound) + 20.0);
        }
    }

    #[test]
    fn indexed_deals_are_those_of_their_indices() {
        for deck in decks() {
            for order in [Order::AcesFirst, Order::PlainFirst] {
                let Some(deals) = deck.deals() else {
                    assert!(matches!(
                        Indexed::new(&deck, order, 0..1),
                        Err(FeedError::Index(IndexError::TooMany(_)))
                    ));
                    continue;
                };
                for start in [0, deals / 3, deals.saturating_sub(60)] {
                    let range = start..(start + 60).min(deals);
                    let mut feed = Indexed::new(&deck, order, range.clone()).unwrap();
                    let all = collect(&mut feed, 7);
                    let wanted: Vec<_> = range
                        .map(|index| Dealt::of(&deck.deal_at(index, order).unwrap()).unwrap())
                        .collect();
                    assert_eq!(all, wanted, "{deck} {order} from {start}");
                }
                assert!(matches!(
                    Indexed::new(&deck, order, deals - 1..deals + 1),
                    Err(FeedError::Index(IndexError::Range { .. }))
                ));
                assert_eq!(
                    collect(&mut Indexed::new(&deck, order, 5..5).unwrap(), 7),
                    []
                );
            }
        }
    }

    #[test]
    fn all_deals_of_a_deck_in_order() {
        let deck: Deck = "plain=5,J=2,Q=1,K=1,A=1,hands=7/3".parse().unwrap();
        for order in [Order::AcesFirst, Order::PlainFirst] {
            let deals = deck.deals().unwrap();
            let mut feed = Indexed::new(&deck, order, 0..deals).unwrap();
            for (index, dealt) in collect(&mut feed, 1000).into_iter().enumerate() {
                let deal = dealt.deal(&deck);
                assert_eq!(deck.index_of(&deal, order), Ok(index as u128));
            }
        }
    }

    #[test]
    fn a_large_deck_is_refused() {
        let deck: Deck = "plain=60,A=4".parse().unwrap();
        let error = random_deal(&deck, 0, 0, 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the deck plain=60,A=4 has 64 cards: a search takes decks of at most 63"
        );
        assert!(Indexed::new(&deck, Order::AcesFirst, 0..1).is_err());
    }
}
