//! The step that every kernel takes, and the loop around it.
//!
//! A lane is a game. One step lays cards up to and including the next payment card, whoever lays
//! it, and a trick that ends before it is collected on the way: no branch, only choices. The words
//! of many lanes stand side by side in a [`Vector`]; several vectors are in flight, since a step is
//! a chain of instructions that wait for each other.
//!
//! # A lane
//!
//! The *debtor* owes `k + 1` cards on the payment card that the *creditor* laid last. A hand is a
//! word with a bit for each payment card, its top card highest. The debtor's top card is at bit
//! `TOP`. The creditor's last payment card still stands there (his next card is a bit lower); it
//! counts as his until the next step removes it.
//!
//! The pile needs no length: its newest payment card stands at a fixed place, the older ones above
//! it, and where it comes to lie under the creditor's hand follows from the debtor's hand alone,
//! since all cards together are known. The same goes for the queues of what payment cards pay.
//!
//! # A step
//!
//! With `t` plain cards on top of the debtor's first payment card and `s` cards of the creditor, his
//! last payment card included, on top of his next one (the pile taken up):
//! - `t <= k`: the debtor lays `t` plain cards and the payment card. The pile stays.
//! - otherwise he pays, and the creditor takes the pile and leads. Cards are laid in turn until the
//!   debtor's payment card (if `t - k < s`) or the creditor's.
//!
//! One formula serves both: `v = max(t - k, 0)`; the debtor's word moves by `min(t, s + k)`, the
//! creditor's by `min(s, v + 1)`; the sum is how many cards were laid; the debtor laid the payment
//! card if `v < s`. Then the one who laid it is the creditor.
//!
//! A game ends when the debtor holds no card. By then the step may have gone too far: it laid cards
//! that he does not have. [`Table::end`] takes them back.

use super::{Dealt, End, Feed, Played};

/// As many lanes as an instruction takes: unsigned words of 64 bits.
///
/// A "small" number is below 2^15. Halves are of 32 bits.
pub(super) trait Vector: Copy {
    /// Lanes of one vector.
    const LANES: usize;
    /// Vectors in flight; with `LANES` at most 64 lanes.
    const FLIGHT: usize;
    /// The bit at which a hand's top card stands.
    const TOP: u32;
    /// The most cards of a deck for which every operation here is sound.
    const CARDS: usize;
    /// A choice for each lane.
    type Mask: Copy;

    fn splat(word: u64) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// `max(self - other, 0)` of small numbers.
    fn less(self, other: Self) -> Self;
    /// The lesser of small numbers.
    fn min(self, other: Self) -> Self;
    /// Shifts to the left; by 64 and more gives 0 wherever that matters.
    fn shl(self, by: Self) -> Self;
    fn shl_by<const BY: i32>(self) -> Self;
    fn shr_by<const BY: i32>(self) -> Self;
    /// Shifts the high half, by the high half of `by`; the low half is 0 in `self`.
    fn shl_high(self, by: Self) -> Self;
    /// Shifts the high half by 2, and leaves the low one.
    fn drop_high(self) -> Self;
    /// Changes places of the halves where `mask` says so.
    fn swap_halves(self, mask: Self::Mask) -> Self;
    /// How far below `TOP` the highest bit is; small, but over all distances, if there is none.
    fn distance(self) -> Self;
    /// Whether a small number is 0.
    fn is_zero(self) -> Self::Mask;
    /// Whether one small number is less than another.
    fn below(self, other: Self) -> Self::Mask;
    /// `a` where `mask` says so, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// `self` where `mask` says so, else 0.
    fn keep(self, mask: Self::Mask) -> Self;
    /// 0 where `mask` says so, else `self`.
    fn clear(self, mask: Self::Mask) -> Self;
    /// A bit for each lane whose lowest byte is negative, in such places that the `FLIGHT` vectors
    /// `at` have different ones.
    fn negative(self, at: usize) -> u64;
    /// Which lane of all a bit of [`Vector::negative`] stands for.
    fn lane_of(bit: u32) -> usize;
    /// The reverse.
    fn bit_of(lane: usize) -> u32;
    /// The words of some vectors.
    fn words(vectors: &[Self]) -> &[u64];
    /// The same, to write.
    fn words_mut(vectors: &mut [Self]) -> &mut [u64];
}

