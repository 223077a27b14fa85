//! Plans as they are written: TOML, flags, or both. Any key may be missing, and nothing is checked
//! but types and names.

use std::fmt;
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde::de::{self, Visitor};
use thiserror::Error;
use toml::de::DeTable;

/// Numbers of a plan stay below this, so that every reader of JSON keeps them exact.
pub const MAX_NUMBER: u64 = 1 << 53;

/// A whole number that may be written `1_000_000`, `1e6` or `"1e6"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count(pub u64);

impl Count {
    fn from_f64(value: f64) -> Option<Count> {
        let whole = value >= 0.0 && value < MAX_NUMBER as f64 && value.fract() == 0.0;
        whole.then_some(Count(value as u64))
    }
}

impl std::str::FromStr for Count {
    type Err = String;

    fn from_str(text: &str) -> Result<Count, String> {
        let plain = text.replace('_', "");
        plain
            .parse::<u64>()
            .ok()
            .filter(|&number| number < MAX_NUMBER)
            .map(Count)
            .or_else(|| plain.parse::<f64>().ok().and_then(Count::from_f64))
            .ok_or_else(|| {
                format!("{text:?} is no whole number below 2^53, such as 1000000, 1_000_000 or 1e6")
            })
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: de::Deserializer<'de>>(from: D) -> Result<Count, D::Error> {
        struct CountVisitor;
        impl Visitor<'_> for CountVisitor {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number below 2^53, such as 1000000 or 1e6")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Count, E> {
                u64::try_from(value)
                    .ok()
                    .filter(|&number| number < MAX_NUMBER)
                    .map(Count)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Signed(value), &self))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Count, E> {
                Count::from_f64(value)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Float(value), &self))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Count, E> {
                value.parse().map_err(E::custom)
            }
        }
        from.deserialize_any(CountVisitor)
    }
}

