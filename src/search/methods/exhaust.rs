//! Every deal of a deck, or of a range of its indices, in order: exact counts, every loop.
//!
//! The deals of a block are played by the fast engine. Those that reach the cap are looked at for
//! a cycle, and every loop is proved by the exact engine before it is written. Counts add up over
//! blocks and shards, and ties are broken by index, so the order of the work never shows.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::method::{BoxedMethod, Disagreement, Method, Report, Way};
use crate::cards::{Deal, Deck, Order, Player, gcd};
use crate::deals::IndexedDeals;
use crate::game::closure;
use crate::game::cycle::Cycle;
use crate::game::lanes::{self, End, Kernel};
use crate::game::packed::{Kinds, State, with_state};
use crate::game::{Outcome, Span, Verdict, exact};
use crate::search::finds::results::{BoardRank, Find, Found, standing};
use crate::search::finds::tally::{Board, Histogram, csv_text, histogram_csv};
use crate::search::plan::shard::Shard;
use crate::search::plan::{Canonical, Common, Keys, MAX_NUMBER, PlanError, in_range};

/// Deals in a block, unless the plan says otherwise.
pub const BLOCK: u64 = 1 << 18;

/// Tricks after which a game is looked at for a loop, unless the plan says otherwise.
pub const CAP: u64 = 1000;

/// Loops written, unless the plan says otherwise.
pub const KEEP_LOOPS: u64 = 100_000;

/// The keys of a plan with `how = "exhaust"`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExhaustOptions {
    /// The order in which deals are numbered.
    pub order: Order,
    /// The first index.
    pub from: u128,
    /// Past the last index; more than `from`.
    pub to: u128,
    /// How many deals are in a block.
    pub block: u64,
    /// After so many tricks a game is looked at for a loop.
    pub cap: u64,
    /// How many loops are written, each a find; further ones are counted only.
    pub keep_loops: u64,
}

impl Way for ExhaustOptions {
    const NAME: &'static str = "exhaust";
    const KEYS: &'static [&'static str] = &["block", "cap", "order", "range", "keep_loops"];

    fn check(keys: &Keys, common: &Common) -> Result<ExhaustOptions, PlanError> {
        let deck = &common.deck;
        let block = in_range("block", keys.block, BLOCK, 1..=1 << 24)?;
        let cap = in_range("cap", keys.cap, CAP, 10..=1_000_000)?;
        let keep_loops = in_range("keep_loops", keys.keep_loops, KEEP_LOOPS, 0..=MAX_NUMBER)?;
        let value = |key, message: String| PlanError::Value { key, message };
        let order = match keys.order.as_deref() {
            None => Order::usual(deck),
            Some(text) => text
                .parse()
                .map_err(|error| value("order", format!("{error}")))?,
        };
        let Some(deals) = deck.deals() else {
            let message = format!("{deck} has 2^128 deals or more: they cannot be numbered");
            return Err(value("deck", message));
        };
        let (from, to) = match keys.range.as_deref() {
            None => (0, deals),
            Some(text) => {
                let numbers = text.split_once("..").and_then(|(from, to)| {
                    let number = |text: &str| text.trim().replace('_', "").parse::<u128>().ok();
                    Some((number(from)?, number(to)?))
                });
                numbers.ok_or_else(|| {
                    let form = "write A..B, two whole numbers: from A, up to but not B";
                    value("range", format!("{text:?} is no range: {form}"))
                })?
            }
        };
        if from >= to {
            let what = if from == to { "empty" } else { "reversed" };
            let message = format!("{from}..{to} is {what}: A..B goes from A up to but not B");
            return Err(value("range", message));
        }
        if to > deals {
            let message = format!(
                "{from}..{to} goes past the end: the deck {deck} has {deals} deals, so the last \
                 range ends in ..{deals}"
            );
            return Err(value("range", message));
        }
        if (to - from).div_ceil(u128::from(block)) > u128::from(u64::MAX) {
            let message = format!("{from}..{to} has over 2^64 blocks of {block}: make them larger");
            return Err(value("block", message));
        }
        Ok(ExhaustOptions {
            order,
            from,
            to,
            block,
            cap,
            keep_loops,
        })
    }

    fn write(&self, _: &Common, text: &mut Canonical) {
        text.number("block", self.block);
        text.number("cap", self.cap);
        text.number("keep_loops", self.keep_loops);
        text.text("order", &self.order.to_string());
        text.text("range", &format!("{}..{}", self.from, self.to));
    }

    fn method(&self, common: &Common, kernel: Kernel) -> BoxedMethod {
        Box::new(Exhaust::new(common, self).on(kernel))
    }
}

