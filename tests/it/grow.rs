//! Growing infinite games: against brute force where a deck is small, against the known ones where
//! it is not; killed, stopped and resumed. And the command that shows one cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use std::thread::sleep;
use std::time::{Duration, Instant};

use camicia::cards::{Deal, Deck, Order};
use camicia::game::lanes::Kernel;
use camicia::game::{Outcome, exact};
use camicia::search::finds::{known, results};
use serde_json::{Value, json};

use super::support::{CASELLA, camicia_in as camicia, run, told};

/// An infinite game of 66 cards: too many for packed states.
const LARGE: &str = "-------------------------------J/-------J-----J-------------------";

/// Runs a plan in `folder` to its end: all that it leaves, but what tells of times.
fn search(folder: &Path, plan: &str, more: &[&str]) -> BTreeMap<String, Vec<u8>> {
    fs::write(folder.join("plan.toml"), plan).unwrap();
    let mut command = camicia(folder, &["search", "plan.toml"]);
    let (code, out, err) = told(&command.args(more).output().unwrap());
    assert_eq!(code, 0, "{plan}: {out}{err}");
    left(folder)
}

fn left(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let names = [
        "checkpoints/plan/state",
        "checkpoints/plan/finds.jsonl",
        "results/plan/leaderboard.jsonl",
        "results/plan/cycles.csv",
        "results/plan/summary.json",
    ];
    let read = |name: &str| (name.to_owned(), fs::read(folder.join(name)).unwrap());
    names.map(read).into()
}

/// The deals of each cycle of a leaderboard, every line proved again.
fn cycles(left: &BTreeMap<String, Vec<u8>>) -> BTreeMap<String, BTreeSet<Deal>> {
    let text = std::str::from_utf8(&left["results/plan/leaderboard.jsonl"]).unwrap();
    let mut cycles: BTreeMap<String, BTreeSet<Deal>> = BTreeMap::new();
    for (line, find) in results::read(text).finds {
        let find = find.unwrap_or_else(|error| panic!("line {line}: {error}"));
        assert_eq!(find.check(), Ok(()));
        assert!(find.is_loop());
        let cycle = find.cycle.clone().unwrap();
        assert!(cycles.entry(cycle).or_default().insert(find.deal), "twice");
    }
    let table = std::str::from_utf8(&left["results/plan/cycles.csv"]).unwrap();
    assert_eq!(table.lines().count(), cycles.len() + 1);
    for row in table.lines().skip(1) {
        let row: Vec<&str> = row.split(',').collect();
        assert_eq!(cycles[row[0]].len().to_string(), row[6], "{row:?}");
    }
    cycles
}

/// Every infinite deal of a deck, by brute force.
fn infinite(deck: &Deck) -> BTreeSet<Deal> {
    let deals = (0..deck.deals().unwrap())
        .map(|index| deck.deal_at(index, Order::usual(deck)).unwrap().skeleton());
    deals.filter(|deal| exact::play(deal).is_loop()).collect()
}

#[test]
fn from_nothing_all_cycles_of_small_decks_are_found_and_no_more() {
    // Equal hands, an odd card, hands that are far from equal; few cards and many payment cards.
    for deck in [
        "plain=8,J=4",
        "plain=9,J=4",
        "plain=7,J=2",
        "plain=6,J=2,Q=2",
        "plain=8,J=4,hands=8/4",
        "plain=8,J=4,hands=3/9",
    ] {
        let wanted = infinite(&deck.parse().unwrap());
        assert!(!wanted.is_empty(), "{deck}");
        let folder = tempfile::tempdir().unwrap();
        let plan = format!("how = \"grow\"\ndeck = \"{deck}\"\ntests = 300000\nblock = 2000");
        let cycles = cycles(&search(folder.path(), &plan, &[]));
        let found: BTreeSet<Deal> = cycles.values().flatten().cloned().collect();
        let count: usize = cycles.values().map(BTreeSet::len).sum();
        assert_eq!(count, found.len(), "{deck}: a deal enters one cycle only");
        assert_eq!(found, wanted, "{deck}");
    }
}

