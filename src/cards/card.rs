//! One card: its rank, and its suit where one was told.

use std::fmt;

/// The rank of a card. Plain cards of unknown number are [`Rank::Plain`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // the names say it all
pub enum Rank {
    Plain,
    Two,
    Three,
    Four,
    Five,
    Six,
    Seven,
    Eight,
    Nine,
    Ten,
    Jack,
    Queen,
    King,
    Ace,
}

impl Rank {
    /// What the other player owes when this card is laid: 0 for a plain card, 1 to 4 for
    /// J, Q, K, A.
    pub const fn pays(self) -> u8 {
        match self {
            Rank::Jack => 1,
            Rank::Queen => 2,
            Rank::King => 3,
            Rank::Ace => 4,
            _ => 0,
        }
    }

    /// The rank that pays `pays` cards (0 to 4); `None` beyond.
    pub const fn paying(pays: u8) -> Option<Rank> {
        match pays {
            0 => Some(Rank::Plain),
            1 => Some(Rank::Jack),
            2 => Some(Rank::Queen),
            3 => Some(Rank::King),
            4 => Some(Rank::Ace),
            _ => None,
        }
    }

    pub(super) const fn symbol(self) -> &'static str {
        match self {
            Rank::Plain => "-",
            Rank::Two => "2",
            Rank::Three => "3",
            Rank::Four => "4",
            Rank::Five => "5",
            Rank::Six => "6",
            Rank::Seven => "7",
            Rank::Eight => "8",
            Rank::Nine => "9",
            Rank::Ten => "10",
            Rank::Jack => "J",
            Rank::Queen => "Q",
            Rank::King => "K",
            Rank::Ace => "A",
        }
    }
}

/// The suit of a card. It never changes a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Suit {
    Hearts,
    Diamonds,
    Clubs,
    Spades,
}

impl Suit {
    const fn symbol(self) -> char {
        match self {
            Suit::Hearts => '♥',
            Suit::Diamonds => '♦',
            Suit::Clubs => '♣',
            Suit::Spades => '♠',
        }
    }
}

/// A card as far as it was told: a rank, and perhaps a suit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Card {
    /// The rank.
    pub rank: Rank,
    /// The suit, if one was told.
    pub suit: Option<Suit>,
}

impl Card {
    /// A plain card of unknown number.
    pub const PLAIN: Card = Card::of(Rank::Plain);

    /// A card of this rank and no told suit.
    pub const fn of(rank: Rank) -> Card {
        Card { rank, suit: None }
    }

    /// The card without suit that pays `pays` (0 to 4); `None` beyond.
    pub const fn paying(pays: u8) -> Option<Card> {
        match Rank::paying(pays) {
            Some(rank) => Some(Card::of(rank)),
            None => None,
        }
    }

    /// What the other player owes when this card is laid, 0 to 4.
    pub const fn pays(self) -> u8 {
        self.rank.pays()
    }

    /// The symbol of the card in a skeleton: `-`, `J`, `Q`, `K` or `A`.
    pub const fn skeleton(self) -> char {
        match self.rank {
            Rank::Jack => 'J',
            Rank::Queen => 'Q',
            Rank::King => 'K',
            Rank::Ace => 'A',
            _ => '-',
        }
    }

    /// The digit of the card where digits are payments: `0` to `4`.
    pub const fn digit(self) -> char {
        (b'0' + self.pays()) as char
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rank.symbol())?;
        match self.suit {
            Some(suit) => write!(f, "{}", suit.symbol()),
            None => Ok(()),
        }
    }
}