/// Exhausting a deck.
pub struct Exhaust {
    deck: Deck,
    options: ExhaustOptions,
    keep: usize,
    /// The name of the plan.
    plan: String,
    kernel: Kernel,
}

impl Exhaust {
    /// The way of searching of a plan.
    pub fn new(common: &Common, options: &ExhaustOptions) -> Exhaust {
        Exhaust {
            deck: common.deck.clone(),
            options: options.clone(),
            keep: common.keep,
            plan: options.canonical(common).fingerprint().to_string(),
            kernel: Kernel::best(),
        }
    }

    /// The same, played by this kernel instead of the fastest one: no result depends on it.
    pub fn on(self, kernel: Kernel) -> Exhaust {
        Exhaust { kernel, ..self }
    }

    /// The indices of a block.
    fn range(&self, block: u64) -> std::ops::Range<u128> {
        let size = u128::from(self.options.block);
        let start = self.options.from + u128::from(block) * size;
        start..(start + size).min(self.options.to)
    }

    /// The block that holds an index of the range.
    fn block_of(&self, index: u128) -> u64 {
        ((index - self.options.from) / u128::from(self.options.block)) as u64
    }

    fn found(&self, index: u128) -> Found {
        let block = self.block_of(index);
        Found {
            how: ExhaustOptions::NAME.to_owned(),
            plan: self.plan.clone(),
            seed: None,
            block: Some(block),
            offset: Some((index - self.range(block).start) as u64),
            from: None,
        }
    }
}

/// A cycle and the deals that enter it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entered {
    /// One round, until both players hold their cards again.
    period: Span,
    /// How many states it has, written leader first.
    states: u64,
    /// Whether it is its own mirror image: the players change places half way.
    mirrored: bool,
    /// Deals that enter it with A, and with B, leading at the state that names it.
    led: [u128; 2],
    /// The sum of the indices of these deals, in 128 bits without carry.
    indices: u128,
}

impl Entered {
    /// How many deals enter the cycle.
    pub fn deals(&self) -> u128 {
        self.led[0] + self.led[1]
    }

    /// One round, until both players hold their cards again.
    pub fn period(&self) -> Span {
        self.period
    }

    /// As how many cycles it counts where the players are told apart: its mirror image counts too
    /// if a deal enters it.
    pub fn apart(&self) -> u64 {
        match (self.mirrored, self.led) {
            (true, _) => 1,
            (false, led) => led.iter().filter(|&&deals| deals > 0).count() as u64,
        }
    }

    fn merge(&mut self, other: &Entered) {
        for (sum, more) in self.led.iter_mut().zip(other.led) {
            *sum += more;
        }
        self.indices = self.indices.wrapping_add(other.indices);
    }
}

/// What the blocks done so far came to.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct ExhaustTally {
    /// Finished games won by A, and by B.
    wins: [u128; 2],
    loops: u128,
    /// How many loops were written.
    written: u64,
    /// Cards and tricks of finished games.
    cards: Histogram,
    tricks: Histogram,
    longest: Board,
    cycles: BTreeMap<String, Entered>,
}

impl ExhaustTally {
    /// How many deals were played.
    pub fn deals(&self) -> u128 {
        self.finished() + self.loops
    }

    /// How many games finished.
    pub fn finished(&self) -> u128 {
        self.wins[0] + self.wins[1]
    }

    /// How many are loops.
    pub fn loops(&self) -> u128 {
        self.loops
    }

    /// How many finished games A won, and B.
    pub fn wins(&self) -> [u128; 2] {
        self.wins
    }

    /// Cards and tricks of the finished games.
    pub fn histograms(&self) -> [(&'static str, &Histogram); 2] {
        [("cards", &self.cards), ("tricks", &self.tricks)]
    }

    /// The cycles by name, each with the deals that enter it.
    pub fn cycles(&self) -> &BTreeMap<String, Entered> {
        &self.cycles
    }

    /// How many cycles there are where the players are told apart.
    pub fn cycles_apart(&self) -> u64 {
        self.cycles.values().map(Entered::apart).sum()
    }
}

/// A loop of a block.
struct Looped {
    index: u128,
    verdict: Verdict,
    name: String,
    entered: Entered,
}

/// What a block came to.
pub struct ExhaustPart {
    wins: [u64; 2],
    cards: Histogram,
    tricks: Histogram,
    /// The longest games, in no order.
    longest: Vec<(Span, u128)>,
    loops: Vec<Looped>,
}

impl Exhaust {
    fn looped<K: Kinds>(&self, index: u128, verdict: Verdict, start: State<K>) -> Looped {
        let Outcome::Loop { lead_in, period } = verdict.outcome else {
            unreachable!("asked for loops only");
        };
        // To the cycle, then on to the state that names it, with an eye on who leads.
        let mut state = start;
        let mut leads = Player::A;
        let mut step = |state: &mut State<K>| {
            let trick = state.trick();
            leads = if trick.leader_won {
                leads
            } else {
                leads.other()
            };
            *state = trick.after;
        };
        for _ in 0..lead_in.tricks {
            step(&mut state);
        }
        let cycle = Cycle::through(state);
        while state != cycle.name() {
            step(&mut state);
        }
        let mut led = [0; 2];
        led[leads.index()] = 1;
        Looped {
            index,
            verdict,
            name: self.deck.write(&cycle.name().deal()),
            entered: Entered {
                period,
                states: u64::from(cycle.states()),
                mirrored: cycle.swaps(),
                led,
                indices: index,
            },
        }
    }

