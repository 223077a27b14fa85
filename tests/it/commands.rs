//! The commands that play and describe single deals, as a person and as a program see them.

use std::path::Path;

use assert_cmd::Command;
use serde_json::{Value, json};

use super::support::{self, CASELLA, run_in};

fn camicia(args: &[&str]) -> Command {
    Command::from_std(support::camicia_in(".".as_ref(), args))
}

/// Runs it in the checkout, where the published results lie.
fn run(args: &[&str]) -> (i32, String, String) {
    run_in(".".as_ref(), args)
}

fn json(args: &[&str]) -> Value {
    let (code, out, err) = run(args);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn play_json_is_the_documented_one() {
    let (_, out, _) = run(&["play", CASELLA, "--json"]);
    let wanted = r#"{"status":"loop","cards":474,"tricks":66,"winner":null,"lead_in":{"cards":34,"tricks":4},"period":{"cards":440,"tricks":62}}"#;
    assert_eq!(out.trim_end(), wanted);
}

#[test]
fn every_way_to_give_a_deal() {
    let wanted = json!({ "status": "finished", "cards": 7, "tricks": 1, "winner": "A" });
    assert_eq!(json(&["play", "2 A/3 4 5 6 7", "--json"]), wanted);
    assert_eq!(json(&["play", "--json", "-A", "-----"]), wanted);
    assert_eq!(json(&["play", "2A", "34567", "--json"]), wanted);
    assert_eq!(json(&["play", "04/00000", "--digits", "--json"]), wanted);
    assert_eq!(
        json(&[
            "play",
            "04/00000",
            "--deck",
            "plain=6,4=1,hands=2/5",
            "--json"
        ]),
        wanted
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deal.txt");
    std::fs::write(&file, "1: -A\n2: -----\n").unwrap();
    assert_eq!(json(&["play", file.to_str().unwrap(), "--json"]), wanted);
    let mut piped = camicia(&["play", "-", "--json"]);
    let out = piped.write_stdin(r#"{"playerA":["2","A"],"playerB":["3","4","5","6","7"]}"#);
    let out: Value = serde_json::from_slice(&out.output().unwrap().stdout).unwrap();
    assert_eq!(out, wanted);
    let dealt = json(&["play", "J-Q", "--alternating", "--json"]);
    assert_eq!(dealt, json(&["play", "JQ/-", "--json"]));
}

#[test]
fn named_readings_of_a_loop() {
    assert_eq!(json(&["play", "Q 2 3/4 5 J 6", "--json"])["cards"], 14);
    assert_eq!(
        json(&["play", "Q 2 3/4 5 J 6", "--decks-only", "--json"])["cards"],
        6
    );
    let apart = json(&["play", CASELLA, "--distinct", "--json"]);
    assert_eq!(
        (&apart["cards"], &apart["tricks"]),
        (&json!(33_034), &json!(4_654))
    );
    let capped = json(&["play", CASELLA, "--max-tricks", "10", "--json"]);
    assert_eq!(
        (&capped["status"], &capped["tricks"]),
        (&json!("capped"), &json!(10))
    );
}

#[test]
fn the_trace_is_the_table_of_the_exercise() {
    let (code, out, _) = run(&["play", "J 2 3/4 J 5", "--trace"]);
    assert_eq!(code, 0);
    assert_eq!(
        out,
        "\
round  cards  player A  player B  pile   debt
    1      0  J 2 3     4 J 5     ·      -
    1      1  2 3       4 J 5     J      B owes 1
    1      2  2 3       J 5       J 4    -
    2      2  2 3 J 4   J 5       ·      -
    2      3  3 J 4     J 5       2      -
    2      4  3 J 4     5         2 J    A owes 1
    2      5  J 4       5         2 J 3  -
    3      5  J 4       5 2 J 3   ·      -
    3      6  J 4       2 J 3     5      -
    3      7  4         2 J 3     5 J    B owes 1
    3      8  4         J 3       5 J 2  -
    4      8  4 5 J 2   J 3       ·      -
loop after 8 cards, 3 tricks
lead-in 2 cards, 1 trick
period 6 cards, 2 tricks
"
    );
}

#[test]
fn a_part_of_a_long_trace() {
    let record = "---AJ--Q---------QAKQJJ-QK/-----A----KJ-K--------A---";
    let (_, out, _) = run(&[
        "play",
        record,
        "--trace=tricks",
        "--from",
        "1163",
        "--to",
        "1164",
    ]);
    assert_eq!(
        out,
        "\
round  cards  player A      player B                                                leads
 1163   8326  -Q-----A----  QA---AK-QK--AK-------J---JJ----Q--J-K---                B
 1164   8334  -A----        ---AK-QK--AK-------J---JJ----Q--J-K---Q-QA----          B
 1165   8344  ·             K-QK--AK-------J---JJ----Q--J-K---Q-QA-------A-A----    B
finished after 8344 cards, 1164 tricks
winner B
"
    );
    let trace = json(&[
        "play",
        "J 2 3/4 J 5",
        "--trace",
        "--from",
        "3",
        "--to",
        "3",
        "--json",
    ]);
    assert_eq!(trace["trace"].as_array().unwrap().len(), 5);
    assert_eq!(
        trace["trace"][2],
        json!({ "round": 3, "cards": 7, "a": "4", "b": "2 J 3", "pile": "5 J",
            "debt": { "player": "B", "cards": 1 }, "turn": "B" })
    );
}

#[test]
fn index_and_deal_are_inverse() {
    let index = json(&["index", CASELLA, "--deck", "standard", "--json"]);
    assert_eq!(index["index"], "472460898658889399111");
    assert_eq!(index["deals"], "653534134886878245000");
    assert_eq!(
        run(&["deal", "472460898658889399111"]).1.trim_end(),
        CASELLA
    );
    let other = json(&["index", CASELLA, "--order", "-123", "--json"]);
    let back = json(&[
        "deal",
        other["index"].as_str().unwrap(),
        "--order",
        "-123",
        "--json",
    ]);
    assert_eq!(back["deal"], CASELLA);
    let (_, out, _) = run(&["deal", "13099237281751", "--deck", "italian"]);
    assert_eq!(out.trim_end(), "00000010020302030310/00100300010020000200");
    let (_, out, _) = run(&["deal", "0", "--deck", "J=1,plain=1", "--notation", "json"]);
    assert_eq!(out.trim_end(), r#"{"playerA":["J"],"playerB":["-"]}"#);
}

#[test]
fn close_gives_the_published_tree() {
    let tree = json(&["close", CASELLA, "--json"]);
    assert_eq!(
        (&tree["states"], &tree["deals"]),
        (&json!(2_670), &json!(30))
    );
    let all = json(&["close", CASELLA, "--all", "--json"]);
    let all = all["all"].as_array().unwrap();
    assert_eq!(all.len(), 30);
    assert!(all.iter().any(|deal| deal["deal"] == CASELLA));
    // A published record whose tree hides a longer deal.
    let collins = "A-QK------Q----KA-----J---/-JAK----A--Q----J---QJ--K-";
    let tree = json(&["close", collins, "--json"]);
    assert_eq!(
        (&tree["top"]["cards"], &tree["top"]["tricks"]),
        (&json!(7_544), &json!(1_048))
    );
    let (_, out, _) = run(&["close", CASELLA, "--bound", "100"]);
    assert!(out.contains("tree of 100 states") && out.contains("the bound of --bound was hit"));
}

#[test]
fn verify_names_every_claim_that_does_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let table = "hand_a\thand_b\tstatus\tcards\ttricks\n2 A\t3 4 5 6 7\tfinished\t7\t1\n\
        2 A\t3 4 5 6 7\tfinished\t8\t1\nY\t3\tfinished\t8\t1\n2\t3\tended\t2\t1\n2\t3\n";
    std::fs::write(path("a.tsv"), table).unwrap();
    let (code, out, _) = run(&["verify", &path("a.tsv")]);
    assert_eq!(code, 1);
    for line in [
        "a.tsv:3: cards is claimed as 8, but is 7\n",
        "a.tsv:4: hand A, card 1 (character 1): \"Y\" is no card",
        "a.tsv:5: status: \"ended\" is neither finished nor loop\n",
        "a.tsv:6: the row has 2 columns, the header 5\n",
        "1 of 5 claims hold\n",
    ] {
        assert!(out.contains(line), "{out}");
    }
    let lines = format!(
        "{}\n{}",
        r#"{"deal":"-A/-----","deck":"plain=6,A=1,hands=2/5","cards":7,"tricks":1,"status":"finished"}"#,
        r#"{"deal":"-A/---"#
    );
    std::fs::write(path("b.jsonl"), lines).unwrap();
    let (code, out, _) = run(&["verify", "--json", &path("b.jsonl")]);
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &out["claims"], &out["held"]),
        (1, &json!(2), &json!(1))
    );
    assert_eq!(out["failed"][0]["line"], 2);
    let (code, out, _) = run(&["verify", "results/known"]);
    assert_eq!(code, 0, "{out}");
}

#[test]
fn records_show_the_gap() {
    let (_, out, _) = run(&["records", "--deck", "standard"]);
    let nessler = out
        .lines()
        .find(|line| line.contains("Nessler 2021"))
        .unwrap();
    assert!(
        nessler.contains("7972") && nessler.contains("-4.46 %"),
        "{nessler}"
    );
    let (_, out, _) = run(&["records", "--json", "--deck", "italian"]);
    let first: Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["cards"], &first["gap_percent"]),
        (&json!(4_663), &json!(0.0))
    );
    let (_, out, _) = run(&["records", "--csv", "results/known/standard-finished.jsonl"]);
    assert!(
        out.lines()
            .nth(1)
            .unwrap()
            .contains(",8344,1164,finished,B,,,,,0,Nessler 2022,")
    );
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let big = folder.path().join("big.txt");
    std::fs::write(&big, format!("{}/J", "-".repeat(10 << 20))).unwrap();
    let big = big.to_str().unwrap();
    let bytes = folder.path().join("bytes.txt");
    std::fs::write(&bytes, b"J/\xff").unwrap();
    let bytes = bytes.to_str().unwrap();
    for (args, wanted) in [
        (
            &["play", "J X/2"][..],
            "hand A, card 2 (character 3): \"X\" can be read in two ways",
        ),
        (&["play", "JJ"], "only one hand is written"),
        (&["play", ""], "the deal is empty"),
        (&["play", "J", ""], "hand B is empty"),
        (
            &["play", "no-such-file.txt"],
            "there is no file \"no-such-file.txt\"",
        ),
        (
            &["play", big],
            "the deal has 10485761 cards: at most 10000 are accepted",
        ),
        (&["play", bytes], "byte 2 is not UTF-8"),
        (
            &["play", "AAAAA/-----", "--deck", "standard"],
            "it has 5 plain, the deck 36",
        ),
        (
            &["play", CASELLA, "--deck", "tarot"],
            "\"tarot\" is no deck",
        ),
        (
            &["play", "J/2", "--trace", "--from", "3", "--to", "2"],
            "names no trick",
        ),
        (&["deal", "653534134886878245000"], "out of range"),
        (&["deal", "-1"], "unexpected argument '-1'"),
        (
            &["deal", "340282366920938463463374607431768211456"],
            "too large",
        ),
        (&["index", CASELLA, "--order", "abc"], "\"abc\" is no order"),
        (&["close", "J/2", "--hands", "1/2"], "does not add up"),
        (&["close", "/2"], "hand A is empty"),
        (&["verify", "LICENSE-MIT"], "hand_a is missing"),
        (&["records", "src"], "no results"),
    ] {
        let (code, out, err) = run(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.contains(wanted), "{args:?}: {err}");
    }
}

