//! How the moves of a game are written down, a word a turn: the ranks that were laid (`0.0.5`), then `!`
//! and the seats that called, then `x` and the seats that failed when asked (`3.3!02x1`); `x` alone
//! for a mover that failed.

use super::rules::{BsRank, SEATS};

/// A mover that failed.
pub const OUT: &str = "x";

/// A turn as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The ranks that were laid.
    pub laid: Vec<BsRank>,
    /// The seats that called, in order.
    pub callers: Vec<usize>,
    /// The seats that failed when they were asked.
    pub out: Vec<usize>,
}

/// A turn in which cards were laid.
pub fn written(laid: &[BsRank], callers: &[usize], out: &[usize]) -> String {
    let ranks: Vec<String> = laid.iter().map(BsRank::to_string).collect();
    let mut word = ranks.join(".");
    for (mark, seats) in [('!', callers), ('x', out)] {
        if !seats.is_empty() {
            word.push(mark);
            word.extend(seats.iter().map(usize::to_string));
        }
    }
    word
}

/// The turn of a word that is not [`OUT`].
pub fn read(word: &str) -> Result<Written, String> {
    let fault = || format!("`{word}` is no turn of BS");
    let (rest, out) = word.split_once('x').unwrap_or((word, ""));
    let (ranks, callers) = rest.split_once('!').unwrap_or((rest, ""));
    let seats = |text: &str| {
        text.chars()
            .map(|digit| digit.to_digit(10).map(|seat| seat as usize))
            .map(|seat| seat.filter(|&seat| seat < SEATS).ok_or_else(fault))
            .collect::<Result<Vec<usize>, String>>()
    };
    Ok(Written {
        laid: ranks
            .split('.')
            .map(|rank| rank.parse().map_err(|_| fault()))
            .collect::<Result<_, _>>()?,
        callers: seats(callers)?,
        out: seats(out)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for (laid, callers, out) in [
            (&[0u8][..], &[][..], &[][..]),
            (&[12, 12, 3], &[0, 2], &[]),
            (&[5], &[], &[1, 3]),
            (&[5, 5], &[3], &[1]),
        ] {
            let turn = Written {
                laid: laid.to_vec(),
                callers: callers.to_vec(),
                out: out.to_vec(),
            };
            assert_eq!(read(&written(laid, callers, out)), Ok(turn));
        }
        assert_eq!(written(&[3, 3], &[0, 2], &[1]), "3.3!02x1");
        for word in ["", ".", "1.", "a", "300", "1!4", "1x-", "1!x!", "x1"] {
            assert!(read(word).is_err(), "{word}");
        }
    }
}