/// What is the same for all lanes.
struct Constants<V> {
    /// All bits but `TOP`.
    below_top: V,
    /// Where the pile's newest payment card stands.
    newest: V,
    /// How far its kind is moved, from bits 0 and 1.
    newest_kind: V,
    /// The sums of both hands before the first cards of a trick are laid.
    all: V,
    one: V,
    byte: V,
    /// One payment card less, in sums and lengths.
    payment: V,
    trick: V,
}

/// Bit of a length or a sum that says that the hand is A's.
const IS_A: u32 = 16;

/// Eight vectors in flight are 64 lanes at most; see [`Vector::FLIGHT`].
const MOST: usize = 16;

/// All lanes in flight.
struct Table<V> {
    /// The debtor's hand.
    debtor: [V; MOST],
    /// The creditor's hand.
    creditor: [V; MOST],
    /// What the payment cards in hand pay, less one: the debtor's in the low half, the creditor's
    /// in the high one, each from its highest bits on.
    kinds: [V; MOST],
    pile: [V; MOST],
    pile_kinds: [V; MOST],
    /// What the creditor's payment card demands, less one.
    demand: [V; MOST],
    /// The debtor's hand: cards less one in the lowest byte, whether it is A's, and twice the
    /// number of payment cards in the high half.
    length: [V; MOST],
    /// The same, of both hands together.
    sum: [V; MOST],
    /// Cards laid, and in the high half piles collected.
    played: [V; MOST],
}

impl<V: Vector> Table<V> {
    fn new() -> Table<V> {
        let none = [V::splat(0); MOST];
        Table {
            debtor: none,
            creditor: none,
            kinds: none,
            pile: none,
            pile_kinds: none,
            demand: none,
            length: none,
            sum: none,
            played: none,
        }
    }

    /// One step of the lanes of vector `at`; a bit for each game that ended.
    #[inline(always)]
    fn step(&mut self, c: &Constants<V>, at: usize) -> u64 {
        let (demand, length) = (self.demand[at], self.length[at]);
        let debtor = self.debtor[at];
        let (pile, pile_kinds) = (self.pile[at], self.pile_kinds[at]);

        let t = debtor.distance();
        let v = t.less(demand);
        let replaced = v.is_zero();

        // The creditor takes up the pile, unless the debtor laid a payment card.
        let taken = pile.shl(length.and(c.byte)).clear(replaced);
        let creditor = self.creditor[at].and(c.below_top).or(taken);
        let taken = pile_kinds.shl_high(length).clear(replaced);
        let kinds = self.kinds[at].or(taken);

        // Both lay cards until the next payment card.
        let s = creditor.distance();
        let by_debtor = v.below(s);
        let debtor_lays = t.min(s.add(demand));
        let creditor_lays = s.min(v.add(c.one));
        let debtor = debtor.shl(debtor_lays);
        let creditor = creditor.shl(creditor_lays);
        let laid = debtor_lays.add(creditor_lays);

        // Who laid it is the creditor.
        self.debtor[at] = V::select(by_debtor, creditor, debtor);
        self.creditor[at] = V::select(by_debtor, debtor, creditor);
        let kinds = kinds.swap_halves(by_debtor);
        self.kinds[at] = kinds.drop_high();
        let kind = kinds.shr_by::<62>();
        self.demand[at] = kind;

        self.pile[at] = pile.shl(laid).keep(replaced).or(c.newest);
        self.pile_kinds[at] = pile_kinds
            .shl_by::<2>()
            .keep(replaced)
            .or(kind.shl(c.newest_kind));

        let sum = V::select(replaced, self.sum[at], demand.add(c.all));
        let sum = sum.sub(laid.add(c.payment));
        self.sum[at] = sum;
        let length = length.sub(debtor_lays);
        let length = V::select(by_debtor, sum.sub(length), length);
        self.length[at] = length;
        self.played[at] = self.played[at].add(laid).add(c.trick.clear(replaced));
        length.negative(at)
    }

