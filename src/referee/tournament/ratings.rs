//! How strong the bots are: a rating for each, its interval, and how likely one is better than another.
//!
//! The model is Plackett and Luce's for the winner of a table, with ties as Davidson has them (for
//! pairs it is Bradley and Terry's, then; for tables see Turner, van Etten, Firth and Kosmidis,
//! "Modelling rankings in R: the PlackettLuce package", 2020). A bot has the strength `a = exp(t)`; a
//! set `S` of bots wins a table together with a chance in proportion to `d(|S|)` times the geometric
//! mean of their strengths, where `d(1) = 1` and the other `d` are fitted.
//!
//! The likelihood needs no more than the wins of each bot (a shared win counts in parts), how many
//! games each table decided, and how many ties of each size there were: memory does not grow with the
//! number of games. A game that nobody won says nothing about who is stronger, and is left out.
//!
//! A weak prior (a normal distribution of [`PRIOR_POINTS`] around the mean) keeps the rating of a bot
//! finite that won all its games or none. Intervals are those of the Fisher information, for games
//! that are independent. Games of one deal under several seatings are not quite: as a rule the luck of
//! the deal cancels between them, and the interval is wider than it needs to be.

use std::collections::BTreeMap;

/// Points of a rating for a strength ten times as great, as in chess.
const POINTS_PER_TEN: f64 = 400.0;
/// The standard deviation of the prior of a rating, in points.
const PRIOR_POINTS: f64 = 500.0;
/// The standard deviation of the prior of the logarithm of a tie's weight.
const PRIOR_TIES: f64 = 5.0;
/// The parts into which a win is split exactly among as many as share it.
const PARTS: u64 = 12;
/// The normal quantile of a two-sided interval of 95 %.
const Z: f64 = 1.959_963_984_540_054;
/// The most steps of Newton's method; a few suffice.
const STEPS: usize = 100;

/// What the ratings are computed from.
#[derive(Clone, Debug)]
pub struct Decided {
    /// Won parts of each bot.
    parts: Vec<u64>,
    /// How many decided games each table (bots in rising order) played.
    tables: BTreeMap<Vec<usize>, u64>,
    /// How many games were shared by so many winners.
    ties: BTreeMap<usize, u64>,
}

/// The ratings of all bots.
#[derive(Clone, Debug)]
pub struct Ratings {
    /// By bot; `None` for one without a decided game.
    pub bots: Vec<Option<Rating>>,
    /// The covariance of the ratings, in points squared, row by row.
    covariance: Vec<f64>,
}

/// A bot's rating. The mean of all is 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// Points: 400 more are a strength ten times as great.
    pub points: f64,
    /// The standard error.
    pub error: f64,
}

impl Rating {
    /// The interval that covers the true rating in 95 of 100 tournaments.
    pub fn interval(&self) -> (f64, f64) {
        (self.points - Z * self.error, self.points + Z * self.error)
    }
}

impl Decided {
    /// No game of this many bots yet.
    pub fn new(bots: usize) -> Decided {
        Decided {
            parts: vec![0; bots],
            tables: BTreeMap::new(),
            ties: BTreeMap::new(),
        }
    }

    /// Adds a game of these bots, won by `winners` together. At most four can share a win.
    pub fn add(&mut self, table: &[usize], winners: &[usize]) {
        if winners.is_empty() || table.len() < 2 {
            return;
        }
        for &bot in winners {
            self.parts[bot] += PARTS / winners.len() as u64;
        }
        let mut table = table.to_vec();
        table.sort_unstable();
        *self.tables.entry(table).or_default() += 1;
        *self.ties.entry(winners.len()).or_default() += 1;
    }

    /// The ratings that fit best.
    pub fn fit(&self) -> Ratings {
        let bots = self.parts.len();
        let sizes: Vec<usize> = self.ties.keys().copied().filter(|&size| size > 1).collect();
        let mut model = Model {
            decided: self,
            sizes,
            values: Vec::new(),
        };
        model.values = vec![0.0; bots + model.sizes.len()];
        model.climb();
        model.ratings()
    }
}

