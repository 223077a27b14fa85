//! Who plays at one table. A pure function of the deal's number, except in a Swiss tournament, where
//! the tables of a round are listed once the round before it is over.

/// How the bots of a tournament meet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tables {
    /// All bots at one table, or as many as are drawn.
    One,
    /// Every bot meets every other. At tables of two each pair is one table; at larger ones every bot
    /// plays equally often, and every pair meets at least once.
    RoundRobin(Circles),
    /// The first bot plays at every table, with every choice of the others.
    Gauntlet,
    /// Every choice of bots is a table.
    Combinations,
    /// These tables; the first of them plays the deal of this number.
    Listed {
        /// The number of the first deal.
        first: u64,
        /// The bots of each table.
        tables: Vec<Vec<usize>>,
    },
}

/// Tables that turn: the bots stand in a circle, and each of these patterns is laid on it from every
/// bot on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Circles {
    patterns: Vec<Vec<usize>>,
}

impl Circles {
    /// Patterns of `seats` among `bots` that bring every pair together.
    pub fn new(bots: usize, seats: usize) -> Circles {
        let half = bots / 2;
        let mut missing: Vec<usize> = (1..=half).collect();
        let mut patterns = Vec::new();
        let apart = |one: usize, two: usize| {
            let way = one.abs_diff(two);
            way.min(bots - way)
        };
        while let Some(&first) = missing.first() {
            let mut pattern = vec![0, first];
            while pattern.len() < seats.min(bots) {
                // The place that brings most new distances, the nearest of equals.
                let news = |place: usize| {
                    let mut new: Vec<usize> = pattern
                        .iter()
                        .map(|&other| apart(other, place))
                        .filter(|distance| missing.contains(distance) && *distance != first)
                        .collect();
                    new.sort_unstable();
                    new.dedup();
                    new.len()
                };
                let free = (1..bots).filter(|place| !pattern.contains(place));
                let best = free.max_by_key(|&place| (news(place), bots - place));
                pattern.push(best.expect("fewer seats are taken than bots"));
            }
            missing.retain(|&distance| {
                !pattern
                    .iter()
                    .any(|&one| pattern.iter().any(|&two| apart(one, two) == distance))
            });
            patterns.push(pattern);
        }
        Circles { patterns }
    }

    /// How many tables there are. When all bots sit at one table, that table is one; a pair of bots
    /// that face each other is one table, not two.
    fn count(&self, bots: usize, seats: usize) -> u64 {
        if bots == seats {
            return 1;
        }
        let all = (self.patterns.len() * bots) as u64;
        match seats == 2 && bots.is_multiple_of(2) {
            true => all - bots as u64 / 2,
            false => all,
        }
    }

    fn table(&self, bots: usize, index: usize) -> Vec<usize> {
        let pattern = &self.patterns[index / bots];
        pattern.iter().map(|place| (place + index) % bots).collect()
    }
}

impl Tables {
    /// How many tables there are before the first plays again.
    pub fn count(&self, bots: usize, seats: usize) -> u64 {
        match self {
            Tables::One => 1,
            Tables::RoundRobin(circles) => circles.count(bots, seats),
            Tables::Gauntlet => choices(bots as u64 - 1, seats as u64 - 1),
            Tables::Combinations => choices(bots as u64, seats as u64),
            Tables::Listed { tables, .. } => tables.len() as u64,
        }
    }

    /// The bots at the table that plays this deal.
    pub fn table(&self, bots: usize, seats: usize, deal: u64) -> Vec<usize> {
        let index = deal % self.count(bots, seats);
        match self {
            Tables::One => (0..seats).collect(),
            Tables::RoundRobin(circles) => circles.table(bots, index as usize),
            Tables::Gauntlet => {
                let others = choice(bots - 1, seats - 1, index);
                let others = others.into_iter().map(|bot| bot + 1);
                std::iter::once(0).chain(others).collect()
            }
            Tables::Combinations => choice(bots, seats, index),
            Tables::Listed { first, tables } => {
                tables[((deal - first) % tables.len() as u64) as usize].clone()
            }
        }
    }
}

