//! Games on OpenCL devices, judged by the packed engine.

use camicia::bench::Signature;
use camicia::cards::{Deck, Order};
use camicia::deals::{IndexedBlocks, IndexedDeals, RandomDeals, random_block, random_dealing};
use camicia::game::gpu::{Block, Bounds, Card, Counted, Dealing, LISTED, devices};
use camicia::game::lanes::{End, Feed, Kernel, Played, play};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::support::{camicia_in, run, told};

/// The first device, ready to play; `None`, with a word, if there is none.
fn card(what: &str) -> Option<Card> {
    let Some(device) = devices().into_iter().next() else {
        println!("not tested here, since there is no OpenCL device: {what}");
        return None;
    };
    Some(device.open().unwrap())
}

/// Plays blocks as one batch.
fn batch(
    card: &mut Card,
    dealing: &Dealing,
    bounds: Bounds,
    blocks: &[Block],
) -> Vec<Option<Counted>> {
    let at = card.send(dealing, bounds, blocks).unwrap();
    card.take(at).unwrap().blocks
}

/// What a block should come to; `None` if too many games would be listed.
fn judged(feed: &mut impl Feed, bounds: Bounds) -> Option<Counted> {
    let mut wanted = Counted {
        cards: vec![0; 4096],
        tricks: vec![0; 512],
        won_by_a: 0,
        listed: Vec::new(),
    };
    // The slowest kernel is nearest to the packed engine, which judges it elsewhere.
    play(Kernel::Scalar, feed, bounds.cap, &mut |game: Played| {
        let long = game.cards >= bounds.list_from.min(4096) || game.tricks >= 512;
        if long || game.end == End::Capped {
            wanted.listed.push(game);
            return;
        }
        wanted.cards[game.cards as usize] += 1;
        wanted.tricks[game.tricks as usize] += 1;
        wanted.won_by_a += u32::from(game.end == End::A);
    });
    wanted.listed.sort_unstable_by_key(|game| game.at);
    (wanted.listed.len() <= LISTED).then_some(wanted)
}

#[test]
fn a_million_standard_deals_give_the_signature() {
    let Some(mut card) = card("the signature on a device") else {
        return;
    };
    let sums = Signature::on(&mut card, Signature::MILLION.games as u32).unwrap();
    assert_eq!(sums, Signature::MILLION);
}

#[test]
fn many_blocks_in_a_batch_and_two_batches_in_flight() {
    let Some(mut card) = card("batches on a device") else {
        return;
    };
    let deck = Deck::standard();
    let dealing = random_dealing(&deck).unwrap();
    let bounds = Bounds {
        list_from: 1_000,
        cap: 150,
    };
    let sizes = [1, 51, 52, 53, 700, 20_000, 3];
    let blocks: Vec<Block> = (0..)
        .zip(sizes)
        .map(|(block, games)| random_block(5, block, games))
        .collect();
    let first = card.send(&dealing, bounds, &blocks[..4]).unwrap();
    let second = card.send(&dealing, bounds, &blocks[4..]).unwrap();
    assert!(!card.has_room());
    let later = card.take(second).unwrap().blocks;
    let mut got = card.take(first).unwrap().blocks;
    got.extend(later);
    for ((block, games), got) in (0..).zip(sizes).zip(got) {
        let mut feed = RandomDeals::new(&deck, 5, block, 0..games.into()).unwrap();
        assert_eq!(got, judged(&mut feed, bounds), "block {block}");
    }
    assert!(card.pace() > 0.0);
    // Larger and larger batches, but never beyond the memory.
    let room = card.room(&dealing, 100);
    assert!((1..=1 << 22).contains(&room), "{room}");
    assert_eq!(card.room(&dealing, 1 << 40), 0);
}

#[test]
fn standard_deals_in_the_order_of_their_indices() {
    let Some(mut card) = card("deals by index on a device") else {
        return;
    };
    let bounds = Bounds {
        list_from: 1_200,
        cap: 5_000,
    };
    for (deck, starts) in [
        (
            "standard",
            [0, 497_985_732_634_057_566_415, 653_534_134_886_878_239_999],
        ),
        ("half", [0, 1_234_567, 3_483_400]),
    ] {
        let deck: Deck = deck.parse().unwrap();
        for order in [Order::AcesFirst, Order::usual(&deck)] {
            let indexed = IndexedBlocks::new(&deck, order).unwrap();
            let ranges = starts.map(|start| start..start + 5_000);
            let blocks = ranges.clone().map(|range| indexed.block(range).unwrap());
            let got = batch(&mut card, indexed.dealing(), bounds, &blocks);
            for (range, got) in ranges.into_iter().zip(got) {
                let mut feed = IndexedDeals::new(&deck, order, range.clone()).unwrap();
                assert_eq!(got, judged(&mut feed, bounds), "{deck}: {range:?}");
            }
        }
    }
}

#[test]
fn a_list_that_is_too_short_is_noticed() {
    let Some(mut card) = card("long lists of a device") else {
        return;
    };
    let dealing = random_dealing(&Deck::standard()).unwrap();
    let bounds = Bounds {
        list_from: 1,
        cap: 5_000,
    };
    let blocks = [random_block(1, 0, 257), random_block(1, 1, 256)];
    let got = batch(&mut card, &dealing, bounds, &blocks);
    assert_eq!(got[0], None);
    assert_eq!(got[1].as_ref().unwrap().listed.len(), 256);
}

