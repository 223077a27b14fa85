//! Finds: what a search claims about a deal, one JSON line each.
//!
//! A find holds everything needed to prove it again, and [`Find::check`] does so with the exact
//! engine. The same lines hold the records of others. The format is described in
//! `results/README.md`. Where files lie, and when they are written, is not decided here.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::cards::{Deal, Deck, Order, Player};
use crate::game::cycle::Cycle;
use crate::game::packed::{Kinds, with_state};
use crate::game::{Outcome, Span, Verdict, exact};

/// A claim about one deal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Find {
    /// The deal, suits and numbers forgotten.
    pub deal: Deal,
    /// Its deck.
    pub deck: Deck,
    /// Its index in the usual order of the deck; `None` if the deck has 2^128 deals or more, or if
    /// nothing is claimed.
    pub index: Option<u128>,
    /// Cards laid and piles collected; for a loop, when a state first came back.
    pub played: Span,
    /// How it ends; the winner may be left out.
    pub ending: Outcome<Option<Player>>,
    /// The name of the cycle, for a loop: its least state, the leader's hand first.
    pub cycle: Option<String>,
    /// How it was found.
    pub found: Option<Found>,
    /// The version of the program that wrote it.
    pub version: Option<String>,
    /// What a record is known as.
    pub name: Option<String>,
    /// Who found it.
    pub finder: Option<String>,
    /// When, by the calendar.
    pub year: Option<u16>,
    /// Where it was published.
    pub source: Option<String>,
}

/// The way a deal was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// The method: `random`, `exhaust`, `climb` or `grow`.
    pub how: String,
    /// The fingerprint of the plan.
    pub plan: String,
    /// The plan's seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The block of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<u64>,
    /// The place in the block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The game that was closed backward to this deal; `None` if the deal itself was played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Origin>,
}

/// A game that was closed backward.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Its deal, written as the find's.
    pub deal: String,
    /// Its cards and tricks.
    #[serde(flatten)]
    pub played: Span,
}

/// The line as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FindLine {
    deal: String,
    deck: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    index: Option<String>,
    cards: u64,
    tricks: u64,
    status: LineStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    winner: Option<Player>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lead_in: Option<Span>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    period: Option<Span>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cycle: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    found: Option<Found>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    finder: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    year: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// What `camicia records --json` adds: how far it was from the record of its day, which is no
    /// claim about the deal.
    #[serde(default, skip_serializing, rename = "gap_percent")]
    _gap_percent: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LineStatus {
    Finished,
    Loop,
}

/// Why a line is no find.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LineError {
    /// Not JSON, or a field is missing, unknown or of the wrong type.
    #[error("{0}")]
    Json(String),
    /// A field holds a text that does not read.
    #[error("{field}: {error}")]
    Field {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        error: String,
    },
    /// Fields that do not go together.
    #[error("{0}")]
    Fields(&'static str),
}

/// The first thing of a find that does not hold.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{what} is claimed as {claimed}, but is {is}")]
pub struct ClaimError {
    /// What was claimed.
    pub what: &'static str,
    /// The claim.
    pub claimed: String,
    /// What the exact engine says.
    pub is: String,
}

impl Find {
    /// Plays a deal of `deck` with the exact engine and claims what it found.
    ///
    /// # Panics
    /// If the deal is of another deck.
    pub fn proved(deck: &Deck, deal: &Deal) -> Find {
        Find::of(deck, deal, &exact::play(deal))
    }

    /// Claims `verdict` about a deal of `deck`.
    ///
    /// # Panics
    /// If the deal is of another deck.
    pub fn of(deck: &Deck, deal: &Deal, verdict: &Verdict) -> Find {
        deck.check(deal).expect("the deal is of the deck");
        Find {
            deal: deal.skeleton(),
            deck: deck.clone(),
            index: deck.index_of(deal, Order::usual(deck)).ok(),
            played: verdict.played,
            ending: verdict.outcome.into(),
            cycle: None,
            found: None,
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            name: None,
            finder: None,
            year: None,
            source: None,
        }
    }

    /// Whether a loop is claimed.
    pub fn is_loop(&self) -> bool {
        self.ending.is_loop()
    }

