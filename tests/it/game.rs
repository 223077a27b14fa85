//! The rules: published cases, and the exact engine as the judge of the others.

use std::collections::{BTreeMap, BTreeSet};

use camicia::cards::{Deal, Deck, Order, Player, Reader};
use camicia::game::closure::{self, predecessors};
use camicia::game::cycle::Cycle;
use camicia::game::exact::{self, Sameness, play_until};
use camicia::game::packed::{self, End, State};
use camicia::game::{Outcome, Span};
use proptest::prelude::*;

/// The rows of a table of our test data, without its header.
fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().skip(1).map(|line| line.split('\t').collect())
}

fn span(cards: &str, tricks: &str) -> Span {
    Span {
        cards: cards.parse().unwrap(),
        tricks: tricks.parse().unwrap(),
    }
}

#[test]
fn the_cases_of_the_exercise() {
    let mut cases = 0;
    for row in rows(include_str!("../data/exercise.tsv")) {
        let deal = Reader::default().hands(row[0], row[1]).unwrap();
        // The literal reading of the exercise calls the same games loops in these cases.
        for sameness in [Sameness::Skeleton, Sameness::DecksOnly] {
            let verdict = play_until(&deal, sameness, u64::MAX).unwrap();
            assert_eq!(verdict.status(), row[2], "{deal}");
            assert_eq!(verdict.played, span(row[3], row[4]), "{deal}");
        }
        cases += 1;
    }
    assert_eq!(cases, 28);
}

#[test]
fn the_leader_is_part_of_the_state() {
    let mut cases = 0;
    for row in rows(include_str!("../data/leader-matters.tsv")) {
        let deal = Reader::default().hands(row[0], row[1]).unwrap();
        for (sameness, from) in [(Sameness::Skeleton, 2), (Sameness::DecksOnly, 5)] {
            let verdict = play_until(&deal, sameness, u64::MAX).unwrap();
            assert_eq!(verdict.status(), row[from], "{deal}");
            assert_eq!(verdict.played, span(row[from + 1], row[from + 2]), "{deal}");
        }
        cases += 1;
    }
    assert_eq!(cases, 15);
}

/// Deals of 2 to 63 cards: any composition and any hand sizes, empty hands among them.
pub fn packed_deal() -> impl Strategy<Value = Deal> {
    let weights = prop_oneof![
        Just([8, 1, 1, 1, 1]),
        Just([1, 0, 0, 0, 0]),
        Just([0, 1, 1, 1, 1]),
        Just([0, 0, 0, 0, 1]),
        Just([3, 2, 0, 0, 0]),
        proptest::array::uniform5(0u32..5),
    ];
    (2usize..=63, weights, 0usize..=64, any::<bool>()).prop_flat_map(|(n, weights, cut, even)| {
        let pays: Vec<u8> = (0..5)
            .flat_map(|k| vec![k; weights[usize::from(k)] as usize])
            .collect();
        let pays = if pays.is_empty() { vec![0] } else { pays };
        let cut = if even { n / 2 } else { cut.min(n) };
        proptest::collection::vec(proptest::sample::select(pays), n)
            .prop_map(move |cards| Deal::from_payments(&cards[..cut], &cards[cut..]).unwrap())
    })
}

