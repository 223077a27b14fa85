//! What a search came to, read from the files of its results (results/README.md describes them).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::ReportError;
use crate::cards::Deck;
use crate::game::Outcome;
use crate::search::finds::known;
use crate::search::finds::results::{self, Find};
use crate::search::finds::tail::{Expected, Tail};
use crate::search::finds::tally::Histogram;

/// The texts of a results folder. What a kind of search does not write is `None`.
#[derive(Clone, Copy, Debug)]
pub struct SearchTexts<'t> {
    /// `summary.json`.
    pub summary: &'t str,
    /// `histogram.csv`.
    pub histogram: Option<&'t str>,
    /// `cycles.csv`.
    pub cycles: Option<&'t str>,
    /// `leaderboard.jsonl`.
    pub leaderboard: Option<&'t str>,
}

/// What a search came to.
#[derive(Clone, Debug, Serialize)]
pub struct SearchReport {
    /// The name of its folder.
    pub name: String,
    /// `random`, `climb`, `exhaust`, `grow`, or `merge` of any of them.
    pub how: String,
    /// The deck.
    pub deck: String,
    /// `summary.json`, as the search wrote it.
    pub summary: Value,
    /// The lengths of its games.
    pub lengths: Vec<Lengths>,
    /// How long a game may be expected among so many; of a random search alone.
    pub expected: Option<Expected>,
    /// The longest known finished game of the deck, in cards.
    pub record: Option<u64>,
    /// The longest finished games, best first.
    pub finished: Vec<Best>,
    /// The infinite games.
    pub loops: Vec<LoopFind>,
    /// The cycles.
    pub cycles: Vec<CycleRow>,
}

/// How long games were, in one unit.
#[derive(Clone, Debug, Serialize)]
pub struct Lengths {
    /// `cards`, `tricks` or `end of a climb`.
    pub of: String,
    /// The moments, as `summary.json` has them.
    pub moments: Value,
    /// The tail of the histogram.
    pub tail: Option<Tail>,
    /// The histogram itself.
    #[serde(skip)]
    pub histogram: Histogram,
}

/// A finished game of the leaderboard.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Best {
    /// Cards.
    pub cards: u64,
    /// Tricks.
    pub tricks: u64,
    /// How far it is from the record, in percent of the record's cards.
    pub gap_percent: Option<f64>,
    /// The cards of the game it was closed from, if it was.
    pub closed_from: Option<u64>,
    /// The deal.
    pub deal: String,
}

/// An infinite game of the leaderboard.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LoopFind {
    /// Cards and tricks before the cycle is entered.
    pub lead_in: [u64; 2],
    /// Cards and tricks of one round.
    pub period: [u64; 2],
    /// The deal.
    pub deal: String,
}

/// A cycle of `cycles.csv`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CycleRow {
    /// Its name: the least of its states.
    pub cycle: String,
    /// Cards of one round.
    pub cards: u64,
    /// Tricks of one round.
    pub tricks: u64,
    /// Its states.
    pub states: u64,
    /// How many deals enter it.
    pub deals: u64,
    /// The least difference of hand sizes, where the search says it.
    pub imbalance: Option<u64>,
    /// The block that met it first, where the search says it.
    pub block: Option<u64>,
}

/// A row of `cycles.csv`, of either kind.
#[derive(Deserialize)]
struct Line {
    cycle: String,
    #[serde(alias = "period_cards")]
    cards: u64,
    #[serde(alias = "period_tricks")]
    tricks: u64,
    states: u64,
    deals: u64,
    imbalance: Option<u64>,
    block: Option<u64>,
}

