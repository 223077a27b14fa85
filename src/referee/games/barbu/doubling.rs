//! Doubling, pure: who doubled whom, and what moves between them at the end.

use super::cards::SEATS;

/// The order in which seats double: the dealer, seat 0, comes last.
pub const ORDER: [usize; SEATS] = [1, 2, 3, 0];

/// Who doubled whom.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Doubles {
    by: [[bool; SEATS]; SEATS],
}

impl Doubles {
    /// Takes in the numbers that a seat answered, and gives those that count, in its order. Ignored
    /// are: itself, a number a second time, a number that is no seat, and for the dealer one who did
    /// not double it.
    pub fn accept(&mut self, seat: usize, numbers: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut taken = Vec::new();
        for other in numbers {
            let counts = other < SEATS
                && other != seat
                && !self.by[seat][other]
                && (seat != 0 || self.by[other][0]);
            if counts {
                self.by[seat][other] = true;
                taken.push(other);
            }
        }
        taken
    }

    /// How often a pair doubled: not at all, once, or both ways.
    pub fn count(&self, one: usize, two: usize) -> i64 {
        i64::from(self.by[one][two]) + i64::from(self.by[two][one])
    }

    /// The scores with doubling: for each pair, the difference of their scores without it moves from
    /// the lower to the higher, once for each time they doubled.
    pub fn settle(&self, raw: [i64; SEATS]) -> [i64; SEATS] {
        let mut scores = raw;
        for one in 0..SEATS {
            for two in one + 1..SEATS {
                let moved = (raw[one] - raw[two]) * self.count(one, two);
                scores[one] += moved;
                scores[two] -= moved;
            }
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubles(said: [&[usize]; 4]) -> Doubles {
        let mut doubles = Doubles::default();
        for seat in ORDER {
            doubles.accept(seat, said[seat].iter().copied());
        }
        doubles
    }

    #[test]
    fn the_text_is_doubled() {
        let mut doubles = Doubles::default();
        assert_eq!(doubles.accept(1, [2, 0]), [2, 0]);
        assert!(doubles.accept(2, []).is_empty());
        assert_eq!(doubles.accept(3, [0]), [0]);
        assert_eq!(doubles.accept(0, [3]), [3]);
        assert_eq!(
            [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(a, b)| doubles.count(a, b)),
            [1, 0, 2, 1, 0, 0]
        );
    }

    #[test]
    fn what_does_not_count_is_ignored_and_the_rest_stands() {
        let mut doubles = Doubles::default();
        assert_eq!(doubles.accept(1, [1, 7, 3, 3, 4, 0, usize::MAX]), [3, 0]);
        assert_eq!(doubles.accept(3, [3, 1]), [1]);
        // The dealer answers only those who doubled it: 1 did, 2 and 3 did not.
        assert_eq!(doubles.accept(0, [3, 0, 2, 1, 1]), [1]);
    }

    // Worked by hand.
    #[test]
    fn differences_move_from_the_lower_to_the_higher() {
        // The end of the text: 3 took the king of hearts, nobody doubled.
        assert_eq!(
            doubles([&[], &[], &[], &[]]).settle([0, 0, 0, -18]),
            [0, 0, 0, -18]
        );
        // 2 doubled everyone, 0 took the king: 18 move from 0 to 2, nothing between the others.
        let all_by_2 = doubles([&[], &[], &[0, 1, 3], &[]]);
        assert_eq!(all_by_2.settle([-18, 0, 0, 0]), [-36, 0, 18, 0]);
        assert_eq!(all_by_2.settle([-6, -6, -6, -6]), [-6, -6, -6, -6]);
        assert_eq!(all_by_2.settle([0, 0, 0, -36]), [0, 0, 36, -72]);
        // When the doubler itself is worst, it pays all three: 3 * 18 and its own 18.
        assert_eq!(all_by_2.settle([0, 0, -18, 0]), [18, 18, -72, 18]);
        // Both ways counts twice: 1 and 0 differ by 10, so 20 move; 1 and 2 differ by 4, once.
        let both = doubles([&[1], &[0, 2], &[], &[]]);
        assert_eq!(
            both.settle([-2, -12, -8, -4]),
            [-2 + 20, -12 - 20 - 4, -8 + 4, -4]
        );
        // All against all, both ways where it may be: every pair of 0 twice, the others twice too.
        let every = doubles([&[1, 2, 3], &[0, 2, 3], &[0, 1, 3], &[0, 1, 2]]);
        // 30: 0 is 10, 20, 25 above the others: 2 * 55. 1 is -10, 10, 15: 2 * 15. 2 is -20, -10, 5:
        // 2 * -25. 3 is -25, -15, -5: 2 * -45.
        assert_eq!(every.settle([30, 20, 10, 5]), [140, 50, -40, -85]);
    }

    #[test]
    fn doubling_moves_points_and_makes_none() {
        // Every set of doubles: twelve yes or no.
        for bits in 0..1u32 << 12 {
            let mut doubles = Doubles::default();
            let mut bit = 0;
            for seat in ORDER {
                let others = (0..SEATS).filter(|&other| other != seat).filter(|_| {
                    bit += 1;
                    bits >> (bit - 1) & 1 == 1
                });
                let others: Vec<usize> = others.collect();
                doubles.accept(seat, others);
            }
            assert_eq!(doubles.settle([40, -5, 10, 20]).iter().sum::<i64>(), 65);
        }
    }
}