/// Decks at the edges: one-card hands, one payment card, as many as fit, nothing else.
fn decks() -> impl Strategy<Value = Deck> {
    (2usize..=60)
        .prop_flat_map(|cards| {
            let most = cards.min(16);
            (
                Just(cards),
                prop_oneof![4 => 1..=most, 1 => Just(1), 1 => Just(most)],
                prop_oneof![3 => 1..cards, 1 => Just(1), 1 => Just(cards - 1), 2 => Just(cards / 2)],
            )
        })
        .prop_flat_map(|(cards, payment_cards, a)| {
            let kinds = proptest::collection::vec(1usize..=4, payment_cards);
            (Just(cards), kinds, Just(a))
        })
        .prop_map(|(cards, kinds, a)| {
            let mut counts = [cards - kinds.len(), 0, 0, 0, 0];
            kinds.iter().for_each(|&pays| counts[pays] += 1);
            let [plain, j, q, k, ace] = counts;
            format!(
                "plain={plain},J={j},Q={q},K={k},A={ace},hands={a}/{}",
                cards - a
            )
            .parse()
            .unwrap()
        })
}

#[test]
fn random_decks_as_the_packed_engine() {
    let Some(mut card) = card("random decks on a device") else {
        return;
    };
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 3_000,
        ..ProptestConfig::default()
    });
    let card = std::cell::RefCell::new(&mut card);
    let cases = (
        decks(),
        any::<u64>(),
        1u32..150,
        prop_oneof![Just(2_000u32), 0u32..40],
    );
    let run = runner.run(&cases, |(deck, seed, games, cap)| {
        let mut card = card.borrow_mut();
        let bounds = Bounds {
            list_from: 300,
            cap,
        };
        let dealing = random_dealing(&deck).unwrap();
        let blocks = [random_block(seed, 7, games)];
        let got = batch(&mut card, &dealing, bounds, &blocks);
        let mut feed = RandomDeals::new(&deck, seed, 7, 0..games.into()).unwrap();
        prop_assert_eq!(&got[0], &judged(&mut feed, bounds), "{} at random", deck);

        let deals = deck.deals().unwrap_or(0);
        if deals == 0 || seed % 8 != 0 && deals > 1_000_000 {
            return Ok(());
        }
        let start = u128::from(seed) % deals;
        let range = start..(start + u128::from(games)).min(deals);
        let indexed = IndexedBlocks::new(&deck, Order::AcesFirst).unwrap();
        let blocks = [indexed.block(range.clone()).unwrap()];
        let got = batch(&mut card, indexed.dealing(), bounds, &blocks);
        let mut feed = IndexedDeals::new(&deck, Order::AcesFirst, range).unwrap();
        prop_assert_eq!(&got[0], &judged(&mut feed, bounds), "{} by index", deck);
        Ok(())
    });
    run.unwrap();
}

#[test]
fn decks_that_a_device_does_not_play() {
    for deck in [
        "plain=20",
        "plain=2,J=1,hands=3/0",
        "plain=2,J=1,hands=0/3",
        "plain=45,J=16",
        "plain=3,J=17",
    ] {
        let deck: Deck = deck.parse().unwrap();
        assert!(random_dealing(&deck).is_none(), "{deck}");
        assert!(IndexedBlocks::new(&deck, Order::AcesFirst).is_none());
    }
}

#[test]
fn devices_are_listed_and_tested() {
    let (code, out, _) = run(&["devices", "--json"]);
    assert_eq!(code, 0);
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    let names: Vec<&str> = Kernel::available().map(Kernel::name).collect();
    let kernels = value["kernels"].as_array().unwrap();
    assert_eq!(kernels.len(), names.len());
    for (kernel, name) in kernels.iter().zip(names) {
        assert_eq!(kernel["name"], name);
        assert_eq!(kernel["signature_holds"], true);
    }
    let (code, text, _) = run(&["devices"]);
    assert_eq!(code, 0);
    assert!(text.contains("scalar"), "{text}");
    let listed = value["devices"].as_array().unwrap();
    assert_eq!(listed.len(), devices().len());
    if listed.is_empty() {
        assert!(
            text.contains("clinfo") && text.contains("apt install"),
            "{text}"
        );
    }
    for device in listed {
        assert!(text.contains(device["name"].as_str().unwrap()), "{text}");
        if device["error"].is_null() {
            assert_eq!(device["signature_holds"], true);
            assert!(device["games_per_second"].as_f64().unwrap() > 0.0);
        }
    }
}

#[test]
fn without_drivers_it_is_said_what_to_install() {
    let none = tempfile::tempdir().unwrap();
    let command = camicia_in(none.path(), &["devices"])
        .env("OCL_ICD_VENDORS", none.path())
        .output()
        .unwrap();
    let (code, text, _) = told(&command);
    assert_eq!(code, 0);
    assert!(
        text.contains("no OpenCL device") && text.contains("pocl-opencl-icd"),
        "{text}"
    );
}
