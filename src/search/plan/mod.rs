//! Plans: what is to be searched, in a form that is committed, shared and repeated.
//!
//! A plan is a TOML file, or flags, or both: [`Keys`] holds what was written, [`Plan`] what was
//! checked; the rest of the program sees only the latter. [`Plan::canonical`] writes everything
//! that decides results, and nothing else (no paths, no threads); its [`Fingerprint`] names the
//! plan. `search/README.md` explains each key.

pub mod shard;

use std::fmt;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{self, Visitor};
use thiserror::Error;
use toml::de::DeTable;

use super::methods::{climb, exhaust, grow, random};
use crate::cards::{Deal, Deck, Reader};
use crate::game::packed;
use crate::search::finds::results::deal_text;

/// Numbers of a plan stay below this, so that every reader of JSON keeps them exact.
pub const MAX_NUMBER: u64 = 1 << 53;

/// The name of a plan: a hash of all that decides its results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    /// The fingerprint of a plan in canonical form: FNV-1a, 64 bits.
    pub fn of(canonical: &str) -> Fingerprint {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in canonical.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Fingerprint(hash)
    }
}

/// Sixteen hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

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
        struct Reader;
        impl Visitor<'_> for Reader {
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
        from.deserialize_any(Reader)
    }
}

/// Which ways of searching know a key.
const ALL: &[&str] = &["random", "exhaust", "grow", "climb"];

