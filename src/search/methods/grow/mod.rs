//! Growing cycles: infinite games made from other infinite games by small changes.
//!
//! Random deals hardly ever go on for ever, but cycles survive small changes. So cycles of few
//! cards are found by chance, or given, and changed by a card, or by an
//! [orbit](crate::game::cycle::Orbits) of cards, at a time; those that come near the wanted
//! composition and near equal hands are kept and changed again. A cycle of the wanted composition
//! is closed backward, and its deals, played again by the exact engine, are the finds. What is
//! kept is the state of a run.
//!
//! Blocks of a wave see what was kept before it, so the same plan gives the same finds on any
//! number of threads. There are no shards: other machines take other seeds.

mod archive;
mod dice;
mod moves;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ahash::{AHashMap, AHashSet};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use self::archive::{Archive, Elite, Niche};
use self::dice::Dice;
use self::moves::{Bounds, Composition, Parent, composition, distance};
use super::method::{BoxedMethod, Disagreement, Method, Report, Way};
use crate::cards::{Deal, Deck, Reader};
use crate::game::closure::{self, Entry};
use crate::game::cycle::Cycle;
use crate::game::family::Family;
use crate::game::flood;
use crate::game::lanes::{self, Kernel};
use crate::game::packed::{Kinds, MAX_CARDS, State, with_kinds, with_state};
use crate::game::skeleton::{MAX_PAYMENT_CARDS, PARTS, Skeleton};
use crate::game::{Outcome, Span, exact};
use crate::search::finds::known;
use crate::search::finds::results::{self, Find, Found};
use crate::search::finds::tally::csv_text;
use crate::search::plan::shard::Shard;
use crate::search::plan::{Canonical, Common, Keys, MAX_NUMBER, PlanError, in_range};

/// Changed states tested in a block, unless the plan says otherwise.
pub const BLOCK: u64 = 1 << 15;

/// Tricks after which a state is given up, unless the plan says otherwise.
pub const CAP: u64 = 3000;

/// Blocks of a wave: work for many threads, about two seconds of one.
const WAVE: u64 = 64;

/// How many cards beyond the wanted composition may be grown through, of each kind.
const SLACK_OF_KIND: u8 = 4;

/// How many in all, and how many payment cards. Without them more states are tested a second, since
/// vectors take a standard deck but no larger one, and no infinite deal of it is reached: the way
/// leads through other compositions.
const SLACK: u8 = 2;

/// Changes made of one chosen cycle.
const CHANGES: usize = 256;

/// Random states tested at a time, and how often, in 256.
const RANDOM: usize = 1024;
const RANDOM_CHANCE: u32 = 8;

/// Random states have so many cards.
const SMALL: std::ops::RangeInclusive<u32> = 10..=18;

/// States drawn before they are tested, all together.
const BATCH: usize = 4096;

/// Tricks after which a game that is not over may be one that goes on for ever.
const EARLY: u32 = 220;

/// How often a cycle found in the same block is changed, rather than one known before, in 256.
const OWN: u32 = 96;

/// With flooding, one block of so many floods a cycle that lacks a card or two, or has them too many.
const NEAR_EVERY: u64 = 16;
/// How many cards that is at most.
const NEAR: u8 = 2;

/// How often a cycle of the wanted composition is changed although its family is flooded already, in
/// 256.
const AGAIN: u32 = 32;

/// Ancestors of one cycle that are looked at. No cycle of 52 cards comes near it.
const BOUND: u64 = 20_000_000;

/// Closed cycles remembered.
const REMEMBERED: usize = 1 << 20;

/// The keys of a plan with `how = "grow"`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GrowOptions {
    /// Names of the cycles that are grown from, least first; none: from random small states.
    pub from: Vec<String>,
    /// How many changed states are tested; `None`: until stopped.
    pub tests: Option<u64>,
    /// How many of them are in a block.
    pub block: u64,
    /// After so many tricks a state is given up.
    pub cap: u64,
    /// Whether the cycles of the wanted composition are flooded: the neighbours of those that one wave
    /// finds, and all cycles of their skeletons, are looked for in the next one. Then states are spent
    /// on other families.
    pub flood: bool,
}

