//! Decks: how many cards of each kind, and how they are split into two hands.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::counting::multinomial;
use super::deal::{Deal, MAX_CARDS, Player};
use super::notation::{Notation, Reader};

/// Kinds of cards: plain, and those that pay 1, 2, 3, 4.
pub const KINDS: usize = 5;

/// A deck: how many cards pay 0 (plain), 1, 2, 3, 4, and how many go to each hand.
///
/// Written `standard`, `italian`, `half`, or as counts, `plain=28,1=4,2=4,3=4`; hands that are not
/// as equal as can be are added, `standard,hands=30/22`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Deck {
    counts: [usize; KINDS],
    hands: [usize; 2],
    digits: bool,
}

/// Why a text is no deck, or a deal is not of a deck.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DeckError {
    /// The text is neither a name nor counts.
    #[error(
        "{0:?} is no deck: accepted are standard, italian, half, or counts such as \
         plain=28,1=4,2=4,3=4 (kinds plain 1 2 3 4, or plain J Q K A), \
         each perhaps with ,hands=A/B"
    )]
    Unknown(String),
    /// A kind is given twice.
    #[error("the deck names {0} twice: give each kind once")]
    Twice(String),
    /// No cards at all.
    #[error("the deck has no cards: give at least one kind a count over 0")]
    Empty,
    /// Too many cards.
    #[error("the deck has {0} cards: at most {MAX_CARDS} are accepted")]
    TooLarge(usize),
    /// The hands do not add up.
    #[error("hands of {0} and {1} cards do not add up to the deck's {2} cards")]
    Hands(usize, usize, usize),
    /// A deal with another composition.
    #[error("the deal is not of the deck {deck}: it has {has} {kind}, the deck {wants}")]
    Composition {
        /// The deck.
        deck: String,
        /// The first kind that differs.
        kind: &'static str,
        /// The deal's count.
        has: usize,
        /// The deck's count.
        wants: usize,
    },
    /// A deal with other hand sizes.
    #[error(
        "the deal is not of the deck {deck}: hand {player} has {has} cards, the deck deals {wants}"
    )]
    HandSize {
        /// The deck.
        deck: String,
        /// The hand.
        player: Player,
        /// Its cards.
        has: usize,
        /// What the deck deals.
        wants: usize,
    },
}

/// The decks with a name; the flag says whether its deals are written in digits.
const NAMED: [(&str, [usize; KINDS], bool); 3] = [
    ("standard", [36, 4, 4, 4, 4], false),
    ("italian", [28, 4, 4, 4, 0], true),
    ("half", [14, 2, 2, 2, 0], true),
];

/// The deck of a name, with its number of cards added or not (`standard-52`).
fn named_at(text: &str) -> Option<usize> {
    NAMED.iter().position(|(name, counts, _)| {
        text.strip_prefix(name).is_some_and(|rest| {
            rest.is_empty()
                || rest.strip_prefix('-') == Some(&counts.iter().sum::<usize>().to_string())
        })
    })
}

const LETTERS: [&str; KINDS] = ["plain", "J", "Q", "K", "A"];
const DIGITS: [&str; KINDS] = ["plain", "1", "2", "3", "4"];

impl Deck {
    /// 52 cards: 36 plain, 4 each of J Q K A.
    pub fn standard() -> Deck {
        Deck::named(0)
    }

    /// 40 cards: 28 plain, 4 each that pay 1, 2, 3.
    pub fn italian() -> Deck {
        Deck::named(1)
    }

    /// 20 cards: 14 plain, 2 each that pay 1, 2, 3.
    pub fn half() -> Deck {
        Deck::named(2)
    }

    fn named(at: usize) -> Deck {
        let (_, counts, digits) = NAMED[at];
        Deck {
            digits,
            ..Deck::new(counts).expect("a named deck is sound")
        }
    }

