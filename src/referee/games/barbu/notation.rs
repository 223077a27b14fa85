//! How the moves of a game are written down: `D` and the seats that a seat doubled (`D02`), a card as
//! bots write it, `PASS`, and `x` for a seat that failed.

use super::cards::SEATS;

/// A seat that failed when it was asked.
pub const OUT: &str = "x";

/// The seats that a seat doubled.
pub fn doubles(seats: &[usize]) -> String {
    let digits: String = seats.iter().map(usize::to_string).collect();
    format!("D{digits}")
}

/// The seats of a word that [`doubles`] wrote.
pub fn read_doubles(word: &str) -> Option<Vec<usize>> {
    let seat = |digit: char| {
        let seat = digit.to_digit(10)? as usize;
        (seat < SEATS).then_some(seat)
    };
    word.strip_prefix('D')?.chars().map(seat).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for seats in [&[][..], &[0], &[3, 1, 0]] {
            assert_eq!(read_doubles(&doubles(seats)).as_deref(), Some(seats));
        }
        for word in ["", "x", "D4", "D1 2", "1", "Dx"] {
            assert_eq!(read_doubles(word), None, "{word}");
        }
    }
}
