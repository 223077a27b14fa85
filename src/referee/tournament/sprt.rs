//! The sequential test of two bots: it ends a match as soon as it is decided whether the first is
//! better by enough.
//!
//! It is the generalised sequential probability ratio test on the scores of whole deals: a deal's
//! score is the mean of the first bot's wins over the seatings of the deal (a shared win and a game
//! without a winner are a half). Both hypotheses fit a distribution of these scores with their own
//! mean, by maximum likelihood; no assumption is made about how games of a deal hang together. (M. Van
//! den Bergh, "The Generalized Maximum Likelihood Ratio for the Expectation Value of a Distribution".)

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The parts of one game's score.
const PARTS: u64 = 24;
/// How often a score that never came up counts, so that no hypothesis is impossible.
const UNSEEN: f64 = 1e-3;

/// What is tested: whether the first bot is stronger by `elo1` points rather than by `elo0`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SprtTest {
    /// The difference if there is nothing to it, in points.
    #[serde(default)]
    pub elo0: f64,
    /// The difference that is looked for.
    #[serde(default = "default_elo1")]
    pub elo1: f64,
    /// The chance to accept `elo1` when `elo0` is true.
    #[serde(default = "default_error")]
    pub alpha: f64,
    /// The chance to accept `elo0` when `elo1` is true.
    #[serde(default = "default_error")]
    pub beta: f64,
}

fn default_elo1() -> f64 {
    20.0
}

fn default_error() -> f64 {
    0.05
}

/// How a test ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SprtVerdict {
    /// The smaller difference is accepted.
    Elo0,
    /// The greater difference is accepted.
    Elo1,
}

/// A test and the scores so far.
#[derive(Clone, Debug)]
pub struct Sprt {
    /// What is tested.
    pub test: SprtTest,
    games_per_deal: u64,
    /// Games and score parts of the deal in play.
    deal: (u64, u64),
    /// How often a deal had this many parts.
    scores: BTreeMap<u64, u64>,
}

impl SprtTest {
    /// Checks the numbers.
    ///
    /// # Errors
    /// When they make no test, with what is wrong.
    pub fn check(&self) -> Result<(), String> {
        let finite = self.elo0.is_finite() && self.elo1.is_finite();
        if !finite || self.elo1 <= self.elo0 || self.elo0 < -2000.0 || self.elo1 > 2000.0 {
            return Err(format!(
                "elo1 must be greater than elo0, both between -2000 and 2000; they are {} and {}",
                self.elo1, self.elo0
            ));
        }
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(format!(
                    "{name} is a chance above 0 and below 0.5, not {value}"
                ));
            }
        }
        Ok(())
    }

    /// The bounds of the logarithm of the likelihood ratio: at the lower one `elo0` is accepted, at
    /// the upper one `elo1`.
    pub fn bounds(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }
}

impl FromStr for SprtTest {
    type Err = String;

    /// Reads `elo0=0,elo1=20,alpha=0.05,beta=0.05`; what is left out has these values.
    fn from_str(text: &str) -> Result<SprtTest, String> {
        let mut test = SprtTest {
            elo0: 0.0,
            elo1: default_elo1(),
            alpha: default_error(),
            beta: default_error(),
        };
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| format!("`{part}` is not NAME=NUMBER"))?;
            let value: f64 = value
                .trim()
                .parse()
                .map_err(|_| format!("`{}` is no number", value.trim()))?;
            match name.trim() {
                "elo0" => test.elo0 = value,
                "elo1" => test.elo1 = value,
                "alpha" => test.alpha = value,
                "beta" => test.beta = value,
                other => {
                    return Err(format!(
                        "there is no `{other}`; there are elo0, elo1, alpha, beta"
                    ));
                }
            }
        }
        test.check()?;
        Ok(test)
    }
}

impl Sprt {
    /// A test before the first game, of deals of this many games.
    pub fn new(test: SprtTest, games_per_deal: u64) -> Sprt {
        Sprt {
            test,
            games_per_deal,
            deal: (0, 0),
            scores: BTreeMap::new(),
        }
    }

    /// Adds a game: `winners` won it together, and `first` says whether the first bot is among them.
    pub fn add(&mut self, winners: usize, first: bool) {
        self.deal.0 += 1;
        self.deal.1 += match (winners, first) {
            (1, true) => PARTS,
            (1, false) => 0,
            _ => PARTS / 2,
        };
        if self.deal.0 == self.games_per_deal {
            *self.scores.entry(self.deal.1).or_default() += 1;
            self.deal = (0, 0);
        }
    }

    /// The logarithm of the likelihood ratio of the two hypotheses; 0 before the first whole deal.
    pub fn ratio(&self) -> f64 {
        let most = PARTS * self.games_per_deal;
        let mut counts: BTreeMap<u64, f64> = [0, most / 2, most]
            .into_iter()
            .map(|score| (score, UNSEEN))
            .collect();
        for (&score, &count) in &self.scores {
            counts.insert(score, count as f64);
        }
        if self.scores.is_empty() {
            return 0.0;
        }
        let points: Vec<(f64, f64)> = counts
            .into_iter()
            .map(|(score, count)| (score as f64 / most as f64, count))
            .collect();
        let expected = |elo: f64| 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
        let (mean0, mean1) = (expected(self.test.elo0), expected(self.test.elo1));
        let (tilt0, tilt1) = (tilt(&points, mean0), tilt(&points, mean1));
        points
            .iter()
            .map(|(score, count)| {
                let log0 = (1.0 + tilt0 * (score - mean0)).ln();
                let log1 = (1.0 + tilt1 * (score - mean1)).ln();
                count * (log0 - log1)
            })
            .sum()
    }

