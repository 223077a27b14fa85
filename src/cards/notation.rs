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
    /// One string of the skeleton, the first half A's, the second B's.
    Halves,
    /// `{"playerA": ["2", "A"], "playerB": ["3"]}`.
    Json,
}

impl Notation {
    const ALL: [(Notation, &'static str); 7] = [
        (Notation::Skeleton, "skeleton"),
        (Notation::Digits, "digits"),
        (Notation::Cards, "cards"),
        (Notation::TwoLines, "two-lines"),
        (Notation::Alternating, "alternating"),
        (Notation::Halves, "halves"),
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
            Notation::Alternating | Notation::Halves if !deal.is_balanced() => {
                return Err(WriteError {
                    a: a.len(),
                    b: b.len(),
                });
            }
            Notation::Alternating => (0..deal.len())
                .map(|i| [a, b][i % 2][i / 2].skeleton())
                .collect(),
            Notation::Halves => symbols(a, Card::skeleton) + &symbols(b, Card::skeleton),
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

/// A deal that cannot be written as one string.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("hands of {a} and {b} cards cannot be told apart in one string: use another notation")]
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
    /// A text that may be read in two ways.
    #[error(
        "{place}, card {card} (character {column}): {token:?} can be read in two ways: {readings}"
    )]
    Ambiguous {
        /// The hand, or "the deal".
        place: String,
        /// Which card it would be, from 1.
        card: usize,
        /// The character in the text of the hand, from 1.
        column: usize,
        /// The text found.
        token: String,
        /// Both readings, and how to write each.
        readings: String,
    },
    /// One hand only.
    #[error("only one hand is written: write {accepted}", accepted = FORMS)]
    OneHand,
    /// More than one slash or bar.
    #[error("there are {0} slashes or bars: one is accepted, between hand A and hand B")]
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
    and \"2: HAND\"; one string for both hands must be asked for, as halves (first A's, then B's) \
    or as alternating (dealt A, B, A, B)";

const ACCEPT_CARDS: &str = "accepted are - or . (a plain card), 2 to 10 or T, J Q K A, each rank \
    perhaps with a suit before or after it (♥♦♣♠ or H D C S), separated by blanks or commas or not \
    at all";

const ACCEPT_CARDS_DIGIT: &str = "accepted are - or . (a plain card), 2 to 10 or T, J Q K A, each \
    rank perhaps with a suit; 0 and 1 are cards only where digits say what a card pays (a deck \
    such as italian, or --digits)";

const ACCEPT_DIGITS: &str = "digits say what a card pays here: accepted are 0 or - or . (a plain \
    card), 1 to 4, and J Q K A for 1 to 4";

/// How both hands are dealt from one string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Split {
    /// A, B, A, B ...
    Alternating,
    /// The first half is A's, the second B's; of an odd number A has one more.
    Halves,
}

/// Reads deals. The default reads cards, `2` to `10` being plain.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Reader {
    /// Digits say what a card pays: `0` to `4`.
    pub digits: bool,
    /// The text is one string for both hands, dealt so.
    pub whole: Option<Split>,
}

/// A card as it was read, before it is known what an `X` means.
struct Symbol {
    card: Card,
    /// Whether it was written as `X`, without a suit.
    x: bool,
    /// The character in its hand, from 1.
    column: usize,
}

/// What the symbol before, with nothing between, was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// `-`, at this character.
    Dash(usize),
    /// A card with a number or a suit.
    Named,
    /// Any other card.
    Other,
}

