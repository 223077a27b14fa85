//! Random deals: blocks of games drawn from (seed, block), every long one closed backward.
//!
//! All games are counted exactly. A game of at least [`Options::close_from`] cards is worth more
//! than itself: some ancestor of its last state is a deal from which more cards are played, and
//! the best of them, the top of its tree, is what is kept. Two games that run together have one
//! tree and one top, so duplicates show. A game that reaches [`Options::cap`] tricks is looked at
//! for a loop by the exact engine, and so is every top before it is written.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering as Memory};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::feed;
use super::plan::{Fingerprint, How, Plan};
use super::results::{self, Find, Found, Origin, deal_text, standing};
use super::runner::{Disagreement, Method, Report};
use super::tally::{Board, Cycles, Histogram};
use crate::cards::{Deal, Deck, Player};
use crate::game::closure::{self, Entry};
use crate::game::lanes::{self, Dealt, End, Feed, Kernel};
use crate::game::packed::{Kinds, State};
use crate::game::{Outcome, Span, exact};

/// Deals in a block, unless the plan says otherwise.
pub const BLOCK: u64 = 1 << 17;

/// Tricks after which a game is looked at for a loop, unless the plan says otherwise.
pub const CAP: u64 = 5000;

/// Where a plan does not say from which length on games are closed, a sample of its first deals
/// decides: so many of them, at most, are played,
const SAMPLE: u64 = 1 << 18;
/// and about one game in so many is closed,
const ONE_IN: u64 = 20_000;
/// but at least so many of the sample, so that a short run has a leaderboard too.
const AT_LEAST: u64 = 20;

/// Ancestors of one game that are looked at. No tree of a game of 52 cards comes near it.
const BOUND: u64 = 20_000_000;

/// The keys of a plan with `how = "random"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How many deals are played.
    pub games: u64,
    /// How many deals are in a block.
    pub block: u64,
    /// Games of at least so many cards are closed backward; `None` until [`settle`] has set it.
    pub close_from: Option<u64>,
    /// After so many tricks a game is looked at for a loop.
    pub cap: u64,
}

/// Sets what a plan left to a sample of its deals.
pub fn settle(plan: &mut Plan) {
    let How::Random(options) = &plan.how else {
        return;
    };
    let options = *options;
    if options.close_from.is_some() {
        return;
    }
    let sample = Options {
        games: options.games.min(SAMPLE),
        close_from: Some(u64::MAX),
        ..options
    };
    let method = Random::new(&Plan {
        how: How::Random(sample),
        ..plan.clone()
    });
    let mut tally = method.begin();
    for block in 0..sample.games.div_ceil(sample.block) {
        let part = method.play(block, &Tally::default(), &AtomicBool::new(false));
        tally.add(&part.expect("nobody asked it to leave").counts);
    }
    plan.how = How::Random(Options {
        close_from: Some(threshold(&tally.cards, sample.games)),
        ..options
    });
}

/// The least length that is reached by about one of [`ONE_IN`] games, and no fewer than
/// [`AT_LEAST`] of those counted; unless many games share it.
fn threshold(cards: &Histogram, games: u64) -> u64 {
    let wanted = games.div_ceil(ONE_IN).max(AT_LEAST);
    let lengths: Vec<(u64, u64)> = cards.iter().collect();
    let mut reached = 0;
    let mut from = lengths.last().map_or(1, |(longest, _)| longest + 1);
    for &(length, times) in lengths.iter().rev() {
        reached += times;
        if reached > 10 * wanted {
            break;
        }
        from = length;
        if reached >= wanted {
            break;
        }
    }
    from.max(1)
}

/// The way of searching.
pub struct Random {
    plan: Plan,
    options: Options,
    fingerprint: Fingerprint,
    kernel: Kernel,
    /// Cycles closed before, by name: what a block says about a cycle does not depend on the block.
    closed: Mutex<HashMap<String, Arc<Cycle>>>,
}

/// Everything about a cycle that a find may need.
struct Cycle {
    name: String,
    /// Its deals, proved, without the way they were found.
    finds: Vec<Find>,
    complete: bool,
}

/// Counts of games, exact.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// All games.
    games: u64,
    /// Those that are loops.
    loops: u64,
    /// Finished ones that the player who led at the start won.
    leader_won: u64,
    /// Those closed backward.
    closed: u64,
    /// Those whose tree was too large to see all of it.
    incomplete: u64,
    /// Lengths of the finished ones.
    cards: Histogram,
    tricks: Histogram,
}