#[test]
fn the_half_deck_has_one_cycle_and_sixteen_deals() {
    let folder = tempfile::tempdir().unwrap();
    // One card is turned into another kind: the cycle of the deck is one change away.
    let plan = "how = \"grow\"\ndeck = \"half\"\nfrom = [\"----J--Q--/--K-K-Q---\"]\ntests = 1";
    fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let (code, _, err) = told(
        &camicia(folder.path(), &["search", "plan.toml"])
            .output()
            .unwrap(),
    );
    assert_eq!(code, 2);
    assert!(
        err.contains("from: the game of ----J--Q--/--K-K-Q--- ends"),
        "{err}"
    );
    let plan = plan.replace("Q---\"", "Q-J-\"");
    let cycles = cycles(&search(folder.path(), &plan, &[]));
    assert_eq!(cycles.len(), 1);
    let deals = &cycles["0000100200/0030302010"];
    assert_eq!(deals.len(), 16);
    for deal in deals {
        let Outcome::Loop { period, .. } = exact::play(deal).outcome else {
            panic!("{deal} is infinite");
        };
        assert_eq!((period.cards, period.tricks), (74, 10));
    }
}

#[test]
fn the_known_infinite_deals_give_every_deal_of_their_cycles() {
    let folder = tempfile::tempdir().unwrap();
    for (deck, wanted) in [("italian", (9, 162)), ("half", (1, 16))] {
        let deck: Deck = deck.parse().unwrap();
        let finds = known::all().into_iter();
        let loops = finds.filter(|find| find.is_loop() && find.deck == deck);
        let deals: Vec<String> = loops.map(|find| format!("{}\n", find.deal)).collect();
        assert!(!deals.is_empty(), "{deck}");
        let file = folder.path().join(format!("{deck}.txt"));
        fs::write(&file, format!("# known\n\n{}", deals.concat())).unwrap();
        let deck = deck.to_string();
        let file = file.to_str().unwrap();
        let args = [
            "grow",
            "--deck",
            &deck,
            "--from",
            file,
            "--tests",
            "1",
            "--results",
            "out",
        ];
        let (code, _, err) = told(&camicia(folder.path(), &args).output().unwrap());
        assert_eq!(code, 0, "{err}");
        let table = fs::read_to_string(folder.path().join("out/cycles.csv")).unwrap();
        let deals = table.lines().skip(1).map(|row| {
            let count = row.split(',').nth(6).unwrap();
            count.parse::<u64>().unwrap()
        });
        let deals: Vec<u64> = deals.collect();
        assert_eq!((deals.len(), deals.iter().sum()), wanted, "{deck}");
        fs::remove_dir_all(folder.path().join("out")).unwrap();
    }
}

#[test]
fn the_known_cycles_of_the_standard_deck_are_as_their_table_says() {
    let folder = tempfile::tempdir().unwrap();
    let results = concat!(env!("CARGO_MANIFEST_DIR"), "/results");
    let file = format!("{results}/known/standard-cycles.jsonl");
    let args = ["grow", "--from", &file, "--tests", "1", "--results", "out"];
    let (code, _, err) = told(&camicia(folder.path(), &args).output().unwrap());
    assert_eq!(code, 0, "{err}");
    let grown = fs::read_to_string(folder.path().join("out/cycles.csv")).unwrap();
    // Without the block that found a cycle. A block of changes may find more.
    let grown = grown.lines().map(|row| row.rsplit_once(',').unwrap().0);
    let grown: BTreeSet<String> = grown.map(str::to_owned).collect();
    let table = fs::read_to_string(format!("{results}/tables/standard-cycles.csv")).unwrap();
    let table: BTreeSet<String> = table.lines().map(str::to_owned).collect();
    assert_eq!(
        table.difference(&grown).collect::<Vec<_>>(),
        Vec::<&String>::new()
    );
    let count = |row: &String| row.rsplit_once(',').unwrap().1.parse::<u64>().ok();
    let deals: u64 = table.iter().filter_map(count).sum();
    assert_eq!((table.len() - 1, deals), (247, 8375));
    let known = known::all()
        .into_iter()
        .filter(|find| find.deck == Deck::standard());
    let known: BTreeSet<String> = known.filter_map(|find| find.cycle).collect();
    let named = |row: &String| row.split_once(',').unwrap().0.to_owned();
    let mut named: BTreeSet<String> = table.iter().map(named).collect();
    assert!(named.remove("cycle"));
    assert_eq!(named, known);
}

