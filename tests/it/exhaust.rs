//! Whole decks: exact counts, shards, ranges, the table of small decks.

use std::fs;

use camicia::cards::{Deck, Order, Player};
use camicia::deals::IndexedDeals;
use camicia::game::exact;
use camicia::game::lanes::{self, End, Kernel};
use camicia::search::methods::decks::{compositions, row};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::support::run_in as run;

#[test]
fn the_half_deck() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["exhaust", "--deck", "half", "--results", "out", "--json"];
    let (code, out, err) = run(folder.path(), &args);
    assert_eq!(code, 0, "{err}");
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&told["deals"], &told["loops"], &told["cycles"]),
        (&json!("3488400"), &json!("16"), &json!(1))
    );
    assert!(
        told["proofs"][0]
            .as_str()
            .unwrap()
            .contains("1 cycle has 16 deals"),
        "{told}"
    );
    let summary = fs::read_to_string(folder.path().join("out/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    for (key, wanted) in [
        ("finished", json!("3488384")),
        ("wins", json!({ "A": "1722372", "B": "1766012" })),
        ("cycles_players_apart", json!(1)),
    ] {
        assert_eq!(summary[key], wanted, "{key}");
    }
    assert_eq!(summary["cards"]["mean_exact"], "41655403/872096");
    assert_eq!(summary["tricks"]["mean_exact"], "28606181/3488384");
    let longest = json!({ "cards": 517, "tricks": 83, "deal": "0301000020/0002000013",
        "deals_of_so_many_cards": 1 });
    assert_eq!(summary["longest"], longest);
    assert_eq!(
        summary["each_cycle"][0]["period"],
        json!({ "cards": 74, "tricks": 10 })
    );
    // Every loop is written, and every find holds.
    let (code, out, _) = run(folder.path(), &["verify", "out/leaderboard.jsonl"]);
    assert_eq!((code, out.as_str()), (0, "1016 of 1016 claims hold\n"));
}

/// Every deck of up to so many cards is compared with the exact engine.
const COMPARED: usize = if cfg!(debug_assertions) { 7 } else { 9 };

#[test]
fn every_small_deck_deal_by_deal() {
    compositions(2, COMPARED).par_iter().for_each(|deck| {
        let order = Order::usual(deck);
        let deals = deck.deals().unwrap();
        let mut fast = vec![None; deals as usize];
        let mut feed = IndexedDeals::new(deck, order, 0..deals).unwrap();
        lanes::play(Kernel::best(), &mut feed, 60, &mut |game| {
            let before = fast[game.at as usize].replace((game.cards, game.tricks, game.end));
            assert_eq!(before, None, "{deck}");
        });
        for (index, fast) in fast.into_iter().enumerate() {
            let verdict = exact::play(&deck.deal_at(index as u128, order).unwrap());
            let wanted = match verdict.winner() {
                None => (0, 0, End::Capped),
                Some(winner) => (
                    verdict.played.cards as u32,
                    verdict.played.tricks as u32,
                    if winner == Player::A { End::A } else { End::B },
                ),
            };
            assert_eq!(fast, Some(wanted), "deal {index} of {deck}");
        }
    });
}

#[test]
fn the_committed_table_is_what_the_program_makes() {
    let committed = include_str!("../../results/tables/small-decks.csv");
    let folder = tempfile::tempdir().unwrap();
    let args = ["exhaust", "--all-decks", "--max-cards", "7", "--csv"];
    let (code, out, err) = run(folder.path(), &args);
    assert_eq!(code, 0, "{err}");
    assert!(committed.starts_with(&out), "{out}");
    assert!(committed.len() > out.len());
    // Deals of all compositions of n cards: all words of n letters out of five.
    let table = csv::Reader::from_reader(committed.as_bytes()).into_records();
    let mut deals = std::collections::BTreeMap::<u32, u128>::new();
    for record in table {
        let record = record.unwrap();
        *deals.entry(record[0].parse().unwrap()).or_default() += record[6].parse::<u128>().unwrap();
    }
    for (cards, deals) in deals {
        assert_eq!(deals, 5u128.pow(cards));
    }
    let deck = Deck::new([2, 2, 2, 2, 0]).unwrap();
    assert_eq!(row(&deck).unwrap().longest.unwrap().played.cards, 15);
}

