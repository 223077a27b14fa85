//! Who stands where: shares of wins with their Wilson intervals, or mean points with their standard
//! errors. Counted in whole numbers, so that the order of adding changes nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use super::record::GameRecord;
use crate::referee::host::game::{FailureKind, Score};

/// The parts into which a win is split exactly among 2, 3 or 4 who share it.
const PARTS: u64 = 12;
/// The normal quantile of a two-sided interval of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// The standings of a match.
#[derive(Clone, Debug)]
pub struct Standings {
    /// The place of every name in `bots`.
    index: BTreeMap<String, usize>,
    bots: Vec<BotTally>,
    /// The deal whose games are being added, see [`BotTally::deal`].
    deal: Option<u64>,
    variants: Vec<String>,
}

#[derive(Clone, Default, Debug)]
struct BotTally {
    name: String,
    games: u64,
    parts: u64,
    failures: [u64; FailureKind::ALL.len()],
    points: Option<i64>,
    /// Sum and number of this bot's points in the current deal.
    deal: (i64, u64),
    /// Number, mean and sum of squared deviations of the means of whole deals (Welford).
    deals: (u64, f64, f64),
    variants: Vec<(i64, u64)>,
    slowest: Duration,
}

/// One bot's line.
#[derive(Clone, PartialEq, Debug)]
pub struct BotStanding {
    /// Its place in the list of bots.
    pub bot: usize,
    /// Its name.
    pub name: String,
    /// Games played.
    pub games: u64,
    /// Wins, shared ones as parts.
    pub wins: f64,
    /// Wins by games; `None` before the first game or when the game counts points.
    pub share: Option<f64>,
    /// The Wilson interval (95 %) of the share.
    pub interval: Option<(f64, f64)>,
    /// The sum of points, where the game counts points.
    pub points: Option<i64>,
    /// Points by games.
    pub mean: Option<f64>,
    /// The standard error of the mean, from the means of deals; `None` below two deals.
    pub error: Option<f64>,
    /// The mean points in each variant (name, mean), variants played only.
    pub variants: Vec<(String, f64)>,
    /// How often each kind of failure happened, in the order of [`FailureKind::ALL`].
    pub failures: [u64; FailureKind::ALL.len()],
    /// The slowest answer of this run, first answers of a process left out.
    pub slowest: Duration,
}

impl Standings {
    /// Standings before the first game.
    pub fn new(names: impl IntoIterator<Item = String>, variants: Vec<String>) -> Standings {
        let bots: Vec<BotTally> = names
            .into_iter()
            .map(|name| BotTally {
                name,
                variants: vec![(0, 0); variants.len()],
                ..BotTally::default()
            })
            .collect();
        Standings {
            index: bots
                .iter()
                .enumerate()
                .map(|(index, tally): (usize, &BotTally)| (tally.name.clone(), index))
                .collect(),
            bots,
            deal: None,
            variants,
        }
    }

    /// Adds a game. Games come in the order of their numbers.
    pub fn add(&mut self, record: &GameRecord) {
        if self.deal != Some(record.deal) {
            self.bots.iter_mut().for_each(BotTally::end_deal);
            self.deal = Some(record.deal);
        }
        let variant = record
            .variant
            .as_ref()
            .and_then(|name| self.variants.iter().position(|known| known == name));
        for (seat, name) in record.seats.iter().enumerate() {
            let Some(&index) = self.index.get(name) else {
                continue;
            };
            let tally = &mut self.bots[index];
            tally.games += 1;
            match &record.score {
                Score::Winners(winners) => {
                    if winners.contains(&seat) {
                        tally.parts += PARTS / winners.len() as u64;
                    }
                }
                Score::Points(points) => {
                    let points = points.get(seat).copied().unwrap_or(0);
                    *tally.points.get_or_insert(0) += points;
                    tally.deal.0 += points;
                    tally.deal.1 += 1;
                    if let Some(variant) = variant {
                        tally.variants[variant].0 += points;
                        tally.variants[variant].1 += 1;
                    }
                }
            }
            for (count, kind) in tally.failures.iter_mut().zip(FailureKind::ALL) {
                *count += record.count(name, kind);
            }
        }
    }

    /// Notes how slow a bot's answer was.
    pub fn note_slowest(&mut self, name: &str, slowest: Duration) {
        if let Some(&index) = self.index.get(name) {
            let tally = &mut self.bots[index];
            tally.slowest = tally.slowest.max(slowest);
        }
    }

