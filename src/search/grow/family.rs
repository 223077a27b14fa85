//! The family of a cycle: what small changes make of it without touching how its tricks go.
//!
//! Many payment cards never see their debt paid, so another kind serves as well; some runs of
//! plain cards lie inside debts all along, and may be longer or shorter. Each such change alone
//! leads to another composition; several together lead back to the wanted one.

use std::collections::VecDeque;

use ahash::AHashSet;

use super::Word;
use super::moves::{Counts, composition, distance};
use crate::game::cycle::Cycle;
use crate::game::packed::{MAX_CARDS, State};

/// Members of the wanted composition that can be reached from `cycle` through compositions at most
/// `far` cards away, looked for among `bound` members, nearest changes first.
pub(super) fn members<K: Word>(
    cycle: &Cycle<K>,
    target: &Counts,
    far: u32,
    bound: usize,
) -> Vec<Cycle<K>> {
    let mut members = Vec::new();
    let mut seen = AHashSet::from([cycle.name()]);
    let mut open = VecDeque::from([cycle.name()]);
    while let Some(state) = open.pop_front() {
        changes(state, |changed| {
            if seen.len() < bound
                && distance(&composition(changed), target) <= far
                && !seen.contains(&changed)
                && returns(changed, cycle.states())
            {
                seen.insert(changed);
                open.push_back(changed);
                if composition(changed) == *target {
                    members.push(Cycle::through(changed));
                }
            }
        });
    }
    members
}

/// Whether the game comes back to `state` after `tricks` tricks and not before.
fn returns<K: Word>(state: State<K>, tricks: u32) -> bool {
    let mut at = state;
    for n in 1..=tricks {
        let trick = at.trick();
        if trick.over {
            return false;
        }
        at = trick.after;
        if at == state {
            return n == tricks;
        }
    }
    false
}

/// Every state with one plain card more or less in a run, or one payment card of another kind.
fn changes<K: Word>(state: State<K>, mut visit: impl FnMut(State<K>)) {
    for leads in [true, false] {
        let hand = if leads { state.leader } else { state.other };
        let mut put = |hand| {
            visit(if leads {
                State {
                    leader: hand,
                    ..state
                }
            } else {
                State {
                    other: hand,
                    ..state
                }
            });
        };
        let len = hand.len();
        let mut run = 0;
        for at in 0..=len {
            let pay = if at < len { hand.pay_at(at) } else { 0 };
            if at < len && pay == 0 {
                run += 1;
                continue;
            }
            // The end of a run, perhaps an empty one.
            if (state.len() as usize) < MAX_CARDS {
                put(hand.inserted(at, 0));
            }
            if run > 0 && len > 1 {
                put(hand.removed(at - 1));
            }
            run = 0;
            for kind in 1..5 {
                if at < len && kind != pay {
                    put(hand.turned(at, kind));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::Reader;

    #[test]
    fn a_family_in_the_standard_deck() {
        let deal = "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA";
        let start: State = State::of(&Reader::default().deal(deal).unwrap()).unwrap();
        let cycle = Cycle::entered_from(start, 1000).unwrap();
        let members = members(&cycle, &[36, 4, 4, 4, 4], 4, 2000);
        for member in &members {
            assert_eq!(member.period(), cycle.period());
        }
        panic!("{:?}", members.iter().map(|m|m.name().deal().to_string()).collect::<Vec<_>>());
    }
}
