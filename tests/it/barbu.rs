//! `camicia match barbu`, with real processes: the text's own command, and bots that misbehave.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use super::support::arena::{Arena, Outcome};
use super::support::bots;

/// Runs `camicia match barbu` with these arguments (split at blanks) and then those. No process of the
/// match may be there afterwards.
fn barbu(args: &str, more: &[&str]) -> Outcome {
    let args: Vec<&str> = args.split_whitespace().collect();
    Arena::new(&["barbu"]).with(&args).with(more).run()
}

fn points(game: &Value) -> Vec<i64> {
    let points = game["points"].as_array().unwrap().iter();
    points.map(|points| points.as_i64().unwrap()).collect()
}

const FOUR: &str = "--player1 a=builtin:random --player2 b=builtin:random \
                    --player3 c=builtin:careful --player4 d=builtin:careful";

#[test]
fn the_command_of_the_text_plays_every_seating_of_five_deals() {
    // The text's own: two programs, each of them twice.
    let command = "--game ravage --permute --n 5 --player1 builtin:random --player2 builtin:random \
                   --player3 builtin:careful --player4 builtin:careful";
    let output = barbu(command, &["--json"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    let (lines, games) = (output.json(), output.games());
    assert_eq!(games.len(), 120);
    let mut seats: BTreeMap<(u64, String, usize), u32> = BTreeMap::new();
    let mut seatings = BTreeSet::new();
    for game in &games {
        assert_eq!(game["variant"], "ravage");
        let deal = game["deal"].as_u64().unwrap();
        seatings.insert((deal, game["seats"].to_string()));
        for (seat, bot) in game["seats"].as_array().unwrap().iter().enumerate() {
            *seats
                .entry((deal, bot.as_str().unwrap().to_owned(), seat))
                .or_default() += 1;
        }
        assert_eq!(points(game).iter().sum::<i64>(), -36);
    }
    assert_eq!(seatings.len(), 120);
    assert_eq!(seats.len(), 5 * 4 * 4);
    assert!(seats.values().all(|&count| count == 6));
    let standings = lines.last().unwrap()["standings"].as_array().unwrap();
    let names: BTreeSet<&str> = standings
        .iter()
        .map(|line| line["bot"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        BTreeSet::from(["careful", "careful-2", "random", "random-2"])
    );
    for line in standings {
        assert_eq!(line["games"], 120);
        let points = line["points"].as_i64().unwrap() as f64;
        assert!((line["mean"].as_f64().unwrap() - points / 120.0).abs() < 1e-9);
        let error = line["error"].as_f64().unwrap();
        assert!(error.is_finite() && error >= 0.0);
    }
    // Twins meet the same cards in the same seats: over all seatings of a deal they are equal.
    let mean = |name: &str| {
        let line = standings.iter().find(|line| line["bot"] == name).unwrap();
        line["points"].as_i64().unwrap()
    };
    assert_eq!(mean("random"), mean("random-2"));
    assert_eq!(mean("careful"), mean("careful-2"));
    assert!(mean("careful") > mean("random"));
}

#[test]
fn one_deal_has_a_mean_and_no_error() {
    for seating in ["", "--permute --game nullo"] {
        let output = barbu(
            FOUR,
            &[
                &["--n", "1"],
                &seating.split_whitespace().collect::<Vec<_>>()[..],
            ]
            .concat(),
        );
        assert_eq!(output.code, Some(0), "{}", output.err);
        let shown = &output.out;
        let lower = shown.to_lowercase();
        assert!(!lower.contains("nan") && !lower.contains("inf"), "{shown}");
        let row = shown
            .lines()
            .find(|line| line.trim().starts_with("a "))
            .unwrap();
        assert_eq!(row.split_whitespace().nth(3), Some("-"), "{shown}");
    }
    let output = barbu(FOUR, &["--n", "1", "--json"]);
    let lines = output.json();
    assert!(lines.last().unwrap()["standings"][0]["error"].is_null());
    assert_eq!(output.games().len(), 8);
}

#[test]
fn all_games_of_a_deal_have_the_same_cards() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("logs");
    let output = barbu(
        FOUR,
        &[
            "--n",
            "2",
            "--rotate",
            "--game",
            "trumps,hearts",
            "--logs",
            logs.to_str().unwrap(),
        ],
    );
    assert_eq!(output.code, Some(0));
    // The hands by seat, of games 0 to 7 (the first deal) and 8 to 15 (the second).
    let hands = |game: usize| -> Vec<String> {
        let mut files: Vec<_> = fs::read_dir(logs.join(format!("{game:06}")))
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        files.sort();
        let hand = |file: &Path| {
            let log = fs::read_to_string(file).unwrap();
            log.lines().nth(1).unwrap()[11..].to_owned()
        };
        files.iter().map(|file| hand(file)).collect()
    };
    for game in 1..8 {
        assert_eq!(hands(game), hands(0), "game {game}");
    }
    assert_eq!(hands(15), hands(8));
    assert_ne!(hands(8), hands(0));
}

#[test]
fn every_game_is_played_in_both_protocols_whatever_the_number_of_jobs() {
    for (protocol, variants) in [("new", 8), ("ai", 7)] {
        let args = [
            "--rotate",
            "--n",
            "2",
            "--protocol",
            protocol,
            "--json",
            "--seed",
            "7",
        ];
        let one = barbu(FOUR, &args);
        assert_eq!(one.code, Some(0), "{}", one.err);
        let games = one.games();
        assert_eq!(games.len(), 2 * 4 * variants);
        assert!(games.iter().all(|game| game["reason"] == "won"));
        let two = barbu(FOUR, &[&args[..], &["--jobs", "2"]].concat());
        assert_eq!(one.out, two.out);
    }
}

#[test]
fn a_game_can_be_watched_and_played_again() {
    let output = barbu(FOUR, &["--game", "barbu", "--watch", "--seed", "3"]);
    assert_eq!(output.code, Some(0));
    let shown = &output.out;
    for piece in [
        "Barbu: BARBU",
        "doubling",
        "trick 1: a leads",
        "takes",
        "scores: a ",
    ] {
        assert!(shown.contains(piece), "{piece}: {shown}");
    }
    let output = barbu(
        FOUR,
        &["--game", "dominoes", "--watch", "--game-number", "5"],
    );
    let shown = &output.out;
    for piece in ["Barbu: DOMINOES", " lays ", " passes", "h: "] {
        assert!(shown.contains(piece), "{piece}: {shown}");
    }
    let whole = barbu(FOUR, &["--game", "hearts", "--n", "4", "--json"]);
    let again = barbu(
        FOUR,
        &[
            "--game",
            "hearts",
            "--n",
            "4",
            "--json",
            "--game-number",
            "2",
        ],
    );
    assert_eq!(whole.games()[2], again.games()[0]);
}

#[test]
fn a_match_goes_on_under_the_same_rules_only() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.jsonl");
    let results = [
        "--results",
        file.to_str().unwrap(),
        "--game",
        "nullo,trumps",
    ];
    let with = |more: &[&str]| barbu(FOUR, &[&results[..], more].concat());
    assert_eq!(with(&["--n", "2"]).code, Some(0));
    let more = with(&["--n", "4", "--resume"]);
    assert_eq!(more.code, Some(0), "{}", more.err);
    let kept = fs::read_to_string(&file).unwrap();
    assert_eq!(kept.lines().count(), 1 + 8);
    for other in [&["--lenient"][..], &["--protocol", "ai"], &["--permute"]] {
        let refused = with(&[&["--n", "5", "--resume"], other].concat());
        assert_eq!(refused.code, Some(2), "{other:?}");
        assert!(refused.err.contains("of another match"));
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), kept);
}

