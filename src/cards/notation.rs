//! The ways deals are written, read and written back.
//!
//! Nothing is guessed: a text that could mean two things is an error that says how to write
//! either. Digits are payments only where [`Reader::digits`] says so, since 2 and 3 are plain
//! cards elsewhere.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use thiserror::Error;

use super::card::{Card, Rank, Suit};
use super::deal::{Deal, DealError, Player};

/// How a deal is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Notation {
    /// `---AJ--Q-/--K-`: plain cards as `-`, the field's standard.
    Skeleton,
    /// `0003010/02`: what each card pays.
    Digits,
    /// `2 A 7♥ Q/3 - K`: cards separated by blanks; `-` is a plain card of unknown number.
    Cards,
    /// The skeleton in two lines, `1: ---AJ` and `2: --K-`.
    TwoLines,
    /// One string of the skeleton dealt A, B, A, B ...
    Alternating,
    /// `{"playerA": ["2", "A"], "playerB": ["3"]}`.
    Json,
}

impl Notation {
    const ALL: [(Notation, &'static str); 6] = [
        (Notation::Skeleton, "skeleton"),
        (Notation::Digits, "digits"),
        (Notation::Cards, "cards"),
        (Notation::TwoLines, "two-lines"),
        (Notation::Alternating, "alternating"),
        (Notation::Json, "json"),
    ];

    /// Writes `deal`.
    ///
    /// # Errors
    /// [`WriteError`] if the notation has no form for this deal.
    pub fn write(self, deal: &Deal) -> Result<String, WriteError> {
        let [a, b] = [Player::A, Player::B].map(|player| deal.hand(player));
        let symbols = |hand: &[Card], symbol: fn(Card) -> char| {
            hand.iter().map(|&card| symbol(card)).collect::<String>()
        };
        let names = |hand: &[Card]| hand.iter().map(Card::to_string).collect::<Vec<_>>();
        Ok(match self {
            Notation::Skeleton => deal.to_string(),
            Notation::Digits => {
                format!("{}/{}", symbols(a, Card::digit), symbols(b, Card::digit))
            }
            Notation::Cards => format!("{}/{}", names(a).join(" "), names(b).join(" ")),
            Notation::TwoLines => {
                format!(
                    "1: {}\n2: {}",
                    symbols(a, Card::skeleton),
                    symbols(b, Card::skeleton)
                )
            }
            Notation::Alternating => {
                if !deal.is_balanced() {
                    return Err(WriteError {
                        a: a.len(),
                        b: b.len(),
                    });
                }
                (0..deal.len())
                    .map(|i| [a, b][i % 2][i / 2].skeleton())
                    .collect()
            }
            Notation::Json => {
                serde_json::json!({ "playerA": names(a), "playerB": names(b) }).to_string()
            }
        })
    }
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, name) = Notation::ALL
            .iter()
            .find(|(it, _)| it == self)
            .expect("ALL has all");
        f.write_str(name)
    }
}

impl FromStr for Notation {
    type Err = String;

    fn from_str(text: &str) -> Result<Notation, String> {
        let found = Notation::ALL.iter().find(|(_, name)| *name == text);
        found.map(|(it, _)| *it).ok_or_else(|| {
            let names = Notation::ALL.map(|(_, name)| name).join(", ");
            format!("no such notation; accepted are {names}")
        })
    }
}

/// A deal that cannot be written as one alternating string.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("hands of {a} and {b} cards are not dealt in turn: use another notation")]
pub struct WriteError {
    a: usize,
    b: usize,
}

