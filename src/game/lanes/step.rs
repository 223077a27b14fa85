//! The step that every kernel takes, and the loop around it.
//!
//! A lane is a game. One step lays cards up to and including the next payment card, whoever lays
//! it, and a trick that ends before it is collected on the way: no branch, only choices. The words
//! of many lanes stand side by side in a [`Vector`]; many vectors are in flight, since a step is a
//! chain of instructions that wait for each other.
//!
//! # A lane
//!
//! The *debtor* owes `k + 1` cards on the payment card that the *creditor* laid last. A hand is a
//! word with a bit for each payment card, in order; the debtor's top card is at the word's top place.
//! The creditor's last payment card still stands there, with his next card below it: it counts as
//! his until the next step removes it.
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
//! that he does not have. [`Half::end`] takes them back.

use super::{Dealt, End, Feed, Played};
use crate::game::packed::{Kinds, State};

/// As many lanes as an instruction takes: unsigned words of 64 bits.
///
/// A "small" number is below 2^15. Halves of words are of 32 bits.
pub(super) trait Vector: Copy {
    /// Lanes of one vector, at most eight.
    const LANES: usize;
    /// The most cards of a deck for which every operation here is sound.
    const CARDS: usize;
    /// A choice for each lane.
    type Mask: Copy;

    /// A hand as [`Dealt`] has it, in this kernel's order: with one more card on top.
    fn hand(cards: u64) -> u64;
    /// The bit of card `at` from the top of a hand.
    fn card(at: usize) -> u64;
    fn splat(word: u64) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// `self` and `mask`, or `other`.
    fn and_or(self, mask: Self, other: Self) -> Self;
    /// `max(self - other, 0)` of small numbers.
    fn less(self, other: Self) -> Self;
    /// The lesser of small numbers.
    fn min(self, other: Self) -> Self;
    /// Moves a hand or a pile up by `cards`; those that move beyond the top are gone.
    fn up(self, cards: Self) -> Self;
    /// Moves a pile up by `cards` where `mask` says so, else 0.
    fn up_where(self, cards: Self, mask: Self::Mask) -> Self;
    /// How far below the top the first payment card is; small, but over all distances, if there is
    /// none.
    fn distance(self) -> Self;
    fn shl(self, by: Self) -> Self;
    fn shl_by<const BY: i32>(self) -> Self;
    fn shr_by<const BY: i32>(self) -> Self;
    /// Shifts the high half by 2, and leaves the low one.
    fn drop_high(self) -> Self;
    /// Changes places of the halves where `mask` says so.
    fn swap_halves(self, mask: Self::Mask) -> Self;
    /// Whether a small number is 0.
    fn is_zero(self) -> Self::Mask;
    /// Whether one small number is less than another.
    fn below(self, other: Self) -> Self::Mask;
    /// `a` where `mask` says so, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// `self` where `mask` says so, else 0.
    fn keep(self, mask: Self::Mask) -> Self;
    /// `pile` moved up by the lowest byte of `length`, and `kinds`, whose low half is 0, shifted in
    /// the high half by the high half of `length`. Both 0 where `mask` says so.
    fn take(pile: Self, kinds: Self, length: Self, mask: Self::Mask) -> (Self, Self);
    /// Both halves plus 1 where `mask` says so.
    fn count(self, mask: Self::Mask) -> Self;
    /// Adds a bit to `bits`, which holds those of the vectors before, for each lane whose lowest
    /// byte is negative.
    fn negative(self, bits: u64) -> u64;
    /// Which vector and lane a bit of [`Vector::negative`] stands for, after [`HALF`] vectors.
    fn place(bit: u32) -> (usize, usize);
    /// The reverse.
    fn bit(vector: usize, lane: usize) -> u32;
    /// The lanes.
    fn words(&self) -> &[u64];
    /// The lanes, to write.
    fn words_mut(&mut self) -> &mut [u64];
}

