//! Changes of a state: cards put in, taken out, turned into another kind, moved; one card, or all
//! cards of an orbit in the same way.

use std::ops::RangeInclusive;

use super::dice::Dice;
use crate::cards::KINDS;
use crate::game::cycle::{Cycle, Orbits};
use crate::game::packed::{Hand, Kinds, State};

/// How often an orbit is changed first, in 256, and how often another change of it follows.
const ORBIT: u32 = 208;
const ORBIT_AGAIN: u32 = 120;

/// How often another change of one card follows, in 256, and how many there are at most.
const ANOTHER: u32 = 110;
const STEPS: u32 = 3;

/// How often a change is drawn anew that leaves the limits or changes nothing.
const DRAWS: u32 = 8;

/// Cards of each kind: plain, then those that pay 1, 2, 3, 4.
pub(super) type Composition = [u8; KINDS];

/// What compositions may be grown through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The composition wanted.
    pub(super) target: Composition,
    /// The most cards of each kind.
    pub(super) most: Composition,
    /// The most cards in all.
    pub(super) cards: u32,
    /// The most payment cards in all.
    pub(super) payment_cards: u32,
}

impl Bounds {
    /// How many payment cards the wanted composition has.
    pub(super) fn target_payment_cards(&self) -> u32 {
        self.target[1..].iter().map(|&n| u32::from(n)).sum()
    }

    /// Whether cards that pay `pays` may have been put in.
    fn allow(&self, counts: &Composition, pays: u8) -> bool {
        let payment_cards: u32 = counts[1..].iter().map(|&n| u32::from(n)).sum();
        let pays = usize::from(pays);
        counts[pays] <= self.most[pays]
            && (pays == 0 || payment_cards <= self.payment_cards)
            && payment_cards + u32::from(counts[0]) <= self.cards
    }
}

/// The composition of a state.
pub(super) fn composition<K: Kinds>(state: State<K>) -> Composition {
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
pub(super) fn distance(a: &Composition, b: &Composition) -> u32 {
    a.iter()
        .zip(b)
        .map(|(&a, &b)| u32::from(a.abs_diff(b)))
        .sum()
}

/// A cycle that is changed.
pub(super) struct Parent<K> {
    states: Vec<State<K>>,
    orbits: Orbits,
    counts: Composition,
}

impl<K: Kinds> Parent<K> {
    pub(super) fn new(cycle: &Cycle<K>) -> Parent<K> {
        Parent {
            states: cycle.iter().collect(),
            orbits: Orbits::of(cycle),
            counts: composition(cycle.name()),
        }
    }

    /// One of its states, changed; `None` if chance hardly finds a change within the limits.
    pub(super) fn change(&self, dice: &mut Dice, limits: &Bounds) -> Option<State<K>> {
        (0..DRAWS).find_map(|_| {
            let at = dice.below(self.states.len() as u32) as usize;
            let state = self.states[at];
            let mut draft = Draft {
                state,
                counts: self.counts,
                marks: [0; 2],
                pays: 0,
            };
            draft.redraw(dice, limits, &self.orbits, at)?;
            let [leader, other] = draft.hands();
            debug_assert_eq!(draft.counts, composition(draft.state));
            let keeps = !leader.is_empty() && !other.is_empty() && draft.state != state;
            keeps.then_some(draft.state)
        })
    }
}

/// A state on its way to another, with some cards of one kind marked.
struct Draft<K> {
    state: State<K>,
    counts: Composition,
    /// The marked cards of both hands, by their places from the top.
    marks: [u64; 2],
    /// What they pay.
    pays: u8,
}

/// On which side of a card.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Above,
    Below,
}

impl Side {
    fn of(dice: &mut Dice) -> Side {
        if dice.chance(128) {
            Side::Above
        } else {
            Side::Below
        }
    }
}

impl<K: Kinds> Draft<K> {
    /// Changes it; `None` if it leaves the limits.
    fn redraw(
        &mut self,
        dice: &mut Dice,
        limits: &Bounds,
        orbits: &Orbits,
        state: usize,
    ) -> Option<()> {
        let mut steps = 1;
        if dice.chance(ORBIT) {
            self.mark_orbit(dice, orbits, state);
            self.change_orbit(dice, limits)?;
            while dice.chance(ORBIT_AGAIN) && self.marks != [0; 2] {
                self.change_orbit(dice, limits)?;
            }
            steps = 0;
        }
        for _ in 0..steps + dice.falling(STEPS, ANOTHER) {
            self.change_card(dice, limits)?;
        }
        Some(())
    }

    fn hands(&self) -> [Hand<K>; 2] {
        [self.state.leader, self.state.other]
    }

    fn hand(&mut self, hand: usize) -> &mut Hand<K> {
        match hand {
            0 => &mut self.state.leader,
            _ => &mut self.state.other,
        }
    }