impl Ratings {
    /// How likely the bot `one` is stronger than `two`; `None` when one of them has no rating.
    pub fn superiority(&self, one: usize, two: usize) -> Option<f64> {
        let (first, second) = (self.bots[one]?, self.bots[two]?);
        let bots = self.bots.len();
        let entry = |row: usize, column: usize| self.covariance[row * bots + column];
        let variance = entry(one, one) + entry(two, two) - 2.0 * entry(one, two);
        if variance <= 0.0 {
            return Some(0.5);
        }
        let off = (first.points - second.points) / variance.sqrt();
        Some(0.5 * libm::erfc(-off / std::f64::consts::SQRT_2))
    }
}

/// The likelihood, and where the search for its top stands.
struct Model<'a> {
    decided: &'a Decided,
    /// The sizes of ties that happened.
    sizes: Vec<usize>,
    /// The logarithms of the strengths, then of the weights of ties.
    values: Vec<f64>,
}

/// The likelihood at a place, with its slope and its curvature (negated, row by row).
struct Local {
    height: f64,
    slope: Vec<f64>,
    curvature: Vec<f64>,
}

impl Model<'_> {
    /// Newton's method; every step is shortened until it leads up. The likelihood is concave.
    fn climb(&mut self) {
        let mut here = self.local(&self.values);
        for _ in 0..STEPS {
            let Some(factor) = cholesky(&here.curvature, self.values.len()) else {
                return;
            };
            let step = solve(&factor, &here.slope);
            let longest = step.iter().fold(0.0, |most: f64, one| most.max(one.abs()));
            let mut scale = (2.0 / longest).min(1.0);
            let next = loop {
                let values: Vec<f64> = self
                    .values
                    .iter()
                    .zip(&step)
                    .map(|(value, step)| value + scale * step)
                    .collect();
                let there = self.local(&values);
                if there.height >= here.height || scale < 1e-9 {
                    break (values, there);
                }
                scale /= 2.0;
            };
            (self.values, here) = next;
            if longest < 1e-10 {
                return;
            }
        }
    }

    fn local(&self, values: &[f64]) -> Local {
        let bots = self.decided.parts.len();
        let size = values.len();
        let mut local = Local {
            height: 0.0,
            slope: vec![0.0; size],
            curvature: vec![0.0; size * size],
        };
        // What was observed.
        for (bot, &parts) in self.decided.parts.iter().enumerate() {
            let wins = parts as f64 / PARTS as f64;
            local.height += wins * values[bot];
            local.slope[bot] += wins;
        }
        for (index, tie) in self.sizes.iter().enumerate() {
            let count = self.decided.ties[tie] as f64;
            local.height += count * values[bots + index];
            local.slope[bots + index] += count;
        }
        // What was to be expected.
        for (table, &games) in &self.decided.tables {
            self.expect(table, games as f64, values, &mut local);
        }
        // The prior.
        let scale = POINTS_PER_TEN / std::f64::consts::LN_10;
        for (index, value) in values.iter().enumerate() {
            let deviation = if index < bots {
                PRIOR_POINTS / scale
            } else {
                PRIOR_TIES
            };
            let weight = 1.0 / (deviation * deviation);
            local.height -= value * value * weight / 2.0;
            local.slope[index] -= value * weight;
            local.curvature[index * size + index] += weight;
        }
        local
    }

    /// Takes off what the games of one table add on average.
    fn expect(&self, table: &[usize], games: f64, values: &[f64], local: &mut Local) {
        let bots = self.decided.parts.len();
        // Every set of winners that can be: its parameters with their weights, and its logarithm.
        let mut outcomes: Vec<(Vec<(usize, f64)>, f64)> = Vec::new();
        for set in 1u32..1 << table.len() {
            let winners = set.count_ones() as usize;
            let tie = self.sizes.iter().position(|&size| size == winners);
            if winners > 1 && tie.is_none() {
                continue;
            }
            let mut parameters: Vec<(usize, f64)> = table
                .iter()
                .enumerate()
                .filter(|(place, _)| set & (1 << place) != 0)
                .map(|(_, &bot)| (bot, 1.0 / winners as f64))
                .collect();
            parameters.extend(tie.map(|tie| (bots + tie, 1.0)));
            let log = parameters
                .iter()
                .map(|(index, weight)| values[*index] * weight)
                .sum();
            outcomes.push((parameters, log));
        }
        let top = outcomes
            .iter()
            .fold(f64::NEG_INFINITY, |top, (_, log)| top.max(*log));
        let sum: f64 = outcomes.iter().map(|(_, log)| (log - top).exp()).sum();
        local.height -= games * (top + sum.ln());
        let mut means: Vec<(usize, f64)> = Vec::new();
        let size = values.len();
        for (parameters, log) in &outcomes {
            let chance = (log - top).exp() / sum;
            for &(index, weight) in parameters {
                match means.iter_mut().find(|(known, _)| *known == index) {
                    Some((_, mean)) => *mean += chance * weight,
                    None => means.push((index, chance * weight)),
                }
                for &(other, second) in parameters {
                    local.curvature[index * size + other] += games * chance * weight * second;
                }
            }
        }
        for &(index, mean) in &means {
            local.slope[index] -= games * mean;
            for &(other, second) in &means {
                local.curvature[index * size + other] -= games * mean * second;
            }
        }
    }

    fn ratings(&self) -> Ratings {
        let bots = self.decided.parts.len();
        let size = self.values.len();
        let scale = POINTS_PER_TEN / std::f64::consts::LN_10;
        let curvature = self.local(&self.values).curvature;
        let mut covariance = vec![0.0; bots * bots];
        if let Some(factor) = cholesky(&curvature, size) {
            for column in 0..bots {
                let mut unit = vec![0.0; size];
                unit[column] = 1.0;
                let inverse = solve(&factor, &unit);
                for row in 0..bots {
                    covariance[row * bots + column] = inverse[row] * scale * scale;
                }
            }
        }
        // Only differences mean something: the mean becomes 0, and takes its variance along.
        let rows: Vec<f64> = covariance
            .chunks(bots.max(1))
            .map(|row| row.iter().sum::<f64>() / bots as f64)
            .collect();
        let all = rows.iter().sum::<f64>() / bots as f64;
        for row in 0..bots {
            for column in 0..bots {
                covariance[row * bots + column] += all - rows[row] - rows[column];
            }
        }
        let mut played = vec![false; bots];
        for &bot in self.decided.tables.keys().flatten() {
            played[bot] = true;
        }
        let mean = self.values[..bots].iter().sum::<f64>() / bots as f64;
        let rating = |bot: usize| Rating {
            points: (self.values[bot] - mean) * scale,
            error: covariance[bot * bots + bot].max(0.0).sqrt(),
        };
        Ratings {
            bots: (0..bots)
                .map(|bot| played[bot].then(|| rating(bot)))
                .collect(),
            covariance,
        }
    }
}

