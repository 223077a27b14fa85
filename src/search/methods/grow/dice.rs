//! Generator for growing: small draws, a few instructions each, whose values never change.

use crate::chance::{GOLDEN, Generator};

/// A source of chance for one batch.
pub(super) struct Dice(Generator);

impl Dice {
    /// The dice of batch `batch` of a run with this seed.
    pub(super) fn of(seed: u64, batch: u64) -> Dice {
        let key = Generator::seeded(seed).bits() ^ batch.wrapping_mul(GOLDEN);
        Dice(Generator::seeded(key))
    }

    /// A number below `n`, which is over 0; uneven by less than `n` in 2^32.
    #[inline(always)]
    pub(super) fn below(&mut self, n: u32) -> u32 {
        self.0.nearly_below(n)
    }

    /// True `n` times in 256.
    #[inline(always)]
    pub(super) fn chance(&mut self, n: u32) -> bool {
        self.below(256) < n
    }

    /// 0, 1, 2 ... below `n`, each `ratio` in 256 as likely as the one before.
    #[inline(always)]
    pub(super) fn falling(&mut self, n: u32, ratio: u32) -> u32 {
        let mut at = 0;
        while self.chance(ratio) {
            at += 1;
            if at >= n {
                at = 0;
            }
        }
        at
    }
}
