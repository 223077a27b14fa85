//! One lane a word: plain integers, any processor.
//!
//! Hands have their top card at bit 0: where there is no instruction that counts leading zeros, there
//! is one that counts trailing zeros.

use std::hint::select_unpredictable;

use super::step::{HALF, Vector};

impl Vector for u64 {
    const LANES: usize = 1;
    // No shift is by 64 or more, and 63 is over all distances, even with what a card demands.
    const CARDS: usize = 59;
    type Mask = bool;

    #[inline(always)]
    fn hand(cards: u64) -> u64 {
        cards.reverse_bits()
    }

    #[inline(always)]
    fn card(at: usize) -> u64 {
        1 << at
    }

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
    fn or(self, other: u64) -> u64 {
        self | other
    }

    #[inline(always)]
    fn and_or(self, mask: u64, other: u64) -> u64 {
        (self & mask) | other
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
    fn up(self, cards: u64) -> u64 {
        self.wrapping_shr(cards as u32)
    }

    #[inline(always)]
    fn up_where(self, cards: u64, mask: bool) -> u64 {
        select_unpredictable(mask, self.up(cards), 0)
    }

    #[inline(always)]
    fn distance(self) -> u64 {
        // Never 0, whose zeros older processors cannot count.
        (self | 1 << 63).trailing_zeros().into()
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
    fn drop_high(self) -> u64 {
        (self >> 32 << 34) | self & 0xffff_ffff
    }

    #[inline(always)]
    fn swap_halves(self, mask: bool) -> u64 {
        select_unpredictable(mask, self.rotate_left(32), self)
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
        select_unpredictable(mask, a, b)
    }

    #[inline(always)]
    fn keep(self, mask: bool) -> u64 {
        select_unpredictable(mask, self, 0)
    }

    #[inline(always)]
    fn take(pile: u64, kinds: u64, length: u64, mask: bool) -> (u64, u64) {
        (
            select_unpredictable(mask, 0, pile.up(length)),
            select_unpredictable(mask, 0, kinds.wrapping_shl((length >> 32) as u32)),
        )
    }

    #[inline(always)]
    fn count(self, mask: bool) -> u64 {
        self.wrapping_add(select_unpredictable(mask, 1 << 32 | 1, 0))
    }

    #[inline(always)]
    fn negative(self, bits: u64) -> u64 {
        bits << 1 | (self >> 7 & 1)
    }

    #[inline(always)]
    fn place(bit: u32) -> (usize, usize) {
        (HALF - 1 - bit as usize, 0)
    }

    #[inline(always)]
    fn bit(vector: usize, _lane: usize) -> u32 {
        (HALF - 1 - vector) as u32
    }

    #[inline(always)]
    fn words(&self) -> &[u64] {
        std::slice::from_ref(self)
    }

    #[inline(always)]
    fn words_mut(&mut self) -> &mut [u64] {
        std::slice::from_mut(self)
    }
}