/// The state of a run.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Tally {
    counts: Counts,
    board: Board,
    cycles: Cycles,
}

impl std::ops::Deref for Tally {
    type Target = Counts;

    fn deref(&self) -> &Counts {
        &self.counts
    }
}

impl Tally {
    fn add(&mut self, counts: &Counts) {
        let sum = &mut self.counts;
        sum.games += counts.games;
        sum.loops += counts.loops;
        sum.leader_won += counts.leader_won;
        sum.closed += counts.closed;
        sum.incomplete += counts.incomplete;
        sum.cards.merge(&counts.cards);
        sum.tricks.merge(&counts.tricks);
    }
}

/// A feed that ends when it is time to leave.
struct Leaving<'a, F> {
    feed: F,
    quit: &'a AtomicBool,
}

impl<F: Feed> Feed for Leaving<'_, F> {
    fn deck(&self) -> &Deck {
        self.feed.deck()
    }

    fn fill(&mut self, deals: &mut [Dealt]) -> usize {
        if self.quit.load(Memory::Relaxed) {
            return 0;
        }
        self.feed.fill(deals)
    }
}

/// What a block came to.
pub struct Part {
    counts: Counts,
    tops: Vec<Top>,
    cycles: Vec<(Arc<Cycle>, u64, Origin)>,
}

/// The top of the tree of a game.
struct Top {
    deal: Deal,
    played: Span,
    /// The game in the block.
    offset: u64,
    from: Deal,
    from_played: Span,
}

impl Random {
    /// The way of searching of a plan with `how = "random"` that was [settled](settle).
    ///
    /// # Panics
    /// If it is another plan.
    pub fn new(plan: &Plan) -> Random {
        let How::Random(options) = &plan.how else {
            unreachable!("a plan of random deals")
        };
        let options = *options;
        assert!(options.close_from.is_some(), "the plan is not settled");
        Random {
            options,
            fingerprint: plan.fingerprint(),
            kernel: Kernel::best(),
            closed: Mutex::default(),
            plan: plan.clone(),
        }
    }

    /// How many deals block `block` has: all the same, but the last one.
    fn games(&self, block: u64) -> u64 {
        let before = block.saturating_mul(self.options.block);
        self.options
            .games
            .saturating_sub(before)
            .min(self.options.block)
    }

    /// The deal at a place.
    fn deal(&self, block: u64, offset: u64) -> Deal {
        feed::random_deal(&self.plan.deck, self.plan.seed, block, offset)
            .expect("a plan has at most 63 cards")
    }

    fn origin(&self, deal: &Deal, played: Span) -> Origin {
        Origin {
            deal: deal_text(&self.plan.deck, deal),
            cards: played.cards,
            tricks: played.tricks,
        }
    }

    fn found(&self, block: u64, offset: u64, from: Option<Origin>) -> Found {
        Found {
            how: self.plan.how.name().to_owned(),
            plan: self.fingerprint.to_string(),
            seed: Some(self.plan.seed),
            block: Some(block),
            offset: Some(offset),
            from,
        }
    }

    /// Closes a finished game: the top of its tree, and whether all of the tree was seen.
    fn top(&self, deal: &Deal, played: Span, offset: u64) -> (Top, bool) {
        fn climb<K: Kinds>(start: State<K>, deck: &Deck) -> (Option<Entry<K>>, bool) {
            let hands = deck.hands().map(|cards| cards as u32);
            let (root, left) = closure::last_state(start);
            let mut best: Option<Entry<K>> = None;
            let walk = closure::walk(root, left, BOUND, |entry| {
                let sizes = [entry.start.leader.len(), entry.start.other.len()];
                if sizes == hands && best.is_none_or(|best| entry.rank(&best) == Ordering::Less) {
                    best = Some(*entry);
                }
            });
            (best, walk.complete)
        }
        fn plain<K: Kinds>(found: (Option<Entry<K>>, bool)) -> (Option<(Deal, Span)>, bool) {
            (
                found.0.map(|entry| (entry.start.deal(), entry.played)),
                found.1,
            )
        }
        let deck = &self.plan.deck;
        let (best, complete) = match State::<u64>::of(deal) {
            Some(start) => plain(climb(start, deck)),
            None => plain(climb(
                State::<u128>::of(deal).expect("a plan has at most 63 cards"),
                deck,
            )),
        };
        // Where the bound was hit, the deal itself may not have been met.
        let (top, top_played) = match best {
            Some((top, top_played)) if top_played.cards >= played.cards => (top, top_played),
            _ => (deal.clone(), played),
        };
        let top = Top {
            deal: top,
            played: top_played,
            offset,
            from: deal.clone(),
            from_played: played,
        };
        (top, complete)
    }