    fn marked(&self) -> u8 {
        (self.marks[0].count_ones() + self.marks[1].count_ones()) as u8
    }

    /// Marks a card, counted through both hands.
    fn mark_card(&mut self, card: u32) {
        let first = self.state.leader.len();
        let (hand, at) = if card < first {
            (0, card)
        } else {
            (1, card - first)
        };
        self.marks = [0; 2];
        self.marks[hand] = 1 << at;
        self.pays = self.hands()[hand].pay_at(at);
    }

    /// Marks an orbit, one of payment cards more often than by their number.
    fn mark_orbit(&mut self, dice: &mut Dice, orbits: &Orbits, state: usize) {
        let cards = self.state.len();
        let mut card = dice.below(cards);
        self.mark_card(card);
        if self.pays == 0 {
            card = dice.below(cards);
            self.mark_card(card);
        }
        self.marks = orbits.marks(state, orbits.of_card(state, card as usize));
    }

    /// How many cards of each kind are missing.
    fn missing(&self, limits: &Bounds) -> Composition {
        std::array::from_fn(|kind| limits.target[kind].saturating_sub(self.counts[kind]))
    }

    fn change_orbit(&mut self, dice: &mut Dice, limits: &Bounds) -> Option<()> {
        let missing = self.missing(limits);
        // Growing is wanted while cards are missing.
        let put = if missing == [0; KINDS] { 3 } else { 7 };
        match dice.below(16) {
            at if at < put => {
                let pays = match dice.chance(128) {
                    true => 0,
                    false => wanted(dice, limits, &missing),
                };
                self.put(limits, pays as u8, Side::of(dice))
            }
            at if at < put + 4 => {
                let pays = wanted(dice, limits, &missing);
                self.turn(limits, pays as u8)
            }
            at if at < put + 6 => self.take_neighbours(Side::of(dice)),
            at if at < put + 7 => self.take(),
            _ => self.shift(Side::of(dice)),
        }
    }

    fn change_card(&mut self, dice: &mut Dice, limits: &Bounds) -> Option<()> {
        let missing = self.missing(limits);
        let put = if missing == [0; KINDS] { 2 } else { 8 };
        let cards = self.state.len();
        if cards < 2 {
            return None;
        }
        self.mark_card(dice.below(cards));
        match dice.below(16) {
            at if at < put => {
                let pays = wanted(dice, limits, &missing);
                self.put(limits, pays as u8, Side::of(dice))
            }
            at if at < put + 2 => self.take(),
            at if at < put + 5 => {
                let pays = wanted(dice, limits, &missing);
                self.turn(limits, pays as u8)
            }
            _ => {
                let pays = self.pays;
                self.take()?;
                self.mark_card(dice.below(cards - 1));
                self.lay(pays, Side::of(dice));
                Some(())
            }
        }
    }

    /// Puts a card beside every marked one, if that is within the limits.
    fn put(&mut self, limits: &Bounds, pays: u8, side: Side) -> Option<()> {
        let mut counts = self.counts;
        counts[usize::from(pays)] += self.marked();
        limits.allow(&counts, pays).then(|| self.lay(pays, side))
    }

    /// Puts a card beside every marked one.
    fn lay(&mut self, pays: u8, side: Side) {
        self.counts[usize::from(pays)] += self.marked();
        for hand in 0..2 {
            let mut marks = self.marks[hand];
            for at in from_the_lowest(self.marks[hand]) {
                let at = at + u32::from(side == Side::Below);
                *self.hand(hand) = self.hand(hand).inserted(at, pays);
                marks = below(marks, at) | marks >> at << at << 1;
            }
            self.marks[hand] = marks;
        }
    }

    /// Takes out the marked cards.
    fn take(&mut self) -> Option<()> {
        self.counts[usize::from(self.pays)] -= self.marked();
        for hand in 0..2 {
            for at in from_the_lowest(self.marks[hand]) {
                *self.hand(hand) = self.hand(hand).removed(at);
            }
        }
        self.marks = [0; 2];
        Some(())
    }

    /// Takes out the plain card beside every marked one, where there is one that is not marked.
    fn take_neighbours(&mut self, side: Side) -> Option<()> {
        for hand in 0..2 {
            for at in from_the_lowest(self.marks[hand]) {
                let at = match side {
                    Side::Above if at == 0 => continue,
                    Side::Above => at - 1,
                    Side::Below => at + 1,
                };
                let cards = *self.hand(hand);
                let marks = self.marks[hand];
                if at < cards.len() && cards.pay_at(at) == 0 && marks >> at & 1 == 0 {
                    *self.hand(hand) = cards.removed(at);
                    self.marks[hand] = below(marks, at) | marks >> at >> 1 << at;
                    self.counts[0] -= 1;
                }
            }
        }
        Some(())
    }

