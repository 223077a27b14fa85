//! Backward play: from a state to every state that leads into it.
//!
//! A state at a trick boundary has one successor, and its predecessors can be listed: the leader
//! has just collected, so the pile of the last trick lies under his hand. A legal pile ends in a
//! payment card followed by exactly the plain cards it demands, and in it every earlier payment
//! card is followed by fewer plain cards than it demands. Given the pile, who laid which card
//! is forced: the leader laid the last payment card, payment cards alternate between the players,
//! what follows one was laid by the other player, and plain cards before the first alternate.
//!
//! Since successors are unique, the ancestors of a state form a tree (for a cycle, trees that
//! hang on it): no ancestor is met twice, and nothing needs to be remembered but the way back.

use std::cmp::Ordering;

use thiserror::Error;

use super::cycle::Cycle;
use super::packed::{Hand, Kinds, MAX_CARDS, State, with_state};
use super::verdict::{Outcome, Span, Verdict};
use crate::cards::{Deal, Player};

/// The bound on ancestors that is used unless another is given: enough for every published game.
pub const DEFAULT_BOUND: u64 = 100_000_000;

/// Calls `visit` with every state from which one trick leads to `state`, and the cards of that
/// trick.
pub fn predecessors<K: Kinds>(state: State<K>, mut visit: impl FnMut(State<K>, u32)) {
    let (cards, kinds) = state.leader.words();
    let len = state.leader.len();
    let positions = cards ^ 1 << len;
    if positions == 0 {
        return;
    }
    let mut first = positions.ilog2();
    let mut before = state.leader.payment_cards() - 1;
    let pays = (kinds >> (2 * before)).first() + 1;
    if len - 1 - first != pays {
        return;
    }
    // What each player laid from the first payment card of the pile on: the leader laid that card
    // if `leader_laid`, and the other player what follows it.
    let mut leader = Hand::empty().under_payment(pays);
    let mut other = Hand::empty().under_plain(pays);
    let mut leader_laid = true;
    loop {
        let earlier = positions & ((1 << first) - 1);
        let plain = if earlier == 0 {
            first
        } else {
            first - 1 - earlier.ilog2()
        };
        for run in 0..=plain {
            // Plain cards alternate up to the first payment card: whoever did not lay it laid the
            // last of them, and so the odd one.
            let (more, less) = (run.div_ceil(2), run / 2);
            let (by_leader, by_other) = if leader_laid {
                (less, more)
            } else {
                (more, less)
            };
            let rest = first - run;
            let kept = Hand::from_words(cards & ((1 << rest) - 1) | 1 << rest, kinds.take(before));
            let leader_before = leader.under_plain(by_leader).over(kept);
            let other_before = other.under_plain(by_other).over(state.other);
            // Whoever laid the first card of the pile led.
            let leader_led = leader_laid == (run % 2 == 0);
            let predecessor = if leader_led {
                State {
                    leader: leader_before,
                    other: other_before,
                }
            } else {
                State {
                    leader: other_before,
                    other: leader_before,
                }
            };
            visit(predecessor, len - rest);
        }
        if earlier == 0 {
            return;
        }
        before -= 1;
        let pays = (kinds >> (2 * before)).first() + 1;
        if plain >= pays {
            return; // paid in full: an earlier trick ended there
        }
        first = earlier.ilog2();
        // The earlier payment card was laid by the other one of the two, the plain cards after it
        // by whoever laid the next payment card.
        if leader_laid {
            leader = leader.under_plain(plain);
            other = other.under_payment(pays);
        } else {
            other = other.under_plain(plain);
            leader = leader.under_payment(pays);
        }
        leader_laid = !leader_laid;
    }
}

impl<K: Kinds> Hand<K> {
    /// This hand under `n` plain cards.
    #[inline(always)]
    fn under_plain(self, n: u32) -> Hand<K> {
        let (cards, kinds) = self.words();
        Hand::from_words(cards << n, kinds)
    }

    /// This hand under a card that pays `pays`.
    #[inline(always)]
    fn under_payment(self, pays: u32) -> Hand<K> {
        let (cards, kinds) = self.words();
        Hand::from_words(cards << 1 | 1, kinds << 2 | K::from(pays as u8 - 1))
    }
}

/// A deal of the wanted hand sizes in a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry<K = u64> {
    /// The state the deal starts from, A leading.
    pub start: State<K>,
    /// For a finished game, what is played from it in all. For a loop, the lead-in.
    pub played: Span,
}