#[test]
fn wrong_command_lines_are_told_what_is_right() {
    let cases: [(&str, &[&str]); 9] = [
        (
            "--game ravages --bot builtin:random",
            &[
                "`ravages`",
                "nullo, queens, barbu, hearts, lasttwo, ravage, trumps, dominoes, and all",
            ],
        ),
        (
            "--protocol ai --game dominoes --bot a=builtin:random --bot b=builtin:random --bot c=builtin:random --bot d=builtin:random",
            &["dominoes", "--protocol new"],
        ),
        (
            "--player1 builtin:random --player3 builtin:random",
            &["--player2 is missing", "--bot four times"],
        ),
        ("", &["--player1 is missing"]),
        ("--bot builtin:random --bot builtin:random", &["exactly 4"]),
        (
            "--bot builtin:random --player1 builtin:random",
            &["--player1"],
        ),
        ("--bot builtin:greedy", &["builtin:random, builtin:careful"]),
        ("--n 0 --bot builtin:random", &["--n"]),
        (
            "--bot ./no/such/bot --bot builtin:random --bot builtin:random --bot builtin:random",
            &["there is no file ./no/such/bot"],
        ),
    ];
    for (args, pieces) in cases {
        let output = barbu(args, &[]);
        assert_eq!(output.code, Some(2), "{args}");
        for piece in pieces {
            assert!(output.err.contains(piece), "{args}: {}", output.err);
        }
    }
}

