//! Tournaments, ratings, replays, locks, bots that are held apart, and the check for authors of bots.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::arena::{Arena, Outcome};
use crate::support::{bad, bots, camicia_in, program, told, wait_until};

/// Ten built-in bots of a game.
fn ten(game: &str) -> Vec<String> {
    let names: &[&str] = match game {
        "uno" => &["random", "greedy", "counter"],
        "bs" => &["random", "honest", "doubter", "counter"],
        _ => &["random", "careful"],
    };
    let bots = (0..10).map(|index| format!("--bot=builtin:{}", names[index % names.len()]));
    std::iter::once(game.to_owned()).chain(bots).collect()
}

fn tournament(game: &str, more: &[&str]) -> Arena {
    let ten = ten(game);
    let arguments: Vec<&str> = ten.iter().map(String::as_str).collect();
    // Time enough, whatever else the machine does.
    Arena::new(&arguments)
        .with(&["--timeout", "600"])
        .with(more)
}

/// What `camicia match verify` says of a file.
fn verify(path: &Path) -> (Option<i32>, Value) {
    let outcome = Arena::new(&["verify", "--json", path.to_str().unwrap()]).run();
    let value = serde_json::from_str(&outcome.out).unwrap_or_else(|_| panic!("{}", outcome.err));
    (outcome.code, value)
}

const KINDS: [(&str, &[&str], usize); 5] = [
    ("uno", &["--pairings", "round-robin", "--games", "1"], 90),
    (
        "uno",
        &["--pairings", "swiss", "--swiss-rounds", "3", "--games", "1"],
        30,
    ),
    (
        "uno",
        &["--pairings", "gauntlet", "--table", "3", "--games", "1"],
        108,
    ),
    (
        "bs",
        &[
            "--pairings",
            "round-robin",
            "--games",
            "1",
            "--rounds",
            "40",
        ],
        40,
    ),
    (
        "barbu",
        &[
            "--pairings",
            "swiss",
            "--swiss-rounds",
            "2",
            "--n",
            "1",
            "--game",
            "nullo,dominoes",
        ],
        32,
    ),
];

#[test]
fn tournaments_of_ten_bots_give_the_same_bytes_on_any_number_of_jobs_and_every_game_holds() {
    let folder = tempfile::tempdir().unwrap();
    for (index, (game, options, games)) in KINDS.into_iter().enumerate() {
        let path = folder.path().join(index.to_string());
        let results = ["--seed", "5", "--json", "--results", path.to_str().unwrap()];
        let one = tournament(game, options).with(&results).run();
        assert_eq!(one.code, Some(0), "{game}: {}{}", one.out, one.err);
        assert_eq!(one.games().len(), games, "{game} {options:?}");
        let three = tournament(game, options)
            .with(&["--seed", "5", "--json", "--jobs", "3"])
            .run();
        assert_eq!(one.out, three.out, "{game} {options:?}");
        let standings = &one.json().pop().unwrap()["standings"];
        assert_eq!(standings.as_array().unwrap().len(), 10);
        let first = &standings[0];
        match game {
            "barbu" => assert!(
                first["mean"].is_number() && first["rating"].is_null(),
                "{first}"
            ),
            _ => {
                let (rating, error) = (&first["rating"], &first["rating_error"]);
                assert!(
                    rating.as_f64() > Some(0.0) && error.as_f64() > Some(0.0),
                    "{first}"
                );
                let sum: f64 = standings
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter_map(|line| line["rating"].as_f64())
                    .sum();
                assert!(sum.abs() < 1e-6, "{sum}");
            }
        }
        let (code, proof) = verify(&path);
        assert_eq!(code, Some(0), "{proof}");
        assert_eq!(proof["proved"], games, "{proof}");
    }
}

