//! Dominoes, pure: suits are built up and down from one rank, and who is out of cards first scores
//! most.

use std::fmt;

use super::cards::{Card, Cards, SEATS, Suit};

/// What each place in the order of going out scores.
const SCORES: [i64; SEATS] = [40, 20, 10, -5];

/// What a seat does in its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// It lays a card.
    Lay(Card),
    /// It has none that can be laid.
    Pass,
}

/// Why an action is not allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Illegal {
    /// The card is not in the hand.
    NotHeld(Card),
    /// The card lies next to no run and does not start its suit.
    DoesNotFit(Card),
    /// This card could have been laid.
    MustLay(Card),
}

/// The rank that starts every suit, and how far each suit is built.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Layout {
    start: Option<u8>,
    /// Lowest and highest rank that lies, by suit.
    runs: [Option<(u8, u8)>; 4],
}

/// A game of dominoes. Seat 0 begins.
#[derive(Clone, Debug)]
pub struct Dominoes {
    hands: [Cards; SEATS],
    layout: Layout,
    mover: usize,
    out: Vec<usize>,
}

impl Layout {
    /// Whether the card can be laid.
    pub fn fits(&self, card: Card) -> bool {
        let rank = card.rank();
        match (self.start, self.runs[card.suit() as usize]) {
            (None, _) => true,
            (Some(start), None) => rank == start,
            (_, Some((low, high))) => rank + 1 == low || rank == high + 1,
        }
    }

    /// The cards of a hand that can be laid.
    pub fn playable(&self, hand: Cards) -> Cards {
        hand.iter().filter(|&card| self.fits(card)).collect()
    }

    /// Lays a card that fits.
    pub fn lay(&mut self, card: Card) {
        let rank = card.rank();
        self.start.get_or_insert(rank);
        let run = self.runs[card.suit() as usize].get_or_insert((rank, rank));
        *run = (run.0.min(rank), run.1.max(rank));
    }

    /// The rank that starts every suit, once a card lies.
    pub fn start(&self) -> Option<u8> {
        self.start
    }

    /// The lowest and the highest card that lies of a suit.
    pub fn run(&self, suit: Suit) -> Option<(Card, Card)> {
        let (low, high) = self.runs[suit as usize]?;
        Some((Card::new(low, suit), Card::new(high, suit)))
    }
}

impl Dominoes {
    /// A game before its first card.
    pub fn new(hands: [Cards; SEATS]) -> Dominoes {
        Dominoes {
            hands,
            layout: Layout::default(),
            mover: 0,
            out: Vec::with_capacity(SEATS),
        }
    }

    /// Whose turn it is.
    pub fn mover(&self) -> usize {
        self.mover
    }

    /// A hand.
    pub fn hand(&self, seat: usize) -> Cards {
        self.hands[seat]
    }

    /// What lies.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The seats that are out of cards, the first one first.
    #[cfg(test)]
    pub fn out(&self) -> &[usize] {
        &self.out
    }

    /// Whether the mover may do this.
    pub fn check(&self, action: Action) -> Result<(), Illegal> {
        let hand = self.hands[self.mover];
        match action {
            Action::Lay(card) if !hand.has(card) => Err(Illegal::NotHeld(card)),
            Action::Lay(card) if !self.layout.fits(card) => Err(Illegal::DoesNotFit(card)),
            Action::Lay(_) => Ok(()),
            Action::Pass => match self.layout.playable(hand).iter().next() {
                Some(card) => Err(Illegal::MustLay(card)),
                None => Ok(()),
            },
        }
    }

    /// The mover does what it may.
    pub fn act(&mut self, action: Action) {
        debug_assert_eq!(self.check(action), Ok(()));
        if let Action::Lay(card) = action {
            self.hands[self.mover].remove(card);
            self.layout.lay(card);
            if self.hands[self.mover].is_empty() {
                self.out.push(self.mover);
            }
        }
        if self.out.len() == SEATS {
            return;
        }
        loop {
            self.mover = (self.mover + 1) % SEATS;
            if !self.hands[self.mover].is_empty() {
                return;
            }
        }
    }

    /// Whether the order is settled: three are out, and the fourth is the last.
    pub fn is_over(&self) -> bool {
        self.out.len() >= SEATS - 1
    }

