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
