//! A game in a few registers: hands of at most 63 cards as bits.
//!
//! A hand is one word whose bit `i` says that card `i` from the top is a payment card, with a
//! sentinel bit just past the last card, and one word that queues what the payment cards pay, two
//! bits each, top first. So the length of a hand, and the distance to its next payment card or its
//! end, each come from one count of zeros, and plain cards are laid many at a time.
//!
//! No loop detection here: a game that reaches its bound goes to the [exact](super::exact) engine.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitOr, BitOrAssign, Shl, Shr};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::verdict::Span;
use crate::cards::{Deal, Player};

/// The most cards the packed form holds.
pub const MAX_CARDS: usize = 63;

/// A word that queues what payment cards pay: `u64` holds 32 of them, `u128` all 63.
pub trait Kinds:
    Copy
    + Eq
    + Ord
    + Hash
    + Debug
    + Default
    + From<u8>
    + Send
    + Sync
    + 'static
    + Serialize
    + DeserializeOwned
    + BitOr<Output = Self>
    + BitOrAssign
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// How many payment cards the word holds.
    const CAPACITY: usize;

    /// The two bits at the front of the queue: what the top payment card pays, less one.
    fn first(self) -> u32;

    /// The queue's first `n` cards alone.
    fn take(self, n: u32) -> Self;

    /// The queue's first 32 cards alone.
    fn low(self) -> u64;
}

impl Kinds for u64 {
    const CAPACITY: usize = 32;

    #[inline(always)]
    fn first(self) -> u32 {
        (self & 3) as u32
    }

    #[inline(always)]
    fn take(self, n: u32) -> u64 {
        if n < 32 {
            self & ((1 << (2 * n)) - 1)
        } else {
            self
        }
    }

    #[inline(always)]
    fn low(self) -> u64 {
        self
    }
}

impl Kinds for u128 {
    const CAPACITY: usize = 64;

    #[inline(always)]
    fn first(self) -> u32 {
        (self & 3) as u32
    }

    #[inline(always)]
    fn take(self, n: u32) -> u128 {
        if n < 64 {
            self & ((1 << (2 * n)) - 1)
        } else {
            self
        }
    }
    #[inline(always)]
    fn low(self) -> u64 {
        self as u64
    }
}

/// A hand (or a pile): at most [`MAX_CARDS`] cards, of which at most `K::CAPACITY` are payment
/// cards.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Hand<K = u64> {
    /// Bit `i`: card `i` from the top is a payment card. The highest set bit is the sentinel.
    cards: u64,
    /// What the payment cards pay, less one, two bits each, top first.
    kinds: K,
}

impl<K: Kinds> Hand<K> {
    /// No cards.
    pub fn empty() -> Hand<K> {
        Hand {
            cards: 1,
            kinds: K::default(),
        }
    }

    /// A hand from what each card pays (0 to 4), top first; `None` if it does not fit.
    pub fn new(pays: impl IntoIterator<Item = u8>) -> Option<Hand<K>> {
        let mut hand = Hand::empty();
        let mut payment_cards = 0;
        for pay in pays {
            if hand.len() as usize == MAX_CARDS {
                return None;
            }
            let sentinel = hand.cards.ilog2();
            if pay > 0 {
                if payment_cards as usize == K::CAPACITY || pay > 4 {
                    return None;
                }
                hand.kinds |= K::from(pay - 1) << (2 * payment_cards);
                payment_cards += 1;
                hand.cards |= 1 << (sentinel + 1);
            } else {
                hand.cards ^= 3 << sentinel;
            }
        }
        Some(hand)
    }

    /// The hand with these words: positions of payment cards with the sentinel, and kinds.
    ///
    /// The caller answers for them: `cards` is not 0, and `kinds` has two bits for each set bit
    /// of `cards` below the sentinel and zeros above.
    #[inline(always)]
    pub fn from_words(cards: u64, kinds: K) -> Hand<K> {
        debug_assert!(cards != 0);
        Hand { cards, kinds }
    }

    /// The two words: positions of payment cards with the sentinel, and kinds.
    #[inline(always)]
    pub fn words(self) -> (u64, K) {
        (self.cards, self.kinds)
    }

    /// How many cards there are.
    #[inline(always)]
    pub fn len(self) -> u32 {
        self.cards.ilog2()
    }