    /// Cards, tricks, and whether A won, of a lane whose debtor has no cards left.
    #[inline(always)]
    fn end(&self, lane: usize, cards: i32) -> (u32, u32, bool) {
        let length = V::words(&self.length)[lane] as i32;
        let less_one = i32::from(length as i8);
        let debtor_is_a = (length - less_one) >> IS_A & 1 == 1;
        let left = less_one + 1;
        let sum = i32::from(V::words(&self.sum)[lane] as i16) + 2;
        let played = V::words(&self.played)[lane];
        let (laid, tricks) = (played as i32, (played >> 32) as u32);
        let (laid, tricks) = if sum - 2 * left >= cards {
            // The debtor paid with his last card, or had too few: the trick that the step collected
            // was the last one, and nobody laid a card after it.
            (laid + left - (cards + 2 - sum) / 2, tricks)
        } else {
            // He has none to go on with: the creditor takes one more pile, and the cards that the
            // step laid in turn after the debtor's last one were never laid.
            (laid + 2 * left, tricks + 1)
        };
        (laid as u32, tricks, !debtor_is_a)
    }

    /// Puts a deal into a lane: A is the creditor of one card that B owes, and B has a plain card
    /// on top to pay it with. So the first step takes up an empty pile and A leads.
    #[inline(always)]
    fn start(&mut self, lane: usize, deal: &Dealt, shape: &Shape) {
        let shift = 63 - V::TOP;
        let kinds = deal.kinds as u64;
        let a_kinds = 2 * deal.a.count_ones();
        let b_kinds = 2 * shape.payment_cards - a_kinds;
        // At the top of the word, A's queue first.
        let queue = kinds << (64 - 2 * shape.payment_cards);
        // At most 32 bits: two shifts, so that none is by 64.
        let b_queue = (queue << a_kinds) >> 32;
        let a_queue = queue ^ (b_queue << 32) >> a_kinds;
        V::words_mut(&mut self.debtor)[lane] = deal.b >> shift;
        V::words_mut(&mut self.creditor)[lane] = deal.a >> shift;
        V::words_mut(&mut self.kinds)[lane] = a_queue | b_queue;
        V::words_mut(&mut self.pile)[lane] = 0;
        V::words_mut(&mut self.pile_kinds)[lane] = 0;
        V::words_mut(&mut self.demand)[lane] = 0;
        V::words_mut(&mut self.length)[lane] = shape.b | u64::from(b_kinds) << 32;
        V::words_mut(&mut self.played)[lane] = 0u64.wrapping_sub(1 << 32 | 1);
    }

    /// Copies a lane.
    fn copy(&mut self, from: usize, to: usize) {
        for vectors in [
            &mut self.debtor,
            &mut self.creditor,
            &mut self.kinds,
            &mut self.pile,
            &mut self.pile_kinds,
            &mut self.demand,
            &mut self.length,
            &mut self.sum,
            &mut self.played,
        ] {
            let words = V::words_mut(vectors);
            words[to] = words[from];
        }
    }
}

/// What the lanes need to know of a deck.
struct Shape {
    cards: i32,
    payment_cards: u32,
    /// B's cards.
    b: u64,
}

/// Deals from a feed, some at a time.
struct Supply<'a, F> {
    feed: &'a mut F,
    deals: [Dealt; super::BATCH],
    next: usize,
    len: usize,
    /// Deals given out.
    given: u64,
    dry: bool,
}

impl<F: Feed> Supply<'_, F> {
    #[inline(always)]
    fn next(&mut self) -> Option<(u64, Dealt)> {
        if self.next == self.len && !self.refill() {
            return None;
        }
        let deal = self.deals[self.next];
        self.next += 1;
        self.given += 1;
        Some((self.given - 1, deal))
    }

    #[inline(never)]
    fn refill(&mut self) -> bool {
        if !self.dry {
            self.next = 0;
            self.len = self.feed.fill(&mut self.deals);
            self.dry = self.len < self.deals.len();
        }
        self.next < self.len
    }
}

/// Every so many rounds, lanes are looked through for games over the bound.
const ROUNDS: u32 = 256;

