//! Bots of Uno that behave in every way that bots were seen to behave: each has its reason, in its
//! time, harms no one else, and leaves no process.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::support::arena::{Arena, Outcome};
use super::support::{bad, bots};

/// One game of `bot` against the bot that plays any card, with short times.
fn one_game(bot: &str, more: &[&str]) -> Outcome {
    Arena::new(&[
        "uno",
        "--bot",
        bot,
        "--bot",
        "builtin:random",
        "--games",
        "1",
        "--json",
    ])
    // The margin is for the bots that answer, however busy the machine is.
    .with(&["--timeout", "1", "--startup", "1", "--margin", "5"])
    .with(more)
    .run()
}

/// A bot that is put out for this reason: the other one wins, and the program says so.
#[track_caller]
fn is_out(kind: &str, reason: &str, detail: &str) {
    is_out_with(kind, &[], reason, detail);
}

#[track_caller]
fn is_out_with(kind: &str, more: &[&str], reason: &str, detail: &str) {
    let outcome = one_game(&bad(kind), more);
    let game = &outcome.games()[0];
    assert_eq!(game["reason"], reason, "{game}");
    assert_eq!(game["winners"], serde_json::json!([1]), "{game}");
    let failure = (kind.to_owned(), reason.to_owned(), detail.to_owned());
    assert_eq!(outcome.failures(), [failure], "{game}");
    assert_eq!(outcome.code, Some(1), "a bot misbehaved");
}

/// A bot that is odd but plays on: the game ends by its rules.
#[track_caller]
fn plays_on(kind: &str, more: &[&str]) -> Outcome {
    let outcome = one_game(&bad(kind), more);
    let game = &outcome.games()[0];
    assert_eq!(outcome.failures(), [], "{game}");
    let reason = game["reason"].as_str().unwrap();
    assert!(["won", "deck-out"].contains(&reason), "{game}");
    assert!(game["turns"].as_u64().unwrap() >= 2, "{game}");
    assert_eq!(outcome.code, Some(0));
    outcome
}

#[test]
fn exits_at_once_with_code_0() {
    is_out("exit-0", "exit", "ended with code 0");
}

#[test]
fn exits_at_once_with_another_code() {
    is_out("exit-3", "exit", "ended with code 3");
}

#[test]
fn dies_by_a_signal() {
    is_out("crash", "crash", "signal 11 (SIGSEGV)");
}

#[test]
fn answers_then_exits() {
    for kind in ["answer-then-exit", "last-words"] {
        let outcome = one_game(&bad(kind), &["--forgive"]);
        let game = &outcome.games()[0];
        assert_eq!(game["reason"], "exit", "{game}");
        // Its first turn counted: it is out at its second.
        assert!(game["turns"].as_u64().unwrap() >= 3, "{game}");
        assert_eq!(outcome.code, Some(0), "forgiven");
    }
}

#[test]
fn never_answers() {
    let start = Instant::now();
    is_out("silent", "timeout", "no answer in 1 s");
    // A second, with one more for the first answer and five of margin.
    let spent = start.elapsed();
    assert!(spent >= Duration::from_secs(7), "{spent:?}");
}

#[test]
fn never_reads() {
    is_out("never-reads", "timeout", "no answer in 1 s");
}

#[test]
fn closes_its_output_and_stays() {
    is_out("closes", "protocol", "closed its output and stayed");
}

#[test]
fn writes_half_a_line_and_waits() {
    is_out(
        "half-line",
        "timeout",
        "no answer in 1 s; it wrote `BUY 1` without an end of line",
    );
}

#[test]
fn keeps_its_answers_in_a_buffer() {
    is_out("block-buffered", "timeout", "no answer in 1 s");
}

#[test]
fn writes_in_the_wrong_case() {
    is_out(
        "wrong-case",
        "timeout",
        "no answer in 1 s; it wrote `buy 1`, which is no answer",
    );
}

