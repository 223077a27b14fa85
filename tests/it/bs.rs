//! Matches of BS: built-in bots, bots that behave in every way that bots were seen to behave, and
//! player classes in Java.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::support::arena::{Arena, Outcome};
use super::support::bots;

const BUILTIN: [&str; 4] = [
    "builtin:random",
    "builtin:honest",
    "builtin:doubter",
    "builtin:counter",
];

/// A match with time enough for every answer, whatever else the machine does.
fn bs(bots: &[impl AsRef<str>], more: &[&str]) -> Arena {
    in_time(bots, &["--timeout", "60"]).with(more)
}

fn in_time(bots: &[impl AsRef<str>], times: &[&str]) -> Arena {
    let mut arena = Arena::new(&["bs"]).with(times);
    for bot in bots {
        arena = arena.with(&["--bot", bot.as_ref()]);
    }
    arena
}

/// A bot of `tests/bots/bs/bad.sh`, named after its way.
fn bad(kind: &str) -> String {
    format!("{kind}=sh {} {kind}", bots().join("bs/bad.sh").display())
}

/// Games of a bot with three that never call and lay their first card, so that it comes to lay and to
/// be asked before anyone is near the end.
fn some_games(bot: &str, games: u32, times: &[&str]) -> Outcome {
    let fine = ["one", "two", "three"]
        .map(|name| format!("{name}=sh {} fine", bots().join("bs/bad.sh").display()));
    in_time(&fine, times)
        .with(&["--bot", bot, "--json", "--games", &games.to_string()])
        .run()
}

/// Times for bots that never answer.
const SHORT: [&str; 6] = ["--timeout", "0.5", "--margin", "6", "--startup", "2"];

/// Two games, with time enough.
fn two_games(bot: &str) -> Outcome {
    some_games(bot, 2, &["--timeout", "60"])
}

/// What a bot did wrong in each game: kind and detail.
fn faults(games: &[Value], bot: &str) -> Vec<Option<(String, String)>> {
    games
        .iter()
        .filter(|game| game["seats"].as_array().unwrap().contains(&json!(bot)))
        .map(|game| {
            let failures = game["failures"].as_array();
            let failed = failures.into_iter().flatten().find(|it| it["bot"] == bot)?;
            let text = |key: &str| failed[key].as_str().unwrap().to_owned();
            Some((text("kind"), text("detail")))
        })
        .collect()
}

/// A bot that is out of every game for this reason, a fresh process each game, while the others are
/// not harmed: one of them wins.
#[track_caller]
fn is_out(kind: &str, reason: &str, detail: &str) {
    is_out_in(&two_games(&bad(kind)), kind, reason, detail);
}

#[track_caller]
fn is_out_in(outcome: &Outcome, kind: &str, reason: &str, detail: &str) {
    let games = outcome.games();
    assert!(!games.is_empty(), "{}{}", outcome.out, outcome.err);
    for (game, fault) in games.iter().zip(faults(&games, kind)) {
        let (found, why) = fault.unwrap_or_else(|| panic!("no failure: {game}"));
        assert_eq!((found.as_str(), why.as_str()), (reason, detail), "{game}");
        assert_eq!(game["failures"].as_array().unwrap().len(), 1, "{game}");
        assert_eq!(game["reason"], "won", "{game}");
        let winner = game["winners"][0].as_u64().unwrap() as usize;
        assert_ne!(game["seats"][winner], kind, "{game}");
    }
    assert_eq!(outcome.code, Some(1), "a bot misbehaved");
}

/// A bot that is odd but plays on: both games end by their rules.
#[track_caller]
fn plays_on(kind: &str) {
    let outcome = two_games(&bad(kind));
    for game in outcome.games() {
        assert_eq!(game.get("failures"), None, "{game}");
        assert_eq!(game["reason"], "won", "{game}");
    }
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
}

#[test]
fn bots_that_end_are_out() {
    is_out("exit-0", "exit", "ended with code 0");
    is_out("exit-3", "exit", "ended with code 3");
    is_out("crash", "crash", "signal 11 (SIGSEGV)");
}

#[test]
fn an_answer_before_the_end_is_an_answer() {
    // It is out all the same when it is asked again.
    is_out("answer-then-exit", "exit", "ended with code 0");
    is_out("last-words", "exit", "ended with code 0");
}

#[test]
fn bots_that_do_not_answer_are_out() {
    // All wait for nothing, so they wait together.
    std::thread::scope(|scope| {
        for kind in ["silent", "half-line", "never-reads", "block-buffered"] {
            scope.spawn(move || {
                let outcome = some_games(&bad(kind), 1, &SHORT);
                let wrote = match kind {
                    "half-line" => "; it wrote `PASS` without an end of line",
                    _ => "",
                };
                let detail = format!("no answer in 0.5 s{wrote}");
                is_out_in(&outcome, kind, "timeout", &detail);
            });
        }
    });
    is_out("closes", "protocol", "closed its output and stayed");
}