impl Way for GrowOptions {
    const NAME: &'static str = "grow";
    const KEYS: &'static [&'static str] = &["seed", "tests", "block", "cap", "flood", "from"];
    /// Finding cycles is what growing is for: all are kept.
    const KEEP_CYCLES: u64 = 1_000_000;
    const NO_SHARDS: Option<&'static str> =
        Some("a search that grows cycles has no shards: let other machines take other seeds");

    fn check(keys: &Keys, common: &Common) -> Result<GrowOptions, PlanError> {
        Ok(GrowOptions {
            from: seeds(keys.from.as_deref().unwrap_or_default(), &common.deck)?,
            tests: match keys.tests {
                Some(tests) => Some(in_range("tests", Some(tests), 0, 1..=MAX_NUMBER - 1)?),
                None => None,
            },
            block: in_range("block", keys.block, BLOCK, 1..=1 << 24)?,
            cap: in_range("cap", keys.cap, CAP, 10..=1_000_000)?,
            flood: keys.flood.unwrap_or(false),
        })
    }

    fn write(&self, common: &Common, text: &mut Canonical) {
        text.number("seed", common.seed);
        if let Some(tests) = self.tests {
            text.number("tests", tests);
        }
        text.number("block", self.block);
        text.number("cap", self.cap);
        // A plan without flooding keeps the name it had before there was any.
        if self.flood {
            text.flag("flood", true);
        }
        text.list("from", self.from.iter().cloned());
    }

    fn method(&self, common: &Common, kernel: Kernel) -> BoxedMethod {
        let limits = limits(&common.deck);
        let given = self.from.iter().map(|name| payment_cards(name)).max();
        let grown = limits.payment_cards.min(limits.cards);
        let most = grown.max(given.unwrap_or(0)) as usize;
        with_kinds!(most, K => Box::new(Grow::<K>::new(common, self, kernel)))
    }
}

/// The cycles of the deals that are grown from, each once, named by their least states.
fn seeds(from: &[String], deck: &Deck) -> Result<Vec<String>, PlanError> {
    let wrong = |message: String| PlanError::Value {
        key: "from",
        message,
    };
    let mut cycles = Vec::new();
    for text in from {
        // A deal in letters may be of any deck, one in digits is read where the deck's are.
        let letters = Reader::default().deal(text);
        let deal = letters.or_else(|error| {
            if deck.digits() {
                deck.reader().deal(text)
            } else {
                Err(error)
            }
        });
        let deal = deal.map_err(|error| wrong(error.to_string()))?;
        cycles.push(seed_cycle(&deal).map_err(|error| wrong(error.to_string()))?);
    }
    cycles.sort();
    cycles.dedup();
    Ok(cycles.iter().map(Deal::to_string).collect())
}

/// Why a deal cannot be grown from.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SeedError {
    /// It has too many cards.
    #[error("{0} has over {MAX_CARDS} cards: only smaller deals can be grown from")]
    TooLarge(String),
    /// Its game ends.
    #[error("the game of {0} ends: only infinite games can be grown from")]
    Ends(String),
}

/// The cycle that a deal is grown from, as a deal of its least state.
///
/// # Errors
/// [`SeedError`] if there is none.
pub fn seed_cycle(deal: &Deal) -> Result<Deal, SeedError> {
    fn least<K: Kinds>(start: State<K>, tricks: u64) -> Deal {
        Cycle::after(start, tricks).name().deal()
    }
    let text = || deal.to_string().chars().take(80).collect();
    if deal.len() > MAX_CARDS {
        return Err(SeedError::TooLarge(text()));
    }
    let Outcome::Loop { lead_in, .. } = exact::play(deal).outcome else {
        return Err(SeedError::Ends(text()));
    };
    let least = with_state!(deal, start => least(start, lead_in.tricks));
    least.ok_or_else(|| SeedError::TooLarge(text()))
}