#[test]
fn a_tournament_resumes_after_kills_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for (index, (game, options, games)) in KINDS.into_iter().enumerate().take(3) {
        let whole = tournament(game, options).with(&["--json"]).run();
        let path = folder.path().join(index.to_string());
        let results = [
            "--jobs",
            "2",
            "--resume",
            "--results",
            path.to_str().unwrap(),
        ];
        let count = || {
            let bytes = fs::read(&path).unwrap_or_default();
            bytes.iter().filter(|&&byte| byte == b'\n').count()
        };
        for part in [games / 5, games / 2] {
            let mut arena = tournament(game, options).with(&results);
            let mut child = arena.spawn();
            wait_until("some games", || count() > part);
            child.kill().unwrap();
            child.wait().unwrap();
            arena.wait_for_silence();
        }
        let rest = tournament(game, options)
            .with(&results)
            .with(&["--json"])
            .run();
        assert_eq!(rest.out, whole.out, "{game} {options:?}");
        assert!(whole.out.starts_with(&fs::read_to_string(&path).unwrap()));
        let other = tournament(game, &["--pairings", "all-tables"])
            .with(&results)
            .run();
        assert_eq!(other.code, Some(2));
        assert!(other.err.contains("way of pairing"), "{}", other.err);
    }
}

#[test]
fn the_table_of_a_tournament_has_ratings_and_who_did_how_against_whom() {
    let outcome = tournament("uno", &["--pairings", "round-robin", "--games", "1"]).run();
    let head = outcome.out.lines().next().unwrap();
    for column in ["rating", "± 95 %", "superior", "wins"] {
        assert!(head.contains(column), "{head}");
    }
    let crosstable = outcome.out.split("\n\n").nth(1).unwrap();
    assert!(
        crosstable.trim_start().starts_with("wins/games"),
        "{}",
        outcome.out
    );
    assert_eq!(crosstable.lines().count(), 11, "{crosstable}");
    let lower = outcome.out.to_lowercase();
    assert!(!lower.contains("nan") && !lower.contains("inf"), "{lower}");
}

#[test]
fn a_sequential_test_ends_a_match_that_is_decided() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let file = path.to_str().unwrap();
    let play = |more: &[&str]| {
        Arena::new(&["uno", "--bot", "builtin:greedy", "--bot", "builtin:random"])
            .with(&[
                "--rotate",
                "--games",
                "100000",
                "--sprt",
                "elo0=0,elo1=150",
                "--timeout",
                "600",
            ])
            .with(more)
            .run()
    };
    let one = play(&["--json", "--results", file]);
    assert_eq!(one.code, Some(0), "{}", one.err);
    let last = one.json().pop().unwrap();
    assert!(
        ["elo0", "elo1"].contains(&last["sprt"]["verdict"].as_str().unwrap()),
        "{last}"
    );
    let games = one.games().len();
    assert!(games < 100_000 && games % 2 == 0, "{games}");
    let two = play(&["--json", "--jobs", "2"]);
    assert_eq!(
        one.out, two.out,
        "the end is that of the games, not of the threads"
    );
    // Decided stays decided.
    let again = play(&["--json", "--results", file, "--resume"]);
    assert_eq!(again.out, one.out);
    let shown = play(&["--results", file, "--resume"]);
    assert!(
        shown.out.contains("test of 0 against 150 points: "),
        "{}",
        shown.out
    );
    let three = Arena::new(&["uno", "--sprt", "elo1=5"])
        .with(&[
            "--bot",
            "builtin:random",
            "--bot",
            "builtin:random",
            "--bot",
            "builtin:random",
        ])
        .run();
    assert_eq!(three.code, Some(2));
    assert!(
        three.err.contains("--sprt: the test is for two bots"),
        "{}",
        three.err
    );
}