    /// Plays every cycle of the tally backward and compares the deals that lead into it with those
    /// that were met: for each cycle its name, whether they are the same, and how many deals lead
    /// into it in all. Only deals of the first `done` blocks of `shard` are compared.
    ///
    /// Numbers of deals and sums of their indices are compared; each deal that leads into the cycle
    /// is one of the deals played, so equal numbers alone say that the sets are equal.
    pub fn check(&self, tally: &ExhaustTally, shard: Shard, done: u64) -> Vec<Checked> {
        let check = |(name, entered): (&String, &Entered)| {
            let start = self.deck.reader().deal(name).ok();
            let checked = start.and_then(|start| {
                with_state!(&start, start => {
                    Cycle::named(start).map(|cycle| {
                        self.check_one(name, entered, &cycle, shard, done)
                    })
                })
            });
            checked.flatten().unwrap_or_else(|| Checked {
                cycle: name.clone(),
                same: false,
                deals: 0,
            })
        };
        tally.cycles.iter().map(check).collect()
    }

    fn check_one<K: Kinds>(
        &self,
        name: &str,
        entered: &Entered,
        cycle: &Cycle<K>,
        shard: Shard,
        done: u64,
    ) -> Checked {
        let [a, b] = self.deck.hands().map(|n| n as u32);
        let (mut all, mut played, mut indices) = (0u128, 0u128, 0u128);
        let walk = closure::walk_cycle(cycle, closure::DEFAULT_BOUND, |entry| {
            if [entry.start.leader.len(), entry.start.other.len()] != [a, b] {
                return;
            }
            all += 1;
            let index = self.deck.index_of(&entry.start.deal(), self.options.order);
            let index = index.expect("the deck has indices");
            if self.was_played(index, shard, done) {
                played += 1;
                indices = indices.wrapping_add(index);
            }
        });
        Checked {
            cycle: name.to_owned(),
            same: walk.complete && (played, indices) == (entered.deals(), entered.indices),
            deals: all,
        }
    }
}

/// A cycle played backward.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// Its name.
    pub cycle: String,
    /// Whether the deals that lead into it are those that were met.
    pub same: bool,
    /// How many deals of the deck lead into it, in and outside the range played.
    pub deals: u128,
}

impl Method for Exhaust {
    type Tally = ExhaustTally;
    type Part = ExhaustPart;

    fn begin(&self) -> ExhaustTally {
        ExhaustTally::default()
    }

    fn blocks(&self) -> Option<u64> {
        let deals = self.options.to - self.options.from;
        u64::try_from(deals.div_ceil(u128::from(self.options.block))).ok()
    }

    fn may_take_ages(&self) -> bool {
        true
    }

