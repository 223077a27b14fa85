//! Everything that is counted while a match is played: standings, ratings, the crosstable, the
//! sequential test. Its size depends on the bots and the tables they met at, not on the games.

use super::crosstable::Crosstable;
use super::ratings::{Decided, Ratings};
use super::record::GameRecord;
use super::sprt::{Sprt, SprtTest};
use super::standings::Standings;
use crate::referee::host::game::Score;

/// The counts of a match.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Who stands where.
    pub standings: Standings,
    /// Who did how against whom.
    pub crosstable: Crosstable,
    /// The sequential test, if one is made.
    pub sprt: Option<Sprt>,
    decided: Decided,
    points: bool,
}

impl Summary {
    /// Before the first game. `sprt` is a test of the first bot against the second, with the number of
    /// games of a deal.
    pub fn new(names: &[String], variants: Vec<String>, sprt: Option<(SprtTest, u64)>) -> Summary {
        Summary {
            standings: Standings::new(names.iter().cloned(), variants),
            crosstable: Crosstable::default(),
            sprt: sprt.map(|(test, games)| Sprt::new(test, games)),
            decided: Decided::new(names.len()),
            points: false,
        }
    }

    /// Adds a game. Games come in the order of their numbers.
    pub fn add(&mut self, record: &GameRecord) {
        self.standings.add(record);
        let Some(table) = self.standings.table(record) else {
            return;
        };
        self.crosstable.add(&table, &record.score);
        match &record.score {
            Score::Points(_) => self.points = true,
            Score::Winners(seats) => {
                let winners: Vec<usize> = seats
                    .iter()
                    .filter_map(|&seat| table.get(seat).copied())
                    .collect();
                self.decided.add(&table, &winners);
                if let Some(sprt) = &mut self.sprt {
                    sprt.add(winners.len(), winners.contains(&0));
                }
            }
        }
    }

    /// The ratings; none for a game that counts points.
    pub fn ratings(&self) -> Option<Ratings> {
        (!self.points).then(|| self.decided.fit())
    }
}