impl Reader {
    /// Reads a deal in any notation: `A/B` or `A|B`, two lines (with `1:` and `2:` or not), JSON, or,
    /// if asked for, one string for both hands.
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
        if let Some(dealt) = self.whole {
            let [cards] = self.read([("the deal", text)])?;
            return Ok(match dealt {
                Split::Alternating => {
                    let to = |hand: usize| cards.iter().skip(hand).step_by(2).copied().collect();
                    Deal::new(to(0), to(1))?
                }
                Split::Halves => {
                    let mut a = cards;
                    let b = a.split_off(a.len().div_ceil(2));
                    Deal::new(a, b)?
                }
            });
        }
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        if lines[0].starts_with("1:") {
            return self.numbered(&lines);
        }
        match text.matches(['/', '|']).count() {
            0 => {}
            1 => {
                let (a, b) = text.split_once(['/', '|']).expect("there is one");
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
        let [a, b] = self.read([("hand A", a), ("hand B", b)])?;
        Ok(Deal::new(a, b)?)
    }

    fn numbered(self, lines: &[&str]) -> Result<Deal, NotationError> {
        if let [line] = lines {
            // Both on one line: the second number stands after a blank.
            let is_second = |&(at, _): &(usize, &str)| line[..at].ends_with(char::is_whitespace);
            let mut seconds = line.match_indices("2:").filter(is_second);
            return match (seconds.next(), seconds.next()) {
                (Some((at, number)), None) => {
                    self.two(&line["1:".len()..at], &line[at + number.len()..])
                }
                _ => Err(NotationError::Lines(1)),
            };
        }
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
        #[serde(untagged)]
        enum Hand {
            Cards(Vec<String>),
            Text(String),
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Hands {
            #[serde(rename = "playerA")]
            a: Hand,
            #[serde(rename = "playerB")]
            b: Hand,
        }
        let hands: Hands =
            serde_json::from_str(text).map_err(|error| NotationError::Json(error.to_string()))?;
        let read = |hand: &Hand, place: &'static str| match hand {
            Hand::Text(text) => {
                let [cards] = self.read([(place, text)])?;
                Ok(cards)
            }
            Hand::Cards(cards) => cards
                .iter()
                .enumerate()
                .map(|(at, text)| {
                    let [cards] = self.read([(place, text)])?;
                    match cards[..] {
                        [card] => Ok(card),
                        _ => Err(self.no_card(place, at, 1, text)),
                    }
                })
                .collect::<Result<Vec<Card>, NotationError>>(),
        };
        Ok(Deal::new(
            read(&hands.a, "playerA")?,
            read(&hands.b, "playerB")?,
        )?)
    }

    /// The cards of hands that are written in the same way.
    fn read<const N: usize>(
        self,
        texts: [(&'static str, &str); N],
    ) -> Result<[Vec<Card>; N], NotationError> {
        let mut hands: [Vec<Symbol>; N] = std::array::from_fn(|_| Vec::new());
        for (hand, (place, text)) in hands.iter_mut().zip(texts) {
            *hand = self.symbols(text, place)?;
        }
        self.settle_x(&mut hands, texts)?;
        Ok(hands.map(|hand| hand.into_iter().map(|symbol| symbol.card).collect()))
    }

    /// Decides whether `X` is a ten or any plain card. It is a ten where plain cards are written
    /// otherwise, and a plain card where tens are, or where no card has a number.
    fn settle_x<const N: usize>(
        self,
        hands: &mut [Vec<Symbol>; N],
        texts: [(&'static str, &str); N],
    ) -> Result<(), NotationError> {
        let any = |wanted: fn(Card) -> bool| {
            let mut symbols = hands.iter().flatten().filter(|symbol| !symbol.x);
            symbols.any(|symbol| wanted(symbol.card))
        };
        let dashes = any(|card| card.rank == Rank::Plain);
        let tens = any(|card| card.rank == Rank::Ten);
        let names = any(|card| card.suit.is_some() || is_number(card.rank));
        let rank = match (dashes, tens, names) {
            (true, false, _) => Some(Rank::Ten),
            (false, true, _) | (false, false, false) => Some(Rank::Plain),
            (true, true, _) | (false, false, true) => None,
        };
        for (hand, (place, _)) in hands.iter_mut().zip(texts) {
            for (at, symbol) in hand.iter_mut().enumerate().filter(|(_, symbol)| symbol.x) {
                let Some(rank) = rank else {
                    return Err(NotationError::Ambiguous {
                        place: place.to_owned(),
                        card: at + 1,
                        column: symbol.column,
                        token: "X".to_owned(),
                        readings: "write 10 or T for a ten, - or . for any plain card".to_owned(),
                    });
                };
                symbol.card.rank = rank;
            }
        }
        Ok(())
    }

    /// One hand: cards, with or without separators.
    fn symbols(self, text: &str, place: &str) -> Result<Vec<Symbol>, NotationError> {
        let mut symbols: Vec<Symbol> = Vec::new();
        let mut rest = text.char_indices().peekable();
        let mut column = 0;
        let mut before = Before::Nothing;
        while let Some((at, first)) = rest.next() {
            column += 1;
            if first.is_whitespace() || first == ',' {
                before = Before::Nothing;
                continue;
            }
            let here = column;
            let mut take = |wanted: &dyn Fn(char) -> bool| {
                let next = rest.next_if(|&(_, c)| wanted(c));
                column += usize::from(next.is_some());
                next.map(|(_, c)| c)
            };
            let emoji = |c| c == '\u{fe0f}'; // the "show as an emoji" mark
            let suit_first = if self.digits { None } else { suit(first) };
            let symbol = if suit_first.is_some() {
                take(&emoji);
                take(&|c| c == '1' || is_x(c) || letter_rank(c).is_some_and(|r| r != Rank::Plain))
            } else {
                Some(first)
            };
            let x = !self.digits && symbol.is_some_and(is_x);
            let rank = match symbol {
                None => None,
                Some(_) if x => Some(Rank::Ten),
                Some(c) if self.digits => digit_rank(c),
                Some('1') => take(&|c| c == '0').map(|_| Rank::Ten),
                Some(c) => letter_rank(c),
            };
            let Some(rank) = rank else {
                return Err(self.no_card(place, symbols.len(), here, &text[at..]));
            };
            let mut suited = suit_first;
            if suited.is_none() && !self.digits && rank != Rank::Plain {
                suited = take(&|c| suit(c).is_some()).and_then(suit);
                if suited.is_some() {
                    take(&emoji);
                }
            }
            let card = Card { rank, suit: suited };
            let now = if first == '-' {
                Before::Dash(here)
            } else if suited.is_some() || (!x && is_number(rank)) {
                Before::Named
            } else {
                Before::Other
            };
            if !self.digits {
                match (before, now) {
                    (Before::Named, Before::Dash(dash)) => {
                        return Err(ambiguous_dash(text, place, symbols.len(), dash));
                    }
                    (Before::Dash(dash), Before::Named) => {
                        return Err(ambiguous_dash(text, place, symbols.len() - 1, dash));
                    }
                    _ => {}
                }
            }
            before = now;
            symbols.push(Symbol {
                card,
                x: x && suited.is_none(),
                column: here,
            });
        }
        Ok(symbols)
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

/// A `-` beside a card with a number or a suit, with nothing between.
fn ambiguous_dash(text: &str, place: &str, cards: usize, column: usize) -> NotationError {
    let shown = |text: String| {
        let short: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut cut: String = short.chars().take(40).collect();
        if cut.len() < short.len() {
            cut.push('…');
        }
        cut
    };
    NotationError::Ambiguous {
        place: place.to_owned(),
        card: cards + 1,
        column,
        token: "-".to_owned(),
        readings: format!(
            "write {:?} if it only separates cards, {:?} if it is a plain card",
            shown(text.replace('-', " ")),
            shown(text.replace('-', " . "))
        ),
    }
}

/// Whether a plain card with this rank has a number.
fn is_number(rank: Rank) -> bool {
    rank != Rank::Plain && Card { rank, suit: None }.pays() == 0
}

fn is_x(symbol: char) -> bool {
    matches!(symbol, 'X' | 'x')
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
            whole: Some(Split::Alternating),
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
    fn deals_are_read_as_people_write_them() {
        assert_eq!(read("A- | --"), "A-/--");
        assert_eq!(read("A-|--"), "A-/--");
        assert_eq!(read("1: A- 2: --"), "A-/--");
        assert_eq!(read("1:A2 3 2:4 J"), "A--/-J");
        assert_eq!(read("HA SK, D10/♣2 ♥️Q"), "AK-/-Q");
        assert_eq!(read("HAS2/hjdt"), "A-/J-");
        assert_eq!(
            read(r#"{"playerA": "2A78Q10", "playerB": "3"}"#),
            "-A--Q-/-"
        );
        let halves = Reader {
            whole: Some(Split::Halves),
            ..Reader::default()
        };
        assert_eq!(halves.deal("J2Q").unwrap().to_string(), "J-/Q");
        let cards = |text| {
            let deal = Reader::default().deal(text).unwrap();
            Notation::Cards.write(&deal).unwrap()
        };
        assert_eq!(cards("HA SK/D10"), "A♥ K♠/10♦");
    }

    #[test]
    fn x_is_a_ten_or_a_plain_card_where_only_one_of_them_can_be_meant() {
        let cards = |text| {
            let deal = Reader::default().deal(text);
            deal.map(|deal| Notation::Cards.write(&deal).unwrap())
        };
        // No card has a number: X stands for every plain card.
        assert_eq!(cards("XJX/AxX").unwrap(), "- J -/A - -");
        // Plain cards are written otherwise, or it has a suit: a ten.
        assert_eq!(cards("X-J/A").unwrap(), "10 - J/A");
        assert_eq!(cards("X♥ 2/SX 3").unwrap(), "10♥ 2/10♠ 3");
        // Tens are written otherwise: any plain card.
        assert_eq!(cards("X T/J").unwrap(), "- 10/J");
        for text in ["J X/2", "2 X/A", "X J♥/Q", "X - 10/J"] {
            let message = cards(text).unwrap_err().to_string();
            assert!(
                message.contains("\"X\" can be read in two ways"),
                "{message}"
            );
        }
    }

    #[test]
    fn a_dash_beside_a_named_card_is_refused_with_both_readings() {
        assert_eq!(
            read("KS-2H-3D/4C-JH-5S"),
            "hand A, card 2 (character 3): \"-\" can be read in two ways: write \"KS 2H 3D\" if it \
             only separates cards, \"KS . 2H . 3D\" if it is a plain card"
        );
        for text in ["2-3/4", "-2/J", "J-SK/2", "J2-/Q"] {
            assert!(read(text).contains("two ways"), "{text}: {}", read(text));
        }
        assert_eq!(read("KS 2H 3D/4C JH 5S"), "K--/-J-");
        assert_eq!(read("KS . 2H - 3D/."), "K----/-");
        assert_eq!(read("K-Q/--"), "K-Q/--");
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
                "J 2/ 3 Y9 4",
                "hand B, card 2 (character 4): \"Y9\" is no card",
            ),
            ("1: J 2: Q 2: K", "1 lines"),
            ("J|J/J", "2 slashes or bars"),
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