/// What one cycle of the wanted composition came to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct CycleRow {
    /// Its least state, leader first.
    pub name: String,
    /// One round of it.
    pub period: Span,
    /// How many states it has, leader first.
    pub states: u64,
    /// The least difference of hand sizes over its states.
    pub imbalance: u32,
    /// How many states lead into it, its own included.
    pub ancestors: u64,
    /// Whether those are all.
    pub complete: bool,
    /// How many of them are deals of the deck.
    pub deals: u64,
    /// The block that found it first.
    pub block: u64,
}

/// A cycle of the wanted composition, closed.
struct Closed {
    record: CycleRow,
    /// Its deals, proved by the exact engine.
    finds: Vec<Find>,
    disagreement: Option<Disagreement>,
}

/// The state of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
struct GrowTally<K: Kinds> {
    tested: u64,
    looped: u64,
    archive: Archive<K>,
    /// By their names.
    found: BTreeMap<String, CycleRow>,
}

/// What a block came to.
struct GrowPart<K: Kinds> {
    tested: u64,
    looped: u64,
    archive: Archive<K>,
    /// Cycles known before that were changed.
    chosen: Vec<(Niche, State<K>)>,
    closed: Vec<(u64, Arc<Closed>)>,
}

/// The way of searching. `K` holds the payment cards that are grown through.
struct Grow<K: Kinds> {
    common: Common,
    options: GrowOptions,
    /// The name of the plan.
    plan: String,
    limits: Bounds,
    kernel: Kernel,
    /// Cycles that were closed, `None` if no deal enters them. What a block says about a cycle
    /// does not depend on it.
    closed: Mutex<AHashMap<State<K>, Option<Arc<Closed>>>>,
    /// What cycles of the deck have in common with others, by the cycles' names.
    shapes: Mutex<AHashMap<String, Shape>>,
    /// The names of the cycles of the deck that are in `results/known`.
    known: BTreeSet<String>,
}

/// What a cycle has in common with others.
#[derive(Clone)]
struct Shape {
    family: String,
    skeleton: Skeleton,
}

/// How many cycles, and so on, are in `results/known`, and how many are not.
#[derive(Clone, Copy, Default)]
struct KnownAndNew {
    known: u64,
    new: u64,
}

impl KnownAndNew {
    fn add(&mut self, known: bool, count: u64) {
        *(if known {
            &mut self.known
        } else {
            &mut self.new
        }) += count;
    }

    fn json(self) -> serde_json::Value {
        serde_json::json!({ "known": self.known, "new": self.new })
    }
}

impl fmt::Display for KnownAndNew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} known, {} new", self.known, self.new)
    }
}

/// What a run has found, in families, cycles and deals.
#[derive(Clone, Copy, Default)]
struct FoundCounts {
    families: KnownAndNew,
    cycles: KnownAndNew,
    deals: KnownAndNew,
}

/// What is grown through on the way to a deck.
fn limits(deck: &Deck) -> Bounds {
    let target = deck.counts().map(|count| count as u8);
    let most = target.map(|count| if count == 0 { 0 } else { count + SLACK_OF_KIND });
    Bounds {
        target,
        most,
        cards: (deck.len() + usize::from(SLACK)).min(MAX_CARDS) as u32,
        payment_cards: (deck.payment_cards() + usize::from(SLACK)) as u32,
    }
}

fn payment_cards(name: &str) -> u32 {
    name.chars().filter(|card| "JQKA".contains(*card)).count() as u32
}