    /// Turns the marked cards into others.
    fn turn(&mut self, limits: &Bounds, pays: u8) -> Option<()> {
        self.counts[usize::from(self.pays)] -= self.marked();
        self.counts[usize::from(pays)] += self.marked();
        // A state given with more cards than are grown through is let shrink.
        let (kind, grows) = (usize::from(pays), self.pays == 0 && pays > 0);
        if self.counts[kind] > limits.most[kind] || grows && !limits.allow(&self.counts, pays) {
            return None;
        }
        self.pays = pays;
        for hand in 0..2 {
            for at in from_the_lowest(self.marks[hand]) {
                *self.hand(hand) = self.hand(hand).turned(at, pays);
            }
        }
        Some(())
    }

    /// Changes the places of every marked card and the card beside it, if that is not marked.
    fn shift(&mut self, side: Side) -> Option<()> {
        for hand in 0..2 {
            for at in from_the_lowest(self.marks[hand]) {
                let to = match side {
                    Side::Above if at == 0 => continue,
                    Side::Above => at - 1,
                    Side::Below => at + 1,
                };
                if to < self.hand(hand).len() && self.marks[hand] >> to & 1 == 0 {
                    *self.hand(hand) = self.hand(hand).removed(at).inserted(to, self.pays);
                    self.marks[hand] ^= 1 << at | 1 << to;
                }
            }
        }
        Some(())
    }
}

/// The places of marks, the lowest in the hand first: what is done there moves none above.
fn from_the_lowest(mut marks: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let at = marks.checked_ilog2()?;
        marks ^= 1 << at;
        Some(at)
    })
}

/// The marks at places less than `at`.
fn below(marks: u64, at: u32) -> u64 {
    marks & ((1 << at) - 1)
}

