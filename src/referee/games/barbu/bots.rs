//! Two bots of Barbu. Each is a program like any other: lines in, lines out, and no look at the
//! referee's state. They speak both protocols, and know by the first line which one they are in. What
//! chance they need is seeded from the lines that open a game, so that a match played again is the
//! same match.

mod careful;

use std::io::{self, BufRead, Write};

use super::cards::{Card, Cards, HAND, SEATS, Suit};
use super::contract::Contract;
use super::dominoes::Layout;
use super::tricks::legal;
use crate::referee::host::builtin::{self, Builtin};
use crate::referee::host::words::words;
use crate::referee::random::Random;

/// The built-in bots of Barbu.
pub const BOTS: &[(&str, Builtin)] = &[
    ("random", |input, output| play(input, output, &Careless)),
    ("careful", |input, output| {
        play(input, output, &careful::Careful)
    }),
];

/// What a bot sees of a game of tricks when it has to play.
struct Sight<'a> {
    contract: Contract,
    trumps: Option<Suit>,
    hand: Cards,
    /// The cards of `hand` that may be played; never empty.
    legal: Cards,
    /// The cards of the trick in play, in order.
    table: &'a [Card],
    /// All cards that were played, those on the table too.
    seen: Cards,
}

/// A way to play.
trait Player {
    /// Which of these seats to double, before the first card.
    fn double(&self, game: &Follower, asked: &[usize], random: &mut Random) -> Vec<usize>;

    /// A card of `sight.legal`.
    fn trick(&self, sight: &Sight, random: &mut Random) -> Card;

    /// A card of `playable`, which is never empty.
    fn domino(&self, hand: Cards, playable: Cards, layout: &Layout, random: &mut Random) -> Card;
}

/// Doubles a seat in four, and plays any card that may be played.
struct Careless;

impl Player for Careless {
    fn double(&self, _: &Follower, asked: &[usize], random: &mut Random) -> Vec<usize> {
        let mut chosen = asked.to_vec();
        chosen.retain(|_| random.below(4) == 0);
        chosen
    }

    fn trick(&self, sight: &Sight, random: &mut Random) -> Card {
        any(sight.legal, random)
    }

    fn domino(&self, _: Cards, playable: Cards, _: &Layout, random: &mut Random) -> Card {
        any(playable, random)
    }
}

fn any(cards: Cards, random: &mut Random) -> Card {
    let cards: Vec<Card> = cards.iter().collect();
    *random.pick(&cards).expect("a card may be played")
}

/// What the next line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expect {
    /// The first line of a game, of either protocol.
    Opening,
    /// The hand; then, in the new protocol, the name of the game.
    Hand,
    Name,
    /// Anything of the new protocol.
    Event,
    /// In the ai protocol, the cards before the own one, and those after it.
    Before,
    After,
}

/// What a bot has to answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Due {
    Nothing,
    Doubles,
    Card,
}

/// A game as one of its players follows it. In the ai protocol, which numbers no seats, the player's
/// own is 0.
struct Follower {
    expect: Expect,
    new_protocol: bool,
    opening: Vec<Vec<u8>>,
    seat: usize,
    contract: Contract,
    trumps: Option<Suit>,
    hand: Cards,
    table: Vec<Card>,
    seen: Cards,
    tricks: usize,
    layout: Layout,
    /// The seats that doubled this one.
    doubled_by: Vec<usize>,
}

impl Follower {
    fn new() -> Follower {
        Follower {
            expect: Expect::Opening,
            new_protocol: true,
            opening: Vec::new(),
            seat: 0,
            contract: Contract::Nullo,
            trumps: None,
            hand: Cards::default(),
            table: Vec::new(),
            seen: Cards::default(),
            tricks: 0,
            layout: Layout::default(),
            doubled_by: Vec::new(),
        }
    }