#[test]
fn odd_bots_play_on() {
    for kind in [
        "fine-too",
        "crlf",
        "blanks",
        "stderr",
        "forks",
        "ignores-term",
    ] {
        plays_on(kind);
    }
}

#[test]
fn what_is_no_call_is_named() {
    for (kind, said) in [
        ("empty-call", ""),
        ("chatter", "let me think"),
        ("wrong-case", "pass"),
        ("extra-words", "PASS please"),
        ("bytes", r"\xff\u{1b}[2JPASS"),
        ("nul", r"PASS\u{0}"),
    ] {
        let detail = format!("CLAIM was answered `{said}`; BS or PASS is due");
        is_out(kind, "protocol", &detail);
    }
}

#[test]
fn what_is_no_rank_is_named() {
    for (kind, said) in [
        ("words", "all of them"),
        ("rank-13", "13"),
        ("negative", "-1"),
        ("ahead", "PASS"),
        ("endless-lines", "PASS"),
    ] {
        let detail = format!("PLAY was answered `{said}`; ranks from 0 to 12 are due");
        is_out(kind, "protocol", &detail);
    }
}

#[test]
fn cards_that_may_not_be_laid_are_illegal() {
    for kind in ["empty", "not-held", "too-many"] {
        let outcome = two_games(&bad(kind));
        for fault in faults(&outcome.games(), kind) {
            let (found, why) = fault.expect("a failure");
            assert_eq!(found, "illegal");
            let what = match kind {
                "empty" => "at least one is due",
                "not-held" => "and held 0",
                _ => "laid 5 of rank",
            };
            assert!(why.contains(what), "{why}");
        }
        assert_eq!(outcome.code, Some(1));
    }
}

#[test]
fn floods_are_cut_off() {
    for kind in ["endless-line", "long-line"] {
        for fault in faults(&two_games(&bad(kind)).games(), kind) {
            let (found, why) = fault.expect("a failure");
            assert_eq!(found, "flood", "{why}");
        }
    }
}

#[test]
fn a_process_is_kept_from_game_to_game_and_started_anew_after_a_failure() {
    // It ends when it is told of its third game: so games 2, 5 and 8 are lost, and no other.
    let outcome = some_games(&bad("third-game"), 9, &["--timeout", "60"]);
    let lost: Vec<bool> = faults(&outcome.games(), "third-game")
        .iter()
        .map(Option::is_some)
        .collect();
    let third = [false, false, true];
    assert_eq!(lost, [third, third, third].concat());
}

#[test]
fn results_depend_on_the_seed_alone() {
    let play = |more: &[&str]| {
        let outcome = bs(&BUILTIN, &["--games", "60", "--json"]).with(more).run();
        assert_eq!(outcome.code, Some(0), "{}", outcome.err);
        outcome.out
    };
    let one = play(&["--jobs", "1"]);
    assert_eq!(play(&["--jobs", "2"]), one);
    assert_ne!(play(&["--jobs", "2", "--seed", "1"]), one);
}

#[test]
fn four_of_a_pool_are_drawn_each_game() {
    let pool = [&BUILTIN[..], &["builtin:honest", "builtin:counter"]].concat();
    let outcome = bs(&pool, &["--games", "90", "--json"]).run();
    let games = outcome.games();
    let mut played: BTreeMap<String, u32> = BTreeMap::new();
    for game in &games {
        let mut seats: Vec<&str> = game["seats"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        for name in &seats {
            *played.entry((*name).to_owned()).or_default() += 1;
        }
        seats.sort_unstable();
        seats.dedup();
        assert_eq!(seats.len(), 4, "{game}");
    }
    let names: Vec<&str> = played.keys().map(String::as_str).collect();
    let all = [
        "counter",
        "counter-2",
        "doubter",
        "honest",
        "honest-2",
        "random",
    ];
    assert_eq!(names, all);
    // 60 games each are expected, with a standard deviation of 4.5.
    assert!(
        played.values().all(|count| (40..80).contains(count)),
        "{played:?}"
    );
    // The share is that of the games played.
    let standings = outcome.json().pop().unwrap();
    for line in standings["standings"].as_array().unwrap() {
        let name = line["bot"].as_str().unwrap();
        assert_eq!(line["games"], played[name]);
        let share = line["wins"].as_f64().unwrap() / f64::from(played[name]);
        assert!((line["share"].as_f64().unwrap() - share).abs() < 1e-12);
    }
}

#[test]
fn after_the_last_round_nobody_has_won_and_the_game_counts() {
    let outcome = bs(&BUILTIN, &["--games", "5", "--rounds", "1", "--json"]).run();
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    for game in outcome.games() {
        assert_eq!(
            (&game["reason"], &game["turns"]),
            (&json!("round-limit"), &json!(4))
        );
        assert_eq!(game["winners"], json!([]));
    }
    let standings = outcome.json().pop().unwrap();
    for line in standings["standings"].as_array().unwrap() {
        assert_eq!((&line["games"], &line["share"]), (&json!(5), &json!(0.0)));
    }
}

#[test]
fn three_bots_are_too_few() {
    let outcome = bs(&BUILTIN[..3], &[]).run();
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.err.contains("BS is for four bots or more, not 3"),
        "{}",
        outcome.err
    );
}