impl<K: Kinds> Grow<K> {
    /// The way of searching of a plan whose states fit into packed states over `K`.
    fn new(common: &Common, options: &GrowOptions, kernel: Kernel) -> Grow<K> {
        Grow {
            options: options.clone(),
            plan: options.canonical(common).fingerprint().to_string(),
            limits: limits(&common.deck),
            kernel,
            closed: Mutex::new(AHashMap::new()),
            shapes: Mutex::new(AHashMap::new()),
            known: known::cycles(&common.deck),
            common: common.clone(),
        }
    }

    fn place(&self, cycle: &Cycle<K>, counts: &Composition) -> Niche {
        let [a, b] = self.common.deck.hands();
        let wanted = a.abs_diff(b) as u32;
        // With equal hands (or one odd card) the cycle knows its own imbalance.
        let off = if wanted < 2 {
            cycle.imbalance()
        } else {
            let unequal = |state: State<K>| state.leader.len().abs_diff(state.other.len());
            let off = cycle.iter().map(|state| unequal(state).abs_diff(wanted));
            off.min().expect("a cycle has states")
        };
        Niche {
            class: (off / 2) as u8,
            far: distance(counts, &self.limits.target).min(255) as u8,
            period: cycle.period().cards,
        }
    }

    /// What a cycle of the deck has in common with others.
    fn shape(&self, name: &str) -> Shape {
        let shapes = || self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shape) = shapes().get(name) {
            return shape.clone();
        }
        let cycle = self.named(name);
        let shape = Shape {
            family: Family::of(&cycle).to_string(),
            skeleton: Skeleton::of(&cycle),
        };
        shapes().insert(name.to_owned(), shape.clone());
        shape
    }

    /// A cycle of the deck, by its name.
    fn named(&self, name: &str) -> Cycle<K> {
        let state = self.common.deck.reader().deal(name);
        let state = state.expect("a cycle's name is a state");
        Cycle::through(State::of(&state).expect("it came from a packed state"))
    }

    /// What was found, known and new.
    fn counts(&self, tally: &GrowTally<K>) -> FoundCounts {
        let mut counts = FoundCounts::default();
        let mut families = BTreeSet::new();
        for (name, row) in &tally.found {
            let known = self.known.contains(name);
            counts.cycles.add(known, 1);
            counts.deals.add(known, row.deals);
            families.insert(self.shape(name).family);
        }
        let known = self.known.iter().map(|name| self.shape(name).family);
        let known: BTreeSet<String> = known.collect();
        for family in families {
            counts.families.add(known.contains(&family), 1);
        }
        counts
    }

    /// The cycles given with the plan.
    fn seeds(&self) -> impl Iterator<Item = Cycle<K>> + '_ {
        self.options.from.iter().map(|name| {
            let deal = Reader::default().deal(name);
            let state = State::of(&deal.expect("checked with the plan")).expect("fits");
            Cycle::through(state)
        })
    }

    /// Everything about a cycle of the wanted composition, if deals enter it.
    fn close(&self, cycle: &Cycle<K>) -> Option<Arc<Closed>> {
        let known = || self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(closed) = known().get(&cycle.name()) {
            return closed.clone();
        }
        let deck = &self.common.deck;
        let hands = deck.hands().map(|cards| cards as u32);
        let mut entries: Vec<Entry<K>> = Vec::new();
        let walk = closure::walk_cycle(cycle, BOUND, |entry| {
            if [entry.start.leader.len(), entry.start.other.len()] == hands {
                entries.push(*entry);
            }
        });
        let closed = (!entries.is_empty()).then(|| {
            entries.sort_unstable_by(Entry::rank);
            let name = results::cycle_name(deck, cycle);
            let mut disagreement = None;
            let finds = entries
                .iter()
                .map(|entry| {
                    let deal = entry.start.deal();
                    let verdict = exact::play(&deal);
                    let wanted = Outcome::Loop {
                        lead_in: entry.played,
                        period: cycle.period(),
                    };
                    if verdict.outcome != wanted {
                        disagreement = Some(Disagreement {
                            deal: deck.write(&deal),
                            fast: format!("{wanted:?}"),
                            exact: format!("{:?}", verdict.outcome),
                        });
                    }
                    Find {
                        cycle: Some(name.clone()),
                        ..Find::of(deck, &deal, &verdict)
                    }
                })
                .collect();
            Arc::new(Closed {
                record: CycleRow {
                    name,
                    period: cycle.period(),
                    states: cycle.states().into(),
                    imbalance: cycle.imbalance(),
                    ancestors: walk.states,
                    complete: walk.complete,
                    deals: entries.len() as u64,
                    block: 0,
                },
                finds,
                disagreement,
            })
        });
        let mut known = known();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(cycle.name(), closed.clone());
        closed
    }

    /// Draws some states to be tested, at most `most`, and says how many draws it took: those of a
    /// cycle changed, or random ones.
    fn draw(
        &self,
        dice: &mut Dice,
        part: &mut GrowPart<K>,
        seen: &Archive<K>,
        flooded: &BTreeSet<String>,
        most: usize,
        states: &mut Vec<State<K>>,
    ) -> usize {
        let from_nothing = self.options.from.is_empty();
        let elite = if from_nothing && dice.chance(RANDOM_CHANCE) {
            None
        } else if dice.chance(OWN) && !part.archive.is_empty() {
            let own = part.archive.choose(dice);
            own.inspect(|&(place, elite)| part.archive.wear(place, elite.name))
        } else {
            let known = self.choose_novel(dice, seen, flooded);
            known.inspect(|&(place, elite)| part.chosen.push((place, elite.name)))
        };
        let Some((_, elite)) = elite else {
            let draws = RANDOM.min(most);
            states.extend((0..draws).filter_map(|_| moves::random(dice, &self.limits, SMALL)));
            return draws;
        };
        let parent = Parent::new(&Cycle::through(elite.name));
        let draws = CHANGES.min(most);
        states.extend((0..draws).filter_map(|_| parent.change(dice, &self.limits)));
        draws
    }

    /// A cycle to change: hardly ever one of the wanted composition whose family is flooded already.
    fn choose_novel(
        &self,
        dice: &mut Dice,
        seen: &Archive<K>,
        flooded: &BTreeSet<String>,
    ) -> Option<(Niche, Elite<K>)> {
        let mut chosen = seen.choose(dice)?;
        if flooded.is_empty() {
            return Some(chosen);
        }
        for _ in 0..8 {
            let (place, elite) = chosen;
            if place.far > 0 || dice.chance(AGAIN) {
                break;
            }
            let family = Family::of(&Cycle::through(elite.name)).to_string();
            if !flooded.contains(&family) {
                break;
            }
            chosen = seen.choose(dice)?;
        }
        Some(chosen)
    }

    /// The families that waves before this block's found and flooded.
    fn flooded(&self, block: u64, seen: &GrowTally<K>) -> BTreeSet<String> {
        if !self.options.flood {
            return BTreeSet::new();
        }
        let wave = block / WAVE;
        let rows = seen.found.iter().filter(|(_, row)| row.block / WAVE < wave);
        rows.map(|(name, _)| self.shape(name).family).collect()
    }

    /// The skeletons whose kinds a block must exhaust, and which parts of them: its share of those
    /// that the wave before met first.
    fn to_exhaust(&self, block: u64, seen: &GrowTally<K>) -> Vec<(Skeleton, usize)> {
        let wave = block / WAVE;
        if !self.options.flood
            || wave == 0
            || self.limits.target_payment_cards() > MAX_PAYMENT_CARDS
        {
            return Vec::new();
        }
        let (mut fresh, mut old) = (BTreeSet::new(), BTreeSet::new());
        for (name, row) in &seen.found {
            let skeletons = if row.block / WAVE + 1 == wave {
                &mut fresh
            } else {
                &mut old
            };
            skeletons.insert(self.shape(name).skeleton);
        }
        let parts = fresh.difference(&old);
        parts
            .flat_map(|&skeleton| (0..PARTS).map(move |part| (skeleton, part)))
            .skip((block % WAVE) as usize)
            .step_by(WAVE as usize)
            .collect()
    }

    /// With flooding, now and then: a cycle near the wanted composition, to be flooded too.
    fn near(&self, dice: &mut Dice, block: u64, seen: &Archive<K>) -> Option<Cycle<K>> {
        if !self.options.flood || !block.is_multiple_of(NEAR_EVERY) {
            return None;
        }
        let mut chosen = (0..8).map_while(|_| seen.choose(dice));
        let near = chosen.find(|(place, _)| (1..=NEAR).contains(&place.far));
        near.map(|(_, elite)| Cycle::through(elite.name))
    }

    /// The cycles that a block must flood: its share of those that the wave before found.
    fn to_flood<'a>(
        &'a self,
        block: u64,
        seen: &'a GrowTally<K>,
    ) -> impl Iterator<Item = Cycle<K>> + 'a {
        let before = (block / WAVE).checked_sub(1).filter(|_| self.options.flood);
        seen.found
            .values()
            .filter(move |row| Some(row.block / WAVE) == before)
            .skip((block % WAVE) as usize)
            .step_by(WAVE as usize)
            .map(|row| self.named(&row.name))
    }

    /// Does what is to be done with a cycle that a block met.
    fn meet(
        &self,
        dice: &mut Dice,
        part: &mut GrowPart<K>,
        met: &mut AHashSet<State<K>>,
        cycle: Cycle<K>,
    ) {
        part.looped += 1;
        let counts = composition(cycle.name());
        let place = self.place(&cycle, &counts);
        let name = cycle.name();
        part.archive.offer(dice, place, Elite { name, chosen: 0 });
        if counts != self.limits.target || !met.insert(name) {
            return;
        }
        if let Some(closed) = self.close(&cycle) {
            part.closed.push((part.tested, closed));
        }
    }
}