#[test]
fn results_files_are_grown_from_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/results/known/italian-infinite.jsonl"
    );
    let args = [
        "grow", "--deck", "italian", "--from", file, "--tests", "1", "--json",
    ];
    let (code, out, err) = told(&camicia(folder.path(), &args).output().unwrap());
    assert_eq!(code, 0, "{err}");
    let ended: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(ended["cycles"], 9, "{ended}");
}

/// A plan of some waves, with finds.
const WAVES: &str = "how = \"grow\"\ndeck = \"plain=14,1=2,2=2,3=2\"\nseed = 5\ntests = 1e6\n\
                     block = 1500\ncheckpoint_every = 0.02\n\
                     from = [\"----J--Q--/--K-K-Q-J-\", \"J--/-J-\"]\n";

#[test]
fn threads_and_kernels_change_no_byte() {
    let one = tempfile::tempdir().unwrap();
    let three = tempfile::tempdir().unwrap();
    let alone = search(one.path(), WAVES, &["--threads", "1"]);
    assert_eq!(alone, search(three.path(), WAVES, &["--threads", "3"]));
    assert!(!cycles(&alone).is_empty());
    for kernel in Kernel::available() {
        let other = tempfile::tempdir().unwrap();
        let with = ["--kernel", kernel.name()];
        assert_eq!(alone, search(other.path(), WAVES, &with), "{kernel}");
    }
}

#[test]
fn killed_and_resumed_it_loses_no_find() {
    let unbroken = tempfile::tempdir().unwrap();
    let wanted = search(unbroken.path(), WAVES, &[]);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plan.toml"), WAVES).unwrap();
    let start = Instant::now();
    let mut patience = Duration::from_millis(30);
    let mut killed = 0;
    loop {
        assert!(
            start.elapsed() < Duration::from_secs(300),
            "it does not come to an end"
        );
        let mut child = camicia(folder.path(), &["search", "plan.toml", "--resume"])
            .spawn()
            .unwrap();
        let begun = Instant::now();
        let ended = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if killed < 8 && begun.elapsed() > patience {
                break None;
            }
            sleep(Duration::from_millis(5));
        };
        if let Some(status) = ended {
            assert_eq!(status.code(), Some(0));
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
        patience = patience * 5 / 4;
    }
    assert_eq!(left(folder.path()), wanted);
}

#[test]
fn long_words_hold_many_payment_cards() {
    // 34 payment cards do not fit the shorter words.
    let folder = tempfile::tempdir().unwrap();
    let plan = "how = \"grow\"\ndeck = \"plain=12,J=34\"\ntests = 60000\nblock = 3000";
    cycles(&search(folder.path(), plan, &[]));
    let plan = "how = \"grow\"\ndeck = \"plain=61,J=2\"\ntests = 20000\nblock = 3000";
    cycles(&search(folder.path(), plan, &["--restart"]));
}

#[test]
fn what_cannot_be_grown_is_refused_with_its_cause() {
    let large = format!("--from={LARGE}");
    for (args, words) in [
        (&["--from=J-/-J"][..], "the game of J-/-J ends"),
        (&["--from=JZ/-J"], "hand A, card 2"),
        (
            &["--from=no.txt"],
            "neither a file that is there nor a deal",
        ),
        (&[&large], "over 63 cards"),
        (&["--deck=plain=60,J=4"], "64 cards"),
        (&["--deck=tarot"], "tarot"),
        (&["--shard=0/2"], "other seeds"),
        (&["--tests=0"], "tests: 0"),
    ] {
        let (code, _, err) = run(&[&["grow", "--time-limit", "1"], args].concat());
        assert_eq!(code, 2, "{args:?}: {err}");
        assert!(err.contains(words), "{args:?}: {err}");
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, text, words) in [
        ("finite.jsonl", "{\"deal\":\"J-/-\"}\n", "line 1"),
        ("bad.txt", "J--/-J-\nJ--\n", "line 2: "),
        ("none.txt", "# nothing\n", "no infinite deal"),
    ] {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        let (code, _, err) = run(&["grow", "--from", file.to_str().unwrap()]);
        assert_eq!(code, 2, "{name}: {err}");
        assert!(err.contains(words), "{name}: {err}");
    }
}

