//! The best and the different: cycles kept while others are grown from them.
//!
//! A rung holds cycles of one class (how far from wanted hand sizes the cycle stays, in steps of
//! two cards) and one distance from the wanted composition. Within a rung, cycles of different
//! periods do not compete: most small changes of a cycle leave its period alone, so a few cycles
//! of each period stand for all.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::dice::Dice;
use crate::game::packed::{Hand, Kinds, State};

/// Cycles kept of one period in a rung.
const NICHE: usize = 8;
/// Periods kept in a rung.
const NICHES: usize = 256;
/// How often a full rung takes a new period in the place of another, in 256.
const REPLACE: u32 = 128;
/// How often a cycle is changed before a newcomer takes its place in a full niche.
const WORN: u32 = 16;
/// Cycles drawn for one choice: the one that was changed least is taken.
const DRAWN: u32 = 4;
/// How much rarer each next class is chosen, and each next distance, in 256.
const NEXT: u32 = 180;

/// A cycle kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Elite<K> {
    /// One of its states.
    pub(super) name: State<K>,
    /// How often it was chosen to be changed.
    pub(super) chosen: u32,
}

impl<K: Kinds> Serialize for Elite<K> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (
            self.name.leader.words(),
            self.name.other.words(),
            self.chosen,
        )
            .serialize(to)
    }
}

impl<'de, K: Kinds> Deserialize<'de> for Elite<K> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Elite<K>, D::Error> {
        type HandWords<K> = (u64, K);
        let (leader, other, chosen): (HandWords<K>, HandWords<K>, u32) =
            Deserialize::deserialize(from)?;
        let words = [leader, other];
        if words.iter().any(|&(cards, _)| cards < 2) {
            return Err(de::Error::custom("a hand of a cycle is empty"));
        }
        let [leader, other] = words.map(|(cards, kinds)| Hand::from_words(cards, kinds));
        Ok(Elite {
            name: State { leader, other },
            chosen,
        })
    }
}

/// Where a cycle belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Niche {
    /// How unequal its hands stay, in steps of two cards.
    pub(super) class: u8,
    /// Cards too many or too few.
    pub(super) far: u8,
    /// Cards of its period.
    pub(super) period: u64,
}

/// Cycles by class, by distance from the wanted composition, and by period.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Archive<K: Kinds> {
    classes: BTreeMap<u8, BTreeMap<u8, Rung<K>>>,
}

type Rung<K> = BTreeMap<u64, Vec<Elite<K>>>;

impl<K: Kinds> Default for Archive<K> {
    fn default() -> Archive<K> {
        Archive {
            classes: BTreeMap::new(),
        }
    }
}

impl<K: Kinds> Archive<K> {
    pub(super) fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// How many cycles are kept.
    pub(super) fn len(&self) -> usize {
        let rungs = self.classes.values().flat_map(BTreeMap::values);
        rungs.flat_map(BTreeMap::values).map(Vec::len).sum()
    }

    /// Takes a cycle in, if there is room or chance makes some.
    pub(super) fn offer(&mut self, dice: &mut Dice, place: Niche, elite: Elite<K>) {
        let rung = self
            .classes
            .entry(place.class)
            .or_default()
            .entry(place.far)
            .or_default();
        if let Some(niche) = rung.get_mut(&place.period) {
            if niche.iter().any(|known| known.name == elite.name) {
                return;
            }
            if niche.len() < NICHE {
                niche.push(elite);
                return;
            }
            let worn = niche.iter_mut().max_by_key(|known| known.chosen);
            let worn = worn.expect("a niche is not empty");
            if worn.chosen >= WORN {
                *worn = elite;
            }
            return;
        }
        if rung.len() >= NICHES {
            if !dice.chance(REPLACE) {
                return;
            }
            let out = *nth(rung.keys(), dice, rung.len());
            rung.remove(&out);
        }
        rung.insert(place.period, vec![elite]);
    }

    /// A cycle to change, and where it is: of some drawn, the one that was chosen least.
    pub(super) fn choose(&self, dice: &mut Dice) -> Option<(Niche, Elite<K>)> {
        if self.is_empty() {
            return None;
        }
        let drawn = (0..DRAWN).map(|_| self.draw(dice));
        drawn.min_by_key(|(_, elite)| elite.chosen)
    }

