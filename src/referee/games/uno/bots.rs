//! Three bots of Uno. Each is a program like any other: lines in, lines out, and no look at the
//! referee's state. What chance they need is seeded from the lines that open their game, so that a
//! match played again is the same match.

use std::io::{self, BufRead, Write};

use super::cards::{UnoCard, UnoSuit, UnoValue};
use crate::chance::Generator;
use crate::referee::host::builtin::{self, Builtin};
use crate::referee::host::words::words;

/// The built-in bots of Uno.
pub const BOTS: &[(&str, Builtin)] = &[
    ("random", |input, output| play(input, output, &mut random)),
    ("greedy", |input, output| play(input, output, &mut greedy)),
    ("counter", |input, output| play(input, output, &mut counter)),
];

/// What a bot knows when it is its turn and it owes nothing.
struct UnoView<'a> {
    hand: &'a [UnoCard],
    /// Indices into `hand` of what may be played.
    playable: &'a [usize],
    random: &'a mut Generator,
    /// The fewest cards any other player holds, as far as counted.
    shortest_other: usize,
    /// How often each suit lies open, in the order of [`UnoSuit::ALL`].
    seen: &'a [usize; 4],
}

/// A way to play: the index of the card to play and the suit to ask for.
type Choice<'a> = &'a mut dyn FnMut(UnoView) -> (usize, UnoSuit);

/// Any card that fits, any suit.
fn random(sight: UnoView) -> (usize, UnoSuit) {
    let index = *sight.random.pick(sight.playable).expect("something fits");
    (
        index,
        *sight.random.pick(&UnoSuit::ALL).expect("four suits"),
    )
}

/// The first card that fits, one that asks for a suit only when no other does, and then for the suit
/// it holds most of.
fn greedy(sight: UnoView) -> (usize, UnoSuit) {
    let plain = |index: &&usize| !sight.hand[**index].value.is_wild();
    let index = *sight
        .playable
        .iter()
        .find(plain)
        .unwrap_or(&sight.playable[0]);
    let count = |suit: UnoSuit| sight.hand.iter().filter(|card| card.suit == suit).count();
    let suit = UnoSuit::ALL.into_iter().max_by_key(|&suit| count(suit));
    (index, suit.expect("four suits"))
}

/// Counts suits: stays in the suit it holds most of, keeps cards that fit anywhere for when nothing
/// else does, spends attacks when another hand is short, and asks for its own longest suit.
fn counter(sight: UnoView) -> (usize, UnoSuit) {
    let count = |suit: UnoSuit, without: usize| {
        let of_suit = |&(index, card): &(usize, &UnoCard)| {
            index != without && card.suit == suit && !card.value.is_wild()
        };
        sight.hand.iter().enumerate().filter(of_suit).count()
    };
    let worth = |index: usize| {
        let card = sight.hand[index];
        let follow = count(card.suit, index) as i64;
        let twins = sight
            .hand
            .iter()
            .filter(|other| other.value == card.value)
            .count() as i64;
        let endangered = sight.shortest_other <= 2;
        let kind = match card.value {
            UnoValue::Joker if endangered => 60,
            UnoValue::Joker => -40,
            UnoValue::Ace => -20,
            UnoValue::Jack if endangered => 80,
            UnoValue::King | UnoValue::Queen if endangered => 40,
            UnoValue::Jack | UnoValue::King => 6,
            UnoValue::Queen | UnoValue::Number(_) => 0,
        };
        kind + 4 * follow + twins
    };
    let best = |one: &&usize, two: &&usize| worth(**one).cmp(&worth(**two)).then(two.cmp(one));
    let index = *sight.playable.iter().max_by(best).expect("something fits");
    // Among equals the suit that lies open most: the others hold least of it.
    let suit = UnoSuit::ALL
        .into_iter()
        .enumerate()
        .max_by_key(|&(order, suit)| (count(suit, index), sight.seen[order], 4 - order))
        .map_or(sight.hand[index].suit, |(_, suit)| suit);
    (index, suit)
}

