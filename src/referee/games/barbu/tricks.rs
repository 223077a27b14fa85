//! The seven games of tricks, pure: whose turn it is, which cards may be played, who takes a trick,
//! and what the tricks taken are worth.

use std::fmt;

use super::cards::{ACE, BarbuCard, BarbuSuit, Cards, HAND, QUEEN, SEATS};
use super::contract::Contract;

/// Why a card may not be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IllegalCard {
    /// It is not in the hand.
    NotHeld(BarbuCard),
    /// The suit that was led is in the hand, and this card is of another.
    Revoke(BarbuCard, BarbuSuit),
    /// A heart was led at hearts from a hand that holds other suits.
    HeartLed(BarbuCard),
}

/// A trick that is complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TakenTrick {
    /// Who led.
    pub leader: usize,
    /// The cards in the order in which they were played.
    pub cards: [BarbuCard; SEATS],
    /// Who took it.
    pub taker: usize,
}

/// A game of tricks. Seat 0 leads first.
#[derive(Clone, Debug)]
pub struct Tricks {
    contract: Contract,
    trumps: Option<BarbuSuit>,
    hands: [Cards; SEATS],
    leader: usize,
    /// The cards of the trick in play, in order.
    table: Vec<BarbuCard>,
    taken: Vec<TakenTrick>,
}

impl Tricks {
    /// A game before its first card; `trumps` is the suit of the game of that name.
    pub fn new(contract: Contract, trumps: Option<BarbuSuit>, hands: [Cards; SEATS]) -> Tricks {
        Tricks {
            contract,
            trumps,
            hands,
            leader: 0,
            table: Vec::with_capacity(SEATS),
            taken: Vec::with_capacity(HAND),
        }
    }

    /// Whose turn it is.
    pub fn mover(&self) -> usize {
        (self.leader + self.table.len()) % SEATS
    }

    /// The cards of the trick in play, in order.
    pub fn table(&self) -> &[BarbuCard] {
        &self.table
    }

    /// A hand.
    pub fn hand(&self, seat: usize) -> Cards {
        self.hands[seat]
    }

    /// The tricks that are complete, in order.
    pub fn taken(&self) -> &[TakenTrick] {
        &self.taken
    }

    /// The cards that the mover may play.
    pub fn legal(&self) -> Cards {
        let led = self.table.first().map(|card| card.suit());
        legal(self.contract, self.hands[self.mover()], led)
    }

    /// Whether the mover may play this card.
    pub fn check(&self, card: BarbuCard) -> Result<(), IllegalCard> {
        let hand = self.hands[self.mover()];
        if !hand.has(card) {
            return Err(IllegalCard::NotHeld(card));
        }
        if self.legal().has(card) {
            return Ok(());
        }
        Err(match self.table.first() {
            Some(led) => IllegalCard::Revoke(card, led.suit()),
            None => IllegalCard::HeartLed(card),
        })
    }

    /// The mover plays a card of its hand, which may be a revoke; the trick, when that completes it.
    pub fn play(&mut self, card: BarbuCard) -> Option<TakenTrick> {
        let mover = self.mover();
        debug_assert!(self.hands[mover].has(card));
        self.hands[mover].remove(card);
        self.table.push(card);
        let cards: [BarbuCard; SEATS] = self.table.as_slice().try_into().ok()?;
        let best = best(&cards, self.trumps);
        let trick = TakenTrick {
            leader: self.leader,
            cards,
            taker: (self.leader + best) % SEATS,
        };
        self.leader = trick.taker;
        self.table.clear();
        self.taken.push(trick);
        Some(trick)
    }

    /// Whether all cards are played.
    pub fn is_played_out(&self) -> bool {
        self.taken.len() == HAND
    }

    /// Whether the game is over: all cards are played, or all that counts is taken where the game
    /// ends with that, which is at queens and at barbu.
    pub fn is_over(&self) -> bool {
        let taken = || self.taken.iter().flat_map(|trick| trick.cards);
        self.is_played_out()
            || match self.contract {
                Contract::Queens => taken().filter(|card| card.rank() == QUEEN).count() == 4,
                Contract::Barbu => taken().any(|card| card == BarbuCard::BARBU),
                _ => false,
            }
    }

