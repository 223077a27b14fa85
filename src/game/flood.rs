//! Flooding: from known cycles to all that differ from them by exchanges of two cards.
//!
//! A cycle often survives an exchange of two cards of different kinds in one of its states. So every
//! exchange is made in every state of every cycle, what still goes on for ever is a cycle too, and its
//! states are taken in turn, until nothing new comes. The deck stays the same all along.

use std::sync::atomic::{AtomicBool, Ordering};

use ahash::AHashSet;

use super::cycle::Cycle;
use super::lanes::{self, Kernel};
use super::packed::{Hand, Kinds, State};

/// Tricks after which a game that is not over may be one that goes on for ever. Changed states that
/// do not cycle end by the ordinary law, nearly all of them sooner.
const EARLY: u32 = 220;

/// Gives `visit` every state that comes from `state` when two cards of different kinds change places:
/// 672 of them for a state of the standard deck.
pub fn exchanges<K: Kinds>(state: State<K>, mut visit: impl FnMut(State<K>)) {
    let hands = [state.leader, state.other];
    let places: Vec<(usize, u32, u8)> = (0..2)
        .flat_map(|hand| (0..hands[hand].len()).map(move |at| (hand, at, hands[hand].pay_at(at))))
        .collect();
    for (n, &(hand, at, pay)) in places.iter().enumerate() {
        for &(other_hand, other_at, other_pay) in &places[n + 1..] {
            if pay == other_pay {
                continue;
            }
            let mut changed: [Hand<K>; 2] = hands;
            // The lesser number of payment cards first: a word of kinds may be full.
            let mut turns = [(hand, at, other_pay), (other_hand, other_at, pay)];
            turns.sort_unstable_by_key(|&(.., pay)| pay);
            for (hand, at, pay) in turns {
                changed[hand] = changed[hand].turned(at, pay);
            }
            visit(State {
                leader: changed[0],
                other: changed[1],
            });
        }
    }
}

/// The cycles that an exchange in some state of `cycle` leads to, `cycle` itself left out: each once, in
/// the order of their names. `None` if it left because `quit` was set.
///
/// A game is given up after `cap` tricks.
///
/// # Panics
/// If this machine cannot run `kernel`.
pub fn neighbours<K: Kinds>(
    kernel: Kernel,
    cycle: &Cycle<K>,
    cap: u32,
    quit: &AtomicBool,
) -> Option<Vec<Cycle<K>>> {
    let mut met: AHashSet<State<K>> = AHashSet::from([cycle.name()]);
    // Many changed states lead into the same cycle: its states tell so before it is measured again.
    let mut states: AHashSet<State<K>> = cycle.iter().collect();
    let (mut found, mut changed, mut left) = (Vec::new(), Vec::new(), Vec::new());
    for state in cycle.iter() {
        if quit.load(Ordering::Relaxed) {
            return None;
        }
        changed.clear();
        exchanges(state, |state| changed.push(state));
        left.clear();
        lanes::survivors(kernel, &changed, EARLY.min(cap), &mut |at| left.push(at));
        for &at in &left {
            if let Some(cycle) = entered(changed[at], cap, &states)
                && met.insert(cycle.name())
            {
                states.extend(cycle.iter());
                found.push(cycle);
            }
        }
    }
    // The order in which games come out depends on the kernel.
    found.sort_unstable_by_key(Cycle::name);
    Some(found)
}

/// Every cycle that repeated exchanges reach from `seeds`, without them, in the order of their names.
/// `None` if it left because `quit` was set.
///
/// # Panics
/// As [`neighbours`].
pub fn flood<K: Kinds>(
    kernel: Kernel,
    seeds: &[Cycle<K>],
    cap: u32,
    quit: &AtomicBool,
) -> Option<Vec<Cycle<K>>> {
    let mut met: AHashSet<State<K>> = seeds.iter().map(Cycle::name).collect();
    let mut waiting = seeds.to_vec();
    let mut found = Vec::new();
    while let Some(cycle) = waiting.pop() {
        for near in neighbours(kernel, &cycle, cap, quit)? {
            if met.insert(near.name()) {
                found.push(near);
                waiting.push(near);
            }
        }
    }
    found.sort_unstable_by_key(Cycle::name);
    Some(found)
}

