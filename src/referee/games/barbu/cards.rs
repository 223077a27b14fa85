//! The 52 cards and how they are written: a rank of `23456789tjqka` and a suit of `cdhs`.

use std::fmt;

use crate::chance::Generator;

/// How many play.
pub const SEATS: usize = 4;
/// Cards of a hand, and of a suit.
pub const HAND: usize = 13;

/// The letters of the ranks, lowest first.
const RANKS: &[u8; 13] = b"23456789tjqka";
/// The ranks that some game names.
pub const QUEEN: u8 = 10;
pub const KING: u8 = 11;
pub const ACE: u8 = 12;

/// A suit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BarbuSuit {
    Clubs,
    Diamonds,
    Hearts,
    Spades,
}

/// A card, in the order of suits and within a suit of ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct BarbuCard(u8);

/// A set of cards.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cards(u64);

impl BarbuSuit {
    /// The four suits, in the order of [`BarbuCard`]s.
    pub const ALL: [BarbuSuit; 4] = [
        BarbuSuit::Clubs,
        BarbuSuit::Diamonds,
        BarbuSuit::Hearts,
        BarbuSuit::Spades,
    ];

    /// The suit's letter.
    pub fn letter(self) -> char {
        ['c', 'd', 'h', 's'][self as usize]
    }

    /// The suit of this letter.
    pub fn parse(letter: u8) -> Option<BarbuSuit> {
        BarbuSuit::ALL
            .into_iter()
            .find(|suit| suit.letter() == char::from(letter))
    }
}

impl BarbuCard {
    /// The king of hearts, which Barbu is named after.
    pub const BARBU: BarbuCard = BarbuCard::new(KING, BarbuSuit::Hearts);

    /// The card of a rank, 0 for the 2 up to 12 for the ace, and a suit.
    pub const fn new(rank: u8, suit: BarbuSuit) -> BarbuCard {
        BarbuCard(suit as u8 * 13 + rank)
    }

    /// 0 for the 2 up to 12 for the ace.
    pub fn rank(self) -> u8 {
        self.0 % 13
    }

    /// The suit.
    pub fn suit(self) -> BarbuSuit {
        BarbuSuit::ALL[usize::from(self.0 / 13)]
    }

    /// The card that these bytes are, exactly.
    pub fn parse(bytes: &[u8]) -> Option<BarbuCard> {
        let &[rank, suit] = bytes else {
            return None;
        };
        let rank = RANKS.iter().position(|&letter| letter == rank)?;
        Some(BarbuCard::new(rank as u8, BarbuSuit::parse(suit)?))
    }
}

impl fmt::Display for BarbuCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = char::from(RANKS[usize::from(self.rank())]);
        write!(f, "{rank}{}", self.suit().letter())
    }
}

impl Cards {
    /// All 52.
    pub const ALL: Cards = Cards((1 << 52) - 1);

    /// Whether the card is in it.
    pub fn has(self, card: BarbuCard) -> bool {
        self.0 & (1 << card.0) != 0
    }

    /// Puts a card in.
    pub fn insert(&mut self, card: BarbuCard) {
        self.0 |= 1 << card.0;
    }

    /// Takes a card out.
    pub fn remove(&mut self, card: BarbuCard) {
        self.0 &= !(1 << card.0);
    }

    /// Those of one suit.
    pub fn of(self, suit: BarbuSuit) -> Cards {
        Cards(self.0 & (0x1fff << (13 * suit as u64)))
    }

    /// Those that are not in `other`.
    pub fn without(self, other: Cards) -> Cards {
        Cards(self.0 & !other.0)
    }

    /// Those in either.
    pub fn and(self, other: Cards) -> Cards {
        Cards(self.0 | other.0)
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The cards, lowest first.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = BarbuCard> {
        (0..52)
            .filter(move |index| self.0 & (1 << index) != 0)
            .map(BarbuCard)
    }
}

impl FromIterator<BarbuCard> for Cards {
    fn from_iter<I: IntoIterator<Item = BarbuCard>>(cards: I) -> Cards {
        let mut set = Cards::default();
        cards.into_iter().for_each(|card| set.insert(card));
        set
    }
}

/// Four hands of thirteen, each in the order in which it was dealt.
pub type DealtHands = [Vec<BarbuCard>; SEATS];

/// Deals.
pub fn deal(random: &mut Generator) -> DealtHands {
    let mut deck: Vec<BarbuCard> = Cards::ALL.iter().collect();
    random.shuffle(&mut deck);
    std::array::from_fn(|seat| deck[seat * HAND..(seat + 1) * HAND].to_vec())
}

/// Cards with blanks between them.
pub fn list(cards: impl IntoIterator<Item = BarbuCard>) -> String {
    let words: Vec<String> = cards.into_iter().map(|card| card.to_string()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_52_are_written_and_read_back() {
        let deck: Vec<BarbuCard> = Cards::ALL.iter().collect();
        assert_eq!(deck.len(), 52);
        assert!(deck.is_sorted());
        for card in &deck {
            assert_eq!(BarbuCard::parse(card.to_string().as_bytes()), Some(*card));
            assert_eq!(BarbuCard::new(card.rank(), card.suit()), *card);
        }
        assert_eq!(list(deck[11..15].iter().copied()), "kc ac 2d 3d");
        assert_eq!(BarbuCard::BARBU.to_string(), "kh");
    }

    #[test]
    fn only_exact_words_are_cards() {
        for word in [
            "", "k", "kH", "Kh", "KH", "10h", "1h", "kx", "khh", " kh", "kh ", "hk",
        ] {
            assert_eq!(BarbuCard::parse(word.as_bytes()), None, "{word}");
        }
        assert_eq!(BarbuCard::parse(b"k\xff"), None);
        assert_eq!(BarbuCard::parse(b"\0h"), None);
    }

    #[test]
    fn a_deal_gives_every_card_once() {
        let hands = deal(&mut Generator::of(3, 1, 0));
        let all: Cards = hands.iter().flatten().copied().collect();
        assert_eq!(all, Cards::ALL);
        assert!(hands.iter().all(|hand| hand.len() == HAND));
        assert_ne!(hands, deal(&mut Generator::of(3, 2, 0)));
    }

    #[test]
    fn sets_know_their_suits() {
        let kings: Cards = BarbuSuit::ALL
            .map(|suit| BarbuCard::new(KING, suit))
            .into_iter()
            .collect();
        assert_eq!(list(kings.of(BarbuSuit::Spades).iter()), "ks");
        assert_eq!(kings.len(), 4);
        assert_eq!(
            list(kings.without(kings.of(BarbuSuit::Hearts)).iter()),
            "kc kd ks"
        );
    }
}
