//! The cards of Uno and how they are written: a value (`A`, `2` to `10`, `V`, `D`, `R`, `C`) and a
//! suit (`♥ ♦ ♣ ♠`). Jokers, `C`, have the suits ♥ and ♣ only.

use std::fmt;

/// A suit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Suit {
    Hearts,
    Diamonds,
    Clubs,
    Spades,
}

/// A value. What each does is in `rules`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Value {
    Ace,
    /// 2 to 10.
    Number(u8),
    /// V, the jack.
    Jack,
    /// D, the queen.
    Queen,
    /// R, the king.
    King,
    /// C, the joker.
    Joker,
}

/// A card.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Card {
    pub value: Value,
    pub suit: Suit,
}

impl Suit {
    pub const ALL: [Suit; 4] = [Suit::Hearts, Suit::Diamonds, Suit::Clubs, Suit::Spades];

    fn symbol(self) -> &'static str {
        match self {
            Suit::Hearts => "♥",
            Suit::Diamonds => "♦",
            Suit::Clubs => "♣",
            Suit::Spades => "♠",
        }
    }

    /// The suit that these bytes are, exactly.
    pub fn parse(bytes: &[u8]) -> Option<Suit> {
        Suit::ALL
            .into_iter()
            .find(|suit| suit.symbol().as_bytes() == bytes)
    }
}

impl Value {
    /// Whether the card asks for a suit and can be played on any card.
    pub fn is_wild(self) -> bool {
        matches!(self, Value::Ace | Value::Joker)
    }

    /// What the next player owes.
    pub fn debt(self) -> u64 {
        match self {
            Value::Jack => 2,
            Value::Joker => 4,
            _ => 0,
        }
    }

    fn parse(bytes: &[u8]) -> Option<Value> {
        Some(match bytes {
            b"A" => Value::Ace,
            b"V" => Value::Jack,
            b"D" => Value::Queen,
            b"R" => Value::King,
            b"C" => Value::Joker,
            b"10" => Value::Number(10),
            [digit @ b'2'..=b'9'] => Value::Number(digit - b'0'),
            _ => return None,
        })
    }
}

impl Card {
    /// The card that these bytes are, exactly. `C♦` and `C♠` are none.
    pub fn parse(bytes: &[u8]) -> Option<Card> {
        let (value, suit) = bytes.split_at_checked(bytes.len().checked_sub(3)?)?;
        let card = Card {
            value: Value::parse(value)?,
            suit: Suit::parse(suit)?,
        };
        card.exists().then_some(card)
    }

    fn exists(self) -> bool {
        self.value != Value::Joker || matches!(self.suit, Suit::Hearts | Suit::Clubs)
    }

    /// Every card of one deck, 54 of them.
    pub fn deck() -> impl Iterator<Item = Card> {
        let values = [Value::Ace]
            .into_iter()
            .chain((2..=10).map(Value::Number))
            .chain([Value::Jack, Value::Queen, Value::King, Value::Joker]);
        values
            .flat_map(|value| Suit::ALL.map(|suit| Card { value, suit }))
            .filter(|card| card.exists())
    }
}

impl fmt::Display for Suit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Value::Ace => f.write_str("A"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Jack => f.write_str("V"),
            Value::Queen => f.write_str("D"),
            Value::King => f.write_str("R"),
            Value::Joker => f.write_str("C"),
        }?;
        write!(f, "{}", self.suit)
    }
}

/// Cards with blanks between them, as in a hand.
pub fn list(cards: &[Card]) -> String {
    let words: Vec<String> = cards.iter().map(Card::to_string).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deck_has_54_cards_each_written_and_read_back() {
        let deck: Vec<Card> = Card::deck().collect();
        assert_eq!(deck.len(), 54);
        for card in &deck {
            assert_eq!(Card::parse(card.to_string().as_bytes()), Some(*card));
        }
        let mut sorted = deck.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), 54);
        assert_eq!(list(&deck[..5]), "A♥ A♦ A♣ A♠ 2♥");
    }

    #[test]
    fn only_exact_words_are_cards() {
        for word in [
            "", "♥", "1♥", "11♥", "a♥", "A", "AH", "C♦", "C♠", "10", "4♥♥", "4♡", "04♥", " 4♥",
        ] {
            assert_eq!(Card::parse(word.as_bytes()), None, "{word}");
        }
        assert_eq!(Card::parse(b"4\xe2\x99"), None);
        assert_eq!(Suit::parse("♥ ".as_bytes()), None);
    }
}
