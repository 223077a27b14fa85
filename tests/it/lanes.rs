//! The fast engine, judged by the exact one.

use camicia::bench::Signature;
use camicia::cards::{Deal, Deck, Order, Player};
use camicia::deals::RandomDeals;
use camicia::game::exact::{Sameness, play_until};
use camicia::game::lanes::{Dealt, End, Feed, Kernel, Played, play, survivors};
use camicia::game::packed::{self, Kinds, MAX_CARDS, State};
use camicia::game::{Outcome, exact};
use proptest::prelude::*;

use super::support::run;

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
    play(kernel, feed, cap, &mut |game| games.push(game));
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

/// Checks which games go on, of states that share no deck.
fn check_survivors(deals: &[Deal], cap: u32) {
    fn of<K: Kinds>(deals: &[Deal], cap: u32) {
        let fit = |deal: &&Deal| State::<K>::of(deal).is_some();
        let deals: Vec<&Deal> = deals.iter().filter(fit).collect();
        let states: Vec<State<K>> = deals.iter().filter_map(|deal| State::of(deal)).collect();
        let goes_on = |at: &usize| judged(0, deals[*at], cap).end == End::Capped;
        let wanted: Vec<usize> = (0..deals.len()).filter(goes_on).collect();
        for kernel in Kernel::available() {
            let mut got = Vec::new();
            survivors(kernel, &states, cap, &mut |at| got.push(at));
            got.sort_unstable();
            assert_eq!(got, wanted, "{kernel} on {deals:?}");
        }
    }
    of::<u64>(deals, cap);
    of::<u128>(deals, cap);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn survivors_are_the_games_that_go_on(
        decks in proptest::collection::vec(deals(), 1..12),
        cap in prop_oneof![Just(220u32), 0u32..40],
    ) {
        let mut deals = decks.concat();
        deals.retain(|deal| deal.len() <= MAX_CARDS);
        deals.retain(|deal| [Player::A, Player::B].iter().all(|&player| !deal.hand(player).is_empty()));
        check_survivors(&deals, cap);
    }
}

#[test]
fn infinite_games_survive() {
    let known = camicia::search::finds::known::all();
    let loops = known
        .iter()
        .filter(|find| find.is_loop() && find.deal.len() <= MAX_CARDS);
    let mut deals: Vec<Deal> = loops.map(|find| find.deal.clone()).collect();
    let infinite = deals.len();
    assert!(infinite > 400);
    check_survivors(&deals, 500);
    // Among games that end, in the middle of a feed and at its end.
    let deck = Deck::standard();
    let mut feed = RandomDeals::new(&deck, 1, 0, 0..3_000).unwrap();
    let mut dealt = vec![Dealt::default(); 3_001];
    let n = feed.fill(&mut dealt);
    deals.extend(dealt[..n].iter().map(|dealt| dealt.deal(&deck)));
    deals.rotate_left(infinite / 2);
    check_survivors(&deals, 500);
    check_survivors(&deals, 20);
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
        "plain=2,J=1,hands=3/0",
        "plain=2,J=1,hands=0/3",
    ] {
        let deck: Deck = deck.parse().unwrap();
        let deals: Vec<Deal> = (0..deck.deals().unwrap())
            .map(|index| deck.deal_at(index, Order::AcesFirst).unwrap())
            .collect();
        for cap in [0, 1, 2, 300] {
            check(&deals, cap);
        }
    }
}

#[test]
fn standard_deals_as_the_exact_engine() {
    let deck = Deck::standard();
    let mut feed = RandomDeals::new(&deck, 20_260_101, 0, 0..5_000).unwrap();
    let mut dealt = vec![Dealt::default(); 5_001];
    let n = feed.fill(&mut dealt);
    let deals: Vec<Deal> = dealt[..n].iter().map(|dealt| dealt.deal(&deck)).collect();
    check(&deals, 5_000);
    check(&deals, 30);
}

/// Each deal of a signature.
fn each_deal(games: u64, mut visit: impl FnMut(Deal)) {
    let mut feed = Signature::deals(games);
    let deck = feed.deck().clone();
    let mut dealt = [Dealt::default(); 1000];
    loop {
        let n = feed.fill(&mut dealt);
        dealt[..n].iter().for_each(|dealt| visit(dealt.deal(&deck)));
        if n < dealt.len() {
            return;
        }
    }
}