    /// A deck of these counts (plain, then 1 to 4), hands as equal as can be, A having the odd
    /// card.
    ///
    /// # Errors
    /// [`DeckError::Empty`], [`DeckError::TooLarge`].
    pub fn new(counts: [usize; KINDS]) -> Result<Deck, DeckError> {
        let total = counts.iter().fold(0usize, |sum, &n| sum.saturating_add(n));
        match total {
            0 => Err(DeckError::Empty),
            n if n > MAX_CARDS => Err(DeckError::TooLarge(n)),
            n => Ok(Deck {
                counts,
                hands: [n.div_ceil(2), n / 2],
                digits: false,
            }),
        }
    }

    /// The same cards dealt into hands of `a` and `b`.
    ///
    /// # Errors
    /// [`DeckError::Hands`] if they do not add up.
    pub fn with_hands(self, a: usize, b: usize) -> Result<Deck, DeckError> {
        if a.checked_add(b) == Some(self.len()) {
            Ok(Deck {
                hands: [a, b],
                ..self
            })
        } else {
            Err(DeckError::Hands(a, b, self.len()))
        }
    }

    /// The deck a deal was dealt from; its digits are read as `digits` says.
    pub fn of(deal: &Deal, digits: bool) -> Deck {
        let hands = [Player::A, Player::B].map(|player| deal.hand(player).len());
        Deck {
            counts: deal.composition(),
            hands,
            digits,
        }
    }

    /// How many cards pay 0 (plain), 1, 2, 3, 4.
    pub fn counts(&self) -> [usize; KINDS] {
        self.counts
    }

    /// How many cards A and B get.
    pub fn hands(&self) -> [usize; 2] {
        self.hands
    }

    /// All cards.
    pub fn len(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Never: a deck has at least one card.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All payment cards.
    pub fn payment_cards(&self) -> usize {
        self.counts[1..].iter().sum()
    }

    /// Whether deals of this deck are written in digits (`0` to `4` say what a card pays).
    pub fn digits(&self) -> bool {
        self.digits
    }

    /// The number of different deals, or `None` if it is 2^128 or more.
    pub fn deals(&self) -> Option<u128> {
        multinomial(&self.counts)
    }

    /// Whether the hands are as equal as can be, A having the odd card.
    pub fn is_balanced(&self) -> bool {
        self.hands == [self.len().div_ceil(2), self.len() / 2]
    }

    /// A deal as results write it: in letters, or in digits where the deck's deals are.
    pub fn write(&self, deal: &Deal) -> String {
        let notation = if self.digits {
            Notation::Digits
        } else {
            Notation::Skeleton
        };
        notation.write(deal).expect("every deal has this form")
    }

    /// What reads deals as [`write`](Deck::write) writes them.
    pub fn reader(&self) -> Reader {
        Reader {
            digits: self.digits,
            ..Reader::default()
        }
    }

    /// Checks that `deal` is of this deck.
    ///
    /// # Errors
    /// [`DeckError::Composition`] or [`DeckError::HandSize`] with the first difference.
    pub fn check(&self, deal: &Deal) -> Result<(), DeckError> {
        let names = if self.digits { DIGITS } else { LETTERS };
        let composition = deal.composition();
        for kind in 0..KINDS {
            if composition[kind] != self.counts[kind] {
                return Err(DeckError::Composition {
                    deck: self.to_string(),
                    kind: names[kind],
                    has: composition[kind],
                    wants: self.counts[kind],
                });
            }
        }
        for player in [Player::A, Player::B] {
            let (has, wants) = (deal.hand(player).len(), self.hands[player.index()]);
            if has != wants {
                return Err(DeckError::HandSize {
                    deck: self.to_string(),
                    player,
                    has,
                    wants,
                });
            }
        }
        Ok(())
    }
}

impl FromStr for Deck {
    type Err = DeckError;

