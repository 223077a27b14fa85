//! Cycles: the states an infinite game goes round for ever.
//!
//! States are written leader first, which takes the swap of the players out: a cycle is a set of
//! such states, each leading to the next, and its name is the least of them. A game whose players
//! have changed places when a state comes back needs a second round until the deal itself comes
//! back, so its period is twice the number of states.

use super::Span;
use super::packed::{Kinds, State};

/// A cycle of packed states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cycle<K = u64> {
    name: State<K>,
    states: u32,
    cards: u32,
    swaps: bool,
    imbalance: u32,
}

impl<K: Kinds> Cycle<K> {
    /// The cycle that a game enters when it is played on from `state`, looked for in at most
    /// `cap` tricks; `None` if the game ends or the cap is reached.
    ///
    /// A cycle of `n` states that begins within `n` tricks is found if `cap` is at least `6 n`.
    pub fn entered_from(state: State<K>, cap: u32) -> Option<Cycle<K>> {
        recurring(state, cap).map(Cycle::through)
    }

    /// The cycle through `state`, which must lie on one.
    ///
    /// # Panics
    /// If the game ends; if it goes on without coming back, this never returns.
    pub fn through(state: State<K>) -> Cycle<K> {
        let mut cycle = Cycle {
            name: state,
            states: 0,
            cards: 0,
            swaps: false,
            imbalance: u32::MAX,
        };
        let mut at = state;
        loop {
            let trick = at.trick();
            assert!(!trick.over, "a cycle's game does not end");
            cycle.states += 1;
            cycle.cards += trick.cards;
            cycle.swaps ^= !trick.leader_won;
            cycle.imbalance = cycle
                .imbalance
                .min(at.leader.len().abs_diff(at.other.len()));
            at = trick.after;
            cycle.name = cycle.name.min(at);
            if at == state {
                return cycle;
            }
        }
    }

    /// The least of its states.
    pub fn name(&self) -> State<K> {
        self.name
    }

    /// How many states it has.
    pub fn states(&self) -> u32 {
        self.states
    }

    /// Whether the players have changed places after one round.
    pub fn swaps(&self) -> bool {
        self.swaps
    }

    /// What is played until both players hold their cards again.
    pub fn period(&self) -> Span {
        let rounds = 1 + u64::from(self.swaps);
        Span {
            cards: rounds * u64::from(self.cards),
            tricks: rounds * u64::from(self.states),
        }
    }

    /// The least difference of hand sizes over its states.
    pub fn imbalance(&self) -> u32 {
        self.imbalance
    }

    /// Its states in the order of play, the name first.
    pub fn iter(&self) -> impl Iterator<Item = State<K>> + use<K> {
        let name = self.name;
        std::iter::successors(Some(name), move |at| {
            Some(at.trick().after).filter(|&next| next != name)
        })
    }
}

/// A state on the cycle that the game from `state` enters (Brent's method): the state of some
/// trick is kept, each kept one for twice as many tricks as the one before.
fn recurring<K: Kinds>(state: State<K>, cap: u32) -> Option<State<K>> {
    if state.leader.is_empty() || state.other.is_empty() {
        return None;
    }
    let (mut at, mut kept) = (state, state);
    let mut left = cap;
    let mut keep_for = 64;
    loop {
        for _ in 0..keep_for {
            if left == 0 {
                return None;
            }
            left -= 1;
            let trick = at.trick();
            if trick.over {
                return None;
            }
            at = trick.after;
            if at == kept {
                return Some(at);
            }
        }
        kept = at;
        keep_for *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::Reader;

    fn state(text: &str) -> State {
        State::of(&Reader::default().deal(text).unwrap()).unwrap()
    }

    #[test]
    fn casellas_cycle() {
        let cycle = Cycle::entered_from(
            state("---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA"),
            3000,
        )
        .unwrap();
        let period = cycle.period();
        assert_eq!((period.cards, period.tricks), (440, 62));
        assert_eq!(cycle.imbalance(), 8);
        assert_eq!(cycle.iter().count(), cycle.states() as usize);
        assert_eq!(cycle.iter().min(), Some(cycle.name()));
        for at in cycle.iter() {
            assert_eq!(Cycle::through(at), cycle);
        }
    }

    #[test]
    fn a_game_that_ends_enters_none() {
        assert_eq!(Cycle::entered_from(state("2 A/3 4 5 6 7"), 100), None);
        assert_eq!(Cycle::entered_from(state("/J"), 100), None);
        assert_eq!(Cycle::entered_from(state("J/"), 100), None);
    }
}