/// Why a text is no deal.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NotationError {
    /// Nothing was written.
    #[error("{0} is empty: write {accepted}", accepted = FORMS)]
    Empty(String),
    /// A text that is no card.
    #[error("{place}, card {card} (character {column}): {token:?} is no card; {accepted}")]
    Token {
        /// The hand, or "the deal".
        place: String,
        /// Which card it would be, from 1.
        card: usize,
        /// The character in the text of the hand, from 1.
        column: usize,
        /// The text found.
        token: String,
        /// What would be accepted there.
        accepted: &'static str,
    },
    /// One hand only.
    #[error("only one hand is written: write {accepted}", accepted = FORMS)]
    OneHand,
    /// More than one slash.
    #[error("there are {0} slashes: one is accepted, between hand A and hand B")]
    Slashes(usize),
    /// More than two lines.
    #[error("there are {0} lines: two are accepted, hand A and hand B")]
    Lines(usize),
    /// A line of the two-line form without its number.
    #[error(
        "line {line} begins with {found:?}: the two-line form is \"1: HAND\", then \"2: HAND\""
    )]
    Prefix {
        /// Which line, from 1.
        line: usize,
        /// Its beginning.
        found: String,
    },
    /// JSON that is not two arrays of cards.
    #[error(
        "the JSON is no deal: {0}; accepted is {{\"playerA\": [\"2\", \"A\"], \"playerB\": [\"3\"]}}"
    )]
    Json(String),
    /// The cards are no deal.
    #[error(transparent)]
    Deal(#[from] DealError),
}

const FORMS: &str = "HANDA/HANDB (for example ---AJ-/--QK--), two hands, or two lines \"1: HAND\" \
    and \"2: HAND\"; one string dealt A, B, A, B must be asked for as alternating";

const ACCEPT_CARDS: &str = "accepted are - or . (a plain card), 2 to 10 or T, J Q K A, each rank \
    perhaps with a suit (♥♦♣♠ or H D C S), separated by blanks or commas or not at all";

const ACCEPT_CARDS_DIGIT: &str = "accepted are - or . (a plain card), 2 to 10 or T, J Q K A, each \
    rank perhaps with a suit; 0 and 1 are cards only where digits say what a card pays (a deck \
    such as italian, or --digits)";

const ACCEPT_DIGITS: &str = "digits say what a card pays here: accepted are 0 or - or . (a plain \
    card), 1 to 4, and J Q K A for 1 to 4";

/// Reads deals. The default reads cards, `2` to `10` being plain.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Reader {
    /// Digits say what a card pays: `0` to `4`.
    pub digits: bool,
    /// The text is one string dealt A, B, A, B ...
    pub alternating: bool,
}

impl Reader {
    /// Reads a deal in any notation: `A/B`, two lines (with `1:` and `2:` or not), JSON, or, if
    /// asked for, one alternating string.
    ///
    /// # Errors
    /// [`NotationError`], with the place and what is accepted there.
    pub fn deal(self, text: &str) -> Result<Deal, NotationError> {
        let text = text.trim().trim_start_matches('\u{feff}').trim_start();
        if text.is_empty() {
            return Err(NotationError::Empty("the deal".to_owned()));
        }
        if text.starts_with('{') {
            return self.json(text);
        }
        if self.alternating {
            let cards = self.hand(text, "the deal")?;
            let dealt = |to: usize| cards.iter().skip(to).step_by(2).copied().collect();
            return Ok(Deal::new(dealt(0), dealt(1))?);
        }
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        if lines[0].starts_with("1:") {
            return self.numbered(&lines);
        }
        match text.matches('/').count() {
            0 => {}
            1 => {
                let (a, b) = text.split_once('/').expect("there is one");
                return self.two(a, b);
            }
            n => return Err(NotationError::Slashes(n)),
        }
        match lines[..] {
            [_] => Err(NotationError::OneHand),
            [a, b] => self.two(a, b),
            _ => Err(NotationError::Lines(lines.len())),
        }
    }

    /// Reads two hands written apart.
    ///
    /// # Errors
    /// [`NotationError`]; an empty hand is one, since it is most often a slip: the form `A/B`
    /// takes it.
    pub fn hands(self, a: &str, b: &str) -> Result<Deal, NotationError> {
        for (text, name) in [(a, "hand A"), (b, "hand B")] {
            if text.trim().is_empty() {
                return Err(NotationError::Empty(name.to_owned()));
            }
        }
        self.two(a, b)
    }

    fn two(self, a: &str, b: &str) -> Result<Deal, NotationError> {
        Ok(Deal::new(self.hand(a, "hand A")?, self.hand(b, "hand B")?)?)
    }

