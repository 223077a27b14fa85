//! The fast engine, judged by the exact one.

use camicia::cards::{Deal, Deck, Order, Player};
use camicia::game::Outcome;
use camicia::game::exact::{Sameness, play_until};
use camicia::game::lanes::{Dealt, End, Feed, Kernel, Played, play};
use camicia::search::feed::Random;
use proptest::prelude::*;

/// Given deals of one deck.
struct Given {
    deck: Deck,
    deals: Vec<Dealt>,
}

impl Given {
    fn new(deals: &[Deal]) -> Given {
        let mut deals = Given {
            deck: Deck::of(&deals[0], false),
            deals: deals.iter().map(|deal| Dealt::of(deal).unwrap()).collect(),
        };
        deals.deals.reverse();
        deals
    }
}

impl Feed for Given {
    fn deck(&self) -> &Deck {
        &self.deck
    }

    fn fill(&mut self, deals: &mut [Dealt]) -> usize {
        let n = deals.len().min(self.deals.len());
        for deal in &mut deals[..n] {
            *deal = self.deals.pop().unwrap();
        }
        n
    }
}

/// All games, in the order of the feed.
fn games(kernel: Kernel, feed: &mut impl Feed, cap: u32) -> Vec<Played> {
    let mut games = Vec::new();
    play(kernel, feed, cap, |game| games.push(game));
    games.sort_by_key(|game| game.at);
    assert!((0..).zip(&games).all(|(at, game)| at == game.at));
    games
}

/// What the exact engine says of a deal, as a kernel should.
fn judged(at: u64, deal: &Deal, cap: u32) -> Played {
    let capped = Played {
        at,
        cards: 0,
        tricks: 0,
        end: End::Capped,
    };
    match play_until(deal, Sameness::Skeleton, u64::from(cap)) {
        Ok(verdict) => match verdict.outcome {
            Outcome::Loop { .. } => capped,
            Outcome::Finished { winner } => Played {
                at,
                cards: verdict.played.cards as u32,
                tricks: verdict.played.tricks as u32,
                end: match winner {
                    Player::A => End::A,
                    Player::B => End::B,
                },
            },
        },
        Err(_) => capped,
    }
}

fn check(deals: &[Deal], cap: u32) {
    let wanted: Vec<Played> = (0..)
        .zip(deals)
        .map(|(at, deal)| judged(at, deal, cap))
        .collect();
    for kernel in Kernel::available() {
        let got = games(kernel, &mut Given::new(deals), cap);
        assert_eq!(got.len(), wanted.len(), "{kernel}");
        for ((got, wanted), deal) in got.iter().zip(&wanted).zip(deals) {
            assert_eq!(got, wanted, "{kernel} on {deal}");
        }
    }
}

/// A composition: payment cards may be few, half, all, or those that fill a word exactly.
fn composition() -> impl Strategy<Value = Vec<u8>> {
    (1usize..=63)
        .prop_flat_map(|cards| {
            (
                Just(cards),
                prop_oneof![
                    4 => 0..=cards,
                    3 => 0..=cards.min(16),
                    1 => Just(cards),
                    1 => Just(0),
                    1 => Just(cards.min(16)),
                    1 => Just(cards.min(32)),
                    1 => Just(cards.min(1)),
                ],
            )
        })
        .prop_flat_map(|(cards, payment_cards)| {
            proptest::collection::vec(1u8..=4, payment_cards).prop_map(move |mut pays| {
                pays.resize(cards, 0);
                pays
            })
        })
}

/// Some deals of one deck, with the same hands.
fn deals() -> impl Strategy<Value = Vec<Deal>> {
    composition()
        .prop_flat_map(|pays| {
            let cards = pays.len();
            (
                Just(pays),
                prop_oneof![3 => 0..=cards, 1 => Just(1), 1 => Just(cards - 1), 3 => Just(cards / 2)],
                1usize..=40,
            )
        })
        .prop_flat_map(|(pays, a, n)| {
            proptest::collection::vec(Just(pays).prop_shuffle(), n).prop_map(move |deals| {
                deals
                    .iter()
                    .map(|pays| Deal::from_payments(&pays[..a], &pays[a..]).unwrap())
                    .collect()
            })
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn every_kernel_plays_as_the_exact_engine(deals in deals(), cap in prop_oneof![Just(2000u32), 0u32..40]) {
        check(&deals, cap);
    }
}

#[test]
fn every_deal_of_small_decks() {
    for deck in [
        "plain=1",
        "J=1",
        "plain=1,J=1",
        "J=2",
        "plain=3,J=1,A=1",
        "plain=4,Q=2,hands=1/5",
        "plain=4,Q=2,hands=5/1",
        "plain=2,1=2,2=2,3=2",
        "J=2,Q=1,K=1,A=1",
        "plain=9",
        "plain=7,4=3,hands=4/6",
    ] {
        let deck: Deck = deck.parse().unwrap();
        let deals: Vec<Deal> = (0..deck.deals().unwrap())
            .map(|index| deck.deal_at(index, Order::AcesFirst).unwrap())
            .collect();
        check(&deals, 300);
    }
}

#[test]
fn standard_deals_as_the_exact_engine() {
    let deck = Deck::standard();
    let mut feed = Random::new(&deck, 20_260_101, 0, 0..5_000).unwrap();
    let mut dealt = vec![Dealt::default(); 5_001];
    let n = feed.fill(&mut dealt);
    let deals: Vec<Deal> = dealt[..n].iter().map(|dealt| dealt.deal(&deck)).collect();
    check(&deals, 5_000);
    check(&deals, 30);
}
