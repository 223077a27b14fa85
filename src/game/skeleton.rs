//! All cycles of a skeleton: the payment cards' places are given, their kinds are not.
//!
//! The kinds are dealt lazily: a card's kind is chosen when the card is first laid, every kind in
//! turn. Games that end before all payment cards were laid then stand for all kinds of the others.
//! So a standard skeleton with its 63,063,000 assignments takes some millions of games.

use std::sync::atomic::{AtomicBool, Ordering};

use super::cycle::Cycle;
use super::packed::{Hand, Kinds, State};

/// The most payment cards whose kinds are dealt.
pub const MAX_PAYMENT_CARDS: u32 = 16;

/// In how many parts the assignments of a skeleton can be played.
pub const PARTS: usize = 16;

/// Tricks after which a game that is not over may be one that goes on for ever. By then every card
/// was laid: each player lays at least one card a trick.
const EARLY: u32 = 220;

/// The places of payment cards in both hands, the leader's first: bit `i` of a word is the card at
/// place `i` from the top, and the highest bit stands just past the last card.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Skeleton {
    hands: [u64; 2],
}

impl Skeleton {
    /// The skeleton of a state.
    pub fn of_state<K: Kinds>(state: State<K>) -> Skeleton {
        Skeleton {
            hands: [state.leader, state.other].map(|hand| hand.words().0),
        }
    }

    /// The skeleton of a cycle: the least of those of its states. Cycles whose states have their
    /// payment cards at the same places have the same.
    pub fn of<K: Kinds>(cycle: &Cycle<K>) -> Skeleton {
        let skeletons = cycle.iter().map(Skeleton::of_state);
        skeletons.min().expect("a cycle has states")
    }

    /// The two words.
    pub fn hands(self) -> [u64; 2] {
        self.hands
    }

    /// How many payment cards it has.
    pub fn payment_cards(self) -> u32 {
        self.hands.iter().map(|hand| hand.count_ones() - 1).sum()
    }

    /// The cycles that the games of part `part` of the assignments enter, of those with `counts`
    /// cards that pay 1, 2, 3, 4: each once, in the order of their names; and how many games that
    /// took. `None` if it left because `quit` was set.
    ///
    /// A game is given up after `cap` tricks. The parts are those of the first two kinds dealt.
    ///
    /// # Panics
    /// If a hand is empty, if there are more than [`MAX_PAYMENT_CARDS`] payment cards or not as many
    /// as `counts` says, or if `part` is not below [`PARTS`].
    pub fn cycles<K: Kinds>(
        self,
        counts: [u8; 4],
        part: usize,
        cap: u32,
        quit: &AtomicBool,
    ) -> Option<(Vec<Cycle<K>>, u64)> {
        let all: u32 = counts.iter().map(|&count| u32::from(count)).sum();
        assert!(all == self.payment_cards() && all <= MAX_PAYMENT_CARDS && part < PARTS);
        assert!(self.hands.iter().all(|&hand| hand > 1), "a hand is empty");
        let mut next = 0;
        let hands = self.hands.map(|cards| {
            let mut names = 0;
            for at in 0..cards.count_ones() - 1 {
                names |= next << (4 * at);
                next += 1;
            }
            Open { cards, names }
        });
        let mut deal = LazyDeal::<K> {
            pays: [0; 16],
            left: counts,
            dealt: 0,
            all,
            part,
            cap,
            quit,
            games: 0,
            found: Vec::new(),
        };
        deal.explore(hands, 0)?;
        deal.found.sort_unstable_by_key(Cycle::name);
        deal.found.dedup();
        Some((deal.found, deal.games))
    }
}

/// A hand whose payment cards have names, four bits each, top first.
#[derive(Clone, Copy)]
struct Open {
    cards: u64,
    names: u64,
}

impl Open {
    fn is_empty(self) -> bool {
        self.cards == 1
    }

    fn plain_run(self) -> u32 {
        self.cards.trailing_zeros()
    }

    /// This hand with the pile under it, which holds payment cards.
    fn over(self, pile: Open) -> Open {
        let len = self.cards.ilog2();
        Open {
            cards: self.cards ^ 1 << len ^ pile.cards << len,
            names: self.names | pile.names << (4 * (self.cards.count_ones() - 1)),
        }
    }

    fn hand<K: Kinds>(self, pays: &[u8; 16]) -> Hand<K> {
        let mut kinds = K::default();
        for at in 0..self.cards.count_ones() - 1 {
            let name = (self.names >> (4 * at) & 15) as usize;
            kinds |= K::from(pays[name] - 1) << (2 * at);
        }
        Hand::from_words(self.cards, kinds)
    }
}

/// What one trick came to.
enum Step {
    /// The state after it, the collector's hand first.
    After([Open; 2]),
    /// The game is over.
    Over,
    /// The kind of this card must be known first.
    Needs(usize),
}

