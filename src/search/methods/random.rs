//! Random deals: blocks of games drawn from (seed, block), every long one closed backward.
//!
//! All games are counted exactly. A game of at least [`RandomOptions::close_from`] cards is worth more
//! than itself: some ancestor of its last state is a deal from which more cards are played, and
//! the best of them, the top of its tree, is what is kept. Two games that run together have one
//! tree and one top, so duplicates show. A game that reaches [`RandomOptions::cap`] tricks is looked at
//! for a loop by the exact engine, and so is every top before it is written.

use std::sync::atomic::{AtomicBool, Ordering as Memory};

use serde::{Deserialize, Serialize};

use super::harvest::{Harvest, Harvester};
use super::method::{BoxedMethod, Disagreement, Method, Report, Way};
use crate::cards::{Deal, Deck, Player};
use crate::deals as feed;
use crate::game::lanes::{self, Dealt, End, Feed, Kernel};
use crate::game::{Outcome, exact};
use crate::search::finds::results::{self, Find};
use crate::search::finds::tail::Expected;
use crate::search::finds::tally::{Board, Cycles, Histogram, histogram_csv};
use crate::search::plan::shard::Shard;
use crate::search::plan::{Canonical, Common, Keys, MAX_NUMBER, PlanError, in_range};

/// Deals in a block, unless the plan says otherwise.
pub const BLOCK: u64 = 1 << 17;

/// Tricks after which a game is looked at for a loop, unless the plan says otherwise.
pub const CAP: u64 = 5000;

/// Where a plan does not say from which length on games are closed, a sample of its deals decides:
/// so many of them, at most, are played,
const SAMPLE: u64 = 1 << 18;
/// and about one game in so many is closed, which costs some 3 % of the time for the standard deck,
const ONE_IN: u64 = 200_000;
/// but so many in all are to be expected, so that a short run has a leaderboard too.
const AT_LEAST: u64 = 20;

/// The keys of a plan with `how = "random"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomOptions {
    /// How many deals are played.
    pub games: u64,
    /// How many deals are in a block.
    pub block: u64,
    /// Games of at least so many cards are closed backward; `None`: a sample of deals decides, once
    /// the plan is settled.
    pub close_from: Option<u64>,
    /// After so many tricks a game is looked at for a loop.
    pub cap: u64,
}

/// The number of games of a plan.
pub(super) fn games(keys: &Keys) -> Result<u64, PlanError> {
    let games = keys.games.ok_or(PlanError::Missing {
        key: "games",
        remedy: "say how many deals to play, for example games = 1e9",
    })?;
    in_range("games", Some(games), 0, 1..=MAX_NUMBER - 1)
}

/// From how many cards on games are closed, if the plan says so.
pub(super) fn close_from(keys: &Keys) -> Result<Option<u64>, PlanError> {
    let Some(cards) = keys.close_from else {
        return Ok(None);
    };
    in_range("close_from", Some(cards), 0, 1..=MAX_NUMBER - 1).map(Some)
}

impl Way for RandomOptions {
    const NAME: &'static str = "random";
    const KEYS: &'static [&'static str] = &["seed", "games", "block", "close_from", "cap"];

    fn check(keys: &Keys, _: &Common) -> Result<RandomOptions, PlanError> {
        Ok(RandomOptions {
            games: games(keys)?,
            block: in_range("block", keys.block, BLOCK, 1..=1 << 24)?,
            close_from: close_from(keys)?,
            cap: in_range("cap", keys.cap, CAP, 10..=1_000_000)?,
        })
    }

    fn settle(&mut self, common: &Common) {
        if self.close_from.is_none() {
            self.close_from = Some(sampled_threshold(common, *self));
        }
    }

    fn write(&self, common: &Common, text: &mut Canonical) {
        text.number("seed", common.seed);
        text.number("games", self.games);
        text.number("block", self.block);
        if let Some(cards) = self.close_from {
            text.number("close_from", cards);
        }
        text.number("cap", self.cap);
    }

    fn method(&self, common: &Common, kernel: Kernel) -> BoxedMethod {
        Box::new(Random::new(common, self).on(kernel))
    }
}

/// The threshold of closing that random deals suggest for so many games.
pub(super) fn sampled_threshold(common: &Common, options: RandomOptions) -> u64 {
    let sample = RandomOptions {
        games: options.games.min(SAMPLE),
        close_from: Some(u64::MAX),
        ..options
    };
    let method = Random::new(common, &sample);
    let mut tally = method.begin();
    for block in 0..sample.games.div_ceil(sample.block) {
        let part = method.play(block, &tally, &AtomicBool::new(false));
        tally.add(&part.expect("nobody asked it to leave").counts);
    }
    threshold(&tally.cards, sample.games, options.games)
}

