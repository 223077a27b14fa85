//! `camicia workunit`: the answers are those of the exact engine, whatever stops the work.

use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use camicia::cards::{Deck, Order};
use camicia::game::exact;

/// The index of the first infinite deal of the standard deck that was published (Casella 2024).
const CASELLA: u128 = 472_460_898_658_889_399_111;

/// The number of deals of the standard deck.
const DEALS: u128 = 653_534_134_886_878_245_000;

fn workunit(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_camicia"));
    command.arg("workunit").arg(folder);
    command
}

fn run(folder: &Path, more: &[&str]) -> Output {
    workunit(folder).args(more).output().unwrap()
}

/// A folder with a unit.
fn unit(first: u128, last: u128) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in"), format!("{first} {last}\n")).unwrap();
    folder
}

fn answer(folder: &Path) -> String {
    fs::read_to_string(folder.join("out")).unwrap()
}

/// The answer of the exact engine, deal by deal.
fn exact_answer(indices: RangeInclusive<u128>) -> String {
    let deck = Deck::standard();
    let mut longest: Option<(u128, u64, u64)> = None;
    let mut loops = String::new();
    for index in indices {
        let verdict = exact::play(&deck.deal_at(index, Order::AcesFirst).unwrap());
        let (cards, tricks) = (verdict.played.cards, verdict.played.tricks);
        if verdict.is_loop() {
            loops += &format!("loop,{index},{cards},{tricks}\n");
        } else if longest.is_none_or(|(_, most, _)| cards > most) {
            longest = Some((index, cards, tricks));
        }
    }
    let finished = longest
        .map(|(index, cards, tricks)| format!("finished,{index},{cards},{tricks}\n"))
        .unwrap_or_default();
    finished + &loops
}

#[test]
fn twenty_thousand_deals_around_the_first_loop_are_those_of_the_exact_engine() {
    let (first, last) = (CASELLA - 10_000, CASELLA + 9_999);
    let folder = unit(first, last);
    let output = run(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let expected = exact_answer(first..=last);
    assert!(
        expected.contains(&format!("loop,{CASELLA},474,66\n")),
        "{expected}"
    );
    assert_eq!(answer(folder.path()), expected);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("20,000 deals"), "{said}");
}

#[test]
fn ties_one_deal_a_lone_loop_and_both_ends_of_the_deck() {
    for (first, last) in [
        (0, 2_999),
        (0, 0),
        (DEALS - 3_000, DEALS - 1),
        (DEALS - 1, DEALS - 1),
        (CASELLA, CASELLA),
        (CASELLA + 1, CASELLA + 1),
    ] {
        let expected = exact_answer(first..=last);
        for more in [
            &["--threads", "3"][..],
            &["--kernel", "scalar"],
            &["--threads", "1"],
        ] {
            let folder = unit(first, last);
            let output = run(folder.path(), more);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            assert_eq!(answer(folder.path()), expected, "{first} {last} {more:?}");
        }
    }
    // The first deals are short games, many of the same length; the first of the longest counts.
    let all = exact_answer(0..=2_999);
    let [_, index, cards, _] = all
        .trim()
        .split(',')
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    let index: u128 = index.parse().unwrap();
    let ties = (index + 1..3_000)
        .filter(|&index| {
            let deal = Deck::standard().deal_at(index, Order::AcesFirst).unwrap();
            exact::play(&deal).played.cards.to_string() == cards
        })
        .count();
    assert!(ties > 0, "the range has ties");
}

#[test]
fn a_unit_without_a_finished_game_has_loops_only() {
    let folder = unit(CASELLA, CASELLA);
    assert_eq!(run(folder.path(), &[]).status.code(), Some(0));
    assert_eq!(answer(folder.path()), format!("loop,{CASELLA},474,66\n"));
}

