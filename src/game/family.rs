//! Families of cycles: what cycles have in common that differ in the kinds of their cards alone.
//!
//! A cycle may be one short round of tricks, gone through many times, that passes payment cards on
//! from place to place: it closes when every place holds a card of the same kind again. Which kinds
//! lie at those places often does not matter to the course of the tricks. So cycles are told apart
//! by the course of the shortest round: who wins each trick, and how many payment cards lie in its
//! pile.

use std::fmt;

use super::cycle::Cycle;
use super::packed::Kinds;

/// One trick of a round: how many payment cards lie in its pile, and whether the player who led won.
type Course = (u8, bool);

/// A family of cycles: the course of the tricks of its shortest round, begun where it reads least.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Family(Vec<Course>);

impl Family {
    /// The family of a cycle.
    pub fn of<K: Kinds>(cycle: &Cycle<K>) -> Family {
        let tricks: Vec<Course> = cycle
            .iter()
            .map(|state| {
                let trick = state.trick();
                let (cards, _) = trick.after.leader.words();
                let len = trick.after.leader.len();
                let pile = (cards ^ 1 << len) >> (len - trick.cards);
                (pile.count_ones() as u8, trick.leader_won)
            })
            .collect();
        let round = shortest_round(&tricks);
        Family(least_turn(round))
    }

    /// How many tricks the shortest round has.
    pub fn tricks(&self) -> usize {
        self.0.len()
    }
}

/// The tricks of the round, then a few letters and digits that tell families of as many tricks apart:
/// `13-5f0c93`.
impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hash = crc32fast::Hasher::new();
        for &(payment_cards, led) in &self.0 {
            hash.update(&[payment_cards, led.into()]);
        }
        write!(f, "{}-{:08x}", self.0.len(), hash.finalize())
    }
}

/// The shortest beginning that gives the whole when it is repeated.
fn shortest_round(tricks: &[Course]) -> &[Course] {
    let n = tricks.len();
    let rounds = (1..=n).filter(|length| n.is_multiple_of(*length));
    let mut repeats = rounds.filter(|&length| tricks[length..] == tricks[..n - length]);
    &tricks[..repeats.next().expect("the whole repeats itself once")]
}

/// The round begun at the trick from which it reads least.
fn least_turn(round: &[Course]) -> Vec<Course> {
    (0..round.len())
        .map(|at| [&round[at..], &round[..at]].concat())
        .min()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::Reader;
    use crate::game::packed::State;

    fn family(name: &str) -> Family {
        let state = State::<u64>::of(&Reader::default().deal(name).unwrap()).unwrap();
        Family::of(&Cycle::through(state))
    }

    #[test]
    fn a_round_may_be_gone_through_many_times_and_kinds_do_not_matter() {
        // Cycles of 156 and of 52 tricks that are rounds of 13.
        let long = family("--J-/J--K---Q----A-KA-KQ-KAQAQJ--------------------J-");
        let other = family("--J-/J--K---Q----A-KA-KQ-QAQAKJ--------------------J-");
        assert_eq!((long.tricks(), &long), (13, &other));
        assert_eq!(long.to_string().len(), "13-".len() + 8);
        let casella = family("--J-/Q----K---------Q----K---A-KQQJ--K---A----AAJ--J-");
        assert_eq!(casella.tricks(), 31);
        assert_ne!(casella, long);
    }

    #[test]
    fn the_family_does_not_depend_on_where_the_round_begins() {
        let round = [(3, true), (1, false), (2, true)];
        for at in 0..3 {
            let turned = [&round[at..], &round[..at]].concat();
            assert_eq!(least_turn(&turned), [(1, false), (2, true), (3, true)]);
            let twice = [turned.clone(), turned.clone()].concat();
            assert_eq!(shortest_round(&twice), turned);
        }
    }
}