/// Plays one game until the input ends.
fn play(input: &mut dyn BufRead, output: &mut dyn Write, choose: Choice) -> io::Result<()> {
    let mut opening: Vec<Vec<u8>> = Vec::new();
    let mut game = UnoFollower::default();
    let mut random = Generator::from_bytes([]);
    builtin::converse(input, output, |line| {
        if opening.len() < 4 {
            opening.push(line.to_vec());
            random = Generator::from_bytes(opening.iter().map(Vec::as_slice));
        }
        game.hear(line).then(|| game.act(&mut random, choose))
    })
}

/// A game as one of its players follows it.
#[derive(Default)]
struct UnoFollower {
    me: Vec<u8>,
    /// The others and how many cards they hold.
    others: Vec<(Vec<u8>, usize)>,
    mover: Vec<u8>,
    hand: Vec<UnoCard>,
    table: Option<UnoCard>,
    suit: Option<UnoSuit>,
    debt: u64,
    /// How often each suit was seen on the table.
    seen: [usize; 4],
}

impl UnoFollower {
    /// Takes a line in; true when it is this player's turn.
    fn hear(&mut self, line: &[u8]) -> bool {
        let words: Vec<&[u8]> = words(line).collect();
        match words.as_slice() {
            [b"PLAYERS", names @ ..] => {
                self.others = names.iter().map(|name| (name.to_vec(), 0)).collect();
            }
            [b"YOU", id] => {
                self.me = id.to_vec();
                self.others.retain(|(name, _)| name != id);
            }
            [b"HAND", cards @ ..] => {
                self.hand = cards
                    .iter()
                    .filter_map(|card| UnoCard::parse(card))
                    .collect();
                let size = self.hand.len();
                self.others.iter_mut().for_each(|other| other.1 = size);
            }
            [b"TABLE", card] => self.lay(UnoCard::parse(card), None),
            [b"TURN", id] => {
                self.mover = id.to_vec();
                return self.mover == self.me;
            }
            [b"DISCARD", card, suit @ ..] => {
                let card = UnoCard::parse(card);
                self.lay(card, suit.first().and_then(|suit| UnoSuit::parse(suit)));
                self.debt = card.map_or(0, |card| card.value.debt());
                self.of_mover(|count| count.saturating_sub(1));
            }
            [b"BUY", count] => {
                self.debt = 0;
                let count = std::str::from_utf8(count)
                    .ok()
                    .and_then(|text| text.parse().ok());
                self.of_mover(|held| held + count.unwrap_or(0usize));
            }
            [b"INVALID", ..] => self.debt = 0,
            [word] => self.hand.extend(UnoCard::parse(word)),
            _ => {}
        }
        false
    }

    fn act(&mut self, random: &mut Generator, choose: Choice) -> String {
        if self.debt > 0 {
            return format!("BUY {}", std::mem::take(&mut self.debt));
        }
        let fits = |card: &UnoCard| {
            card.value.is_wild()
                || Some(card.suit) == self.suit
                || self.table.is_some_and(|table| table.value == card.value)
        };
        let playable: Vec<usize> = (0..self.hand.len())
            .filter(|&index| fits(&self.hand[index]))
            .collect();
        if playable.is_empty() {
            return "BUY 1".to_owned();
        }
        let (index, suit) = choose(UnoView {
            hand: &self.hand,
            playable: &playable,
            random,
            shortest_other: self.others.iter().map(|other| other.1).min().unwrap_or(0),
            seen: &self.seen,
        });
        let card = self.hand.remove(index);
        self.debt = card.value.debt();
        if card.value.is_wild() {
            self.lay(Some(card), Some(suit));
            format!("DISCARD {card} {suit}")
        } else {
            self.lay(Some(card), None);
            format!("DISCARD {card}")
        }
    }

    fn lay(&mut self, card: Option<UnoCard>, suit: Option<UnoSuit>) {
        self.table = card;
        self.suit = suit.or(card.map(|card| card.suit));
        if let Some(card) = card {
            self.seen[card.suit as usize] += 1;
        }
    }

    fn of_mover(&mut self, change: impl Fn(usize) -> usize) {
        let mover = &self.mover;
        if let Some(other) = self.others.iter_mut().find(|other| other.0 == *mover) {
            other.1 = change(other.1);
        }
    }
}