impl<K: Kinds> Method for Grow<K> {
    type Tally = GrowTally<K>;
    type Part = GrowPart<K>;

    fn begin(&self) -> GrowTally<K> {
        let mut tally = GrowTally {
            tested: 0,
            looped: 0,
            archive: Archive::default(),
            found: BTreeMap::new(),
        };
        let mut dice = Dice::of(self.common.seed, u64::MAX);
        for cycle in self.seeds() {
            let place = self.place(&cycle, &composition(cycle.name()));
            let name = cycle.name();
            tally
                .archive
                .offer(&mut dice, place, Elite { name, chosen: 0 });
        }
        tally
    }

    fn blocks(&self) -> Option<u64> {
        self.options
            .tests
            .map(|tests| tests.div_ceil(self.options.block))
    }

    fn wave(&self) -> Option<u64> {
        Some(WAVE)
    }

    fn play(&self, block: u64, seen: &GrowTally<K>, quit: &AtomicBool) -> Option<GrowPart<K>> {
        let mut dice = Dice::of(self.common.seed, block);
        let dice = &mut dice;
        let cap = self.options.cap as u32;
        let mut met = AHashSet::new();
        let mut part = GrowPart {
            tested: 0,
            looped: 0,
            archive: Archive::default(),
            chosen: Vec::new(),
            closed: Vec::new(),
        };
        if block == 0 {
            for cycle in self.seeds() {
                self.meet(dice, &mut part, &mut met, cycle);
            }
        }
        for cycle in self.to_flood(block, seen) {
            for near in flood::neighbours(self.kernel, &cycle, cap, quit)? {
                self.meet(dice, &mut part, &mut met, near);
            }
        }
        let [_, counts @ ..] = self.limits.target;
        for (skeleton, share) in self.to_exhaust(block, seen) {
            for cycle in skeleton.cycles(counts, share, cap, quit)?.0 {
                self.meet(dice, &mut part, &mut met, cycle);
            }
        }
        if let Some(cycle) = self.near(dice, block, &seen.archive) {
            for near in flood::neighbours(self.kernel, &cycle, cap, quit)? {
                self.meet(dice, &mut part, &mut met, near);
            }
        }
        let flooded = self.flooded(block, seen);
        let mut states = Vec::with_capacity(BATCH);
        while part.tested < self.options.block {
            if quit.load(Ordering::Relaxed) {
                return None;
            }
            let batch = (self.options.block - part.tested).min(BATCH as u64) as usize;
            states.clear();
            let mut drawn = 0;
            while drawn < batch {
                let most = batch - drawn;
                drawn += self.draw(dice, &mut part, &seen.archive, &flooded, most, &mut states);
            }
            part.tested += drawn as u64;
            let mut left = Vec::new();
            lanes::survivors(self.kernel, &states, EARLY.min(cap), &mut |at| {
                left.push(at)
            });
            // The order in which they come out depends on the kernel.
            left.sort_unstable();
            for at in left {
                if let Some(cycle) = Cycle::entered_from(states[at], cap) {
                    self.meet(dice, &mut part, &mut met, cycle);
                }
            }
        }
        Some(part)
    }