    fn play(&self, block: u64, _: &ExhaustTally, quit: &AtomicBool) -> Option<ExhaustPart> {
        let mut part = ExhaustPart {
            wins: [0; 2],
            cards: Histogram::default(),
            tricks: Histogram::default(),
            longest: Vec::new(),
            loops: Vec::new(),
        };
        let mut capped = Vec::new();
        // The best games so far, the worst of them on top; of equal ones the least index stays.
        let mut longest: BinaryHeap<Reverse<(Span, Reverse<u128>)>> = BinaryHeap::new();
        let mut finish = |index: u128, played: Span, winner: Player, part: &mut ExhaustPart| {
            part.wins[winner.index()] += 1;
            part.cards.add(played.cards);
            part.tricks.add(played.tricks);
            let entry = Reverse((played, Reverse(index)));
            if longest.len() < self.keep {
                longest.push(entry);
            } else if longest.peek().is_some_and(|worst| entry < *worst) {
                longest.pop();
                longest.push(entry);
            }
        };
        let range = self.range(block);
        let mut feed = IndexedDeals::new(&self.deck, self.options.order, range.clone())
            .expect("a checked plan");
        let cap = u32::try_from(self.options.cap).unwrap_or(u32::MAX);
        lanes::play(self.kernel, &mut feed, cap, &mut |game| {
            let index = range.start + u128::from(game.at);
            match game.end {
                End::A => finish(index, game.span(), Player::A, &mut part),
                End::B => finish(index, game.span(), Player::B, &mut part),
                End::Capped => capped.push(index),
            }
        });
        for index in capped {
            if quit.load(Ordering::Relaxed) {
                return None;
            }
            let deal = self
                .deck
                .deal_at(index, self.options.order)
                .expect("in range");
            let verdict = exact::play(&deal);
            match verdict.outcome {
                Outcome::Finished { winner } => finish(index, verdict.played, winner, &mut part),
                Outcome::Loop { .. } => {
                    let looped = with_state!(&deal, start => self.looped(index, verdict, start));
                    part.loops.push(looped.expect("the deck is packed"));
                }
            }
        }
        part.longest = longest
            .into_iter()
            .map(|Reverse((played, Reverse(index)))| (played, index))
            .collect();
        Some(part)
    }

    fn merge(
        &self,
        tally: &mut ExhaustTally,
        _block: u64,
        part: ExhaustPart,
    ) -> Result<Vec<Find>, Disagreement> {
        for (sum, wins) in tally.wins.iter_mut().zip(part.wins) {
            *sum += u128::from(wins);
        }
        tally.cards.merge(&part.cards);
        tally.tricks.merge(&part.tricks);
        let mut finds = Vec::new();
        let mut loops = part.loops;
        loops.sort_unstable_by_key(|looped| looped.index);
        for looped in loops {
            tally.loops += 1;
            if tally.written < self.options.keep_loops {
                tally.written += 1;
                let deal = self
                    .deck
                    .deal_at(looped.index, self.options.order)
                    .expect("in range");
                let mut find = Find::of(&self.deck, &deal, &looped.verdict);
                find.cycle = Some(looped.name.clone());
                find.found = Some(self.found(looped.index));
                finds.push(find);
            }
            match tally.cycles.get_mut(&looped.name) {
                Some(entered) => entered.merge(&looped.entered),
                None => {
                    tally.cycles.insert(looped.name, looped.entered);
                }
            }
        }
        let mut longest = part.longest;
        longest.sort_unstable_by_key(|&(played, index)| (Reverse(played), index));
        for (played, index) in longest {
            if !tally.longest.takes(self.keep, played) {
                continue;
            }
            let deal = self
                .deck
                .deal_at(index, self.options.order)
                .expect("in range");
            let verdict = exact::play(&deal);
            if verdict.is_loop() || verdict.played != played {
                let text = |span: Span| format!("{} cards, {} tricks", span.cards, span.tricks);
                return Err(Disagreement {
                    deal: deal.to_string(),
                    fast: text(played),
                    exact: format!("{} {}", verdict.status(), text(verdict.played)),
                });
            }
            let block = self.block_of(index);
            let found = self.found(index);
            let place = (block, found.offset.unwrap_or_default());
            if tally
                .longest
                .offer(self.keep, standing(played, &self.deck, &deal), place)
            {
                let mut find = Find::of(&self.deck, &deal, &verdict);
                find.found = Some(found);
                finds.push(find);
            }
        }
        Ok(finds)
    }

    fn combine(&self, tally: &mut ExhaustTally, other: ExhaustTally) -> Result<(), String> {
        for (sum, wins) in tally.wins.iter_mut().zip(other.wins) {
            *sum += wins;
        }
        tally.loops += other.loops;
        tally.written += other.written;
        tally.cards.merge(&other.cards);
        tally.tricks.merge(&other.tricks);
        tally.longest.merge(self.keep, other.longest);
        for (name, entered) in other.cycles {
            match tally.cycles.get_mut(&name) {
                Some(known) => known.merge(&entered),
                None => {
                    tally.cycles.insert(name, entered);
                }
            }
        }
        Ok(())
    }

    fn report(&self, tally: &ExhaustTally) -> Report {
        let best = tally.longest.first(&self.deck);
        Report {
            played: tally.deals(),
            unit: "deals",
            best: best.map(|(played, deal)| (played, self.deck.write(&deal))),
            loops: tally.loops,
            cycles: tally.cycles.len() as u64,
            more: self.lines(tally),
            expected: None,
        }
    }

