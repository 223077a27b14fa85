//! Local search: from a deal, small changes that make its game no shorter.
//!
//! The rule. A climb begins with a random deal, or with a given one. Each change swaps a payment
//! card and a plain card (six times in ten), swaps two payment cards of different kinds (two), or
//! turns one hand by some cards (two). It is accepted if the game has at least as many cards as
//! before. After [`ClimbOptions::patience`] changes in a row that brought no longer game the climb has
//! ended: a game of at least [`ClimbOptions::close_from`] cards is closed backward, and if the top of
//! its tree is longer, the climb goes on from there; otherwise a new one begins.
//!
//! A block is a number of games, its climbs one after the other. What it gives depends on (plan,
//! block) alone. Whether climbing finds longer games than drawing deals at random is measured in
//! the README.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::harvest::{Harvest, Harvester};
use super::method::{BoxedMethod, Disagreement, Method, Report, Way};
use super::random::{self, RandomOptions};
use crate::cards::{Deal, Deck};
use crate::chance::Generator;
use crate::deals as feed;
use crate::game::lanes::Kernel;
use crate::game::packed::{self, End, Hand, Kinds, State, with_kinds};
use crate::game::{Span, exact};
use crate::search::finds::results::{self, Find};
use crate::search::finds::tally::{Board, Cycles, Histogram, histogram_csv};
use crate::search::plan::shard::Shard;
use crate::search::plan::{Canonical, Common, Keys, PlanError, in_range};

/// Games in a block, unless the plan says otherwise.
pub const BLOCK: u64 = 1 << 15;

/// Changes in a row without a longer game that end a climb, unless the plan says otherwise.
pub const PATIENCE: u64 = 2000;

/// Games between two looks at whether to leave.
const LOOK: u64 = 512;

/// The keys of a plan with `how = "climb"`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClimbOptions {
    /// How many games are played, the beginnings of climbs included.
    pub games: u64,
    /// How many games are in a block.
    pub block: u64,
    /// Games of at least so many cards are closed backward when a climb ends with them; `None`
    /// until it is settled.
    pub close_from: Option<u64>,
    /// After so many tricks a game is looked at for a loop.
    pub cap: u64,
    /// So many changes in a row without a longer game end a climb.
    pub patience: u64,
    /// The deals that climbs begin with, in turn; random ones if there are none.
    pub from: Vec<Deal>,
}

impl Way for ClimbOptions {
    const NAME: &'static str = "climb";
    const KEYS: &'static [&'static str] = &[
        "seed",
        "games",
        "block",
        "close_from",
        "cap",
        "patience",
        "from",
    ];

    fn check(keys: &Keys, common: &Common) -> Result<ClimbOptions, PlanError> {
        Ok(ClimbOptions {
            games: random::games(keys)?,
            block: in_range("block", keys.block, BLOCK, 1..=1 << 24)?,
            close_from: random::close_from(keys)?,
            cap: in_range("cap", keys.cap, random::CAP, 10..=1_000_000)?,
            patience: in_range("patience", keys.patience, PATIENCE, 1..=1 << 32)?,
            from: deals(keys.from.as_deref().unwrap_or_default(), &common.deck)?,
        })
    }

    fn settle(&mut self, common: &Common) {
        if self.close_from.is_none() {
            let options = RandomOptions {
                games: self.games,
                block: random::BLOCK,
                close_from: None,
                cap: self.cap,
            };
            self.close_from = Some(random::sampled_threshold(common, options));
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
        text.number("patience", self.patience);
        text.list("from", self.from.iter().map(|deal| common.deck.write(deal)));
    }

    fn method(&self, common: &Common, _: Kernel) -> BoxedMethod {
        Box::new(Climb::new(common, self))
    }
}

/// Reads deals that must be of the deck.
fn deals(texts: &[String], deck: &Deck) -> Result<Vec<Deal>, PlanError> {
    let reader = deck.reader();
    let wrong = |text: &str, error: String| PlanError::Value {
        key: "from",
        message: format!("{text:?}: {error}"),
    };
    texts
        .iter()
        .map(|text| {
            let deal = reader
                .deal(text)
                .map_err(|error| wrong(text, error.to_string()))?;
            deck.check(&deal)
                .map_err(|error| wrong(text, error.to_string()))?;
            Ok(deal.skeleton())
        })
        .collect()
}