    /// The verdict, once there is one.
    pub fn verdict(&self) -> Option<SprtVerdict> {
        let (lower, upper) = self.test.bounds();
        let ratio = self.ratio();
        if ratio >= upper {
            Some(SprtVerdict::Elo1)
        } else if ratio <= lower {
            Some(SprtVerdict::Elo0)
        } else {
            None
        }
    }
}

/// The `l` for which the observed chances, each divided by `1 + l (score - mean)`, have this mean:
/// the likeliest distribution that does. Found by halving, for the sum falls as `l` grows.
fn tilt(points: &[(f64, f64)], mean: f64) -> f64 {
    let (lowest, highest) = (points[0].0, points[points.len() - 1].0);
    let (mut low, mut high) = (-1.0 / (highest - mean), 1.0 / (mean - lowest));
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        let sum: f64 = points
            .iter()
            .map(|(score, count)| count * (score - mean) / (1.0 + middle * (score - mean)))
            .sum();
        if sum > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Generator;

    fn test() -> SprtTest {
        "elo0=0,elo1=20".parse().unwrap()
    }

    #[test]
    fn a_test_is_read_and_checked() {
        assert_eq!(
            "elo0=-5, elo1=5,alpha=0.1,beta=0.2".parse(),
            Ok(SprtTest {
                elo0: -5.0,
                elo1: 5.0,
                alpha: 0.1,
                beta: 0.2
            })
        );
        for text in [
            "elo0=5,elo1=5",
            "elo1=nan",
            "elo1=3000",
            "alpha=0",
            "beta=0.5",
            "gamma=1",
            "elo0",
            "elo0=x",
        ] {
            assert!(text.parse::<SprtTest>().is_err(), "{text}");
        }
        let (lower, upper) = test().bounds();
        assert!((lower + 2.944_438_979).abs() < 1e-8 && (upper - 2.944_438_979).abs() < 1e-8);
    }

    #[test]
    fn the_ratio_is_that_of_an_independent_script() {
        // tests/data/ratings/check.py, by another way of maximising: wins, ties, losses.
        for (games, counts, expected) in [
            (1, [600u64, 50, 500], RATIO_SINGLE),
            (1, [500, 0, 500], RATIO_EVEN),
        ] {
            let mut sprt = Sprt::new(test(), games);
            let [wins, ties, losses] = counts;
            (0..wins).for_each(|_| sprt.add(1, true));
            (0..ties).for_each(|_| sprt.add(2, true));
            (0..losses).for_each(|_| sprt.add(1, false));
            assert!((sprt.ratio() - expected).abs() < 1e-4, "{}", sprt.ratio());
        }
        let mut pairs = Sprt::new(test(), 2);
        for (first, second, count) in [(true, true, 130), (true, false, 240), (false, false, 110)] {
            for _ in 0..count {
                pairs.add(1, first);
                pairs.add(1, second);
            }
        }
        assert!(
            (pairs.ratio() - RATIO_PAIRS).abs() < 1e-4,
            "{}",
            pairs.ratio()
        );
    }

    const RATIO_SINGLE: f64 = 4.027_636;
    const RATIO_EVEN: f64 = -1.655_932;
    const RATIO_PAIRS: f64 = 0.713_424;

    #[test]
    fn errors_are_as_rare_as_asked_for() {
        // With a difference of 0 points few tests may accept 20, and the other way round.
        for (elo, wrong) in [(0.0, SprtVerdict::Elo1), (20.0, SprtVerdict::Elo0)] {
            let expected = 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
            let mut errors = 0;
            for run in 0..200 {
                let mut random = Generator::of(7, run, elo as u64);
                let mut sprt = Sprt::new(test(), 1);
                let mut games = 0;
                let verdict = loop {
                    let won = (random.below(1 << 30) as f64) < expected * f64::from(1 << 30);
                    sprt.add(1, won);
                    games += 1;
                    if games % 50 == 0
                        && let Some(verdict) = sprt.verdict()
                    {
                        break verdict;
                    }
                    assert!(games < 100_000, "no verdict");
                };
                errors += u32::from(verdict == wrong);
            }
            // 10 are expected, with a standard deviation of 3.
            assert!(errors <= 20, "{errors} of 200");
        }
    }

    #[test]
    fn nothing_played_decides_nothing() {
        let mut sprt = Sprt::new(test(), 2);
        assert_eq!((sprt.ratio(), sprt.verdict()), (0.0, None));
        sprt.add(1, true);
        assert_eq!(sprt.ratio(), 0.0, "half a deal");
        for _ in 0..10_000 {
            sprt.add(0, false);
        }
        assert_eq!(
            sprt.verdict(),
            Some(SprtVerdict::Elo0),
            "unfinished games are halves"
        );
    }
}
