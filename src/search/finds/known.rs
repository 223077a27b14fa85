//! The records of everyone, as results files committed in `results/known/` and built into the
//! program. A test replays every line.

use std::sync::LazyLock;

use super::results::{Find, read};
use crate::cards::Deck;

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