/// Whether the lanes of `V` take a deck of these hands and payment cards.
pub(super) fn takes<V: Vector>(hands: [usize; 2], payment_cards: usize) -> bool {
    hands[0] > 0
        && hands[1] > 0
        && hands[0] + hands[1] <= V::CARDS
        && (1..=16).contains(&payment_cards)
}

/// Plays every deal of `feed`, of whose deck [`takes`] must hold.
#[inline(always)]
pub(super) fn run<V: Vector, F: Feed>(feed: &mut F, cap: u32, sink: &mut impl FnMut(Played)) {
    let deck = feed.deck();
    let [a, b] = deck.hands().map(|n| n as u64);
    let shape = Shape {
        cards: (a + b) as i32,
        payment_cards: deck.payment_cards() as u32,
        b,
    };
    let pairs = 2 * u64::from(shape.payment_cards);
    let c = Constants {
        below_top: V::splat(!(1 << V::TOP)),
        newest: V::splat(1 << (u64::from(V::TOP) + 1 - a - b)),
        newest_kind: V::splat(64 - pairs),
        all: V::splat((pairs + 2) << 32 | 1 << IS_A | (a + b)),
        one: V::splat(1),
        byte: V::splat(0xff),
        payment: V::splat(2 << 32),
        trick: V::splat(1 << 32),
    };
    let mut supply = Supply {
        feed,
        deals: [Dealt::default(); super::BATCH],
        next: 0,
        len: 0,
        given: 0,
        dry: false,
    };
    let mut table = Table::<V>::new();
    let mut places = [0u64; 64];
    // Lanes with a game in them, as `Vector::negative` counts them.
    let mut live = 0u64;
    let lanes = V::LANES * V::FLIGHT;
    for lane in 0..lanes {
        let Some((at, deal)) = supply.next() else {
            break;
        };
        places[lane] = at;
        table.start(lane, &deal, &shape);
        live |= 1 << V::bit_of(lane);
    }
    let mut rounds = 0;
    let mut flight = V::FLIGHT;
    while live != 0 {
        let mut ended = 0;
        if flight == V::FLIGHT {
            for at in 0..V::FLIGHT {
                ended |= table.step(&c, at);
            }
        } else {
            for at in 0..flight {
                ended |= table.step(&c, at);
            }
        }
        ended &= live;
        while ended != 0 {
            let bit = ended.trailing_zeros();
            ended &= ended - 1;
            let lane = V::lane_of(bit);
            let (cards, tricks, a_won) = table.end(lane, shape.cards);
            let at = places[lane];
            sink(if tricks > cap {
                capped(at)
            } else {
                Played {
                    at,
                    cards,
                    tricks,
                    end: if a_won { End::A } else { End::B },
                }
            });
            match supply.next() {
                Some((at, deal)) => {
                    places[lane] = at;
                    table.start(lane, &deal, &shape);
                }
                None => live &= !(1 << bit),
            }
        }
        rounds += 1;
        if rounds == ROUNDS || live.count_ones() as usize <= (flight - 1) * V::LANES {
            rounds = 0;
            // The rare work: games over the bound, and at the end of the feed fewer lanes.
            let mut left = live;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                let lane = V::lane_of(bit);
                // Negative in a lane that has just been started.
                let tricks = V::words(&table.played)[lane] as i64 >> 32;
                // It has not ended, so one more trick at least will come.
                if tricks < i64::from(cap) {
                    continue;
                }
                sink(capped(places[lane]));
                match supply.next() {
                    Some((at, deal)) => {
                        places[lane] = at;
                        table.start(lane, &deal, &shape);
                    }
                    None => live &= !(1 << bit),
                }
            }
            let mut filled = 0;
            let mut packed = 0;
            for lane in 0..lanes {
                if live >> V::bit_of(lane) & 1 == 1 {
                    table.copy(lane, filled);
                    places[filled] = places[lane];
                    packed |= 1 << V::bit_of(filled);
                    filled += 1;
                }
            }
            live = packed;
            flight = filled.div_ceil(V::LANES).max(1);
        }
    }
}

fn capped(at: u64) -> Played {
    Played {
        at,
        cards: 0,
        tricks: 0,
        end: End::Capped,
    }
}
