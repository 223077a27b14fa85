//! How the moves of a game are written down: a card as bots write it, with the suit asked for behind it
//! (`A♥♠`), `+2` for buying two, `?` for what is no action, `x` for a bot that failed.

use super::cards::{UnoCard, UnoSuit};
use super::rules::UnoAction;

/// A bot that failed when its turn came.
pub const OUT: &str = "x";
/// Words that are no action.
const UNREADABLE: &str = "?";

/// An action; a number above all `cards` of the game is written as theirs, which is as much.
pub fn written(action: Option<UnoAction>, cards: u64) -> String {
    match action {
        None => UNREADABLE.to_owned(),
        Some(UnoAction::Buy(count)) => format!("+{}", count.min(cards)),
        Some(UnoAction::Discard(card, None)) => card.to_string(),
        Some(UnoAction::Discard(card, Some(suit))) => format!("{card}{suit}"),
    }
}

/// The action of a word, in two: `Err` for a word that is none of ours, `Ok(None)` for what was no
/// action when it was written.
pub fn read(word: &str) -> Result<Option<UnoAction>, String> {
    if word == UNREADABLE {
        return Ok(None);
    }
    let fault = || format!("`{word}` is no move of Uno");
    if let Some(count) = word.strip_prefix('+') {
        return match count.parse() {
            Ok(count) => Ok(Some(UnoAction::Buy(count))),
            Err(_) => Err(fault()),
        };
    }
    let bytes = word.as_bytes();
    if let Some(card) = UnoCard::parse(bytes) {
        return Ok(Some(UnoAction::Discard(card, None)));
    }
    let (card, suit) = bytes
        .split_at_checked(bytes.len().saturating_sub(3))
        .ok_or_else(fault)?;
    match (UnoCard::parse(card), UnoSuit::parse(suit)) {
        (Some(card), Some(suit)) => Ok(Some(UnoAction::Discard(card, Some(suit)))),
        _ => Err(fault()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let mut actions = vec![None, Some(UnoAction::Buy(0)), Some(UnoAction::Buy(54))];
        for card in UnoCard::deck() {
            actions.push(Some(UnoAction::Discard(card, None)));
            for suit in UnoSuit::ALL {
                actions.push(Some(UnoAction::Discard(card, Some(suit))));
            }
        }
        for action in actions {
            assert_eq!(read(&written(action, 54)), Ok(action));
        }
        assert_eq!(written(Some(UnoAction::Buy(u64::MAX)), 54), "+54");
        for word in ["", "x", "+", "+-1", "A", "♥", "4♥♥♥", "C♦", "♥♥", "é"] {
            assert!(read(word).is_err(), "{word}");
        }
    }
}
