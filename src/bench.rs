//! The work that `camicia bench` and `benches/` measure: fixed deals of the standard deck, played
//! by each engine. Work is counted here; whoever wants to know how long it took has the clock.

use std::fmt;
use std::ops::Range;

use crate::cards::{Deal, Deck, Order, Reader};
use crate::game::gpu::{Batch, Block, Bounds, Card, Dealing, GpuError};
use crate::game::lanes::{self, Dealt, End, Feed, Kernel, Played};
use crate::game::packed::{self, State};
use crate::game::{closure, exact};

use crate::deals::{IndexedDeals, RandomDeals, random_block, random_dealing};

/// The seed of the deals.
const SEED: u64 = 2029;

/// The bound on tricks, as a search has it.
const CAP: u32 = 5_000;

/// DealSource that are made before the clock starts: few enough for a cache near the core.
const READY: usize = 4_096;

/// The deal whose tree is walked, over and over: 8,344 cards.
const LONG_GAME: &str = "---AJ--Q---------QAKQJJ-QK/-----A----KJ-K--------A---";

/// Where the deals in index order begin: in the midst of them.
const FIRST_INDEX: u128 = 497_985_732_634_057_566_415;

/// Where the deals of a measure come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DealSource {
    /// They are made beforehand: play alone.
    Ready,
    /// Random deals, dealing included.
    Random,
    /// In the order of their indices, dealing included.
    Indexed,
}

/// Something to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// The exact engine, which proves loops.
    Exact,
    /// The packed engine, one game at a time.
    Packed,
    /// A kernel of the fast engine.
    Games(Kernel, DealSource),
    /// Dealing alone.
    Deal(DealSource),
    /// States met by backward play.
    Closure,
}

impl Measure {
    /// All measures of these kernels.
    pub fn all(kernels: &[Kernel]) -> Vec<Measure> {
        let mut all = vec![Measure::Exact, Measure::Packed];
        for &kernel in kernels {
            for deals in [DealSource::Ready, DealSource::Random, DealSource::Indexed] {
                all.push(Measure::Games(kernel, deals));
            }
        }
        all.extend([
            Measure::Deal(DealSource::Random),
            Measure::Deal(DealSource::Indexed),
        ]);
        all.push(Measure::Closure);
        all
    }

    /// What is counted.
    pub fn unit(self) -> &'static str {
        match self {
            Measure::Exact | Measure::Packed | Measure::Games(..) => "games",
            Measure::Deal(_) => "deals",
            Measure::Closure => "states",
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |deals| match deals {
            DealSource::Ready => "deals ready",
            DealSource::Random => "random deals",
            DealSource::Indexed => "index order",
        };
        match self {
            Measure::Exact => f.write_str("exact engine"),
            Measure::Packed => f.write_str("packed engine"),
            Measure::Games(kernel, deals) => write!(f, "{kernel}, {}", of(*deals)),
            Measure::Deal(deals) => write!(f, "dealing alone, {}", of(*deals)),
            Measure::Closure => f.write_str("closure"),
        }
    }
}

/// Work done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// Games, deals or states.
    pub items: u64,
    /// Cards laid, where games were played.
    pub cards: u64,
}

/// One thread's share of a measure. Each turn of it does other deals.
pub struct Worker {
    measure: Measure,
    deck: Deck,
    /// The block of the random deals.
    block: u64,
    /// Items asked for so far.
    done: u64,
    ready: Vec<Dealt>,
    /// The same, for the engines that take them so.
    deals: Vec<Deal>,
    states: Vec<State>,
    histogram: Vec<u64>,
}

impl Worker {
    /// A worker; those of one measure with different `number`s play different deals.
    pub fn new(measure: Measure, number: u64) -> Worker {
        let deck = Deck::standard();
        let mut ready = vec![Dealt::default(); READY];
        random(&deck, number, 0..READY as u64).fill(&mut ready);
        let deals: Vec<Deal> = match measure {
            Measure::Exact | Measure::Packed => {
                ready.iter().map(|dealt| dealt.deal(&deck)).collect()
            }
            Measure::Closure => vec![Reader::default().deal(LONG_GAME).expect("a sound deal")],
            _ => Vec::new(),
        };
        let states = deals
            .iter()
            .map(|deal| State::of(deal).expect("the standard deck fits"))
            .collect();
        Worker {
            measure,
            deck,
            block: number,
            done: 0,
            ready,
            deals,
            states,
            histogram: vec![0; CAP as usize + 1],
        }
    }

    /// Does at least `items` of work, and says how much it was.
    pub fn work(&mut self, items: u64) -> Work {
        let next = self.done..self.done + items;
        self.done += items;
        match self.measure {
            Measure::Exact => one_by_one(&self.deals, next, |deal| exact::play(deal).played.cards),
            Measure::Packed => one_by_one(&self.states, next, |&state| {
                packed::play(state, CAP.into()).0.cards
            }),
            Measure::Games(kernel, DealSource::Ready) => {
                let mut feed = Ready {
                    deck: self.deck.clone(),
                    deals: &self.ready,
                    left: items,
                };
                play(kernel, &mut feed, &mut self.histogram)
            }
            Measure::Games(kernel, DealSource::Random) => {
                let mut feed = random(&self.deck, self.block, next);
                play(kernel, &mut feed, &mut self.histogram)
            }
            Measure::Games(kernel, DealSource::Indexed) => {
                let mut feed = self.indexed(next);
                play(kernel, &mut feed, &mut self.histogram)
            }
            Measure::Deal(DealSource::Indexed) => {
                let mut feed = self.indexed(next);
                self.deal(&mut feed)
            }
            Measure::Deal(_) => {
                let mut feed = random(&self.deck, self.block, next);
                self.deal(&mut feed)
            }
            Measure::Closure => {
                let (last, played) = closure::last_state(self.states[0]);
                let mut work = Work::default();
                while work.items < items {
                    let walk = closure::walk(last, played, items - work.items, |_| ());
                    work.items += walk.states;
                }
                work
            }
        }
    }

