//! The records of everyone, as results files committed in `results/known/` and built into the
//! program. A test replays every line.

use super::results::{Find, read};

/// The files, with their names.
pub const FILES: [(&str, &str); 6] = [
    (
        "standard-finished.jsonl",
        include_str!("../../results/known/standard-finished.jsonl"),
    ),
    (
        "standard-infinite.jsonl",
        include_str!("../../results/known/standard-infinite.jsonl"),
    ),
    (
        "italian.jsonl",
        include_str!("../../results/known/italian.jsonl"),
    ),
    (
        "standard-cycles.jsonl",
        include_str!("../../results/known/standard-cycles.jsonl"),
    ),
    (
        "italian-infinite.jsonl",
        include_str!("../../results/known/italian-infinite.jsonl"),
    ),
    (
        "half-infinite.jsonl",
        include_str!("../../results/known/half-infinite.jsonl"),
    ),
];

/// All known records.
pub fn all() -> Vec<Find> {
    let finds = FILES.iter().flat_map(|(name, text)| {
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
        assert!(finds.len() >= 383);
        for find in finds {
            assert_eq!(find.check(), Ok(()), "{:?}", find.name);
        }
    }
}