/// What is the same for all lanes.
struct Constants<V> {
    /// All places of a hand but the top one.
    below_top: V,
    one: V,
    /// One payment card less, in sums and lengths.
    payment: V,
    deck: OwnDecks<V>,
}

/// What a step takes from the decks of its lanes.
trait Decks<V>: Copy {
    /// What it knows of one lane.
    type Lane: Copy;

    fn new() -> Self;
    fn lane(&self, lane: usize) -> Self::Lane;
    fn set_lane(&mut self, lane: usize, to: Self::Lane);
    fn of(shape: &Shape) -> Self::Lane;
    fn see<'a>(&'a self, c: &'a Constants<V>) -> &'a OwnDecks<V>;
}

/// All lanes play one deck, that of [`Constants`].
#[derive(Clone, Copy)]
struct OneDeck;

impl<V: Vector> Decks<V> for OneDeck {
    type Lane = ();

    #[inline(always)]
    fn new() -> OneDeck {
        OneDeck
    }

    #[inline(always)]
    fn lane(&self, _lane: usize) {}

    #[inline(always)]
    fn set_lane(&mut self, _lane: usize, _to: ()) {}

    #[inline(always)]
    fn of(_shape: &Shape) {}

    #[inline(always)]
    fn see<'a>(&'a self, c: &'a Constants<V>) -> &'a OwnDecks<V> {
        &c.deck
    }
}

/// Every lane plays a deck of its own.
#[derive(Clone, Copy)]
struct OwnDecks<V> {
    /// Where the pile's newest payment card stands.
    newest: V,
    /// How far its kind is moved, from bits 0 and 1.
    newest_kind: V,
    /// The sums of both hands before the first cards of a trick are laid.
    all: V,
}

impl<V: Vector> Decks<V> for OwnDecks<V> {
    type Lane = [u64; 3];

    #[inline(always)]
    fn new() -> OwnDecks<V> {
        let none = V::splat(0);
        OwnDecks {
            newest: none,
            newest_kind: none,
            all: none,
        }
    }

    #[inline(always)]
    fn lane(&self, lane: usize) -> [u64; 3] {
        [&self.newest, &self.newest_kind, &self.all].map(|vector| vector.words()[lane])
    }

    #[inline(always)]
    fn set_lane(&mut self, lane: usize, [newest, newest_kind, all]: [u64; 3]) {
        self.newest.words_mut()[lane] = newest;
        self.newest_kind.words_mut()[lane] = newest_kind;
        self.all.words_mut()[lane] = all;
    }

    #[inline(always)]
    fn of(shape: &Shape) -> [u64; 3] {
        let pairs = 2 * u64::from(shape.payment_cards);
        let cards = shape.cards as u64;
        [
            V::card(cards as usize - 1),
            64 - pairs,
            (pairs + 2) << 32 | 1 << IS_A | cards,
        ]
    }

    #[inline(always)]
    fn see<'a>(&'a self, _c: &'a Constants<V>) -> &'a OwnDecks<V> {
        self
    }
}

/// Bit of a length or a sum that says that the hand is A's.
const IS_A: u32 = 16;

/// A vector of games.
#[derive(Clone, Copy)]
struct Games<V, D> {
    deck: D,
    /// The debtor's hand.
    debtor: V,
    /// The creditor's hand.
    creditor: V,
    /// What the payment cards in hand pay, less one: the debtor's in the low half, the creditor's
    /// in the high one, each from its highest bits on.
    kinds: V,
    pile: V,
    pile_kinds: V,
    /// What the creditor's payment card demands, less one.
    demand: V,
    /// The debtor's hand: cards less one in the lowest byte, whether it is A's, and twice the
    /// number of payment cards in the high half.
    length: V,
    /// The same, of both hands together.
    sum: V,
    /// In the high half, steps in which the debtor laid a payment card instead of paying. In the
    /// low half, cards laid and the same number again.
    played: V,
}

