//! Four lanes a vector: AVX2.
//!
//! There is no instruction that counts zeros, but the exponent of a floating-point number is the
//! place of its highest bit, and words of at most 52 bits become such numbers with an or and a
//! subtraction. Small numbers are compared as 16-bit ones where 64 bits have no instruction.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::step::{HALF, Start, Vector, run, run_states};
use super::{Feed, Played};

/// Four words.
///
/// SAFETY of every block below: the intrinsics need AVX2, and nothing but [`enabled`] and
/// [`enabled_states`] uses this type, which enable it and are not called on a processor without it.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Words(__m256i);

/// The bit of a hand's top card.
const TOP: usize = 51;

/// 2^52 as a floating-point number: the last place of a number between it and its double counts ones.
const MAGIC: u64 = 0x4330_0000_0000_0000;

impl Vector for Words {
    const LANES: usize = 4;
    const CARDS: usize = 52;
    type Mask = __m256i;

    #[inline(always)]
    fn hand(cards: u64) -> u64 {
        cards >> (63 - TOP)
    }

    #[inline(always)]
    fn card(at: usize) -> u64 {
        1 << (TOP - at)
    }

    #[inline(always)]
    fn splat(word: u64) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_set1_epi64x(word as i64) })
    }

    #[inline(always)]
    fn add(self, other: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_sub_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn and_or(self, mask: Words, other: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_or_si256(_mm256_and_si256(self.0, mask.0), other.0) })
    }

    #[inline(always)]
    fn less(self, other: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_subs_epu16(self.0, other.0) })
    }

    #[inline(always)]
    fn min(self, other: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_min_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn up(self, cards: Words) -> Words {
        self.shl(cards)
    }

    #[inline(always)]
    fn up_where(self, cards: Words, mask: __m256i) -> Words {
        self.keep(mask).shl(cards)
    }

    #[inline(always)]
    fn distance(self) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe {
            let magic = _mm256_set1_epi64x(MAGIC as i64);
            let number = _mm256_castsi256_pd(_mm256_or_si256(self.0, magic));
            let number = _mm256_sub_pd(number, _mm256_castsi256_pd(magic));
            let exponent = _mm256_srli_epi64::<52>(_mm256_castpd_si256(number));
            // The exponent of 0 is 0, which is over a thousand below that of 1.
            _mm256_sub_epi64(_mm256_set1_epi64x(1023 + TOP as i64), exponent)
        })
    }

    #[inline(always)]
    fn shl(self, by: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_sllv_epi64(self.0, by.0) })
    }

    #[inline(always)]
    fn shl_by<const BY: i32>(self) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_slli_epi64::<BY>(self.0) })
    }

    #[inline(always)]
    fn shr_by<const BY: i32>(self) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_srli_epi64::<BY>(self.0) })
    }

    #[inline(always)]
    fn drop_high(self) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_sllv_epi32(self.0, _mm256_set1_epi64x(2 << 32)) })
    }

    #[inline(always)]
    fn swap_halves(self, mask: __m256i) -> Words {
        // SAFETY: see `Words`.
        let swapped = Words(unsafe { _mm256_shuffle_epi32::<0b10_11_00_01>(self.0) });
        Words::select(mask, swapped, self)
    }

    #[inline(always)]
    fn is_zero(self) -> __m256i {
        // SAFETY: see `Words`.
        unsafe { _mm256_cmpeq_epi64(self.0, _mm256_setzero_si256()) }
    }

    #[inline(always)]
    fn below(self, other: Words) -> __m256i {
        // SAFETY: see `Words`.
        unsafe { _mm256_cmpgt_epi64(other.0, self.0) }
    }

    #[inline(always)]
    fn select(mask: __m256i, a: Words, b: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_blendv_epi8(b.0, a.0, mask) })
    }

    #[inline(always)]
    fn keep(self, mask: __m256i) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_and_si256(mask, self.0) })
    }

    #[inline(always)]
    fn take(pile: Words, kinds: Words, length: Words, mask: __m256i) -> (Words, Words) {
        // SAFETY: see `Words`.
        unsafe {
            // Where `mask` is set, both are shifted by far too much: that leaves 0.
            let by = _mm256_or_si256(length.0, mask);
            let byte = _mm256_and_si256(by, _mm256_set1_epi64x(0xff));
            let pile = _mm256_sllv_epi64(pile.0, byte);
            (Words(pile), Words(_mm256_sllv_epi32(kinds.0, by)))
        }
    }

    #[inline(always)]
    fn count(self, mask: __m256i) -> Words {
        // SAFETY: see `Words`. A mask that is set is -1 in both halves.
        Words(unsafe { _mm256_sub_epi32(self.0, mask) })
    }

    #[inline(always)]
    fn negative(self, bits: u64) -> u64 {
        // SAFETY: see `Words`.
        let signs = unsafe { _mm256_movemask_epi8(self.0) } as u32 & 0x0101_0101;
        bits << 1 | u64::from(signs)
    }

    #[inline(always)]
    fn place(bit: u32) -> (usize, usize) {
        (HALF - 1 - bit as usize % 8, bit as usize / 8 % 4)
    }

    #[inline(always)]
    fn bit(vector: usize, lane: usize) -> u32 {
        (HALF - 1 - vector + 8 * lane) as u32
    }

    #[inline(always)]
    fn words(&self) -> &[u64] {
        // SAFETY: a vector is as many words, of a lesser alignment.
        unsafe { &*std::ptr::from_ref(self).cast::<[u64; 4]>() }
    }

    #[inline(always)]
    fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: as above; and any words are a vector.
        unsafe { &mut *std::ptr::from_mut(self).cast::<[u64; 4]>() }
    }
}

/// Whether this processor has what [`enabled`] enables.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// Plays a feed.
///
/// # Panics
/// If the processor lacks the instructions.
pub(super) fn play(feed: &mut dyn Feed, cap: u32, sink: &mut dyn FnMut(Played)) {
    assert!(is_available());
    // SAFETY: the processor has what the function enables.
    unsafe { enabled(feed, cap, sink) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
fn enabled(feed: &mut dyn Feed, cap: u32, sink: &mut dyn FnMut(Played)) {
    run::<Words>(feed, cap, sink);
}

/// Plays on from states.
///
/// # Panics
/// If the processor lacks the instructions.
pub(super) fn play_states(states: &[Start], cap: u32, sink: &mut dyn FnMut(Played)) {
    assert!(is_available());
    // SAFETY: the processor has what the function enables.
    unsafe { enabled_states(states, cap, sink) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
fn enabled_states(states: &[Start], cap: u32, sink: &mut dyn FnMut(Played)) {
    run_states::<Words>(states, cap, sink);
}