#[test]
fn a_cycle_is_shown_with_its_piles_and_its_deals() {
    let (code, out, err) = run(&["cycle", CASELLA, "--json"]);
    assert_eq!(code, 0, "{err}");
    let shown: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        shown["cycle"],
        "--J-/Q----K---------Q----K---A-KQQJ--K---A----AAJ--J-"
    );
    for (key, wanted) in [
        ("imbalance", 8),
        ("states", 62),
        ("ancestors", 2670),
        ("depth", 6),
    ] {
        assert_eq!(shown[key], wanted, "{key}");
    }
    let orbits = shown["orbits"].as_array().unwrap();
    assert_eq!(orbits.len(), 22);
    assert_eq!(orbits[0], json!({ "card": "-", "size": 25 }));
    assert_eq!(orbits[21], json!({ "card": "A", "size": 1 }));
    let sizes = orbits.iter().map(|orbit| orbit["size"].as_u64().unwrap());
    assert_eq!(sizes.sum::<u64>(), 52);
    assert_eq!(shown["period"]["cards"], 440);
    assert_eq!(shown["lead_in"]["tricks"], 4);
    let deals = shown["deals"].as_array().unwrap();
    assert_eq!(deals.len(), 30);
    assert!(deals.iter().any(|entry| entry["deal"] == CASELLA));
    let tricks = shown["tricks"].as_array().unwrap();
    assert_eq!(tricks.len(), 62);
    let piles = tricks
        .iter()
        .map(|trick| trick["pile"].as_str().unwrap().len());
    assert_eq!(piles.sum::<usize>(), 440);
    for pair in tricks.windows(2) {
        assert_eq!(pair[0]["winner"], pair[1]["leader"]);
        let sizes = |trick: &Value| {
            trick["sizes"][0].as_u64().unwrap() + trick["sizes"][1].as_u64().unwrap()
        };
        assert_eq!((sizes(&pair[0]), sizes(&pair[1])), (52, 52));
        let won = usize::from(pair[0]["winner"] == "B");
        let hand = pair[1][["a", "b"][won]].as_str().unwrap();
        assert!(hand.ends_with(pair[0]["pile"].as_str().unwrap()));
    }
    let (code, out, _) = run(&["cycle", CASELLA]);
    assert_eq!(code, 0);
    for words in [
        "period 440 cards, 62 tricks",
        "hands differ by 8 cards at least",
        "entered by this deal after 34 cards, 4 tricks",
        "2670 states lead into it, 30 of them deals of 26 and 26 cards",
        "cards that take each other's places: - 25 3 1x8, J 1x4, Q 1x4, K 3 1, A 3 1",
    ] {
        assert!(out.contains(words), "{words}: {out}");
    }
}

#[test]
fn cycles_of_other_sizes_are_shown_as_far_as_they_can_be() {
    // The players change places, so its period is twice its states.
    let (code, out, _) = run(&["cycle", "J--/-J-", "--json"]);
    let shown: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 0);
    assert_eq!(
        shown["tricks"].as_array().unwrap().len() as u64,
        shown["period"]["tricks"].as_u64().unwrap()
    );
    assert_eq!(shown["states"], 1);
    assert_eq!(shown["period"]["tricks"], 2);
    let (_, out, _) = run(&["cycle", "J--/-J-"]);
    assert!(
        out.contains("then the players have changed places"),
        "{out}"
    );
    let (code, out, _) = run(&["cycle", LARGE]);
    assert_eq!(code, 0);
    assert!(
        out.contains("backward play serves at most 63 cards"),
        "{out}"
    );
    let (code, out, _) = run(&["cycle", LARGE, "--json"]);
    let shown: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, shown.get("deals")), (0, None));
    // Digits, and a deck.
    let (code, out, _) = run(&["cycle", "0000100200/0030302010", "--deck", "half"]);
    assert_eq!(code, 0);
    assert!(out.contains("cycle 0000100200/0030302010"), "{out}");
    assert!(out.contains("16 of them deals of 10 and 10 cards"), "{out}");
    let (code, _, err) = run(&["cycle", "2 A/3 4 5 6 7"]);
    assert_eq!(code, 2);
    assert!(err.contains("ends after 7 cards, 1 trick"), "{err}");
}