#[test]
fn a_game_can_be_watched() {
    let outcome = bs(&BUILTIN, &["--watch"]).run();
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    for what in [
        "BS: ",
        "round 1, rank 0: ",
        " lays ",
        "pile ",
        " won with an empty hand",
    ] {
        assert!(outcome.out.contains(what), "{what}: {}", outcome.out);
    }
}

#[test]
fn the_ten_line_bot_plays() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: there is no python3");
        return;
    }
    let ten = format!("python3 {}", bots().join("bs/ten_lines.py").display());
    let pool = ["builtin:random", "builtin:honest", "builtin:doubter", &ten];
    let outcome = bs(&pool, &["--games", "30", "--json"]).run();
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.out, outcome.err);
    let standings = outcome.json().pop().unwrap();
    let line = standings["standings"].as_array().unwrap().iter();
    let ten = line
        .clone()
        .find(|line| line["bot"] == "ten_lines")
        .unwrap();
    assert!(ten["wins"].as_f64().unwrap() > 0.0, "{standings}");
}

/// Whether there is Java here; a word when not.
fn has_java() -> bool {
    let found = Command::new("javac").arg("-version").output().is_ok();
    if !found {
        println!("skipped: there is no javac");
    }
    found
}

fn java(class: &str) -> String {
    let file = bots().join(format!("bs/java/{class}.java"));
    format!("java:{}", file.display())
}

/// Writes a class that plays as that of the text, but for one method.
fn class(folder: &Path, name: &str, method: &str) -> PathBuf {
    let ours: String = [
        ("requestCards", "protected java.util.List<Card> requestCards(int card, Controller controller) { return java.util.Arrays.asList(getHand()[0]); }"),
        ("bs(", "protected boolean bs(Player player, int card, int numberOfCards, Controller controller) { return false; }"),
    ]
    .iter()
    .filter(|(key, _)| !method.contains(key))
    .map(|(_, text)| format!("    {text}\n"))
    .collect();
    let text = format!(
        "package players;\nimport controller.*;\npublic class {name} extends Player {{\n{ours}    {method}\n}}\n"
    );
    let file = folder.join(format!("{name}.java"));
    fs::write(&file, text).unwrap();
    file
}

#[test]
fn the_class_of_the_text_plays_a_thousand_games_unchanged() {
    if !has_java() {
        return;
    }
    let pool = [
        "builtin:honest",
        "builtin:honest",
        "builtin:counter",
        &java("Player1"),
    ];
    let outcome = bs(&pool, &["--games", "1000", "--jobs", "2", "--json"]).run();
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    let games = outcome.games();
    assert_eq!(games.len(), 1000);
    assert!(games.iter().all(|game| game["reason"] == "won"));
    assert!(faults(&games, "Player1").iter().all(Option::is_none));
}

#[test]
fn java_players_see_what_they_may_rely_on() {
    if !has_java() {
        return;
    }
    // Two of one file: each has a folder of its own.
    let pool = [
        java("Checker"),
        format!("second={}", java("Checker")),
        java("Player1"),
    ];
    let pool = [&pool[..], &["builtin:doubter".to_owned()]].concat();
    let outcome = bs(&pool, &["--games", "40", "--json"]).run();
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.out, outcome.err);
    let names = &outcome.json()[0]["bots"];
    let text = |index: usize| (&names[index][0], &names[index][1]);
    assert_eq!(text(0), (&json!("Checker"), &json!(pool[0])));
    assert_eq!(text(1), (&json!("second"), &json!(pool[1])));
}

