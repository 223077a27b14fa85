//! Which game is played when, and who sits where. A pure function of the game's number: any one game
//! can be played again, and the number of games at once changes nothing.
//!
//! Numbers run seating by seating within a variant, variant by variant within a deal. Every table of a
//! tournament plays deals of its own.

use super::tables::Tables;
use serde::{Deserialize, Serialize};

use crate::chance::Generator;

/// The stream of chance that seats bots; games use the streams below it.
const SEATING_STREAM: u64 = u64::MAX;

/// How bots are seated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seating {
    /// In the order given, a new deal every game.
    Fixed,
    /// Every rotation of the order given plays the same deal.
    Rotate,
    /// Every permutation plays the same deal.
    Permute,
    /// As many as there are seats are drawn from all bots, in random order, a new deal every game.
    Draw,
}

/// The games of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// The seed of everything.
    pub seed: u64,
    /// How many bots take part.
    pub bots: usize,
    /// How many play one game.
    pub seats: usize,
    /// How many variants of a deal are played, at least 1.
    pub variants: usize,
    /// Who sits where.
    pub seating: Seating,
    /// Who plays at one table, deal after deal.
    pub tables: Tables,
}

/// One game of a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pairing {
    /// The game's number, from 0.
    pub number: u64,
    /// The deal's number, from 0.
    pub deal: u64,
    /// The variant, from 0.
    pub variant: usize,
    /// The bot of every seat.
    pub seats: Vec<usize>,
}

impl Schedule {
    /// How many games one deal is played, at least 1.
    pub fn games_per_deal(&self) -> u64 {
        self.variants as u64 * self.seatings()
    }

    fn seatings(&self) -> u64 {
        let seats = self.seats as u64;
        match self.seating {
            Seating::Fixed | Seating::Draw => 1,
            Seating::Rotate => seats,
            Seating::Permute => (1..=seats).product(),
        }
    }

    /// How many games make every table play as many deals as every other.
    pub fn games_per_cycle(&self) -> u64 {
        self.games_per_deal()
            .saturating_mul(self.tables.count(self.bots, self.seats))
    }

    /// The game of this number.
    pub fn game(&self, number: u64) -> Pairing {
        let seatings = self.seatings();
        let deal = number / self.games_per_deal();
        let within = number % self.games_per_deal();
        let seating = (within % seatings) as usize;
        let mut seats = self.tables.table(self.bots, self.seats, deal);
        match self.seating {
            Seating::Fixed => {}
            Seating::Rotate => seats.rotate_left(seating),
            Seating::Permute => {
                let order = permutation(self.seats, seating);
                seats = order.into_iter().map(|place| seats[place]).collect();
            }
            Seating::Draw => {
                let mut pool: Vec<usize> = (0..self.bots).collect();
                Generator::of(self.seed, deal, SEATING_STREAM).shuffle(&mut pool);
                seats = pool[..self.seats].to_vec();
            }
        }
        Pairing {
            number,
            deal,
            variant: (within / seatings) as usize,
            seats,
        }
    }
}

/// The permutation of 0..size with this index, in lexicographic order.
fn permutation(size: usize, mut index: usize) -> Vec<usize> {
    let mut left: Vec<usize> = (0..size).collect();
    (0..size)
        .map(|position| {
            let below: usize = (1..size - position).product();
            let chosen = left.remove(index / below);
            index %= below;
            chosen
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(seats: usize, seating: Seating) -> Schedule {
        Schedule {
            seed: 1,
            bots: seats,
            seats,
            variants: 1,
            seating,
            tables: Tables::One,
        }
    }

    #[test]
    fn every_table_plays_each_deal_of_its_own_under_every_seating() {
        let schedule = Schedule {
            bots: 3,
            tables: Tables::Combinations,
            ..schedule(2, Seating::Rotate)
        };
        assert_eq!(
            (schedule.games_per_deal(), schedule.games_per_cycle()),
            (2, 6)
        );
        let seen: Vec<(u64, Vec<usize>)> = (0..8)
            .map(|number| schedule.game(number))
            .map(|game| (game.deal, game.seats))
            .collect();
        let expected = [
            (0, vec![0, 1]),
            (0, vec![1, 0]),
            (1, vec![0, 2]),
            (1, vec![2, 0]),
            (2, vec![1, 2]),
            (2, vec![2, 1]),
            (3, vec![0, 1]),
            (3, vec![1, 0]),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn permutations_give_each_bot_each_seat_equally_often() {
        let schedule = schedule(4, Seating::Permute);
        assert_eq!(schedule.games_per_deal(), 24);
        let games: Vec<Pairing> = (0..24).map(|number| schedule.game(number)).collect();
        for bot in 0..4 {
            for seat in 0..4 {
                assert_eq!(
                    games.iter().filter(|game| game.seats[seat] == bot).count(),
                    6
                );
            }
        }
        let mut seatings: Vec<_> = games.iter().map(|game| game.seats.clone()).collect();
        assert!(seatings.is_sorted());
        seatings.dedup();
        assert_eq!(seatings.len(), 24);
        assert!(games.iter().all(|game| game.deal == 0));
        assert_eq!(schedule.game(24).deal, 1);
    }

    #[test]
    fn rotations_and_variants_share_a_deal() {
        let schedule = Schedule {
            variants: 2,
            ..schedule(3, Seating::Rotate)
        };
        let seen: Vec<_> = (0..7)
            .map(|number| schedule.game(number))
            .map(|game| (game.deal, game.variant, game.seats))
            .collect();
        assert_eq!(seen[0], (0, 0, vec![0, 1, 2]));
        assert_eq!(seen[1], (0, 0, vec![1, 2, 0]));
        assert_eq!(seen[2], (0, 0, vec![2, 0, 1]));
        assert_eq!(seen[3], (0, 1, vec![0, 1, 2]));
        assert_eq!(seen[6], (1, 0, vec![0, 1, 2]));
    }

    #[test]
    fn a_draw_takes_different_bots_and_in_the_long_run_all_alike() {
        let schedule = Schedule {
            bots: 6,
            ..schedule(4, Seating::Draw)
        };
        let mut counts = [[0u32; 4]; 6];
        for number in 0..6000 {
            let game = schedule.game(number);
            let mut seats = game.seats.clone();
            seats.sort_unstable();
            seats.dedup();
            assert_eq!(seats.len(), 4);
            for (seat, bot) in game.seats.into_iter().enumerate() {
                counts[bot][seat] += 1;
            }
        }
        // 1000 each are expected, with a standard deviation of 29.
        assert!(
            counts
                .iter()
                .flatten()
                .all(|count| (850..1150).contains(count)),
            "{counts:?}"
        );
    }
}
