//! Who stands where: shares of wins with their Wilson intervals, or mean points with their standard
//! errors. Counted in whole numbers, so that the order of adding changes nothing.

use std::time::Duration;

use super::game::FailureKind;
use super::record::{Record, Score};

/// The parts into which a win is split exactly among 2, 3 or 4 who share it.
const PARTS: u64 = 12;
/// The normal quantile of a two-sided interval of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// The standings of a match.
#[derive(Clone, Debug)]
pub struct Standings {
    bots: Vec<Tally>,
    /// The deal whose games are being added, see [`Tally::deal`].
    deal: Option<u64>,
    variants: Vec<String>,
}

#[derive(Clone, Default, Debug)]
struct Tally {
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
pub struct Standing {
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
        let bots = names
            .into_iter()
            .map(|name| Tally {
                name,
                variants: vec![(0, 0); variants.len()],
                ..Tally::default()
            })
            .collect();
        Standings {
            bots,
            deal: None,
            variants,
        }
    }

    /// Adds a game. Games come in the order of their numbers.
    pub fn add(&mut self, record: &Record) {
        if self.deal != Some(record.deal) {
            self.bots.iter_mut().for_each(Tally::end_deal);
            self.deal = Some(record.deal);
        }
        let variant = record
            .variant
            .as_ref()
            .and_then(|name| self.variants.iter().position(|known| known == name));
        for (seat, name) in record.seats.iter().enumerate() {
            let Some(tally) = self.bots.iter_mut().find(|tally| tally.name == *name) else {
                continue;
            };
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
        if let Some(tally) = self.bots.iter_mut().find(|tally| tally.name == name) {
            tally.slowest = tally.slowest.max(slowest);
        }
    }

    /// Whether any bot failed in any game.
    pub fn any_failed(&self) -> bool {
        self.bots
            .iter()
            .any(|tally| tally.failures.iter().any(|&count| count > 0))
    }

    /// The lines, best first; equal ones in the order of the bots.
    pub fn lines(&self) -> Vec<Standing> {
        let mut lines: Vec<Standing> = self.bots.iter().map(|tally| self.line(tally)).collect();
        let worth = |line: &Standing| line.mean.or(line.share).unwrap_or(f64::NEG_INFINITY);
        lines.sort_by(|one, two| worth(two).total_cmp(&worth(one)));
        lines
    }

    fn line(&self, tally: &Tally) -> Standing {
        let mut whole = tally.clone();
        whole.end_deal();
        let games = tally.games as f64;
        let played = tally.games > 0;
        let wins = tally.parts as f64 / PARTS as f64;
        let counts_wins = played && tally.points.is_none();
        let (deals, _, squares) = whole.deals;
        Standing {
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

impl Tally {
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