/// One trick, as in [`State::trick`].
fn trick(mut hands: [Open; 2], pays: &[u8; 16]) -> Step {
    let [a, b] = hands.map(Open::plain_run);
    let run = a.min(b);
    hands[0].cards >>= run;
    hands[1].cards >>= run;
    let mut len = 2 * run;
    let mut payer = usize::from(a > b);
    if payer == 1 {
        hands[0].cards >>= 1;
        len += 1;
    }
    if hands[payer].is_empty() {
        return Step::Over;
    }
    let mut pile = Open { cards: 0, names: 0 };
    let mut laid = 0;
    loop {
        let name = hands[payer].names & 15;
        let debt = u32::from(pays[name as usize]);
        if debt == 0 {
            return Step::Needs(name as usize);
        }
        hands[payer].cards >>= 1;
        hands[payer].names >>= 4;
        pile.cards |= 1 << len;
        pile.names |= name << (4 * laid);
        len += 1;
        laid += 1;
        payer = 1 - payer;
        let run = hands[payer].plain_run();
        if run >= debt {
            hands[payer].cards >>= debt;
            pile.cards |= 1 << (len + debt);
            let (winner, loser) = (hands[1 - payer], hands[payer]);
            if loser.is_empty() {
                return Step::Over;
            }
            return Step::After([winner.over(pile), loser]);
        }
        hands[payer].cards >>= run;
        len += run;
        if hands[payer].is_empty() {
            return Step::Over;
        }
    }
}

/// Kinds on their way to all assignments.
struct LazyDeal<'a, K> {
    /// What each card pays; 0 if its kind was not dealt yet.
    pays: [u8; 16],
    /// Cards of each kind that were not dealt yet.
    left: [u8; 4],
    dealt: usize,
    all: u32,
    part: usize,
    cap: u32,
    quit: &'a AtomicBool,
    games: u64,
    found: Vec<Cycle<K>>,
}

impl<K: Kinds> LazyDeal<'_, K> {
    /// Plays on from a state, with every kind of each card that is laid for the first time.
    fn explore(&mut self, mut hands: [Open; 2], mut tricks: u32) -> Option<()> {
        while tricks < EARLY.min(self.cap) || self.dealt < self.all as usize {
            match trick(hands, &self.pays) {
                Step::After(after) => hands = after,
                Step::Over => {
                    // With fewer than two cards dealt the game stands for several parts.
                    self.games += 1;
                    return Some(());
                }
                Step::Needs(card) => return self.deal(card, hands, tricks),
            }
            tricks += 1;
        }
        self.games += 1;
        let [leader, other] = hands.map(|hand| hand.hand(&self.pays));
        if let Some(cycle) = Cycle::entered_from(State { leader, other }, self.cap) {
            self.found.push(cycle);
        }
        Some(())
    }

    /// Gives a card every kind that is left, and plays on.
    fn deal(&mut self, card: usize, hands: [Open; 2], tricks: u32) -> Option<()> {
        if self.quit.load(Ordering::Relaxed) {
            return None;
        }
        // The parts: both bits of the first kind, both bits of the second.
        let only = match self.dealt {
            0 => Some(self.part >> 2),
            1 => Some(self.part & 3),
            _ => None,
        };
        for kind in 0..4 {
            if self.left[kind] == 0 || only.is_some_and(|only| only != kind) {
                continue;
            }
            self.left[kind] -= 1;
            self.pays[card] = kind as u8 + 1;
            self.dealt += 1;
            let explored = self.explore(hands, tricks);
            self.dealt -= 1;
            self.pays[card] = 0;
            self.left[kind] += 1;
            explored?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::{Deck, Order, Reader};

    #[test]
    fn dealt_lazily_a_skeleton_has_the_cycles_of_all_its_assignments() {
        // Brute force: every deal of the deck, by its skeleton.
        let deck: Deck = "plain=7,J=2,Q=1,K=1".parse().unwrap();
        let mut wanted: std::collections::BTreeMap<Skeleton, Vec<State<u64>>> = Default::default();
        for index in 0..deck.deals().unwrap() {
            let deal = deck.deal_at(index, Order::usual(&deck)).unwrap();
            let state = State::<u64>::of(&deal).unwrap();
            let of_skeleton = wanted.entry(Skeleton::of_state(state)).or_default();
            of_skeleton.extend(Cycle::entered_from(state, 1000).map(|cycle| cycle.name()));
        }
        let quit = AtomicBool::new(false);
        let mut all = 0;
        for (skeleton, mut names) in wanted {
            names.sort_unstable();
            names.dedup();
            let parts = (0..PARTS).flat_map(|part| {
                let found = skeleton.cycles::<u64>([2, 1, 1, 0], part, 1000, &quit);
                found.unwrap().0
            });
            let mut found: Vec<State<u64>> = parts.map(|cycle| cycle.name()).collect();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found, names, "{skeleton:?}");
            all += names.len();
        }
        assert!(all > 0, "the deck has infinite games");
    }

    #[test]
    fn told_to_leave_it_leaves() {
        let deal = "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA";
        let state = State::<u64>::of(&Reader::default().deal(deal).unwrap()).unwrap();
        let skeleton = Skeleton::of_state(state);
        assert_eq!(skeleton.payment_cards(), 16);
        let quit = AtomicBool::new(true);
        assert_eq!(skeleton.cycles::<u64>([4; 4], 0, 3000, &quit), None);
    }
}