/// The way of searching.
pub struct Climb {
    common: Common,
    options: ClimbOptions,
    /// The name of the plan.
    plan: String,
    harvester: Harvester,
}

/// The state of a run.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct ClimbTally {
    games: u64,
    loops: u64,
    closed: u64,
    incomplete: u64,
    /// Lengths of the games that climbs ended with.
    ends: Histogram,
    board: Board,
    cycles: Cycles,
}

/// What a block came to.
#[derive(Default)]
pub struct ClimbPart {
    games: u64,
    loops: u64,
    closed: u64,
    ends: Histogram,
    harvest: Harvest,
}

/// Where a climb is.
struct Here {
    pays: Vec<u8>,
    played: Span,
}

impl Climb {
    /// The way of searching of a plan. Options that are not [settled](Way::settle) close no game.
    pub fn new(common: &Common, options: &ClimbOptions) -> Climb {
        let canonical = options.canonical(common);
        Climb {
            common: common.clone(),
            options: options.clone(),
            plan: canonical.fingerprint().to_string(),
            harvester: Harvester::new(common, ClimbOptions::NAME, &canonical),
        }
    }

    fn deal(&self, pays: &[u8]) -> Deal {
        let (a, b) = pays.split_at(self.common.deck.hands()[0]);
        Deal::from_payments(a, b).expect("a deck has cards")
    }

    /// Plays a game: `None` if it is a loop, which is reaped.
    fn played(&self, pays: &[u8], part: &mut ClimbPart) -> Option<Span> {
        fn fast<K: Kinds>(pays: &[u8], size: usize, cap: u64) -> (Span, End) {
            let (a, b) = pays.split_at(size);
            let hand = |pays: &[u8]| Hand::<K>::new(pays.iter().copied()).expect("it was checked");
            let state = State {
                leader: hand(a),
                other: hand(b),
            };
            packed::play(state, cap)
        }
        let deck = &self.common.deck;
        let (size, cap) = (deck.hands()[0], self.options.cap);
        let (played, end) = with_kinds!(deck.payment_cards(), K => fast::<K>(pays, size, cap));
        part.games += 1;
        if end != End::Capped {
            return Some(played);
        }
        let deal = self.deal(pays);
        let verdict = exact::play(&deal);
        if verdict.is_loop() {
            part.loops += 1;
            let offset = part.games - 1;
            self.harvester
                .cycle(&deal, &verdict, offset, &mut part.harvest);
            return None;
        }
        Some(verdict.played)
    }

    /// Changes a deal a little.
    fn change(&self, pays: &mut [u8], rng: &mut Generator) {
        let kind = rng.below(10);
        let pick = |rng: &mut Generator, pays: &[u8], wanted: &dyn Fn(u8) -> bool| {
            let fit = pays.iter().filter(|&&pay| wanted(pay)).count();
            (fit > 0).then(|| {
                let nth = rng.below(fit);
                let mut places = (0..pays.len()).filter(|&at| wanted(pays[at]));
                places.nth(nth).expect("so many were counted")
            })
        };
        let first = pick(rng, pays, &|pay| pay > 0);
        let second = first.and_then(|first| {
            let pays_first = pays[first];
            match kind {
                0..6 => pick(rng, pays, &|pay| pay == 0),
                6..8 => pick(rng, pays, &|pay| pay > 0 && pay != pays_first),
                _ => None,
            }
        });
        if let (Some(first), Some(second)) = (first, second) {
            pays.swap(first, second);
            return;
        }
        let size = self.common.deck.hands()[0];
        let (a, b) = pays.split_at_mut(size);
        let hand = if rng.below(2) == 0 { a } else { b };
        let by = rng.below(hand.len());
        hand.rotate_left(by);
    }