    /// The bots at the table of a game, by their places in the list of bots; `None` when one of them is
    /// not in it.
    pub fn table(&self, record: &GameRecord) -> Option<Vec<usize>> {
        let places = record
            .seats
            .iter()
            .map(|name| self.index.get(name).copied());
        places.collect()
    }

    /// The name of a bot by its place.
    pub fn name(&self, bot: usize) -> &str {
        &self.bots[bot].name
    }

    /// What each bot is worth so far, in the order of the bots: the share of its games that it won, or
    /// its mean points; nothing before its first game.
    pub fn worth(&self) -> Vec<f64> {
        let worth = |tally: &BotTally| match (tally.games, tally.points) {
            (0, _) => 0.0,
            (games, Some(points)) => points as f64 / games as f64,
            (games, None) => tally.parts as f64 / PARTS as f64 / games as f64,
        };
        self.bots.iter().map(worth).collect()
    }

    /// Whether any bot failed in any game.
    pub fn any_failed(&self) -> bool {
        self.bots
            .iter()
            .any(|tally| tally.failures.iter().any(|&count| count > 0))
    }

    /// The lines, best first; equal ones in the order of the bots.
    pub fn lines(&self) -> Vec<BotStanding> {
        let mut lines: Vec<BotStanding> = (0..self.bots.len()).map(|bot| self.line(bot)).collect();
        let worth = |line: &BotStanding| line.mean.or(line.share).unwrap_or(f64::NEG_INFINITY);
        lines.sort_by(|one, two| worth(two).total_cmp(&worth(one)));
        lines
    }

    fn line(&self, bot: usize) -> BotStanding {
        let tally = &self.bots[bot];
        let mut whole = tally.clone();
        whole.end_deal();
        let games = tally.games as f64;
        let played = tally.games > 0;
        let wins = tally.parts as f64 / PARTS as f64;
        let counts_wins = played && tally.points.is_none();
        let (deals, _, squares) = whole.deals;
        BotStanding {
            bot,
            name: tally.name.clone(),
            games: tally.games,
            wins,
            share: counts_wins.then(|| wins / games),
            interval: counts_wins.then(|| wilson(wins, games)),
            points: tally.points,
            mean: tally.points.map(|points| points as f64 / games),
            error: (tally.points.is_some() && deals >= 2)
                .then(|| (squares / (deals - 1) as f64 / deals as f64).sqrt()),
            variants: self
                .variants
                .iter()
                .zip(&tally.variants)
                .filter(|(_, (_, count))| *count > 0)
                .map(|(name, (sum, count))| (name.clone(), *sum as f64 / *count as f64))
                .collect(),
            failures: tally.failures,
            slowest: tally.slowest,
        }
    }
}

impl BotTally {
    fn end_deal(&mut self) {
        let (sum, count) = std::mem::take(&mut self.deal);
        if count == 0 {
            return;
        }
        let value = sum as f64 / count as f64;
        let (deals, mean, squares) = &mut self.deals;
        *deals += 1;
        let off = value - *mean;
        *mean += off / *deals as f64;
        *squares += off * (value - *mean);
    }
}

