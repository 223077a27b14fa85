//! Exact counts: histograms with their moments, the best trees, the cycles met.
//!
//! All of them can be added up over shards in any grouping and give what one run over all blocks
//! gives.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::results::BoardRank;
use crate::cards::{Card, Deal, Deck, Order};
use crate::game::Span;

/// Values below this are counted in a list, the others, which are rare, in a map.
const DENSE: u64 = 1 << 16;

/// How often each value came.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Histogram {
    dense: Vec<u64>,
    far: BTreeMap<u64, u64>,
}

impl Histogram {
    /// Counts `value` once more.
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.add_times(value, 1);
    }

    /// Counts `value` `times` more.
    #[inline]
    pub fn add_times(&mut self, value: u64, times: u64) {
        if value < DENSE {
            let at = value as usize;
            if at >= self.dense.len() {
                self.dense.resize(at + 1, 0);
            }
            self.dense[at] += times;
        } else {
            *self.far.entry(value).or_default() += times;
        }
    }

    /// Adds another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        if other.dense.len() > self.dense.len() {
            self.dense.resize(other.dense.len(), 0);
        }
        for (sum, times) in self.dense.iter_mut().zip(&other.dense) {
            *sum += times;
        }
        for (&value, times) in &other.far {
            *self.far.entry(value).or_default() += times;
        }
    }

    /// The values that came, from the least, each with how often.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        (0u64..)
            .zip(self.dense.iter().copied())
            .filter(|&(_, times)| times > 0)
            .chain(self.far.iter().map(|(&value, &times)| (value, times)))
    }

    /// How many values were counted.
    pub fn count(&self) -> u128 {
        self.iter().map(|(_, times)| u128::from(times)).sum()
    }

    /// The value of which a part `share` (0 to 1) is no greater; `None` if nothing was counted.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let wanted = (self.count() as f64 * share).ceil().max(1.0) as u128;
        let mut seen = 0;
        self.iter()
            .find(|&(_, times)| {
                seen += u128::from(times);
                seen >= wanted
            })
            .map(|(value, _)| value)
    }

    /// Exact sums and what follows from them; `None` if nothing was counted.
    pub fn moments(&self) -> Option<Moments> {
        let count = self.count();
        let (least, _) = self.iter().next()?;
        let (greatest, _) = self.iter().last()?;
        let power = |exponent: u32| {
            self.iter().try_fold(0u128, |sum, (value, times)| {
                let term = u128::from(value).checked_pow(exponent)?;
                sum.checked_add(term.checked_mul(u128::from(times))?)
            })
        };
        let sum = power(1)?;
        let mean = sum as f64 / count as f64;
        let central = |exponent: i32| {
            self.iter()
                .map(|(value, times)| (value as f64 - mean).powi(exponent) * times as f64)
                .sum::<f64>()
                / count as f64
        };
        let variance = central(2);
        let scaled = |exponent: i32| {
            if variance > 0.0 {
                central(exponent) / variance.powf(f64::from(exponent) / 2.0)
            } else {
                0.0
            }
        };
        Some(Moments {
            count,
            sum,
            sum_of_squares: power(2)?,
            mean,
            deviation: variance.sqrt(),
            skewness: scaled(3),
            kurtosis: scaled(4),
            least,
            median: self.quantile(0.5)?,
            greatest,
        })
    }
}

/// Histograms as CSV: what was measured, its value, and how many of `unit` have it.
pub fn histogram_csv(unit: &str, histograms: &[(&str, &Histogram)]) -> String {
    let rows = histograms.iter().flat_map(|(name, histogram)| {
        let values = histogram.iter();
        values.map(|(value, times)| [(*name).to_owned(), value.to_string(), times.to_string()])
    });
    csv_text(&["of", "value", unit], rows)
}