    fn numbered(self, lines: &[&str]) -> Result<Deal, NotationError> {
        if lines.len() != 2 {
            return Err(NotationError::Lines(lines.len()));
        }
        let strip = |at: usize, prefix| {
            lines[at]
                .strip_prefix(prefix)
                .ok_or_else(|| NotationError::Prefix {
                    line: at + 1,
                    found: lines[at].chars().take(8).collect(),
                })
        };
        self.two(strip(0, "1:")?, strip(1, "2:")?)
    }

    fn json(self, text: &str) -> Result<Deal, NotationError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Hands {
            #[serde(rename = "playerA")]
            a: Vec<String>,
            #[serde(rename = "playerB")]
            b: Vec<String>,
        }
        let hands: Hands =
            serde_json::from_str(text).map_err(|error| NotationError::Json(error.to_string()))?;
        let read = |cards: &[String], place: &str| {
            cards
                .iter()
                .enumerate()
                .map(|(at, text)| match self.hand(text, place)?[..] {
                    [card] => Ok(card),
                    _ => Err(self.no_card(place, at, 1, text)),
                })
                .collect::<Result<Vec<Card>, NotationError>>()
        };
        Ok(Deal::new(
            read(&hands.a, "playerA")?,
            read(&hands.b, "playerB")?,
        )?)
    }

    /// One hand: cards, with or without separators.
    fn hand(self, text: &str, place: &str) -> Result<Vec<Card>, NotationError> {
        let mut cards = Vec::new();
        let mut rest = text.char_indices().peekable();
        let mut column = 0;
        while let Some((at, symbol)) = rest.next() {
            column += 1;
            if symbol.is_whitespace() || symbol == ',' {
                continue;
            }
            let here = column;
            let mut take = |wanted: &dyn Fn(char) -> bool| {
                let next = rest.next_if(|&(_, c)| wanted(c));
                column += usize::from(next.is_some());
                next.map(|(_, c)| c)
            };
            let rank = if self.digits {
                digit_rank(symbol)
            } else if symbol == '1' {
                take(&|c| c == '0').map(|_| Rank::Ten)
            } else {
                letter_rank(symbol)
            };
            let Some(rank) = rank else {
                return Err(self.no_card(place, cards.len(), here, &text[at..]));
            };
            let suit = if self.digits || rank == Rank::Plain {
                None
            } else {
                let suit = take(&|c| suit(c).is_some()).and_then(suit);
                if suit.is_some() {
                    take(&|c| c == '\u{fe0f}'); // the "show as an emoji" mark
                }
                suit
            };
            cards.push(Card { rank, suit });
        }
        Ok(cards)
    }

    fn no_card(self, place: &str, cards: usize, column: usize, rest: &str) -> NotationError {
        let end = rest
            .find(|c: char| c.is_whitespace() || c == ',')
            .unwrap_or(rest.len());
        let mut token: String = rest[..end].chars().take(12).collect();
        if token.len() < end {
            token.push('…');
        }
        let accepted = match token.chars().next() {
            _ if self.digits => ACCEPT_DIGITS,
            Some('0' | '1') => ACCEPT_CARDS_DIGIT,
            _ => ACCEPT_CARDS,
        };
        NotationError::Token {
            place: place.to_owned(),
            card: cards + 1,
            column,
            token,
            accepted,
        }
    }
}

fn letter_rank(symbol: char) -> Option<Rank> {
    Some(match symbol {
        '-' | '.' => Rank::Plain,
        '2' => Rank::Two,
        '3' => Rank::Three,
        '4' => Rank::Four,
        '5' => Rank::Five,
        '6' => Rank::Six,
        '7' => Rank::Seven,
        '8' => Rank::Eight,
        '9' => Rank::Nine,
        'T' | 't' => Rank::Ten,
        'J' | 'j' => Rank::Jack,
        'Q' | 'q' => Rank::Queen,
        'K' | 'k' => Rank::King,
        'A' | 'a' => Rank::Ace,
        _ => return None,
    })
}