    /// Whether there is no card.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.cards == 1
    }

    /// How many payment cards there are.
    #[inline(always)]
    pub fn payment_cards(self) -> u32 {
        self.cards.count_ones() - 1
    }

    /// How many plain cards lie on top of the first payment card, or of the end.
    #[inline(always)]
    pub fn plain_run(self) -> u32 {
        self.cards.trailing_zeros()
    }

    /// What each card pays, 0 to 4, top first.
    pub fn pays(self) -> impl Iterator<Item = u8> {
        let mut kinds = self.kinds;
        (0..self.len()).map(move |at| {
            if self.cards >> at & 1 == 0 {
                return 0;
            }
            let pay = kinds.first() as u8 + 1;
            kinds = kinds >> 2;
            pay
        })
    }

    /// This hand with `below` put under it. Together they must fit.
    #[inline(always)]
    pub fn over(self, below: Hand<K>) -> Hand<K> {
        let (len, shift) = (self.len(), 2 * self.payment_cards());
        // Capacity may be full already; then `below` has no payment cards and no shift matters.
        let kinds = if below.payment_cards() == 0 {
            self.kinds
        } else {
            self.kinds | below.kinds << shift
        };
        Hand {
            cards: self.cards ^ 1 << len ^ below.cards << len,
            kinds,
        }
    }

    /// The first `n` cards, and the rest. `n` is at most the length.
    #[inline(always)]
    pub fn split(self, n: u32) -> (Hand<K>, Hand<K>) {
        let top = self.cards & ((1 << n) - 1);
        let payment_cards = top.count_ones();
        let shift = 2 * payment_cards;
        let rest = self.cards >> n;
        let rest_kinds = if rest == 1 {
            K::default()
        } else {
            self.kinds >> shift
        };
        (
            Hand {
                cards: top | 1 << n,
                kinds: self.kinds.take(payment_cards),
            },
            Hand {
                cards: rest,
                kinds: rest_kinds,
            },
        )
    }

    /// Lays the top payment card, which must be on top, and says what it pays.
    #[inline(always)]
    fn lay_payment(&mut self) -> u32 {
        let pays = self.kinds.first() + 1;
        self.cards >>= 1;
        self.kinds = self.kinds >> 2;
        pays
    }
}

/// Both hands at a trick boundary, the leader's first: what decides the rest of a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State<K = u64> {
    /// The hand of the player who leads.
    pub leader: Hand<K>,
    /// The other hand.
    pub other: Hand<K>,
}

impl<K: Kinds> State<K> {
    /// The state a deal starts from, A leading; `None` if it does not fit.
    pub fn of(deal: &Deal) -> Option<State<K>> {
        let composition = deal.composition();
        let fits = deal.len() <= MAX_CARDS && deal.len() - composition[0] <= K::CAPACITY;
        let hand = |player| Hand::new(deal.hand(player).iter().map(|card| card.pays()));
        fits.then(|| {
            Some(State {
                leader: hand(Player::A)?,
                other: hand(Player::B)?,
            })
        })?
    }

    /// The deal in which A leads with the leader's hand.
    ///
    /// # Panics
    /// If both hands are empty.
    pub fn deal(self) -> Deal {
        let [a, b] = [self.leader, self.other].map(|hand| hand.pays().collect::<Vec<u8>>());
        Deal::from_payments(&a, &b).expect("a state has cards")
    }

    /// All cards of both hands.
    pub fn len(self) -> u32 {
        self.leader.len() + self.other.len()
    }

    /// Whether there are no cards at all.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Plays one trick. Neither hand may be empty (then there is no trick to play).
    pub fn trick(self) -> Trick<K> {
        let mut hands = [self.leader, self.other];
        let mut pile = Pile::new();
        // Free play: the leader lays one card, then the other one.
        let [a, b] = [hands[0].plain_run(), hands[1].plain_run()];
        let run = a.min(b);
        hands[0].cards >>= run;
        hands[1].cards >>= run;
        pile.plain(2 * run);
        let mut payer = usize::from(a > b);
        if payer == 1 {
            // The leader's next card is plain, or he has none left: then B's is the payment card.
            hands[0].cards >>= 1;
            pile.plain(1);
        }
        if hands[payer].is_empty() {
            // He must play and cannot: the other takes the pile.
            return pile.end(hands, 1 - payer);
        }
        let mut debt = pile.payment(hands[payer].lay_payment());
        payer = 1 - payer;
        loop {
            let run = hands[payer].plain_run();
            if run >= debt {
                hands[payer].cards >>= debt;
                pile.plain(debt);
                return pile.collect(hands, 1 - payer);
            }
            hands[payer].cards >>= run;
            pile.plain(run);
            if hands[payer].is_empty() {
                return pile.end(hands, 1 - payer);
            }
            debt = pile.payment(hands[payer].lay_payment());
            payer = 1 - payer;
        }
    }
}