#[test]
fn completions_know_the_commands() {
    let (code, out, _) = run(&["completions", "bash"]);
    assert_eq!(code, 0);
    assert!(out.contains("exhaust") && out.contains("--decks-only"));
}

/// Runs it in a folder, which must give this code.
fn gives(folder: &Path, code: i32, args: &[&str]) -> String {
    let (is, out, err) = run_in(folder, args);
    assert_eq!(is, code, "{args:?}: {out}{err}");
    out
}

#[test]
fn own_output_is_read_back_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let json = gives(folder, 0, &["records", "--json"]);
    let csv = gives(folder, 0, &["records", "--csv"]);
    write("own.jsonl", &json);
    write("own.csv", &csv);
    write(
        "mark.csv",
        &format!("\u{feff}{}", csv.replace('\n', "\r\n")),
    );
    let all = json.lines().count();
    for name in ["own.jsonl", "own.csv", "mark.csv"] {
        let out = gives(folder, 0, &["verify", name]);
        assert!(
            out.starts_with(&format!("{all} of {all} claims hold")),
            "{out}"
        );
        assert_eq!(gives(folder, 0, &["records", name, "--csv"]), csv, "{name}");
    }
    // What a tree and a search print.
    write(
        "tree.json",
        &gives(folder, 0, &["close", CASELLA, "--json", "--all"]),
    );
    let out = gives(folder, 0, &["verify", "tree.json"]);
    assert_eq!(out, "32 of 32 claims hold\n");
    let search =
        "search --deck half --games 20000 --block 1000 --close-from 200 --json --results r";
    let search: Vec<&str> = search.split(' ').collect();
    write("search.json", &gives(folder, 0, &search));
    let out = gives(folder, 0, &["verify", "search.json"]);
    assert!(
        out.contains("claims hold") && !out.starts_with("0 "),
        "{out}"
    );
    let out = gives(folder, 0, &["verify", "r"]);
    assert!(!out.contains("say where"), "the plan lies beside: {out}");
}