/// Defines [`Keys`], the names of its fields, and which ways know them, in one place.
macro_rules! keys {
    ($($(#[$doc:meta])* $key:ident: $type:ty, $ways:expr;)*) => {
        /// A plan as it was written: any key may be missing.
        #[derive(Clone, Default, PartialEq, Debug, Deserialize)]
        pub struct Keys {
            $($(#[$doc])* #[serde(default)] pub $key: Option<$type>,)*
        }

        /// Every key, with the ways that know it.
        const KEYS: &[(&str, &[&str])] = &[$((stringify!($key), $ways)),*];

        impl Keys {
            /// These keys, and those of `below` where one is missing.
            pub fn over(self, below: Keys) -> Keys {
                Keys { $($key: self.$key.or(below.$key)),* }
            }

            /// The names of the keys that are there.
            fn names(&self) -> impl Iterator<Item = &'static str> {
                [$((stringify!($key), self.$key.is_some())),*]
                    .into_iter()
                    .filter_map(|(key, there)| there.then_some(key))
            }
        }
    };
}

keys! {
    /// The way of searching: `random`, `exhaust`, `grow` or `climb`.
    how: String, ALL;
    /// The deck, as [`Deck`] reads it.
    deck: String, ALL;
    /// The seed of everything drawn.
    seed: Count, &["random", "grow", "climb"];
    /// How many of the best trees are kept.
    keep: Count, ALL;
    /// How many cycles are kept, each with all its deals.
    keep_cycles: Count, ALL;
    /// Seconds between two checkpoints.
    checkpoint_every: f64, ALL;
    /// How many deals are played.
    games: Count, &["random", "climb"];
    /// How many deals, or changed states, are in a block.
    block: Count, ALL;
    /// Games of at least so many cards are closed backward.
    close_from: Count, &["random", "climb"];
    /// After so many tricks a game is looked at for a loop, or a changed state given up.
    cap: Count, ALL;
    /// The order in which deals are numbered: `akqj-` or `-123`.
    order: String, &["exhaust"];
    /// The indices that are played, `A..B`: from A, up to but not B.
    range: String, &["exhaust"];
    /// How many loops are written; further ones are counted only.
    keep_loops: Count, &["exhaust"];
    /// How many changed states are tested.
    tests: Count, &["grow"];
    /// So many changes in a row without a longer game end a climb.
    patience: Count, &["climb"];
    /// Infinite deals that are grown from, or deals that climbs begin with.
    from: Vec<String>, &["grow", "climb"];
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
fn nearest<'a>(to: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
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
        let table = DeTable::parse(text).map_err(|error| syntax(error, ""))?;
        for key in table.get_ref().keys() {
            let name: &str = key.get_ref();
            if !KEYS.iter().any(|(known, _)| *known == name) {
                return Err(PlanError::Unknown {
                    place: place(Some(key.span())),
                    key: name.chars().take(40).collect(),
                    nearest: nearest(name, KEYS.iter().map(|(known, _)| *known)),
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

    /// Checks the keys against each other and the ranges of their values.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn check(self) -> Result<Plan, PlanError> {
        let how = self.how.as_deref().unwrap_or("random");
        if !ALL.contains(&how) {
            return Err(PlanError::Value {
                key: "how",
                message: format!(
                    "{how:?} is no way of searching{}",
                    nearest(how, ALL.iter().copied())
                ),
            });
        }
        for key in self.names() {
            let (_, ways) = KEYS.iter().find(|(known, _)| *known == key).expect("all");
            if !ways.contains(&how) {
                return Err(PlanError::Foreign {
                    key: key.to_owned(),
                    how: how.to_owned(),
                    belongs: ways.join(", "),
                });
            }
        }
        let deck = self.deck.as_deref().unwrap_or("standard");
        let deck: Deck = deck.parse().map_err(|error| PlanError::Value {
            key: "deck",
            message: format!("{error}"),
        })?;
        if deck.len() > packed::MAX_CARDS {
            return Err(PlanError::Value {
                key: "deck",
                message: format!(
                    "{deck} has {} cards: decks of at most {} can be searched",
                    deck.len(),
                    packed::MAX_CARDS
                ),
            });
        }
        if deck.hands().contains(&0) {
            return Err(PlanError::Value {
                key: "deck",
                message: format!("{deck} leaves a hand empty: every game is over at once"),
            });
        }
        let in_range = |key, value: Option<Count>, usual: u64, min: u64, max: u64| {
            let value = value.map_or(usual, |count| count.0);
            if (min..=max).contains(&value) {
                Ok(value)
            } else {
                Err(PlanError::Value {
                    key,
                    message: format!("{value} is out of range: {min} to {max} is accepted"),
                })
            }
        };
        let keep = in_range("keep", self.keep, 1000, 1, 1_000_000)?;
        // Finding cycles is what growing is for: there all are kept.
        let cycles = match self.how.as_deref() {
            Some("grow") => 1_000_000,
            _ => 1000,
        };
        let keep_cycles = in_range("keep_cycles", self.keep_cycles, cycles, 1, 1_000_000)?;
        let every = self.checkpoint_every.unwrap_or(60.0);
        if !(0.01..=86_400.0).contains(&every) {
            return Err(PlanError::Value {
                key: "checkpoint_every",
                message: format!("{every} is out of range: 0.01 to 86400 seconds are accepted"),
            });
        }
        let seed = in_range("seed", self.seed, 1, 0, MAX_NUMBER - 1)?;
        let games = || {
            let games = self.games.ok_or(PlanError::Missing {
                key: "games",
                remedy: "say how many deals to play, for example games = 1e9",
            })?;
            in_range("games", Some(games), 0, 1, MAX_NUMBER - 1)
        };
        let close_from = || match self.close_from {
            Some(cards) => in_range("close_from", Some(cards), 0, 1, MAX_NUMBER - 1).map(Some),
            None => Ok(None),
        };
        let how = match how {
            "random" => How::Random(random::Options {
                games: games()?,
                block: in_range("block", self.block, random::BLOCK, 1, 1 << 24)?,
                close_from: close_from()?,
                cap: in_range("cap", self.cap, random::CAP, 10, 1_000_000)?,
            }),
            "climb" => How::Climb(climb::Options {
                games: games()?,
                block: in_range("block", self.block, climb::BLOCK, 1, 1 << 24)?,
                close_from: close_from()?,
                cap: in_range("cap", self.cap, random::CAP, 10, 1_000_000)?,
                patience: in_range("patience", self.patience, climb::PATIENCE, 1, 1 << 32)?,
                from: deals(self.from.as_deref().unwrap_or_default(), &deck)?,
            }),
            "exhaust" => How::Exhaust(exhaust::Options::check(
                &deck,
                self.order.as_deref(),
                self.range.as_deref(),
                in_range("block", self.block, exhaust::BLOCK, 1, 1 << 24)?,
                in_range("cap", self.cap, exhaust::CAP, 10, 1_000_000)?,
                in_range(
                    "keep_loops",
                    self.keep_loops,
                    exhaust::KEEP_LOOPS,
                    0,
                    MAX_NUMBER,
                )?,
            )?),
            "grow" => How::Grow(grow::Options {
                from: seeds(self.from.unwrap_or_default(), &deck)?,
                tests: match self.tests {
                    Some(tests) => Some(in_range("tests", Some(tests), 0, 1, MAX_NUMBER - 1)?),
                    None => None,
                },
                block: in_range("block", self.block, grow::BLOCK, 1, 1 << 24)?,
                cap: in_range("cap", self.cap, grow::CAP, 10, 1_000_000)?,
            }),
            _ => unreachable!("checked above"),
        };
        Ok(Plan {
            deck,
            seed,
            keep: keep as usize,
            keep_cycles: keep_cycles as usize,
            how,
            checkpoint_every: Duration::from_secs_f64(every),
        })
    }
}

/// Reads deals that must be of the deck.
fn deals(texts: &[String], deck: &Deck) -> Result<Vec<Deal>, PlanError> {
    let reader = Reader {
        digits: deck.digits(),
        ..Reader::default()
    };
    let wrong = |text: &str, error: String| PlanError::Value {
        key: "from",
        message: format!("{text:?}: {error}"),
    };
    texts
        .iter()
        .map(|text| {
            let deal = reader
                .deal(text)
                .map_err(|error| wrong(text, error.to_string()))?;
            deck.check(&deal)
                .map_err(|error| wrong(text, error.to_string()))?;
            Ok(deal.skeleton())
        })
        .collect()
}

/// The cycles of the deals that are grown from, each once, named by their least states.
fn seeds(from: Vec<String>, deck: &Deck) -> Result<Vec<String>, PlanError> {
    let wrong = |message: String| PlanError::Value {
        key: "from",
        message,
    };
    let mut cycles = Vec::new();
    for text in from {
        // A deal in letters may be of any deck, one in digits is read where the deck's are.
        let letters = Reader::default().deal(&text);
        let deal = letters.or_else(|error| {
            let reader = Reader {
                digits: true,
                ..Reader::default()
            };
            if deck.digits() {
                reader.deal(&text)
            } else {
                Err(error)
            }
        });
        let deal = deal.map_err(|error| wrong(error.to_string()))?;
        cycles.push(grow::seed_cycle(&deal).map_err(|error| wrong(error.to_string()))?);
    }
    cycles.sort();
    cycles.dedup();
    Ok(cycles.iter().map(Deal::to_string).collect())
}

/// A checked plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The deck: at most 63 cards, no hand empty.
    pub deck: Deck,
    /// The seed of everything drawn; below 2^53.
    pub seed: u64,
    /// How many of the best trees are kept.
    pub keep: usize,
    /// How many cycles are kept, each with all its deals.
    pub keep_cycles: usize,
    /// The way of searching.
    pub how: How,
    /// Time between two checkpoints. Decides no result.
    pub checkpoint_every: Duration,
}

/// The way of searching, with its own keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum How {
    /// Random deals.
    Random(random::Options),
    /// Small changes to deals.
    Climb(climb::Options),
    /// Every deal, in order.
    Exhaust(exhaust::Options),
    /// Cycles grown from cycles.
    Grow(grow::Options),
}

impl How {
    /// Its name, as plans write it.
    pub fn name(&self) -> &'static str {
        match self {
            How::Random(_) => "random",
            How::Climb(_) => "climb",
            How::Exhaust(_) => "exhaust",
            How::Grow(_) => "grow",
        }
    }
}

impl Plan {
    /// Everything that decides the plan's results, as a plan that [`Keys::read`] reads.
    ///
    /// Keys are in a fixed order, and a key with the value it has when it is left out is written
    /// too. To change this text for a plan is to change what its states are checked against.
    pub fn canonical(&self) -> String {
        let mut text = format!(
            "how = \"{}\"\ndeck = \"{}\"\nkeep = {}\nkeep_cycles = {}\n",
            self.how.name(),
            self.deck,
            self.keep,
            self.keep_cycles
        );
        let mut put = |key: &str, value: u64| text.push_str(&format!("{key} = {value}\n"));
        match &self.how {
            How::Random(random::Options {
                games,
                block,
                close_from,
                cap,
            })
            | How::Climb(climb::Options {
                games,
                block,
                close_from,
                cap,
                ..
            }) => {
                put("seed", self.seed);
                put("games", *games);
                put("block", *block);
                if let Some(cards) = close_from {
                    put("close_from", *cards);
                }
                put("cap", *cap);
                if let How::Climb(options) = &self.how {
                    put("patience", options.patience);
                    let from = options.from.iter();
                    let from: Vec<String> = from
                        .map(|deal| format!("\"{}\"", deal_text(&self.deck, deal)))
                        .collect();
                    text.push_str(&format!("from = [{}]\n", from.join(", ")));
                }
            }
            How::Exhaust(options) => {
                put("block", options.block);
                put("cap", options.cap);
                put("keep_loops", options.keep_loops);
                let exhaust::Options {
                    order, from, to, ..
                } = options;
                text.push_str(&format!("order = \"{order}\"\nrange = \"{from}..{to}\"\n"));
            }
            How::Grow(options) => {
                put("seed", self.seed);
                if let Some(tests) = options.tests {
                    put("tests", tests);
                }
                put("block", options.block);
                put("cap", options.cap);
                let from: Vec<String> = options
                    .from
                    .iter()
                    .map(|name| format!("{name:?}"))
                    .collect();
                text.push_str(&format!("from = [{}]\n", from.join(", ")));
            }
        }
        text
    }

    /// The plan's name.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.canonical())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str) -> Result<Plan, String> {
        Keys::read(text)
            .and_then(Keys::check)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn wrong_keys_and_values_are_named_with_their_place() {
        for (text, words) in [
            (
                "gmaes = 3",
                &["line 1, column 1", "gmaes", "did you mean \"games\"?"][..],
            ),
            (
                "games = 3\n\n  xyzzy = 1",
                &["line 3, column 3", "xyzzy", "accepted are how, deck"],
            ),
            ("games = ", &["line 1, column 9"]),
            (
                "seed = 1\ngames = \"many\"",
                &["line 2, column 9", "games: ", "many"],
            ),
            ("games = -1", &["line 1", "games: ", "-1"]),
            ("games = 1.5", &["line 1", "games: "]),
            ("games = [1]", &["line 1", "games: "]),
            ("games = 1e300", &["games: "]),
            ("[random]\ngames = 1", &["line 1, column 2", "random"]),
            ("games = 1\ngames = 2", &["line 2, column 1", "duplicate"]),
            ("deck = \"standard\"", &["games is missing", "games = 1e9"]),
            ("games = 0", &["games: 0 is out of range", "1 to"]),
            ("games = 1\nblock = 0", &["block: 0"]),
            ("games = 1\nkeep = 0", &["keep: 0"]),
            ("games = 1\nseed = 9007199254740992", &["seed: "]),
            (
                "games = 1\ndeck = \"tarot\"",
                &["deck: \"tarot\"", "standard, italian, half"],
            ),
            (
                "games = 1\ndeck = \"plain=60,J=4\"",
                &["deck: ", "64 cards", "63"],
            ),
            (
                "games = 1\ndeck = \"half,hands=20/0\"",
                &["deck: ", "empty"],
            ),
            (
                "games = 1\nhow = \"radnom\"",
                &["how: \"radnom\"", "did you mean \"random\"?"],
            ),
        ] {
            let error = plan(text).unwrap_err();
            for word in words {
                assert!(
                    error.contains(word),
                    "{text:?} gives {error:?}, without {word:?}"
                );
            }
            assert!(!error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn numbers_may_be_written_for_people() {
        for text in ["1000000", "1_000_000", "1e6", "\"1e6\"", "1.0e6"] {
            let plan = plan(&format!("games = {text}")).unwrap();
            assert!(matches!(plan.how, How::Random(options) if options.games == 1_000_000));
        }
        assert!("1e6x".parse::<Count>().is_err() && "".parse::<Count>().is_err());
        assert!("nan".parse::<Count>().is_err() && "9007199254740993".parse::<Count>().is_err());
    }

    #[test]
    fn the_canonical_form_is_a_plan_of_the_same_fingerprint() {
        let written = plan("games = 1e6\ncheckpoint_every = 5\nclose_from = 700").unwrap();
        let canonical = written.canonical();
        let again = plan(&canonical).unwrap();
        assert_eq!(again.fingerprint(), written.fingerprint());
        assert_eq!(again.canonical(), canonical);
        // What is left out or decides nothing leaves no trace; everything else does.
        let climb = plan(
            "how = \"climb\"\ndeck = \"plain=2,1=2\"\ngames = 5\nfrom = [\"01/10\", \"11/00\"]",
        );
        let climb = climb.unwrap();
        assert_eq!(plan(&climb.canonical()).unwrap(), climb);
        let explicit =
            "deck = \"standard\"\nhow = \"random\"\nseed = 1\ngames = 1000000\nclose_from = 700";
        assert_eq!(plan(explicit).unwrap().fingerprint(), written.fingerprint());
        for change in [
            "seed = 2",
            "keep = 7",
            "keep_cycles = 7",
            "block = 7",
            "cap = 77",
            "deck = \"half\"",
        ] {
            let other = plan(&format!("games = 1e6\nclose_from = 700\n{change}")).unwrap();
            assert_ne!(other.fingerprint(), written.fingerprint(), "{change}");
        }
    }

    #[test]
    fn a_fingerprint_never_changes() {
        // States of running searches are checked against it.
        let plan = plan("games = 1e6\nclose_from = 700").unwrap();
        assert_eq!(
            plan.canonical(),
            "how = \"random\"\ndeck = \"standard\"\nkeep = 1000\nkeep_cycles = 1000\nseed = 1\ngames = 1000000\nblock = 131072\nclose_from = 700\ncap = 5000\n"
        );
        assert_eq!(plan.fingerprint().to_string(), "3da7d220e4e89b39");
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
