//! Every reader, fed with damaged and made-up texts: no panic, no nonsense that passes, and what was
//! written is read again as the same. Deals are fuzzed in `cards.rs`.

use std::fs;
use std::path::{Path, PathBuf};

use camicia::cards::{Deck, Order};
use camicia::search::finds::formats::{Claim, Claims};
use camicia::search::finds::results::Find;
use camicia::search::methods::Plan;
use camicia::search::plan::Keys;
use camicia::search::run::disk::Files;
use camicia::search::run::store::Folder;
use proptest::prelude::*;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A change to a text: at a part of it (in 65,536ths), cut, put in, put in place of, or doubled.
#[derive(Clone, Debug)]
enum Change {
    Cut(u16),
    Insert(u16, u8),
    Replace(u16, u8),
    Flip(u16, u8),
    Remove(u16, u8),
    Double(u16, u8),
}

fn change() -> impl Strategy<Value = Change> {
    // Half of the bytes put in are those that the formats are made of.
    let byte = || {
        prop_oneof![
            any::<u8>(),
            proptest::sample::select(b"{}[]\":,;\t\n=-./|0123456789AJQKX eE".to_vec()),
        ]
    };
    prop_oneof![
        any::<u16>().prop_map(Change::Cut),
        (any::<u16>(), byte()).prop_map(|(at, byte)| Change::Insert(at, byte)),
        (any::<u16>(), byte()).prop_map(|(at, byte)| Change::Replace(at, byte)),
        (any::<u16>(), 0..8u8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        (any::<u16>(), 1..40u8).prop_map(|(at, length)| Change::Remove(at, length)),
        (any::<u16>(), 1..40u8).prop_map(|(at, length)| Change::Double(at, length)),
    ]
}

fn changed(text: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut text = text.to_vec();
    for change in changes {
        if text.is_empty() {
            break;
        }
        let place = |at: u16| (usize::from(at) * text.len()) >> 16;
        match *change {
            Change::Cut(at) => text.truncate(place(at)),
            Change::Insert(at, byte) => text.insert(place(at), byte),
            Change::Replace(at, byte) => {
                let at = place(at);
                text[at] = byte;
            }
            Change::Flip(at, bit) => {
                let at = place(at);
                text[at] ^= 1 << bit;
            }
            Change::Remove(at, length) => {
                let at = place(at);
                let end = (at + usize::from(length)).min(text.len());
                text.drain(at..end);
            }
            Change::Double(at, length) => {
                let at = place(at);
                let end = (at + usize::from(length)).min(text.len());
                let part = text[at..end].to_vec();
                text.splice(end..end, part);
            }
        }
    }
    text
}

/// Texts of every format of results.
fn results() -> Vec<Vec<u8>> {
    let first_lines = |path: &str, lines: usize| -> Vec<u8> {
        let text = fs::read_to_string(root().join(path)).unwrap();
        let lines: Vec<&str> = text.lines().take(lines).collect();
        (lines.join("\n") + "\n").into_bytes()
    };
    vec![
        first_lines("results/known/standard-finished.jsonl", 3),
        first_lines("results/known/standard-infinite.jsonl", 2),
        first_lines("results/known/italian-infinite.jsonl", 2),
        first_lines("tests/fixtures/state-1/finds.jsonl", 2),
        first_lines("tests/data/exercise.tsv", 6),
        b"deal,deck,status,cards,tricks,winner\n-A/-----,,finished,7,1,A\n".to_vec(),
        b"deal;cards;tricks;status;lead_in_cards;lead_in_tricks;period_cards;period_tricks\n\
          J--/-J-;8;3;loop;2;1;6;2\n"
            .to_vec(),
        b"finished,447247122283566119055,8344,1164\nloop,472460898658889399111,474,66\n".to_vec(),
        b"{\"cases\": [\n{\"description\": \"x\", \"input\": {\"playerA\": \"J23\", \"playerB\": \
          [\"4\", \"J\", \"5\"]},\n\"expected\": {\"status\": \"loop\", \"cards\": 8, \"tricks\": 3}}\n]}\n"
            .to_vec(),
    ]
}

#[test]
fn every_text_that_is_changed_below_is_read_and_holds() {
    for text in results() {
        let claims = Claims::new(&text[..]).unwrap();
        let mut held = 0;
        for claim in claims {
            let (line, claim) = claim.unwrap();
            let claim = claim.unwrap_or_else(|error| panic!("line {line}: {error}"));
            assert_eq!(claim.check(), Ok(()), "line {line}");
            held += 1;
        }
        assert!(held > 0, "{}", String::from_utf8_lossy(&text));
    }
}

fn plans() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("search")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect()
}

