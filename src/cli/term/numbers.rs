//! Numbers as people read them, and as every reader of JSON keeps them.

use indicatif::HumanCount;
use serde_json::{Value, json};
use unit_prefix::NumberPrefix;

/// The greatest number that every JSON reader keeps exactly.
const SAFE_INTEGER: u128 = 1 << 53;

/// A number for JSON: as a string if it is over 53 bits.
pub fn number(n: impl Into<u128>) -> Value {
    let n = n.into();
    if n <= SAFE_INTEGER {
        json!(n as u64)
    } else {
        json!(n.to_string())
    }
}

/// `1,234,567`.
pub fn grouped(number: impl Into<u128>) -> String {
    let number = number.into();
    // Beyond 64 bits nobody counts digits in groups.
    u64::try_from(number).map_or_else(|_| number.to_string(), |n| HumanCount(n).to_string())
}

/// A number of things a second, before the thing's name: `5.31 M`, `12 `.
pub fn rate(rate: f64) -> String {
    match NumberPrefix::decimal(rate) {
        NumberPrefix::Standalone(rate) => format!("{rate:.0} "),
        NumberPrefix::Prefixed(prefix, rate) => format!("{rate:.2} {}", prefix.symbol()),
    }
}

/// `1 card`, `8344 cards`.
pub fn count(n: u64, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
            (u128::from(u64::MAX), "18,446,744,073,709,551,615"),
            (1 << 64, "18446744073709551616"),
        ] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(
            [0.4, 12.0, 1234.0, 5.31e6, 2.5e9].map(rate),
            ["0 ", "12 ", "1.23 k", "5.31 M", "2.50 G"]
        );
        assert_eq!([count(1, "card"), count(2, "card")], ["1 card", "2 cards"]);
    }

    #[test]
    fn numbers_over_53_bits_are_strings_for_programs() {
        assert_eq!(number(1u64 << 53), json!(1u64 << 53));
        assert_eq!(number((1u64 << 53) + 1), json!("9007199254740993"));
    }
}