#[test]
fn a_tournament_file_says_what_the_options_say() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cup.toml");
    fs::write(
        &file,
        r#"
        game = "uno"
        pairings = "round-robin"
        games = 12
        seed = 3
        timeout = 600
        [[bot]]
        command = "builtin:greedy"
        [[bot]]
        command = "builtin:random"
        [[bot]]
        command = "builtin:counter"
        "#,
    )
    .unwrap();
    let by_file = Arena::new(&[file.to_str().unwrap(), "--json"]).run();
    let by_options = Arena::new(&["uno", "--pairings", "round-robin", "--games", "12"])
        .with(&["--seed", "3", "--json", "--timeout", "600"])
        .with(&[
            "--bot",
            "builtin:greedy",
            "--bot",
            "builtin:random",
            "--bot",
            "builtin:counter",
        ])
        .run();
    assert_eq!(by_file.code, Some(0), "{}", by_file.err);
    assert_eq!(by_file.out, by_options.out);
    fs::write(&file, "game = \"uno\"\nbots = 3\n").unwrap();
    let wrong = Arena::new(&[file.to_str().unwrap()]).run();
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.err.contains("cup.toml") && wrong.err.contains("line 2"),
        "{}",
        wrong.err
    );
    let missing = Arena::new(&["no-such.toml"]).run();
    assert_eq!(missing.code, Some(74));
    assert!(missing.err.contains("no-such.toml"), "{}", missing.err);
    for command in ["replay", "verify"] {
        let missing = Arena::new(&[command, "no-such.jsonl"]).run();
        assert_eq!(missing.code, Some(74), "{}", missing.err);
        assert!(missing.err.contains("no-such.jsonl"), "{}", missing.err);
    }
    let nothing = Arena::new(&[]).run();
    assert_eq!(nothing.code, Some(2));
    let typo = Arena::new(&["unno"]).run();
    assert!(
        typo.err.contains("neither a game nor a command"),
        "{}",
        typo.err
    );
}

#[test]
fn a_tournament_file_is_read_in_its_own_folder_and_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let text = "\u{feff}game = \"uno\"\ngames = 1\ntimeout = 600\n\
        [[bot]]\ncommand = [\"sh\", \"bad.sh\", \"fine\"]\n\
        [[bot]]\ncommand = \"builtin:random\"\n";
    fs::copy(bots().join("uno/bad.sh"), folder.path().join("bad.sh")).unwrap();
    fs::write(folder.path().join("cup.toml"), text).unwrap();
    let here = |file: &str| Arena::new(&[file, "--json"]).in_folder(folder.path());
    let by_name = here("cup.toml").run();
    assert_eq!(by_name.code, Some(0), "{}{}", by_name.out, by_name.err);
    let mut piped = here("-");
    piped.input(&folder.path().join("cup.toml"));
    let piped = piped.run();
    assert_eq!(piped.out, by_name.out, "{}", piped.err);
    fs::write(folder.path().join("cup.toml"), "#".repeat((16 << 20) + 1)).unwrap();
    let large = here("cup.toml").run();
    assert_eq!(large.code, Some(2));
    assert!(
        large.err.contains("cup.toml: it is over 16 MiB"),
        "{}",
        large.err
    );
}

#[test]
fn bots_of_a_file_run_in_their_folders_with_their_variables_and_limits() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("bots");
    fs::create_dir(&home).unwrap();
    fs::write(home.join("mine.txt"), "found").unwrap();
    let bot = bots().join("uno/bad.sh").display().to_string();
    let script = format!(
        "read -r word < mine.txt; echo \"SAY $word $LEVEL $(ulimit -f)\"; exec sh '{bot}' fine"
    );
    let command = serde_json::to_string(&["sh", "-c", &script]).unwrap();
    let file = folder.path().join("cup.toml");
    let text = format!(
        "game = \"uno\"\ngames = 1\ntimeout = 600\n\
         [[bot]]\nname = \"ana\"\ncommand = {command}\nfolder = \"bots\"\n\
         env = {{ LEVEL = \"three\" }}\nlimits = {{ file = \"8K\" }}\n\
         [[bot]]\ncommand = \"builtin:random\"\n"
    );
    fs::write(&file, text).unwrap();
    let logs = folder.path().join("logs");
    let outcome = Arena::new(&[file.to_str().unwrap(), "--logs", logs.to_str().unwrap()]).run();
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.out, outcome.err);
    let log = fs::read_to_string(logs.join("000000/seat0-ana.log")).unwrap();
    // The shell counts in halves of a kilobyte, or in whole ones.
    assert!(
        log.contains("SAY found three 16") || log.contains("SAY found three 8"),
        "{log}"
    );
}