/// A table as CSV.
pub fn csv_text<const N: usize>(
    header: &[&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let full = "memory takes every row, and all rows are as long";
    writer.write_record(header).expect(full);
    for row in rows {
        writer.write_record(&row).expect(full);
    }
    String::from_utf8(writer.into_inner().expect(full)).expect("made of texts")
}

/// Sums over all values of a histogram, and what follows from them.
#[derive(Clone, PartialEq, Debug)]
pub struct Moments {
    /// How many values.
    pub count: u128,
    /// Their sum, exact.
    pub sum: u128,
    /// The sum of their squares, exact.
    pub sum_of_squares: u128,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation (of these values, not an estimate for others).
    pub deviation: f64,
    /// The third standardised moment.
    pub skewness: f64,
    /// The fourth standardised moment (3 for a normal distribution).
    pub kurtosis: f64,
    /// The least.
    pub least: u64,
    /// The median.
    pub median: u64,
    /// The greatest.
    pub greatest: u64,
}

impl Moments {
    /// For programs; whole numbers that may be beyond 53 bits as strings.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "count": self.count.to_string(),
            "sum": self.sum.to_string(),
            "sum_of_squares": self.sum_of_squares.to_string(),
            "mean": self.mean,
            "deviation": self.deviation,
            "skewness": self.skewness,
            "kurtosis": self.kurtosis,
            "least": self.least,
            "median": self.median,
            "greatest": self.greatest,
        })
    }
}

/// Where something was met: block and offset. Places are ordered as a run without shards meets
/// them.
pub type Address = (u64, u64);

/// The best trees, each known by its top.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Board {
    best: BTreeMap<BoardRank, Address>,
}

impl Board {
    /// Whether a game of these cards and tricks could come in.
    pub fn takes(&self, keep: usize, played: Span) -> bool {
        self.best.len() < keep
            || self
                .best
                .last_key_value()
                .is_some_and(|((worst, _), _)| played >= worst.0)
    }

    /// Takes a top if it is new and among the best `keep`; says whether it did.
    pub fn offer(&mut self, keep: usize, standing: BoardRank, place: Address) -> bool {
        if let Some(known) = self.best.get_mut(&standing) {
            *known = place.min(*known);
            return false;
        }
        if self.best.len() >= keep
            && self
                .best
                .last_key_value()
                .is_some_and(|(worst, _)| *worst < standing)
        {
            return false;
        }
        self.best.insert(standing, place);
        if self.best.len() > keep {
            self.best.pop_last();
        }
        true
    }

    /// Adds another board.
    pub fn merge(&mut self, keep: usize, other: Board) {
        for (standing, place) in other.best {
            self.offer(keep, standing, place);
        }
    }

    /// How many trees there are.
    pub fn len(&self) -> usize {
        self.best.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.best.is_empty()
    }

    /// The trees, the best first, and where each was met first.
    pub fn iter(&self) -> impl Iterator<Item = (&BoardRank, Address)> {
        self.best.iter().map(|(rank, &place)| (rank, place))
    }

    /// The longest: cards and tricks, and the deal.
    pub fn first(&self, deck: &Deck) -> Option<(Span, Deal)> {
        let ((played, places), _) = self.best.first_key_value()?;
        let kinds = Order::usual(deck).kinds();
        let card = |&place: &u8| Card::paying(*kinds.get(usize::from(place))?);
        let mut cards = places.iter().map(card).collect::<Option<Vec<Card>>>()?;
        if cards.len() != deck.len() {
            return None;
        }
        let b = cards.split_off(deck.hands()[0]);
        Some((played.0, Deal::new(cards, b).expect("a deck has cards")))
    }
}

/// The cycles met first, each known by its name.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Cycles {
    first: BTreeMap<String, Address>,
}

impl Cycles {
    /// Takes a cycle if it is new and there is room for it; says whether it did. Cycles must be
    /// offered in the order of their places.
    pub fn offer(&mut self, keep: usize, name: &str, place: Address) -> bool {
        if self.first.len() >= keep || self.first.contains_key(name) {
            return false;
        }
        self.first.insert(name.to_owned(), place);
        true
    }

    /// Adds the cycles of another shard.
    pub fn merge(&mut self, keep: usize, other: Cycles) {
        for (name, place) in other.first {
            let known = self.first.entry(name).or_insert(place);
            *known = place.min(*known);
        }
        let mut places: Vec<Address> = self.first.values().copied().collect();
        places.sort_unstable();
        if let Some(&beyond) = places.get(keep) {
            self.first.retain(|_, place| *place < beyond);
        }
    }