    fn lengths<'t>(&self, tally: &'t ExhaustTally) -> Option<(&'static str, &'t Histogram)> {
        let [cards, _] = tally.histograms();
        Some(cards)
    }

    fn tables(&self, tally: &ExhaustTally) -> Vec<(&'static str, String)> {
        let csv = histogram_csv("deals", &tally.histograms());
        let header = [
            "cycle",
            "states",
            "period_cards",
            "period_tricks",
            "mirrored",
            "deals",
        ];
        let rows = tally.cycles.iter().map(|(name, entered)| {
            [
                name.clone(),
                entered.states.to_string(),
                entered.period.cards.to_string(),
                entered.period.tricks.to_string(),
                entered.mirrored.to_string(),
                entered.deals().to_string(),
            ]
        });
        let cycles = csv_text(&header, rows);
        let mut summary =
            serde_json::to_string_pretty(&self.summary(tally)).expect("strings and numbers");
        summary.push('\n');
        vec![
            ("summary.json", summary),
            ("histogram.csv", csv),
            ("cycles.csv", cycles),
        ]
    }

    fn prove(&self, tally: &ExhaustTally, shard: Shard, done: u64) -> Result<Vec<String>, String> {
        let checked = self.check(tally, shard, done);
        if let Some(wrong) = checked.iter().find(|checked| !checked.same) {
            return Err(format!(
                "the deals met that enter the cycle {} are not those that lead into it backward",
                wrong.cycle
            ));
        }
        let deals: u128 = checked.iter().map(|checked| checked.deals).sum();
        Ok(match checked.len() {
            0 => Vec::new(),
            n => vec![format!(
                "played backward, {n} {} {deals} deals in the whole deck; those of them played \
                 here are the ones that were met",
                if n == 1 { "cycle has" } else { "cycles have" }
            )],
        })
    }

    fn deal_at(&self, block: u64, offset: u64) -> Result<Deal, String> {
        let index = self
            .range(block)
            .nth(usize::try_from(offset).unwrap_or(usize::MAX));
        let index = index.ok_or_else(|| format!("block {block} has no deal {offset}"))?;
        let deal = self.deck.deal_at(index, self.options.order);
        deal.map_err(|error| error.to_string())
    }

    fn find_again(&self, block: u64, offsets: &[u64]) -> Option<Vec<Find>> {
        let range = self.range(block);
        let indices = offsets
            .iter()
            .map(|&offset| range.start + u128::from(offset));
        let inside = indices.filter(|index| range.contains(index));
        Some(inside.map(|index| self.find_at(index)).collect())
    }

    fn missing(
        &self,
        tally: &ExhaustTally,
        shard: Shard,
        done: u64,
        finds: &[Find],
    ) -> Result<Vec<Find>, String> {
        let mut made = Vec::new();
        let (loops, finished): (Vec<&Find>, Vec<&Find>) = finds.iter().partition(|f| f.is_loop());
        let known: HashSet<BoardRank> = finished.iter().map(|find| find.standing()).collect();
        for (rank, (block, offset)) in tally.longest.iter() {
            if known.contains(rank) {
                continue;
            }
            let index = self.range(block).start + u128::from(offset);
            let find = self.find_at(index);
            if find.standing() != *rank {
                return Err(format!(
                    "the deal of index {index} is not as long as is counted"
                ));
            }
            made.push(find);
        }
        let known: HashSet<u128> = loops
            .iter()
            .filter_map(|find| self.index_of(find))
            .collect();
        if known.len() as u64 != tally.written {
            // Every loop leads into a cycle that is known; those met first were written.
            let entering = tally.cycles.keys().map(|name| {
                let start = self
                    .deck
                    .reader()
                    .deal(name)
                    .map_err(|error| error.to_string())?;
                let cycle = with_state!(&start, start => {
                    Cycle::named(start).map(|cycle| self.entering(&cycle, shard, done))
                });
                cycle
                    .flatten()
                    .ok_or_else(|| format!("{name} is no name of a cycle"))
            });
            let entering: Result<Vec<Vec<u128>>, String> = entering.collect();
            let mut all: Vec<u128> = entering?.into_iter().flatten().collect();
            all.sort_unstable();
            all.truncate(usize::try_from(tally.written).unwrap_or(usize::MAX));
            let lost = all.into_iter().filter(|index| !known.contains(index));
            made.extend(lost.map(|index| self.find_at(index)));
        }
        Ok(made)
    }

    fn leaderboard(&self, finds: Vec<Find>) -> Vec<Find> {
        let place = |find: &Find| find.found.as_ref().map(|found| (found.block, found.offset));
        let (mut loops, mut board): (Vec<Find>, Vec<Find>) =
            finds.into_iter().partition(Find::is_loop);
        loops.sort_by_key(place);
        loops.truncate(usize::try_from(self.options.keep_loops).unwrap_or(usize::MAX));
        board.sort_by_cached_key(Find::standing);
        board.truncate(self.keep);
        loops.extend(board);
        loops
    }
}

