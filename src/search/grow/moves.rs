//! Changes of a state: cards put in, taken out, turned into another kind, moved.

use super::dice::Dice;
use crate::cards::KINDS;
use crate::game::packed::{Kinds, State};

/// Cards of each kind: plain, then those that pay 1, 2, 3, 4.
pub(super) type Counts = [u8; KINDS];

/// What compositions may be grown through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The composition wanted.
    pub(super) target: Counts,
    /// The most cards of each kind.
    pub(super) most: Counts,
    /// The most cards in all.
    pub(super) cards: u32,
}

/// The composition of a state.
pub(super) fn composition<K: Kinds>(state: State<K>) -> Counts {
    let mut counts = [0; KINDS];
    for hand in [state.leader, state.other] {
        let (cards, mut kinds) = hand.words();
        let payment = cards.count_ones() - 1;
        counts[0] += (hand.len() - payment) as u8;
        for _ in 0..payment {
            counts[kinds.first() as usize + 1] += 1;
            kinds = kinds >> 2;
        }
    }
    counts
}

/// How many cards must be put in or taken out to come from one composition to the other.
pub(super) fn distance(a: &Counts, b: &Counts) -> u32 {
    a.iter().zip(b).map(|(&a, &b)| u32::from(a.abs_diff(b))).sum()
}

fn pay_at<K: Kinds>(state: State<K>, at: u32) -> u8 {
    let first = state.leader.len();
    if at < first {
        state.leader.pay_at(at)
    } else {
        state.other.pay_at(at - first)
    }
}

fn removed<K: Kinds>(mut state: State<K>, at: u32) -> State<K> {
    let first = state.leader.len();
    if at < first {
        state.leader = state.leader.removed(at);
    } else {
        state.other = state.other.removed(at - first);
    }
    state
}

/// `at` counts the gaps of both hands: one more than cards in each.
fn inserted<K: Kinds>(mut state: State<K>, at: u32, pay: u8) -> State<K> {
    let first = state.leader.len();
    if at <= first {
        state.leader = state.leader.inserted(at, pay);
    } else {
        state.other = state.other.inserted(at - first - 1, pay);
    }
    state
}

/// One to three changes of `state`, whose composition is `counts`; `None` if what came out leaves
/// the limits or empties a hand.
pub(super) fn change<K: Kinds>(
    dice: &mut Dice,
    limits: &Limits,
    mut state: State<K>,
    mut counts: Counts,
) -> Option<State<K>> {
    let steps = 1 + dice.falling(3, 110);
    for _ in 0..steps {
        let missing: u32 = (0..KINDS)
            .map(|kind| u32::from(limits.target[kind].saturating_sub(counts[kind])))
            .sum();
        let cards = state.len();
        let which = dice.below(16);
        // Growing is wanted while cards are missing.
        let insert = if missing > 0 { 8 } else { 2 };
        if which < insert {
            let kind = wanted(dice, limits, &counts, missing);
            if cards >= limits.cards || counts[kind] >= limits.most[kind] {
                return None;
            }
            counts[kind] += 1;
            state = inserted(state, dice.below(cards + 2), kind as u8);
        } else if which < insert + 2 {
            let at = dice.below(cards);
            counts[usize::from(pay_at(state, at))] -= 1;
            state = removed(state, at);
            if state.is_empty() {
                return None;
            }
        } else if which < insert + 5 {
            let at = dice.below(cards);
            let kind = wanted(dice, limits, &counts, missing);
            let old = usize::from(pay_at(state, at));
            if old == kind {
                continue;
            }
            counts[old] -= 1;
            counts[kind] += 1;
            if counts[kind] > limits.most[kind] {
                return None;
            }
            let first = state.leader.len();
            if at < first {
                state.leader = state.leader.turned(at, kind as u8);
            } else {
                state.other = state.other.turned(at - first, kind as u8);
            }
        } else {
            let at = dice.below(cards);
            let pay = pay_at(state, at);
            let without = removed(state, at);
            state = inserted(without, dice.below(cards + 1), pay);
        }
    }
    (!state.leader.is_empty() && !state.other.is_empty()).then_some(state)
}

/// A kind still missing, mostly; any kind otherwise.
fn wanted(dice: &mut Dice, limits: &Limits, counts: &Counts, missing: u32) -> usize {
    if missing > 0 && !dice.chance(40) {
        let mut n = dice.below(missing);
        for kind in 0..KINDS {
            let here = u32::from(limits.target[kind].saturating_sub(counts[kind]));
            if n < here {
                return kind;
            }
            n -= here;
        }
    }
    // In the target's proportions, but at least half of the time a payment card.
    let from = u32::from(dice.chance(128));
    let total: u32 = limits.target[from as usize..].iter().map(|&n| u32::from(n)).sum();
    if total == 0 {
        return 0;
    }
    let mut n = dice.below(total);
    for kind in from as usize..KINDS {
        let here = u32::from(limits.target[kind]);
        if n < here {
            return kind;
        }
        n -= here;
    }
    0
}

/// A random state of some of the target's cards, as many as `cards`.
pub(super) fn random<K: Kinds>(dice: &mut Dice, limits: &Limits, cards: u32) -> Option<State<K>> {
    let mut left = limits.target;
    let mut state = State {
        leader: crate::game::packed::Hand::empty(),
        other: crate::game::packed::Hand::empty(),
    };
    for _ in 0..cards {
        let total: u32 = left.iter().map(|&n| u32::from(n)).sum();
        if total == 0 {
            break;
        }
        let mut n = dice.below(total);
        let mut kind = 0;
        while n >= u32::from(left[kind]) {
            n -= u32::from(left[kind]);
            kind += 1;
        }
        left[kind] -= 1;
        // Under either hand: the order drawn is a random order already.
        let hand = if dice.chance(128) { &mut state.leader } else { &mut state.other };
        *hand = hand.inserted(hand.len(), kind as u8);
    }
    (!state.leader.is_empty() && !state.other.is_empty()).then_some(state)
}
