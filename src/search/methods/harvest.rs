//! What long games and loops are made to yield: the top of a tree, all deals of a cycle, and which
//! of them are new.
//!
//! Every way of searching that meets games one by one uses this. Blocks reap on any thread, the
//! runner stores in the order of blocks.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::method::{Disagreement, Report};
use crate::cards::{Deal, Deck};
use crate::game::closure::{self, Entry};
use crate::game::packed::{Kinds, State, with_state};
use crate::game::{Outcome, Span, Verdict, cycle, exact};
use crate::search::finds::results::{self, BoardRank, Find, Found, Origin, standing};
use crate::search::finds::tally::{Address, Board, Cycles};
use crate::search::plan::{Canonical, Common};

/// Ancestors of one game that are looked at. No tree of a game of 52 cards comes near it.
const BOUND: u64 = 20_000_000;

/// Closes games of a plan.
pub struct Harvester {
    common: Common,
    /// The name of the way of searching.
    how: &'static str,
    /// The name of the plan.
    plan: String,
    /// Cycles closed before, by name: what is said about a cycle does not depend on the game that
    /// met it.
    closed: Mutex<HashMap<String, Arc<Reaped>>>,
}

/// What the games of a block yield.
#[derive(Default)]
pub struct Harvest {
    tops: Vec<Top>,
    cycles: Vec<Met>,
    /// Games whose tree was too large to see all of it.
    pub incomplete: u64,
}

impl Harvest {
    /// The game that was closed backward when so many games of the block had been played.
    pub fn closed_at(&self, offset: u64) -> Option<&Deal> {
        let top = self.tops.iter().find(|top| top.offset == offset)?;
        Some(&top.from)
    }
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

/// A loop that was met.
struct Met {
    cycle: Arc<Reaped>,
    offset: u64,
    from: Origin,
}

/// A cycle and its deals, proved, without the way they were found.
struct Reaped {
    name: String,
    finds: Vec<Find>,
    complete: bool,
}

impl Harvester {
    /// Closes games for the plan that `canonical` is the text of, with this way of searching.
    pub fn new(common: &Common, how: &'static str, canonical: &Canonical) -> Harvester {
        Harvester {
            common: common.clone(),
            how,
            plan: canonical.fingerprint().to_string(),
            closed: Mutex::default(),
        }
    }

    /// Reaps a finished game, game `offset` of its block, and returns the top of its tree with
    /// what is played from it.
    pub fn top(
        &self,
        deal: &Deal,
        played: Span,
        offset: u64,
        harvest: &mut Harvest,
    ) -> (Deal, Span) {
        let (top, top_played, complete) = self.close(deal, played);
        harvest.incomplete += u64::from(!complete);
        harvest.tops.push(Top {
            deal: top.clone(),
            played: top_played,
            offset,
            from: deal.clone(),
            from_played: played,
        });
        (top, top_played)
    }

    /// Reaps a loop, game `offset` of its block, on which the exact engine gave `verdict`.
    ///
    /// # Panics
    /// If it is none.
    pub fn cycle(&self, deal: &Deal, verdict: &Verdict, offset: u64, harvest: &mut Harvest) {
        let Outcome::Loop { lead_in, .. } = verdict.outcome else {
            panic!("a finished game has no cycle");
        };
        let cycle = self.cycle_of(deal, lead_in);
        harvest.incomplete += u64::from(!cycle.complete);
        harvest.cycles.push(Met {
            cycle,
            offset,
            from: self.origin(deal, verdict.played),
        });
    }

    /// What people are told of a search that played `games` games, `loops` of them loops, and
    /// closed `closed` of them backward.
    pub fn report(
        &self,
        games: u64,
        loops: u64,
        closed: u64,
        board: &Board,
        cycles: &Cycles,
    ) -> Report {
        let deck = &self.common.deck;
        let best = board.first(deck);
        Report {
            expected: None,
            played: games.into(),
            unit: "games",
            best: best.map(|(played, deal)| (played, deck.write(&deal))),
            loops: loops.into(),
            cycles: cycles.len() as u64,
            more: vec![
                ("closed backward", closed.to_string()),
                ("trees kept", board.len().to_string()),
            ],
        }
    }