impl<K: Kinds> Entry<K> {
    /// The order in which entries are listed and ties broken: more cards first, then more tricks,
    /// then the deal with less on top (plain < 1 < 2 < 3 < 4, A's hand before B's).
    pub fn rank(&self, other: &Entry<K>) -> Ordering {
        let pays = |entry: &Entry<K>| {
            entry
                .start
                .leader
                .pays()
                .chain(entry.start.other.pays())
                .collect::<Vec<u8>>()
        };
        (other.played.cards, other.played.tricks)
            .cmp(&(self.played.cards, self.played.tricks))
            .then_with(|| pays(self).cmp(&pays(other)))
    }
}

/// What a walk through a tree found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Walk {
    /// How many states were met: ancestors, and the states the walk began with.
    pub states: u64,
    /// The most tricks from a state met to the state or cycle the walk began with.
    pub depth: u64,
    /// Whether that is all there are; otherwise the bound was hit.
    pub complete: bool,
}

/// Walks through `root` and all its ancestors, at most `bound` states. `played` is what is played
/// from `root` on. Calls `visit` with each state and what is played from it on.
///
/// `root` must not lie on a cycle (a state of a finished game never does).
pub fn walk<K: Kinds>(
    root: State<K>,
    played: Span,
    bound: u64,
    visit: impl FnMut(&Entry<K>),
) -> Walk {
    descend(
        vec![Entry {
            start: root,
            played,
        }],
        played.tricks,
        &[],
        bound,
        visit,
    )
}

/// Walks through a cycle and all its ancestors, at most `bound` states. Calls `visit` with each
/// state and its lead-in.
pub fn walk_cycle<K: Kinds>(cycle: &Cycle<K>, bound: u64, visit: impl FnMut(&Entry<K>)) -> Walk {
    let cycle: Vec<State<K>> = cycle.iter().collect();
    let roots = cycle
        .iter()
        .map(|&start| Entry {
            start,
            played: Span::default(),
        })
        .collect::<Vec<_>>();
    descend(roots, 0, &cycle, bound, visit)
}

fn descend<K: Kinds>(
    mut open: Vec<Entry<K>>,
    base: u64,
    cycle: &[State<K>],
    bound: u64,
    mut visit: impl FnMut(&Entry<K>),
) -> Walk {
    // Only states of the cycle have a predecessor on it.
    let mut on_cycle = cycle.len();
    let mut walk = Walk {
        states: 0,
        depth: 0,
        complete: true,
    };
    // States of the cycle lie at the bottom of `open`, in order: they are taken from its end.
    while let Some(entry) = open.pop() {
        if walk.states == bound {
            walk.complete = false;
            break;
        }
        walk.states += 1;
        walk.depth = walk.depth.max(entry.played.tricks - base);
        visit(&entry);
        let back = if open.len() < on_cycle {
            on_cycle = open.len();
            Some(
                cycle[if on_cycle == 0 {
                    cycle.len() - 1
                } else {
                    on_cycle - 1
                }],
            )
        } else {
            None
        };
        predecessors(entry.start, |start, cards| {
            if Some(start) != back {
                let played = Span {
                    cards: entry.played.cards + u64::from(cards),
                    tricks: entry.played.tricks + 1,
                };
                open.push(Entry { start, played });
            }
        });
    }
    walk
}

/// The tree of a deal: every ancestor of every state along its game; for a loop, of its cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// The verdict on the deal itself.
    pub verdict: Verdict,
    /// The size of the tree.
    pub walk: Walk,
    /// The deals of the wanted hand sizes in it with their verdicts, the top first.
    pub deals: Vec<(Deal, Verdict)>,
}

impl Tree {
    /// The deal of the tree from which the most cards are played, if it has one of the wanted
    /// sizes.
    pub fn top(&self) -> Option<&(Deal, Verdict)> {
        self.deals.first()
    }
}

/// Why a deal has no tree here.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ClosureError {
    /// Too many cards.
    #[error("the deal has {0} cards: backward play serves decks of at most {MAX_CARDS} cards")]
    TooLarge(usize),
    /// A hand is empty.
    #[error("hand {0} is empty: such a game has no state to play back from")]
    EmptyHand(Player),
}

/// Closes a deal backward: its tree with every deal of hand sizes `hands` in it. At most `bound`
/// states are looked at.
///
/// # Errors
/// [`ClosureError`] if the deck is too large or a hand is empty.
pub fn close(
    deal: &Deal,
    verdict: &Verdict,
    hands: [usize; 2],
    bound: u64,
) -> Result<Tree, ClosureError> {
    for player in [Player::A, Player::B] {
        if deal.hand(player).is_empty() {
            return Err(ClosureError::EmptyHand(player));
        }
    }
    with_state!(deal, start => tree(start, verdict, hands, bound))
        .ok_or(ClosureError::TooLarge(deal.len()))
}