#[test]
fn a_file_that_another_match_writes_is_locked() {
    let folder = tempfile::tempdir().unwrap();
    for option in ["--results", "--csv", "--logs"] {
        let path = folder.path().join(option);
        if option == "--logs" {
            fs::create_dir(&path).unwrap();
        } else {
            fs::write(&path, "kept").unwrap();
        }
        let held = fs::File::open(&path).unwrap();
        held.lock().unwrap();
        let outcome = Arena::new(&["uno", "--bot", "builtin:random", "--bot", "builtin:random"])
            .with(&["--games", "2", option, path.to_str().unwrap()])
            .run();
        assert_eq!(outcome.code, Some(73), "{option}: {}", outcome.err);
        assert!(
            outcome.err.contains("written by another match"),
            "{}",
            outcome.err
        );
        if option != "--logs" {
            assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
        }
        drop(held);
    }
}

#[test]
fn results_that_were_changed_do_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let play = Arena::new(&["uno", "--bot", "builtin:greedy", "--bot", "builtin:random"])
        .with(&[
            "--games",
            "4",
            "--timeout",
            "600",
            "--results",
            path.to_str().unwrap(),
        ])
        .run();
    assert_eq!(play.code, Some(0), "{}", play.err);
    let good = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = good.lines().collect();
    let game: Value = serde_json::from_str(lines[2]).unwrap();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut game = game.clone();
        change(&mut game);
        let mut lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        lines[2] = game.to_string();
        lines.join("\n") + "\n"
    };
    let other = 1 - game["winners"][0].as_u64().unwrap();
    let moves: Vec<&str> = game["moves"].as_str().unwrap().split(' ').collect();
    let cases = [
        (
            changed(&|game| game["winners"] = json!([other])),
            "its score is recorded",
        ),
        (
            changed(&|game| game["turns"] = json!(1)),
            "its turns is recorded as 1",
        ),
        (
            changed(&|game| game["deal"] = json!(7)),
            "its deal is recorded as 7",
        ),
        (
            changed(&|game| game["seats"] = json!(["random", "greedy"])),
            "its seats is recorded",
        ),
        (
            changed(&|game| game["reason"] = json!("deck-out")),
            "its reason is recorded",
        ),
        (
            changed(&|game| game["moves"] = json!(moves[1..].join(" "))),
            "",
        ),
        (
            changed(&|game| game["moves"] = json!(moves[..moves.len() - 1].join(" "))),
            "the game goes on",
        ),
        (
            changed(&|game| game["moves"] = json!(format!("{} +1", moves.join(" ")))),
            "more are written down",
        ),
        (
            changed(&|game| game["moves"] = json!(format!("4♡ {}", moves[1..].join(" ")))),
            "is no move of Uno",
        ),
        (good.replace("\"seed\":\"0\"", "\"seed\":\"1\""), ""),
        (
            changed(&|game| game["game"] = json!(9)),
            "game 1 was due, not 9",
        ),
        (
            good.replacen("{\"game\":1", "{\"gam\":1", 1),
            "it is no game",
        ),
    ];
    for (text, why) in cases {
        fs::write(&path, &text).unwrap();
        let (code, proof) = verify(&path);
        assert_eq!(code, Some(1), "{why}: {proof}");
        let faults = proof["faults"].to_string();
        assert!(faults.contains(why), "{why}: {faults}");
    }
    fs::write(
        &path,
        changed(&|game| drop(game.as_object_mut().unwrap().remove("moves"))),
    )
    .unwrap();
    let (code, proof) = verify(&path);
    assert_eq!((code, &proof["without_moves"]), (Some(1), &json!(1)));
    fs::write(&path, &good[..good.len() - 9]).unwrap();
    let (code, proof) = verify(&path);
    assert_eq!(
        (code, &proof["cut_off"], &proof["proved"]),
        (Some(0), &json!(true), &json!(3))
    );
    for text in [
        "",
        "x\n",
        "{\"match\":\"chess\",\"version\":1,\"seed\":\"0\",\"bots\":[],\"seating\":\"fixed\"}\n",
    ] {
        fs::write(&path, text).unwrap();
        let outcome = Arena::new(&["verify", path.to_str().unwrap()]).run();
        assert_eq!(outcome.code, Some(2), "{text}: {}", outcome.out);
        assert!(outcome.err.contains("r.jsonl"), "{}", outcome.err);
    }
}