impl Exhaust {
    /// The find of a deal of the range, played by the exact engine.
    fn find_at(&self, index: u128) -> Find {
        let deal = self.deck.deal_at(index, self.options.order);
        let deal = deal.expect("in range");
        let verdict = exact::play(&deal);
        let mut find = Find::of(&self.deck, &deal, &verdict);
        if let Outcome::Loop { .. } = verdict.outcome {
            let looped = with_state!(&deal, start => self.looped(index, verdict, start));
            find.cycle = looped.map(|looped| looped.name);
        }
        find.found = Some(self.found(index));
        find
    }

    /// The index of a find in the order of the plan.
    fn index_of(&self, find: &Find) -> Option<u128> {
        self.deck.index_of(&find.deal, self.options.order).ok()
    }

    /// The indices of the deals, of the first `done` blocks of `shard`, that enter a cycle.
    fn entering<K: Kinds>(&self, cycle: &Cycle<K>, shard: Shard, done: u64) -> Vec<u128> {
        let hands = self.deck.hands().map(|n| n as u32);
        let mut indices = Vec::new();
        closure::walk_cycle(cycle, closure::DEFAULT_BOUND, |entry| {
            if [entry.start.leader.len(), entry.start.other.len()] == hands {
                let index = self.deck.index_of(&entry.start.deal(), self.options.order);
                indices.extend(
                    index
                        .ok()
                        .filter(|&index| self.was_played(index, shard, done)),
                );
            }
        });
        indices
    }

    /// Whether the first `done` blocks of `shard` hold an index.
    fn was_played(&self, index: u128, shard: Shard, done: u64) -> bool {
        let inside = (self.options.from..self.options.to).contains(&index);
        inside && {
            let block = self.block_of(index);
            block % shard.of() == shard.at() && block / shard.of() < done
        }
    }

    /// What the tally says, for people.
    fn lines(&self, tally: &ExhaustTally) -> Vec<(&'static str, String)> {
        if tally.deals() == 0 {
            return Vec::new();
        }
        let [a, b] = tally.wins;
        let mut lines = vec![(
            "finished",
            format!("{} (A won {a}, B won {b})", tally.finished()),
        )];
        for (name, histogram) in tally.histograms() {
            let Some(moments) = histogram.moments() else {
                continue;
            };
            let mut line = format!(
                "mean {:.6}, deviation {:.6}",
                moments.mean, moments.deviation
            );
            if let Some([mean, variance]) = fractions(histogram) {
                line.push_str(&format!(" (exactly {mean}, root of {variance})"));
            }
            lines.push((name, line));
        }
        if let Some((cards, deals)) = tally.cards.iter().last() {
            lines.push(("longest", format!("{cards} cards, {deals} deals")));
        }
        if tally.loops > 0 {
            let apart = tally.cycles_apart();
            let text = format!(
                "{}, or {apart} with the players told apart",
                tally.cycles.len()
            );
            lines.push(("cycles", text));
            for (name, entered) in tally.cycles.iter().take(20) {
                let Span { cards, tricks } = entered.period();
                let deals = entered.deals();
                lines.push(("cycle", format!("{name} ({cards}/{tricks}): {deals} deals")));
            }
        }
        lines
    }

    /// Everything the tally says, for programs. Whole numbers that may be beyond 53 bits are
    /// strings.
    pub fn summary(&self, tally: &ExhaustTally) -> Value {
        let best = tally.longest.first(&self.deck);
        let moments = tally.histograms().map(|(name, histogram)| {
            let mut value = histogram
                .moments()
                .map_or(Value::Null, |moments| moments.json());
            if let Some([mean, variance]) = fractions(histogram) {
                value["mean_exact"] = json!(mean.to_string());
                value["variance_exact"] = json!(variance.to_string());
            }
            (name, value)
        });
        let ties = tally.cards.iter().last().map_or(0, |(_, deals)| deals);
        let cycles: Vec<Value> = tally
            .cycles
            .iter()
            .map(|(name, entered)| {
                json!({
                    "cycle": name,
                    "states": entered.states,
                    "period": { "cards": entered.period.cards, "tricks": entered.period.tricks },
                    "mirrored": entered.mirrored,
                    "deals": entered.deals().to_string(),
                })
            })
            .collect();
        let mut value = json!({
            "deck": self.deck.to_string(),
            "order": self.options.order.to_string(),
            "range": [self.options.from.to_string(), self.options.to.to_string()],
            "deals": tally.deals().to_string(),
            "finished": tally.finished().to_string(),
            "loops": tally.loops.to_string(),
            "wins": { "A": tally.wins[0].to_string(), "B": tally.wins[1].to_string() },
            "longest": best.map(|(played, deal)| json!({
                "cards": played.cards,
                "tricks": played.tricks,
                "deal": self.deck.write(&deal),
                "deals_of_so_many_cards": ties,
            })),
            "cycles": tally.cycles.len(),
            "cycles_players_apart": tally.cycles_apart(),
            "each_cycle": cycles,
        });
        for (name, moments) in moments {
            value[name] = moments;
        }
        value
    }
}

