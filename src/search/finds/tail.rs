//! The tail of a histogram of lengths: long games thin out exponentially, and how fast says how
//! long a game may be expected among so many.

use serde::Serialize;

use super::tally::Histogram;

/// The Euler-Mascheroni constant: the mean of the standard Gumbel law.
const EULER: f64 = 0.577_215_664_901_532_9;

/// Fewer values than this make no tail.
const LEAST: u64 = 30;

/// An exponential tail fitted to a histogram by maximum likelihood.
///
/// The values from [`Tail::from`] on, less `from`, are taken as geometric, which is the
/// exponential law for whole numbers. The tail begins at the mean of all values.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Tail {
    /// The least value of the tail.
    pub from: u64,
    /// How many values it has.
    pub games: u64,
    /// Which part of all values that is.
    pub share: f64,
    /// The distance over which the number of longer games falls by e.
    pub e_fold: f64,
    /// The standard error of `e_fold`.
    pub error: f64,
}

impl Tail {
    /// Fits the tail of `histogram`; `None` if fewer than 30 values are in it, or all are equal.
    pub fn fit(histogram: &Histogram) -> Option<Tail> {
        let moments = histogram.moments()?;
        let from = moments.mean.ceil() as u64;
        let (mut games, mut excess) = (0u64, 0u128);
        for (value, times) in histogram.iter().filter(|&(value, _)| value >= from) {
            games += times;
            excess += u128::from(value - from) * u128::from(times);
        }
        if games < LEAST || excess == 0 {
            return None;
        }
        let mean = excess as f64 / games as f64;
        let e_fold = 1.0 / (1.0 / mean).ln_1p();
        Some(Tail {
            from,
            games,
            share: games as f64 / moments.count as f64,
            e_fold,
            error: e_fold / (games as f64).sqrt(),
        })
    }

    /// The part of all values that are `value` or more, for a value in the tail.
    pub fn beyond(&self, value: f64) -> f64 {
        self.share * (-(value - self.from as f64) / self.e_fold).exp()
    }

    /// The greatest value to be expected among `games` values.
    pub fn expected(&self, games: f64) -> f64 {
        self.at(games, EULER)
    }

    /// The value that the greatest of `games` values stays below with probability `chance`
    /// (over 0, under 1).
    pub fn quantile(&self, games: f64, chance: f64) -> f64 {
        self.at(games, -(-chance.ln()).ln())
    }

    fn at(&self, games: f64, gumbel: f64) -> f64 {
        let tail = (games * self.share).max(1.0);
        self.from as f64 + self.e_fold * (tail.ln() + gumbel)
    }
}

/// The longest game to be expected among those that were played at random, by their own tail.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Expected {
    /// How many games were played.
    pub games: f64,
    /// The greatest length to be expected.
    pub longest: f64,
    /// In 5 of 100 runs, the greatest length stays below it.
    pub low: f64,
    /// In 5 of 100 runs, the greatest length is above it.
    pub high: f64,
    /// The greatest length there was.
    pub played: u64,
}

impl Expected {
    /// What is to be expected of the values of `histogram`; `None` if they have no tail.
    pub fn of(histogram: &Histogram) -> Option<Expected> {
        let tail = Tail::fit(histogram)?;
        let games = histogram.count() as f64;
        let (played, _) = histogram.iter().last()?;
        Some(Expected {
            games,
            longest: tail.expected(games),
            low: tail.quantile(games, 0.05),
            high: tail.quantile(games, 0.95),
            played,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exactly geometric counts: each value has half as many as the one before.
    fn halving() -> Histogram {
        let mut histogram = Histogram::default();
        for value in 0..20 {
            histogram.add_times(value, 1 << (20 - value));
        }
        histogram
    }

    #[test]
    fn a_geometric_tail_is_found_again() {
        let tail = Tail::fit(&halving()).unwrap();
        // The mean is just under 1; counts fall by 2 a step, so by e every 1/ln 2 steps.
        assert_eq!(tail.from, 1);
        assert!((tail.e_fold - 1.0 / 2f64.ln()).abs() < 1e-3, "{tail:?}");
        assert!((tail.share - 0.5).abs() < 1e-5);
        assert!((tail.beyond(3.0) - 0.125).abs() < 1e-3);
        assert!((tail.error * (tail.games as f64).sqrt() - tail.e_fold).abs() < 1e-12);
    }

    #[test]
    fn the_expected_greatest_grows_by_an_e_fold_with_e_times_the_games() {
        let tail = Tail::fit(&halving()).unwrap();
        let e = std::f64::consts::E;
        let step = tail.expected(1e6 * e) - tail.expected(1e6);
        assert!((step - tail.e_fold).abs() < 1e-9);
        let [low, high] = [0.05, 0.95].map(|chance| tail.quantile(1e6, chance));
        assert!(low < tail.expected(1e6) && tail.expected(1e6) < high);
        // Half of all greatest values lie below the median, which lies below the mean.
        assert!(tail.quantile(1e6, 0.5) < tail.expected(1e6));
    }

    #[test]
    fn few_or_equal_values_have_no_tail() {
        let mut histogram = Histogram::default();
        assert_eq!(Tail::fit(&histogram), None);
        histogram.add_times(7, 1000);
        assert_eq!(Tail::fit(&histogram), None);
        histogram.add_times(9, 5);
        assert_eq!(Tail::fit(&histogram), None);
    }
}
