//! What every bot of Barbu does alike: it follows the game line by line, in either protocol, and asks
//! its style of play for the answers.

use std::io::{self, BufRead, Write};

use super::super::cards::{BarbuCard, BarbuSuit, Cards, HAND, SEATS};
use super::super::contract::Contract;
use super::super::dominoes::DominoLayout;
use super::super::tricks::legal;
use crate::chance::Generator;
use crate::referee::host::builtin;
use crate::referee::host::words::words;

/// What a bot sees of a game of tricks when it has to play.
pub struct BarbuView<'a> {
    pub contract: Contract,
    pub trumps: Option<BarbuSuit>,
    pub hand: Cards,
    /// The cards of `hand` that may be played; never empty.
    pub legal: Cards,
    /// The cards of the trick in play, in order.
    pub table: &'a [BarbuCard],
    /// All cards that were played, those on the table too.
    pub seen: Cards,
}

/// A way to play.
pub trait Style {
    /// Which of these seats to double, before the first card.
    fn double(&self, game: &BarbuFollower, asked: &[usize], random: &mut Generator) -> Vec<usize>;

    /// A card of `sight.legal`.
    fn trick(&self, sight: &BarbuView, random: &mut Generator) -> BarbuCard;

    /// A card of `playable`, which is never empty.
    fn domino(
        &self,
        hand: Cards,
        playable: Cards,
        layout: &DominoLayout,
        random: &mut Generator,
    ) -> BarbuCard;
}

/// What the next line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expect {
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
pub enum Due {
    Nothing,
    Doubles,
    Card,
}

/// A game as one of its players follows it. In the ai protocol, which numbers no seats, the player's
/// own is 0.
pub struct BarbuFollower {
    pub expect: Expect,
    pub new_protocol: bool,
    pub opening: Vec<Vec<u8>>,
    pub seat: usize,
    pub contract: Contract,
    pub trumps: Option<BarbuSuit>,
    pub hand: Cards,
    pub table: Vec<BarbuCard>,
    pub seen: Cards,
    pub tricks: usize,
    pub layout: DominoLayout,
    /// The seats that doubled this one.
    pub doubled_by: Vec<usize>,
}

impl BarbuFollower {
    pub fn new() -> BarbuFollower {
        BarbuFollower {
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
            layout: DominoLayout::default(),
            doubled_by: Vec::new(),
        }
    }

    /// Takes a line in, and says what it asks for.
    pub fn hear(&mut self, line: &[u8]) -> Due {
        let words: Vec<&[u8]> = words(line).collect();
        if words.first() == Some(&&b"PLAYER"[..]) {
            self.expect = Expect::Opening;
        }
        match self.expect {
            Expect::Opening => {
                *self = BarbuFollower::new();
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
                self.hand = words
                    .iter()
                    .filter_map(|word| BarbuCard::parse(word))
                    .collect();
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
                self.table = words
                    .iter()
                    .filter_map(|word| BarbuCard::parse(word))
                    .collect();
                self.seen = self.seen.and(self.table.iter().copied().collect());
                self.expect = Expect::After;
                return Due::Card;
            }
            Expect::After => {
                let cards = words.iter().filter_map(|word| BarbuCard::parse(word));
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
            [_, [letter]] => BarbuSuit::parse(*letter),
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
                if let Some(card) = BarbuCard::parse(card) {
                    self.lay(card);
                }
            }
            _ => {}
        }
        Due::Nothing
    }

    fn lay(&mut self, card: BarbuCard) {
        self.seen.insert(card);
        self.hand.remove(card);
        if self.contract == Contract::Dominoes {
            self.layout.lay(card);
        } else {
            self.table.push(card);
        }
    }

    /// The seats that may be doubled.
    pub fn doublable(&self) -> Vec<usize> {
        match self.seat {
            0 => self.doubled_by.clone(),
            own => (0..SEATS).filter(|&seat| seat != own).collect(),
        }
    }

    /// Plays: a card, or `PASS`.
    pub fn act(&mut self, player: &dyn Style, random: &mut Generator) -> String {
        let card = if self.contract == Contract::Dominoes {
            let playable = self.layout.playable(self.hand);
            if playable.is_empty() {
                return "PASS".to_owned();
            }
            player.domino(self.hand, playable, &self.layout, random)
        } else {
            let led = self.table.first().map(|card| card.suit());
            let sight = BarbuView {
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
pub struct BarbuMemory<'a> {
    game: BarbuFollower,
    player: &'a dyn Style,
    random: Generator,
}

impl<'a> BarbuMemory<'a> {
    pub fn new(player: &'a dyn Style) -> BarbuMemory<'a> {
        BarbuMemory {
            game: BarbuFollower::new(),
            player,
            random: Generator::from_bytes([]),
        }
    }

    /// Takes a line in, and gives the answer to it, if one is due.
    pub fn hear(&mut self, line: &[u8]) -> Option<String> {
        let before = self.game.opening.len();
        let due = self.game.hear(line);
        if self.game.opening.len() != before {
            self.random = Generator::from_bytes(self.game.opening.iter().map(Vec::as_slice));
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
pub fn play(input: &mut dyn BufRead, output: &mut dyn Write, player: &dyn Style) -> io::Result<()> {
    let mut mind = BarbuMemory::new(player);
    builtin::converse(input, output, |line| mind.hear(line))
}
