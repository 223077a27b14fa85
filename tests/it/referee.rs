//! The referee whatever the game: bots that cannot start, results and how to go on with them, Ctrl-C,
//! being killed, leaks.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};

use super::support::arena::{Arena, Outcome};
use super::support::{bad, wait_until};

const TWO: [&str; 5] = ["uno", "--bot", "builtin:greedy", "--bot", "builtin:random"];

fn two(more: &[&str]) -> Outcome {
    Arena::new(&TWO).with(more).run()
}

#[test]
fn the_first_match_of_a_newcomer_runs() {
    let outcome = two(&["--games", "20"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    let lines: Vec<&str> = outcome.out.lines().collect();
    assert!(
        lines[0].contains("share") && lines[0].contains("95 % interval"),
        "{}",
        outcome.out
    );
    assert!(
        lines[1..3]
            .iter()
            .any(|line| line.trim_start().starts_with("greedy "))
    );
    assert!(
        lines[1..3]
            .iter()
            .any(|line| line.trim_start().starts_with("random "))
    );
    assert!(lines[3].starts_with("ends: "), "{}", outcome.out);
    assert_eq!(outcome.err, "");
}

#[test]
fn a_bot_that_cannot_be_started_is_an_error_before_the_first_game() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str, mode: u32| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path.display().to_string()
    };
    let plain = file("plain", "#!/bin/sh\n", 0o644);
    let lost = file("lost", "#!/no/such/interpreter\n", 0o755);
    let windows = file("windows", "#!/bin/sh\r\necho\r\n", 0o755);
    let cases = [
        (
            "/no/such/bot --deep".to_owned(),
            "there is no file /no/such/bot",
        ),
        (
            "no-such-program".to_owned(),
            "no program `no-such-program` is on the PATH",
        ),
        (plain, "is not executable; `chmod +x"),
        (folder.path().display().to_string(), "is not a file"),
        (
            lost,
            "lost names the interpreter /no/such/interpreter in its first line, and there is no such file",
        ),
        (
            windows,
            "names the interpreter `/bin/sh` and ends as lines do on Windows (CR LF)",
        ),
        (
            "python3 a.py | tee log".to_owned(),
            "no shell runs it, so `|` would go to the program as it is; write sh -c '...'",
        ),
        (
            "LEVEL=3 python3 a.py".to_owned(),
            "write `env LEVEL=3 python3 a.py` to set LEVEL",
        ),
        (
            "builtin:nobody".to_owned(),
            "there are builtin:random, builtin:greedy",
        ),
        ("'".to_owned(), "missing closing quote"),
        (String::new(), "no program is named"),
    ];
    for (bot, why) in cases {
        let results = folder.path().join("results");
        let outcome = Arena::new(&["uno", "--bot", "builtin:random", "--bot", &bot])
            .with(&["--results", results.to_str().unwrap()])
            .run();
        assert_eq!(outcome.code, Some(2), "{bot}: {}", outcome.err);
        assert!(outcome.err.contains(why), "{bot}: {}", outcome.err);
        assert!(!results.exists(), "nothing was begun");
    }
}

#[test]
fn limits_too_narrow_to_start_are_named() {
    let outcome = Arena::new(&["uno", "--bot", &bad("silent"), "--bot", &bad("silent")])
        .with(&["--limit-memory", "100K"])
        .run();
    assert_eq!(outcome.code, Some(2), "{}", outcome.err);
    assert!(outcome.err.contains("cannot be started"), "{}", outcome.err);
}