#[test]
fn where_a_find_was_found_is_dealt_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let search = "search --deck half --games 20000 --block 1000 --close-from 200 --results r";
    let search: Vec<&str> = search.split(' ').collect();
    gives(folder, 0, &search);
    let board = folder.join("r/leaderboard.jsonl");
    let text = std::fs::read_to_string(&board).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines.len() > 10);
    let change = |field: &str, value: Value| {
        let mut find = lines[lines.len() - 1].clone();
        find["found"][field] = value;
        find.to_string() + "\n"
    };
    for (field, value) in [
        ("seed", json!(77)),
        ("block", json!(3_000_000)),
        ("offset", json!(999_999_999)),
        ("plan", json!("0123456789abcdef")),
        ("how", json!("climb")),
    ] {
        std::fs::write(&board, change(field, value)).unwrap();
        let out = gives(folder, 1, &["verify", "r"]);
        assert!(out.contains("leaderboard.jsonl:1: "), "{field}: {out}");
    }
    // Of random deals the seed, block and offset are enough.
    std::fs::write(folder.join("alone.jsonl"), change("seed", json!(77))).unwrap();
    let out = gives(folder, 1, &["verify", "alone.jsonl"]);
    assert!(
        out.contains("the deal at found.block and found.offset"),
        "{out}"
    );
    std::fs::write(folder.join("alone.jsonl"), &text).unwrap();
    let out = gives(folder, 0, &["verify", "alone.jsonl"]);
    assert!(out.contains("say where they were found"), "{out}");
    gives(
        folder,
        0,
        &["verify", "alone.jsonl", "--plan", "r/plan.toml"],
    );
    // The name of a cycle is a claim too.
    let known = "results/known/standard-cycles.jsonl";
    let known = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(known)).unwrap();
    let [one, two] = [0, 1].map(|at| {
        let line = known.lines().nth(at).unwrap();
        serde_json::from_str::<Value>(line).unwrap()
    });
    let mut wrong = one.clone();
    wrong["cycle"] = two["cycle"].clone();
    std::fs::write(folder.join("cycle.jsonl"), wrong.to_string()).unwrap();
    let out = gives(folder, 1, &["verify", "cycle.jsonl"]);
    assert!(out.contains("cycle is claimed as"), "{out}");
}

