//! Four lanes a vector: AVX2.
//!
//! There is no instruction that counts zeros, but the exponent of a floating-point number is the
//! place of its highest bit, and words of at most 52 bits become such numbers with an or and a
//! subtraction. Small numbers are compared as 16-bit ones where 64 bits have no instruction.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::step::{Vector, run};
use super::{Feed, Played};

/// Four words.
///
/// SAFETY of every block below: the intrinsics need AVX2, and nothing but [`play`] uses this type,
/// which enables it and whose caller has made sure that the processor has it.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Words(__m256i);

/// 2^52: the last place of a number between it and its double counts ones.
const MAGIC: u64 = 0x4330_0000_0000_0000;

impl Vector for Words {
    const LANES: usize = 4;
    const FLIGHT: usize = 16;
    const TOP: u32 = 51;
    const CARDS: usize = 52;
    type Mask = __m256i;

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
    fn and(self, other: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_or_si256(self.0, other.0) })
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
    fn shl_high(self, by: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_sllv_epi32(self.0, by.0) })
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
    fn distance(self) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe {
            let magic = _mm256_set1_epi64x(MAGIC as i64);
            let number = _mm256_castsi256_pd(_mm256_or_si256(self.0, magic));
            let number = _mm256_sub_pd(number, _mm256_castsi256_pd(magic));
            let exponent = _mm256_srli_epi64::<52>(_mm256_castpd_si256(number));
            // The exponent of 0 is 0, which is over a thousand below that of 1.
            _mm256_sub_epi64(_mm256_set1_epi64x(1023 + i64::from(Words::TOP)), exponent)
        })
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
    fn clear(self, mask: __m256i) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm256_andnot_si256(mask, self.0) })
    }

    #[inline(always)]
    fn negative(self, at: usize) -> u64 {
        // SAFETY: see `Words`.
        let signs = unsafe { _mm256_movemask_epi8(self.0) } as u32 & 0x0101_0101;
        u64::from(signs) << (at % 8 + at / 8 * 32)
    }

    #[inline(always)]
    fn lane_of(bit: u32) -> usize {
        let (vector, lane) = (bit % 8 + bit / 32 * 8, bit % 32 / 8);
        (4 * vector + lane) as usize
    }

    #[inline(always)]
    fn bit_of(lane: usize) -> u32 {
        let (vector, lane) = (lane as u32 / 4, lane as u32 % 4);
        vector % 8 + 8 * lane + vector / 8 * 32
    }

    #[inline(always)]
    fn words(vectors: &[Words]) -> &[u64] {
        // SAFETY: four words each, without padding, of a lesser alignment.
        unsafe { std::slice::from_raw_parts(vectors.as_ptr().cast(), 4 * vectors.len()) }
    }

    #[inline(always)]
    fn words_mut(vectors: &mut [Words]) -> &mut [u64] {
        // SAFETY: as above; any four words are a vector.
        unsafe { std::slice::from_raw_parts_mut(vectors.as_mut_ptr().cast(), 4 * vectors.len()) }
    }
}

/// Whether this processor has what [`play`] needs.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// Plays a feed. [`is_available`] must hold.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
pub(super) fn play<F: Feed>(feed: &mut F, cap: u32, sink: &mut impl FnMut(Played)) {
    run::<Words, F>(feed, cap, sink);
}