#[test]
fn wrong_numbers_are_refused() {
    let cases: [&[&str]; 8] = [
        &["uno", "--bot", "builtin:random"],
        &[
            "uno",
            "--bot",
            "builtin:random",
            "--bot",
            "builtin:random",
            "--hand",
            "18",
        ],
        &[
            "uno",
            "--bot",
            "builtin:random",
            "--bot",
            "builtin:random",
            "--hand",
            "0",
        ],
        &[
            "uno",
            "--bot",
            "builtin:random",
            "--bot",
            "builtin:random",
            "--timeout",
            "0",
        ],
        &[
            "uno",
            "--bot",
            "builtin:random",
            "--bot",
            "builtin:random",
            "--timeout",
            "nan",
        ],
        &[
            "uno",
            "--bot",
            "builtin:random",
            "--bot",
            "builtin:random",
            "--limit-memory",
            "x",
        ],
        &[
            "uno",
            "--bot",
            "builtin:random",
            "--bot",
            "builtin:random",
            "--resume",
        ],
        &[
            "uno",
            "--bot",
            "builtin:random",
            "--bot",
            "builtin:random",
            "--jobs",
            "0",
        ],
    ];
    for case in cases {
        let outcome = Arena::new(case).run();
        assert_eq!(outcome.code, Some(2), "{case:?}: {}", outcome.err);
    }
}

#[test]
fn the_same_match_gives_the_same_bytes_on_any_number_of_jobs() {
    let one = two(&["--games", "60", "--json", "--seed", "7", "--rotate"]);
    let three = two(&[
        "--games", "60", "--json", "--seed", "7", "--rotate", "--jobs", "3",
    ]);
    assert_eq!(one.out, three.out);
    let other = two(&["--games", "60", "--json", "--seed", "8", "--rotate"]);
    assert_ne!(one.out, other.out);
    // Any one game again, by its number.
    let again = two(&["--game-number", "41", "--json", "--seed", "7", "--rotate"]);
    assert_eq!(again.games(), one.games()[41..42]);
    assert_eq!(
        again.games()[0]["seats"],
        serde_json::json!(["random", "greedy"])
    );
}

#[test]
fn more_games_at_once_than_cores_are_warned_of() {
    let outcome = two(&["--games", "2", "--jobs", "512"]);
    assert_eq!(outcome.code, Some(0));
    assert!(
        outcome.err.starts_with("warning: 512 games at once on "),
        "{}",
        outcome.err
    );
}

#[test]
fn rotations_play_whole_deals() {
    let outcome = two(&["--games", "5", "--rotate", "--json"]);
    let games = outcome.games();
    assert_eq!(games.len(), 6);
    assert_eq!(games[5]["deal"], 2);
}

#[test]
fn results_csv_and_json_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (results, csv) = (folder.path().join("r.jsonl"), folder.path().join("r.csv"));
    let outcome = two(&[
        "--games",
        "12",
        "--json",
        "--results",
        results.to_str().unwrap(),
    ]);
    let lines = fs::read_to_string(&results).unwrap();
    assert!(outcome.out.starts_with(&lines));
    let standings = &outcome.json()[13]["standings"];
    assert_eq!(standings[0]["games"], 12);
    let wins: f64 = [0, 1]
        .map(|bot| standings[bot]["wins"].as_f64().unwrap())
        .iter()
        .sum();
    assert!((wins - 12.0).abs() < 1e-9);

    let table = two(&["--games", "12", "--csv", csv.to_str().unwrap()]);
    assert_eq!(table.code, Some(0));
    let mut reader = csv::Reader::from_path(&csv).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 24);
    let score: f64 = rows.iter().map(|row| row[5].parse::<f64>().unwrap()).sum();
    assert!((score - 12.0).abs() < 1e-9);
    assert_eq!(&rows[3][4], "random");

    // A file that is there is not written over.
    let refused = two(&["--games", "12", "--results", results.to_str().unwrap()]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("--resume"), "{}", refused.err);
    assert_eq!(fs::read_to_string(&results).unwrap(), lines);
}