#[test]
fn a_million_standard_deals_give_the_same_sums_on_every_engine() {
    for kernel in Kernel::available() {
        let million = Signature::MILLION;
        assert_eq!(Signature::of(kernel, million.games), million, "{kernel}");
        let first = Signature::FIRST;
        assert_eq!(Signature::of(kernel, first.games), first, "{kernel}");
    }
    let mut sums = Signature::default();
    each_deal(Signature::MILLION.games, |deal| {
        let (played, end) = packed::play(State::<u64>::of(&deal).unwrap(), 5_000);
        assert_ne!(end, End::Capped, "a game of over 5,000 tricks");
        sums.add(played.cards, played.tricks, end == End::A);
    });
    assert_eq!(sums, Signature::MILLION);
    let few = 20_000;
    let mut sums = Signature::default();
    each_deal(few, |deal| {
        let verdict = exact::play(&deal);
        sums.add(
            verdict.played.cards,
            verdict.played.tricks,
            verdict.winner() == Some(Player::A),
        );
    });
    assert_eq!(sums, Signature::of(Kernel::best(), few));
}

/// Against the published means of 10^8 games: within five deviations of a mean of 10^6 (the
/// deals of a group being hardly correlated; see `feed`).
#[test]
fn random_deals_have_the_published_means() {
    let Signature {
        games,
        cards,
        tricks,
        won_by_a,
    } = Signature::MILLION;
    let near = |sum: u64, mean: f64, deviation: f64| {
        let off = sum as f64 / games as f64 - mean;
        assert!(off.abs() < 5.0 * deviation / (games as f64).sqrt(), "{off}");
    };
    near(cards, 254.737, 206.0);
    near(tricks, 35.254, 28.82);
    near(won_by_a, 0.4975, 0.5);
}

#[test]
fn a_kernel_has_a_name() {
    for kernel in Kernel::available() {
        assert_eq!(kernel.to_string().parse::<Kernel>(), Ok(kernel));
    }
    assert_eq!(Kernel::available().last(), Some(Kernel::Scalar));
    let error = "mmx".parse::<Kernel>().unwrap_err().to_string();
    assert!(
        error.contains("\"mmx\" is no kernel") && error.contains("scalar"),
        "{error}"
    );
    for kernel in Kernel::ALL {
        if !kernel.is_available() {
            println!("not tested here, since this processor has no {kernel}: that kernel");
            let error = kernel.name().parse::<Kernel>().unwrap_err().to_string();
            assert!(error.contains("cannot run"), "{error}");
        }
    }
}

/// The last games of a feed, however many there are, and blocks that end anywhere.
#[test]
fn every_game_comes_out_once_whatever_the_length_of_the_feed() {
    let deck = Deck::standard();
    for kernel in Kernel::available() {
        let all = games(
            kernel,
            &mut RandomDeals::new(&deck, 3, 4, 0..1_000).unwrap(),
            5_000,
        );
        for n in [0, 1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257, 999] {
            let some = games(
                kernel,
                &mut RandomDeals::new(&deck, 3, 4, 0..n).unwrap(),
                5_000,
            );
            assert_eq!(some, all[..n as usize], "{kernel}");
        }
    }
}

#[test]
fn the_bench_reports_what_it_measured_and_checks_the_signature() {
    let (code, out, _) = run(&["bench", "--quick", "--json", "--threads", "2"]);
    assert_eq!(code, 0);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let wanted = &report["signature"]["wanted"];
    assert_eq!(wanted["cards"], Signature::FIRST.cards);
    let kernels = Kernel::available().count();
    let checks = report["signature"]["kernels"].as_array().unwrap();
    assert_eq!(checks.len(), kernels);
    assert!(checks.iter().all(|check| check["holds"] == true));
    let measures = report["measures"].as_array().unwrap();
    assert_eq!(measures.len(), 2 + 3 * kernels + 3 + 2);
    for measure in measures {
        assert!(measure["per_second"].as_f64().unwrap() > 0.0, "{measure}");
        assert!(measure["per_second_least"].as_f64() <= measure["per_second_greatest"].as_f64());
    }
    assert_eq!(measures.last().unwrap()["threads"], 2);

    let (code, text, _) = run(&["bench", "--quick", "--kernel", "scalar", "--threads", "1"]);
    assert_eq!(code, 0);
    assert!(
        text.contains("scalar, random deals") && text.contains("as everywhere"),
        "{text}"
    );
    assert!(!text.contains("avx2, random deals"), "{text}");
    assert_eq!(run(&["bench", "--kernel", "mmx"]).0, 2);
}
