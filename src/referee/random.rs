//! Chance that never changes: a fixed generator, seeded from a match, a deal and a stream, with our
//! own bounded integers and shuffle. The helpers of `rand` may draw other values in a later version.

use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// A repeatable generator.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The generator of one stream of one deal of a match.
    pub fn of(seed: u64, deal: u64, stream: u64) -> Random {
        let mut state = mix(seed);
        let mut words = [0u8; 32];
        for (index, word) in words.chunks_exact_mut(8).enumerate() {
            state = mix(state ^ [deal, stream, 0x6361_6d69, 0x6369_6131][index]);
            word.copy_from_slice(&state.to_le_bytes());
        }
        Random(Xoshiro256PlusPlus::from_seed(words))
    }

    /// A generator seeded from bytes: a bot's, from the lines that opened its game.
    pub fn from_bytes<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Random {
        let mut hash = 0u64;
        for part in parts {
            for &byte in part {
                hash = mix(hash ^ u64::from(byte));
            }
            hash = mix(hash ^ 0x100);
        }
        Random::of(hash, 0, 0)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, each equally likely. `bound` is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "a number below 0 was asked for");
        let bound = bound as u64;
        // Widening multiplication; the few low products that would favour some numbers are redrawn.
        let unfair = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            if product as u64 >= unfair {
                return (product >> 64) as usize;
            }
        }
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

/// Spreads every bit of `x` over all bits (the finaliser of splitmix64, with its increment).
fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that must never change: every recorded match rests on them.
    #[test]
    fn values_are_for_ever() {
        let mut random = Random::of(1, 2, 3);
        let bits: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(bits, GOLDEN_BITS);
        let small: Vec<usize> = (0..12).map(|_| random.below(6)).collect();
        assert_eq!(small, GOLDEN_DICE);
        let mut items: Vec<u8> = (0..10).collect();
        Random::of(0, 0, 0).shuffle(&mut items);
        assert_eq!(items, GOLDEN_SHUFFLE);
        let mut opened = Random::from_bytes([&b"a"[..], b"b"]);
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
            Random::of(0, 0, 0).bits(),
            Random::of(1, 0, 0).bits(),
            Random::of(0, 1, 0).bits(),
            Random::of(0, 0, 1).bits(),
            Random::of(0, 1, 1).bits(),
            Random::from_bytes([&b"ab"[..], b"c"]).bits(),
            Random::from_bytes([&b"a"[..], b"bc"]).bits(),
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
        let mut random = Random::of(4, 5, 6);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[random.below(7)] += 1;
        }
        // 10000 each are expected, with a standard deviation of 93.
        assert!(
            counts.iter().all(|count| (9_500..10_500).contains(count)),
            "{counts:?}"
        );
        assert!((0..100).all(|_| random.below(1) == 0));
        assert_eq!(random.pick::<u8>(&[]), None);
    }

    #[test]
    fn every_order_of_a_shuffle_is_as_likely() {
        let mut random = Random::of(7, 8, 9);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            random.shuffle(&mut items);
            *counts.entry(items).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        assert!(
            counts.values().all(|count| (800..1200).contains(count)),
            "{counts:?}"
        );
    }
}