/// A fraction in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fraction {
    over: u128,
    under: u128,
}

impl Fraction {
    fn new(over: u128, under: u128) -> Fraction {
        let common = gcd(over, under).max(1);
        Fraction {
            over: over / common,
            under: under / common,
        }
    }

    /// The nearest number.
    pub fn value(self) -> f64 {
        self.over as f64 / self.under as f64
    }
}

impl std::fmt::Display for Fraction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.over, self.under)
    }
}

/// The exact mean and variance; `None` if nothing was counted or 128 bits do not hold them.
pub fn fractions(histogram: &Histogram) -> Option<[Fraction; 2]> {
    let moments = histogram.moments()?;
    let (n, sum) = (moments.count, moments.sum);
    let mean = Fraction::new(sum, n);
    let over = n
        .checked_mul(moments.sum_of_squares)?
        .checked_sub(sum.checked_mul(sum)?)?;
    Some([mean, Fraction::new(over, n.checked_mul(n)?)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str) -> Result<Exhaust, PlanError> {
        let keys = Keys::read(text)?;
        let common = Common::check(&keys, ExhaustOptions::KEEP_CYCLES)?;
        Ok(Exhaust::new(
            &common,
            &ExhaustOptions::check(&keys, &common)?,
        ))
    }

    /// Plays all blocks of a shard.
    fn exhaust(method: &Exhaust, shard: Shard) -> (ExhaustTally, Vec<Find>, Vec<Checked>) {
        let (mut tally, mut finds) = (method.begin(), Vec::new());
        let blocks = shard.share(method.blocks().unwrap());
        for n in 0..blocks {
            let block = shard.block(n).unwrap();
            let part = method
                .play(block, &ExhaustTally::default(), &AtomicBool::new(false))
                .unwrap();
            finds.extend(method.merge(&mut tally, block, part).unwrap());
        }
        let checked = method.check(&tally, shard, blocks);
        (tally, method.leaderboard(finds), checked)
    }

    #[test]
    fn eight_cards_as_published() {
        let plan = plan("deck = \"plain=2,1=2,2=2,3=2\"\nkeep = 5").unwrap();
        let (tally, finds, checked) = exhaust(&plan, Shard::WHOLE);
        assert_eq!((tally.deals(), tally.loops()), (2_520, 0));
        assert_eq!((finds.len(), finds[0].played.cards), (5, 15));
        assert_eq!(checked, []);
    }

    #[test]
    fn every_small_deck_deal_by_deal() {
        // Every composition of up to six cards, and some larger ones.
        let mut decks: Vec<Deck> = Vec::new();
        for code in 0..7usize.pow(5) {
            let counts: [usize; 5] = std::array::from_fn(|kind| code / 7usize.pow(kind as u32) % 7);
            if (2..=6).contains(&counts.iter().sum::<usize>()) {
                decks.push(Deck::new(counts).unwrap());
            }
        }
        for text in [
            "plain=7,J=2",
            "plain=4,J=2,Q=1,K=1,A=1",
            "plain=5,Q=3,hands=3/5",
        ] {
            decks.push(text.parse().unwrap());
        }
        let mut loops = 0;
        for deck in decks {
            let plan = plan(&format!("deck = \"{deck}\"\nblock = 37\ncap = 20")).unwrap();
            let (tally, finds, checked) = exhaust(&plan, Shard::WHOLE);
            let (mut wins, mut cards, mut tricks) =
                ([0; 2], Histogram::default(), Histogram::default());
            let mut looped = Vec::new();
            for index in 0..deck.deals().unwrap() {
                let verdict = exact::play(&deck.deal_at(index, Order::usual(&deck)).unwrap());
                match verdict.winner() {
                    Some(winner) => {
                        wins[winner.index()] += 1;
                        cards.add(verdict.played.cards);
                        tricks.add(verdict.played.tricks);
                    }
                    None => looped.push(index),
                }
            }
            assert_eq!(tally.wins(), wins, "{deck}");
            assert_eq!(
                tally.histograms(),
                [("cards", &cards), ("tricks", &tricks)],
                "{deck}"
            );
            assert!(checked.iter().all(|checked| checked.same), "{deck}");
            let mut found: Vec<u128> = finds
                .iter()
                .filter(|find| find.is_loop())
                .filter_map(|find| find.index)
                .collect();
            found.sort_unstable();
            assert_eq!(found, looped, "{deck}");
            assert_eq!(tally.loops(), looped.len() as u128);
            loops += looped.len();
        }
        assert_eq!(loops, 7);
    }

    #[test]
    fn shards_add_up_to_the_whole() {
        let plan = plan("deck = \"plain=7,J=2\"\nblock = 5\nkeep = 7").unwrap();
        let (whole, mut finds, checked) = exhaust(&plan, Shard::WHOLE);
        assert!(whole.loops() > 0 && checked.iter().all(|checked| checked.same));
        let (mut sum, mut all) = (plan.begin(), Vec::new());
        for at in ["2/3", "0/3", "1/3"] {
            let (tally, finds, checked) = exhaust(&plan, at.parse().unwrap());
            assert!(checked.iter().all(|checked| checked.same));
            plan.combine(&mut sum, tally).unwrap();
            all.extend(finds);
        }
        assert_eq!(sum, whole);
        let mut all = plan.leaderboard(all);
        finds.sort_by(Find::rank);
        all.sort_by(Find::rank);
        assert_eq!(all, finds);
    }

    #[test]
    fn a_missing_loop_is_noticed() {
        let plan = plan("deck = \"plain=7,J=2\"").unwrap();
        let (mut tally, ..) = exhaust(&plan, Shard::WHOLE);
        let entered = tally.cycles.values_mut().next().unwrap();
        entered.led[usize::from(entered.led[0] == 0)] -= 1;
        let checked = plan.check(&tally, Shard::WHOLE, 1);
        assert!(!checked[0].same && checked[1..].iter().all(|checked| checked.same));
    }

    #[test]
    fn the_far_end_of_the_standard_deck() {
        let last = 653_534_134_886_878_245_000_u128;
        let plan = plan(&format!("range = \"{}..{last}\"\nblock = 50", last - 120)).unwrap();
        let (tally, finds, _) = exhaust(&plan, Shard::WHOLE);
        assert_eq!(tally.deals(), 120);
        let final_deal = finds
            .iter()
            .find(|find| find.index == Some(last - 1))
            .unwrap();
        assert_eq!(
            final_deal.played,
            Span {
                cards: 45,
                tricks: 9
            }
        );
        assert_eq!(final_deal.found.as_ref().unwrap().block, Some(2));
    }

    #[test]
    fn wrong_ranges_are_refused() {
        for (text, wanted) in [
            ("range = \"5..5\"", "range: 5..5 is empty"),
            ("range = \"6..5\"", "range: 6..5 is reversed"),
            (
                "deck = \"half\"\nrange = \"0..3488401\"",
                "goes past the end: the deck half has 3488400",
            ),
            ("range = \"5\"", "is no range: write A..B"),
            ("range = \"-1..5\"", "is no range"),
            ("order = \"qkaj\"", "order: \"qkaj\" is no order"),
            ("deck = \"plain=64\"", "deck: plain=64 has 64 cards"),
            ("deck = \"plain=0\"", "deck: the deck has no cards"),
            (
                "deck = \"plain=13,J=13,Q=13,K=12,A=12\"",
                "2^128 deals or more",
            ),
            (
                "block = 1\nrange = \"0..653534134886878245000\"",
                "over 2^64 blocks",
            ),
        ] {
            let error = plan(text)
                .err()
                .map_or(String::new(), |error| error.to_string());
            assert!(error.contains(wanted), "{text}: {error}");
        }
    }

    #[test]
    fn means_are_exact() {
        let mut histogram = Histogram::default();
        for value in [2, 4, 4, 4, 5, 5, 7, 9] {
            histogram.add(value);
        }
        let [mean, variance] = fractions(&histogram).unwrap();
        assert_eq!(
            (mean.to_string(), variance.to_string()),
            ("5/1".into(), "4/1".into())
        );
        histogram.add(9);
        assert_eq!(fractions(&histogram).unwrap()[0].to_string(), "49/9");
        assert!(fractions(&Histogram::default()).is_none());
    }
}
