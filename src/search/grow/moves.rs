//! Changes of a state: cards put in, taken out, turned into another kind, moved.

use std::ops::RangeInclusive;

use super::dice::Dice;
use crate::cards::KINDS;
use crate::game::packed::{Hand, Kinds, State};

/// How often another change follows, in 256.
const ANOTHER: u32 = 110;

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
    a.iter()
        .zip(b)
        .map(|(&a, &b)| u32::from(a.abs_diff(b)))
        .sum()
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

fn turned<K: Kinds>(mut state: State<K>, at: u32, pay: u8) -> State<K> {
    let first = state.leader.len();
    if at < first {
        state.leader = state.leader.turned(at, pay);
    } else {
        state.other = state.other.turned(at - first, pay);
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
    for _ in 0..=dice.falling(3, ANOTHER) {
        let missing: Counts =
            std::array::from_fn(|kind| limits.target[kind].saturating_sub(counts[kind]));
        // Growing is wanted while cards are missing.
        let insert = if missing.iter().any(|&n| n > 0) { 8 } else { 2 };
        let cards = state.len();
        let which = dice.below(16);
        if which < insert {
            let kind = wanted(dice, limits, &missing);
            counts[kind] += 1;
            if cards >= limits.cards || counts[kind] > limits.most[kind] {
                return None;
            }
            state = inserted(state, dice.below(cards + 2), kind as u8);
        } else if which < insert + 2 {
            let at = dice.below(cards);
            counts[usize::from(pay_at(state, at))] -= 1;
            state = removed(state, at);
        } else if which < insert + 5 {
            let at = dice.below(cards);
            let kind = wanted(dice, limits, &missing);
            counts[usize::from(pay_at(state, at))] -= 1;
            counts[kind] += 1;
            if counts[kind] > limits.most[kind] {
                return None;
            }
            state = turned(state, at, kind as u8);
        } else {
            let at = dice.below(cards);
            let pay = pay_at(state, at);
            state = inserted(removed(state, at), dice.below(cards + 1), pay);
        }
        if state.is_empty() {
            return None;
        }
    }
    (!state.leader.is_empty() && !state.other.is_empty()).then_some(state)
}

/// A kind still missing, mostly; otherwise any, in the target's proportions, but a payment card
/// at least half of the time.
fn wanted(dice: &mut Dice, limits: &Limits, missing: &Counts) -> usize {
    let total = |counts: &Counts| counts.iter().map(|&n| u32::from(n)).sum();
    let lack: u32 = total(missing);
    if lack > 0 && !dice.chance(40) {
        return pick(dice, missing, lack);
    }
    let mut counts = limits.target;
    let payment = total(&counts) - u32::from(counts[0]);
    if payment > 0 && dice.chance(128) {
        counts[0] = 0;
    }
    pick(dice, &counts, total(&counts))
}

/// A random state of some of the target's cards, as many as `cards` says, or all if that is less.
pub(super) fn random<K: Kinds>(
    dice: &mut Dice,
    limits: &Limits,
    cards: RangeInclusive<u32>,
) -> Option<State<K>> {
    let mut left = limits.target;
    let mut total: u32 = left.iter().map(|&n| u32::from(n)).sum();
    let cards = cards.start() + dice.below(cards.end() - cards.start() + 1);
    let mut hands = [Hand::empty(); 2];
    for _ in 0..cards.min(total) {
        let kind = pick(dice, &left, total);
        left[kind] -= 1;
        total -= 1;
        // Under either hand: the order drawn is a random order already.
        let hand = &mut hands[usize::from(dice.chance(128))];
        *hand = hand.inserted(hand.len(), kind as u8);
    }
    let [leader, other] = hands;
    (!leader.is_empty() && !other.is_empty()).then_some(State { leader, other })
}

/// A kind, each as likely as its count says; `total` is the sum of the counts, and not 0.
fn pick(dice: &mut Dice, counts: &Counts, total: u32) -> usize {
    let mut n = dice.below(total);
    for (kind, &count) in counts.iter().enumerate() {
        if n < u32::from(count) {
            return kind;
        }
        n -= u32::from(count);
    }
    unreachable!("n is below the sum")
}