    /// Everything about the cycle that a loop ends in.
    fn cycle(&self, deal: &Deal, lead_in: Span) -> Arc<Cycle> {
        match State::<u64>::of(deal) {
            Some(start) => self.close_cycle(start, lead_in),
            None => {
                let start = State::<u128>::of(deal).expect("a plan has at most 63 cards");
                self.close_cycle(start, lead_in)
            }
        }
    }

    fn close_cycle<K: Kinds>(&self, start: State<K>, lead_in: Span) -> Arc<Cycle> {
        let deck = &self.plan.deck;
        let states = closure::cycle(start, lead_in.tricks);
        let name = results::cycle_name(deck, &states);
        let known = || self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cycle) = known().get(&name) {
            return Arc::clone(cycle);
        }
        let hands = deck.hands().map(|cards| cards as u32);
        let mut deals = Vec::new();
        let walk = closure::walk_cycle(&states, BOUND, |entry| {
            if [entry.start.leader.len(), entry.start.other.len()] == hands {
                deals.push(entry.start.deal());
            }
        });
        let mut finds: Vec<Find> = deals.iter().map(|deal| Find::proved(deck, deal)).collect();
        finds.sort_by(Find::rank);
        for find in &mut finds {
            find.cycle = Some(name.clone());
        }
        let cycle = Arc::new(Cycle {
            name: name.clone(),
            finds,
            complete: walk.complete,
        });
        let mut known = known();
        if known.len() < self.plan.keep_cycles {
            known.insert(name, Arc::clone(&cycle));
        }
        cycle
    }
}

impl Method for Random {
    type Tally = Tally;
    type Part = Part;

    fn begin(&self) -> Tally {
        Tally::default()
    }

    fn blocks(&self) -> Option<u64> {
        Some(self.options.games.div_ceil(self.options.block))
    }

    fn play(&self, block: u64, _: &Tally, quit: &AtomicBool) -> Option<Part> {
        let Plan { deck, seed, .. } = &self.plan;
        let from = self.options.close_from.unwrap_or(u64::MAX);
        let mut counts = Counts {
            games: self.games(block),
            ..Counts::default()
        };
        let mut long = Vec::new();
        let mut capped = Vec::new();
        let mut feed = Leaving {
            feed: feed::Random::new(deck, *seed, block, 0..counts.games)
                .expect("a plan has at most 63 cards"),
            quit,
        };
        let cap = self.options.cap as u32;
        lanes::play(self.kernel, &mut feed, cap, |game| {
            if game.end == End::Capped {
                capped.push(game.at);
                return;
            }
            counts.leader_won += u64::from(game.end == End::A);
            counts.cards.add(u64::from(game.cards));
            counts.tricks.add(u64::from(game.tricks));
            if u64::from(game.cards) >= from {
                let played = Span {
                    cards: u64::from(game.cards),
                    tricks: u64::from(game.tricks),
                };
                long.push((game.at, played));
            }
        });
        if quit.load(Memory::Relaxed) {
            return None;
        }
        let mut cycles = Vec::new();
        capped.sort_unstable();
        for offset in capped {
            if quit.load(Memory::Relaxed) {
                return None;
            }
            let deal = self.deal(block, offset);
            let verdict = exact::play(&deal);
            match verdict.outcome {
                Outcome::Loop { lead_in, .. } => {
                    counts.loops += 1;
                    let cycle = self.cycle(&deal, lead_in);
                    counts.incomplete += u64::from(!cycle.complete);
                    cycles.push((cycle, offset, self.origin(&deal, verdict.played)));
                }
                Outcome::Finished { winner } => {
                    counts.leader_won += u64::from(winner == Player::A);
                    counts.cards.add(verdict.played.cards);
                    counts.tricks.add(verdict.played.tricks);
                    if verdict.played.cards >= from {
                        long.push((offset, verdict.played));
                    }
                }
            }
        }
        // Games come out of a kernel in its own order.
        long.sort_unstable_by_key(|&(offset, _)| offset);
        let mut tops = Vec::new();
        for (offset, played) in long {
            if quit.load(Memory::Relaxed) {
                return None;
            }
            let (top, complete) = self.top(&self.deal(block, offset), played, offset);
            counts.closed += 1;
            counts.incomplete += u64::from(!complete);
            tops.push(top);
        }
        Some(Part {
            counts,
            tops,
            cycles,
        })
    }