/// Compares the packed engine with the exact one on a deal that the packed form may not hold.
fn compare<K: packed::Kinds>(deal: &Deal) -> Result<(), TestCaseError> {
    let Some(state) = State::<K>::of(deal) else {
        return Ok(());
    };
    prop_assert_eq!(state.deal(), deal.clone());
    let verdict = exact::play(deal);
    let (played, end) = packed::play(state, 100_000);
    match (end, verdict.outcome) {
        (End::A, Outcome::Finished { winner: Player::A })
        | (End::B, Outcome::Finished { winner: Player::B }) => {
            prop_assert_eq!(played, verdict.played);
        }
        (End::Capped, Outcome::Loop { .. }) => prop_assert_eq!(played.tricks, 100_000),
        (packed, exact) => prop_assert!(false, "{:?} but {:?}", packed, exact),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_packed_engine_agrees_with_the_exact_one(deal in packed_deal()) {
        compare::<u64>(&deal)?;
        compare::<u128>(&deal)?;
        prop_assert!(State::<u128>::of(&deal).is_some());
    }

    #[test]
    fn a_state_is_the_successor_of_its_predecessors(deal in packed_deal()) {
        let mut state = State::<u128>::of(&deal).unwrap();
        for _ in 0..200 {
            if state.leader.is_empty() || state.other.is_empty() {
                break;
            }
            let mut before = Vec::new();
            predecessors(state, |predecessor, cards| before.push((predecessor, cards)));
            for (predecessor, cards) in before {
                let trick = predecessor.trick();
                prop_assert_eq!((trick.after, trick.cards, trick.over), (state, cards, false));
            }
            let trick = state.trick();
            if trick.over {
                break;
            }
            let mut found = 0;
            predecessors(trick.after, |predecessor, cards| {
                found += usize::from(predecessor == state && cards == trick.cards);
            });
            prop_assert_eq!(found, 1);
            state = trick.after;
        }
    }
}

/// Every state of a small deck: all hands of all sizes, both not empty.
fn states(deck: &Deck) -> Vec<State> {
    let all = deck.len();
    let mut states = Vec::new();
    for a in 1..all {
        let deck = deck.clone().with_hands(a, all - a).unwrap();
        for index in 0..deck.deals().unwrap() {
            let deal = deck.deal_at(index, Order::PlainFirst).unwrap();
            states.push(State::of(&deal).unwrap());
        }
    }
    states
}

#[test]
fn trees_are_all_ancestors() {
    // A deck with loops, and one with none.
    for (deck, loops) in [("plain=4,J=2", true), ("plain=3,J=1,Q=1,A=1", false)] {
        let states = states(&deck.parse().unwrap());
        let after: BTreeMap<State, Option<State>> = states
            .iter()
            .map(|&state| {
                (
                    state,
                    Some(state.trick()).filter(|t| !t.over).map(|t| t.after),
                )
            })
            .collect();
        let mut before: BTreeMap<State, BTreeSet<State>> = BTreeMap::new();
        for (&state, after) in &after {
            if let Some(after) = after {
                before.entry(*after).or_default().insert(state);
            }
        }
        let mut some_loop = false;
        for &state in &states {
            let mut listed = BTreeSet::new();
            predecessors(state, |predecessor, _| assert!(listed.insert(predecessor)));
            assert_eq!(listed, before.get(&state).cloned().unwrap_or_default());
            let verdict = exact::play(&state.deal());
            some_loop |= verdict.is_loop();
            // All that can be reached by going back from where the game ends or turns.
            let mut open = match verdict.outcome {
                Outcome::Finished { .. } => vec![closure::last_state(state).0],
                Outcome::Loop { lead_in, .. } => {
                    Cycle::after(state, lead_in.tricks).iter().collect()
                }
            };
            let mut tree: BTreeSet<State> = open.iter().copied().collect();
            while let Some(state) = open.pop() {
                for &earlier in before.get(&state).into_iter().flatten() {
                    if tree.insert(earlier) {
                        open.push(earlier);
                    }
                }
            }
            let hands = [state.leader.len() as usize, state.other.len() as usize];
            let closed = closure::close(&state.deal(), &verdict, hands, u64::MAX).unwrap();
            assert_eq!(closed.walk.states, tree.len() as u64);
            let same_sizes =
                |s: &&State| [s.leader.len(), s.other.len()].map(|n| n as usize) == hands;
            let wanted: BTreeSet<String> = tree
                .iter()
                .filter(same_sizes)
                .map(|state| state.deal().to_string())
                .collect();
            let deals: BTreeSet<String> = closed
                .deals
                .iter()
                .map(|(deal, _)| deal.to_string())
                .collect();
            assert_eq!(deals, wanted);
            for (deal, claimed) in &closed.deals {
                assert_eq!(exact::play(deal), *claimed, "{deal}");
            }
        }
        assert_eq!(some_loop, loops, "{deck}");
    }
}

#[test]
fn small_decks_as_published() {
    let deck: Deck = "plain=2,1=2,2=2,3=2".parse().unwrap();
    let longest = (0..2_520)
        .map(|index| exact::play(&deck.deal_at(index, Order::PlainFirst).unwrap()))
        .inspect(|verdict| assert!(!verdict.is_loop()))
        .map(|verdict| verdict.played.cards)
        .max();
    assert_eq!(longest, Some(15));
}

#[test]
fn first_and_last_standard_deal() {
    let deck = Deck::standard();
    let play = |index| exact::play(&deck.deal_at(index, Order::AcesFirst).unwrap()).played;
    assert_eq!(
        play(0),
        Span {
            cards: 34,
            tricks: 8
        }
    );
    assert_eq!(
        play(deck.deals().unwrap() - 1),
        Span {
            cards: 45,
            tricks: 9
        }
    );
}

/// The published mean of 1e8 random standard deals is 254.737 cards (sd 206.0) and 35.254 tricks
/// (sd 28.82).
#[test]
fn sums_of_fixed_random_deals() {
    let deck = Deck::standard();
    let deals = deck.deals().unwrap();
    let (mut cards, mut tricks, games) = (0, 0, 20_000u64);
    // A Weyl sequence: 2^128 divided by the golden ratio walks evenly through all indices.
    let mut at = 0u128;
    for _ in 0..games {
        at = at.wrapping_add(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        let index = mul_high(at, deals);
        let verdict = exact::play(&deck.deal_at(index, Order::AcesFirst).unwrap());
        assert!(!verdict.is_loop());
        cards += verdict.played.cards;
        tricks += verdict.played.tricks;
    }
    assert_eq!((cards, tricks), (5_106_849, 707_356));
    let off = |sum: u64, mean: f64, sd: f64| {
        (sum as f64 / games as f64 - mean).abs() / (sd / (games as f64).sqrt())
    };
    assert!(off(cards, 254.737, 206.0) < 4.0);
    assert!(off(tricks, 35.254, 28.82) < 4.0);
}

/// The high 128 bits of a product.
fn mul_high(a: u128, b: u128) -> u128 {
    let low = u128::from(u64::MAX);
    let (a1, a0, b1, b0) = (a >> 64, a & low, b >> 64, b & low);
    let middle = a1 * b0 + ((a0 * b0) >> 64);
    let other = a0 * b1 + (middle & low);
    a1 * b1 + (middle >> 64) + (other >> 64)
}