fn digit_rank(symbol: char) -> Option<Rank> {
    match symbol {
        '0'..='4' => Rank::paying(symbol as u8 - b'0'),
        '-' | '.' | 'J' | 'j' | 'Q' | 'q' | 'K' | 'k' | 'A' | 'a' => letter_rank(symbol),
        _ => None,
    }
}

fn suit(symbol: char) -> Option<Suit> {
    Some(match symbol {
        '♥' | '♡' | 'H' | 'h' => Suit::Hearts,
        '♦' | '♢' | 'D' | 'd' => Suit::Diamonds,
        '♣' | '♧' | 'C' | 'c' => Suit::Clubs,
        '♠' | '♤' | 'S' | 's' => Suit::Spades,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        Reader::default()
            .deal(text)
            .map_or_else(|error| error.to_string(), |deal| deal.to_string())
    }

    #[test]
    fn every_notation_reads() {
        let digits = Reader {
            digits: true,
            ..Reader::default()
        };
        let alternating = Reader {
            alternating: true,
            ..Reader::default()
        };
        assert_eq!(read("---AJ--Q-/..K.A"), "---AJ--Q-/--K-A");
        assert_eq!(read("1: -K-\n2: Q--\n"), "-K-/Q--");
        assert_eq!(read("-K-\nQ--"), "-K-/Q--");
        assert_eq!(read("2 A 7 8 Q 10 / 3,4, 5 K"), "-A--Q-/---K");
        assert_eq!(read("2A78Q10/3T5K"), "-A--Q-/---K");
        assert_eq!(read("10♥ AS qh T♠️/ 2d"), "-AQ-/-");
        assert_eq!(read(r#"{"playerA": ["2","A"], "playerB": ["3"]}"#), "-A/-");
        assert_eq!(read("/J2"), "/J-");
        assert_eq!(digits.deal("0123/4J-.").unwrap().to_string(), "-JQK/AJ--");
        assert_eq!(alternating.deal("J2Q").unwrap().to_string(), "JQ/-");
        assert_eq!(
            Reader::default().hands("J 2", "3").unwrap().to_string(),
            "J-/-"
        );
    }

    #[test]
    fn suits_and_numbers_are_kept() {
        let deal = Reader::default().deal("10♥ as/qh 2").unwrap();
        assert_eq!(Notation::Cards.write(&deal).unwrap(), "10♥ A♠/Q♥ 2");
    }

    #[test]
    fn errors_name_the_place() {
        for (text, wanted) in [
            ("", "the deal is empty"),
            ("  \n ", "the deal is empty"),
            ("JJ", "only one hand"),
            ("J/J/J", "2 slashes"),
            ("J\nQ\nK", "3 lines"),
            ("1: J\nQ", "line 2 begins with \"Q\""),
            ("1: J", "1 lines"),
            (
                "J 2/ 3 X9 4",
                "hand B, card 2 (character 4): \"X9\" is no card",
            ),
            ("J 1/2", "hand A, card 2 (character 3): \"1\" is no card"),
            ("J 0/2", "only where digits say"),
            ("J-♥/2", "hand A, card 3 (character 3): \"♥\" is no card"),
            ("{\"playerA\": [\"2\"]}", "missing field `playerB`"),
            (
                "{\"playerA\": [\"2\", \"33\"], \"playerB\": []}",
                "playerA, card 2",
            ),
            ("/", "no cards"),
        ] {
            let message = read(text);
            assert!(message.contains(wanted), "{text:?}: {message}");
        }
        let digits = Reader {
            digits: true,
            ..Reader::default()
        };
        let message = digits.deal("0 5/1").unwrap_err().to_string();
        assert!(message.contains("hand A, card 2 (character 3): \"5\" is no card; digits say"));
        let error = Reader::default().hands("J", " ").unwrap_err();
        assert!(error.to_string().starts_with("hand B is empty"));
    }

    #[test]
    fn a_hand_of_ten_million_cards_is_an_error() {
        let text = format!("{}/J", "-".repeat(10_000_000));
        assert_eq!(
            read(&text),
            "the deal has 10000001 cards: at most 10000 are accepted"
        );
    }
}