#[test]
fn games_of_bots_that_fail_are_replayed_too() {
    let folder = tempfile::tempdir().unwrap();
    let fine = format!("sh {} fine", bots().join("bs/bad.sh").display());
    let out = format!("sh {} not-held", bots().join("bs/bad.sh").display());
    let bs = [fine.as_str(), &out, &fine, &out].map(|bot| format!("--bot={bot}"));
    let uno = ["unpaid", "bad-card", "crash"].map(|kind| format!("--bot={}", bad(kind)));
    for (game, bots) in [("uno", &uno[..]), ("bs", &bs[..])] {
        let path = folder.path().join(game);
        let bots: Vec<&str> = bots.iter().map(String::as_str).collect();
        let outcome = Arena::new(&[game])
            .with(&bots)
            .with(&["--games", "6", "--timeout", "600", "--forgive", "--results"])
            .with(&[path.to_str().unwrap()])
            .run();
        assert_eq!(outcome.code, Some(0), "{}", outcome.err);
        let (code, proof) = verify(&path);
        assert_eq!((code, &proof["proved"]), (Some(0), &json!(6)), "{proof}");
    }
}

#[test]
fn a_game_is_replayed_as_text_and_as_json_without_its_bots() {
    let folder = tempfile::tempdir().unwrap();
    let games: [(&str, &[&str], &[&str]); 3] = [
        (
            "uno",
            &["--bot=builtin:greedy", "--bot=builtin:random", "--games=3"],
            &["turn 1: ", " won with "],
        ),
        (
            "bs",
            &[
                "--bot=builtin:honest",
                "--bot=builtin:random",
                "--bot=builtin:doubter",
                "--bot=builtin:counter",
                "--games=3",
                "--rounds=50",
            ],
            &["round 1, rank 0: ", " lays "],
        ),
        (
            "barbu",
            &[
                "--bot=builtin:careful",
                "--bot=builtin:random",
                "--bot=builtin:random",
                "--bot=builtin:random",
                "--n=3",
                "--game=hearts",
            ],
            &["Barbu: HEARTS", "doubling", "trick 13: ", "scores: "],
        ),
    ];
    for (game, options, pieces) in games {
        let path = folder.path().join(game);
        let file = path.to_str().unwrap();
        let outcome = Arena::new(&[game, "--timeout=600", "--results", file])
            .with(options)
            .run();
        assert_eq!(outcome.code, Some(0), "{}", outcome.err);
        let shown = Arena::new(&["replay", file, "--game-number", "2"]).run();
        assert_eq!(shown.code, Some(0), "{}", shown.err);
        assert!(shown.out.starts_with("game 2"), "{}", shown.out);
        for piece in pieces {
            assert!(shown.out.contains(piece), "{piece}: {}", shown.out);
        }
        // The same steps as those who watch it see.
        let watched = Arena::new(&[game, "--timeout=600", "--watch", "--game-number", "2"])
            .with(options)
            .run();
        assert!(
            shown.out.ends_with(&watched.out),
            "{}\n{}",
            shown.out,
            watched.out
        );
        let value = Arena::new(&["replay", file, "--game-number", "2", "--json"]).run();
        let value: Value = serde_json::from_str(&value.out).unwrap();
        let steps = value["replay"]["steps"].as_array().unwrap();
        assert!(steps.len() > 5);
        assert_eq!(
            steps[0]["hands"].as_array().unwrap().len(),
            if game == "uno" { 2 } else { 4 }
        );
        let beyond = Arena::new(&["replay", file, "--game-number", "9"]).run();
        assert_eq!(beyond.code, Some(2));
        assert!(
            beyond
                .err
                .contains("it has no game 9; its games are 0 to 2"),
            "{}",
            beyond.err
        );
    }
}

/// The Python of these tests, if there is one.
fn python() -> Option<String> {
    let output = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    let found = output.status.success().then(|| path.trim().to_owned());
    if found.is_none() {
        println!("skipped: no python3");
    }
    found
}

