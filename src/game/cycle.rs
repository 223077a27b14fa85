//! Cycles: the states an infinite game goes round for ever.
//!
//! States are written leader first, which takes the swap of the players out: a cycle is a set of
//! such states, each leading to the next, and its name is the least of them. A game whose players
//! have changed places when a state comes back needs a second round until the deal itself comes
//! back, so its period is twice the number of states.

use super::exact::Game;
use super::packed::{Kinds, State};
use super::verdict::Span;

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
        if state.leader.is_empty() || state.other.is_empty() {
            return None;
        }
        // Brent's method: the state of some trick is kept, each kept one for twice as many tricks
        // as the one before, until it comes back.
        let mut kept = state;
        let mut left = cap;
        let mut keep_for = 64;
        loop {
            match Cycle::round(kept, keep_for.min(left)) {
                RoundEnd::Closed(cycle) => return Some(cycle),
                RoundEnd::Over => return None,
                RoundEnd::Open(_) if keep_for >= left => return None,
                RoundEnd::Open(at) => kept = at,
            }
            left -= keep_for;
            keep_for *= 2;
        }
    }

    /// The cycle that a game from `start` is on after `lead_in` tricks.
    ///
    /// # Panics
    /// If it is on none by then.
    pub fn after(start: State<K>, lead_in: u64) -> Cycle<K> {
        let states = std::iter::successors(Some(start), |state| {
            (!state.leader.is_empty() && !state.other.is_empty()).then(|| state.trick().after)
        });
        let mut states = states.skip(usize::try_from(lead_in).expect("tricks fit"));
        Cycle::through(states.next().expect("the game is not over yet"))
    }

    /// The cycle through `state`, which must lie on one.
    ///
    /// # Panics
    /// If it does not.
    pub fn through(state: State<K>) -> Cycle<K> {
        match Cycle::round(state, u32::MAX) {
            RoundEnd::Closed(cycle) => cycle,
            RoundEnd::Over | RoundEnd::Open(_) => {
                panic!("the game does not come back to the state")
            }
        }
    }

    /// The cycle whose name is `state`; `None` if it names none.
    pub fn named(state: State<K>) -> Option<Cycle<K>> {
        Cycle::entered_from(state, u32::MAX).filter(|cycle| cycle.name == state)
    }

    /// Plays on from `state` until it comes back, for at most `tricks` tricks.
    fn round(state: State<K>, tricks: u32) -> RoundEnd<K> {
        let mut cycle = Cycle {
            name: state,
            states: 0,
            cards: 0,
            swaps: false,
            imbalance: u32::MAX,
        };
        let mut at = state;
        while cycle.states < tricks {
            let trick = at.trick();
            if trick.over {
                return RoundEnd::Over;
            }
            cycle.states += 1;
            cycle.cards += trick.cards;
            cycle.swaps ^= !trick.leader_won;
            at = trick.after;
            let unequal = at.leader.len().abs_diff(at.other.len());
            cycle.imbalance = cycle.imbalance.min(unequal);
            cycle.name = cycle.name.min(at);
            if at == state {
                return RoundEnd::Closed(cycle);
            }
        }
        RoundEnd::Open(at)
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

/// The orbits of a cycle's cards.
///
/// After one round each place holds a card of the same kind as before, but not always the same
/// card: a card may have come to the place of another, that one to the place of a third, and so
/// on round to the first. Such cards make up an orbit, and all of them are of one kind. A change
/// of all cards of an orbit often leaves a cycle; a change of some of them hardly ever does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Orbits {
    cards: usize,
    /// How many cards each orbit has.
    sizes: Vec<u32>,
    /// The orbit of every card, state by state, the leader's cards first.
    of_cards: Vec<u8>,
    /// The places of every orbit's cards, state by state.
    marks: Vec<[u64; 2]>,
}

