//! Chance that never changes: one generator (xoshiro256++), with our own bounded integers and
//! shuffle, since the helpers of `rand` may draw other values in a later version.
//!
//! Every deal, every search and every recorded match rests on these values: what a seed gives must
//! never change.

use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// The increment of splitmix64: 2^64 divided by the golden ratio.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A repeatable generator.
#[derive(Clone, Debug)]
pub struct Generator(Xoshiro256PlusPlus);

impl Generator {
    /// The generator whose state is spread from 64 bits by splitmix64.
    pub fn seeded(seed: u64) -> Generator {
        Generator(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The generator with these 256 bits of state, not all of them 0.
    pub fn with_state(words: [u64; 4]) -> Generator {
        let mut bytes = [0; 32];
        for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        Generator(Xoshiro256PlusPlus::from_seed(bytes))
    }

    /// The generator of stream `stream` of number `number` (of a deal, for example) under a seed.
    pub fn of(seed: u64, number: u64, stream: u64) -> Generator {
        let mut state = mix(seed);
        Generator::with_state([number, stream, 0x6361_6d69, 0x6369_6131].map(|word| {
            state = mix(state ^ word);
            state
        }))
    }

    /// A generator seeded from texts. Where one text ends and the next begins matters.
    pub fn from_bytes<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Generator {
        let mut hash = 0u64;
        for part in parts {
            for &byte in part {
                hash = mix(hash ^ u64::from(byte));
            }
            hash = mix(hash ^ 0x100);
        }
        Generator::of(hash, 0, 0)
    }

    /// 64 random bits.
    #[inline(always)]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, each equally likely. `bound` is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "a number below 0 was asked for");
        let bound = bound as u64;
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            // The low half tells how far into its share of 2^64 the number fell. The first
            // 2^64 mod bound of each share are one too many.
            let low = product as u64;
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (product >> 64) as usize;
            }
        }
    }

    /// A number below `bound`, each equally likely, from 32 bits of the generator a try. `bound` is
    /// at least 1.
    #[inline]
    pub fn below_32(&mut self, bound: u32) -> u32 {
        loop {
            let product = (self.bits() >> 32) * u64::from(bound);
            // The low half tells how far into its share of 2^32 the number fell. The first
            // 2^32 mod bound of each share are one too many.
            let low = product as u32;
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (product >> 32) as u32;
            }
        }
    }

    /// A number below `bound` in one step; uneven by less than `bound` in 2^32.
    #[inline(always)]
    pub fn nearly_below(&mut self, bound: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// Puts `items` in a random order, each equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// One of `items`, each equally likely; none of an empty slice.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() {
            return None;
        }
        Some(&items[self.below(items.len())])
    }
}

/// The output function of splitmix64: one-to-one, and every bit of `x` moves every bit.
pub fn spread(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// One step of splitmix64: [`spread`] after its increment, so that 0 does not stay 0.
pub fn mix(x: u64) -> u64 {
    spread(x.wrapping_add(GOLDEN))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that must never change: every recorded match rests on them.
    #[test]
    fn values_are_for_ever() {
        let mut chance = Generator::of(1, 2, 3);
        let bits: Vec<u64> = (0..3).map(|_| chance.bits()).collect();
        assert_eq!(bits, GOLDEN_BITS);
        let small: Vec<usize> = (0..12).map(|_| chance.below(6)).collect();
        assert_eq!(small, GOLDEN_DICE);
        let mut items: Vec<u8> = (0..10).collect();
        Generator::of(0, 0, 0).shuffle(&mut items);
        assert_eq!(items, GOLDEN_SHUFFLE);
        let mut opened = Generator::from_bytes([&b"a"[..], b"b"]);
        assert_eq!(opened.bits(), GOLDEN_OPENED);
    }

    const GOLDEN_BITS: [u64; 3] = [
        12_730_119_768_678_742_831,
        10_422_583_567_849_083_629,
        7_827_096_820_364_374_971,
    ];
    const GOLDEN_DICE: [usize; 12] = [1, 0, 5, 5, 0, 1, 5, 1, 2, 5, 2, 4];
    const GOLDEN_SHUFFLE: [u8; 10] = [6, 4, 0, 9, 1, 5, 7, 2, 8, 3];
    const GOLDEN_OPENED: u64 = 12_953_206_397_387_073_524;

    #[test]
    fn seeds_deals_and_streams_are_different_and_so_are_splits_of_bytes() {
        let firsts = [
            Generator::of(0, 0, 0).bits(),
            Generator::of(1, 0, 0).bits(),
            Generator::of(0, 1, 0).bits(),
            Generator::of(0, 0, 1).bits(),
            Generator::of(0, 1, 1).bits(),
            Generator::from_bytes([&b"ab"[..], b"c"]).bits(),
            Generator::from_bytes([&b"a"[..], b"bc"]).bits(),
        ];
        let mut sorted = firsts;
        sorted.sort_unstable();
        assert!(
            sorted.windows(2).all(|pair| pair[0] != pair[1]),
            "{firsts:?}"
        );
    }

    #[test]
    fn numbers_are_fair_and_below_their_bound() {
        let mut chance = Generator::of(4, 5, 6);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[chance.below(7)] += 1;
        }
        // 10000 each are expected, with a standard deviation of 93.
        assert!(
            counts.iter().all(|count| (9_500..10_500).contains(count)),
            "{counts:?}"
        );
        assert!((0..100).all(|_| chance.below(1) == 0));
        assert_eq!(chance.pick::<u8>(&[]), None);
    }

    #[test]
    fn every_order_of_a_shuffle_is_as_likely() {
        let mut chance = Generator::of(7, 8, 9);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            chance.shuffle(&mut items);
            *counts.entry(items).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        assert!(
            counts.values().all(|count| (800..1200).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn small_bounds_are_even_too() {
        let mut chance = Generator::seeded(3);
        for bound in [1, 2, 3, 7, 63] {
            let mut counts = vec![0u64; bound as usize];
            for _ in 0..10_000 {
                counts[chance.below_32(bound) as usize] += 1;
            }
            let expected = 10_000.0 / f64::from(bound);
            let off = |&n: &u64| (n as f64 - expected).powi(2) / expected;
            let chi_square: f64 = counts.iter().map(off).sum();
            assert!(chi_square < 5.0 * f64::from(bound) + 20.0);
        }
        assert!((0..1000).all(|_| chance.nearly_below(5) < 5));
    }
}
