//! All deals of all known cycles written at once, and new finds added to the known ones.

use std::collections::BTreeSet;
use std::fs;

use camicia::search::finds::{known, results};

use super::support::{camicia_in, run, told};

#[test]
fn all_deals_of_all_known_cycles_are_written_with_their_indices_and_hold() {
    for (deck, cycles, deals) in [
        ("standard", 272, 9036),
        ("italian", 9, 162),
        ("half", 1, 16),
    ] {
        let (code, out, err) = run(&["cycle", "--all", deck]);
        assert_eq!(code, 0, "{err}");
        let (mut names, mut all) = (BTreeSet::new(), BTreeSet::new());
        for (line, find) in results::read(&out).finds {
            let find = find.unwrap_or_else(|error| panic!("line {line}: {error}"));
            assert_eq!(find.deck.to_string(), deck);
            assert!(find.index.is_some() && find.is_loop());
            assert_eq!(find.known, Some(true));
            if deck != "standard" || line % 40 == 0 {
                assert_eq!(find.check(), Ok(()));
            }
            names.insert(find.cycle.clone());
            assert!(all.insert(find.deal), "a deal enters one cycle only");
        }
        assert_eq!((names.len(), all.len()), (cycles, deals), "{deck}");
    }
    // Standard is what is meant where no deck is named; a deck without known cycles is refused.
    let (code, _, err) = run(&["cycle", "--all", "plain=8,J=4"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("no cycle of the deck plain=8,J=4 is known"),
        "{err}"
    );
    let (code, _, err) = run(&["cycle"]);
    assert_eq!(code, 2);
    assert!(err.contains("DEAL"), "{err}");
}

#[test]
fn new_finds_are_added_to_a_copy_of_the_known_files_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // A known infinite deal, a deal of a known cycle, a game of another deck, twice.
    let casella = known::all()
        .into_iter()
        .find(|find| find.is_loop())
        .unwrap();
    let deck = "plain=4,J=2".parse().unwrap();
    let deal = "J--/-J-";
    let reader = camicia::cards::Reader::default();
    let fresh = results::Find::proved(&deck, &reader.deal(deal).unwrap());
    let lines = [casella.to_line(), fresh.to_line(), fresh.to_line()].join("\n");
    fs::write(at.join("found.jsonl"), lines + "\n").unwrap();
    let add = ["records", "--add", "found.jsonl", "--into", "copy"];
    let (code, out, err) = told(&camicia_in(at, &add).output().unwrap());
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("other.jsonl: 1 new"), "{out}");
    assert!(
        out.contains("known before, or of a cycle listed already: 2"),
        "{out}"
    );
    let known_folder = concat!(env!("CARGO_MANIFEST_DIR"), "/results/known");
    for entry in fs::read_dir(known_folder).unwrap() {
        let entry = entry.unwrap();
        let copy = fs::read(at.join("copy").join(entry.file_name())).unwrap();
        assert_eq!(copy, fs::read(entry.path()).unwrap());
    }
    let other = fs::read_to_string(at.join("copy/other.jsonl")).unwrap();
    assert_eq!(other.lines().count(), 1);
    assert!(other.contains("\"cycle\":\"--J-/J-\""), "{other}");
    // A folder that holds something is left alone; a claim that does not hold ends it.
    let (code, _, err) = told(&camicia_in(at, &add).output().unwrap());
    assert_eq!(code, 2);
    assert!(err.contains("not empty"), "{err}");
    let wrong = fresh.to_line().replacen("\"tricks\":2", "\"tricks\":3", 1);
    assert_ne!(wrong, fresh.to_line());
    fs::write(at.join("wrong.jsonl"), wrong + "\n").unwrap();
    let add = ["records", "--add", "wrong.jsonl", "--into", "other"];
    let (code, _, err) = told(&camicia_in(at, &add).output().unwrap());
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("wrong.jsonl:1"), "{err}");
    assert!(!at.join("other").exists());
}