/// The Python for the bots of these tests, if there is one: the program itself, for what stands in its
/// place on a PATH may be slow to start.
fn python() -> Option<&'static str> {
    static PYTHON: OnceLock<Option<String>> = OnceLock::new();
    let find = || {
        let mut command = Command::new("python3");
        let output = command
            .args(["-c", "import sys; print(sys.executable)"])
            .output()
            .ok()?;
        let path = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| path.trim().to_owned())
    };
    let python = PYTHON.get_or_init(find).as_deref();
    if python.is_none() {
        println!("skipped: no python3");
    }
    python
}

/// A bot that misbehaves in this way.
fn bad(python: &str, way: &str) -> String {
    let file = bots().join("barbu/bad.py");
    format!("bad={python} -I -S '{}' {way}", file.display())
}

#[test]
fn the_ten_line_bot_of_the_documents_plays_by_the_rules() {
    let Some(python) = python() else {
        return;
    };
    let games = "nullo,queens,barbu,hearts,lasttwo,ravage,trumps";
    let output = barbu(
        "--bot builtin:random --bot builtin:random --bot builtin:careful --rotate --n 2 --timeout 60",
        &[
            "--game",
            games,
            "--bot",
            &format!("{python} '{}'", bots().join("barbu/ten_lines.py").display()),
        ],
    );
    assert_eq!(output.code, Some(0), "{}", output.out);
}

/// Plays a bot that misbehaves in this way in seat 1, and gives its failures as `kind: detail`.
fn failures(python: &str, way: &str, more: &str) -> Vec<String> {
    let bad = bad(python, way);
    let players = [
        "--player1",
        "builtin:random",
        "--player2",
        &bad,
        "--player3",
        "builtin:random",
    ];
    let more: Vec<&str> = more.split_whitespace().collect();
    let common = ["--player4", "builtin:random", "--json"];
    let output = barbu("", &[&players[..], &common, &more].concat());
    let mut failures = Vec::new();
    for game in output.games() {
        let failed = game.get("failures").and_then(Value::as_array);
        for failure in failed.into_iter().flatten() {
            assert_eq!(failure["bot"], "bad", "{way}: {failure}");
            let kind = failure["kind"].as_str().unwrap();
            assert_eq!(game["reason"], kind, "{way}");
            let worst = match game["variant"].as_str().unwrap() {
                "queens" => -24,
                "hearts" => -30,
                _ => -5,
            };
            assert_eq!(points(&game), [0, worst, 0, 0], "{way}");
            failures.push(format!("{kind}: {}", failure["detail"].as_str().unwrap()));
        }
    }
    let code = if failures.is_empty() { 0 } else { 1 };
    assert_eq!(output.code, Some(code), "{way}: {}", output.err);
    failures
}

#[test]
fn unusual_bots_are_no_trouble() {
    let Some(python) = python() else {
        return;
    };
    for way in [
        "crlf",
        "blanks",
        "stderr",
        "ahead",
        "doubles",
        "forks",
        "ignores-term",
        "spins",
    ] {
        let failures = failures(python, way, "--game queens --n 1 --timeout 60");
        assert!(failures.is_empty(), "{way}: {failures:?}");
    }
}