/// The length that about one of [`ONE_IN`] games reaches, and no fewer than [`AT_LEAST`] of `games`,
/// going by the lengths of `sample` games.
///
/// The sample is too small to show it for a long run; there the tail is taken as exponential.
fn threshold(cards: &Histogram, sample: u64, games: u64) -> u64 {
    let nth = |wanted: u64| {
        let lengths: Vec<(u64, u64)> = cards.iter().collect();
        let mut reached = 0;
        let mut from = lengths.last().map_or(1, |(longest, _)| longest + 1);
        for &(length, times) in lengths.iter().rev() {
            reached += times;
            // Many games may share a length: closing them all would cost too much.
            if reached > 10 * wanted {
                break;
            }
            from = length;
            if reached >= wanted {
                break;
            }
        }
        from.max(1)
    };
    let seen = nth(AT_LEAST);
    let share = (1.0 / ONE_IN as f64).max(AT_LEAST as f64 / games as f64);
    let beyond = AT_LEAST as f64 / sample as f64 / share;
    if beyond <= 1.0 {
        return seen;
    }
    let slope = seen.saturating_sub(nth(10 * AT_LEAST)) as f64 / std::f64::consts::LN_10;
    let longest = cards.iter().last().map_or(1, |(longest, _)| longest);
    // A deck whose games are bounded has no such tail.
    (seen + (slope * beyond.ln()).round() as u64).min(longest.max(seen))
}

/// The way of searching.
pub struct Random {
    common: Common,
    options: RandomOptions,
    /// The name of the plan.
    plan: String,
    kernel: Kernel,
    harvester: Harvester,
}

/// GameCounts of games, exact.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct GameCounts {
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
pub struct RandomTally {
    counts: GameCounts,
    board: Board,
    cycles: Cycles,
}

impl std::ops::Deref for RandomTally {
    type Target = GameCounts;

    fn deref(&self) -> &GameCounts {
        &self.counts
    }
}