    /// The deal that climb `climb` of a block begins with.
    fn begin_with(&self, block: u64, climb: u64) -> Vec<u8> {
        let pays = |deal: &Deal| deal.cards().map(|card| card.pays()).collect();
        if self.options.from.is_empty() {
            let deal = feed::random_deal(&self.common.deck, self.common.seed, block, climb);
            return pays(&deal.expect("a plan has at most 63 cards"));
        }
        let at = block.wrapping_add(climb) % self.options.from.len() as u64;
        pays(&self.options.from[at as usize])
    }

    /// Plays a block, and shows every deal before it is played, with its number in the block.
    fn climb(
        &self,
        block: u64,
        quit: &AtomicBool,
        see: &mut dyn FnMut(u64, &[u8]),
    ) -> Option<ClimbPart> {
        let before = block.saturating_mul(self.options.block);
        let budget = (self.options.games.saturating_sub(before)).min(self.options.block);
        let from = self.options.close_from.unwrap_or(u64::MAX);
        // Two generators, so that neither seed nor block is lost in the other.
        let mut seeder = Generator::seeded(self.common.seed ^ 0x636c_696d_6200_0000);
        let mut rng = Generator::seeded(seeder.bits() ^ block);
        let mut part = ClimbPart::default();
        let mut climb = 0;
        while part.games < budget {
            let pays = self.begin_with(block, climb);
            climb += 1;
            see(part.games, &pays);
            let Some(played) = self.played(&pays, &mut part) else {
                continue;
            };
            let mut here = Here { pays, played };
            let mut tried = 0;
            loop {
                if part.games % LOOK == 0 && quit.load(Ordering::Relaxed) {
                    return None;
                }
                if tried == self.options.patience || part.games >= budget {
                    if here.played.cards < from {
                        break;
                    }
                    part.closed += 1;
                    let deal = self.deal(&here.pays);
                    let offset = part.games - 1;
                    let (top, played) =
                        self.harvester
                            .top(&deal, here.played, offset, &mut part.harvest);
                    if played.cards <= here.played.cards || part.games >= budget {
                        break;
                    }
                    here = Here {
                        pays: top.cards().map(|card| card.pays()).collect(),
                        played,
                    };
                    tried = 0;
                }
                let mut pays = here.pays.clone();
                self.change(&mut pays, &mut rng);
                tried += 1;
                see(part.games, &pays);
                if let Some(played) = self.played(&pays, &mut part) {
                    if played.cards > here.played.cards {
                        tried = 0;
                    }
                    if played.cards >= here.played.cards {
                        here = Here { pays, played };
                    }
                }
            }
            part.ends.add(here.played.cards);
        }
        Some(part)
    }
}

impl Method for Climb {
    type Tally = ClimbTally;
    type Part = ClimbPart;

    fn begin(&self) -> ClimbTally {
        ClimbTally::default()
    }

    fn blocks(&self) -> Option<u64> {
        Some(self.options.games.div_ceil(self.options.block))
    }

    fn play(&self, block: u64, _: &ClimbTally, quit: &AtomicBool) -> Option<ClimbPart> {
        self.climb(block, quit, &mut |_, _| ())
    }

    fn merge(
        &self,
        tally: &mut ClimbTally,
        block: u64,
        part: ClimbPart,
    ) -> Result<Vec<Find>, Disagreement> {
        tally.games += part.games;
        tally.loops += part.loops;
        tally.closed += part.closed;
        tally.incomplete += part.harvest.incomplete;
        tally.ends.merge(&part.ends);
        self.harvester
            .store(&mut tally.board, &mut tally.cycles, block, part.harvest)
    }

    fn combine(&self, tally: &mut ClimbTally, other: ClimbTally) -> Result<(), String> {
        tally.games += other.games;
        tally.loops += other.loops;
        tally.closed += other.closed;
        tally.incomplete += other.incomplete;
        tally.ends.merge(&other.ends);
        tally.board.merge(self.common.keep, other.board);
        tally.cycles.merge(self.common.keep_cycles, other.cycles);
        Ok(())
    }

    fn report(&self, tally: &ClimbTally) -> Report {
        let [games, loops, closed] = [tally.games, tally.loops, tally.closed];
        let mut report = self
            .harvester
            .report(games, loops, closed, &tally.board, &tally.cycles);
        let climbs = ("climbs", tally.ends.count().to_string());
        report.more.insert(0, climbs);
        report
    }