    /// The score of every seat, without doubling.
    pub fn raw(&self) -> [i64; SEATS] {
        raw(self.contract, &self.taken)
    }
}

/// The cards of a hand that may be played when `led` was led, or led when nothing was.
pub fn legal(contract: Contract, hand: Cards, led: Option<BarbuSuit>) -> Cards {
    let preferred = match led {
        Some(suit) => hand.of(suit),
        None if contract == Contract::Hearts => hand.without(hand.of(BarbuSuit::Hearts)),
        None => hand,
    };
    if preferred.is_empty() {
        hand
    } else {
        preferred
    }
}

/// The position of the card that takes a trick, or would if no more were played: the highest trump,
/// or without any the highest of the suit that was led.
pub fn best(cards: &[BarbuCard], trumps: Option<BarbuSuit>) -> usize {
    let worth = |card: BarbuCard| {
        let led = card.suit() == cards[0].suit();
        let rank = i16::from(card.rank());
        match trumps {
            Some(suit) if suit == card.suit() => 100 + rank,
            _ if led => rank,
            _ => -1,
        }
    };
    let mut best = 0;
    for position in 1..cards.len() {
        if worth(cards[position]) > worth(cards[best]) {
            best = position;
        }
    }
    best
}

/// What these tricks are worth to every seat.
fn raw(contract: Contract, taken: &[TakenTrick]) -> [i64; SEATS] {
    let mut scores = [0; SEATS];
    match contract {
        Contract::Ravage => return ravage(taken),
        Contract::LastTwo => {
            for (index, score) in [(HAND - 2, -10), (HAND - 1, -20)] {
                if let Some(trick) = taken.get(index) {
                    scores[trick.taker] += score;
                }
            }
        }
        _ => {
            for trick in taken {
                let cards: i64 = trick.cards.iter().map(|&card| worth(contract, card)).sum();
                let itself = match contract {
                    Contract::Nullo => -2,
                    Contract::Trumps => 5,
                    _ => 0,
                };
                scores[trick.taker] += itself + cards;
            }
        }
    }
    scores
}

/// What taking this card costs, in the games in which cards count by themselves.
pub fn worth(contract: Contract, card: BarbuCard) -> i64 {
    match contract {
        Contract::Queens if card.rank() == QUEEN => -6,
        Contract::Barbu if card == BarbuCard::BARBU => -18,
        Contract::Hearts if card.suit() == BarbuSuit::Hearts && card.rank() == ACE => -6,
        Contract::Hearts if card.suit() == BarbuSuit::Hearts => -2,
        _ => 0,
    }
}

/// How many cards of each suit each seat has taken.
pub fn counts(taken: &[TakenTrick]) -> [[usize; 4]; SEATS] {
    let mut counts = [[0; 4]; SEATS];
    for trick in taken {
        for card in trick.cards {
            counts[trick.taker][card.suit() as usize] += 1;
        }
    }
    counts
}

/// -36, shared by all whose longest suit is the longest of all.
fn ravage(taken: &[TakenTrick]) -> [i64; SEATS] {
    let longest = counts(taken).map(|suits| suits.into_iter().max().unwrap_or(0));
    let most = longest.into_iter().max().unwrap_or(0);
    let sharing = longest.iter().filter(|&&count| count == most).count() as i64;
    longest.map(|count| {
        if count == most && most > 0 {
            -36 / sharing
        } else {
            0
        }
    })
}

impl IllegalCard {
    /// Whether a lenient referee lets it pass.
    pub fn is_revoke(self) -> bool {
        matches!(self, IllegalCard::Revoke(..))
    }
}