    /// Puts what a block yielded on the board and among the cycles; what is new there is proved by
    /// the exact engine and returned. Blocks must come in order.
    ///
    /// # Errors
    /// [`Disagreement`] if the exact engine says otherwise.
    pub fn store(
        &self,
        board: &mut Board,
        cycles: &mut Cycles,
        block: u64,
        harvest: Harvest,
    ) -> Result<Vec<Find>, Disagreement> {
        let Common {
            deck,
            keep,
            keep_cycles,
            ..
        } = &self.common;
        let mut finds = Vec::new();
        for met in harvest.cycles {
            if cycles.offer(*keep_cycles, &met.cycle.name, (block, met.offset)) {
                finds.extend(self.of_cycle(block, &met));
            }
        }
        for top in harvest.tops {
            if !board.takes(*keep, top.played) {
                continue;
            }
            let standing = standing(top.played, deck, &top.deal);
            if !board.offer(*keep, standing, (block, top.offset)) {
                continue;
            }
            finds.push(self.of_top(block, &top)?);
        }
        Ok(finds)
    }

    /// All deals of a cycle that was met.
    fn of_cycle(&self, block: u64, met: &Met) -> impl Iterator<Item = Find> {
        let found = self.found(block, met.offset, Some(met.from.clone()));
        let finds = met.cycle.finds.iter().cloned();
        finds.map(move |find| Find {
            found: Some(found.clone()),
            ..find
        })
    }

    /// The top of a tree, proved by the exact engine.
    fn of_top(&self, block: u64, top: &Top) -> Result<Find, Disagreement> {
        let deck = &self.common.deck;
        let verdict = exact::play(&top.deal);
        if verdict.is_loop() || verdict.played != top.played {
            let spoken = |span: Span| format!("{} cards, {} tricks", span.cards, span.tricks);
            return Err(Disagreement {
                deal: deck.write(&top.deal),
                fast: format!("finished, {}", spoken(top.played)),
                exact: format!("{}, {}", verdict.status(), spoken(verdict.played)),
            });
        }
        let from = (top.deal != top.from).then(|| self.origin(&top.from, top.from_played));
        Ok(Find {
            found: Some(self.found(block, top.offset, from)),
            ..Find::of(deck, &top.deal, &verdict)
        })
    }

    /// Every find of a block's harvest, whatever was found before.
    pub fn all(&self, block: u64, harvest: &Harvest) -> Vec<Find> {
        let cycles = harvest.cycles.iter();
        let mut finds: Vec<Find> = cycles.flat_map(|met| self.of_cycle(block, met)).collect();
        let tops = harvest.tops.iter();
        finds.extend(tops.filter_map(|top| self.of_top(block, top).ok()));
        finds
    }

    /// The finds that board and cycles count and `finds` lack, made again by `find_again`, which
    /// gives the finds of some games of a block.
    ///
    /// # Errors
    /// Which tree or cycle is not met again.
    pub fn missing(
        &self,
        board: &Board,
        cycles: &Cycles,
        finds: &[Find],
        find_again: impl Fn(u64, &[u64]) -> Vec<Find> + Sync,
    ) -> Result<Vec<Find>, String> {
        let (loops, finished): (Vec<&Find>, Vec<&Find>) = finds.iter().partition(|f| f.is_loop());
        let tops: HashSet<BoardRank> = finished.iter().map(|find| find.standing()).collect();
        let mut deals: HashMap<&str, HashSet<&Deal>> = HashMap::new();
        for find in &loops {
            if let Some(cycle) = &find.cycle {
                deals.entry(cycle).or_default().insert(&find.deal);
            }
        }
        let lost = board.iter().filter(|(rank, _)| !tops.contains(*rank));
        let lost: Vec<(&BoardRank, Address)> = lost.collect();
        let mut wanted: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for &(_, (block, offset)) in &lost {
            wanted.entry(block).or_default().push(offset);
        }
        let cycles: Vec<(&str, Address)> = cycles.iter().collect();
        let lost_cycles: Vec<(&str, Address)> = cycles
            .into_par_iter()
            .filter(|(name, _)| {
                let known = deals.get(name).map_or(0, HashSet::len);
                known == 0 || self.deals_of(name) != Some(known)
            })
            .collect();
        for &(_, (block, offset)) in &lost_cycles {
            wanted.entry(block).or_default().push(offset);
        }
        let again: Vec<Find> = wanted
            .par_iter()
            .flat_map_iter(|(block, offsets)| find_again(*block, offsets))
            .collect();
        let mut made = Vec::new();
        for (rank, (block, offset)) in lost {
            let top = again.iter().find(|find| {
                !find.is_loop() && find.standing() == *rank && find.is_at(block, offset)
            });
            made.push(top.cloned().ok_or_else(|| {
                format!("game {offset} of block {block} does not lead to the tree that is counted")
            })?);
        }
        for (name, (block, offset)) in lost_cycles {
            let before = made.len();
            let of_cycle = again
                .iter()
                .filter(|find| find.cycle.as_deref() == Some(name) && find.is_at(block, offset));
            let known = deals.get(name);
            made.extend(
                of_cycle
                    .filter(|find| known.is_none_or(|known| !known.contains(&find.deal)))
                    .cloned(),
            );
            if made.len() == before {
                return Err(format!(
                    "game {offset} of block {block} does not enter the cycle {name}, which is counted"
                ));
            }
        }
        Ok(made)
    }

