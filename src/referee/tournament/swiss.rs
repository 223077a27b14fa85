//! Who meets in the next round of a Swiss tournament: bots that stand alike, and no pair twice while
//! that can be helped.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The state of a Swiss tournament between two rounds.
#[derive(Clone, Debug)]
pub struct Swiss {
    seats: usize,
    /// How often each pair, the lower number first, has met.
    met: BTreeMap<(usize, usize), u32>,
    /// How often each bot sat out.
    byes: Vec<u32>,
}

/// The most partners that are tried for the tables of a round before rematches are allowed.
const TRIES: u32 = 20_000;

impl Swiss {
    /// A tournament before its first round.
    pub fn new(bots: usize, seats: usize) -> Swiss {
        Swiss {
            seats,
            met: BTreeMap::new(),
            byes: vec![0; bots],
        }
    }

    /// How many tables a round has.
    pub fn tables(&self) -> usize {
        self.byes.len() / self.seats
    }

    /// The tables of the next round, given what each bot is worth so far (more is better), and notes
    /// who met. Equal bots are taken in the order of their numbers.
    ///
    /// When the tables do not hold everyone, those sit out who sat out least, the last of them in the
    /// standings.
    pub fn pair(&mut self, worth: &[f64]) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.byes.len()).collect();
        order.sort_by(|&one, &two| worth[two].total_cmp(&worth[one]).then(one.cmp(&two)));
        let spare = order.len() % self.seats;
        for _ in 0..spare {
            let last = (0..order.len())
                .min_by_key(|&place| (self.byes[order[place]], Reverse(place)))
                .expect("more bots than seats");
            self.byes[order.remove(last)] += 1;
        }
        let mut tables = Vec::new();
        let mut tries = TRIES;
        if !self.fresh(&mut order.clone(), &mut tables, &mut tries) {
            tables = self.nearest(order);
        }
        for table in &tables {
            for &one in table {
                for &two in table.iter().filter(|&&two| two > one) {
                    *self.met.entry((one, two)).or_default() += 1;
                }
            }
        }
        tables
    }

    fn meetings(&self, one: usize, two: usize) -> u32 {
        let pair = (one.min(two), one.max(two));
        self.met.get(&pair).copied().unwrap_or(0)
    }

    /// Tables of two without a rematch, the best bot with the next it has not met, and so on; false
    /// when there are none, or none was found in the tries left, and for larger tables.
    fn fresh(&self, left: &mut Vec<usize>, tables: &mut Vec<Vec<usize>>, tries: &mut u32) -> bool {
        if left.is_empty() {
            return true;
        }
        if self.seats != 2 {
            return false;
        }
        let first = left.remove(0);
        for place in 0..left.len() {
            let other = left[place];
            if self.meetings(first, other) > 0 {
                continue;
            }
            if *tries == 0 {
                break;
            }
            *tries -= 1;
            left.remove(place);
            tables.push(vec![first, other]);
            if self.fresh(left, tables, tries) {
                return true;
            }
            tables.pop();
            left.insert(place, other);
        }
        left.insert(0, first);
        false
    }

    /// Tables from the top down: to the best bot left come those who met the table least, the best of
    /// them first.
    fn nearest(&self, mut left: Vec<usize>) -> Vec<Vec<usize>> {
        let mut tables = Vec::new();
        while left.len() >= self.seats {
            let mut table = vec![left.remove(0)];
            while table.len() < self.seats {
                let met = |bot: usize| -> u32 {
                    table.iter().map(|&other| self.meetings(bot, other)).sum()
                };
                let next = (0..left.len())
                    .min_by_key(|&place| (met(left[place]), place))
                    .expect("enough are left");
                table.push(left.remove(next));
            }
            tables.push(table);
        }
        tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_meet_and_no_pair_meets_twice() {
        let mut swiss = Swiss::new(8, 2);
        let mut worth = [0.0; 8];
        let mut pairs = Vec::new();
        for round in 0..5 {
            let tables = swiss.pair(&worth);
            assert_eq!(tables.len(), 4);
            for table in tables {
                // The lower number wins.
                worth[table[0].min(table[1])] += 1.0;
                pairs.push((table[0].min(table[1]), table[0].max(table[1])));
            }
            if round == 0 {
                assert_eq!(pairs, [(0, 1), (2, 3), (4, 5), (6, 7)]);
            }
        }
        let all = pairs.len();
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), all, "{pairs:?}");
        assert!(worth[0] >= 4.0 && worth[7] <= 1.0, "{worth:?}");
    }

    #[test]
    fn every_round_of_a_full_cycle_is_found_by_going_back() {
        // Four bots have three rounds, whatever the standings say.
        let mut swiss = Swiss::new(4, 2);
        let mut seen = Vec::new();
        for _ in 0..3 {
            seen.extend(swiss.pair(&[4.0, 3.0, 2.0, 1.0]));
        }
        seen.iter_mut().for_each(|pair| pair.sort_unstable());
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 6);
        // After that, rematches are made rather than none.
        assert_eq!(swiss.pair(&[4.0, 3.0, 2.0, 1.0]).len(), 2);
    }

    #[test]
    fn who_sits_out_is_the_last_and_never_twice_before_all() {
        let mut swiss = Swiss::new(5, 2);
        let mut out = Vec::new();
        for _ in 0..5 {
            let tables = swiss.pair(&[5.0, 4.0, 3.0, 2.0, 1.0]);
            let sits: Vec<usize> = (0..5)
                .filter(|bot| !tables.iter().flatten().any(|other| other == bot))
                .collect();
            assert_eq!(sits.len(), 1);
            out.extend(sits);
        }
        assert_eq!(out, [4, 3, 2, 1, 0]);
    }

    #[test]
    fn larger_tables_mix_those_who_met_least() {
        let mut swiss = Swiss::new(10, 4);
        let worth: Vec<f64> = (0..10).map(|bot| -f64::from(bot)).collect();
        assert_eq!(swiss.pair(&worth), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        let second = swiss.pair(&worth);
        assert_eq!(second[0], [0, 4, 8, 9]);
        assert!(!second.iter().flatten().any(|&bot| bot == 7 || bot == 6));
    }
}
