//! Both feeds: deals of their decks, wherever batches end; uniform; the same for ever.

use super::{FeedError, IndexedDeals, RandomDeals, random_deal};
use crate::cards::{Deck, IndexError, Order};
use crate::game::lanes::{Dealt, Feed};

fn collect(feed: &mut impl Feed, batch: usize) -> Vec<Dealt> {
    let mut all = Vec::new();
    let mut deals = vec![Dealt::default(); batch];
    loop {
        let n = feed.fill(&mut deals);
        all.extend_from_slice(&deals[..n]);
        if n < batch {
            return all;
        }
    }
}

fn decks() -> Vec<Deck> {
    [
        "standard",
        "italian",
        "half",
        "standard,hands=0/52",
        "standard,hands=51/1",
        "plain=1",
        "J=1",
        "plain=1,A=1",
        "plain=63",
        "A=63",
        "A=63,hands=63/0",
        "plain=2,J=20,Q=20,K=20,A=1",
        "J=10,Q=10,K=10,A=2",
        "plain=31,J=10,Q=10,K=10,A=2",
        "plain=23,J=10,Q=10,K=10,A=10",
        "plain=47,J=4,Q=4,K=4,A=4,hands=1/62",
    ]
    .map(|deck| deck.parse().unwrap())
    .to_vec()
}

#[test]
fn a_random_deal_is_of_its_deck_wherever_the_batches_end() {
    for deck in decks() {
        let all = collect(&mut RandomDeals::new(&deck, 7, 3, 0..200).unwrap(), 1000);
        assert_eq!(all.len(), 200);
        for (offset, dealt) in all.iter().enumerate() {
            let deal = dealt.deal(&deck);
            assert_eq!(deck.check(&deal), Ok(()), "{deck}");
            assert_eq!(Dealt::of(&deal), Some(*dealt), "{deck}");
            assert_eq!(random_deal(&deck, 7, 3, offset as u64), Ok(deal));
        }
        for (batch, start) in [(1, 5), (7, 0), (64, 130)] {
            let offsets = start..200;
            let mut feed = RandomDeals::new(&deck, 7, 3, offsets).unwrap();
            assert_eq!(collect(&mut feed, batch), all[start as usize..]);
        }
    }
}

#[test]
fn addresses_never_change_their_deals() {
    let deal = |deck: &str, seed, block, offset| {
        random_deal(&deck.parse().unwrap(), seed, block, offset)
            .unwrap()
            .to_string()
    };
    assert_eq!(
        deal("standard", 0, 0, 0),
        "----KA-J--J--AK---------JQ/----K-Q-J--A--A-K---Q--Q--"
    );
    assert_eq!(
        deal("standard", 0, 0, 1),
        "---A--JJ-A---------K------/-JQ--KQJAA-K----Q--Q----K-"
    );
    assert_eq!(
        deal("standard", 1, 0, 0),
        "Q--Q-J-J--A--AK------Q-A-K/------------K-Q--K--J---AJ"
    );
    assert_eq!(
        deal("standard", 2029, 1_000_000, 1_000_000),
        "Q-----J-Q-------A----JAQ-A/K--K-----------JKKJ---A--Q"
    );
    assert_eq!(
        deal("italian", 5, 6, u64::MAX - 1),
        "--K-QJ---J-K------K-/Q-QK-----Q--J---J---"
    );
    assert_eq!(deal("half,hands=13/7", 5, 6, 7), "-----Q--JK---/QJ----K");
    assert_eq!(
        deal("plain=3,J=20,Q=20,K=10,A=10", 5, 6, 7),
        "KJAKQJJQQAQJJAAQAAQQJQJQAQJJKK-J/JJJQQKKQQQJJJQKKAA--QKKJJQAQQJJ"
    );
}

#[test]
fn addresses_do_not_share_deals() {
    let deck = Deck::standard();
    let mut seen = std::collections::HashSet::new();
    for seed in 0..10 {
        for block in 0..10 {
            let mut feed = RandomDeals::new(&deck, seed, block, 0..100).unwrap();
            seen.extend(collect(&mut feed, 128));
        }
    }
    assert_eq!(seen.len(), 10_000);
}