    /// `finished` or `loop`.
    pub fn status(&self) -> &'static str {
        self.ending.status()
    }

    /// The deal as results write it.
    pub fn deal_text(&self) -> String {
        self.deck.write(&self.deal)
    }

    /// Plays the deal with the exact engine and compares it with the claim; so too the game it was
    /// closed from.
    ///
    /// # Errors
    /// [`ClaimError`] with the first thing that does not hold.
    pub fn check(&self) -> Result<(), ClaimError> {
        let differs = |what, claimed: &dyn fmt::Display, is: &dyn fmt::Display| {
            let (claimed, is) = (claimed.to_string(), is.to_string());
            if claimed == is {
                Ok(())
            } else {
                Err(ClaimError { what, claimed, is })
            }
        };
        if let Err(error) = self.deck.check(&self.deal) {
            return Err(ClaimError {
                what: "the deck",
                claimed: self.deck.to_string(),
                is: format!("not that of the deal ({error})"),
            });
        }
        if let Some(index) = self.index {
            match self.deck.index_of(&self.deal, Order::usual(&self.deck)) {
                Ok(is) => differs("index", &index, &is)?,
                Err(error) => differs("index", &index, &format!("none ({error})"))?,
            }
        }
        let verdict = exact::play(&self.deal);
        differs("status", &self.status(), &verdict.status())?;
        differs("cards", &self.played.cards, &verdict.played.cards)?;
        differs("tricks", &self.played.tricks, &verdict.played.tricks)?;
        match (self.ending, verdict.outcome) {
            (Outcome::Finished { winner: Some(said) }, Outcome::Finished { winner }) => {
                differs("winner", &said, &winner)?;
            }
            (
                Outcome::Loop { lead_in, period },
                Outcome::Loop {
                    lead_in: is_lead_in,
                    period: is_period,
                },
            ) => {
                differs("lead-in cards", &lead_in.cards, &is_lead_in.cards)?;
                differs("lead-in tricks", &lead_in.tricks, &is_lead_in.tricks)?;
                differs("period cards", &period.cards, &is_period.cards)?;
                differs("period tricks", &period.tricks, &is_period.tricks)?;
            }
            _ => {}
        }
        if let (Some(name), Outcome::Loop { lead_in, .. }) = (&self.cycle, verdict.outcome) {
            let is = with_state!(&self.deal, start => {
                cycle_name(&self.deck, &Cycle::after(start, lead_in.tricks))
            });
            if let Some(is) = is {
                differs("cycle", name, &is)?;
            }
        }
        let origin = self.found.as_ref().and_then(|found| found.from.as_ref());
        if let Some(origin) = origin {
            let read = self.deck.reader().deal(&origin.deal);
            let Ok(deal) = read else {
                return Err(ClaimError {
                    what: "found.from.deal",
                    claimed: origin.deal.clone(),
                    is: "no deal".to_owned(),
                });
            };
            let played = exact::play(&deal).played;
            differs("found.from.cards", &origin.played.cards, &played.cards)?;
            differs("found.from.tricks", &origin.played.tricks, &played.tricks)?;
        }
        Ok(())
    }

    /// The find as a line of JSON, without a line break.
    pub fn to_line(&self) -> String {
        serde_json::to_string(&self.line()).expect("strings and numbers")
    }

    /// The find as a JSON value.
    pub fn to_value(&self) -> serde_json::Value {
        serde_json::to_value(self.line()).expect("strings and numbers")
    }

    fn line(&self) -> FindLine {
        let (status, winner, lead_in, period) = match self.ending {
            Outcome::Finished { winner } => (LineStatus::Finished, winner, None, None),
            Outcome::Loop { lead_in, period } => {
                (LineStatus::Loop, None, Some(lead_in), Some(period))
            }
        };
        FindLine {
            deal: self.deal_text(),
            deck: self.deck.to_string(),
            index: self.index.map(|index| index.to_string()),
            cards: self.played.cards,
            tricks: self.played.tricks,
            status,
            winner,
            lead_in,
            period,
            cycle: self.cycle.clone(),
            found: self.found.clone(),
            version: self.version.clone(),
            name: self.name.clone(),
            finder: self.finder.clone(),
            year: self.year,
            source: self.source.clone(),
            _gap_percent: None,
        }
    }

    /// Reads a line that [`Find::to_line`] wrote. Whether it holds is [`Find::check`]'s business.
    ///
    /// # Errors
    /// [`LineError`] naming the field.
    pub fn from_line(text: &str) -> Result<Find, LineError> {
        let line: FindLine =
            serde_json::from_str(text).map_err(|error| LineError::Json(error.to_string()))?;
        let deck: Deck = line.deck.parse().map_err(|error| LineError::Field {
            field: "deck",
            error: format!("{error}"),
        })?;
        let deal = deck
            .reader()
            .deal(&line.deal)
            .map_err(|error| LineError::Field {
                field: "deal",
                error: error.to_string(),
            })?;
        let index = match line.index {
            Some(text) => Some(text.parse().map_err(|_| LineError::Field {
                field: "index",
                error: format!(
                    "{text:?} is no index: a whole number of at most 128 bits, as a string"
                ),
            })?),
            None => None,
        };
        let ending = match (line.status, line.lead_in, line.period) {
            (LineStatus::Finished, None, None) => Outcome::Finished {
                winner: line.winner,
            },
            (LineStatus::Loop, Some(lead_in), Some(period)) if line.winner.is_none() => {
                Outcome::Loop { lead_in, period }
            }
            (LineStatus::Finished, ..) => {
                return Err(LineError::Fields(
                    "a finished game has neither lead_in nor period",
                ));
            }
            (LineStatus::Loop, ..) => {
                return Err(LineError::Fields(
                    "a loop has lead_in and period, and no winner",
                ));
            }
        };
        Ok(Find {
            deal: deal.skeleton(),
            deck,
            index,
            played: Span {
                cards: line.cards,
                tricks: line.tricks,
            },
            ending,
            cycle: line.cycle,
            found: line.found,
            version: line.version,
            name: line.name,
            finder: line.finder,
            year: line.year,
            source: line.source,
        })
    }

    /// The order of a leaderboard: more cards first, then more tricks, then the deal of the least
    /// index.
    pub fn rank(&self, other: &Find) -> Ordering {
        self.standing().cmp(&other.standing())
    }

    /// Whether it was found at this address.
    pub fn is_at(&self, block: u64, offset: u64) -> bool {
        let found = self.found.as_ref();
        found.is_some_and(|found| (found.block, found.offset) == (Some(block), Some(offset)))
    }

    /// Its place in a leaderboard.
    pub fn standing(&self) -> BoardRank {
        standing(self.played, &self.deck, &self.deal)
    }
}