    fn merge(
        &self,
        tally: &mut GrowTally<K>,
        block: u64,
        part: GrowPart<K>,
    ) -> Result<Vec<Find>, Disagreement> {
        tally.tested += part.tested;
        tally.looped += part.looped;
        // Other chances than those of the block itself.
        let mut dice = Dice::of(!self.common.seed, block);
        for (place, name) in part.chosen {
            tally.archive.wear(place, name);
        }
        tally.archive.absorb(&mut dice, part.archive);
        let mut finds = Vec::new();
        for (offset, closed) in part.closed {
            if let Some(disagreement) = &closed.disagreement {
                return Err(disagreement.clone());
            }
            let record = &closed.record;
            if tally.found.len() >= self.common.keep_cycles
                || tally.found.contains_key(&record.name)
            {
                continue;
            }
            tally.found.insert(
                record.name.clone(),
                CycleRow {
                    block,
                    ..record.clone()
                },
            );
            let found = Found {
                how: GrowOptions::NAME.to_owned(),
                plan: self.plan.clone(),
                seed: Some(self.common.seed),
                block: Some(block),
                offset: Some(offset),
                from: None,
            };
            let known = Some(self.known.contains(&record.name));
            finds.extend(closed.finds.iter().cloned().map(|find| Find {
                known,
                found: Some(found.clone()),
                ..find
            }));
        }
        Ok(finds)
    }