/// The Wilson interval (95 %) of a share of `wins` among `games`; everything for no games.
pub fn wilson(wins: f64, games: f64) -> (f64, f64) {
    if games <= 0.0 {
        return (0.0, 1.0);
    }
    let share = wins / games;
    let scale = 1.0 + Z * Z / games;
    let middle = (share + Z * Z / (2.0 * games)) / scale;
    let reach = Z / scale * (share * (1.0 - share) / games + Z * Z / (4.0 * games * games)).sqrt();
    ((middle - reach).max(0.0), (middle + reach).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::super::record::Failed;
    use super::*;
    use crate::referee::host::game::Failure;

    fn near(one: f64, two: f64) -> bool {
        (one - two).abs() < 5e-5
    }

    #[test]
    fn wilson_intervals_are_those_of_the_formula() {
        for (wins, games, low, high) in [
            (0.0, 10.0, 0.0, 0.2775),
            (5.0, 10.0, 0.2366, 0.7634),
            (10.0, 10.0, 0.7225, 1.0),
            (1.0, 1.0, 0.2065, 1.0),
            (60.0, 100.0, 0.5020, 0.6906),
        ] {
            let (ours_low, ours_high) = wilson(wins, games);
            assert!(
                near(ours_low, low) && near(ours_high, high),
                "{wins} of {games}: {ours_low} {ours_high}"
            );
        }
        assert_eq!(wilson(0.0, 0.0), (0.0, 1.0));
    }

    fn record(game: u64, deal: u64, score: Score) -> GameRecord {
        GameRecord {
            game,
            deal,
            variant: None,
            seats: vec!["a".to_owned(), "b".to_owned(), "c".to_owned()],
            reason: "won".to_owned(),
            score,
            turns: 1,
            moves: String::new(),
            failures: Vec::new(),
        }
    }

    fn standings(variants: &[&str]) -> Standings {
        let variants = variants.iter().map(|&name| name.to_owned()).collect();
        Standings::new(["a", "b", "c"].map(str::to_owned), variants)
    }

    #[test]
    fn shared_wins_are_parts_and_sum_up_exactly() {
        let mut standings = standings(&[]);
        for game in 0..30 {
            standings.add(&record(game, game, Score::Winners(vec![0, 1, 2])));
        }
        standings.add(&record(30, 30, Score::Winners(vec![2, 1])));
        standings.add(&record(31, 31, Score::Winners(vec![])));
        let lines = standings.lines();
        assert_eq!(
            [lines[0].wins, lines[1].wins, lines[2].wins],
            [10.5, 10.5, 10.0]
        );
        assert_eq!(lines[0].name, "b");
        assert_eq!(lines[0].games, 32);
    }

    #[test]
    fn nothing_played_gives_no_numbers() {
        let lines = standings(&[]).lines();
        assert_eq!(
            (
                lines[0].share,
                lines[0].interval,
                lines[0].mean,
                lines[0].error
            ),
            (None, None, None, None)
        );
    }

    #[test]
    fn the_error_of_a_mean_is_that_of_the_means_of_deals() {
        let mut standings = standings(&[]);
        let mut game = 0;
        // Means of three deals for a: -6, 0, 3; the games of a deal lie far apart.
        for (deal, points) in [(0, [-26, 14]), (1, [0, 0]), (2, [103, -97])] {
            for value in points {
                standings.add(&record(game, deal, Score::Points(vec![value, 1, -value])));
                game += 1;
            }
            if deal == 0 {
                assert_eq!(standings.lines()[1].error, None, "one deal has no error");
            }
        }
        let lines = standings.lines();
        let a = lines.iter().find(|line| line.name == "a").unwrap();
        assert_eq!(a.points, Some(-6));
        assert!(near(a.mean.unwrap(), -1.0));
        // Deviations -5, 1, 4: variance 42 / 2 = 21, error sqrt(21 / 3).
        assert!(near(a.error.unwrap(), 7f64.sqrt()));
        let b = lines.iter().find(|line| line.name == "b").unwrap();
        assert_eq!((b.mean, b.error), (Some(1.0), Some(0.0)));
        assert_eq!(a.share, None);
    }

    #[test]
    fn variants_have_their_own_means() {
        let mut standings = standings(&["nullo", "barbu"]);
        for (game, (name, points)) in [("nullo", -2), ("barbu", -18), ("nullo", -4)]
            .into_iter()
            .enumerate()
        {
            let mut record = record(game as u64, 0, Score::Points(vec![points, 0, 0]));
            record.variant = Some(name.to_owned());
            standings.add(&record);
        }
        let lines = standings.lines();
        assert_eq!(
            lines[2].variants,
            [("nullo".to_owned(), -3.0), ("barbu".to_owned(), -18.0)]
        );
    }

    #[test]
    fn failures_are_counted_by_kind() {
        let mut standings = standings(&[]);
        assert!(!standings.any_failed());
        let mut record = record(0, 0, Score::Winners(vec![0]));
        for kind in [FailureKind::Crash, FailureKind::Flood] {
            record.failures.push(Failed {
                seat: 1,
                bot: "b".to_owned(),
                failure: Failure::new(kind, "x"),
            });
        }
        standings.add(&record);
        assert!(standings.any_failed());
        let lines = standings.lines();
        let b = lines.iter().find(|line| line.name == "b").unwrap();
        assert_eq!(b.failures, [1, 0, 0, 0, 0, 1, 0]);
    }
}
