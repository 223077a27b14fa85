//! Chance for growing: a fixed generator and small draws whose values never change.

use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// A source of chance for one batch.
pub(super) struct Dice(Xoshiro256PlusPlus);

impl Dice {
    /// The dice of batch `batch` of a run with this seed.
    pub(super) fn of(seed: u64, batch: u64) -> Dice {
        let mut mixed = Xoshiro256PlusPlus::seed_from_u64(seed);
        let key = mixed.next_u64() ^ batch.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Dice(Xoshiro256PlusPlus::seed_from_u64(key))
    }

    /// A number below `n`, which is over 0; uneven by less than `n` in 2^32.
    #[inline(always)]
    pub(super) fn below(&mut self, n: u32) -> u32 {
        (((self.0.next_u64() >> 32) * u64::from(n)) >> 32) as u32
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