    fn indexed(&self, next: Range<u64>) -> IndexedDeals {
        let start = FIRST_INDEX + (u128::from(self.block) << 64);
        let range = start + u128::from(next.start)..start + u128::from(next.end);
        IndexedDeals::new(&self.deck, Order::AcesFirst, range).expect("all below the last index")
    }

    /// DealSource until the feed has no more.
    fn deal(&mut self, feed: &mut impl Feed) -> Work {
        let mut items = 0;
        loop {
            let n = feed.fill(&mut self.ready[..256]);
            items += n as u64;
            if n < 256 {
                return Work { items, cards: 0 };
            }
        }
    }
}

/// Plays the items of `next`, which are `of` over and over.
fn one_by_one<T>(of: &[T], next: Range<u64>, play: impl Fn(&T) -> u64) -> Work {
    let items = next.end - next.start;
    let cards = next.map(|at| play(&of[at as usize % of.len()])).sum();
    Work { items, cards }
}

fn random(deck: &Deck, block: u64, offsets: Range<u64>) -> RandomDeals {
    RandomDeals::new(deck, SEED, block, offsets).expect("the standard deck fits")
}

/// The same deals over and over.
struct Ready<'a> {
    deck: Deck,
    deals: &'a [Dealt],
    left: u64,
}

impl Feed for Ready<'_> {
    fn deck(&self) -> &Deck {
        &self.deck
    }

    fn fill(&mut self, deals: &mut [Dealt]) -> usize {
        let n = self.left.min(deals.len() as u64) as usize;
        // `READY` is a multiple of whatever is asked for at a time.
        let at = self.left as usize / deals.len() * deals.len() % READY;
        let n = n.min(self.deals.len() - at);
        deals[..n].copy_from_slice(&self.deals[at..at + n]);
        self.left -= n as u64;
        n
    }
}

/// Plays as a search does: a histogram of tricks, and a sum.
fn play(kernel: Kernel, feed: &mut impl Feed, histogram: &mut [u64]) -> Work {
    let mut work = Work::default();
    lanes::play(kernel, feed, CAP, &mut |game: Played| {
        histogram[game.tricks as usize] += 1;
        work.items += 1;
        work.cards += u64::from(game.cards);
    });
    work
}

/// What a device needs to know to deal the standard deck at random.
pub fn standard_dealing() -> Dealing {
    random_dealing(&Deck::standard()).expect("a device plays the standard deck")
}

/// Plays blocks on a device and waits for it. No game is listed for its cards alone.
///
/// # Errors
/// [`GpuError`].
pub fn play_on(card: &mut Card, dealing: &Dealing, blocks: &[Block]) -> Result<Batch, GpuError> {
    let bounds = Bounds {
        list_from: u32::MAX,
        cap: CAP,
    };
    let at = card.send(dealing, bounds, blocks)?;
    card.take(at)
}

/// Exact sums over fixed deals: the same on every kernel and every machine.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Signature {
    /// Games played.
    pub games: u64,
    /// Cards laid in all of them.
    pub cards: u64,
    /// Piles collected in all of them.
    pub tricks: u64,
    /// Games that A won.
    pub won_by_a: u64,
}

impl Signature {
    /// Adds a game.
    pub fn add(&mut self, cards: u64, tricks: u64, won_by_a: bool) {
        self.games += 1;
        self.cards += cards;
        self.tricks += tricks;
        self.won_by_a += u64::from(won_by_a);
    }

    /// The sums over a million random standard deals.
    pub const MILLION: Signature = Signature {
        games: 1_000_000,
        cards: 254_682_017,
        tricks: 35_250_320,
        won_by_a: 497_484,
    };

    /// The sums over the first 100,000 of them.
    pub const FIRST: Signature = Signature {
        games: 100_000,
        cards: 25_590_679,
        tricks: 3_541_852,
        won_by_a: 49_692,
    };

    /// The deals a signature is taken of.
    pub fn deals(games: u64) -> RandomDeals {
        random(&Deck::standard(), u64::MAX, 0..games)
    }

    /// The sums as `kernel` plays.
    pub fn of(kernel: Kernel, games: u64) -> Signature {
        let mut sums = Signature::default();
        lanes::play(
            kernel,
            &mut Signature::deals(games),
            CAP,
            &mut |game: Played| {
                sums.add(game.cards.into(), game.tricks.into(), game.end == End::A);
            },
        );
        sums
    }

    /// The sums as a device plays.
    ///
    /// # Errors
    /// [`GpuError`].
    pub fn on(card: &mut Card, games: u32) -> Result<Signature, GpuError> {
        // The block of `Signature::deals`.
        let block = random_block(SEED, u64::MAX, games);
        let batch = play_on(card, &standard_dealing(), &[block])?;
        let mut sums = Signature::default();
        for counted in batch.blocks.iter().flatten() {
            for (bins, sum) in [
                (&counted.cards, &mut sums.cards),
                (&counted.tricks, &mut sums.tricks),
            ] {
                *sum += (0..)
                    .zip(bins)
                    .map(|(length, &games)| length * u64::from(games))
                    .sum::<u64>();
            }
            sums.games += counted.cards.iter().copied().map(u64::from).sum::<u64>();
            sums.won_by_a += u64::from(counted.won_by_a);
            for game in &counted.listed {
                sums.add(game.cards.into(), game.tricks.into(), game.end == End::A);
            }
        }
        Ok(sums)
    }
}