#[test]
fn a_match_goes_on_where_it_was_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let file = path.to_str().unwrap();
    let whole = two(&["--games", "20", "--json"]);
    let part = two(&["--games", "8", "--results", file]);
    assert_eq!(part.code, Some(0));
    // The power went while a line was written.
    let mut bytes = fs::read(&path).unwrap();
    bytes.truncate(bytes.len() - 10);
    fs::write(&path, &bytes).unwrap();
    let rest = two(&["--games", "20", "--json", "--results", file, "--resume"]);
    assert_eq!(rest.out, whole.out);
    assert!(whole.out.starts_with(&fs::read_to_string(&path).unwrap()));
    // Nothing left to play: the standings alone.
    let again = two(&["--games", "20", "--json", "--results", file, "--resume"]);
    assert_eq!(again.out, whole.out);
    // A file that is not there yet is begun.
    let new = folder.path().join("new.jsonl");
    let begun = two(&[
        "--games",
        "2",
        "--results",
        new.to_str().unwrap(),
        "--resume",
    ]);
    assert_eq!(begun.code, Some(0), "{}", begun.err);
    assert_eq!(fs::read_to_string(new).unwrap().lines().count(), 3);
}

#[test]
fn results_of_another_match_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let file = path.to_str().unwrap();
    assert_eq!(two(&["--games", "3", "--results", file]).code, Some(0));
    let good = fs::read_to_string(&path).unwrap();
    let cases: [(&[&str], &str); 4] = [
        (
            &["--seed", "1"],
            "its seed is 0, and 1 was asked for; for a new match give --results another name",
        ),
        (&["--hand", "6"], "set of rules"),
        (&["--rotate"], "seating"),
        (&["--bot", "builtin:random"], "list of bots"),
    ];
    for (more, why) in cases {
        let outcome = two(&[&["--results", file, "--resume"], more].concat());
        assert_eq!(outcome.code, Some(2), "{}", outcome.err);
        assert!(outcome.err.contains(why), "{}", outcome.err);
    }
    let lines: Vec<&str> = good.lines().collect();
    let damaged = [
        (format!("{}\n", &lines[0][1..]), "not the header"),
        (good.replace("\"version\":1", "\"version\":9"), "version 9"),
        (
            format!("{}\n{}\n", lines[0], lines[2]),
            "game 0 was due, not 1",
        ),
        (
            format!("{}\n{}\nx\n", lines[0], lines[1]),
            "line 3: it is no game",
        ),
    ];
    for (text, why) in damaged {
        fs::write(&path, &text).unwrap();
        let outcome = two(&["--results", file, "--resume"]);
        assert_eq!(outcome.code, Some(2), "{}", outcome.err);
        assert!(outcome.err.contains(why), "{why}: {}", outcome.err);
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "left as it was");
    }
}

#[test]
fn a_file_that_is_refused_leaves_itself_and_the_table_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let csv = folder.path().join("r.csv");
    let file = path.to_str().unwrap();
    let games = ["--games", "3", "--results", file];
    assert_eq!(two(&games).code, Some(0));
    let good = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = good.lines().collect();
    let mut game: serde_json::Value = serde_json::from_str(lines[2]).unwrap();
    game["turns"] = 1.into();
    let cases = [
        (
            format!("{}\n{}\n{game}\n{}\n", lines[0], lines[1], lines[3]),
            "line 3: its turns is recorded as 1, and the rules give",
        ),
        ("my only copy of a poem".to_owned(), "it has no end of line"),
        (
            format!("{}\n", " ".repeat((64 << 20) + 1)),
            "line 1 is over 64 MiB long",
        ),
    ];
    for (text, why) in cases {
        fs::write(&path, &text).unwrap();
        fs::write(&csv, "kept").unwrap();
        let outcome = two(&[
            &games[..],
            &["--resume", "--csv", csv.to_str().unwrap(), "--json"],
        ]
        .concat());
        assert_eq!(outcome.code, Some(2), "{}", outcome.err);
        assert!(outcome.err.contains(why), "{why}: {}", outcome.err);
        assert_eq!(outcome.out, "");
        assert!(fs::read_to_string(&path).unwrap() == text, "{why}");
        assert_eq!(fs::read_to_string(&csv).unwrap(), "kept");
    }
    // A byte-order mark is no damage, nor is a header that was cut off.
    let whole = |text: &str| {
        fs::write(&path, text).unwrap();
        let outcome = two(&[&games[..], &["--resume", "--csv", csv.to_str().unwrap()]].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.err);
        let table = fs::read_to_string(&csv).unwrap();
        assert_eq!(table.lines().count(), 1 + 3 * 2, "{table}");
        fs::read_to_string(&path).unwrap()
    };
    let marked = format!("\u{feff}{}\n{}\n", lines[0], lines[1]);
    assert_eq!(whole(&marked), format!("\u{feff}{good}"));
    assert_eq!(whole(&lines[0][..20]), good);
}