#[test]
fn what_a_bot_wrote_instead_of_an_answer_is_shown() {
    std::thread::scope(|scope| {
        for (kind, wrote) in [
            ("prompt", "it wrote `> BUY 1`, which is no answer"),
            ("nbsp", r"it wrote `BUY\u{a0}1`, which is no answer"),
            (
                "colour",
                r"it wrote `\u{1b}[31mBUY 1\u{1b}[0m`, which is no answer",
            ),
            ("bare-cr", r"it wrote `BUY 1\r` without an end of line"),
            (
                "talks",
                "it wrote 3 lines that are no answer, the last `hello`",
            ),
        ] {
            scope.spawn(move || {
                let outcome = one_game(&bad(kind), &[]);
                let (_, reason, detail) = outcome.failures().remove(0);
                // What it owes is chance.
                let detail = detail.replace(['2', '4'], "1");
                let due = format!("no answer in 1 s; {wrote}");
                assert_eq!((reason, detail), ("timeout".to_owned(), due), "{kind}");
            });
        }
    });
}

#[test]
fn a_byte_order_mark_before_the_first_line_is_dropped() {
    plays_on("bom", &[]);
}

#[test]
fn the_last_line_of_standard_error_of_a_bot_that_ended_is_shown() {
    is_out(
        "raises",
        "exit",
        "ended with code 1; its last line on standard error: `NameError: name 'x'`",
    );
}

#[test]
fn odd_ends_of_line_and_blanks_are_tolerated() {
    plays_on("crlf", &[]);
    plays_on("blanks", &[]);
    plays_on("empty", &[]);
}

#[test]
fn chatter_is_skipped_and_not_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().to_str().unwrap();
    for kind in ["chatter", "bytes"] {
        plays_on(kind, &["--logs", logs]);
        let own = log(folder.path(), &format!("seat0-{kind}.log"));
        let other = log(folder.path(), "seat1-random.log");
        assert!(!own.contains('\u{1b}'), "escaped: {own}");
        for line in other
            .lines()
            .filter_map(|line| line.get(11..)?.strip_prefix("> "))
        {
            let first = line.split(' ').next().unwrap();
            let known = ["PLAYERS", "YOU", "HAND", "TABLE", "TURN", "DISCARD", "BUY"];
            assert!(known.contains(&first) || is_card(first), "{line}");
        }
    }
    let own = log(folder.path(), "seat0-bytes.log");
    assert!(own.contains(r"< \xff\xfe\u{0}\u{1}\u{1b}[2J"), "{own}");
}

#[test]
fn a_garbled_card_costs_the_turn() {
    let outcome = one_game(&bad("bad-card"), &["--forgive"]);
    let game = &outcome.games()[0];
    let reason = game["reason"].as_str().unwrap();
    // Out at a debt, if it meets one; never by its garbage.
    assert!(["won", "deck-out", "illegal"].contains(&reason), "{game}");
}

#[test]
fn floods() {
    is_out("endless-line", "flood", "over 64 KiB without an action");
    is_out(
        "endless-lines",
        "flood",
        "64 lines without an action, the last `a`",
    );
    is_out(
        "endless-say",
        "flood",
        "64 lines without an action, the last `SAY a`",
    );
    is_out("long-line", "flood", "over 64 KiB without an action");
}

#[test]
fn writes_ahead_of_its_turn() {
    // It never reads, so its first debt ends it, and not before.
    let outcome = one_game(&bad("ahead"), &["--forgive"]);
    let game = &outcome.games()[0];
    let reason = game["reason"].as_str().unwrap();
    assert!(["won", "deck-out", "illegal"].contains(&reason), "{game}");
    assert!(game["turns"].as_u64().unwrap() >= 2, "{game}");
}

#[test]
fn floods_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    plays_on("stderr", &["--logs", folder.path().to_str().unwrap()]);
    let own = log(folder.path(), "seat0-stderr.log");
    assert!(own.contains("bytes left out"), "only the ends are kept");
    assert!(own.contains("! last words"), "the last end is kept");
    assert!(own.len() < 200_000, "{} bytes", own.len());
}

#[test]
fn forks_children_that_outlive_it() {
    // That nothing is left is what every run looks for.
    plays_on("forks", &[]);
    is_out("leaves", "exit", "ended with code 0");
}

#[test]
fn ignores_term() {
    plays_on("ignores-term", &[]);
}

#[test]
fn eats_memory() {
    let outcome = one_game(&bad("memory"), &["--limit-memory", "64M"]);
    let (bot, kind, _) = &outcome.failures()[0];
    assert_eq!(bot, "memory");
    assert!(["exit", "crash"].contains(&kind.as_str()), "{kind}");
}