    /// Takes a line in, and says what it asks for.
    fn hear(&mut self, line: &[u8]) -> Due {
        let words: Vec<&[u8]> = words(line).collect();
        if words.first() == Some(&&b"PLAYER"[..]) {
            self.expect = Expect::Opening;
        }
        match self.expect {
            Expect::Opening => {
                *self = Follower::new();
                self.opening.push(line.to_vec());
                match words.as_slice() {
                    [b"PLAYER", seat] => self.seat = number(seat).unwrap_or(0),
                    words => {
                        self.new_protocol = false;
                        self.name(words);
                    }
                }
                self.expect = Expect::Hand;
            }
            Expect::Hand => {
                self.opening.push(line.to_vec());
                self.hand = words.iter().filter_map(|word| Card::parse(word)).collect();
                self.expect = if self.new_protocol {
                    Expect::Name
                } else {
                    Expect::Before
                };
            }
            Expect::Name => {
                self.opening.push(line.to_vec());
                self.name(&words);
                self.expect = Expect::Event;
            }
            Expect::Event => return self.event(&words),
            Expect::Before => {
                self.table = words.iter().filter_map(|word| Card::parse(word)).collect();
                self.seen = self.seen.and(self.table.iter().copied().collect());
                self.expect = Expect::After;
                return Due::Card;
            }
            Expect::After => {
                let cards = words.iter().filter_map(|word| Card::parse(word));
                self.seen = self.seen.and(cards.collect());
                self.tricks += 1;
                self.expect = if self.tricks == HAND {
                    Expect::Opening
                } else {
                    Expect::Before
                };
            }
        }
        Due::Nothing
    }

    fn name(&mut self, words: &[&[u8]]) {
        let name = words
            .first()
            .and_then(|word| std::str::from_utf8(word).ok());
        self.contract = name.and_then(Contract::parse).unwrap_or(Contract::Nullo);
        self.trumps = match words {
            [_, [letter]] => Suit::parse(*letter),
            _ => None,
        };
    }

    fn event(&mut self, words: &[&[u8]]) -> Due {
        match words {
            [b"DOUBLE"] => return Due::Doubles,
            [b"PLAY"] => return Due::Card,
            [b"TRICK"] => self.table.clear(),
            [seat, b"DOUBLE", others @ ..] => {
                if let Some(seat) = number(seat)
                    && others.iter().any(|other| number(other) == Some(self.seat))
                {
                    self.doubled_by.push(seat);
                }
            }
            [_, card] => {
                if let Some(card) = Card::parse(card) {
                    self.lay(card);
                }
            }
            _ => {}
        }
        Due::Nothing
    }

    fn lay(&mut self, card: Card) {
        self.seen.insert(card);
        self.hand.remove(card);
        if self.contract == Contract::Dominoes {
            self.layout.lay(card);
        } else {
            self.table.push(card);
        }
    }

    /// The seats that may be doubled.
    fn doublable(&self) -> Vec<usize> {
        match self.seat {
            0 => self.doubled_by.clone(),
            own => (0..SEATS).filter(|&seat| seat != own).collect(),
        }
    }

    /// Plays: a card, or `PASS`.
    fn act(&mut self, player: &dyn Player, random: &mut Random) -> String {
        let card = if self.contract == Contract::Dominoes {
            let playable = self.layout.playable(self.hand);
            if playable.is_empty() {
                return "PASS".to_owned();
            }
            player.domino(self.hand, playable, &self.layout, random)
        } else {
            let led = self.table.first().map(|card| card.suit());
            let sight = Sight {
                contract: self.contract,
                trumps: self.trumps,
                hand: self.hand,
                legal: legal(self.contract, self.hand, led),
                table: &self.table,
                seen: self.seen,
            };
            if sight.legal.is_empty() {
                return String::new();
            }
            player.trick(&sight, random)
        };
        self.lay(card);
        card.to_string()
    }
}

fn number(word: &[u8]) -> Option<usize> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A player in its seat.
struct Mind<'a> {
    game: Follower,
    player: &'a dyn Player,
    random: Random,
}