impl SearchReport {
    /// Reads the results of the search `name`.
    ///
    /// # Errors
    /// [`ReportError`] with the file and the line, also if files disagree.
    pub fn read(name: &str, texts: SearchTexts<'_>) -> Result<SearchReport, ReportError> {
        let summary: Value =
            serde_json::from_str(texts.summary).map_err(|error| ReportError::File {
                file: "summary.json",
                why: error.to_string(),
            })?;
        let missing = |key: &str| ReportError::File {
            file: "summary.json",
            why: format!("it has no {key:?}: it is not the summary of a search"),
        };
        let deck_text = summary["deck"].as_str().ok_or_else(|| missing("deck"))?;
        let deck: Deck = deck_text.parse().map_err(|error| ReportError::File {
            file: "summary.json",
            why: format!("deck: {error}"),
        })?;
        let how = match summary["how"].as_str() {
            Some(how) => how,
            None if summary["deals"].is_string() => "exhaust",
            None => return Err(missing("how")),
        };
        let lengths = match texts.histogram {
            Some(text) => lengths(text, &summary)?,
            None => Vec::new(),
        };
        let record = known::longest(&deck);
        let expected = lengths
            .iter()
            .find(|lengths| how == "random" && lengths.of == "cards")
            .and_then(|lengths| Expected::of(&lengths.histogram));
        let finds = match texts.leaderboard {
            Some(text) => finds(text)?,
            None => Vec::new(),
        };
        let (mut finished, mut loops) = (Vec::new(), Vec::new());
        for find in &finds {
            match find.ending {
                Outcome::Finished { .. } => finished.push(best(find)),
                Outcome::Loop { lead_in, period } => loops.push(LoopFind {
                    lead_in: [lead_in.cards, lead_in.tricks],
                    period: [period.cards, period.tricks],
                    deal: find.deal_text(),
                }),
            }
        }
        let cycles = match texts.cycles {
            Some(text) => cycles(text)?,
            None => Vec::new(),
        };
        Ok(SearchReport {
            name: name.to_owned(),
            how: how.to_owned(),
            deck: deck_text.to_owned(),
            summary,
            lengths,
            expected,
            record,
            finished,
            loops,
            cycles,
        })
    }

    /// The cards of games, or of the ends of climbs.
    pub fn in_cards(&self) -> Option<&Lengths> {
        self.lengths.iter().find(|lengths| lengths.of != "tricks")
    }
}

/// The histograms, and the moments of the summary, which must be of the same games.
fn lengths(text: &str, summary: &Value) -> Result<Vec<Lengths>, ReportError> {
    const FILE: &str = "histogram.csv";
    let mut histograms: BTreeMap<String, Histogram> = BTreeMap::new();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    for row in reader.deserialize::<(String, u64, u64)>() {
        let (of, value, games) = row.map_err(|error| ReportError::Line {
            file: FILE,
            line: error.position().map_or(0, |at| at.line() as usize),
            why: error.to_string(),
        })?;
        histograms.entry(of).or_default().add_times(value, games);
    }
    let mut all = Vec::new();
    for (of, histogram) in histograms {
        let key = if of == "end of a climb" {
            "climbs"
        } else {
            &of
        };
        let moments = summary[key].clone();
        let ours = histogram
            .moments()
            .map_or(Value::Null, |moments| moments.json());
        for sum in ["count", "sum", "sum_of_squares"] {
            if moments[sum] != ours[sum] {
                return Err(ReportError::Disagree(format!(
                    "{sum} of {of} is {} in histogram.csv and {} in summary.json",
                    ours[sum], moments[sum]
                )));
            }
        }
        all.push(Lengths {
            tail: Tail::fit(&histogram),
            of,
            moments,
            histogram,
        });
    }
    Ok(all)
}

fn finds(text: &str) -> Result<Vec<Find>, ReportError> {
    let lines = results::read(text);
    let find = |(line, find): (usize, Result<Find, _>)| {
        find.map_err(|error| ReportError::Line {
            file: "leaderboard.jsonl",
            line,
            why: format!("{error}"),
        })
    };
    lines.finds.into_iter().map(find).collect()
}

fn best(find: &Find) -> Best {
    let from = find.found.as_ref().and_then(|found| found.from.as_ref());
    Best {
        cards: find.played.cards,
        tricks: find.played.tricks,
        gap_percent: known::gap_percent(find),
        closed_from: from.map(|from| from.played.cards),
        deal: find.deal_text(),
    }
}

fn cycles(text: &str) -> Result<Vec<CycleRow>, ReportError> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let row = |line: Result<Line, csv::Error>| {
        let line = line.map_err(|error| ReportError::Line {
            file: "cycles.csv",
            line: error.position().map_or(0, |at| at.line() as usize),
            why: error.to_string(),
        })?;
        Ok(CycleRow {
            cycle: line.cycle,
            cards: line.cards,
            tricks: line.tricks,
            states: line.states,
            deals: line.deals,
            imbalance: line.imbalance,
            block: line.block,
        })
    };
    reader.deserialize().map(row).collect()
}