/// One trick played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trick<K = u64> {
    /// The state after it, the collector's hand first.
    pub after: State<K>,
    /// Cards laid.
    pub cards: u32,
    /// Whether the player who led collected.
    pub leader_won: bool,
    /// Whether the game is over.
    pub over: bool,
}

/// The pile while it grows.
struct Pile<K> {
    cards: u64,
    kinds: K,
    len: u32,
    kinds_len: u32,
}

impl<K: Kinds> Pile<K> {
    fn new() -> Pile<K> {
        Pile {
            cards: 0,
            kinds: K::default(),
            len: 0,
            kinds_len: 0,
        }
    }

    #[inline(always)]
    fn plain(&mut self, n: u32) {
        self.len += n;
    }

    #[inline(always)]
    fn payment(&mut self, pays: u32) -> u32 {
        self.cards |= 1 << self.len;
        self.kinds |= K::from(pays as u8 - 1) << self.kinds_len;
        self.len += 1;
        self.kinds_len += 2;
        pays
    }

    fn collect(self, hands: [Hand<K>; 2], winner: usize) -> Trick<K> {
        let pile = Hand {
            cards: self.cards | 1 << self.len,
            kinds: self.kinds,
        };
        let after = State {
            leader: hands[winner].over(pile),
            other: hands[1 - winner],
        };
        Trick {
            after,
            cards: self.len,
            leader_won: winner == 0,
            over: after.other.is_empty(),
        }
    }

    fn end(self, hands: [Hand<K>; 2], winner: usize) -> Trick<K> {
        Trick {
            over: true,
            ..self.collect(hands, winner)
        }
    }
}

/// How a game of a fast engine ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// A, who led at the start, won.
    A,
    /// B won.
    B,
    /// It passed the bound on its tricks: the exact engine must say whether it is a loop.
    Capped,
}

/// Plays on from a state, A leading, until the game is over or `tricks` tricks were played: what
/// was played, and how it ended.
pub fn play<K: Kinds>(state: State<K>, tricks: u64) -> (Span, End) {
    let mut played = Span::default();
    let mut leads = true;
    if state.leader.is_empty() {
        return (played, End::B);
    }
    if state.other.is_empty() && tricks > 0 {
        let one = Span {
            cards: 1,
            tricks: 1,
        };
        return (one, End::A);
    }
    let mut state = state;
    while played.tricks < tricks {
        let trick = state.trick();
        played.cards += u64::from(trick.cards);
        played.tricks += 1;
        leads ^= !trick.leader_won;
        if trick.over {
            return (played, if leads { End::A } else { End::B });
        }
        state = trick.after;
    }
    (played, End::Capped)
}

/// The one place that chooses the word for the kinds of a packed game: 64 bits where they hold the
/// payment cards, else 128. `with_kinds!(payment_cards, K => body)` is `body` with `K` standing for
/// the word.
macro_rules! with_kinds {
    ($payment_cards:expr, $K:ident => $body:expr) => {
        if $payment_cards <= <u64 as $crate::game::packed::Kinds>::CAPACITY {
            type $K = u64;
            $body
        } else {
            type $K = u128;
            $body
        }
    };
}
pub(crate) use with_kinds;

/// `with_state!(deal, state => body)` is `Some(body)` with `state` standing for the packed state of
/// a `&Deal`, A leading; `None` if the deal has over [`MAX_CARDS`] cards.
macro_rules! with_state {
    ($deal:expr, $state:ident => $body:expr) => {{
        let deal: &$crate::cards::Deal = $deal;
        let payment_cards = deal.len() - deal.composition()[0];
        $crate::game::packed::with_kinds!(payment_cards, K => {
            $crate::game::packed::State::<K>::of(deal).map(|$state| $body)
        })
    }};
}
pub(crate) use with_state;