impl<V: Vector, D: Decks<V>> Games<V, D> {
    fn new() -> Games<V, D> {
        let none = V::splat(0);
        Games {
            deck: D::new(),
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

    #[inline(always)]
    fn step(&mut self, c: &Constants<V>) {
        let deck = *self.deck.see(c);
        let t = self.debtor.distance();
        let v = t.less(self.demand);
        let replaced = v.is_zero();

        // The creditor takes up the pile, unless the debtor laid a payment card.
        let (taken, taken_kinds) = V::take(self.pile, self.pile_kinds, self.length, replaced);
        let creditor = self.creditor.and_or(c.below_top, taken);
        let kinds = self.kinds.or(taken_kinds);

        // Both lay cards until the next payment card.
        let s = creditor.distance();
        let by_debtor = v.below(s);
        let debtor_lays = t.min(s.add(self.demand));
        let creditor_lays = s.min(v.add(c.one));
        let laid = debtor_lays.add(creditor_lays);
        let debtor = self.debtor.up(debtor_lays);
        let creditor = creditor.up(creditor_lays);

        // Whoever laid it is the creditor.
        self.debtor = V::select(by_debtor, creditor, debtor);
        self.creditor = V::select(by_debtor, debtor, creditor);
        let kinds = kinds.swap_halves(by_debtor);
        self.kinds = kinds.drop_high();
        let kind = kinds.shr_by::<62>();

        self.pile = self.pile.up_where(laid, replaced).or(deck.newest);
        let pile_kinds = self.pile_kinds.keep(replaced).shl_by::<2>();
        self.pile_kinds = pile_kinds.or(kind.shl(deck.newest_kind));

        let sum = V::select(replaced, self.sum, self.demand.add(deck.all));
        self.sum = sum.sub(laid.add(c.payment));
        let length = self.length.sub(debtor_lays);
        self.length = V::select(by_debtor, self.sum.sub(length), length);
        self.demand = kind;
        self.played = self.played.add(laid).count(replaced);
    }

    /// The words of one lane.
    fn lane(&mut self, lane: usize) -> [&mut u64; 9] {
        [
            &mut self.debtor,
            &mut self.creditor,
            &mut self.kinds,
            &mut self.pile,
            &mut self.pile_kinds,
            &mut self.demand,
            &mut self.length,
            &mut self.sum,
            &mut self.played,
        ]
        .map(|vector| &mut vector.words_mut()[lane])
    }
}

/// What the lanes need to know of a deck.
#[derive(Clone, Copy)]
struct Shape {
    cards: i32,
    payment_cards: u32,
    /// B's cards.
    b: u64,
}

/// Vectors that are stepped in one go.
pub(super) const HALF: usize = 8;

/// Half of the lanes. While one half steps, the games that ended in the other one are dealt with:
/// by then the processor knows which they are, and a wrong guess costs it little.
struct Half<V, D> {
    games: [Games<V, D>; HALF],
    /// The games, by bits of [`Vector::negative`].
    seats: [Seat; 64],
    /// Steps taken.
    steps: u32,
    /// Bits of the lanes that hold a game.
    live: u64,
}

/// Whose lane it is.
#[derive(Clone, Copy, Default)]
struct Seat {
    /// The place of the deal in the feed.
    at: u64,
    /// Steps taken before the first one.
    since: u32,
    /// Cards of its deck.
    cards: i32,
}

impl<V: Vector, D: Decks<V>> Half<V, D> {
    fn new() -> Half<V, D> {
        Half {
            games: [Games::new(); HALF],
            seats: [Seat::default(); 64],
            steps: 0,
            live: 0,
        }
    }

    /// One step of all lanes: the bits of those whose game ended.
    #[inline(always)]
    fn step(&mut self, c: &Constants<V>) -> u64 {
        let mut ended = 0;
        for games in &mut self.games {
            games.step(c);
            ended = games.length.negative(ended);
        }
        self.steps = self.steps.wrapping_add(1);
        ended & self.live
    }

    /// Piles collected so far in a lane that has stepped at least once, and cards laid.
    #[inline(always)]
    fn played(&self, bit: u32) -> (u32, u32) {
        let (vector, lane) = V::place(bit);
        let played = self.games[vector].played.words()[lane];
        let replaced = (played >> 32) as u32;
        // The first step collected an empty pile; see `start`.
        let steps = self.steps.wrapping_sub(self.seats[bit as usize].since);
        (
            steps.wrapping_sub(replaced).wrapping_sub(1),
            (played as u32).wrapping_sub(replaced).wrapping_sub(1),
        )
    }

    /// The game of a lane whose debtor has no cards left.
    #[inline(always)]
    fn end(&self, bit: u32, cap: u32) -> Played {
        let (vector, lane) = V::place(bit);
        let Seat { at, cards: all, .. } = self.seats[bit as usize];
        let length = self.games[vector].length.words()[lane] as i32;
        let less_one = i32::from(length as i8);
        let debtor_is_a = (length - less_one) >> IS_A & 1 == 1;
        let left = less_one + 1;
        let sum = i32::from(self.games[vector].sum.words()[lane] as i16) + 2;
        let (tricks, laid) = self.played(bit);
        let laid = laid as i32;
        // Either the debtor paid with his last card, or had too few: the trick that the step
        // collected was the last one, and nobody laid a card after it. Or he has none to go on
        // with: the creditor takes one more pile, and the cards that the step laid in turn after
        // the debtor's last one were never laid.
        let over = sum - 2 * left >= all;
        let tricks = tricks + u32::from(!over);
        let cards = if over {
            laid + left - (all + 2 - sum) / 2
        } else {
            laid + 2 * left
        };
        if tricks > cap {
            return capped(at);
        }
        Played {
            at,
            cards: cards as u32,
            tricks,
            end: if debtor_is_a { End::B } else { End::A },
        }
    }

    /// Puts a deal into a lane: A is the creditor of one card that B owes, and B has a plain card
    /// on top to pay it with. So the first step takes up an empty pile and A leads.
    #[inline(always)]
    fn start(&mut self, bit: u32, at: u64, deal: &Dealt, shape: &Shape) {
        self.live |= 1 << bit;
        self.seats[bit as usize] = Seat {
            at,
            since: self.steps,
            cards: shape.cards,
        };
        // At the top of the word, A's queue first; at most 32 bits, and less than 64 in a shift.
        let queue = (deal.kinds as u64) << (64 - 2 * shape.payment_cards);
        let a_kinds = 2 * deal.a.count_ones();
        let b_kinds = 2 * shape.payment_cards - a_kinds;
        let b_queue = queue << a_kinds;
        let a_queue = queue ^ b_queue >> a_kinds;
        let (vector, lane) = V::place(bit);
        let games = &mut self.games[vector];
        games.deck.set_lane(lane, D::of(shape));
        games.debtor.words_mut()[lane] = V::hand(deal.b);
        games.creditor.words_mut()[lane] = V::hand(deal.a);
        games.kinds.words_mut()[lane] = a_queue | b_queue >> 32;
        games.pile.words_mut()[lane] = 0;
        games.pile_kinds.words_mut()[lane] = 0;
        games.demand.words_mut()[lane] = 0;
        games.length.words_mut()[lane] = shape.b | u64::from(b_kinds) << 32;
        games.played.words_mut()[lane] = 0;
    }

    /// Gives out the games of `ended`, and starts others in their lanes.
    #[inline(always)]
    fn turn_over(
        &mut self,
        mut ended: u64,
        supply: &mut impl Supply,
        cap: u32,
        sink: &mut dyn FnMut(Played),
    ) {
        while ended != 0 {
            let bit = ended.trailing_zeros();
            ended &= ended - 1;
            sink(self.end(bit, cap));
            self.renew(bit, supply);
        }
    }

    #[inline(always)]
    fn renew(&mut self, bit: u32, supply: &mut impl Supply) {
        match supply.next() {
            Some((at, deal, shape)) => self.start(bit, at, &deal, &shape),
            None => self.live &= !(1 << bit),
        }
    }

    /// Gives out the games that have passed the bound, and starts others in their lanes.
    fn look_for_capped(
        &mut self,
        supply: &mut impl Supply,
        cap: u32,
        sink: &mut dyn FnMut(Played),
    ) {
        let mut left = self.live;
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            // It has not ended, so one more trick at least will come.
            if self.steps != self.seats[bit as usize].since && self.played(bit).0 >= cap {
                sink(capped(self.seats[bit as usize].at));
                self.renew(bit, supply);
            }
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

/// Where the lanes take their games from.
trait Supply {
    /// The next game: its place, from 0, and its deal.
    fn next(&mut self) -> Option<(u64, Dealt, Shape)>;

    /// Whether there are no more; known once one was asked for in vain.
    fn is_out(&self) -> bool;
}

/// Deals from a feed, some at a time.
struct Deals<'a> {
    feed: &'a mut dyn Feed,
    shape: Shape,
    deals: [Dealt; super::dealt::BATCH],
    next: usize,
    len: usize,
    /// Deals given out.
    given: u64,
    dry: bool,
}

impl Deals<'_> {
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

impl Supply for Deals<'_> {
    #[inline(always)]
    fn next(&mut self) -> Option<(u64, Dealt, Shape)> {
        if self.next == self.len && !self.refill() {
            return None;
        }
        let deal = self.deals[self.next];
        self.next += 1;
        self.given += 1;
        Some((self.given - 1, deal, self.shape))
    }

    #[inline(always)]
    fn is_out(&self) -> bool {
        self.dry && self.next == self.len
    }
}

/// A state as the lanes start from it.
#[derive(Clone, Copy)]
pub(super) struct Start {
    deal: Dealt,
    shape: Shape,
}

impl Start {
    /// From a state that [`takes`] the lanes.
    pub(super) fn of<K: Kinds>(state: State<K>) -> Start {
        Start {
            deal: Dealt::of_state(state),
            shape: Shape {
                cards: state.len() as i32,
                payment_cards: state.leader.payment_cards() + state.other.payment_cards(),
                b: state.other.len().into(),
            },
        }
    }
}

/// States of any decks.
struct States<'a> {
    states: &'a [Start],
    next: usize,
    dry: bool,
}

impl Supply for States<'_> {
    #[inline(always)]
    fn next(&mut self) -> Option<(u64, Dealt, Shape)> {
        let Some(start) = self.states.get(self.next) else {
            self.dry = true;
            return None;
        };
        let at = self.next as u64;
        self.next += 1;
        Some((at, start.deal, start.shape))
    }