    /// The cycles by name, and where each was met first.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Address)> {
        self.first
            .iter()
            .map(|(name, &place)| (name.as_str(), place))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::finds::results::standing;

    #[test]
    fn moments_are_those_of_the_definition() {
        let mut histogram = Histogram::default();
        assert!(histogram.moments().is_none());
        for value in [2, 4, 4, 4, 5, 5, 7, 9] {
            histogram.add(value);
        }
        let moments = histogram.moments().unwrap();
        assert_eq!(
            (moments.count, moments.sum, moments.sum_of_squares),
            (8, 40, 232)
        );
        assert_eq!((moments.mean, moments.deviation), (5.0, 2.0));
        assert_eq!((moments.least, moments.median, moments.greatest), (2, 4, 9));
        assert!(
            (moments.skewness - 0.656_25).abs() < 1e-12,
            "{}",
            moments.skewness
        );
        assert!(
            (moments.kurtosis - 2.781_25).abs() < 1e-12,
            "{}",
            moments.kurtosis
        );
        assert_eq!(
            histogram_csv("games", &[("cards", &histogram)]),
            "of,value,games\ncards,2,1\ncards,4,3\ncards,5,2\ncards,7,1\ncards,9,1\n"
        );
        let mut one = Histogram::default();
        one.add_times(6, 3);
        assert_eq!(one.moments().unwrap().kurtosis, 0.0);
    }

    #[test]
    fn histograms_add_up_near_and_far() {
        let values = [0, 1, 65_535, 65_536, 1 << 40, 1, 65_536];
        let mut whole = Histogram::default();
        let mut parts = [Histogram::default(), Histogram::default()];
        for (at, &value) in values.iter().enumerate() {
            whole.add(value);
            parts[at % 2].add(value);
        }
        let [mut sum, second] = parts;
        sum.merge(&second);
        assert_eq!(sum, whole);
        assert_eq!(whole.iter().last(), Some((1 << 40, 1)));
        assert_eq!(whole.count(), 7);
        assert_eq!(whole.quantile(0.0), Some(0));
        assert_eq!(whole.quantile(1.0), Some(1 << 40));
    }

    #[test]
    fn boards_and_cycles_of_shards_add_up() {
        let deck: Deck = "plain=4,J=2".parse().unwrap();
        let deal = |index: u64| {
            deck.deal_at(u128::from(index % 15), Order::AcesFirst)
                .unwrap()
        };
        // Address n offers a deal and a cycle; some come twice.
        let offers: Vec<(Address, Span, u64)> = (0..200u64)
            .map(|n| {
                let draw = n * n * 7919 % 31;
                (
                    (n / 3, n % 3),
                    Span {
                        cards: draw / 4,
                        tricks: draw % 2,
                    },
                    draw,
                )
            })
            .collect();
        let gather = |of: u64, at: u64| {
            let (mut board, mut cycles) = (Board::default(), Cycles::default());
            for (place, played, draw) in offers.iter().filter(|(place, ..)| place.0 % of == at) {
                board.offer(5, standing(*played, &deck, &deal(*draw)), *place);
                cycles.offer(5, &draw.to_string(), *place);
            }
            (board, cycles)
        };
        let (whole, all) = gather(1, 0);
        assert_eq!((whole.len(), all.len()), (5, 5));
        for of in 2..5 {
            let (mut board, mut cycles) = (Board::default(), Cycles::default());
            for at in (0..of).rev() {
                let (more, others) = gather(of, at);
                board.merge(5, more);
                cycles.merge(5, others);
            }
            assert_eq!((&board, &cycles), (&whole, &all));
        }
        let (span, first) = whole.first(&deck).unwrap();
        assert_eq!(span.cards, 7);
        assert!(deck.check(&first).is_ok());
        assert!(whole.takes(
            5,
            Span {
                cards: 100,
                tricks: 1
            }
        ));
        assert!(!whole.takes(
            5,
            Span {
                cards: 0,
                tricks: 1
            }
        ));
    }
}