/// The lower factor of a symmetric positive matrix, row by row; none when it is not positive.
fn cholesky(matrix: &[f64], size: usize) -> Option<Vec<f64>> {
    let mut factor = vec![0.0; size * size];
    for row in 0..size {
        for column in 0..=row {
            let known: f64 = (0..column)
                .map(|index| factor[row * size + index] * factor[column * size + index])
                .sum();
            let rest = matrix[row * size + column] - known;
            factor[row * size + column] = if row == column {
                if rest <= 0.0 {
                    return None;
                }
                rest.sqrt()
            } else {
                rest / factor[column * size + column]
            };
        }
    }
    Some(factor)
}

/// Solves `L L' x = right` for a lower factor `L`.
fn solve(factor: &[f64], right: &[f64]) -> Vec<f64> {
    let size = right.len();
    let mut x = right.to_vec();
    for row in 0..size {
        let known: f64 = (0..row)
            .map(|index| factor[row * size + index] * x[index])
            .sum();
        x[row] = (x[row] - known) / factor[row * size + row];
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size)
            .map(|index| factor[index * size + row] * x[index])
            .sum();
        x[row] = (x[row] - known) / factor[row * size + row];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Generator;

    /// Games as in `tests/data/ratings`: bots of the table, winners, how often.
    fn games(text: &str) -> Decided {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let parse = |field: &str| -> Vec<usize> {
            field
                .split(' ')
                .filter(|word| !word.is_empty())
                .map(|word| word.parse().unwrap())
                .collect()
        };
        let rows: Vec<(Vec<usize>, Vec<usize>, u64)> = lines
            .map(|line| {
                let fields: Vec<&str> = line.split(',').collect();
                (
                    parse(fields[0]),
                    parse(fields[1]),
                    fields[2].parse().unwrap(),
                )
            })
            .collect();
        let bots = rows.iter().flat_map(|row| &row.0).max().unwrap() + 1;
        let mut decided = Decided::new(bots);
        for (table, winners, count) in rows {
            for _ in 0..count {
                decided.add(&table, &winners);
            }
        }
        decided
    }

    fn agree(games_text: &str, expected: &str) {
        let ratings = games(games_text).fit();
        for line in expected.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split(',').collect();
            let value = |index: usize| fields[index].parse::<f64>().unwrap();
            let bot: usize = fields[1].parse().unwrap();
            if fields[0] == "rating" {
                let rating = ratings.bots[bot].unwrap();
                assert!(
                    (rating.points - value(2)).abs() < 0.01,
                    "{line}: {rating:?}"
                );
                assert!((rating.error - value(3)).abs() < 0.01, "{line}: {rating:?}");
            } else {
                let other: usize = fields[2].parse().unwrap();
                let superiority = ratings.superiority(bot, other).unwrap();
                assert!(
                    (superiority - value(3)).abs() < 1e-4,
                    "{line}: {superiority}"
                );
            }
        }
    }

    #[test]
    fn ratings_are_those_of_an_independent_script() {
        agree(
            include_str!("../../../tests/data/ratings/pairs.csv"),
            include_str!("../../../tests/data/ratings/pairs-expected.csv"),
        );
        agree(
            include_str!("../../../tests/data/ratings/tables.csv"),
            include_str!("../../../tests/data/ratings/tables-expected.csv"),
        );
    }

    #[test]
    fn two_bots_differ_by_the_logarithm_of_their_wins() {
        // Many games, so that the prior hardly counts: 400 log10(3) points.
        let mut decided = Decided::new(2);
        for game in 0..40_000 {
            decided.add(&[0, 1], &[usize::from(game % 4 == 0)]);
        }
        let ratings = decided.fit();
        let [one, two] = [0, 1].map(|bot| ratings.bots[bot].unwrap());
        let apart = 400.0 * 3f64.log10();
        assert!(
            (one.points - two.points - apart).abs() < 0.1,
            "{one:?} {two:?}"
        );
        assert!((one.points + two.points).abs() < 1e-9);
        assert!(ratings.superiority(0, 1).unwrap() > 0.999_999);
        assert!(ratings.superiority(1, 0).unwrap() < 1e-6);
    }

    #[test]
    fn extremes_stay_finite_and_nothing_played_has_no_rating() {
        let mut decided = Decided::new(4);
        assert!(decided.fit().bots.iter().all(Option::is_none));
        for _ in 0..50 {
            decided.add(&[0, 1], &[0]);
            decided.add(&[1, 2], &[]);
        }
        let ratings = decided.fit();
        let (best, worst) = (ratings.bots[0].unwrap(), ratings.bots[1].unwrap());
        assert!(best.points.is_finite() && best.points > 300.0, "{best:?}");
        assert!(
            best.error > 100.0 && worst.error > 100.0,
            "{best:?} {worst:?}"
        );
        assert!(ratings.bots[2].is_none(), "only games that nobody won");
        assert_eq!(ratings.superiority(0, 3), None);
        let mut draws = Decided::new(2);
        (0..100).for_each(|_| draws.add(&[0, 1], &[0, 1]));
        let ratings = draws.fit();
        assert!(ratings.bots[0].unwrap().points.abs() < 1e-6);
        assert!((ratings.superiority(0, 1).unwrap() - 0.5).abs() < 1e-6);
    }

    /// A game of these strengths at a table, ties with the given weight.
    fn play(strengths: &[f64], table: &[usize], tie: f64, random: &mut Generator) -> Vec<usize> {
        let mut sets = Vec::new();
        for set in 1usize..1 << table.len() {
            let members: Vec<usize> = (0..table.len())
                .filter(|place| set & (1 << place) != 0)
                .map(|place| table[place])
                .collect();
            let weight = match members.len() {
                1 => 1.0,
                2 => tie,
                _ => continue,
            };
            let mean =
                members.iter().map(|&bot| strengths[bot]).sum::<f64>() / members.len() as f64;
            sets.push((members, weight * mean.exp()));
        }
        let sum: f64 = sets.iter().map(|set| set.1).sum();
        let mut left = random.below(1 << 30) as f64 / f64::from(1 << 30) * sum;
        for (members, weight) in &sets {
            left -= weight;
            if left < 0.0 {
                return members.clone();
            }
        }
        sets.pop().unwrap().0
    }

    /// Of so many simulated tournaments, the share of intervals that hold the true rating.
    fn coverage(tables: &[Vec<usize>], deals: usize, strengths: &[f64], tie: f64) -> f64 {
        let tournaments = 400;
        let mean = strengths.iter().sum::<f64>() / strengths.len() as f64;
        let scale = POINTS_PER_TEN / std::f64::consts::LN_10;
        let mut held = 0;
        for tournament in 0..tournaments {
            let mut random = Generator::of(18, tournament, tables.len() as u64);
            let mut decided = Decided::new(strengths.len());
            for _ in 0..deals {
                for table in tables {
                    decided.add(table, &play(strengths, table, tie, &mut random));
                }
            }
            let ratings = decided.fit();
            for (bot, strength) in strengths.iter().enumerate() {
                let (low, high) = ratings.bots[bot].unwrap().interval();
                let truth = (strength - mean) * scale;
                held += u32::from((low..=high).contains(&truth));
            }
        }
        f64::from(held) / (tournaments as f64 * strengths.len() as f64)
    }

    #[test]
    fn intervals_hold_the_truth_in_93_to_97_of_100_simulated_tournaments() {
        let pairs: Vec<Vec<usize>> = (0..5)
            .flat_map(|one| (one + 1..5).map(move |two| vec![one, two]))
            .collect();
        let tables: Vec<Vec<usize>> = (0..6)
            .map(|out: usize| {
                (0..6)
                    .filter(|bot| *bot != out && *bot != (out + 2) % 6)
                    .collect()
            })
            .collect();
        let strengths = [0.8, 0.3, 0.0, -0.2, -0.9, 0.1];
        for (tables, deals, bots, tie) in [
            (&pairs, 20, 5, 0.0),
            (&pairs, 20, 5, 0.4),
            (&tables, 25, 6, 0.0),
            (&tables, 25, 6, 0.1),
        ] {
            let covered = coverage(tables, deals, &strengths[..bots], tie);
            assert!((0.93..=0.97).contains(&covered), "{covered}");
        }
    }
}
