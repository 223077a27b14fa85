//! Which deals a unit has.

use std::ops::RangeInclusive;

use thiserror::Error;

use crate::cards::{Deck, Order};

/// A stretch of the deals of the standard deck in the order `akqj-`, both ends in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    first: u128,
    last: u128,
}

/// Why a text is no unit.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum UnitError {
    /// It is not two numbers.
    #[error(
        "{0}: write two decimal numbers, the first and the last index of the unit, such as \
         `0 999999999`"
    )]
    Form(String),
    /// It ends before it starts.
    #[error("the unit ends at {last}, before it starts at {first}: write the lower index first")]
    Reversed {
        /// The first index.
        first: u128,
        /// The last index.
        last: u128,
    },
    /// It goes past the last deal.
    #[error(
        "index {index} is past the end: the standard deck has {deals} deals, 0 to {}", deals - 1
    )]
    Past {
        /// The index.
        index: u128,
        /// The deals of the deck.
        deals: u128,
    },
}

impl Unit {
    /// The deck of every unit.
    pub fn deck() -> Deck {
        Deck::standard()
    }

    /// The order in which its deals are numbered.
    pub const ORDER: Order = Order::AcesFirst;

    /// The unit from `first` to `last`, both in it.
    ///
    /// # Errors
    /// [`UnitError::Reversed`], [`UnitError::Past`].
    pub fn new(first: u128, last: u128) -> Result<Unit, UnitError> {
        let deals = Unit::deck().deals().expect("the standard deck has indices");
        if let Some(index) = [first, last].into_iter().find(|&index| index >= deals) {
            return Err(UnitError::Past { index, deals });
        }
        if last < first {
            return Err(UnitError::Reversed { first, last });
        }
        Ok(Unit { first, last })
    }

    /// Reads `in`: two decimal numbers with white space between them and perhaps around them.
    ///
    /// # Errors
    /// [`UnitError`].
    pub fn read(text: &str) -> Result<Unit, UnitError> {
        let words: Vec<&str> = text.split_ascii_whitespace().take(3).collect();
        let number = |word: &str| {
            let shown: String = word.chars().take(40).collect();
            if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(UnitError::Form(format!("{shown:?} is no decimal number")));
            }
            word.parse().map_err(|_| {
                UnitError::Form(format!("{shown}... is larger than any index of a deal"))
            })
        };
        match words[..] {
            [] => Err(UnitError::Form("it is empty".to_owned())),
            [_] => Err(UnitError::Form("there is one number only".to_owned())),
            [first, last] => Unit::new(number(first)?, number(last)?),
            _ => Err(UnitError::Form("there are more than two words".to_owned())),
        }
    }

    /// The first index.
    pub fn first(self) -> u128 {
        self.first
    }

    /// The last index.
    pub fn last(self) -> u128 {
        self.last
    }

    /// All its indices.
    pub fn indices(self) -> RangeInclusive<u128> {
        self.first..=self.last
    }

    /// How many deals it has, 1 or more.
    pub fn deals(self) -> u128 {
        self.last - self.first + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_as_two_numbers() {
        for text in ["5 7", " 5\n7\n", "5\t7", "05 7\r\n"] {
            let unit = Unit::read(text).unwrap();
            assert_eq!((unit.first(), unit.last(), unit.deals()), (5, 7, 3));
        }
        let last = 653_534_134_886_878_244_999_u128;
        let unit = Unit::read(&format!("{last} {last}")).unwrap();
        assert_eq!(unit.deals(), 1);
    }

    #[test]
    fn what_is_no_unit_says_why() {
        let long = "9".repeat(60);
        for (text, wanted) in [
            ("", "it is empty"),
            ("   \n", "it is empty"),
            ("5", "one number only"),
            ("5 6 7", "more than two words"),
            ("5,6", "one number only"),
            ("5 x", "\"x\" is no decimal number"),
            ("-5 6", "\"-5\" is no decimal number"),
            ("5 6.0", "\"6.0\" is no decimal number"),
            ("+5 6", "\"+5\" is no decimal number"),
            ("1e9 2e9", "\"1e9\" is no decimal number"),
            ("7 5", "ends at 5, before it starts at 7"),
            ("0 653534134886878245000", "past the end"),
            (
                "653534134886878245000 5",
                "index 653534134886878245000 is past",
            ),
            (&format!("0 {long}"), "larger than any index"),
        ] {
            let error = Unit::read(text).unwrap_err().to_string();
            assert!(error.contains(wanted), "{text:?}: {error}");
        }
    }
}