proptest! {
    #[test]
    fn damaged_results_are_claims_that_hold_or_errors(
        which in 0..9usize,
        changes in proptest::collection::vec(change(), 1..5),
    ) {
        let text = changed(&results()[which], &changes);
        let claims = match Claims::new(&text[..]) {
            Ok(claims) => claims,
            Err(error) => {
                prop_assert!(error.to_string().len() > 10, "{}", error);
                return Ok(());
            }
        };
        for claim in claims {
            let Ok((line, claim)) = claim else { break };
            prop_assert!(line > 0);
            match claim {
                Err(error) => prop_assert!(!error.is_empty()),
                Ok(claim) => {
                    if claim.check().is_err() {
                        continue;
                    }
                    // What passes is what the exact engine says, whatever the damage.
                    let find = claim.into_find().unwrap();
                    let proved = Find::proved(&find.deck, &find.deal);
                    prop_assert_eq!(find.played, proved.played);
                    prop_assert_eq!(find.is_loop(), proved.is_loop());
                    prop_assert!(find.index.is_none() || find.index == proved.index);
                }
            }
        }
    }

    #[test]
    fn a_find_reads_back_from_its_line(
        counts in proptest::array::uniform5(0usize..6), at: u128, year: Option<u16>,
        name in proptest::option::of("\\PC{0,20}"),
    ) {
        prop_assume!(counts.iter().sum::<usize>() > 1);
        let deck = Deck::new(counts).unwrap();
        let deals = deck.deals().unwrap();
        let deal = deck.deal_at(at % deals, Order::usual(&deck)).unwrap();
        let find = Find { name, year, ..Find::proved(&deck, &deal) };
        let line = find.to_line();
        let mut claims = Claims::new(line.as_bytes()).unwrap();
        let (_, claim) = claims.next().unwrap().unwrap();
        prop_assert_eq!(claim, Ok(Claim::Find(Box::new(find))), "{}", line);
        prop_assert!(claims.next().is_none());
    }

    #[test]
    fn damaged_plans_are_plans_or_errors(
        which: prop::sample::Index,
        changes in proptest::collection::vec(change(), 0..5),
    ) {
        let plans = plans();
        let text = fs::read(which.get(&plans)).unwrap();
        let text = String::from_utf8_lossy(&changed(&text, &changes)).into_owned();
        let plan = Keys::read(&text).and_then(|keys| Plan::check(&keys));
        match plan {
            Ok(plan) => {
                // What decides its results reads back as the same plan.
                let written = plan.canonical();
                let again = Keys::read(written.as_str()).and_then(|keys| Plan::check(&keys));
                let again = again.map_err(|error| TestCaseError::fail(
                    format!("{error}: {}", written.as_str())
                ))?;
                prop_assert_eq!(again.fingerprint(), plan.fingerprint());
            }
            Err(error) => prop_assert!(error.to_string().len() > 10, "{}", error),
        }
    }

    #[test]
    fn a_damaged_state_is_the_same_state_or_an_error(
        changes in proptest::collection::vec(change(), 1..4),
    ) {
        let fixture = root().join("tests/fixtures/state-1");
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path());
        fs::copy(fixture.join("finds.jsonl"), folder.finds()).unwrap();
        fs::copy(fixture.join("state"), folder.state()).unwrap();
        let whole = folder.load(&Files).unwrap().unwrap();
        let text = fs::read(folder.state()).unwrap();
        fs::write(folder.state(), changed(&text, &changes)).unwrap();
        match folder.load(&Files) {
            Ok(Some(loaded)) => {
                prop_assert_eq!(loaded.fingerprint, whole.fingerprint);
                prop_assert_eq!(loaded.saved.plan, whole.saved.plan);
                prop_assert_eq!(loaded.saved.done, whole.saved.done);
            }
            Ok(None) => prop_assert!(false, "a damaged state counts as none"),
            Err(error) => prop_assert!(error.to_string().contains("state"), "{}", error),
        }
    }
}