#[test]
fn files_that_cannot_be_written_are_named() {
    for option in ["--results", "--csv"] {
        let outcome = two(&["--games", "2", option, "/no/such/folder/file"]);
        assert_eq!(outcome.code, Some(74), "{}", outcome.err);
        assert!(
            outcome.err.contains("/no/such/folder/file"),
            "{}",
            outcome.err
        );
    }
    let outcome = two(&["--games", "2", "--logs", "/dev/null/logs"]);
    assert_eq!(outcome.code, Some(74), "{}", outcome.err);
    assert!(outcome.err.contains("/dev/null/logs"), "{}", outcome.err);
}

#[test]
fn a_game_is_shown_as_people_follow_it() {
    let outcome = Arena::new(&[
        "uno",
        "--watch",
        "--forgive",
        "--bot",
        &bad("chatter"),
        "--bot",
        "builtin:greedy",
    ])
    .run();
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    let text = &outcome.out;
    assert!(text.starts_with("Uno: chatter, greedy\n  table "), "{text}");
    assert!(text.contains("  chatter: \"hello there\"\n"), "{text}");
    assert!(text.contains("\nturn 1: "), "{text}");
    assert!(
        text.trim_end()
            .lines()
            .last()
            .unwrap()
            .contains(" won with "),
        "{text}"
    );
    // What a bot says cannot move a cursor.
    let outcome = Arena::new(&[
        "uno",
        "--watch",
        "--pace",
        "0",
        "--bot",
        &bad("bytes"),
        "--bot",
        "builtin:greedy",
    ])
    .run();
    assert!(
        outcome.out.contains(r#"bytes: "\u{1b}[31m\u{0}red\xff""#),
        "{}",
        outcome.out
    );
    assert!(!outcome.out.contains('\u{1b}'));
}

#[test]
fn one_game_is_told_by_its_number() {
    let outcome = two(&["--game-number", "3"]);
    assert!(outcome.out.starts_with("game 3: "), "{}", outcome.out);
    assert!(outcome.out.contains("seat 0  greedy  "), "{}", outcome.out);
}

#[test]
fn ctrl_c_ends_the_games_in_play_and_says_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let file = path.to_str().unwrap();
    let mut arena =
        Arena::new(&TWO).with(&["--games", "1000000", "--jobs", "2", "--results", file]);
    let mut child = arena.spawn();
    wait_until("a few games", || lines(&path) > 20);
    signal(&child, Signal::INT);
    let code = child.wait().unwrap().code();
    let (mut out, mut err) = (String::new(), String::new());
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut out)
        .unwrap();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .unwrap();
    assert_eq!(code, Some(75), "{err}");
    assert!(
        err.contains("stopped after") && err.contains("--resume"),
        "{err}"
    );
    assert!(out.contains("of 1000000 games were played"), "{out}");
    assert_eq!(arena.left(), Vec::<String>::new());

    let played = lines(&path) - 1;
    let wanted = (played + 10).to_string();
    let rest = two(&["--games", &wanted, "--json", "--results", file, "--resume"]);
    let whole = two(&["--games", &wanted, "--json"]);
    assert_eq!(rest.out, whole.out);
}

#[test]
fn ctrl_c_does_not_wait_for_a_bot() {
    let mut arena = Arena::new(&["uno", "--bot", &bad("silent"), "--bot", &bad("silent")])
        .with(&["--timeout", "86400"]);
    let mut child = arena.spawn();
    wait_until("both bots run", || both_run(&arena));
    signal(&child, Signal::TERM);
    assert_eq!(child.wait().unwrap().code(), Some(75));
    assert_eq!(arena.left(), Vec::<String>::new());
}