#[test]
fn writes_files_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let bot = format!("{} file", bad("writes"));
    let outcome = Arena::new(&[
        "uno",
        "--bot",
        &bot,
        "--bot",
        "builtin:random",
        "--games",
        "1",
    ])
    .in_folder(folder.path())
    .run();
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    let length = fs::metadata(folder.path().join("file")).unwrap().len();
    assert!(length >= 5000, "{length}");

    // Within a limit the writer is stopped, and `head` of the script with it.
    let limited = Arena::new(&[
        "uno",
        "--bot",
        &bot,
        "--bot",
        "builtin:random",
        "--games",
        "1",
    ])
    .with(&["--limit-file", "6K"])
    .in_folder(folder.path())
    .run();
    assert!(limited.code.is_some());
    assert!(fs::metadata(folder.path().join("file")).unwrap().len() <= length.max(6 * 1024));
}

#[test]
fn starts_slowly() {
    plays_on("slow-start", &[]);
}

#[test]
fn plays_a_card_it_does_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().to_str().unwrap();
    plays_on("not-held", &["--logs", logs]);
    let other = log(folder.path(), "seat1-random.log");
    assert!(other.contains("> INVALID ACTION"), "{other}");
    let own = log(folder.path(), "seat0-not-held.log");
    assert!(!own.contains("INVALID"), "the mover is not told: {own}");
}

#[test]
fn buys_nothing_or_everything() {
    for count in [
        "0",
        "-1",
        "x",
        "+1",
        "1.5",
        "999999",
        "99999999999999999999999999",
    ] {
        let bot = format!("{} {count}", bad("buys"));
        let outcome = one_game(&bot, &[]);
        let game = &outcome.games()[0];
        let ends = if count.starts_with("9") {
            "deck-out"
        } else {
            "won deck-out"
        };
        assert!(
            ends.contains(game["reason"].as_str().unwrap()),
            "{count}: {game}"
        );
        assert_eq!(outcome.failures(), [], "{count}");
    }
}

#[test]
fn a_debt_unpaid() {
    let outcome = Arena::new(&["uno", "--bot", &bad("unpaid"), "--bot", "builtin:random"])
        .with(&["--games", "20", "--json", "--seed", "5"])
        .run();
    let mut out = 0;
    for game in outcome.games() {
        if game["reason"] == "illegal" {
            out += 1;
            let detail = game["failures"][0]["detail"].as_str().unwrap();
            let owed = [
                "owed BUY 2 and answered `BUY 1`",
                "owed BUY 4 and answered `BUY 1`",
            ];
            assert!(owed.contains(&detail), "{detail}");
        }
    }
    assert!(out > 0, "a debt in twenty games");
    assert_eq!(outcome.code, Some(1));
}

#[test]
fn two_bots_of_one_name() {
    let outcome = Arena::new(&["uno", "--json", "--games", "1"])
        .with(&[
            "--bot",
            "builtin:random",
            "--bot",
            "builtin:random",
            "--bot",
            "averylongname=builtin:greedy",
        ])
        .with(&["--bot", "averylongnameindeed=builtin:greedy"])
        .run();
    let seats = &outcome.games()[0]["seats"];
    let names = ["random", "random-2", "averylongname", "averylongnameindeed"];
    assert_eq!(*seats, serde_json::json!(names));
    assert_eq!(outcome.code, Some(0));
}

#[test]
fn a_game_without_end_is_ended() {
    // Neither ever acts: every turn is lost.
    let bots = [bad("bad-card"), bad("bad-card")];
    let outcome = Arena::new(&["uno", "--bot", &bots[0], "--bot", &bots[1]])
        .with(&["--games", "1", "--json", "--turns", "300"])
        .run();
    let game = &outcome.games()[0];
    assert_eq!(game["reason"], "deck-out");
    assert_eq!(game["turns"], 300);
    assert_eq!(
        game["winners"],
        serde_json::json!([0, 1]),
        "both hold seven cards"
    );
}

