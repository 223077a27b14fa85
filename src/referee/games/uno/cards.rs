//! The cards of Uno and how they are written: a value (`A`, `2` to `10`, `V`, `D`, `R`, `C`) and a
//! suit (`♥ ♦ ♣ ♠`). Jokers, `C`, have the suits ♥ and ♣ only.

use std::fmt;

/// A suit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum UnoSuit {
    Hearts,
    Diamonds,
    Clubs,
    Spades,
}

/// A value. What each does is in `rules`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum UnoValue {
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
pub struct UnoCard {
    pub value: UnoValue,
    pub suit: UnoSuit,
}

impl UnoSuit {
    pub const ALL: [UnoSuit; 4] = [
        UnoSuit::Hearts,
        UnoSuit::Diamonds,
        UnoSuit::Clubs,
        UnoSuit::Spades,
    ];

    fn symbol(self) -> &'static str {
        match self {
            UnoSuit::Hearts => "♥",
            UnoSuit::Diamonds => "♦",
            UnoSuit::Clubs => "♣",
            UnoSuit::Spades => "♠",
        }
    }

    /// The suit that these bytes are, exactly.
    pub fn parse(bytes: &[u8]) -> Option<UnoSuit> {
        UnoSuit::ALL
            .into_iter()
            .find(|suit| suit.symbol().as_bytes() == bytes)
    }
}

impl UnoValue {
    /// Whether the card asks for a suit and can be played on any card.
    pub fn is_wild(self) -> bool {
        matches!(self, UnoValue::Ace | UnoValue::Joker)
    }

    /// What the next player owes.
    pub fn debt(self) -> u64 {
        match self {
            UnoValue::Jack => 2,
            UnoValue::Joker => 4,
            _ => 0,
        }
    }

    fn parse(bytes: &[u8]) -> Option<UnoValue> {
        Some(match bytes {
            b"A" => UnoValue::Ace,
            b"V" => UnoValue::Jack,
            b"D" => UnoValue::Queen,
            b"R" => UnoValue::King,
            b"C" => UnoValue::Joker,
            b"10" => UnoValue::Number(10),
            [digit @ b'2'..=b'9'] => UnoValue::Number(digit - b'0'),
            _ => return None,
        })
    }
}

impl UnoCard {
    /// The card that these bytes are, exactly. `C♦` and `C♠` are none.
    pub fn parse(bytes: &[u8]) -> Option<UnoCard> {
        let (value, suit) = bytes.split_at_checked(bytes.len().checked_sub(3)?)?;
        let card = UnoCard {
            value: UnoValue::parse(value)?,
            suit: UnoSuit::parse(suit)?,
        };
        card.exists().then_some(card)
    }

    fn exists(self) -> bool {
        self.value != UnoValue::Joker || matches!(self.suit, UnoSuit::Hearts | UnoSuit::Clubs)
    }

    /// Every card of one deck, 54 of them.
    pub fn deck() -> impl Iterator<Item = UnoCard> {
        let values = [UnoValue::Ace]
            .into_iter()
            .chain((2..=10).map(UnoValue::Number))
            .chain([
                UnoValue::Jack,
                UnoValue::Queen,
                UnoValue::King,
                UnoValue::Joker,
            ]);
        values
            .flat_map(|value| UnoSuit::ALL.map(|suit| UnoCard { value, suit }))
            .filter(|card| card.exists())
    }
}

impl fmt::Display for UnoSuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

impl fmt::Display for UnoCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            UnoValue::Ace => f.write_str("A"),
            UnoValue::Number(number) => write!(f, "{number}"),
            UnoValue::Jack => f.write_str("V"),
            UnoValue::Queen => f.write_str("D"),
            UnoValue::King => f.write_str("R"),
            UnoValue::Joker => f.write_str("C"),
        }?;
        write!(f, "{}", self.suit)
    }
}

/// Cards with blanks between them, as in a hand.
pub fn list(cards: &[UnoCard]) -> String {
    let words: Vec<String> = cards.iter().map(UnoCard::to_string).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deck_has_54_cards_each_written_and_read_back() {
        let deck: Vec<UnoCard> = UnoCard::deck().collect();
        assert_eq!(deck.len(), 54);
        for card in &deck {
            assert_eq!(UnoCard::parse(card.to_string().as_bytes()), Some(*card));
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
            assert_eq!(UnoCard::parse(word.as_bytes()), None, "{word}");
        }
        assert_eq!(UnoCard::parse(b"4\xe2\x99"), None);
        assert_eq!(UnoSuit::parse("♥ ".as_bytes()), None);
    }
}