    /// First a class, small ones more often, then a distance in it, near ones more often, then any
    /// period and any cycle.
    fn draw(&self, dice: &mut Dice) -> (Niche, Elite<K>) {
        let class = dice.falling(self.classes.len() as u32, NEXT) as usize;
        let (&class, rungs) = self.classes.iter().nth(class).expect("below the length");
        let rung = dice.falling(rungs.len() as u32, NEXT) as usize;
        let (&far, rung) = rungs.iter().nth(rung).expect("below the length");
        let (&period, niche) = nth(rung.iter(), dice, rung.len());
        let elite = niche[dice.below(niche.len() as u32) as usize];
        (Niche { class, far, period }, elite)
    }

    /// Notes that a cycle was chosen.
    pub(super) fn wear(&mut self, place: Niche, name: State<K>) {
        let rung = self
            .classes
            .get_mut(&place.class)
            .and_then(|rungs| rungs.get_mut(&place.far));
        let niche = rung.and_then(|rung| rung.get_mut(&place.period));
        let elite = niche.and_then(|niche| niche.iter_mut().find(|elite| elite.name == name));
        if let Some(elite) = elite {
            elite.chosen += 1;
        }
    }

    /// Offers everything of another archive.
    pub(super) fn absorb(&mut self, dice: &mut Dice, other: Archive<K>) {
        for (class, rungs) in other.classes {
            for (far, rung) in rungs {
                for (period, elites) in rung {
                    for elite in elites {
                        self.offer(dice, Niche { class, far, period }, elite);
                    }
                }
            }
        }
    }

    /// For each class: the class, the least distance in it, and how many cycles are kept there.
    pub(super) fn front(&self) -> impl Iterator<Item = (u8, u8, usize)> + '_ {
        self.classes.iter().filter_map(|(&class, rungs)| {
            let (&far, rung) = rungs.first_key_value()?;
            Some((class, far, rung.values().map(Vec::len).sum()))
        })
    }
}

/// Any of `n` items.
fn nth<T>(mut items: impl Iterator<Item = T>, dice: &mut Dice, n: usize) -> T {
    items
        .nth(dice.below(n as u32) as usize)
        .expect("there are n items")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::Reader;

    fn elite(text: &str) -> Elite<u64> {
        Elite {
            name: State::of(&Reader::default().deal(text).unwrap()).unwrap(),
            chosen: 0,
        }
    }

    #[test]
    fn rungs_and_niches_are_bounded_and_hold_no_cycle_twice() {
        let mut dice = Dice::of(1, 1);
        let mut archive = Archive::default();
        for n in 0..20_000u64 {
            let place = Niche {
                class: (n % 2) as u8,
                far: 3,
                period: n % 600,
            };
            let deal = format!("{}/J", "-".repeat(1 + (n / 600) as usize));
            archive.offer(&mut dice, place, elite(&deal));
            archive.offer(&mut dice, place, elite(&deal));
        }
        assert!(archive.len() <= 2 * NICHES * NICHE && archive.len() > NICHES);
        for rung in archive.classes.values().flat_map(BTreeMap::values) {
            assert!(rung.len() <= NICHES);
            for niche in rung.values() {
                for (at, one) in niche.iter().enumerate() {
                    assert!(!niche[..at].contains(one));
                }
            }
        }
        let mut copy = Archive::default();
        copy.absorb(&mut dice, archive.clone());
        assert_eq!(copy, archive);
    }

    #[test]
    fn small_classes_and_near_compositions_are_chosen_more_often() {
        let mut dice = Dice::of(1, 2);
        let mut archive = Archive::default();
        assert_eq!(archive.choose(&mut dice), None);
        let near = elite("J/Q");
        for (class, far, deal) in [(2, 1, "J/Q"), (2, 4, "J/K"), (5, 0, "J/A")] {
            let place = Niche {
                class,
                far,
                period: 7,
            };
            archive.offer(&mut dice, place, elite(deal));
        }
        let times = |wanted| {
            let mut dice = Dice::of(1, 3);
            let drawn = std::iter::repeat_with(|| archive.choose(&mut dice).unwrap().1);
            drawn.take(10_000).filter(|&drawn| drawn == wanted).count()
        };
        let often = [near, elite("J/K"), elite("J/A")].map(times);
        assert!(often[0] > often[1] && often[1] > 1000 && often[2] > 1000);
        assert_eq!(often.iter().sum::<usize>(), 10_000);
        assert_eq!(archive.front().collect::<Vec<_>>(), [(2, 1, 1), (5, 0, 1)]);
    }
}
