//! The records of everyone, as results files committed in `results/known/` and built into the
//! program. A test replays every line.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

use super::results::{Find, cycle_name, read};
use crate::cards::{Deal, Deck};
use crate::game::closure::{self, DEFAULT_BOUND, Entry};
use crate::game::cycle::Cycle;
use crate::game::packed::{Kinds, State, with_state};
use crate::game::{Outcome, exact};

/// A file and its name.
type File = (&'static str, &'static str);

/// Files with finished games.
const FINISHED: [File; 2] = [
    (
        "standard-finished.jsonl",
        include_str!("../../../results/known/standard-finished.jsonl"),
    ),
    (
        "italian.jsonl",
        include_str!("../../../results/known/italian.jsonl"),
    ),
];

/// Files with infinite games alone, which a search need not read. Of the standard deck there is one
/// deal of each known cycle; `camicia cycle` gives the others.
const INFINITE: [File; 4] = [
    (
        "standard-infinite.jsonl",
        include_str!("../../../results/known/standard-infinite.jsonl"),
    ),
    (
        "standard-cycles.jsonl",
        include_str!("../../../results/known/standard-cycles.jsonl"),
    ),
    (
        "italian-infinite.jsonl",
        include_str!("../../../results/known/italian-infinite.jsonl"),
    ),
    (
        "half-infinite.jsonl",
        include_str!("../../../results/known/half-infinite.jsonl"),
    ),
];

/// All known records.
pub fn all() -> Vec<Find> {
    finds(FINISHED.iter().chain(&INFINITE))
}

/// Cards of the longest known finished game of a deck.
pub fn longest(deck: &Deck) -> Option<u64> {
    static KNOWN: LazyLock<Vec<Find>> = LazyLock::new(|| finds(FINISHED.iter()));
    let of_deck = KNOWN.iter().filter(|find| find.deck == *deck);
    let finished = of_deck.filter(|find| !find.is_loop());
    finished.map(|find| find.played.cards).max()
}

/// How far a finished game is from the longest known one of its deck, in percent of that one's
/// cards, to two places; `None` for a loop, and where none is known.
pub fn gap_percent(find: &Find) -> Option<f64> {
    if find.is_loop() {
        return None;
    }
    let best = longest(&find.deck)?;
    let gap = (find.played.cards as f64 / best as f64 - 1.0) * 100.0;
    Some((gap * 100.0).round() / 100.0)
}

/// The names of the known cycles of a deck.
pub fn cycles(deck: &Deck) -> BTreeSet<String> {
    let of_deck = all().into_iter().filter(|find| find.deck == *deck);
    of_deck.filter_map(|find| find.cycle).collect()
}

/// Every deal of `deck` that enters the cycle of this name, proved by the exact engine, the longest
/// lead-in first. None if it is no name of a cycle of the deck.
pub fn deals_of(deck: &Deck, name: &str) -> Option<Vec<Find>> {
    fn close<K: Kinds>(deck: &Deck, name: State<K>) -> Vec<Deal> {
        let hands = deck.hands().map(|cards| cards as u32);
        let mut entries: Vec<Entry<K>> = Vec::new();
        closure::walk_cycle(&Cycle::through(name), DEFAULT_BOUND, |entry| {
            if [entry.start.leader.len(), entry.start.other.len()] == hands {
                entries.push(*entry);
            }
        });
        entries.sort_unstable_by(Entry::rank);
        entries.iter().map(|entry| entry.start.deal()).collect()
    }
    let state = deck.reader().deal(name).ok()?;
    if !exact::play(&state).is_loop() {
        return None;
    }
    let deals = with_state!(&state, state => close(deck, state))?;
    let find = |deal: &Deal| Find {
        cycle: Some(name.to_owned()),
        known: Some(true),
        ..Find::proved(deck, deal)
    };
    Some(deals.iter().map(find).collect())
}

/// The known files with new finds added.
#[derive(Debug)]
pub struct Added {
    /// Every known file and what it holds now, by name.
    pub files: BTreeMap<String, String>,
    /// How many lines were added to each file that was changed.
    pub new: BTreeMap<String, usize>,
    /// Finds that were known, or are deals of a cycle that is known or was just added.
    pub known: usize,
}

/// Adds finds, which must hold, to a copy of the known files: finished games that are not known, and
/// the first deal of every cycle that is not known.
pub fn add(mut finds: Vec<Find>) -> Added {
    finds.sort_by_cached_key(|find| (find.deck.to_string(), find.standing()));
    let known = all();
    let mut cycles: HashSet<(String, String)> = known
        .iter()
        .filter_map(|find| Some((find.deck.to_string(), find.cycle.clone()?)))
        .collect();
    let mut deals: HashSet<(String, String)> = known
        .iter()
        .map(|find| (find.deck.to_string(), find.deal_text()))
        .collect();
    let files = FINISHED.iter().chain(&INFINITE);
    let mut added = Added {
        files: files
            .map(|(name, text)| (name.to_string(), text.to_string()))
            .collect(),
        new: BTreeMap::new(),
        known: 0,
    };
    for mut find in finds {
        let deck = find.deck.to_string();
        find.cycle = cycle_of(&find);
        let named = find.cycle.clone();
        let new = deals.insert((deck.clone(), find.deal_text()))
            && named.is_none_or(|name| cycles.insert((deck.clone(), name)));
        if !new {
            added.known += 1;
            continue;
        }
        find.known = None;
        let file = match (deck.as_str(), find.is_loop()) {
            ("standard", false) => "standard-finished.jsonl",
            ("standard", true) => "standard-cycles.jsonl",
            ("italian", false) => "italian.jsonl",
            ("italian", true) => "italian-infinite.jsonl",
            ("half", true) => "half-infinite.jsonl",
            _ => "other.jsonl",
        };
        let text = added.files.entry(file.to_owned()).or_default();
        text.push_str(&find.to_line());
        text.push('\n');
        *added.new.entry(file.to_owned()).or_default() += 1;
    }
    added
}

/// The name of the cycle that an infinite deal enters, whatever the find says; `None` if the game
/// ends, or has too many cards for a name.
fn cycle_of(find: &Find) -> Option<String> {
    let Outcome::Loop { lead_in, .. } = exact::play(&find.deal).outcome else {
        return None;
    };
    with_state!(&find.deal, start => cycle_name(&find.deck, &Cycle::after(start, lead_in.tricks)))
}

fn finds<'f>(files: impl Iterator<Item = &'f File>) -> Vec<Find> {
    let finds = files.flat_map(|(name, text)| {
        read(text).finds.into_iter().map(move |(line, find)| {
            find.unwrap_or_else(|error| panic!("results/known/{name}, line {line}: {error}"))
        })
    });
    finds.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_record_holds() {
        let finds = all();
        assert!(finds.len() >= 514);
        for find in finds.iter().filter(|find| !find.is_loop()) {
            assert!(
                longest(&find.deck) >= Some(find.played.cards),
                "{:?}",
                find.name
            );
        }
        assert_eq!(longest(&Deck::standard()), Some(8344));
        assert_eq!(longest(&"half".parse().unwrap()), None);
        for find in finds {
            assert_eq!(find.check(), Ok(()), "{:?}", find.name);
        }
    }
}