#[test]
fn a_referee_killed_without_a_word_leaves_no_bot_behind() {
    let mut arena = Arena::new(&[
        "uno",
        "--timeout",
        "86400",
        "--bot",
        &bad("forks"),
        "--bot",
        &bad("silent"),
    ])
    .with(&["--jobs", "2"]);
    let mut child = arena.spawn();
    wait_until("bots of two games and their children", || {
        arena
            .left()
            .iter()
            .filter(|line| line.starts_with("sleep 1000"))
            .count()
            >= 4
    });
    child.kill().unwrap();
    child.wait().unwrap();
    arena.wait_for_silence();
}

#[test]
fn a_keeper_killed_takes_its_bots_along_and_is_named() {
    let mut arena = Arena::new(&[
        "uno",
        "--timeout",
        "86400",
        "--bot",
        &bad("silent"),
        "--bot",
        &bad("silent"),
    ]);
    let mut child = arena.spawn();
    wait_until("both bots run", || both_run(&arena));
    for keeper in keepers(&child) {
        kill_process(keeper, Signal::KILL).unwrap();
    }
    assert_eq!(child.wait().unwrap().code(), Some(74));
    let mut err = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .unwrap();
    assert!(err.contains("the keeper of the bots is gone"), "{err}");
    arena.wait_for_silence();
}

#[test]
fn ten_thousand_games_leak_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let mut arena = Arena::new(&TWO).with(&[
        "--games",
        "10000",
        "--jobs",
        "2",
        "--results",
        path.to_str().unwrap(),
    ]);
    let mut child = arena.spawn();
    let mut samples = Vec::new();
    for games in [1_000, 5_000, 9_000] {
        wait_until("the games", || lines(&path) > games);
        samples.push(Sample::of(&child, &arena));
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(arena.left(), Vec::<String>::new());
    assert_eq!(lines(&path), 10_001);
    for sample in &samples {
        // Two games at once: a keeper, two bots and their four descriptors each, and what the program
        // has of its own.
        assert!(sample.processes <= 1 + 2 * 3, "{samples:?}");
        assert!(sample.descriptors <= 40, "{samples:?}");
    }
    let growth = samples[2].memory.saturating_sub(samples[0].memory);
    assert!(growth < 2 * 1024, "grew by {growth} KiB: {samples:?}");
    // What two jobs recorded is what one job records.
    let one = two(&["--games", "500", "--json"]);
    let head: String = one
        .out
        .lines()
        .take(501)
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(fs::read_to_string(&path).unwrap().starts_with(&head));
}

/// Whether two shells run: the trial start, before the first game, has one bot at a time.
fn both_run(arena: &Arena) -> bool {
    let is_bot = |line: &&String| line.starts_with("sh ");
    arena.left().iter().filter(is_bot).count() == 2
}

/// What a running match uses.
#[derive(Debug)]
struct Sample {
    processes: usize,
    descriptors: usize,
    /// Resident KiB of the referee.
    memory: u64,
}

impl Sample {
    fn of(child: &Child, arena: &Arena) -> Sample {
        let folder = format!("/proc/{}", child.id());
        let status = fs::read_to_string(format!("{folder}/status")).unwrap();
        let resident = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .unwrap();
        Sample {
            processes: arena.left().len(),
            descriptors: fs::read_dir(format!("{folder}/fd")).unwrap().count(),
            memory: resident.trim().trim_end_matches(" kB").parse().unwrap(),
        }
    }
}

fn lines(path: &Path) -> usize {
    fs::read(path).map_or(0, |bytes| {
        bytes.iter().filter(|&&byte| byte == b'\n').count()
    })
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), signal).unwrap();
}

/// The keepers of a match: the children of its referee.
fn keepers(referee: &Child) -> Vec<Pid> {
    let folder = format!("/proc/{}/task", referee.id());
    fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("children")).ok())
        .flat_map(|list| {
            list.split_whitespace()
                .map(|pid| pid.parse().unwrap())
                .collect::<Vec<i32>>()
        })
        .filter_map(Pid::from_raw)
        .collect()
}