fn tree<K: Kinds>(start: State<K>, verdict: &Verdict, hands: [usize; 2], bound: u64) -> Tree {
    let mut entries = Vec::new();
    let gather = |entry: &Entry<K>| {
        let sizes = [entry.start.leader, entry.start.other].map(|hand| hand.len() as usize);
        if sizes == hands {
            entries.push(*entry);
        }
    };
    let walk = match verdict.outcome {
        Outcome::Finished { .. } => {
            let (root, played) = last_state(start);
            walk(root, played, bound, gather)
        }
        Outcome::Loop { lead_in, .. } => {
            walk_cycle(&Cycle::after(start, lead_in.tricks), bound, gather)
        }
    };
    entries.sort_unstable_by(Entry::rank);
    let deals = entries
        .iter()
        .map(|entry| (entry.start.deal(), entry.verdict(verdict)))
        .collect();
    Tree {
        verdict: *verdict,
        walk,
        deals,
    }
}

impl<K: Kinds> Entry<K> {
    /// The verdict on a deal in the tree of a game of this verdict.
    fn verdict(&self, of: &Verdict) -> Verdict {
        match of.outcome {
            Outcome::Finished { .. } => {
                // Roles may be swapped along the way: play for the winner.
                let mut state = self.start;
                let mut leads = Player::A;
                loop {
                    let trick = state.trick();
                    leads = if trick.leader_won {
                        leads
                    } else {
                        leads.other()
                    };
                    if trick.over {
                        let outcome = Outcome::Finished { winner: leads };
                        return Verdict {
                            played: self.played,
                            outcome,
                        };
                    }
                    state = trick.after;
                }
            }
            Outcome::Loop { period, .. } => {
                let lead_in = self.played;
                let played = Span {
                    cards: lead_in.cards + period.cards,
                    tricks: lead_in.tricks + period.tricks,
                };
                Verdict {
                    played,
                    outcome: Outcome::Loop { lead_in, period },
                }
            }
        }
    }
}

/// The last state of a finished game before its final trick, and what is played from it.
pub fn last_state<K: Kinds>(start: State<K>) -> (State<K>, Span) {
    let mut state = start;
    loop {
        let trick = state.trick();
        if trick.over {
            return (
                state,
                Span {
                    cards: u64::from(trick.cards),
                    tricks: 1,
                },
            );
        }
        state = trick.after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::Reader;
    use crate::game::exact;

    fn close_deal(text: &str, hands: [usize; 2]) -> Tree {
        let deal = Reader::default().deal(text).unwrap();
        close(&deal, &exact::play(&deal), hands, DEFAULT_BOUND).unwrap()
    }

    #[test]
    fn the_published_cycle_has_its_published_deals() {
        let tree = close_deal(
            "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA",
            [26, 26],
        );
        assert_eq!(
            tree.walk,
            Walk {
                states: 2_670,
                depth: 6,
                complete: true
            }
        );
        assert_eq!(tree.deals.len(), 30);
        for (deal, verdict) in &tree.deals {
            assert_eq!(exact::play(deal), *verdict);
        }
    }

    #[test]
    fn every_deal_in_the_tree_of_a_record_is_as_long_as_it_says() {
        let tree = close_deal(
            "---AJ--Q---------QAKQJJ-QK/-----A----KJ-K--------A---",
            [26, 26],
        );
        assert!(tree.walk.complete);
        let (deal, verdict) = tree.top().unwrap();
        assert_eq!(exact::play(deal), *verdict);
        assert_eq!(
            verdict.played,
            Span {
                cards: 8344,
                tricks: 1164
            }
        );
        for (deal, verdict) in tree.deals.iter().step_by(97) {
            assert_eq!(exact::play(deal), *verdict);
        }
        assert!(
            tree.deals
                .iter()
                .any(|(deal, _)| deal.to_string().starts_with("---AJ--Q--"))
        );
    }

    #[test]
    fn a_bound_is_reported() {
        let text = "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA";
        let deal = Reader::default().deal(text).unwrap();
        let tree = close(&deal, &exact::play(&deal), [26, 26], 2_669).unwrap();
        assert_eq!((tree.walk.states, tree.walk.complete), (2_669, false));
    }

    #[test]
    fn what_has_no_tree_is_refused() {
        let deal = Reader::default().deal("/J 2").unwrap();
        let verdict = exact::play(&deal);
        assert_eq!(
            close(&deal, &verdict, [1, 1], 9),
            Err(ClosureError::EmptyHand(Player::A))
        );
        let deal = Reader::default()
            .deal(&format!("{}/J", "-".repeat(63)))
            .unwrap();
        let verdict = exact::play(&deal);
        assert_eq!(
            close(&deal, &verdict, [1, 1], 9),
            Err(ClosureError::TooLarge(64))
        );
    }
}