    /// The score of every seat, without doubling, once the game is over.
    pub fn raw(&self) -> [i64; SEATS] {
        let mut scores = [SCORES[SEATS - 1]; SEATS];
        for (&seat, score) in self.out.iter().zip(SCORES) {
            scores[seat] = score;
        }
        scores
    }
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Illegal::NotHeld(card) => write!(f, "laid {card}, which it does not hold"),
            Illegal::DoesNotFit(card) => write!(f, "laid {card}, which fits nowhere"),
            Illegal::MustLay(card) => write!(f, "passed and could have laid {card}"),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Lay(card) => card.fmt(f),
            Action::Pass => f.write_str("PASS"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::Random;
    use crate::referee::games::barbu::cards::{HAND, deal};

    fn card(word: &str) -> Card {
        Card::parse(word.as_bytes()).unwrap()
    }

    fn hands(texts: [&str; 4]) -> [Cards; 4] {
        texts.map(|text| text.split(' ').map(card).collect())
    }

    #[test]
    fn suits_grow_from_the_rank_of_the_first_card() {
        let mut layout = Layout::default();
        assert!(layout.fits(card("2c")) && layout.fits(card("ah")));
        layout.lay(card("9h"));
        let fitting =
            |layout: &Layout| super::super::cards::list(layout.playable(Cards::ALL).iter());
        assert_eq!(fitting(&layout), "9c 9d 8h th 9s");
        layout.lay(card("th"));
        layout.lay(card("9s"));
        layout.lay(card("8h"));
        assert_eq!(fitting(&layout), "9c 9d 7h jh 8s ts");
        for word in ["jh", "qh", "kh", "ah"] {
            layout.lay(card(word));
        }
        // Nothing goes round the corner from the ace to the 2.
        assert_eq!(fitting(&layout), "9c 9d 7h 8s ts");
    }

    #[test]
    fn the_text_is_played() {
        // 0 9h, 1 th, 2 9s, 3 PASS
        let mut game = Dominoes::new(hands(["9h 2c", "th 3c", "9s 4c", "5c ah"]));
        assert_eq!(game.check(Action::Pass), Err(Illegal::MustLay(card("2c"))));
        game.act(Action::Lay(card("9h")));
        assert_eq!(
            game.check(Action::Lay(card("9s"))),
            Err(Illegal::NotHeld(card("9s")))
        );
        assert_eq!(
            game.check(Action::Lay(card("3c"))),
            Err(Illegal::DoesNotFit(card("3c")))
        );
        assert_eq!(game.check(Action::Pass), Err(Illegal::MustLay(card("th"))));
        game.act(Action::Lay(card("th")));
        game.act(Action::Lay(card("9s")));
        assert_eq!(game.check(Action::Pass), Ok(()));
        game.act(Action::Pass);
        assert_eq!(game.mover(), 0);
    }

    #[test]
    fn places_score_in_the_order_of_going_out() {
        // 2 is out first, then 0, then 3; 1 is stuck with the 2 of hearts.
        let mut game = Dominoes::new(hands(["9c 8c", "tc 2h", "9d", "9h 8h"]));
        for word in ["9c", "tc", "9d", "9h", "8c"] {
            assert!(!game.is_over());
            game.act(Action::Lay(card(word)));
        }
        assert_eq!(game.out(), [2, 0]);
        assert_eq!(game.mover(), 1);
        game.act(Action::Pass);
        assert_eq!(game.mover(), 3);
        game.act(Action::Lay(card("8h")));
        assert!(game.is_over());
        assert_eq!(game.raw(), [20, -5, 40, 10]);
    }

    #[test]
    fn random_games_come_to_an_end_and_lose_no_card() {
        let mut passes = 0;
        for number in 0..300 {
            let mut random = Random::of(5, number, 0);
            let hands = deal(&mut random).map(|hand| hand.into_iter().collect());
            let mut game = Dominoes::new(hands);
            let mut laid = Cards::default();
            while !game.is_over() {
                let playable: Vec<Card> = game
                    .layout()
                    .playable(game.hand(game.mover()))
                    .iter()
                    .collect();
                let action = match random.pick(&playable) {
                    Some(&card) => Action::Lay(card),
                    None => Action::Pass,
                };
                assert_eq!(game.check(action), Ok(()));
                match action {
                    Action::Lay(card) => laid.insert(card),
                    Action::Pass => passes += 1,
                }
                game.act(action);
                let held = (0..SEATS).fold(Cards::default(), |all, seat| all.and(game.hand(seat)));
                assert_eq!(laid.and(held), Cards::ALL);
                assert_eq!(laid.len() + held.len(), 52);
            }
            assert_eq!(game.raw().iter().sum::<i64>(), 65);
            assert!(game.hand(game.mover()).len() <= HAND);
        }
        assert!(passes > 300, "{passes}");
    }
}
