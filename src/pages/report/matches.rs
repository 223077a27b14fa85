//! What a match came to, read from the lines of its results.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::error::ReportError;
use crate::referee::{FailureKind, GameRecord, Header, Score, Standings};
use crate::search::finds::tally::Histogram;

const FILE: &str = "results of the match";

/// What a match came to.
#[derive(Clone, Debug, Serialize)]
pub struct MatchReport {
    /// The name of its file.
    pub name: String,
    /// The game.
    pub game: String,
    /// The seed.
    pub seed: String,
    /// Options that change the rules.
    pub rules: Vec<String>,
    /// Games played.
    pub games: u64,
    /// The bots, best first.
    pub places: Vec<Place>,
    /// How bots did against each other, by pairs of their places.
    pub pairs: Vec<Pair>,
    /// How often games ended for which reason.
    pub reasons: BTreeMap<String, u64>,
    /// What went wrong: bot, kind of failure, how often.
    pub failures: Vec<(String, String, u64)>,
    /// Moments of the numbers of turns.
    pub turns: Value,
    /// The numbers of turns.
    #[serde(skip)]
    pub histogram: Histogram,
}

/// A bot in the standings.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Place {
    /// Its name.
    pub bot: String,
    /// Its games.
    pub games: u64,
    /// Its wins, shared ones as parts, where the game counts wins.
    pub wins: Option<f64>,
    /// Wins by games.
    pub share: Option<f64>,
    /// The Wilson interval (95 %) of the share.
    pub interval: Option<(f64, f64)>,
    /// Mean points a game, where the game counts points.
    pub mean: Option<f64>,
    /// The standard error of the mean.
    pub error: Option<f64>,
    /// Games in which it failed, by kind.
    pub failures: u64,
}

/// Two bots at one table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Pair {
    /// The place of one.
    pub one: usize,
    /// The place of the other.
    pub other: usize,
    /// Games that both played.
    pub games: u64,
    /// Games in which the first did better, and half of those in which neither did.
    pub better: f64,
}

impl MatchReport {
    /// Whether `text` begins as the results of a match do.
    pub fn is_match(text: &str) -> bool {
        text.starts_with("{\"match\":")
    }

    /// Reads the results of the match `name`. A last line that was cut off is left out.
    ///
    /// # Errors
    /// [`ReportError`] with the line.
    pub fn read(name: &str, text: &str) -> Result<MatchReport, ReportError> {
        let at = |line: usize, why: String| ReportError::Line {
            file: FILE,
            line,
            why,
        };
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut lines = whole.lines().enumerate();
        let (_, first) = lines.next().ok_or_else(|| {
            at(
                1,
                "the header is missing: it is not the results of a match".to_owned(),
            )
        })?;
        let header: Header =
            serde_json::from_str(first).map_err(|error| at(1, error.to_string()))?;
        if header.version != Header::VERSION {
            let why = format!(
                "it is of version {}, and this program reads version {}",
                header.version,
                Header::VERSION
            );
            return Err(at(1, why));
        }
        let mut records = Vec::new();
        for (number, line) in lines {
            let record: GameRecord =
                serde_json::from_str(line).map_err(|error| at(number + 1, error.to_string()))?;
            if record.game != records.len() as u64 {
                let why = format!("game {} was due, not {}", records.len(), record.game);
                return Err(at(number + 1, why));
            }
            records.push(record);
        }
        Ok(MatchReport::of(name, header, &records))
    }

    fn of(name: &str, header: Header, records: &[GameRecord]) -> MatchReport {
        let mut variants: Vec<String> = Vec::new();
        for variant in records.iter().filter_map(|record| record.variant.as_ref()) {
            if !variants.contains(variant) {
                variants.push(variant.clone());
            }
        }
        let names = header.bots.iter().map(|(name, _)| name.clone());
        let mut standings = Standings::new(names, variants);
        let mut histogram = Histogram::default();
        let mut reasons = BTreeMap::new();
        for record in records {
            standings.add(record);
            histogram.add(record.turns);
            *reasons.entry(record.reason.clone()).or_insert(0) += 1;
        }
        let lines = standings.lines();
        let mut failures = Vec::new();
        for line in &lines {
            for (kind, &times) in FailureKind::ALL.iter().zip(&line.failures) {
                if times > 0 {
                    failures.push((line.name.clone(), kind.word().to_owned(), times));
                }
            }
        }
        let places: Vec<Place> = lines
            .into_iter()
            .map(|line| Place {
                wins: line.share.map(|_| line.wins),
                failures: line.failures.iter().sum(),
                bot: line.name,
                games: line.games,
                share: line.share,
                interval: line.interval,
                mean: line.mean,
                error: line.error,
            })
            .collect();
        MatchReport {
            name: name.to_owned(),
            game: header.game,
            seed: header.seed,
            rules: header.rules,
            games: records.len() as u64,
            pairs: pairs(&places, records),
            places,
            reasons,
            failures,
            turns: histogram
                .moments()
                .map_or(Value::Null, |moments| moments.json()),
            histogram,
        }
    }
}