#[test]
fn link_files_of_boinc_are_followed() {
    let root = tempfile::tempdir().unwrap();
    let (slot, project) = (
        root.path().join("slots/3"),
        root.path().join("projects/camicia"),
    );
    fs::create_dir_all(&slot).unwrap();
    fs::create_dir_all(&project).unwrap();
    for (logical, physical) in [
        ("in", "unit_1"),
        ("out", "unit_1_r1"),
        ("camicia_state", "unit_1_s"),
    ] {
        let link = format!("<soft_link>../../projects/camicia/{physical}</soft_link>\n");
        fs::write(slot.join(logical), link).unwrap();
    }
    fs::write(
        project.join("unit_1"),
        format!("{} {}", CASELLA - 5, CASELLA + 5),
    )
    .unwrap();
    let output = run(&slot, &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let expected = exact_answer(CASELLA - 5..=CASELLA + 5);
    assert_eq!(
        fs::read_to_string(project.join("unit_1_r1")).unwrap(),
        expected
    );
    assert!(answer(&slot).starts_with("<soft_link>"));
    assert!(
        fs::read_to_string(project.join("unit_1_s"))
            .unwrap()
            .starts_with("camicia work unit, state 1")
    );
    assert_eq!(
        fs::read_to_string(slot.join("boinc_finish_called")).unwrap(),
        "0\n"
    );
    let fraction: f64 = fs::read_to_string(slot.join("fraction_done"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    assert_eq!(fraction, 1.0);
}

/// Waits until the fraction in the folder is over `fraction`.
fn wait_for(folder: &Path, fraction: f64) {
    let start = Instant::now();
    loop {
        let done = fs::read_to_string(folder.join("fraction_done"))
            .ok()
            .and_then(|text| text.trim().parse::<f64>().ok());
        if done.is_some_and(|done| done > fraction) {
            return;
        }
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "it does not go on"
        );
        sleep(Duration::from_millis(5));
    }
}

fn signal(process: &std::process::Child, name: &str) {
    let status = Command::new("kill")
        .args([format!("-{name}"), process.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn a_unit_that_was_stopped_or_killed_ends_with_the_same_bytes() {
    // A few seconds of deals, loops and ends of blocks among them.
    let (first, last) = (CASELLA - 15_000_000, CASELLA + 15_000_000);
    let whole = unit(first, last);
    assert_eq!(
        run(whole.path(), &["--threads", "2"]).status.code(),
        Some(0)
    );
    let expected = answer(whole.path());
    assert!(expected.contains(&format!("loop,{CASELLA},474,66\n")));

    let folder = unit(first, last);
    let mut stops = 0;
    for name in ["TERM", "KILL", "INT"] {
        let mut process = workunit(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Its first block is done, or what was done before: there is much to come.
        wait_for(folder.path(), 0.0);
        signal(&process, name);
        let status = process.wait().unwrap();
        if status.code() == Some(75) {
            stops += 1;
        } else {
            assert!(status.code().is_none() && name == "KILL" || status.success());
        }
        let _ = fs::remove_file(folder.path().join("fraction_done"));
    }
    assert!(stops > 0, "it was stopped before its end");
    let state = fs::read_to_string(folder.path().join("camicia_state")).unwrap();
    assert!(state.contains(&format!("unit {first} {last}\n")), "{state}");
    assert_eq!(run(folder.path(), &[]).status.code(), Some(0));
    assert_eq!(answer(folder.path()), expected);
    // Once more: nothing is left to do, and nothing changes.
    assert_eq!(run(folder.path(), &[]).status.code(), Some(0));
    assert_eq!(answer(folder.path()), expected);
}

#[test]
fn only_one_process_plays_a_unit() {
    let folder = unit(0, 100_000_000);
    let mut first = workunit(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(folder.path(), 0.0);
    let second = run(folder.path(), &[]);
    signal(&first, "TERM");
    assert_eq!(first.wait().unwrap().code(), Some(75));
    assert_eq!(second.status.code(), Some(73), "{second:?}");
}

/// What lies in a folder, name by name.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                fs::read(entry.path()).unwrap(),
            )
        })
        .filter(|(name, _)| name != "camicia_lock")
        .collect();
    found.sort();
    found
}

#[test]
fn bad_folders_are_refused_and_nothing_in_them_changes() {
    let huge = vec![b'7'; 100_000];
    let mut foreign = b"18446744073709551615\n".to_vec();
    foreign.extend([0, 1, 2]);
    /// The files of a slot folder, and a word of the message.
    type Case<'a> = (&'a [(&'a str, &'a [u8])], &'a str);
    let cases: [Case<'_>; 13] = [
        (&[], "in: No such file"),
        (&[("in", b"")], "it is empty"),
        (&[("in", &huge)], "over 4096 bytes"),
        (&[("in", b"9 3")], "ends at 3, before it starts at 9"),
        (&[("in", b"0 653534134886878245000")], "past the end"),
        (&[("in", b"1 x")], "no decimal number"),
        (&[("in", b"\xff\xfe")], "one number only"),
        (&[("in", b"<soft_link>nowhere</soft_link>")], "nowhere"),
        (&[("in", b"<soft_link>")], "link file"),
        (
            &[("in", b"0 9"), ("camicia_state", &foreign)],
            "not a checkpoint of this program",
        ),
        (
            &[("in", b"0 9"), ("camicia_state", b"")],
            "not a checkpoint of this program",
        ),
        (
            &[
                ("in", b"0 9"),
                ("camicia_state", b"camicia work unit, state 9\n"),
            ],
            "is of version 9",
        ),
        (
            &[("in", b"0 9"), ("out", b"finished,1,2,3\n")],
            "there is an answer already",
        ),
    ];
    for (files, wanted) in cases {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let before = contents(folder.path());
        let output = run(folder.path(), &[]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{wanted}: {said}");
        assert!(said.contains(wanted), "{wanted}: {said}");
        assert_eq!(contents(folder.path()), before, "{wanted}");
    }
    // A checkpoint of another unit.
    let folder = unit(0, 9);
    assert_eq!(run(folder.path(), &[]).status.code(), Some(0));
    fs::write(folder.path().join("in"), "0 10").unwrap();
    let before = contents(folder.path());
    let output = run(folder.path(), &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("belongs to the unit 0 9"), "{said}");
    assert_eq!(contents(folder.path()), before);
}

#[test]
fn a_folder_that_cannot_be_written_is_said_with_code_74() {
    let folder = unit(0, 9);
    // A link to a folder that is not there: the answer has no place.
    fs::write(
        folder.path().join("out"),
        "<soft_link>gone/out</soft_link>\n",
    )
    .unwrap();
    let output = run(folder.path(), &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(74), "{said}");
    assert!(said.contains("gone/out"), "{said}");
    // The work is not lost.
    fs::create_dir(folder.path().join("gone")).unwrap();
    assert_eq!(run(folder.path(), &[]).status.code(), Some(0));
    assert_eq!(
        fs::read_to_string(folder.path().join("gone/out")).unwrap(),
        exact_answer(0..=9)
    );
}