    fn merge(&self, tally: &mut Tally, block: u64, part: Part) -> Result<Vec<Find>, Disagreement> {
        let Plan {
            deck,
            keep,
            keep_cycles,
            ..
        } = &self.plan;
        tally.add(&part.counts);
        let mut finds = Vec::new();
        for (cycle, offset, origin) in part.cycles {
            if tally
                .cycles
                .offer(*keep_cycles, &cycle.name, (block, offset))
            {
                finds.extend(cycle.finds.iter().cloned().map(|find| Find {
                    found: Some(self.found(block, offset, Some(origin.clone()))),
                    ..find
                }));
            }
        }
        for top in part.tops {
            if !tally.board.takes(*keep, top.played) {
                continue;
            }
            let standing = standing(top.played, deck, &top.deal);
            if !tally.board.offer(*keep, standing, (block, top.offset)) {
                continue;
            }
            let verdict = exact::play(&top.deal);
            if verdict.is_loop() || verdict.played != top.played {
                let spoken = |span: Span| format!("{} cards, {} tricks", span.cards, span.tricks);
                return Err(Disagreement {
                    deal: deal_text(deck, &top.deal),
                    fast: format!("finished, {}", spoken(top.played)),
                    exact: format!("{}, {}", verdict.status(), spoken(verdict.played)),
                });
            }
            let from = (top.deal != top.from).then(|| self.origin(&top.from, top.from_played));
            finds.push(Find {
                found: Some(self.found(block, top.offset, from)),
                ..Find::of(deck, &top.deal, &verdict)
            });
        }
        Ok(finds)
    }

    fn combine(&self, tally: &mut Tally, other: Tally) -> Result<(), String> {
        tally.add(&other.counts);
        tally.board.merge(self.plan.keep, other.board);
        tally.cycles.merge(self.plan.keep_cycles, other.cycles);
        Ok(())
    }

    fn report(&self, tally: &Tally) -> Report {
        let deck = &self.plan.deck;
        let best = tally.board.first(deck);
        Report {
            played: tally.games.into(),
            unit: "games",
            best: best.map(|(played, deal)| (played, deal_text(deck, &deal))),
            loops: tally.loops.into(),
            cycles: tally.cycles.len() as u64,
            more: vec![
                ("closed backward", tally.closed.to_string()),
                ("trees kept", tally.board.len().to_string()),
            ],
        }
    }

    fn tables(&self, tally: &Tally) -> Vec<(&'static str, String)> {
        let moments = |histogram: &Histogram| histogram.moments().map(|moments| moments.json());
        let summary = serde_json::json!({
            "plan": self.fingerprint.to_string(),
            "how": self.plan.how.name(),
            "deck": self.plan.deck.to_string(),
            "games": tally.games.to_string(),
            "finished": tally.cards.count().to_string(),
            "leader_won": tally.leader_won.to_string(),
            "loops": tally.loops.to_string(),
            "cycles": tally.cycles.len(),
            "close_from": self.options.close_from,
            "closed": tally.closed.to_string(),
            "incomplete_trees": tally.incomplete.to_string(),
            "cards": moments(&tally.cards),
            "tricks": moments(&tally.tricks),
        });
        let mut text = serde_json::to_string_pretty(&summary).expect("strings and numbers");
        text.push('\n');
        let histogram = format!(
            "of,value,games\n{}{}",
            tally.cards.csv("cards"),
            tally.tricks.csv("tricks")
        );
        vec![("summary.json", text), ("histogram.csv", histogram)]
    }

    fn leaderboard(&self, finds: Vec<Find>) -> Vec<Find> {
        results::leaderboard(finds, self.plan.keep, self.plan.keep_cycles)
    }
}