/// Defines [`Keys`] and the names of its fields in one place.
macro_rules! keys {
    ($($(#[$doc:meta])* $key:ident: $type:ty;)*) => {
        /// A plan as it was written: any key may be missing.
        #[derive(Clone, Default, PartialEq, Debug, Deserialize)]
        pub struct Keys {
            $($(#[$doc])* #[serde(default)] pub $key: Option<$type>,)*
        }

        /// Every key.
        const KEYS: &[&str] = &[$(stringify!($key)),*];

        impl Keys {
            /// These keys, and those of `below` where one is missing.
            pub fn over(self, below: Keys) -> Keys {
                Keys { $($key: self.$key.or(below.$key)),* }
            }

            /// The names of the keys that are there.
            pub fn names(&self) -> impl Iterator<Item = &'static str> {
                [$((stringify!($key), self.$key.is_some())),*]
                    .into_iter()
                    .filter_map(|(key, there)| there.then_some(key))
            }
        }
    };
}

keys! {
    /// The way of searching: `random`, `exhaust`, `grow` or `climb`.
    how: String;
    /// The deck, as [`Deck`](crate::cards::Deck) reads it.
    deck: String;
    /// The seed of everything drawn.
    seed: Count;
    /// How many of the best trees are kept.
    keep: Count;
    /// How many cycles are kept, each with all its deals.
    keep_cycles: Count;
    /// Seconds between two checkpoints.
    checkpoint_every: f64;
    /// How many deals are played.
    games: Count;
    /// How many deals, or changed states, are in a block.
    block: Count;
    /// Games of at least so many cards are closed backward.
    close_from: Count;
    /// After so many tricks a game is looked at for a loop, or a changed state given up.
    cap: Count;
    /// The order in which deals are numbered: `akqj-` or `-123`.
    order: String;
    /// The indices that are played, `A..B`: from A, up to but not B.
    range: String;
    /// How many loops are written; further ones are counted only.
    keep_loops: Count;
    /// How many changed states are tested.
    tests: Count;
    /// Whether the cycles found are flooded: see [`flood`](crate::game::flood).
    flood: bool;
    /// So many changes in a row without a longer game end a climb.
    patience: Count;
    /// Infinite deals that are grown from, or deals that climbs begin with.
    from: Vec<String>;
}

/// What is wrong with a plan.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlanError {
    /// It is not TOML, or a value has the wrong type.
    #[error("{place}: {message}")]
    Syntax {
        /// Line and column.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// A key that does not exist.
    #[error("{place}: {key:?} is no key of a plan{nearest}")]
    Unknown {
        /// Where it stands.
        place: String,
        /// The key.
        key: String,
        /// The nearest right one.
        nearest: String,
    },
    /// A key of another way of searching.
    #[error("{key}: a plan with how = {how:?} has no such key; it belongs to {belongs}")]
    Foreign {
        /// The key.
        key: String,
        /// The plan's way.
        how: String,
        /// The ways that know the key.
        belongs: String,
    },
    /// A key is needed.
    #[error("{key} is missing: {remedy}")]
    Missing {
        /// The key.
        key: &'static str,
        /// What to write.
        remedy: &'static str,
    },
    /// A value that does not serve.
    #[error("{key}: {message}")]
    Value {
        /// The key.
        key: &'static str,
        /// What is wrong with its value.
        message: String,
    },
}

/// The nearest of `names`, as the end of a message.
pub fn nearest<'a>(to: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    let best = names
        .clone()
        .map(|name| (strsim::damerau_levenshtein(to, name), name))
        .min();
    match best {
        Some((distance, name)) if distance <= 2.max(name.len() / 3) => {
            format!("; did you mean {name:?}?")
        }
        _ => {
            let all: Vec<&str> = names.collect();
            format!("; accepted are {}", all.join(", "))
        }
    }
}

impl Keys {
    /// Reads a plan file.
    ///
    /// # Errors
    /// [`PlanError`] naming the key and its place.
    pub fn read(text: &str) -> Result<Keys, PlanError> {
        let place = |at: Option<std::ops::Range<usize>>| {
            let before = &text[..at.map_or(0, |at| at.start.min(text.len()))];
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
            format!("line {line}, column {column}")
        };
        let syntax = |error: toml::de::Error, key: &str| PlanError::Syntax {
            place: place(error.span()),
            message: format!("{key}{}", error.message().replace('\n', ", ")),
        };
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start.min(text.len()));
            match without_value(text, at) {
                Some(key) => PlanError::Syntax {
                    place: place(error.span()),
                    message: format!("{key}: a value is missing after the equals sign"),
                },
                None => syntax(error, ""),
            }
        })?;
        for key in table.get_ref().keys() {
            let name: &str = key.get_ref();
            if !KEYS.contains(&name) {
                return Err(PlanError::Unknown {
                    place: place(Some(key.span())),
                    key: name.chars().take(40).collect(),
                    nearest: nearest(name, KEYS.iter().copied()),
                });
            }
        }
        toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let key = table
                .get_ref()
                .iter()
                .find(|(_, value)| value.span().contains(&at));
            let key = key.map_or(String::new(), |(key, _)| format!("{}: ", key.get_ref()));
            syntax(error, &key)
        })
    }
}

/// The key of the line at `at`, if nothing stands there after the equals sign.
fn without_value(text: &str, at: usize) -> Option<&str> {
    // The place may be past the line break.
    let before = text.get(..at)?.trim_end();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..].lines().next()?;
    let (key, value) = line.split_once('=')?;
    let value = value.split('#').next().unwrap_or_default();
    value.trim().is_empty().then_some(key.trim())
}

/// The value of a number's key: the one written, or `usual`.
///
/// # Errors
/// [`PlanError::Value`] if it is not in `range`.
pub fn in_range(
    key: &'static str,
    value: Option<Count>,
    usual: u64,
    range: RangeInclusive<u64>,
) -> Result<u64, PlanError> {
    let value = value.map_or(usual, |count| count.0);
    if range.contains(&value) {
        return Ok(value);
    }
    let (min, max) = (range.start(), range.end());
    Err(PlanError::Value {
        key,
        message: format!("{value} is out of range: {min} to {max} is accepted"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_whole_numbers_below_2_to_the_53rd() {
        for text in ["1000000", "1_000_000", "1e6", "1.0e6"] {
            assert_eq!(text.parse(), Ok(Count(1_000_000)), "{text}");
        }
        for text in ["1e6x", "", "nan", "9007199254740993", "-1", "1.5"] {
            assert!(text.parse::<Count>().is_err(), "{text}");
        }
    }

    #[test]
    fn flags_come_before_the_file() {
        let flags = Keys {
            seed: Some(Count(9)),
            ..Keys::default()
        };
        let keys = flags.over(Keys::read("seed = 1\ngames = 5").unwrap());
        assert_eq!((keys.seed, keys.games), (Some(Count(9)), Some(Count(5))));
    }
}
