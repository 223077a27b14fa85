//! Two bots of Barbu. Each is a program like any other: lines in, lines out, and no look at the
//! referee's state. They speak both protocols, and know by the first line which one they are in. What
//! chance they need is seeded from the lines that open a game, so that a match played again is the
//! same match.

mod careful;
mod player;

use super::cards::{BarbuCard, Cards};
use super::dominoes::DominoLayout;
use crate::chance::Generator;
use crate::referee::host::builtin::Builtin;
use player::{BarbuFollower, BarbuMemory, BarbuView, Style, play};

/// The built-in bots of Barbu.
pub const BOTS: &[(&str, Builtin)] = &[
    ("random", |input, output| play(input, output, &Careless)),
    ("careful", |input, output| {
        play(input, output, &careful::Careful)
    }),
];

/// The bot `random` as it answers line by line.
pub fn careless() -> impl FnMut(&[u8]) -> Option<String> {
    let mut memory = BarbuMemory::new(&Careless);
    move |line| memory.hear(line)
}

/// Doubles a seat in four, and plays any card that may be played.
struct Careless;

impl Style for Careless {
    fn double(&self, _: &BarbuFollower, asked: &[usize], random: &mut Generator) -> Vec<usize> {
        let mut chosen = asked.to_vec();
        chosen.retain(|_| random.below(4) == 0);
        chosen
    }

    fn trick(&self, sight: &BarbuView, random: &mut Generator) -> BarbuCard {
        any(sight.legal, random)
    }

    fn domino(
        &self,
        _: Cards,
        playable: Cards,
        _: &DominoLayout,
        random: &mut Generator,
    ) -> BarbuCard {
        any(playable, random)
    }
}

fn any(cards: Cards, random: &mut Generator) -> BarbuCard {
    let cards: Vec<BarbuCard> = cards.iter().collect();
    *random.pick(&cards).expect("a card may be played")
}

#[cfg(test)]
mod tests {
    use super::super::contract::Contract;
    use super::super::protocol::{Barbu, Protocol};
    use super::*;
    use crate::referee::host::game::Score;
    use crate::referee::host::game::{
        CardGame, Failure, Fixture, Players, Reply, Result, Scene, SeatIndex,
    };

    /// Minds at a table, without processes.
    struct Indoors<'a> {
        minds: Vec<BarbuMemory<'a>>,
        answers: Vec<Option<String>>,
        failures: Vec<Option<Failure>>,
    }

    impl Players for Indoors<'_> {
        fn tell(&mut self, seat: SeatIndex, line: &str) {
            let answer = self.minds[seat].hear(format!("{line}\n").as_bytes());
            if answer.is_some() {
                assert_eq!(self.answers[seat], None, "{line}");
                self.answers[seat] = answer;
            }
        }

        fn ask(
            &mut self,
            seats: &[SeatIndex],
            heed: &mut dyn FnMut(SeatIndex, &[u8]) -> bool,
        ) -> Result<Vec<Reply>> {
            let mut take = |seat: SeatIndex| {
                let answer = self.answers[seat]
                    .take()
                    .expect("it was asked")
                    .into_bytes();
                assert!(heed(seat, &answer));
                Ok(answer)
            };
            Ok(seats.iter().map(|&seat| take(seat)).collect())
        }

        fn fail(&mut self, seat: SeatIndex, failure: Failure) -> Result<()> {
            self.failures[seat].get_or_insert(failure);
            Ok(())
        }

        fn failed(&self, seat: SeatIndex) -> Option<&Failure> {
            self.failures[seat].as_ref()
        }

        fn show(&mut self, _: &mut dyn FnMut() -> Scene) {}
    }

    /// The sum of points by player (not by seat), every deal under each rotation.
    fn points(
        players: [&dyn Style; 4],
        contract: Contract,
        protocol: Protocol,
        deals: u64,
    ) -> [i64; 4] {
        let barbu = Barbu::new(vec![contract], protocol, false).unwrap();
        let mut sums = [0; 4];
        for number in 0..4 * deals {
            let turn = (number % 4) as usize;
            let mut table = Indoors {
                minds: (0..4)
                    .map(|seat| BarbuMemory::new(players[(seat + turn) % 4]))
                    .collect(),
                answers: vec![None; 4],
                failures: vec![None; 4],
            };
            let round = Fixture {
                number,
                deal: number / 4,
                variant: 0,
                names: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
                seed: 1,
            };
            let ending = barbu.play(&round, &mut table).unwrap();
            assert!(
                table.failures.iter().all(Option::is_none),
                "{:?}",
                table.failures
            );
            let Score::Points(scores) = ending.score else {
                panic!("Barbu counts points");
            };
            for (seat, score) in scores.into_iter().enumerate() {
                sums[(seat + turn) % 4] += score;
            }
        }
        sums
    }

    /// Plays like another and never doubles.
    struct Quiet<'a>(&'a dyn Style);

    impl Style for Quiet<'_> {
        fn double(&self, _: &BarbuFollower, _: &[usize], _: &mut Generator) -> Vec<usize> {
            Vec::new()
        }

        fn trick(&self, sight: &BarbuView, random: &mut Generator) -> BarbuCard {
            self.0.trick(sight, random)
        }

        fn domino(
            &self,
            hand: Cards,
            playable: Cards,
            layout: &DominoLayout,
            random: &mut Generator,
        ) -> BarbuCard {
            self.0.domino(hand, playable, layout, random)
        }
    }

    #[test]
    fn both_play_every_game_by_the_rules_in_both_protocols() {
        for contract in Contract::ALL {
            for protocol in [Protocol::New, Protocol::Ai] {
                if protocol == Protocol::Ai && contract == Contract::Dominoes {
                    continue;
                }
                let careful = &careful::Careful;
                let sums = points(
                    [careful, &Careless, careful, &Careless],
                    contract,
                    protocol,
                    8,
                );
                println!("{} {protocol:?} {sums:?}", contract.name());
            }
        }
    }

    #[test]
    fn careful_is_better_than_random_at_every_game() {
        for contract in Contract::ALL {
            let players: [&dyn Style; 4] = [
                &Quiet(&careful::Careful),
                &Quiet(&Careless),
                &Quiet(&Careless),
                &Quiet(&Careless),
            ];
            let sums = points(players, contract, Protocol::New, 60);
            println!("{} {sums:?}", contract.name());
            assert!(
                sums[1..].iter().all(|&sum| sum < sums[0]),
                "{} {sums:?}",
                contract.name()
            );
        }
    }

    #[test]
    fn careful_gains_by_doubling() {
        let mut all = [0; 4];
        for contract in Contract::ALL {
            let quiet = &Quiet(&careful::Careful);
            let players: [&dyn Style; 4] = [&careful::Careful, quiet, quiet, quiet];
            let sums = points(players, contract, Protocol::New, 25);
            println!("{} {sums:?}", contract.name());
            all.iter_mut().zip(sums).for_each(|(all, sum)| *all += sum);
        }
        assert!(all[1..].iter().all(|&sum| sum < all[0]), "{all:?}");
    }

    #[test]
    fn lines_that_make_no_sense_are_survived() {
        let mut mind = BarbuMemory::new(&Careless);
        for line in [
            "", "x", "\u{0}", "PLAYER", "PLAYER x", "2c 2c", "NO", "DOUBLE", "PLAY", "PLAY", "PLAY",
        ] {
            mind.hear(line.as_bytes());
        }
        mind.hear(b"\xff\xfe");
        assert_eq!(mind.hear(b"PLAY"), Some(String::new()));
    }
}