/// A place in a leaderboard, the better the less: cards and tricks counted down, then the deal as
/// places of its cards in the order of the index.
pub type BoardRank = (Reverse<Span>, Vec<u8>);

/// The place of a deal of `deck` in a leaderboard.
pub fn standing(played: Span, deck: &Deck, deal: &Deal) -> BoardRank {
    let kinds = Order::usual(deck).kinds();
    let place = |pays: u8| kinds.iter().position(|&kind| kind == pays).expect("0 to 4") as u8;
    (
        Reverse(played),
        deal.cards().map(|card| place(card.pays())).collect(),
    )
}

/// The name of a cycle: the least of its states, as a deal of the leader's hand and the other's.
pub fn cycle_name<K: Kinds>(deck: &Deck, cycle: &Cycle<K>) -> String {
    deck.write(&cycle.name().deal())
}

/// The leaderboard of a search, from the finds of its journal or of the journals of its shards:
/// the deals of the `keep_cycles` cycles met first, cycle by cycle; then the `keep` best finished
/// games. A deal stands in it once, as it was first found.
pub fn leaderboard(mut finds: Vec<Find>, keep: usize, keep_cycles: usize) -> Vec<Find> {
    let place = |find: &Find| {
        let found = find.found.as_ref();
        found.map(|found| (found.block, found.offset))
    };
    finds.sort_by_cached_key(|find| (place(find), find.standing()));
    let (loops, mut finished): (Vec<Find>, Vec<Find>) = finds.into_iter().partition(Find::is_loop);
    // Which place each cycle was met at first; its deals were written there.
    let mut met = HashMap::new();
    for find in &loops {
        if met.len() == keep_cycles {
            break;
        }
        met.entry(find.cycle.clone()).or_insert_with(|| place(find));
    }
    let mut board: Vec<Find> = loops
        .into_iter()
        .filter(|find| met.get(&find.cycle) == Some(&place(find)))
        .collect();
    finished.sort_by_cached_key(Find::standing); // stable: of the same deal, the one found first comes first
    finished.dedup_by(|a, b| a.deal == b.deal);
    finished.truncate(keep);
    board.extend(finished);
    board
}

/// The finds of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lines {
    /// Each with its line, from 1.
    pub finds: Vec<(usize, Result<Find, LineError>)>,
    /// A last line that was cut off while it was written: without a line break, and no find.
    pub torn: Option<String>,
}

