//! The deals of a range of indices, in order.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::layout::{DeckLayout, FeedError, fits};
use crate::cards::{Deck, KINDS, Order};
use crate::game::gpu::Run;
use crate::game::lanes::{Dealt, Feed};

/// How many of the last cards of a deal come from a table of all their arrangements.
const TAIL: usize = 8;

/// The deals of a range of indices, in order.
///
/// All arrangements of the last eight cards stand in a table, one for each choice of those cards;
/// the cards before them move on by the next permutation, once a table.
#[derive(Debug)]
pub struct IndexedDeals {
    deck: Deck,
    layout: DeckLayout,
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
    table: Arc<Tails>,
    /// The entry of the table that comes next.
    next: usize,
    /// The tables made so far, by [`key`].
    tables: Vec<Option<Arc<Tails>>>,
}

/// Cards of each place in the order of the index, in a tail.
pub(super) type TailCounts = [u8; KINDS];

/// The place of a tail in the tables: a number for each choice of `TAIL` cards or fewer.
fn key(counts: &TailCounts) -> usize {
    counts[1..]
        .iter()
        .fold(0, |key, &count| key * (TAIL + 1) + usize::from(count))
}

/// All arrangements of some cards, in order.
#[derive(Default, Debug)]
struct Tails {
    /// The cards.
    counts: TailCounts,
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

impl IndexedDeals {
    /// The deals of `deck` with the indices of `range`, in `order`.
    ///
    /// # Errors
    /// [`FeedError::TooLarge`] if the deck has over 63 cards, [`FeedError::Index`] if it has no
    /// index or the range reaches past its last deal.
    pub fn new(deck: &Deck, order: Order, range: Range<u128>) -> Result<IndexedDeals, FeedError> {
        fits(deck)?;
        let mut feed = IndexedDeals {
            deck: deck.clone(),
            layout: DeckLayout::of(deck),
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

    /// The next deals as a device takes them: all that are left of the current head, whose tails begin
    /// where `starts` says. `None` if there are no more, or the deck has over 16 payment cards.
    pub(super) fn run(&mut self, starts: &HashMap<TailCounts, u32>) -> Option<Run> {
        if self.left == 0 {
            return None;
        }
        if self.next == self.table.arrangements.len() {
            self.advance();
        }
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let count = (self.table.arrangements.len() - self.next).min(left);
        let run = Run {
            row: self.head,
            kinds: u32::try_from(self.head_kinds).ok()?,
            first: starts[&self.table.counts] + self.next as u32,
            count: count as u32,
            offset: 0,
        };
        self.next += count;
        self.left -= count as u128;
        Some(run)
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
    fn tabulate(&self, counts: TailCounts) -> Tails {
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
        Tails {
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

/// The arrangements of all tails that a deck may have, one table after the other.
pub(super) struct AllTails {
    /// Places in the high half, kinds in the low half.
    pub(super) words: Vec<u32>,
    /// Where the table of some cards begins.
    pub(super) starts: HashMap<TailCounts, u32>,
}

/// The tails of a deck whose deals are numbered in `order`. The deck must have an index.
pub(super) fn tails(deck: &Deck, order: Order) -> AllTails {
    let pays = order.kinds();
    let feed = IndexedDeals::new(deck, order, 0..0).expect("the deck has an index");
    let most = pays.map(|pays| deck.counts()[usize::from(pays)].min(TAIL));
    let cards = deck.len().min(TAIL);
    let mut all = AllTails {
        words: Vec::new(),
        starts: HashMap::new(),
    };
    for code in 0..(TAIL + 1).pow(KINDS as u32) {
        let counts: [usize; KINDS] =
            std::array::from_fn(|rank| code / (TAIL + 1).pow(rank as u32) % (TAIL + 1));
        let fits = counts.iter().zip(most).all(|(&count, most)| count <= most);
        if !fits || counts.iter().sum::<usize>() != cards {
            continue;
        }
        let counts = counts.map(|count| count as u8);
        all.starts.insert(counts, all.words.len() as u32);
        let arrangements = feed.tabulate(counts).arrangements;
        all.words.extend(
            arrangements.iter().map(|arrangement| {
                u32::from(arrangement.places) << 16 | u32::from(arrangement.kinds)
            }),
        );
    }
    all
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

impl Feed for IndexedDeals {
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