impl RandomTally {
    fn add(&mut self, counts: &GameCounts) {
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
pub struct RandomPart {
    counts: GameCounts,
    harvest: Harvest,
}

impl Random {
    /// The way of searching of a plan. Options that are not [settled](Way::settle) close no game.
    pub fn new(common: &Common, options: &RandomOptions) -> Random {
        let canonical = options.canonical(common);
        Random {
            common: common.clone(),
            options: *options,
            plan: canonical.fingerprint().to_string(),
            kernel: Kernel::best(),
            harvester: Harvester::new(common, RandomOptions::NAME, &canonical),
        }
    }

    /// The same, played by this kernel instead of the fastest one: no result depends on it.
    pub fn on(self, kernel: Kernel) -> Random {
        Random { kernel, ..self }
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
        feed::random_deal(&self.common.deck, self.common.seed, block, offset)
            .expect("a plan has at most 63 cards")
    }
}

impl Method for Random {
    type Tally = RandomTally;
    type Part = RandomPart;

    fn begin(&self) -> RandomTally {
        RandomTally::default()
    }

    fn blocks(&self) -> Option<u64> {
        Some(self.options.games.div_ceil(self.options.block))
    }

    fn play(&self, block: u64, _: &RandomTally, quit: &AtomicBool) -> Option<RandomPart> {
        let Common { deck, seed, .. } = &self.common;
        let from = self.options.close_from.unwrap_or(u64::MAX);
        let mut counts = GameCounts {
            games: self.games(block),
            ..GameCounts::default()
        };
        let mut long = Vec::new();
        let mut capped = Vec::new();
        let mut feed = Leaving {
            feed: feed::RandomDeals::new(deck, *seed, block, 0..counts.games)
                .expect("a plan has at most 63 cards"),
            quit,
        };
        let cap = self.options.cap as u32;
        lanes::play(self.kernel, &mut feed, cap, &mut |game| {
            if game.end == End::Capped {
                capped.push(game.at);
                return;
            }
            counts.leader_won += u64::from(game.end == End::A);
            counts.cards.add(u64::from(game.cards));
            counts.tricks.add(u64::from(game.tricks));
            if u64::from(game.cards) >= from {
                long.push((game.at, game.span()));
            }
        });
        if quit.load(Memory::Relaxed) {
            return None;
        }
        let mut harvest = Harvest::default();
        capped.sort_unstable();
        for offset in capped {
            if quit.load(Memory::Relaxed) {
                return None;
            }
            let deal = self.deal(block, offset);
            let verdict = exact::play(&deal);
            match verdict.outcome {
                Outcome::Loop { .. } => {
                    counts.loops += 1;
                    self.harvester.cycle(&deal, &verdict, offset, &mut harvest);
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
        counts.closed = long.len() as u64;
        for (offset, played) in long {
            if quit.load(Memory::Relaxed) {
                return None;
            }
            self.harvester
                .top(&self.deal(block, offset), played, offset, &mut harvest);
        }
        counts.incomplete = harvest.incomplete;
        Some(RandomPart { counts, harvest })
    }

    fn merge(
        &self,
        tally: &mut RandomTally,
        block: u64,
        part: RandomPart,
    ) -> Result<Vec<Find>, Disagreement> {
        tally.add(&part.counts);
        self.harvester
            .store(&mut tally.board, &mut tally.cycles, block, part.harvest)
    }

    fn combine(&self, tally: &mut RandomTally, other: RandomTally) -> Result<(), String> {
        tally.add(&other.counts);
        tally.board.merge(self.common.keep, other.board);
        tally.cycles.merge(self.common.keep_cycles, other.cycles);
        Ok(())
    }

    fn report(&self, tally: &RandomTally) -> Report {
        let [games, loops, closed] = [tally.games, tally.loops, tally.closed];
        let report = self
            .harvester
            .report(games, loops, closed, &tally.board, &tally.cycles);
        Report {
            expected: Expected::of(&tally.cards),
            ..report
        }
    }

    fn lengths<'t>(&self, tally: &'t RandomTally) -> Option<(&'static str, &'t Histogram)> {
        Some(("cards", &tally.cards))
    }

    fn tables(&self, tally: &RandomTally) -> Vec<(&'static str, String)> {
        let moments = |histogram: &Histogram| histogram.moments().map(|moments| moments.json());
        let summary = serde_json::json!({
            "plan": self.plan,
            "how": RandomOptions::NAME,
            "deck": self.common.deck.to_string(),
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
        let histograms = [("cards", &tally.cards), ("tricks", &tally.tricks)];
        let histogram = histogram_csv("games", &histograms);
        vec![("summary.json", text), ("histogram.csv", histogram)]
    }

    fn leaderboard(&self, finds: Vec<Find>) -> Vec<Find> {
        results::leaderboard(finds, self.common.keep, self.common.keep_cycles)
    }

    fn deal_at(&self, block: u64, offset: u64) -> Result<Deal, String> {
        if offset >= self.games(block) {
            return Err(format!(
                "block {block} has {} games, from 0",
                self.games(block)
            ));
        }
        Ok(self.deal(block, offset))
    }

    fn find_again(&self, block: u64, offsets: &[u64]) -> Option<Vec<Find>> {
        let mut harvest = Harvest::default();
        for &offset in offsets {
            let Ok(deal) = self.deal_at(block, offset) else {
                continue;
            };
            let verdict = exact::play(&deal);
            if verdict.is_loop() {
                self.harvester.cycle(&deal, &verdict, offset, &mut harvest);
            } else {
                self.harvester
                    .top(&deal, verdict.played, offset, &mut harvest);
            }
        }
        Some(self.harvester.all(block, &harvest))
    }

    fn missing(
        &self,
        tally: &RandomTally,
        _: Shard,
        _: u64,
        finds: &[Find],
    ) -> Result<Vec<Find>, String> {
        let again = |block, offsets: &[u64]| self.find_again(block, offsets).unwrap_or_default();
        self.harvester
            .missing(&tally.board, &tally.cycles, finds, again)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_follows_the_tail() {
        // Survival falls by e every 200 cards: one game in 200,000 reaches 2441 cards.
        let mut cards = Histogram::default();
        let left = |length: u64| (SAMPLE as f64 * (-(length as f64) / 200.0).exp()) as u64;
        for length in 0..4000 {
            cards.add_times(length, left(length) - left(length + 1));
        }
        let long = threshold(&cards, SAMPLE, 1 << 50);
        assert!((2350..2500).contains(&long), "{long}");
        // A run of a million games is to close twenty: one in 50,000 reaches 2164.
        let short = threshold(&cards, SAMPLE, 1_000_000);
        assert!((2080..2230).contains(&short), "{short}");
        assert_eq!(
            threshold(&cards, SAMPLE, SAMPLE),
            threshold(&cards, SAMPLE, 1000)
        );
        // No tail at all.
        let mut one = Histogram::default();
        one.add_times(7, SAMPLE);
        assert_eq!(threshold(&one, SAMPLE, 1 << 50), 8);
        assert_eq!(threshold(&Histogram::default(), 1, 1), 1);
    }
}