/// Reads a file of finds. Blank lines count for nothing.
pub fn read(text: &str) -> Lines {
    let mut finds = Vec::new();
    let mut torn = None;
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let whole = line.ends_with('\n');
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        match Find::from_line(line) {
            Err(_) if !whole => torn = Some(line.to_owned()),
            find => finds.push((at + 1, find)),
        }
    }
    Lines { finds, torn }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = r#"{"deal":"---AJ--Q---------QAKQJJ-QK/-----A----KJ-K--------A---","deck":"standard","index":"447247122283566119055","cards":8344,"tricks":1164,"status":"finished","year":2022}"#;
    const LOOP: &str = r#"{"deal":"---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA","deck":"standard","index":"472460898658889399111","cards":474,"tricks":66,"status":"loop","lead_in":{"cards":34,"tricks":4},"period":{"cards":440,"tricks":62}}"#;

    #[test]
    fn a_line_reads_back_as_it_is_written() {
        let mut find = Find::from_line(LOOP).unwrap();
        assert_eq!(find.to_line(), LOOP);
        find.cycle = Some("J--/-J-".into());
        find.found = Some(Found {
            how: "random".into(),
            plan: "0123456789abcdef".into(),
            seed: Some(1 << 52),
            block: Some(3),
            offset: None,
            from: Some(Origin {
                deal: find.deal_text(),
                played: find.played,
            }),
        });
        assert_eq!(Find::from_line(&find.to_line()), Ok(find.clone()));
        assert_eq!(find.check().unwrap_err().what, "cycle");
        find.cycle = None;
        assert_eq!(find.check(), Ok(()));
        // What `camicia records --json` adds is read, and is no claim.
        let shown = find.to_line().replacen('{', "{\"gap_percent\":-4.5,", 1);
        assert_eq!(Find::from_line(&shown), Ok(find));
        let half: Deck = "half".parse().unwrap();
        let deal = half.deal_at(77_777, Order::PlainFirst).unwrap();
        let find = Find::proved(&half, &deal);
        assert!(
            find.to_line().starts_with(r#"{"deal":"0000"#),
            "{}",
            find.to_line()
        );
        assert_eq!(Find::from_line(&find.to_line()), Ok(find));
    }

    #[test]
    fn true_claims_hold_and_false_ones_are_named() {
        assert_eq!(Find::from_line(RECORD).unwrap().check(), Ok(()));
        for (from, to, what) in [
            ("\"cards\":474,", "\"cards\":475,", "cards"),
            ("\"tricks\":66,", "\"tricks\":65,", "tricks"),
            ("\"cards\":34,", "\"cards\":33,", "lead-in cards"),
            ("\"tricks\":4}", "\"tricks\":5}", "lead-in tricks"),
            ("\"cards\":440", "\"cards\":441", "period cards"),
            ("\"tricks\":62", "\"tricks\":61", "period tricks"),
            ("472460898658889399111", "472460898658889399110", "index"),
            ("\"standard\"", "\"italian\"", "the deck"),
            ("---K---Q", "---KQ---", "index"),
        ] {
            let line = LOOP.replacen(from, to, 1);
            assert_ne!(line, LOOP);
            let error = Find::from_line(&line).unwrap().check().unwrap_err();
            assert_eq!(error.what, what, "{line}");
        }
        let finished = Find {
            ending: Outcome::Finished { winner: None },
            ..Find::from_line(LOOP).unwrap()
        };
        assert_eq!(finished.check().unwrap_err().what, "status");
    }

    #[test]
    fn wrong_lines_are_named() {
        for (line, word) in [
            ("{", "EOF"),
            ("[]", "struct FindLine"),
            (
                &LOOP.replace("\"tricks\":66,", ""),
                "missing field `tricks`",
            ),
            (
                &LOOP.replace("\"index\"", "\"indx\""),
                "unknown field `indx`",
            ),
            (
                &LOOP.replace("\"standard\"", "\"tarot\""),
                "deck: \"tarot\"",
            ),
            (&LOOP.replace("---K---Q", "---K-y-Q"), "deal: "),
            (&LOOP.replace("472460898658889399111", "-1"), "index: "),
            (&LOOP.replace("\"loop\"", "\"finished\""), "neither"),
            (&LOOP.replace("\"loop\"", "\"lop\""), "lop"),
            (&RECORD.replace("finished", "loop"), "lead_in and period"),
        ] {
            let error = Find::from_line(line).unwrap_err().to_string();
            assert!(error.contains(word), "{line}: {error}");
        }
    }

    #[test]
    fn a_torn_last_line_is_told_apart_from_a_wrong_one() {
        let lines = read(&format!("{LOOP}\n\n{LOOP}\n{}", &LOOP[..100]));
        assert_eq!(lines.finds.len(), 2);
        assert_eq!(lines.finds[1].0, 3);
        assert_eq!(lines.torn.as_deref(), Some(&LOOP[..100]));
        let lines = read(&format!("{}\n{LOOP}", &LOOP[..100]));
        assert!(lines.finds[0].1.is_err() && lines.finds[1].1.is_ok());
        assert_eq!(lines.torn, None);
    }

    #[test]
    fn a_leaderboard_breaks_ties_by_index() {
        let deck: Deck = "plain=4,J=2,hands=3/3".parse().unwrap();
        let mut finds: Vec<Find> = (0..15)
            .map(|index| Find::proved(&deck, &deck.deal_at(index, Order::AcesFirst).unwrap()))
            .collect();
        finds.sort_by(Find::rank);
        for pair in finds.windows(2) {
            let key = |find: &Find| (find.played.cards, find.played.tricks);
            assert!(
                key(&pair[0]) > key(&pair[1])
                    || key(&pair[0]) == key(&pair[1]) && pair[0].index < pair[1].index
            );
        }
    }
}