/// The cycle that a game enters, unless one of the states that were met comes first.
fn entered<K: Kinds>(state: State<K>, cap: u32, met: &AHashSet<State<K>>) -> Option<Cycle<K>> {
    let mut at = state;
    for _ in 0..EARLY.min(cap) {
        if met.contains(&at) {
            return None;
        }
        let trick = at.trick();
        if trick.over {
            return None;
        }
        at = trick.after;
    }
    Cycle::entered_from(at, cap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::{Deal, Reader};
    use crate::game::exact;
    use crate::game::packed::State;

    fn state(text: &str) -> State<u64> {
        State::of(&Reader::default().deal(text).unwrap()).unwrap()
    }

    #[test]
    fn exchanges_keep_the_deck_and_come_in_all_pairs() {
        let casella = state("---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA");
        let mut all = Vec::new();
        exchanges(casella, |state| all.push(state.deal().to_string()));
        assert_eq!(all.len(), 16 * 36 + 6 * 16);
        let sorted = |text: &str| {
            let mut cards: Vec<char> = text.chars().collect();
            cards.sort_unstable();
            cards
        };
        let deck = sorted(&casella.deal().to_string());
        assert!(all.iter().all(|text| sorted(text) == deck));
        let different = |text: &String| {
            let before = casella.deal().to_string();
            text.chars()
                .zip(before.chars())
                .filter(|(a, b)| a != b)
                .count()
        };
        assert!(all.iter().all(|text| different(text) == 2));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 672);
    }

    #[test]
    fn every_cycle_within_reach_of_a_small_deck_is_found_and_no_more() {
        // Brute force: every state of eight plain cards and four jacks, judged by the exact engine.
        let deck = "--------JJJJ";
        let seed = (0..1_000u64)
            .filter_map(|n| {
                // Some arrangement of the deck that goes on for ever.
                let mut cards: Vec<char> = deck.chars().collect();
                let mut chance = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
                for at in (1..cards.len()).rev() {
                    chance ^= chance << 13;
                    chance ^= chance >> 7;
                    chance ^= chance << 17;
                    cards.swap(at, (chance % (at as u64 + 1)) as usize);
                }
                let text: String = cards.into_iter().collect();
                let start = state(&format!("{}/{}", &text[..6], &text[6..]));
                Cycle::entered_from(start, 600)
            })
            .next()
            .expect("one in some dozens goes on for ever");
        let quit = AtomicBool::new(false);
        let found = flood(Kernel::Scalar, &[seed], 600, &quit).unwrap();
        let mut names: Vec<State<u64>> = found.iter().map(Cycle::name).collect();
        names.push(seed.name());
        // Nothing but cycles, each once.
        for name in &names {
            let deal: Deal = name.deal();
            assert!(exact::play(&deal).is_loop());
        }
        let before = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), before);
        // Closed: an exchange in any state of any of them leads to one of them.
        for name in &names {
            for at in Cycle::through(*name).iter() {
                exchanges(at, |changed| {
                    if let Some(cycle) = Cycle::entered_from(changed, 600) {
                        assert!(names.binary_search(&cycle.name()).is_ok());
                    }
                });
            }
        }
    }

    #[test]
    fn a_flood_that_is_told_to_leave_leaves() {
        let casella = state("---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA");
        let cycle = Cycle::entered_from(casella, 3000).unwrap();
        let quit = AtomicBool::new(true);
        assert_eq!(flood(Kernel::Scalar, &[cycle], 3000, &quit), None);
    }
}