    #[inline(always)]
    fn is_out(&self) -> bool {
        self.dry
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
pub(super) fn run<V: Vector>(feed: &mut dyn Feed, cap: u32, sink: &mut dyn FnMut(Played)) {
    let deck = feed.deck();
    let [a, b] = deck.hands();
    let shape = Shape {
        cards: (a + b) as i32,
        payment_cards: deck.payment_cards() as u32,
        b: b as u64,
    };
    let mut deals = Deals {
        feed,
        shape,
        deals: [Dealt::default(); super::dealt::BATCH],
        next: 0,
        len: 0,
        given: 0,
        dry: false,
    };
    run_supply::<V, OneDeck>(&mut deals, Some(shape), cap, sink);
}

/// Plays on from every one of `states`, which may be of several decks; of each, [`takes`] must
/// hold.
#[inline(always)]
pub(super) fn run_states<V: Vector>(states: &[Start], cap: u32, sink: &mut dyn FnMut(Played)) {
    let mut states = States {
        states,
        next: 0,
        dry: false,
    };
    run_supply::<V, OwnDecks<V>>(&mut states, None, cap, sink);
}

/// `shape` is that of the one deck, if there is only one.
#[inline(always)]
fn run_supply<V: Vector, D: Decks<V>>(
    supply: &mut impl Supply,
    shape: Option<Shape>,
    cap: u32,
    sink: &mut dyn FnMut(Played),
) {
    let deck = shape.map_or([0; 3], |shape| OwnDecks::<V>::of(&shape));
    let [newest, newest_kind, all] = deck.map(V::splat);
    let c = Constants {
        below_top: V::splat(!V::card(0)),
        one: V::splat(1),
        payment: V::splat(2 << 32),
        deck: OwnDecks {
            newest,
            newest_kind,
            all,
        },
    };
    let mut first = Half::<V, D>::new();
    let mut second = Half::<V, D>::new();
    for half in [&mut first, &mut second] {
        for bit in 0..(HALF * V::LANES) as u32 {
            half.renew(bit, supply);
        }
    }
    let mut ended_in_second = 0;
    while !supply.is_out() {
        for _ in 0..ROUNDS {
            if supply.is_out() {
                break;
            }
            let ended_in_first = first.step(&c);
            second.turn_over(ended_in_second, supply, cap, sink);
            ended_in_second = second.step(&c);
            first.turn_over(ended_in_first, supply, cap, sink);
        }
        second.turn_over(ended_in_second, supply, cap, sink);
        ended_in_second = 0;
        for half in [&mut first, &mut second] {
            half.look_for_capped(supply, cap, sink);
        }
    }
    for half in [&mut first, &mut second] {
        half.run_dry(&c, supply, cap, sink);
    }
}

impl<V: Vector, D: Decks<V>> Half<V, D> {
    /// Plays the games that are left when the feed has no more, in as few vectors as hold them.
    fn run_dry(
        &mut self,
        c: &Constants<V>,
        supply: &mut impl Supply,
        cap: u32,
        sink: &mut dyn FnMut(Played),
    ) {
        while self.live != 0 {
            let vectors = self.close_ranks();
            let lanes = self.live.count_ones() as usize;
            let mut rounds = 0;
            while rounds < ROUNDS && self.live.count_ones() as usize > lanes / 2 {
                for games in &mut self.games[..vectors] {
                    games.step(c);
                }
                self.steps = self.steps.wrapping_add(1);
                rounds += 1;
                let ended = self.ended();
                self.turn_over(ended, supply, cap, sink);
            }
            self.look_for_capped(supply, cap, sink);
        }
    }

    fn ended(&self) -> u64 {
        let negative = |bits, games: &Games<V, D>| games.length.negative(bits);
        self.games.iter().fold(0, negative) & self.live
    }

    /// Moves the games to the first lanes, and says how many vectors they fill.
    fn close_ranks(&mut self) -> usize {
        let mut filled = 0;
        for at in 0..HALF * V::LANES {
            let bit = V::bit(at / V::LANES, at % V::LANES);
            if self.live >> bit & 1 == 0 {
                continue;
            }
            let to = V::bit(filled / V::LANES, filled % V::LANES);
            let words = self.games[at / V::LANES]
                .lane(at % V::LANES)
                .map(|word| *word);
            let lane = self.games[filled / V::LANES].lane(filled % V::LANES);
            for (to, word) in lane.into_iter().zip(words) {
                *to = word;
            }
            let deck = self.games[at / V::LANES].deck.lane(at % V::LANES);
            self.games[filled / V::LANES]
                .deck
                .set_lane(filled % V::LANES, deck);
            self.seats[to as usize] = self.seats[bit as usize];
            self.live ^= 1 << bit;
            self.live |= 1 << to;
            filled += 1;
        }
        filled.div_ceil(V::LANES)
    }
}