    fn combine(&self, _: &mut GrowTally<K>, _: GrowTally<K>) -> Result<(), String> {
        Err(GrowOptions::NO_SHARDS.unwrap_or_default().to_owned())
    }

    fn report(&self, tally: &GrowTally<K>) -> Report {
        let counts = self.counts(tally);
        Report {
            expected: None,
            played: tally.tested.into(),
            unit: "states",
            best: None,
            loops: tally.looped.into(),
            cycles: tally.found.len() as u64,
            more: vec![
                ("families", counts.families.to_string()),
                ("cycles that deals enter", counts.cycles.to_string()),
                ("infinite deals", counts.deals.to_string()),
                ("cycles kept", tally.archive.len().to_string()),
                ("front", Front(&tally.archive).to_string()),
            ],
        }
    }

    fn tables(&self, tally: &GrowTally<K>) -> Vec<(&'static str, String)> {
        let deals: u64 = tally.found.values().map(|record| record.deals).sum();
        let counts = self.counts(tally);
        let summary = serde_json::json!({
            "plan": self.plan,
            "how": GrowOptions::NAME,
            "deck": self.common.deck.to_string(),
            "states": tally.tested.to_string(),
            "loops": tally.looped.to_string(),
            "cycles": tally.found.len(),
            "infinite_deals": deals,
            "in_families": counts.families.json(),
            "in_cycles": counts.cycles.json(),
            "in_deals": counts.deals.json(),
            "kept": tally.archive.len(),
        });
        let mut text = serde_json::to_string_pretty(&summary).expect("strings and numbers");
        text.push('\n');
        let header = [
            "cycle",
            "cards",
            "tricks",
            "states",
            "imbalance",
            "ancestors",
            "deals",
            "family",
            "known",
            "block",
        ];
        let mut found: Vec<&CycleRow> = tally.found.values().collect();
        found.sort_by_key(|record| record.block);
        let rows = found.iter().map(|record| {
            [
                record.name.clone(),
                record.period.cards.to_string(),
                record.period.tricks.to_string(),
                record.states.to_string(),
                record.imbalance.to_string(),
                record.ancestors.to_string(),
                record.deals.to_string(),
                self.shape(&record.name).family.to_string(),
                self.known.contains(&record.name).to_string(),
                record.block.to_string(),
            ]
        });
        let table = csv_text(&header, rows);
        vec![("summary.json", text), ("cycles.csv", table)]
    }

