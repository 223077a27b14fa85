//! One lane a word: plain integers, any processor.

use super::step::Vector;

impl Vector for u64 {
    const LANES: usize = 1;
    const FLIGHT: usize = 8;
    const TOP: u32 = 63;
    // No shift that matters is by 64 or more, so shifts may count modulo 64.
    const CARDS: usize = 60;
    type Mask = bool;

    #[inline(always)]
    fn splat(word: u64) -> u64 {
        word
    }

    #[inline(always)]
    fn add(self, other: u64) -> u64 {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn sub(self, other: u64) -> u64 {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn and(self, other: u64) -> u64 {
        self & other
    }

    #[inline(always)]
    fn or(self, other: u64) -> u64 {
        self | other
    }

    #[inline(always)]
    fn less(self, other: u64) -> u64 {
        self.saturating_sub(other)
    }

    #[inline(always)]
    fn min(self, other: u64) -> u64 {
        Ord::min(self, other)
    }

    #[inline(always)]
    fn shl(self, by: u64) -> u64 {
        self.wrapping_shl(by as u32)
    }

    #[inline(always)]
    fn shl_by<const BY: i32>(self) -> u64 {
        self << BY
    }

    #[inline(always)]
    fn shr_by<const BY: i32>(self) -> u64 {
        self >> BY
    }

    #[inline(always)]
    fn shl_high(self, by: u64) -> u64 {
        self.wrapping_shl((by >> 32) as u32)
    }

    #[inline(always)]
    fn drop_high(self) -> u64 {
        (self >> 32 << 34) | self & 0xffff_ffff
    }

    #[inline(always)]
    fn swap_halves(self, mask: bool) -> u64 {
        if mask { self.rotate_left(32) } else { self }
    }

    #[inline(always)]
    fn distance(self) -> u64 {
        self.leading_zeros().into()
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self == 0
    }

    #[inline(always)]
    fn below(self, other: u64) -> bool {
        self < other
    }

    #[inline(always)]
    fn select(mask: bool, a: u64, b: u64) -> u64 {
        if mask { a } else { b }
    }

    #[inline(always)]
    fn keep(self, mask: bool) -> u64 {
        if mask { self } else { 0 }
    }

    #[inline(always)]
    fn clear(self, mask: bool) -> u64 {
        if mask { 0 } else { self }
    }

    #[inline(always)]
    fn negative(self, at: usize) -> u64 {
        (self >> 7 & 1) << at
    }

    #[inline(always)]
    fn lane_of(bit: u32) -> usize {
        bit as usize
    }

    #[inline(always)]
    fn bit_of(lane: usize) -> u32 {
        lane as u32
    }

    #[inline(always)]
    fn words(vectors: &[u64]) -> &[u64] {
        vectors
    }

    #[inline(always)]
    fn words_mut(vectors: &mut [u64]) -> &mut [u64] {
        vectors
    }
}
