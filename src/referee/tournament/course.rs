//! The course of a match: its schedule, which in a Swiss tournament grows round by round.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::schedule::{Schedule, Seating};
use super::swiss::Swiss;
use super::tables::{Circles, Tables};

/// How the bots of a tournament meet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairings {
    /// Every bot meets every other.
    RoundRobin,
    /// The first bot meets all others.
    Gauntlet,
    /// Every choice of bots meets.
    AllTables,
    /// In every round those meet who stand alike.
    Swiss {
        /// How many rounds.
        rounds: u64,
        /// How many deals each table plays in a round.
        deals: u64,
    },
}

impl fmt::Display for Pairings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pairings::RoundRobin => f.write_str("round-robin"),
            Pairings::Gauntlet => f.write_str("gauntlet"),
            Pairings::AllTables => f.write_str("all-tables"),
            Pairings::Swiss { rounds, deals } => {
                write!(f, "swiss ({rounds} rounds of {deals} deals)")
            }
        }
    }
}

/// The course of a match.
#[derive(Clone, Debug)]
pub struct Course {
    schedule: Schedule,
    swiss: Option<Rounds>,
}

/// A Swiss tournament.
#[derive(Clone, Debug)]
struct Rounds {
    swiss: Swiss,
    /// Rounds in all.
    all: u64,
    /// Deals of one round.
    deals: u64,
    /// Rounds that are paired.
    paired: u64,
}

impl Course {
    /// The course of a match of `bots` bots, `seats` at a table: at one table or drawn when there are
    /// no pairings.
    pub fn new(
        pairings: Option<&Pairings>,
        seed: u64,
        bots: usize,
        seats: usize,
        variants: usize,
        seating: Seating,
    ) -> Course {
        let tables = match pairings {
            None | Some(Pairings::Swiss { .. }) => Tables::One,
            Some(Pairings::RoundRobin) => Tables::RoundRobin(Circles::new(bots, seats)),
            Some(Pairings::Gauntlet) => Tables::Gauntlet,
            Some(Pairings::AllTables) => Tables::Combinations,
        };
        let swiss = match pairings {
            Some(Pairings::Swiss { rounds, deals }) => {
                let swiss = Swiss::new(bots, seats);
                let deals = deals * swiss.tables() as u64;
                Some(Rounds {
                    swiss,
                    all: *rounds,
                    deals,
                    paired: 0,
                })
            }
            _ => None,
        };
        Course {
            schedule: Schedule {
                seed,
                bots,
                seats,
                variants,
                seating,
                tables,
            },
            swiss,
        }
    }

    /// The schedule, in a Swiss tournament that of the round in play.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// How many games a match of about `games` games has: every table plays as often as every other.
    /// In a Swiss tournament the rounds say how many there are.
    pub fn games(&self, games: u64) -> u64 {
        match &self.swiss {
            None => {
                let cycle = self.schedule.games_per_cycle();
                games.div_ceil(cycle).saturating_mul(cycle)
            }
            Some(rounds) => rounds.all * rounds.deals * self.schedule.games_per_deal(),
        }
    }

    /// Whether any one game can be played without those before it.
    pub fn is_known_ahead(&self) -> bool {
        self.swiss.is_none()
    }

    /// The games from `number` on, of `all`, that can be played without knowing how they end.
    pub fn stretch(&self, number: u64, all: u64) -> Range<u64> {
        let end = match &self.swiss {
            None => all,
            Some(rounds) => {
                let round = rounds.deals * self.schedule.games_per_deal();
                (number / round + 1) * round
            }
        };
        number..end.min(all)
    }

    /// Comes to the game of this number; to be called for every game in turn, or at least for the
    /// first of each [`stretch`](Self::stretch). `worth` is what each bot is worth by then.
    pub fn come_to(&mut self, number: u64, worth: impl FnOnce() -> Vec<f64>) {
        let per_deal = self.schedule.games_per_deal();
        let Some(rounds) = &mut self.swiss else {
            return;
        };
        let round = number / (rounds.deals * per_deal);
        if round == rounds.paired {
            self.schedule.tables = Tables::Listed {
                first: round * rounds.deals,
                tables: rounds.swiss.pair(&worth()),
            };
            rounds.paired += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_cycles_are_played() {
        let course = |pairings| Course::new(Some(&pairings), 1, 5, 2, 1, Seating::Rotate);
        assert_eq!(course(Pairings::RoundRobin).games(1), 20);
        assert_eq!(course(Pairings::RoundRobin).games(21), 40);
        assert_eq!(course(Pairings::Gauntlet).games(9), 16);
        let swiss = course(Pairings::Swiss {
            rounds: 3,
            deals: 2,
        });
        assert_eq!(swiss.games(1), 3 * 2 * 2 * 2);
        assert_eq!(swiss.stretch(0, 24), 0..8);
        assert_eq!(swiss.stretch(9, 24), 9..16);
        assert!(!swiss.is_known_ahead());
        assert_eq!(course(Pairings::AllTables).stretch(7, 20), 7..20);
    }

    #[test]
    fn rounds_are_paired_as_they_come() {
        let pairings = Pairings::Swiss {
            rounds: 2,
            deals: 1,
        };
        let mut course = Course::new(Some(&pairings), 1, 4, 2, 1, Seating::Rotate);
        course.come_to(0, || vec![0.0; 4]);
        let seats = |course: &Course, number| course.schedule().game(number).seats;
        assert_eq!(seats(&course, 0), [0, 1]);
        assert_eq!(seats(&course, 1), [1, 0]);
        assert_eq!(seats(&course, 2), [2, 3]);
        course.come_to(3, || unreachable!("the round is paired"));
        course.come_to(4, || vec![0.0, 1.0, 0.0, 1.0]);
        assert_eq!(seats(&course, 4), [1, 3]);
        assert_eq!(seats(&course, 7), [2, 0]);
        assert_eq!(course.schedule().game(7).deal, 3);
    }
}