    fn leaderboard(&self, finds: Vec<Find>) -> Vec<Find> {
        results::leaderboard(finds, self.common.keep, self.common.keep_cycles)
    }

    fn deal_at(&self, _: u64, _: u64) -> Result<Deal, String> {
        Err(
            "what a block of a search that grows cycles finds depends on all blocks before it: no \
             block gives a deal by itself, and only the whole plan can be run again"
                .to_owned(),
        )
    }

    fn find_again(&self, _: u64, _: &[u64]) -> Option<Vec<Find>> {
        None
    }

    fn missing(
        &self,
        tally: &GrowTally<K>,
        _: Shard,
        _: u64,
        finds: &[Find],
    ) -> Result<Vec<Find>, String> {
        let mut known: AHashMap<&str, Vec<&Find>> = AHashMap::new();
        for find in finds {
            if let Some(cycle) = &find.cycle {
                known.entry(cycle).or_default().push(find);
            }
        }
        let mut made = Vec::new();
        for (name, row) in &tally.found {
            let known = known.get(name.as_str()).map_or(&[][..], Vec::as_slice);
            let deals: AHashSet<&Deal> = known.iter().map(|find| &find.deal).collect();
            if deals.len() as u64 == row.deals {
                continue;
            }
            let state = self.common.deck.reader().deal(name).ok();
            let state = state.and_then(|deal| State::<K>::of(&deal));
            let closed = state
                .and_then(Cycle::named)
                .and_then(|cycle| self.close(&cycle));
            let closed =
                closed.ok_or_else(|| format!("no deal enters {name}, which is counted"))?;
            // The place in the block is known from the other deals of the cycle alone.
            let found = known.iter().find_map(|find| find.found.clone());
            let found = found.unwrap_or_else(|| Found {
                how: GrowOptions::NAME.to_owned(),
                plan: self.plan.clone(),
                seed: Some(self.common.seed),
                block: Some(row.block),
                offset: None,
                from: None,
            });
            let lost = closed
                .finds
                .iter()
                .filter(|find| !deals.contains(&find.deal));
            made.extend(lost.cloned().map(|find| Find {
                found: Some(found.clone()),
                ..find
            }));
        }
        Ok(made)
    }
}

/// How near a run came: for the first classes, imbalance and cards from the composition.
struct Front<'a, K: Kinds>(&'a Archive<K>);

impl<K: Kinds> fmt::Display for Front<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut least = u8::MAX;
        let mut first = true;
        for (class, far, _) in self.0.front() {
            // Only what is nearer than everything more balanced.
            if far < least {
                least = far;
                let comma = if first { "" } else { ", " };
                first = false;
                write!(f, "{comma}{far} off at imbalance {}", 2 * u32::from(class))?;
            }
        }
        Ok(())
    }
}