/// How many ways there are to choose; as many as 64 bits hold.
fn choices(from: u64, chosen: u64) -> u64 {
    if chosen > from {
        return 0;
    }
    let mut ways = 1u128;
    for step in 0..chosen.min(from - chosen) {
        ways = ways * u128::from(from - step) / u128::from(step + 1);
        if ways > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    ways as u64
}

/// The choice with this index, in lexicographic order.
fn choice(from: usize, chosen: usize, mut index: u64) -> Vec<usize> {
    let mut members = Vec::with_capacity(chosen);
    let mut next = 0;
    while members.len() < chosen {
        let after = (from - next - 1) as u64;
        let with = choices(after, (chosen - members.len() - 1) as u64);
        if index < with {
            members.push(next);
        } else {
            index -= with;
        }
        next += 1;
    }
    members
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn all(tables: &Tables, bots: usize, seats: usize) -> Vec<Vec<usize>> {
        (0..tables.count(bots, seats))
            .map(|deal| tables.table(bots, seats, deal))
            .collect()
    }

    /// How often every pair meets.
    fn meetings(tables: &[Vec<usize>]) -> BTreeMap<(usize, usize), u32> {
        let mut pairs = BTreeMap::new();
        for table in tables {
            for &one in table {
                for &two in table {
                    if one < two {
                        *pairs.entry((one, two)).or_default() += 1;
                    }
                }
            }
        }
        pairs
    }

    #[test]
    fn in_a_round_robin_of_pairs_every_pair_meets_once() {
        for bots in 2..=13 {
            let tables = all(&Tables::RoundRobin(Circles::new(bots, 2)), bots, 2);
            assert_eq!(tables.len(), bots * (bots - 1) / 2, "{bots} bots");
            let pairs = meetings(&tables);
            assert_eq!(pairs.len(), tables.len());
            assert!(pairs.values().all(|&count| count == 1));
        }
    }

    #[test]
    fn in_a_round_robin_of_larger_tables_all_play_alike_and_every_pair_meets() {
        for (bots, seats) in [(4, 4), (5, 4), (7, 3), (10, 4), (13, 4), (40, 4)] {
            let tables = all(&Tables::RoundRobin(Circles::new(bots, seats)), bots, seats);
            let mut games = vec![0; bots];
            for table in &tables {
                let mut members = table.clone();
                members.sort_unstable();
                members.dedup();
                assert_eq!(members.len(), seats, "{table:?}");
                members.iter().for_each(|&bot| games[bot] += 1);
            }
            assert!(games.iter().all(|&count| count == games[0]), "{games:?}");
            assert_eq!(
                meetings(&tables).len(),
                bots * (bots - 1) / 2,
                "{bots} bots"
            );
        }
        // A projective plane: every pair meets exactly once.
        assert_eq!(all(&Tables::RoundRobin(Circles::new(7, 3)), 7, 3).len(), 7);
        assert_eq!(
            all(&Tables::RoundRobin(Circles::new(4, 4)), 4, 4),
            [[0, 1, 2, 3]]
        );
    }

    #[test]
    fn combinations_are_all_different_and_complete() {
        let tables = all(&Tables::Combinations, 6, 4);
        assert_eq!(tables.len(), 15);
        assert_eq!(
            (&tables[0][..], &tables[14][..]),
            (&[0, 1, 2, 3][..], &[2, 3, 4, 5][..])
        );
        assert!(tables.is_sorted());
        assert!(tables.windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(choices(10, 4), 210);
        assert_eq!(choices(60, 30), 118_264_581_564_861_424);
        assert_eq!(choices(3000, 4), 3_368_254_124_250);
        assert_eq!(choices(10_000, 100), u64::MAX);
    }

    #[test]
    fn the_first_bot_runs_the_gauntlet() {
        assert_eq!(all(&Tables::Gauntlet, 4, 2), [[0, 1], [0, 2], [0, 3]]);
        let tables = all(&Tables::Gauntlet, 5, 4);
        assert_eq!(tables.len(), 4);
        assert!(tables.iter().all(|table| table[0] == 0));
    }

    #[test]
    fn listed_tables_begin_with_their_first_deal() {
        let tables = Tables::Listed {
            first: 6,
            tables: vec![vec![3, 1], vec![0, 2]],
        };
        assert_eq!(tables.table(4, 2, 6), [3, 1]);
        assert_eq!(tables.table(4, 2, 7), [0, 2]);
        assert_eq!(tables.table(4, 2, 8), [3, 1]);
    }
}