impl<'a> Mind<'a> {
    fn new(player: &'a dyn Player) -> Mind<'a> {
        Mind {
            game: Follower::new(),
            player,
            random: Random::from_bytes([]),
        }
    }

    /// Takes a line in, and gives the answer to it, if one is due.
    fn hear(&mut self, line: &[u8]) -> Option<String> {
        let before = self.game.opening.len();
        let due = self.game.hear(line);
        if self.game.opening.len() != before {
            self.random = Random::from_bytes(self.game.opening.iter().map(Vec::as_slice));
        }
        match due {
            Due::Nothing => None,
            Due::Card => Some(self.game.act(self.player, &mut self.random)),
            Due::Doubles => {
                let asked = self.game.doublable();
                let chosen = self.player.double(&self.game, &asked, &mut self.random);
                let words: Vec<String> = chosen.iter().map(usize::to_string).collect();
                Some(words.join(" "))
            }
        }
    }
}

/// Plays games until the input ends.
fn play(input: &mut dyn BufRead, output: &mut dyn Write, player: &dyn Player) -> io::Result<()> {
    let mut mind = Mind::new(player);
    builtin::converse(input, output, |line| mind.hear(line))
}

#[cfg(test)]
mod tests {
    use super::super::protocol::{Barbu, Protocol};
    use super::*;
    use crate::referee::host::game::Score;
    use crate::referee::host::game::{Failure, Game, Players, Reply, Result, Round, Scene, Seat};

    /// Minds at a table, without processes.
    struct Indoors<'a> {
        minds: Vec<Mind<'a>>,
        answers: Vec<Option<String>>,
        failures: Vec<Option<Failure>>,
    }

    impl Players for Indoors<'_> {
        fn tell(&mut self, seat: Seat, line: &str) {
            let answer = self.minds[seat].hear(format!("{line}\n").as_bytes());
            if answer.is_some() {
                assert_eq!(self.answers[seat], None, "{line}");
                self.answers[seat] = answer;
            }
        }

        fn ask(
            &mut self,
            seats: &[Seat],
            heed: &mut dyn FnMut(Seat, &[u8]) -> bool,
        ) -> Result<Vec<Reply>> {
            let mut take = |seat: Seat| {
                let answer = self.answers[seat]
                    .take()
                    .expect("it was asked")
                    .into_bytes();
                assert!(heed(seat, &answer));
                Ok(answer)
            };
            Ok(seats.iter().map(|&seat| take(seat)).collect())
        }

        fn fail(&mut self, seat: Seat, failure: Failure) -> Result<()> {
            self.failures[seat].get_or_insert(failure);
            Ok(())
        }

        fn failed(&self, seat: Seat) -> Option<&Failure> {
            self.failures[seat].as_ref()
        }

        fn show(&mut self, _: &mut dyn FnMut() -> Scene) {}
    }

    /// The sum of points by player (not by seat), every deal under each rotation.
    fn points(
        players: [&dyn Player; 4],
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
                    .map(|seat| Mind::new(players[(seat + turn) % 4]))
                    .collect(),
                answers: vec![None; 4],
                failures: vec![None; 4],
            };
            let round = Round {
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
    struct Quiet<'a>(&'a dyn Player);

    impl Player for Quiet<'_> {
        fn double(&self, _: &Follower, _: &[usize], _: &mut Random) -> Vec<usize> {
            Vec::new()
        }

        fn trick(&self, sight: &Sight, random: &mut Random) -> Card {
            self.0.trick(sight, random)
        }

        fn domino(
            &self,
            hand: Cards,
            playable: Cards,
            layout: &Layout,
            random: &mut Random,
        ) -> Card {
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
            let players: [&dyn Player; 4] = [
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
            let players: [&dyn Player; 4] = [&careful::Careful, quiet, quiet, quiet];
            let sums = points(players, contract, Protocol::New, 25);
            println!("{} {sums:?}", contract.name());
            all.iter_mut().zip(sums).for_each(|(all, sum)| *all += sum);
        }
        assert!(all[1..].iter().all(|&sum| sum < all[0]), "{all:?}");
    }

    #[test]
    fn lines_that_make_no_sense_are_survived() {
        let mut mind = Mind::new(&Careless);
        for line in [
            "", "x", "\u{0}", "PLAYER", "PLAYER x", "2c 2c", "NO", "DOUBLE", "PLAY", "PLAY", "PLAY",
        ] {
            mind.hear(line.as_bytes());
        }
        mind.hear(b"\xff\xfe");
        assert_eq!(mind.hear(b"PLAY"), Some(String::new()));
    }
}