#[test]
fn java_players_that_fail_lose_with_their_message() {
    if !has_java() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let lay = |body: &str| {
        format!(
            "protected java.util.List<Card> requestCards(int card, Controller controller) {{ {body} }}"
        )
    };
    let cases = [
        ("Throws", lay("throw new IllegalStateException(\"out of\\ncards\");"), "protocol",
            "PLAY was answered `the player threw java.lang.IllegalStateException: out of?cards`"),
        ("Null", lay("return null;"), "protocol", "`requestCards returned null`"),
        ("NullCard", lay("return java.util.Arrays.asList(getHand()[0], null);"), "protocol",
            "`requestCards returned a card that is null`"),
        ("Nothing", lay("return new java.util.ArrayList<Card>();"), "illegal", "laid no card"),
        // The card it laid in its first turn once more.
        ("Old", format!("private Card old; {}", lay(
            "if (old == null) old = getHand()[0]; return java.util.Arrays.asList(old);")),
            "protocol", "that is not in the hand`"),
        ("Initial", "protected void initialize(Controller controller) { int[] none = {}; none[0] = 1; }".to_owned(),
            "protocol", "`the player threw java.lang.ArrayIndexOutOfBoundsException"),
        ("Leaves", lay("System.exit(5); return null;"), "exit", "ended with code 5"),
        ("Deep", "protected boolean bs(Player player, int card, int numberOfCards, Controller controller) { return bs(player, card, numberOfCards, controller); }".to_owned(),
            "protocol", "CLAIM was answered `the player threw java.lang.StackOverflowError`"),
    ];
    let mut pool: Vec<String> = cases
        .iter()
        .map(|(name, method, ..)| format!("java:{}", class(folder.path(), name, method).display()))
        .collect();
    // A game needs one who is left over.
    pool.push("builtin:honest".to_owned());
    let logs = folder.path().join("logs");
    let outcome = bs(
        &pool,
        &[
            "--games",
            "14",
            "--rounds",
            "30",
            "--json",
            "--logs",
            logs.to_str().unwrap(),
        ],
    )
    .run();
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.out, outcome.err);
    let games = outcome.games();
    for (name, _, kind, detail) in &cases {
        let found: Vec<(String, String)> = faults(&games, name).into_iter().flatten().collect();
        assert!(!found.is_empty(), "{name} never failed");
        for (found, why) in found {
            assert_eq!(found, *kind, "{name}: {why}");
            assert!(why.contains(detail), "{name}: {why}");
        }
    }
    let thrown = games
        .iter()
        .find(|game| {
            faults(std::slice::from_ref(game), "Throws")
                .iter()
                .any(Option::is_some)
        })
        .unwrap();
    let seats = thrown["seats"].as_array().unwrap();
    let seat = seats.iter().position(|name| name == "Throws").unwrap();
    let number = thrown["game"].as_u64().unwrap();
    let log = logs.join(format!("{number:06}/seat{seat}-Throws.log"));
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("IllegalStateException: out of"), "{log}");
    assert!(log.contains("at players.Throws.requestCards"), "{log}");
}

#[test]
fn a_java_player_that_thinks_for_ever_runs_out_of_time() {
    if !has_java() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let method = "protected void update(Controller controller) { while (true); }";
    let file = class(folder.path(), "Thinker", method);
    let outcome = some_games(&format!("java:{}", file.display()), 1, &SHORT);
    let fault = faults(&outcome.games(), "Thinker")[0].clone().unwrap();
    assert_eq!(
        fault,
        ("timeout".to_owned(), "no answer in 0.5 s".to_owned())
    );
}

#[test]
fn without_javac_the_first_game_is_not_begun() {
    let empty = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_camicia"));
    command
        .env_remove("JAVA_HOME")
        .env("PATH", empty.path())
        .arg("match")
        .arg("bs");
    for bot in [&BUILTIN[..3], &[java("Player1").as_str()]].concat() {
        command.args(["--bot", bot]);
    }
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("needs javac"), "{text}");
    assert!(text.contains("install a Java development kit"), "{text}");
}

#[test]
fn java_files_that_are_none_are_refused() {
    if !has_java() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        format!("java:{}", file.display())
    };
    let cases = [
        (
            "java:/no/such/Player.java".to_owned(),
            "there is no such file",
        ),
        (
            write("Player.txt", ""),
            "a player is a file that ends in .java",
        ),
        (
            write(
                "Wrong.java",
                "package players; public class Wrong extends Nobody {}",
            ),
            "does not compile",
        ),
        (
            write("Empty.java", "package players;"),
            "it has no class of the file's own name",
        ),
        (
            write("Other.java", "class Someone {}"),
            "it has no class of the file's own name",
        ),
    ];
    for (bot, why) in cases {
        let pool = [&BUILTIN[..3], &[bot.as_str()]].concat();
        let outcome = bs(&pool, &[]).run();
        assert_eq!(outcome.code, Some(2), "{bot}: {}", outcome.err);
        assert!(outcome.err.contains(why), "{bot}: {}", outcome.err);
    }
}