#[test]
fn bots_that_are_held_apart_reach_nothing() {
    let holds = Command::new("bwrap")
        .args([
            "--unshare-all",
            "--ro-bind",
            "/",
            "/",
            "--proc",
            "/proc",
            "true",
        ])
        .status();
    let Some(python) = python() else { return };
    if !holds.is_ok_and(|status| status.success()) {
        println!("skipped: bubblewrap is missing, or the kernel refuses it");
        return;
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let folder = tempfile::tempdir().unwrap();
    // Not below /tmp, which is hidden anyway.
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let outside = home.path().join("outside");
    let bot = format!(
        "{python} -I -S {} {port} {}",
        bots().join("uno/tries.py").display(),
        outside.display()
    );
    let said = |more: &[&str], logs: &str| {
        let logs = folder.path().join(logs);
        let outcome = Arena::new(&["uno", "--games", "1", "--timeout", "600"])
            .with(&[
                "--bot",
                &bot,
                "--bot",
                "builtin:random",
                "--logs",
                logs.to_str().unwrap(),
            ])
            .with(more)
            .run();
        assert_eq!(outcome.code, Some(0), "{}{}", outcome.out, outcome.err);
        let log = fs::read_to_string(logs.join("000000/seat0-tries.log")).unwrap();
        log.lines()
            .filter_map(|line| line.split_once("< SAY ").map(|(_, said)| said.to_owned()))
            .collect::<Vec<String>>()
    };
    let free = said(&[], "free");
    assert!(outside.exists());
    for could in ["port yes", "outside yes", "others yes", "disk yes"] {
        assert!(free.iter().any(|word| word == could), "{could}: {free:?}");
    }
    fs::remove_file(&outside).unwrap();
    let apart = said(&["--isolate"], "apart");
    assert_eq!(
        apart,
        [
            "private yes",
            "port no",
            "outside no",
            "others no",
            "disk no"
        ]
    );
    assert!(!outside.exists());
    // A signal of its own is told as one.
    let crash = Arena::new(&[
        "uno",
        "--games",
        "1",
        "--json",
        "--isolate",
        "--timeout",
        "600",
    ])
    .with(&["--bot", &bad("crash"), "--bot", "builtin:random"])
    .run();
    assert_eq!(crash.failures()[0].1, "crash", "{}", crash.out);
}

#[test]
fn where_bots_cannot_be_held_apart_that_is_said_before_the_first_game() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("r.jsonl");
    let mut command = camicia_in(folder.path(), &["match", "uno", "--isolate"]);
    command.args(["--bot", "builtin:random", "--bot", "builtin:random"]);
    command.args(["--results", results.to_str().unwrap()]);
    let (code, _, err) = told(&command.env("PATH", folder.path()).output().unwrap());
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("apt-get install bubblewrap"), "{err}");
    assert!(!results.exists());
    // A kernel that refuses, as bubblewrap tells it.
    let refuses = folder.path().join("bwrap");
    fs::write(
        &refuses,
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n",
    )
    .unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&refuses, mode).unwrap();
    let (code, _, err) = told(&command.output().unwrap());
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("No permissions to create new namespace"),
        "{err}"
    );
    assert!(err.contains("kernel.unprivileged_userns_clone"), "{err}");
}

/// What `camicia match check` says of a bot.
fn check(game: &str, bot: &str, more: &[&str]) -> Outcome {
    Arena::new(&["check", game, "--bot", bot]).with(more).run()
}

#[test]
fn every_built_in_bot_passes_the_check_of_its_game() {
    for (game, names) in [
        ("uno", &["random", "greedy", "counter"][..]),
        ("bs", &["random", "honest", "doubter", "counter"]),
        ("barbu", &["random", "careful"]),
    ] {
        for name in names {
            let outcome = check(game, &format!("builtin:{name}"), &["--timeout", "600"]);
            assert_eq!(
                outcome.code,
                Some(0),
                "{game} {name}: {}{}",
                outcome.out,
                outcome.err
            );
            assert!(!outcome.out.contains("wrong"), "{}", outcome.out);
            let last = outcome.out.lines().last().unwrap();
            let count = last.split(' ').next().unwrap();
            assert_eq!(last, format!("{count} of {count} situations are right"));
            assert!(outcome.out.lines().count() > 8);
        }
    }
    for name in ["random", "careful"] {
        let bot = format!("builtin:{name}");
        let outcome = check("barbu", &bot, &["--timeout", "600", "--protocol", "ai"]);
        assert_eq!(
            outcome.code,
            Some(0),
            "ai {name}: {}{}",
            outcome.out,
            outcome.err
        );
    }
}