/// The chi-square statistic of `counts` against equal shares.
fn chi_square(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    counts
        .iter()
        .map(|&n| (n as f64 - expected).powi(2) / expected)
        .sum()
}

#[test]
fn each_deal_is_uniform() {
    // Chi-square with d degrees of freedom has mean d and variance 2 d; five deviations.
    let sound = |counts: &[u64]| {
        let degrees = counts.len() as f64 - 1.0;
        let off = (chi_square(counts) - degrees) / (2.0 * degrees).sqrt();
        assert!(off.abs() < 5.0, "{off} deviations over {}", counts.len());
    };
    for deck in [
        "plain=3,J=1,Q=2",
        "plain=2,1=2,2=2,3=2",
        "plain=1,A=4,hands=1/4",
    ] {
        let deck: Deck = deck.parse().unwrap();
        let deals = deck.deals().unwrap() as usize;
        // One place of each group alone: its deals are independent of each other.
        for place in [0, deck.len() as u64 - 1] {
            let mut counts = vec![0; deals];
            for group in 0..(40 * deals as u64) {
                let offset = group * deck.len() as u64 + place;
                let deal = random_deal(&deck, 11, place, offset).unwrap();
                let index = deck.index_of(&deal, Order::PlainFirst).unwrap();
                counts[index as usize] += 1;
            }
            sound(&counts);
        }
    }
    // In the standard deck: each place of a deal holds each kind as often as the deck says.
    let deck = Deck::standard();
    let mut aces = [0; 52];
    let mut payment_cards = [0; 52];
    for group in 0..20_000 {
        let deal = random_deal(&deck, 12, 0, 52 * group + group % 52).unwrap();
        for (at, card) in deal.cards().enumerate() {
            aces[at] += u64::from(card.pays() == 4);
            payment_cards[at] += u64::from(card.pays() > 0);
        }
    }
    sound(&aces);
    sound(&payment_cards);
}

#[test]
fn indexed_deals_are_those_of_their_indices() {
    for deck in decks() {
        for order in [Order::AcesFirst, Order::PlainFirst] {
            let Some(deals) = deck.deals() else {
                assert!(matches!(
                    IndexedDeals::new(&deck, order, 0..1),
                    Err(FeedError::Index(IndexError::TooMany(_)))
                ));
                continue;
            };
            for start in [0, deals / 3, deals.saturating_sub(60)] {
                let range = start..(start + 60).min(deals);
                let mut feed = IndexedDeals::new(&deck, order, range.clone()).unwrap();
                let all = collect(&mut feed, 7);
                let wanted: Vec<_> = range
                    .map(|index| Dealt::of(&deck.deal_at(index, order).unwrap()).unwrap())
                    .collect();
                assert_eq!(all, wanted, "{deck} {order} from {start}");
            }
            assert!(matches!(
                IndexedDeals::new(&deck, order, deals - 1..deals + 1),
                Err(FeedError::Index(IndexError::Range { .. }))
            ));
            assert_eq!(
                collect(&mut IndexedDeals::new(&deck, order, 5..5).unwrap(), 7),
                []
            );
        }
    }
}

#[test]
fn all_deals_of_a_deck_in_order() {
    let deck: Deck = "plain=5,J=2,Q=1,K=1,A=1,hands=7/3".parse().unwrap();
    for order in [Order::AcesFirst, Order::PlainFirst] {
        let deals = deck.deals().unwrap();
        let mut feed = IndexedDeals::new(&deck, order, 0..deals).unwrap();
        for (index, dealt) in collect(&mut feed, 1000).into_iter().enumerate() {
            let deal = dealt.deal(&deck);
            assert_eq!(deck.index_of(&deal, order), Ok(index as u128));
        }
    }
}

#[test]
fn a_large_deck_is_refused() {
    let deck: Deck = "plain=60,A=4".parse().unwrap();
    let error = random_deal(&deck, 0, 0, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the deck plain=60,A=4 has 64 cards: a search takes decks of at most 63"
    );
    assert!(IndexedDeals::new(&deck, Order::AcesFirst, 0..1).is_err());
}