impl fmt::Display for IllegalCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IllegalCard::NotHeld(card) => write!(f, "played {card}, which it does not hold"),
            IllegalCard::Revoke(card, suit) => {
                write!(f, "played {card} and could have followed {}", suit.letter())
            }
            IllegalCard::HeartLed(card) => {
                write!(f, "led {card} at hearts, and holds other suits")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cards(text: &str) -> Vec<BarbuCard> {
        text.split(' ')
            .map(|word| BarbuCard::parse(word.as_bytes()).unwrap())
            .collect()
    }

    fn card(word: &str) -> BarbuCard {
        cards(word)[0]
    }

    fn trick(taker: usize, text: &str) -> TakenTrick {
        TakenTrick {
            leader: 0,
            cards: cards(text).try_into().unwrap(),
            taker,
        }
    }

    fn hands(texts: [&str; 4]) -> [Cards; 4] {
        texts.map(|text| cards(text).into_iter().collect())
    }

    /// Thirteen tricks of one suit each and a remainder, taken as listed.
    fn suits(takers: [usize; 13]) -> Vec<TakenTrick> {
        let rows = [
            "2c 3c 4c 5c",
            "6c 7c 8c 9c",
            "tc jc qc kc",
            "2d 3d 4d 5d",
            "6d 7d 8d 9d",
            "td jd qd kd",
            "2h 3h 4h 5h",
            "6h 7h 8h 9h",
            "th jh qh kh",
            "2s 3s 4s 5s",
            "6s 7s 8s 9s",
            "ts js qs ks",
            "ac ad ah as",
        ];
        takers
            .iter()
            .zip(rows)
            .map(|(&taker, row)| trick(taker, row))
            .collect()
    }

    #[test]
    fn the_highest_of_the_suit_that_was_led_takes_a_trick() {
        assert_eq!(best(&cards("5c ac kc 2c"), None), 1);
        assert_eq!(best(&cards("5c ad kd as"), None), 0);
        assert_eq!(best(&cards("5c"), None), 0);
        assert_eq!(best(&cards("5c ac 2h as"), Some(BarbuSuit::Hearts)), 2);
        assert_eq!(best(&cards("5c 3h 2h as"), Some(BarbuSuit::Hearts)), 1);
        assert_eq!(best(&cards("5h 3h ah as"), Some(BarbuSuit::Hearts)), 2);
    }

    #[test]
    fn suits_are_followed() {
        let mut game = Tricks::new(
            Contract::Nullo,
            None,
            hands(["2c 3d", "4c 5d", "6d 7h", "8c 9c"]),
        );
        assert_eq!(
            game.check(card("4c")),
            Err(IllegalCard::NotHeld(card("4c")))
        );
        assert_eq!(game.check(card("3d")), Ok(()));
        game.play(card("2c"));
        assert_eq!(
            game.check(card("5d")),
            Err(IllegalCard::Revoke(card("5d"), BarbuSuit::Clubs))
        );
        game.play(card("4c"));
        assert_eq!(game.check(card("7h")), Ok(()));
        game.play(card("6d"));
        let trick = game.play(card("9c")).unwrap();
        assert_eq!((trick.taker, game.mover()), (3, 3));
    }

    #[test]
    fn a_heart_is_led_at_hearts_only_from_a_hand_of_hearts() {
        let game = |hand| Tricks::new(Contract::Hearts, None, hands([hand, "4c", "6d", "8c"]));
        let mixed = game("2h 3d");
        assert_eq!(
            mixed.check(card("2h")),
            Err(IllegalCard::HeartLed(card("2h")))
        );
        assert!(!IllegalCard::HeartLed(card("2h")).is_revoke());
        assert_eq!(mixed.check(card("3d")), Ok(()));
        assert_eq!(game("2h 3h").check(card("2h")), Ok(()));
        // At the other games it may always be led.
        let barbu = Tricks::new(Contract::Barbu, None, hands(["2h 3d", "4c", "6d", "8c"]));
        assert_eq!(barbu.check(card("2h")), Ok(()));
        // And it may be thrown on any suit that cannot be followed.
        assert_eq!(
            legal(
                Contract::Hearts,
                hands(["2h 3d", "4c", "4c", "4c"])[0],
                Some(BarbuSuit::Spades)
            )
            .len(),
            2
        );
    }

    // Worked by hand, from the table of the games.
    #[test]
    fn nullo_counts_tricks() {
        let taken = suits([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3]);
        assert_eq!(raw(Contract::Nullo, &taken), [-12, -8, -4, -2]);
        assert_eq!(raw(Contract::Nullo, &suits([2; 13])), [0, 0, -26, 0]);
    }

    #[test]
    fn queens_cost_six_each_and_end_the_game() {
        let taken = [
            trick(1, "qc 2c 3c qd"),
            trick(0, "2h qh ah 3h"),
            trick(3, "4c 5c 6c qs"),
        ];
        assert_eq!(raw(Contract::Queens, &taken), [-6, -12, 0, -6]);
        let mut game = Tricks::new(
            Contract::Queens,
            None,
            hands(["qc 2h 4c 2s", "2c qh 5c 3s", "3c ah 6c 4s", "qd 3h qs 5s"]),
        );
        for word in ["qc", "2c", "3c", "qd", "2h", "qh", "ah", "3h"] {
            game.play(card(word));
        }
        assert!(!game.is_over());
        // 2 took the hearts and leads; the game ends with the whole trick of the fourth queen.
        for word in ["4s", "qs", "2s"] {
            assert!(!game.is_over());
            game.play(card(word));
        }
        game.play(card("3s"));
        assert!(game.is_over() && !game.is_played_out());
        assert_eq!(game.raw(), [-12, 0, -6, -6]);
    }

    #[test]
    fn the_king_of_hearts_costs_eighteen_and_ends_the_game_with_its_trick() {
        let mut game = Tricks::new(
            Contract::Barbu,
            None,
            hands(["ah 2c", "5h 3c", "6h 4c", "kh 5c"]),
        );
        for word in ["ah", "5h", "6h"] {
            game.play(card(word));
        }
        assert!(!game.is_over());
        game.play(card("kh"));
        assert!(game.is_over());
        assert_eq!(game.raw(), [-18, 0, 0, 0]);
        assert_eq!(raw(Contract::Barbu, &[trick(1, "ah qh 2h 3h")]), [0; 4]);
    }

    #[test]
    fn hearts_cost_two_and_their_ace_six() {
        let taken = [
            trick(0, "2h 3h 4c 5c"),
            trick(1, "ah kh 4s 5s"),
            trick(2, "2c 3c as ks"),
        ];
        assert_eq!(raw(Contract::Hearts, &taken), [-4, -8, 0, 0]);
        let all = suits([0, 0, 0, 0, 0, 0, 3, 3, 3, 1, 1, 1, 3]);
        assert_eq!(raw(Contract::Hearts, &all), [0, 0, 0, -30]);
    }

    #[test]
    fn the_last_two_tricks_cost_ten_and_twenty() {
        let taken = suits([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3]);
        assert_eq!(raw(Contract::LastTwo, &taken), [0, 0, -10, -20]);
        assert_eq!(raw(Contract::LastTwo, &suits([1; 13])), [0, -30, 0, 0]);
        assert_eq!(raw(Contract::LastTwo, &taken[..11]), [0; 4]);
    }

    #[test]
    fn ravage_is_shared_by_those_with_the_most_cards_of_a_suit() {
        // 0 takes all clubs but the ace: 12. Nobody else has as many of a suit.
        let taken = suits([0, 0, 0, 1, 1, 2, 3, 3, 2, 1, 2, 3, 1]);
        assert_eq!(raw(Contract::Ravage, &taken), [-36, 0, 0, 0]);
        // Twelve clubs to 0, twelve spades to 1; 2 has nine diamonds, 3 eight hearts.
        let taken = suits([0, 0, 0, 2, 2, 3, 3, 3, 2, 1, 1, 1, 2]);
        assert_eq!(raw(Contract::Ravage, &taken), [-18, -18, 0, 0]);
        // Three with twelve, then all four.
        let taken = suits([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 2, 3]);
        assert_eq!(raw(Contract::Ravage, &taken), [-12, -12, -12, 0]);
        let mut taken = suits([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3]);
        taken[12] = trick(3, "ac ad ah 2h");
        assert_eq!(raw(Contract::Ravage, &taken), [-9, -9, -9, -9]);
        // Two suits of the same length at one seat are one share.
        let taken = suits([0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3]);
        assert_eq!(raw(Contract::Ravage, &taken), [-36, 0, 0, 0]);
    }

    #[test]
    fn trumps_count_tricks() {
        let taken = suits([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3]);
        assert_eq!(raw(Contract::Trumps, &taken), [30, 20, 10, 5]);
    }

    #[test]
    fn nothing_is_worse_than_the_worst() {
        let all_to_one = suits([2; 13]);
        for contract in Contract::ALL {
            let worst = contract.worst();
            match contract {
                Contract::Trumps => assert_eq!(raw(contract, &all_to_one)[0], worst),
                Contract::Dominoes => {}
                _ => assert_eq!(raw(contract, &all_to_one)[2], worst, "{contract:?}"),
            }
        }
    }
}
