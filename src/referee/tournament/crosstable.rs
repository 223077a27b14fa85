//! How the bots did against each other: for every pair, the games in which both sat at the table.

use std::collections::BTreeMap;

use crate::referee::host::game::Score;

/// The parts into which a win is split exactly among as many as share it.
const PARTS: u64 = 12;

/// The games of every pair.
#[derive(Clone, Default, Debug)]
pub struct Crosstable {
    /// By the numbers of two bots, in either order.
    cells: BTreeMap<(usize, usize), Cell>,
}

/// What one bot got in the games against another.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Cell {
    /// Games in which both were at the table.
    pub games: u64,
    parts: u64,
    points: i64,
}

impl Cell {
    /// The games that the bot won, shared ones as parts.
    pub fn wins(&self) -> f64 {
        self.parts as f64 / PARTS as f64
    }

    /// How many points more than the other the bot has, in a game.
    pub fn lead(&self) -> f64 {
        self.points as f64 / self.games.max(1) as f64
    }
}

impl Crosstable {
    /// Adds a game of these bots.
    pub fn add(&mut self, table: &[usize], score: &Score) {
        for (seat, &bot) in table.iter().enumerate() {
            for (opposite, &other) in table.iter().enumerate() {
                if bot == other {
                    continue;
                }
                let cell = self.cells.entry((bot, other)).or_default();
                cell.games += 1;
                match score {
                    Score::Winners(winners) if winners.contains(&seat) => {
                        cell.parts += PARTS / winners.len() as u64;
                    }
                    Score::Winners(_) => {}
                    Score::Points(points) => {
                        let of = |seat: usize| points.get(seat).copied().unwrap_or(0);
                        cell.points += of(seat) - of(opposite);
                    }
                }
            }
        }
    }

    /// What the bot `one` got against `other`; none when they never met.
    pub fn cell(&self, one: usize, other: usize) -> Option<Cell> {
        self.cells.get(&(one, other)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_a_table_has_its_games() {
        let mut crosstable = Crosstable::default();
        crosstable.add(&[2, 0, 1], &Score::Winners(vec![0]));
        crosstable.add(&[0, 2], &Score::Winners(vec![0, 1]));
        crosstable.add(&[0, 2], &Score::Winners(vec![]));
        let cell = crosstable.cell(2, 0).unwrap();
        assert_eq!((cell.games, cell.wins()), (3, 1.5));
        assert_eq!(crosstable.cell(0, 2).unwrap().wins(), 0.5);
        assert_eq!(crosstable.cell(1, 2).unwrap().wins(), 0.0);
        assert_eq!(crosstable.cell(0, 0), None);
        assert_eq!(crosstable.cell(0, 3), None);
    }

    #[test]
    fn points_are_counted_as_a_lead() {
        let mut crosstable = Crosstable::default();
        crosstable.add(&[0, 1], &Score::Points(vec![-6, 4]));
        crosstable.add(&[1, 0], &Score::Points(vec![-1, 2]));
        assert_eq!(crosstable.cell(0, 1).unwrap().lead(), -3.5);
        assert_eq!(crosstable.cell(1, 0).unwrap().lead(), 3.5);
    }
}