impl Orbits {
    /// The orbits of a cycle's cards, in the order of their first cards in the state that is the
    /// cycle's name.
    pub fn of<K: Kinds>(cycle: &Cycle<K>) -> Orbits {
        let mut game = Game::new(&cycle.name.deal());
        let cards = cycle.name.len() as usize;
        let states = cycle.states as usize;
        // Which card of the first state lies where, state by state; then which orbit.
        let mut of_cards = Vec::with_capacity(cards * (states + 1));
        let mut leaders = Vec::with_capacity(states + 1);
        for _ in 0..=states {
            let leader = game.turn();
            leaders.push(game.hand(leader).len());
            for player in [leader, leader.other()] {
                of_cards.extend(game.hand(player).map(|card| card as u8));
            }
            game.trick();
        }
        let after = of_cards.split_off(cards * states);
        let mut orbits = vec![u8::MAX; cards];
        let mut sizes = Vec::new();
        for first in 0..cards {
            let mut at = first;
            let mut size = 0;
            while orbits[at] == u8::MAX {
                orbits[at] = sizes.len() as u8;
                at = after[at].into();
                size += 1;
            }
            if size > 0 {
                sizes.push(size);
            }
        }
        let mut marks = vec![[0; 2]; states * sizes.len()];
        for (state, (of_cards, leaders)) in
            of_cards.chunks_exact_mut(cards).zip(leaders).enumerate()
        {
            let marks = &mut marks[state * sizes.len()..][..sizes.len()];
            let (leader, other) = of_cards.split_at_mut(leaders);
            for (hand, of_cards) in [leader, other].into_iter().enumerate() {
                for (at, card) in of_cards.iter_mut().enumerate() {
                    *card = orbits[usize::from(*card)];
                    marks[usize::from(*card)][hand] |= 1 << at;
                }
            }
        }
        Orbits {
            cards,
            sizes,
            of_cards,
            marks,
        }
    }

    /// How many cards each orbit has.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The orbit of card `card`, counted through the leader's hand and the other one, of state
    /// `state`: 0 is the cycle's name, 1 the state it leads to, and so on.
    #[inline]
    pub fn of_card(&self, state: usize, card: usize) -> usize {
        self.of_cards[state * self.cards + card].into()
    }

    /// The cards of orbit `orbit` in state `state`: bit `i` of a word is the card at place `i`
    /// from the top, the leader's hand first.
    #[inline]
    pub fn marks(&self, state: usize, orbit: usize) -> [u64; 2] {
        self.marks[state * self.sizes.len() + orbit]
    }
}

/// How it goes on from a state.
enum RoundEnd<K> {
    /// It comes back.
    Closed(Cycle<K>),
    /// The game ends first.
    Over,
    /// Neither so far; here the game is now.
    Open(State<K>),
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
            assert_eq!(Cycle::named(at), (at == cycle.name()).then_some(cycle));
        }
        assert_eq!(Cycle::named(state("J/-----------")), None);
    }

    #[test]
    fn a_game_that_ends_enters_none() {
        assert_eq!(Cycle::entered_from(state("2 A/3 4 5 6 7"), 100), None);
        assert_eq!(Cycle::entered_from(state("/J"), 100), None);
        assert_eq!(Cycle::entered_from(state("J/"), 100), None);
    }

    fn check_orbits<K: Kinds>(text: &str, sizes: &[u32]) {
        let start = State::<K>::of(&Reader::default().deal(text).unwrap()).unwrap();
        let cycle = Cycle::entered_from(start, 3000).unwrap();
        let orbits = Orbits::of(&cycle);
        let mut sorted = orbits.sizes().to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, sizes, "{text}");
        for (number, state) in cycle.iter().enumerate() {
            let hands = [state.leader, state.other];
            let mut seen = [0; 2];
            for (orbit, &size) in orbits.sizes().iter().enumerate() {
                let marks = orbits.marks(number, orbit);
                assert_eq!(marks[0].count_ones() + marks[1].count_ones(), size);
                let mut pays = Vec::new();
                for hand in 0..2 {
                    for at in (0..hands[hand].len()).filter(|at| marks[hand] >> at & 1 == 1) {
                        pays.push(hands[hand].pay_at(at));
                        let card = at + if hand == 0 { 0 } else { state.leader.len() };
                        assert_eq!(orbits.of_card(number, card as usize), orbit);
                    }
                    assert_eq!(seen[hand] & marks[hand], 0);
                    seen[hand] |= marks[hand];
                }
                assert!(pays.iter().all(|&pay| pay == pays[0]), "one kind an orbit");
            }
            assert_eq!(seen, hands.map(|hand| (1 << hand.len()) - 1));
        }
    }

    #[test]
    fn orbits_are_of_one_kind_and_hold_every_card_once() {
        let casella = "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA";
        let mut sizes = vec![1; 18];
        sizes.extend([3, 3, 3, 25]);
        check_orbits::<u64>(casella, &sizes);
        check_orbits::<u128>(casella, &sizes);
        // The players change places after one state: A's jack comes to B's place and back.
        check_orbits::<u64>("J--/-J-", &[2, 4]);
        check_orbits::<u64>("----J--Q--/--K-K-Q-J-", &[1, 2, 2, 2, 2, 2, 9]);
    }
}
