//! Eight lanes a vector: AVX-512.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::step::{HALF, Start, Vector, run, run_states};
use super::{Feed, Played};

/// Eight words.
///
/// SAFETY of every block below: the intrinsics need AVX-512 (F, BW, CD), and nothing but
/// [`enabled`] and [`enabled_states`] uses this type, which enable it and are not called on a processor without it.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Words(__m512i);

impl Vector for Words {
    const LANES: usize = 8;
    const CARDS: usize = 60;
    type Mask = __mmask8;

    #[inline(always)]
    fn hand(cards: u64) -> u64 {
        cards
    }

    #[inline(always)]
    fn card(at: usize) -> u64 {
        1 << (63 - at)
    }

    #[inline(always)]
    fn splat(word: u64) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm512_set1_epi64(word as i64) })
    }

    #[inline(always)]
    fn add(self, other: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm512_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm512_sub_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn and_or(self, mask: Words, other: Words) -> Words {
        // SAFETY: see `Words`. The table is that of (a and b) or c.
        Words(unsafe { _mm512_ternarylogic_epi64::<0xea>(self.0, mask.0, other.0) })
    }

    #[inline(always)]
    fn less(self, other: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm512_subs_epu16(self.0, other.0) })
    }

    #[inline(always)]
    fn min(self, other: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm512_min_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn up(self, cards: Words) -> Words {
        // SAFETY: see `Words`. What moves beyond the top are plain cards, zeros, so turning is as
        // good as shifting, and the compiler adds no test for counts of 64 and more.
        Words(unsafe { _mm512_rolv_epi64(self.0, cards.0) })
    }

    #[inline(always)]
    fn up_where(self, cards: Words, mask: __mmask8) -> Words {
        // SAFETY: see `Words`. As in `up`.
        Words(unsafe { _mm512_maskz_rolv_epi64(mask, self.0, cards.0) })
    }

    #[inline(always)]
    fn distance(self) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm512_lzcnt_epi64(self.0) })
    }

    #[inline(always)]
    fn shl(self, by: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm512_sllv_epi64(self.0, by.0) })
    }

    #[inline(always)]
    fn shl_by<const BY: i32>(self) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm512_sllv_epi64(self.0, _mm512_set1_epi64(BY as i64)) })
    }

    #[inline(always)]
    fn shr_by<const BY: i32>(self) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm512_srlv_epi64(self.0, _mm512_set1_epi64(BY as i64)) })
    }

    #[inline(always)]
    fn drop_high(self) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm512_sllv_epi32(self.0, _mm512_set1_epi64(2 << 32)) })
    }

    #[inline(always)]
    fn swap_halves(self, mask: __mmask8) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm512_mask_rol_epi64::<32>(self.0, mask, self.0) })
    }

    #[inline(always)]
    fn is_zero(self) -> __mmask8 {
        // SAFETY: see `Words`.
        unsafe { _mm512_testn_epi64_mask(self.0, self.0) }
    }

    #[inline(always)]
    fn below(self, other: Words) -> __mmask8 {
        // SAFETY: see `Words`.
        unsafe { _mm512_cmplt_epi64_mask(self.0, other.0) }
    }

    #[inline(always)]
    fn select(mask: __mmask8, a: Words, b: Words) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm512_mask_blend_epi64(mask, b.0, a.0) })
    }

    #[inline(always)]
    fn keep(self, mask: __mmask8) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe { _mm512_maskz_mov_epi64(mask, self.0) })
    }

    #[inline(always)]
    fn take(pile: Words, kinds: Words, length: Words, mask: __mmask8) -> (Words, Words) {
        // SAFETY: see `Words`.
        unsafe {
            // Turning looks at the lowest six bits of the count alone.
            let pile = _mm512_maskz_rolv_epi64(!mask, pile.0, length.0);
            let kinds = _mm512_sllv_epi32(kinds.0, length.0);
            (Words(pile), Words(_mm512_maskz_mov_epi64(!mask, kinds)))
        }
    }

    #[inline(always)]
    fn count(self, mask: __mmask8) -> Words {
        // SAFETY: see `Words`.
        Words(unsafe {
            _mm512_mask_add_epi64(self.0, mask, self.0, _mm512_set1_epi64(1 << 32 | 1))
        })
    }

    #[inline(always)]
    fn negative(self, bits: u64) -> u64 {
        // SAFETY: see `Words`.
        let signs = unsafe { _mm512_test_epi64_mask(self.0, _mm512_set1_epi64(0x80)) };
        bits << 8 | u64::from(signs)
    }

    #[inline(always)]
    fn place(bit: u32) -> (usize, usize) {
        (HALF - 1 - bit as usize / 8 % 8, bit as usize % 8)
    }

    #[inline(always)]
    fn bit(vector: usize, lane: usize) -> u32 {
        (8 * (HALF - 1 - vector) + lane) as u32
    }

    #[inline(always)]
    fn words(&self) -> &[u64] {
        // SAFETY: a vector is as many words, of a lesser alignment.
        unsafe { &*std::ptr::from_ref(self).cast::<[u64; 8]>() }
    }

    #[inline(always)]
    fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: as above; and any words are a vector.
        unsafe { &mut *std::ptr::from_mut(self).cast::<[u64; 8]>() }
    }
}

/// Whether this processor has what [`enabled`] enables.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && super::avx2::is_available()
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

#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
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

#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
fn enabled_states(states: &[Start], cap: u32, sink: &mut dyn FnMut(Played)) {
    run_states::<Words>(states, cap, sink);
}