#[test]
fn one_bad_bot_harms_no_one_else() {
    for kind in ["endless-lines", "crash", "closes", "leaves"] {
        let outcome = Arena::new(&["uno", "--games", "3", "--json", "--bot", &bad(kind)])
            .with(&[
                "--bot",
                "builtin:counter",
                "--bot",
                "builtin:greedy",
                "--bot",
                "builtin:random",
            ])
            .run();
        for game in outcome.games() {
            let failures = game["failures"].as_array().unwrap();
            assert_eq!(failures.len(), 1, "{game}");
            assert_eq!(failures[0]["bot"], kind);
            assert!(
                !game["winners"].as_array().unwrap().contains(&0.into()),
                "{game}"
            );
        }
    }
}

#[test]
fn a_bot_in_c_that_pays_no_debt_is_out_at_its_first_and_not_before() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("template");
    let compiled = Command::new("gcc")
        .args(["-w", "-o"])
        .arg(&program)
        .arg(bots().join("uno/template.c"))
        .status();
    if !compiled.is_ok_and(|status| status.success()) {
        println!("skipped: there is no gcc");
        return;
    }
    let logs = folder.path().join("logs");
    let outcome = Arena::new(&["uno", "--games", "12", "--json", "--forgive", "--jobs", "4"])
        .with(&[
            "--bot",
            program.to_str().unwrap(),
            "--bot",
            "builtin:counter",
        ])
        .with(&[
            "--logs",
            logs.to_str().unwrap(),
            "--startup",
            "3",
            "--margin",
            "1",
        ])
        .run();
    let mut out = 0;
    for game in outcome.games() {
        let number = game["game"].as_u64().unwrap();
        let text = log_of(&logs, number, "seat0-template.log");
        let mut sent = text
            .lines()
            .filter_map(|line| line.get(11..)?.strip_prefix("> "));
        // Its first debt, or a line of three words, of which it reads two and is lost.
        let (mut owes, mut lost) = (false, false);
        let end = sent.by_ref().find_map(|line| {
            if line.starts_with("DISCARD ") {
                owes = line.starts_with("DISCARD V");
                lost |= line.split(' ').count() == 3;
            }
            let due = line == "TURN template";
            (due && lost)
                .then_some("timeout")
                .or((due && owes).then_some("illegal"))
        });
        assert_eq!(sent.count(), 0, "game {number}: {text}");
        let failure = &game["failures"][0]["kind"];
        assert_eq!(failure.as_str(), end, "game {number}: {game}");
        if end == Some("illegal") {
            out += 1;
            let detail = "owed BUY 2 and answered `DISCARD A♥ ♥`";
            assert_eq!(game["failures"][0]["detail"], detail);
        }
    }
    assert!(out > 0, "a debt in twelve games");
}

#[test]
fn the_bots_of_the_documents_play() {
    let mut played = Vec::new();
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("c");
    let compiled = Command::new("gcc")
        .arg("-o")
        .arg(&program)
        .arg(bots().join("uno/ten_lines.c"))
        .status();
    if compiled.is_ok_and(|status| status.success()) {
        played.push(program.display().to_string());
    } else {
        println!("skipped: there is no gcc");
    }
    if Command::new("python3")
        .arg("-V")
        .status()
        .is_ok_and(|status| status.success())
    {
        played.push(format!(
            "python3 {}",
            bots().join("uno/ten_lines.py").display()
        ));
    } else {
        println!("skipped: there is no python3");
    }
    for bot in played {
        let outcome = Arena::new(&[
            "uno",
            "--games",
            "10",
            "--rotate",
            "--json",
            "--startup",
            "30",
        ])
        .with(&["--bot", &bot, "--bot", "builtin:random"])
        .run();
        assert_eq!(
            outcome.code,
            Some(0),
            "{bot}: {}{}",
            outcome.out,
            outcome.err
        );
        let standings = &outcome.json().pop().unwrap()["standings"];
        let wins = |line: &serde_json::Value| line["wins"].as_f64().unwrap();
        assert!(
            wins(&standings[0]) > 0.0 && wins(&standings[1]) > 0.0,
            "{standings}"
        );
    }
}

fn is_card(word: &str) -> bool {
    word.ends_with(['♥', '♦', '♣', '♠'])
}

fn log(folder: &Path, file: &str) -> String {
    log_of(folder, 0, file)
}

fn log_of(folder: &Path, game: u64, file: &str) -> String {
    let path = folder.join(format!("{game:06}")).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
