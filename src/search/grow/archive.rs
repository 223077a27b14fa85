//! The best and the different: cells of cycles by composition and imbalance.

use ahash::AHashMap;

use super::dice::Dice;
use super::moves::{Counts, composition, distance};
use crate::game::cycle::Cycle;
use crate::game::packed::{Kinds, State};

/// A cycle kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elite<K> {
    pub(super) name: State<K>,
    pub(super) states: u32,
}

#[derive(Clone, Debug)]
struct Cell<K> {
    counts: Counts,
    class: u32,
    elites: Vec<Elite<K>>,
}

/// How elites are kept and chosen.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Elites a cell.
    pub cell: usize,
    /// How much rarer each next imbalance class is chosen, in 256.
    pub class: u32,
    /// How much rarer each next distance is chosen, in 256.
    pub near: u32,
    /// How often a full cell takes a new cycle, in 256.
    pub replace: u32,
    /// Candidates a choice.
    pub batch: u32,
    pub mode: u32,
    pub key: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Archive<K> {
    target: Counts,
    cells: Vec<Cell<K>>,
    places: AHashMap<(Counts, u32, u32), usize>,
    /// Cells by class, then by distance from the target.
    ladder: Vec<Vec<Vec<usize>>>,
}

impl<K: Kinds> Archive<K> {
    pub(super) fn new(target: Counts) -> Archive<K> {
        Archive {
            target,
            cells: Vec::new(),
            places: AHashMap::new(),
            ladder: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.cells.iter().map(|cell| cell.elites.len()).sum()
    }

    /// Takes a cycle in; whether it was taken.
    pub(super) fn offer(&mut self, dice: &mut Dice, tuning: &Tuning, cycle: &Cycle<K>, class: u32) -> bool {
        let counts = composition(cycle.name());
        let elite = Elite {
            name: cycle.name(),
            states: cycle.states(),
        };
        let far = distance(&counts, &self.target);
        let key = match tuning.key { 0 => (counts, class, 0), 1 => ([far as u8,0,0,0,0], class, cycle.period().cards as u32), 2 => ([far as u8,0,0,0,0], class, super::shape_any(cycle) as u32), _ => (counts, class, cycle.states()) };
        let at = match self.places.get(&key) {
            Some(&at) => at,
            None => {
                let at = self.cells.len();
                self.cells.push(Cell {
                    counts,
                    class,
                    elites: Vec::new(),
                });
                self.places.insert(key, at);
                let far = far as usize;
                let class = class as usize;
                if self.ladder.len() <= class {
                    self.ladder.resize(class + 1, Vec::new());
                }
                if self.ladder[class].len() <= far {
                    self.ladder[class].resize(far + 1, Vec::new());
                }
                self.ladder[class][far].push(at);
                at
            }
        };
        let elites = &mut self.cells[at].elites;
        if elites.iter().any(|known| known.name == elite.name) {
            return false;
        }
        if elites.len() < tuning.cell {
            elites.push(elite);
        } else if dice.chance(tuning.replace) {
            let n = dice.below(elites.len() as u32) as usize;
            elites[n] = elite;
        } else {
            return false;
        }
        true
    }

    /// An elite to change, with its composition.
    pub(super) fn choose(&self, dice: &mut Dice, tuning: &Tuning) -> Option<(Elite<K>, Counts)> {
        if tuning.mode == 1 {
            // by total score: distance + class
            let max = self.ladder.iter().enumerate().filter_map(|(c,l)| (0..l.len()).find(|&d|!l[d].is_empty()).map(|d|c+d)).min()?;
            loop {
                let s = max as u32 + dice.falling(40, tuning.near);
                let c = dice.below(s + 1) as usize; let d = s as usize - c;
                let Some(l) = self.ladder.get(c).and_then(|l| l.get(d)) else {continue};
                if l.is_empty() {continue}
                let cell=&self.cells[l[dice.below(l.len() as u32) as usize]];
                let elite = cell.elites[dice.below(cell.elites.len() as u32) as usize];
                return Some((elite, composition(elite.name)));
            }
        }
        let classes: Vec<&Vec<Vec<usize>>> =
            self.ladder.iter().filter(|class| !class.is_empty()).collect();
        if classes.is_empty() {
            return None;
        }
        let class = classes[dice.falling(classes.len() as u32, tuning.class) as usize];
        let rungs: Vec<&Vec<usize>> = class.iter().filter(|rung| !rung.is_empty()).collect();
        let rung = rungs[dice.falling(rungs.len() as u32, tuning.near) as usize];
        let cell = &self.cells[rung[dice.below(rung.len() as u32) as usize]];
        let elite = cell.elites[dice.below(cell.elites.len() as u32) as usize];
        Some((elite, composition(elite.name)))
    }

    /// For each class with cells: the class, the least distance, and how many elites are there.
    pub(super) fn front(&self) -> Vec<(u32, u32, usize)> {
        self.ladder
            .iter()
            .enumerate()
            .filter_map(|(class, rungs)| {
                let far = rungs.iter().position(|rung| !rung.is_empty())?;
                let elites = rungs[far].iter().map(|&at| self.cells[at].elites.len()).sum();
                Some((class as u32, far as u32, elites))
            })
            .collect()
    }
}