#[test]
fn bots_that_end_or_write_nonsense_forfeit_with_the_right_reason() {
    let Some(python) = python() else {
        return;
    };
    let cases = [
        ("exits-0", "exit: ended with code 0"),
        ("exits-3", "exit: ended with code 3"),
        ("exits-in-play", "exit: ended with code 5"),
        ("signal", "crash: signal 11 (SIGSEGV)"),
        ("answers-then-exits", "exit: ended with code 0"),
        ("no-end-of-line", "exit: ended with code 0"),
        ("closes", "protocol: closed its output and stayed"),
        ("endless-line", "flood: over 64 KiB without an action"),
        (
            "endless-lines",
            "protocol: answered `junk`, which is no card",
        ),
        ("say", "protocol: answered `SAY my turn`, which is no card"),
        ("garbage", r"protocol: answered `\xff\u{0}\u{1b}[2J"),
        ("empty", "protocol: answered ``, which is no card"),
        ("several", "protocol: answered `"),
        ("upper", "protocol: answered `"),
        ("not-held", "illegal: played "),
        ("revokes", "illegal: played "),
    ];
    for (way, expected) in cases {
        let failures = failures(python, way, "--game queens --n 1 --timeout 60");
        assert_eq!(failures.len(), 1, "{way}: {failures:?}");
        assert!(failures[0].starts_with(expected), "{way}: {failures:?}");
    }
}

#[test]
fn an_answer_before_the_end_counts() {
    let Some(python) = python() else {
        return;
    };
    // The same deal is forfeited one trick later when the card came before the end: that many turns.
    let turns = |way: &str| {
        let bad = bad(python, way);
        let output = barbu(
            "--player1 builtin:random --player3 builtin:random --player4 builtin:random",
            &[
                "--player2",
                &bad,
                "--game",
                "nullo",
                "--n",
                "1",
                "--json",
                "--timeout",
                "60",
            ],
        );
        output.games()[0]["turns"].as_u64().unwrap()
    };
    let early = turns("exits-in-play");
    assert!(turns("answers-then-exits") > early);
    assert!(turns("no-end-of-line") > early);
}

#[test]
fn bots_that_fall_silent_run_out_of_time() {
    let Some(python) = python() else {
        return;
    };
    // They are the first to be asked, or the first to need longer than a moment.
    for way in ["never-reads", "silent", "half"] {
        let failures = failures(
            python,
            way,
            "--game queens --n 1 --timeout 1 --startup 2 --margin 5",
        );
        let wrote = if way == "half" { 1 } else { 0 };
        assert_eq!(failures.len(), 1, "{way}");
        let (failure, rest) = failures[0].split_at("timeout: no answer in 1 s".len());
        assert_eq!(failure, "timeout: no answer in 1 s", "{way}");
        assert_eq!(
            rest.matches("without an end of line").count(),
            wrote,
            "{rest}"
        );
    }
}

#[test]
fn a_bot_that_eats_memory_meets_its_limit() {
    let Some(python) = python() else {
        return;
    };
    // A fresh process is started for the second game, and fails like the first.
    let failures = failures(
        python,
        "memory",
        "--game hearts --n 2 --timeout 60 --limit-memory 1G",
    );
    for failure in &failures {
        assert!(
            failure.starts_with(
                "exit: ended with code 1; its last line on standard error: `MemoryError"
            ),
            "{failure}"
        );
    }
    assert_eq!(failures.len(), 2);
}

#[test]
fn a_lenient_referee_lets_revokes_pass() {
    let Some(python) = python() else {
        return;
    };
    let failures = failures(
        python,
        "revokes",
        "--game queens --n 3 --timeout 60 --lenient",
    );
    assert!(failures.is_empty(), "{failures:?}");
}

#[test]
fn one_who_knows_no_dominoes_forfeits_them() {
    let Some(python) = python() else {
        return;
    };
    let failures = failures(python, "spins", "--game dominoes --n 2 --timeout 60");
    assert!(
        failures
            .iter()
            .all(|failure| failure.starts_with("illegal: ")),
        "{failures:?}"
    );
    assert!(!failures.is_empty());
}