fn pairs(places: &[Place], records: &[GameRecord]) -> Vec<Pair> {
    let count = places.len();
    let mut sums = vec![(0u64, 0u64); count * count];
    for record in records {
        let seats: Vec<(usize, i64)> = record
            .seats
            .iter()
            .enumerate()
            .filter_map(|(seat, bot)| {
                let place = places.iter().position(|place| place.bot == *bot)?;
                let worth = match &record.score {
                    Score::Winners(winners) => i64::from(winners.contains(&seat)),
                    Score::Points(points) => points.get(seat).copied().unwrap_or(0),
                };
                Some((place, worth))
            })
            .collect();
        for &(one, worth) in &seats {
            for &(other, others) in &seats {
                if one != other {
                    let (games, halves) = &mut sums[one * count + other];
                    *games += 1;
                    *halves += match worth.cmp(&others) {
                        std::cmp::Ordering::Less => 0,
                        std::cmp::Ordering::Equal => 1,
                        std::cmp::Ordering::Greater => 2,
                    };
                }
            }
        }
    }
    let pair = |(at, (games, halves)): (usize, (u64, u64))| Pair {
        one: at / count,
        other: at % count,
        games,
        better: halves as f64 / 2.0,
    };
    sums.into_iter()
        .enumerate()
        .filter(|(_, (games, _))| *games > 0)
        .map(pair)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = concat!(
        r#"{"match":"bs","version":1,"seed":"7","bots":[["a","x"],["b","y"],["c","z"]],"seating":"draw"}"#,
        "\n",
        r#"{"game":0,"deal":0,"seats":["a","b","c"],"reason":"won","winners":[1],"turns":5}"#,
        "\n",
        r#"{"game":1,"deal":1,"seats":["c","b","a"],"reason":"won","winners":[0],"turns":9,"failures":[{"seat":1,"bot":"b","kind":"exit","detail":"ended with code 1"}]}"#,
        "\n",
    );

    #[test]
    fn a_match_is_counted() {
        let read = MatchReport::read("m", TEXT).unwrap();
        assert_eq!((read.games, read.turns["sum"].as_str()), (2, Some("14")));
        let names: Vec<&str> = read.places.iter().map(|place| place.bot.as_str()).collect();
        assert_eq!(names, ["b", "c", "a"]);
        let pair = |one, other| {
            let is = |pair: &&Pair| (pair.one, pair.other) == (one, other);
            let pair = read.pairs.iter().find(is).unwrap();
            (pair.games, pair.better)
        };
        assert_eq!(pair(0, 1), (2, 1.0), "b and c won one each");
        assert_eq!(pair(0, 2), (2, 1.5), "b won one, and neither won the other");
        assert_eq!(pair(2, 0), (2, 0.5));
        assert_eq!(read.failures, [("b".to_owned(), "exit".to_owned(), 1)]);
    }

    #[test]
    fn damage_is_named_and_a_cut_line_left_out() {
        assert!(MatchReport::is_match(TEXT));
        let cut = MatchReport::read("m", &TEXT[..TEXT.len() - 9]).unwrap();
        assert_eq!(cut.games, 1);
        for (from, to, wanted) in [
            (
                "\"version\":1",
                "\"version\":9",
                "line 1: it is of version 9",
            ),
            ("\"game\":1", "\"game\":2", "line 3: game 1 was due, not 2"),
            ("\"turns\":5", "\"turns\":x", "line 2: "),
        ] {
            let error = MatchReport::read("m", &TEXT.replace(from, to)).unwrap_err();
            assert!(error.to_string().contains(wanted), "{error}");
        }
        assert!(MatchReport::read("m", "").is_err());
    }
}