/// A kind still missing, mostly; otherwise any, in the target's proportions, but a payment card
/// at least half of the time.
fn wanted(dice: &mut Dice, limits: &Bounds, missing: &Composition) -> usize {
    let total = |counts: &Composition| counts.iter().map(|&n| u32::from(n)).sum();
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
    limits: &Bounds,
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
fn pick(dice: &mut Dice, counts: &Composition, total: u32) -> usize {
    let mut n = dice.below(total);
    for (kind, &count) in counts.iter().enumerate() {
        if n < u32::from(count) {
            return kind;
        }
        n -= u32::from(count);
    }
    unreachable!("n is below the sum")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::Reader;

    fn state<K: Kinds>(text: &str) -> State<K> {
        State::of(&Reader::default().deal(text).unwrap()).unwrap()
    }

    fn limits(target: Composition, slack: u8) -> Bounds {
        let [_, payment @ ..] = target;
        let total = |counts: &[u8]| counts.iter().map(|&n| u32::from(n)).sum::<u32>();
        Bounds {
            target,
            most: target.map(|n| n + slack),
            cards: total(&target) + u32::from(slack),
            payment_cards: total(&payment) + u32::from(slack),
        }
    }

    /// Does something with the cards of `text` that are marked by `^` in the text below it.
    fn redrawn(
        text: &str,
        marks: &str,
        change: impl Fn(&mut Draft<u64>, &Bounds) -> Option<()>,
    ) -> Option<String> {
        let state = state(text);
        let halves = [
            &marks[..state.leader.len() as usize],
            &marks[state.leader.len() as usize + 1..],
        ];
        let marks = halves.map(|marks| {
            let marks = marks.chars().enumerate();
            marks.fold(0, |word, (at, mark)| word | u64::from(mark == '^') << at)
        });
        let mut draft = Draft {
            state,
            counts: composition(state),
            marks,
            pays: 0,
        };
        let hand = usize::from(marks[0] == 0);
        draft.pays = draft.hands()[hand].pay_at(marks[hand].trailing_zeros());
        let limits = limits(draft.counts, 4);
        change(&mut draft, &limits)?;
        assert_eq!(draft.counts, composition(draft.state));
        for hand in 0..2 {
            for at in from_the_lowest(draft.marks[hand]) {
                assert_eq!(
                    draft.hands()[hand].pay_at(at),
                    draft.pays,
                    "marks follow the cards"
                );
            }
        }
        Some(draft.state.deal().to_string())
    }

    #[test]
    fn all_marked_cards_are_changed_alike() {
        let (text, marks) = ("-JQ-J/J-K--Q-", " ^  ^ ^      ");
        let done = |change: fn(&mut Draft<u64>, &Bounds) -> Option<()>| {
            redrawn(text, marks, change).unwrap_or_default()
        };
        use Side::{Above, Below};
        assert_eq!(
            done(|draft, limits| draft.put(limits, 0, Above)),
            "--JQ--J/-J-K--Q-"
        );
        assert_eq!(
            done(|draft, limits| draft.put(limits, 4, Below)),
            "-JAQ-JA/JA-K--Q-"
        );
        assert_eq!(done(|draft, _| draft.take()), "-Q-/-K--Q-");
        assert_eq!(done(|draft, limits| draft.turn(limits, 3)), "-KQ-K/K-K--Q-");
        assert_eq!(done(|draft, limits| draft.turn(limits, 0)), "--Q--/--K--Q-");
        assert_eq!(done(|draft, _| draft.take_neighbours(Above)), "JQJ/J-K--Q-");
        assert_eq!(
            done(|draft, _| draft.take_neighbours(Below)),
            "-JQ-J/JK--Q-"
        );
        assert_eq!(done(|draft, _| draft.shift(Above)), "J-QJ-/J-K--Q-");
        assert_eq!(done(|draft, _| draft.shift(Below)), "-QJ-J/-JK--Q-");
        // A second change finds the same cards.
        assert_eq!(
            done(|draft, limits| {
                draft.put(limits, 0, Above)?;
                draft.take_neighbours(Below)?;
                draft.shift(Above)?;
                draft.turn(limits, 4)
            }),
            "-A-Q-A-/A-K--Q-"
        );
    }

    #[test]
    fn marked_cards_beside_each_other_stay_apart() {
        let shifted = |side| redrawn("--/-JJ-JJ", "  / ^^ ^^", |draft, _| draft.shift(side));
        // From the lowest on: down they go as one, up only those that have room.
        assert_eq!(shifted(Side::Below).as_deref(), Some("--/--JJJJ"));
        assert_eq!(shifted(Side::Above).as_deref(), Some("--/J-JJ-J"));
        let taken = redrawn("--/--", "  /^^", |draft, _| {
            draft.take_neighbours(Side::Below)
        });
        assert_eq!(taken.as_deref(), Some("--/--"));
    }

    #[test]
    fn the_limits_are_kept() {
        assert_eq!(
            redrawn("-J/-J", " ^/ ^", |draft, limits| {
                draft.put(limits, 0, Side::Above)?;
                draft.put(limits, 0, Side::Above)
            })
            .as_deref(),
            Some("---J/---J")
        );
        for pays in 0..5 {
            let grown = redrawn("-J/-J", " ^/ ^", |draft, limits| {
                draft.put(limits, pays, Side::Above)?;
                draft.put(limits, pays, Side::Above)?;
                draft.put(limits, pays, Side::Above)
            });
            assert_eq!(grown, None, "six cards more than there are");
        }
        let turned = redrawn("-----/-", "^^^^^/ ", |draft, limits| draft.turn(limits, 1));
        assert_eq!(turned, None);
    }

    fn changes_keep_the_limits<K: Kinds>(text: &str) {
        let cycle = Cycle::entered_from(state::<K>(text), 3000).unwrap();
        let parent = Parent::new(&cycle);
        let limits = limits(parent.counts, 2);
        let mut dice = Dice::of(7, 7);
        let changes: Vec<_> = (0..20_000)
            .filter_map(|_| parent.change(&mut dice, &limits))
            .collect();
        assert!(
            changes.len() > 19_800,
            "eight draws in a row hardly ever fail"
        );
        for changed in changes {
            assert!(!changed.leader.is_empty() && !changed.other.is_empty());
            let counts = composition(changed);
            assert!(counts.iter().zip(&limits.most).all(|(n, most)| n <= most));
            assert!(changed.len() <= limits.cards);
            let payment: u32 = counts[1..].iter().map(|&n| u32::from(n)).sum();
            assert!(payment <= limits.payment_cards);
        }
    }

    #[test]
    fn a_change_is_a_change_within_the_limits() {
        let casella = "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA";
        changes_keep_the_limits::<u64>(casella);
        changes_keep_the_limits::<u128>(casella);
        changes_keep_the_limits::<u64>("----J--Q--/--K-K-Q-J-");
        changes_keep_the_limits::<u64>("----------JQK-KQ-AKQAAJ--J/-----------Q-J--------A-K-");
    }

    #[test]
    fn cycles_of_more_cards_than_are_wanted_can_shrink() {
        let cycle = Cycle::entered_from(state::<u64>("----J--Q--/--K-K-Q-J-"), 3000).unwrap();
        let parent = Parent::new(&cycle);
        let limits = limits([4, 2, 0, 0, 0], 0);
        let mut dice = Dice::of(1, 1);
        let changed: Vec<_> = (0..1000)
            .filter_map(|_| parent.change(&mut dice, &limits))
            .collect();
        assert!(changed.len() > 500);
        for state in changed {
            let counts = composition(state);
            let bounds = limits.most.iter().zip(&parent.counts);
            for (count, (most, before)) in counts.iter().zip(bounds) {
                assert!(count <= most.max(before));
            }
        }
    }
}