    /// How many deals enter the cycle of this name, if it is one.
    fn deals_of(&self, name: &str) -> Option<usize> {
        let deal = self.common.deck.reader().deal(name).ok()?;
        let verdict = exact::play(&deal);
        let Outcome::Loop { lead_in, .. } = verdict.outcome else {
            return None;
        };
        Some(self.cycle_of(&deal, lead_in).finds.len())
    }

    fn origin(&self, deal: &Deal, played: Span) -> Origin {
        Origin {
            deal: self.common.deck.write(deal),
            played,
        }
    }

    fn found(&self, block: u64, offset: u64, from: Option<Origin>) -> Found {
        Found {
            how: self.how.to_owned(),
            plan: self.plan.clone(),
            seed: Some(self.common.seed),
            block: Some(block),
            offset: Some(offset),
            from,
        }
    }

    /// Closes a finished game: the top of its tree, and whether all of the tree was seen.
    fn close(&self, deal: &Deal, played: Span) -> (Deal, Span, bool) {
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
        let deck = &self.common.deck;
        let (best, complete) = with_state!(deal, start => plain(climb(start, deck)))
            .expect("a plan has at most 63 cards");
        match best {
            Some((top, top_played)) if top_played.cards >= played.cards => {
                (top, top_played, complete)
            }
            // Where the bound was hit, the deal itself may not have been met.
            _ => (deal.clone(), played, complete),
        }
    }

    /// Everything about the cycle that a loop ends in.
    fn cycle_of(&self, deal: &Deal, lead_in: Span) -> Arc<Reaped> {
        with_state!(deal, start => self.close_cycle(start, lead_in))
            .expect("a plan has at most 63 cards")
    }

    fn close_cycle<K: Kinds>(&self, start: State<K>, lead_in: Span) -> Arc<Reaped> {
        let deck = &self.common.deck;
        let round = cycle::Cycle::after(start, lead_in.tricks);
        let name = results::cycle_name(deck, &round);
        let known = || self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cycle) = known().get(&name) {
            return Arc::clone(cycle);
        }
        let hands = deck.hands().map(|cards| cards as u32);
        let mut deals = Vec::new();
        let walk = closure::walk_cycle(&round, BOUND, |entry| {
            if [entry.start.leader.len(), entry.start.other.len()] == hands {
                deals.push(entry.start.deal());
            }
        });
        let mut finds: Vec<Find> = deals.iter().map(|deal| Find::proved(deck, deal)).collect();
        finds.sort_by(Find::rank);
        for find in &mut finds {
            find.cycle = Some(name.clone());
        }
        let cycle = Arc::new(Reaped {
            name: name.clone(),
            finds,
            complete: walk.complete,
        });
        let mut known = known();
        if known.len() < self.common.keep_cycles {
            known.insert(name, Arc::clone(&cycle));
        }
        cycle
    }
}