#[test]
fn merged_shards_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let all = [
            &[
                "exhaust",
                "--deck",
                "plain=9,J=2,Q=1",
                "--block",
                "7",
                "--keep",
                "9",
            ],
            args,
        ];
        let (code, _, err) = run(folder.path(), &all.concat());
        assert_eq!(code, 0, "{err}");
    };
    run(&["--results", "whole", "--state", "state", "--threads", "2"]);
    for at in 0..3 {
        let (shard, state) = (format!("{at}/3"), format!("state.{at}"));
        run(&[
            "--results",
            &format!("part.{at}"),
            "--state",
            &state,
            "--shard",
            &shard,
        ]);
    }
    let merge = [
        "merge",
        "state.2",
        "state.0",
        "state.1",
        "--results",
        "merged",
    ];
    let (code, out, err) = self::run(folder.path(), &merge);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("all 3 shards are there"), "{out}");
    for file in [
        "summary.json",
        "histogram.csv",
        "cycles.csv",
        "leaderboard.jsonl",
    ] {
        let read = |of: &str| fs::read_to_string(folder.path().join(of).join(file)).unwrap();
        assert!(!read("whole").is_empty());
        assert_eq!(read("merged"), read("whole"), "{file}");
    }
    let (code, _, err) = self::run(folder.path(), &["merge", "state.2", "state.0"]);
    assert_eq!(code, 1);
    assert!(err.contains("shard 1/3 is missing"), "{err}");
}

#[test]
fn stopped_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let args = |results| {
        [
            "exhaust",
            "--deck",
            "plain=9,1=2,2=2",
            "--block",
            "100",
            "--results",
            results,
        ]
    };
    let (code, ..) = run(
        folder.path(),
        &[&args("a")[..], &["--time-limit", "0s"]].concat(),
    );
    assert_eq!(code, 75);
    let (code, ..) = run(folder.path(), &args("a"));
    assert_eq!(code, 0);
    let (code, ..) = run(
        folder.path(),
        &[&args("b")[..], &["--state", "other"]].concat(),
    );
    assert_eq!(code, 0);
    for file in [
        "summary.json",
        "histogram.csv",
        "cycles.csv",
        "leaderboard.jsonl",
    ] {
        let read = |of: &str| fs::read_to_string(folder.path().join(of).join(file)).unwrap();
        assert_eq!(read("a"), read("b"), "{file}");
    }
}

#[test]
fn the_far_end_of_the_standard_deck() {
    let folder = tempfile::tempdir().unwrap();
    let range = "653534134886878244900..653534134886878245000";
    let args = [
        "exhaust",
        "--deck",
        "standard",
        "--range",
        range,
        "--results",
        "out",
        "--json",
    ];
    let (code, out, err) = run(folder.path(), &args);
    assert_eq!(code, 0, "{err}");
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(told["deals"], "100");
    let board = fs::read_to_string(folder.path().join("out/leaderboard.jsonl")).unwrap();
    let last = board
        .lines()
        .find(|line| line.contains("\"653534134886878244999\""))
        .unwrap();
    assert!(last.contains(r#""cards":45,"tricks":9"#), "{last}");
}

#[test]
fn wrong_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (args, wanted) in [
        (
            &["--deck", "half", "--range", "7..7"][..],
            "range: 7..7 is empty",
        ),
        (
            &["--deck", "half", "--range", "8..7"],
            "range: 8..7 is reversed",
        ),
        (
            &["--deck", "half", "--range", "0..3488401"],
            "goes past the end",
        ),
        (
            &["--deck", "half", "--range", "x"],
            "is no range: write A..B",
        ),
        (&["--deck", "plain=50,J=14"], "has 64 cards"),
        (&["--deck", "plain=0"], "the deck has no cards"),
        (&["--deck", "standard"], "this will take about"),
        (
            &["--deck", "half", "--how", "random"],
            "this command exhausts",
        ),
        (&["--all-decks"], "--max-cards"),
        (&["--all-decks", "--max-cards", "1"], "2 to 20 are accepted"),
        (
            &["--all-decks", "--max-cards", "4", "--deck", "half"],
            "takes no keys of a plan",
        ),
    ] {
        let (code, out, err) = run(folder.path(), &[&["exhaust"], args].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.contains(wanted), "{args:?}: {err}");
        assert!(
            !folder.path().join("results").exists(),
            "{args:?} left something behind"
        );
    }
}