#[test]
fn the_bots_of_the_documents_pass_the_check_of_their_game() {
    let Some(python) = python() else { return };
    for game in ["uno", "bs"] {
        let bot = format!(
            "{python} -I -S {}",
            bots().join(game).join("ten_lines.py").display()
        );
        let outcome = check(game, &bot, &["--timeout", "600"]);
        assert_eq!(
            outcome.code,
            Some(0),
            "{game}: {}{}",
            outcome.out,
            outcome.err
        );
    }
    // The one of Barbu knows the seven games of tricks, and says so.
    let bot = format!(
        "{python} -I -S {}",
        bots().join("barbu/ten_lines.py").display()
    );
    let outcome = check("barbu", &bot, &["--timeout", "600", "--json"]);
    for line in outcome.json() {
        if let Some(name) = line["name"].as_str() {
            let knows = !name.contains("dominoes") && !name.contains("every game");
            assert_eq!(line["fault"].is_null(), knows, "{line}");
        }
    }
}

#[test]
fn the_check_names_what_each_of_twenty_bad_bots_does_and_what_would_be_right() {
    let cases = [
        ("exit-0", "exit: ended with code 0"),
        ("exit-3", "exit: ended with code 3"),
        ("crash", "crash: signal 11"),
        ("answer-then-exit", "exit: ended with code 0"),
        ("last-words", "exit: ended with code 0"),
        ("silent", "timeout: no answer"),
        ("never-reads", "timeout: no answer"),
        ("closes", "closed its output and stayed"),
        ("half-line", "without an end of line"),
        ("wrong-case", "it wrote `buy 1`"),
        ("prompt", "it wrote `> BUY 1`"),
        ("nbsp", r"BUY\u{a0}1"),
        ("colour", r"\u{1b}[31m"),
        ("bare-cr", r"`BUY 1\r`"),
        ("raises", "NameError: name 'x'"),
        ("bad-card", "the action was refused"),
        ("endless-line", "over 64 KiB"),
        ("endless-lines", "64 lines without an action"),
        ("not-held", "the action was refused"),
        ("unpaid", "owed BUY 2 and answered `BUY 1`"),
        ("buys 0", "the action was refused"),
    ];
    std::thread::scope(|scope| {
        for part in cases.chunks(7) {
            scope.spawn(move || {
                for (kind, what) in part {
                    let times = [
                        "--timeout",
                        "0.5",
                        "--startup",
                        "2",
                        "--margin",
                        "2",
                        "--json",
                    ];
                    let bot = match kind.split_once(' ') {
                        Some((kind, argument)) => format!("{} {argument}", bad(kind)),
                        None => bad(kind),
                    };
                    let outcome = check("uno", &bot, &times);
                    assert_eq!(
                        outcome.code,
                        Some(1),
                        "{kind}: {}{}",
                        outcome.out,
                        outcome.err
                    );
                    let faults: Vec<Value> = outcome
                        .json()
                        .into_iter()
                        .filter(|line| line["fault"].is_object())
                        .collect();
                    let named = faults
                        .iter()
                        .find(|line| line["fault"]["what"].as_str().unwrap().contains(what));
                    let named = named.unwrap_or_else(|| panic!("{kind}: {faults:?}"));
                    assert!(named["fault"]["right"].as_str().unwrap().len() > 4);
                    assert!(named["talk"].as_array().unwrap().len() > 3, "{named}");
                }
            });
        }
    });
    let shown = check("uno", &bad("unpaid"), &["--timeout", "600"]);
    assert!(
        shown.out.contains("wrong  it owes two for a jack\n"),
        "{}",
        shown.out
    );
    assert!(
        shown.out.contains("    right would be: BUY 2\n"),
        "{}",
        shown.out
    );
    let unknown = check("uno", "builtin:nobody", &[]);
    assert_eq!(unknown.code, Some(2));
}

#[test]
fn a_hang_up_that_is_ignored_from_the_start_stays_ignored() {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; \"$0\" match uno --bot builtin:random --bot builtin:random --games 40 --json & kill -HUP $!; wait $!"]);
    command.arg(program());
    let (code, out, err) = told(&command.output().unwrap());
    assert_eq!(code, 0, "{err}");
    assert_eq!(out.lines().count(), 42);
}
