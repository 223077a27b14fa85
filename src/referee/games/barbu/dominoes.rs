//! Dominoes, pure: suits are built up and down from one rank, and who is out of cards first scores
//! most.

use std::fmt;

use super::cards::{BarbuCard, BarbuSuit, Cards, SEATS};

/// What each place in the order of going out scores.
const SCORES: [i64; SEATS] = [40, 20, 10, -5];

/// What a seat does in its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DominoAction {
    /// It lays a card.
    Lay(BarbuCard),
    /// It has none that can be laid.
    Pass,
}

/// Why an action is not allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IllegalDomino {
    /// The card is not in the hand.
    NotHeld(BarbuCard),
    /// The card lies next to no run and does not start its suit.
    DoesNotFit(BarbuCard),
    /// This card could have been laid.
    MustLay(BarbuCard),
}

/// The rank that starts every suit, and how far each suit is built.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DominoLayout {
    start: Option<u8>,
    /// Lowest and highest rank that lies, by suit.
    runs: [Option<(u8, u8)>; 4],
}

/// A game of dominoes. Seat 0 begins.
#[derive(Clone, Debug)]
pub struct Dominoes {
    hands: [Cards; SEATS],
    layout: DominoLayout,
    mover: usize,
    out: Vec<usize>,
}

impl DominoLayout {
    /// Whether the card can be laid.
    pub fn fits(&self, card: BarbuCard) -> bool {
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
    pub fn lay(&mut self, card: BarbuCard) {
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
    pub fn run(&self, suit: BarbuSuit) -> Option<(BarbuCard, BarbuCard)> {
        let (low, high) = self.runs[suit as usize]?;
        Some((BarbuCard::new(low, suit), BarbuCard::new(high, suit)))
    }
}

impl Dominoes {
    /// A game before its first card.
    pub fn new(hands: [Cards; SEATS]) -> Dominoes {
        Dominoes {
            hands,
            layout: DominoLayout::default(),
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
    pub fn layout(&self) -> &DominoLayout {
        &self.layout
    }

    /// The seats that are out of cards, the first one first.
    #[cfg(test)]
    pub fn out(&self) -> &[usize] {
        &self.out
    }

    /// Whether the mover may do this.
    pub fn check(&self, action: DominoAction) -> Result<(), IllegalDomino> {
        let hand = self.hands[self.mover];
        match action {
            DominoAction::Lay(card) if !hand.has(card) => Err(IllegalDomino::NotHeld(card)),
            DominoAction::Lay(card) if !self.layout.fits(card) => {
                Err(IllegalDomino::DoesNotFit(card))
            }
            DominoAction::Lay(_) => Ok(()),
            DominoAction::Pass => match self.layout.playable(hand).iter().next() {
                Some(card) => Err(IllegalDomino::MustLay(card)),
                None => Ok(()),
            },
        }
    }

    /// The mover does what it may.
    pub fn act(&mut self, action: DominoAction) {
        debug_assert_eq!(self.check(action), Ok(()));
        if let DominoAction::Lay(card) = action {
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

impl fmt::Display for IllegalDomino {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IllegalDomino::NotHeld(card) => write!(f, "laid {card}, which it does not hold"),
            IllegalDomino::DoesNotFit(card) => write!(f, "laid {card}, which fits nowhere"),
            IllegalDomino::MustLay(card) => write!(f, "passed and could have laid {card}"),
        }
    }
}

impl fmt::Display for DominoAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DominoAction::Lay(card) => card.fmt(f),
            DominoAction::Pass => f.write_str("PASS"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Generator;
    use crate::referee::games::barbu::cards::{HAND, deal};

    fn card(word: &str) -> BarbuCard {
        BarbuCard::parse(word.as_bytes()).unwrap()
    }

    fn hands(texts: [&str; 4]) -> [Cards; 4] {
        texts.map(|text| text.split(' ').map(card).collect())
    }

    #[test]
    fn suits_grow_from_the_rank_of_the_first_card() {
        let mut layout = DominoLayout::default();
        assert!(layout.fits(card("2c")) && layout.fits(card("ah")));
        layout.lay(card("9h"));
        let fitting =
            |layout: &DominoLayout| super::super::cards::list(layout.playable(Cards::ALL).iter());
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
        assert_eq!(
            game.check(DominoAction::Pass),
            Err(IllegalDomino::MustLay(card("2c")))
        );
        game.act(DominoAction::Lay(card("9h")));
        assert_eq!(
            game.check(DominoAction::Lay(card("9s"))),
            Err(IllegalDomino::NotHeld(card("9s")))
        );
        assert_eq!(
            game.check(DominoAction::Lay(card("3c"))),
            Err(IllegalDomino::DoesNotFit(card("3c")))
        );
        assert_eq!(
            game.check(DominoAction::Pass),
            Err(IllegalDomino::MustLay(card("th")))
        );
        game.act(DominoAction::Lay(card("th")));
        game.act(DominoAction::Lay(card("9s")));
        assert_eq!(game.check(DominoAction::Pass), Ok(()));
        game.act(DominoAction::Pass);
        assert_eq!(game.mover(), 0);
    }

    #[test]
    fn places_score_in_the_order_of_going_out() {
        // 2 is out first, then 0, then 3; 1 is stuck with the 2 of hearts.
        let mut game = Dominoes::new(hands(["9c 8c", "tc 2h", "9d", "9h 8h"]));
        for word in ["9c", "tc", "9d", "9h", "8c"] {
            assert!(!game.is_over());
            game.act(DominoAction::Lay(card(word)));
        }
        assert_eq!(game.out(), [2, 0]);
        assert_eq!(game.mover(), 1);
        game.act(DominoAction::Pass);
        assert_eq!(game.mover(), 3);
        game.act(DominoAction::Lay(card("8h")));
        assert!(game.is_over());
        assert_eq!(game.raw(), [20, -5, 40, 10]);
    }

    #[test]
    fn random_games_come_to_an_end_and_lose_no_card() {
        let mut passes = 0;
        for number in 0..300 {
            let mut random = Generator::of(5, number, 0);
            let hands = deal(&mut random).map(|hand| hand.into_iter().collect());
            let mut game = Dominoes::new(hands);
            let mut laid = Cards::default();
            while !game.is_over() {
                let playable: Vec<BarbuCard> = game
                    .layout()
                    .playable(game.hand(game.mover()))
                    .iter()
                    .collect();
                let action = match random.pick(&playable) {
                    Some(&card) => DominoAction::Lay(card),
                    None => DominoAction::Pass,
                };
                assert_eq!(game.check(action), Ok(()));
                match action {
                    DominoAction::Lay(card) => laid.insert(card),
                    DominoAction::Pass => passes += 1,
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