#[test]
fn nothing_found_is_no_error_and_a_wrong_file_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for text in ["", "\n", "\u{feff}", "deal,status,cards,tricks\n"] {
        std::fs::write(folder.join("leaderboard.jsonl"), text).unwrap();
        let out = gives(folder, 0, &["verify", "leaderboard.jsonl"]);
        assert_eq!(out, "0 of 0 claims hold\n", "{text:?}");
        gives(folder, 0, &["records", "leaderboard.jsonl"]);
        gives(folder, 0, &["verify", "."]);
    }
    std::fs::write(folder.join("wrong.json"), "{\"name\": \"x\"}\n").unwrap();
    for command in ["verify", "records"] {
        let (code, out, err) = run_in(folder, &[command, "wrong.json"]);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(
            err.contains("wrong.json: no line is a claim; line 1: "),
            "{err}"
        );
    }
    let mut piped = camicia(&["verify", "-"]);
    let out = piped
        .write_stdin("finished,447247122283566119055,8344,1164\n")
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(out.stdout).unwrap(),
        "1 of 1 claims hold\n"
    );
}

#[test]
fn one_string_for_both_hands_says_what_each_reading_gives() {
    let text = "K-----A-----QA---QQAK---J------QKJ-------K-J--A----J";
    let halves = json(&["play", text, "--halves", "--json"]);
    assert_eq!(
        (&halves["cards"], &halves["tricks"]),
        (&json!(6005), &json!(839))
    );
    let alternating = json(&["play", text, "--alternating", "--json"]);
    assert_eq!(alternating["cards"], 499);
    let (code, _, err) = run(&["play", text]);
    assert_eq!(code, 2);
    for wanted in [
        "--halves",
        "6005 cards, 839 tricks",
        "--alternating",
        "499 cards",
    ] {
        assert!(err.contains(wanted), "{err}");
    }
    let back = run(&["deal", "447247122283566119055", "--notation", "halves"]).1;
    assert_eq!(
        json(&["play", back.trim(), "--halves", "--json"])["cards"],
        8344
    );
}

#[test]
fn hands_are_not_flags() {
    let wanted = json(&["play", "A-/--", "--json"]);
    for args in [
        &["play", "A-", "--", "--json"][..],
        &["play", "--json", "A-", "--"],
        &["play", "A- | --", "--json"],
        &["play", "1: A- 2: --", "--json"],
        &["play", "--json", "--", "A-/--"],
    ] {
        assert_eq!(json(args), wanted, "{args:?}");
    }
    let (code, _, err) = run(&["play", "A-/--", "--jsn"]);
    assert_eq!(code, 2);
    assert!(err.contains("there is no option --jsn"), "{err}");
    let (code, _, err) = run(&["play", "KS-2H-3D/4C-JH-5S"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("\"KS 2H 3D\" if it only separates cards"),
        "{err}"
    );
}
