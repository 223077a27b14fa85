//! Changes of single cards in a packed hand: looked at, taken out, put in, turned into another
//! kind, each in a few instructions.

use super::packed::{Hand, Kinds, MAX_CARDS};

impl<K: Kinds> Hand<K> {
    /// What the card at place `at` pays, 0 to 4. `at` is less than the length.
    #[inline(always)]
    pub fn pay_at(self, at: u32) -> u8 {
        let (cards, kinds) = self.words();
        if cards >> at & 1 == 0 {
            0
        } else {
            (kinds >> (2 * below(cards, at))).first() as u8 + 1
        }
    }

    /// The hand without the card at place `at`, which is less than the length.
    #[inline(always)]
    pub fn removed(self, at: u32) -> Hand<K> {
        let (cards, kinds) = self.words();
        let rest = cards & ((1 << at) - 1) | cards >> (at + 1) << at;
        let kinds = if cards >> at & 1 == 0 {
            kinds
        } else {
            let n = below(cards, at);
            // Two shifts: one alone may be as long as the word.
            kinds.take(n) | kinds >> (2 * n) >> 2 << (2 * n)
        };
        Hand::from_words(rest, kinds)
    }

    /// The hand with a card that pays `pay` (0 to 4) put before the one at place `at`, at most
    /// the length. The hand must have room for it.
    #[inline(always)]
    pub fn inserted(self, at: u32, pay: u8) -> Hand<K> {
        debug_assert!((self.len() as usize) < MAX_CARDS && at <= self.len());
        let (cards, kinds) = self.words();
        let rest = cards & ((1 << at) - 1) | cards >> at << at << 1;
        if pay == 0 {
            return Hand::from_words(rest, kinds);
        }
        debug_assert!((self.payment_cards() as usize) < K::CAPACITY);
        let n = below(cards, at);
        let kinds = kinds.take(n) | K::from(pay - 1) << (2 * n) | kinds >> (2 * n) << (2 * n) << 2;
        Hand::from_words(rest | 1 << at, kinds)
    }

    /// The hand with the card at place `at` turned into one that pays `pay` (0 to 4).
    #[inline(always)]
    pub fn turned(self, at: u32, pay: u8) -> Hand<K> {
        self.removed(at).inserted(at, pay)
    }
}

/// How many payment cards lie above place `at`.
#[inline(always)]
fn below(cards: u64, at: u32) -> u32 {
    (cards & ((1 << at) - 1)).count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<K: Kinds>(pays: &[u8]) {
        let hand: Hand<K> = Hand::new(pays.iter().copied()).unwrap();
        for at in 0..=pays.len() {
            for pay in 0..5 {
                let mut wanted = pays.to_vec();
                wanted.insert(at, pay);
                if let Some(wanted) = Hand::new(wanted) {
                    assert_eq!(hand.inserted(at as u32, pay), wanted);
                }
                if at < pays.len() {
                    let mut wanted = pays.to_vec();
                    assert_eq!(hand.pay_at(at as u32), wanted[at]);
                    wanted[at] = pay;
                    if let Some(wanted) = Hand::new(wanted.iter().copied()) {
                        assert_eq!(hand.turned(at as u32, pay), wanted);
                    }
                    wanted.remove(at);
                    assert_eq!(hand.removed(at as u32), Hand::new(wanted).unwrap());
                }
            }
        }
    }

    #[test]
    fn changes_are_those_of_a_list() {
        for pays in [
            &[][..],
            &[0],
            &[3],
            &[0, 4, 0, 0, 1, 2, 0],
            &[1, 1, 4, 0, 3],
            &[4; 32],
            &[4; 31],
            &[0; 62],
        ] {
            check::<u64>(pays);
            check::<u128>(pays);
        }
        check::<u128>(&[2; 62]);
    }
}