    fn from_str(text: &str) -> Result<Deck, DeckError> {
        let unknown = || DeckError::Unknown(text.chars().take(80).collect());
        let mut named = None;
        let mut counts = [None; KINDS];
        let mut hands = None;
        let mut digits = false;
        for (at, part) in text.split(',').map(str::trim).enumerate() {
            if let Some(name) = named_at(part) {
                if at > 0 {
                    return Err(unknown());
                }
                named = Some(name);
                continue;
            }
            let (key, value) = part.split_once('=').ok_or_else(unknown)?;
            let (key, value) = (key.trim(), value.trim());
            if key == "hands" {
                let (a, b) = value.split_once('/').ok_or_else(unknown)?;
                let size = |text: &str| text.trim().parse::<usize>().map_err(|_| unknown());
                if hands.replace((size(a)?, size(b)?)).is_some() {
                    return Err(DeckError::Twice(key.to_owned()));
                }
                continue;
            }
            let by_digit = DIGITS.iter().position(|name| *name == key);
            let kind = by_digit
                .or_else(|| LETTERS.iter().position(|name| *name == key))
                .filter(|_| named.is_none())
                .ok_or_else(unknown)?;
            digits |= by_digit.is_some_and(|kind| kind > 0);
            let count = value.parse::<usize>().map_err(|_| unknown())?;
            if counts[kind].replace(count).is_some() {
                return Err(DeckError::Twice(key.to_owned()));
            }
        }
        let deck = match named {
            Some(name) => Deck::named(name),
            None => Deck {
                digits,
                ..Deck::new(counts.map(Option::unwrap_or_default))?
            },
        };
        match hands {
            Some((a, b)) => deck.with_hands(a, b),
            None => Ok(deck),
        }
    }
}

/// The shortest text that reads back as this deck.
impl fmt::Display for Deck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = NAMED
            .iter()
            .find(|(_, counts, digits)| (*counts, *digits) == (self.counts, self.digits));
        match named {
            Some((name, ..)) => f.write_str(name)?,
            None => {
                let names = if self.digits { DIGITS } else { LETTERS };
                let kinds = names
                    .iter()
                    .zip(self.counts)
                    .filter(|(_, count)| *count > 0);
                let parts: Vec<String> = kinds
                    .map(|(name, count)| format!("{name}={count}"))
                    .collect();
                f.write_str(&parts.join(","))?;
            }
        }
        if !self.is_balanced() {
            write!(f, ",hands={}/{}", self.hands[0], self.hands[1])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_decks_have_the_published_numbers_of_deals() {
        assert_eq!(Deck::standard().deals(), Some(653_534_134_886_878_245_000));
        assert_eq!(Deck::italian().deals(), Some(193_584_473_082_000));
        assert_eq!(Deck::half().deals(), Some(3_488_400));
        assert_eq!(
            "plain=2,1=2,2=2,3=2".parse::<Deck>().unwrap().deals(),
            Some(2_520)
        );
    }

    #[test]
    fn a_deck_reads_back_as_it_is_written() {
        for text in [
            "standard",
            "italian",
            "half",
            "standard,hands=30/22",
            "plain=3,1=1,4=2",
            "plain=3,J=1,A=2,hands=6/0",
            "J=1",
        ] {
            assert_eq!(text.parse::<Deck>().unwrap().to_string(), text);
        }
        assert_eq!(
            "plain=28,1=4,2=4,3=4".parse::<Deck>().unwrap(),
            Deck::italian()
        );
    }

    #[test]
    fn a_wrong_deck_is_refused() {
        for text in [
            "",
            "tarot",
            "half-52",
            "plain",
            "plain=x",
            "plain=-1",
            "5=3",
            "plain=1,standard",
            "standard,J=3",
            "plain=4,hands=2",
            "half,half",
        ] {
            assert!(
                matches!(text.parse::<Deck>(), Err(DeckError::Unknown(_))),
                "{text}"
            );
        }
        assert_eq!(
            "plain=1,plain=2".parse::<Deck>(),
            Err(DeckError::Twice("plain".into()))
        );
        assert_eq!("J=1,1=2".parse::<Deck>(), Err(DeckError::Twice("1".into())));
        assert_eq!("plain=0".parse::<Deck>(), Err(DeckError::Empty));
        assert_eq!(
            "plain=10001".parse::<Deck>(),
            Err(DeckError::TooLarge(10_001))
        );
        assert_eq!(
            "plain=18446744073709551615,1=18446744073709551615".parse::<Deck>(),
            Err(DeckError::TooLarge(usize::MAX))
        );
        assert_eq!(
            "half,hands=9/10".parse::<Deck>(),
            Err(DeckError::Hands(9, 10, 20))
        );
    }
}