    fn lengths<'t>(&self, tally: &'t ClimbTally) -> Option<(&'static str, &'t Histogram)> {
        Some(("end of a climb", &tally.ends))
    }

    fn tables(&self, tally: &ClimbTally) -> Vec<(&'static str, String)> {
        let summary = serde_json::json!({
            "plan": self.plan,
            "how": ClimbOptions::NAME,
            "deck": self.common.deck.to_string(),
            "games": tally.games.to_string(),
            "loops": tally.loops.to_string(),
            "cycles": tally.cycles.len(),
            "close_from": self.options.close_from,
            "closed": tally.closed.to_string(),
            "incomplete_trees": tally.incomplete.to_string(),
            "climbs": tally.ends.moments().map(|moments| moments.json()),
        });
        let mut text = serde_json::to_string_pretty(&summary).expect("strings and numbers");
        text.push('\n');
        let histogram = histogram_csv("games", &[("end of a climb", &tally.ends)]);
        vec![("summary.json", text), ("histogram.csv", histogram)]
    }

    fn leaderboard(&self, finds: Vec<Find>) -> Vec<Find> {
        results::leaderboard(finds, self.common.keep, self.common.keep_cycles)
    }

    fn deal_at(&self, block: u64, offset: u64) -> Result<Deal, String> {
        let mut played = None;
        let part = self.climb(block, &AtomicBool::new(false), &mut |game, pays| {
            if game == offset {
                played = Some(self.deal(pays));
            }
        });
        // A climb that ends is closed from where it stands, not from the last change it tried.
        let closed = part.and_then(|part| part.harvest.closed_at(offset).cloned());
        closed
            .or(played)
            .ok_or_else(|| format!("block {block} has no game {offset}: games count from 0"))
    }

    fn find_again(&self, block: u64, _: &[u64]) -> Option<Vec<Find>> {
        let part = self.climb(block, &AtomicBool::new(false), &mut |_, _| ())?;
        Some(self.harvester.all(block, &part.harvest))
    }

    fn missing(
        &self,
        tally: &ClimbTally,
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

    fn climb(text: &str) -> Climb {
        let keys = Keys::read(text).unwrap();
        let common = Common::check(&keys, ClimbOptions::KEEP_CYCLES).unwrap();
        let options = ClimbOptions::check(&keys, &common).unwrap();
        Climb::new(&common, &options)
    }

    #[test]
    fn a_change_keeps_the_deck() {
        for deck in [
            "standard",
            "half",
            "plain=5",
            "J=5",
            "plain=1,J=1",
            "plain=3,A=2,hands=1/4",
        ] {
            let climb = climb(&format!(
                "how = \"climb\"\ndeck = \"{deck}\"\ngames = 1\nclose_from = 1"
            ));
            let mut pays = climb.begin_with(0, 0);
            let mut rng = Generator::seeded(1);
            for _ in 0..200 {
                climb.change(&mut pays, &mut rng);
                assert_eq!(climb.common.deck.check(&climb.deal(&pays)), Ok(()));
            }
        }
    }

    #[test]
    fn climbs_begin_with_given_deals_and_end_no_shorter() {
        let start = "0001300203/0020010000";
        let climb = climb(&format!(
            "how = \"climb\"\ndeck = \"half\"\ngames = 3000\nblock = 1000\nclose_from = 1\npatience = 200\n\
             from = [\"{start}\"]"
        ));
        let deal = climb.deal(&climb.begin_with(5, 5));
        assert_eq!(climb.common.deck.write(&deal), start);
        let least = exact::play(&deal).played.cards;
        let mut tally = climb.begin();
        for block in 0..3 {
            let part = climb
                .play(block, &ClimbTally::default(), &AtomicBool::new(false))
                .unwrap();
            for find in climb.merge(&mut tally, block, part).unwrap() {
                assert_eq!(find.check(), Ok(()));
            }
        }
        assert_eq!(tally.games, 3000);
        let moments = tally.ends.moments().unwrap();
        assert!(moments.least >= least && moments.greatest > least);
    }
}
