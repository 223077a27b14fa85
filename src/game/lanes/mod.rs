//! Many games at once: the fast engine.
//!
//! A [`Feed`] hands out deals in packed form, a [`Kernel`] plays them, and every game comes out as
//! a [`Played`]: the place of its deal in the feed, cards, tricks, and how it ended. Games come out
//! in the order in which they end, not in the order of the feed.
//!
//! No loop is proved here: a game that passes the bound on its tricks comes out as
//! [`End::Capped`], and the [exact](super::exact) engine says what it is.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod dealt;
mod scalar;
mod step;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use step::Start;

pub use super::packed::End;
use super::packed::{self, Kinds, MAX_CARDS, State};
use dealt::BATCH;
pub use dealt::{Dealt, Feed, Played};

/// Which instructions play.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kernel {
    /// Vectors of eight games: x86-64 with AVX-512 (F, BW, CD, DQ, VL).
    Avx512,
    /// Vectors of four games: x86-64 with AVX2.
    Avx2,
    /// Plain integers: any processor.
    Scalar,
}

/// Why there is no such kernel.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum KernelError {
    /// No kernel has this name.
    #[error(
        "{name:?} is no kernel: this machine has {}",
        names(Kernel::available())
    )]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The processor lacks the instructions.
    #[error(
        "this processor cannot run the kernel {kernel}: it has {}",
        names(Kernel::available())
    )]
    Missing {
        /// What was asked for.
        kernel: Kernel,
    },
}

fn names(kernels: impl Iterator<Item = Kernel>) -> String {
    let names: Vec<&str> = kernels.map(Kernel::name).collect();
    names.join(", ")
}

impl Kernel {
    /// All kernels, the fastest first.
    pub const ALL: [Kernel; 3] = [Kernel::Avx512, Kernel::Avx2, Kernel::Scalar];

    /// The kernels this machine can run, the fastest first.
    pub fn available() -> impl Iterator<Item = Kernel> {
        Kernel::ALL
            .into_iter()
            .filter(|kernel| kernel.is_available())
    }

    /// The fastest kernel this machine can run.
    pub fn best() -> Kernel {
        Kernel::available().next().unwrap_or(Kernel::Scalar)
    }

    /// Whether this machine can run it.
    pub fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => avx512::is_available(),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => avx2::is_available(),
            #[cfg(not(target_arch = "x86_64"))]
            Kernel::Avx512 | Kernel::Avx2 => false,
            Kernel::Scalar => true,
        }
    }

    /// Its name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Kernel::Avx512 => "avx512",
            Kernel::Avx2 => "avx2",
            Kernel::Scalar => "scalar",
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A kernel read from text is one that this machine can run.
impl FromStr for Kernel {
    type Err = KernelError;

    fn from_str(name: &str) -> Result<Kernel, KernelError> {
        let kernel = Kernel::ALL
            .into_iter()
            .find(|kernel| kernel.name() == name)
            .ok_or_else(|| KernelError::Unknown {
                name: name.chars().take(40).collect(),
            })?;
        if kernel.is_available() {
            Ok(kernel)
        } else {
            Err(KernelError::Missing { kernel })
        }
    }
}

/// Plays every deal of `feed` and gives each game to `sink`.
///
/// Nothing here is generic: a search and the bench run the very same compiled kernels.
///
/// A game of more than `cap` tricks comes out as [`End::Capped`], all others finished; that does
/// not depend on the kernel.
///
/// The lanes of every kernel take decks of at most 52 cards, of which 1 to 16 are payment cards, if
/// neither hand is empty (those of `Avx512` up to 60 cards, of `Scalar` up to 59). Other decks are
/// played one game after the other, whatever the kernel.
///
/// # Panics
/// If this machine cannot run `kernel`, or the feed's deck has over 63 cards.
pub fn play(kernel: Kernel, feed: &mut dyn Feed, cap: u32, sink: &mut dyn FnMut(Played)) {
    assert!(kernel.is_available(), "{}", KernelError::Missing { kernel });
    let (hands, payment_cards) = (feed.deck().hands(), feed.deck().payment_cards());
    assert!(hands[0] + hands[1] <= MAX_CARDS, "a deck of over 63 cards");
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512 if step::takes::<avx512::Words>(hands, payment_cards) => {
            avx512::play(feed, cap, sink);
        }
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 if step::takes::<avx2::Words>(hands, payment_cards) => {
            avx2::play(feed, cap, sink);
        }
        _ if step::takes::<u64>(hands, payment_cards) => step::run::<u64>(feed, cap, sink),
        _ if payment_cards <= u64::CAPACITY => one_by_one::<u64>(feed, cap, sink),
        _ => one_by_one::<u128>(feed, cap, sink),
    }
}

/// Plays on from every one of `states`, leader first, for at most `cap` tricks, and gives `sink` the
/// places of those whose game is not over by then, in no order. Both hands of each must hold cards.
///
/// The states may be of many decks. Those that the lanes of `kernel` do not take, as [`play`] says
/// of decks, go to the lanes of `Scalar`, or are played one after the other.
///
/// # Panics
/// If this machine cannot run `kernel`.
pub fn survivors<K: Kinds>(
    kernel: Kernel,
    states: &[State<K>],
    cap: u32,
    sink: &mut dyn FnMut(usize),
) {
    assert!(kernel.is_available(), "{}", KernelError::Missing { kernel });
    let takes = match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512 => step::takes::<avx512::Words>,
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => step::takes::<avx2::Words>,
        _ => step::takes::<u64>,
    };
    let mut taken: [Vec<usize>; 2] = Default::default();
    for (at, state) in states.iter().enumerate() {
        let hands = [state.leader, state.other];
        let payment_cards = hands.map(|hand| hand.payment_cards() as usize);
        let payment_cards = payment_cards[0] + payment_cards[1];
        let hands = hands.map(|hand| hand.len() as usize);
        if takes(hands, payment_cards) {
            taken[0].push(at);
        } else if step::takes::<u64>(hands, payment_cards) {
            taken[1].push(at);
        } else if packed::play(*state, u64::from(cap)).1 == End::Capped {
            sink(at);
        }
    }
    for (kernel, places) in [kernel, Kernel::Scalar].into_iter().zip(&taken) {
        let states: Vec<Start> = places.iter().map(|&at| Start::of(states[at])).collect();
        let mut sink = |played: Played| {
            if played.end == End::Capped {
                sink(places[played.at as usize]);
            }
        };
        match kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => avx512::play_states(&states, cap, &mut sink),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => avx2::play_states(&states, cap, &mut sink),
            _ => step::run_states::<u64>(&states, cap, &mut sink),
        }
    }
}

/// Any deck of at most 63 cards, one game after the other.
fn one_by_one<K: Kinds>(feed: &mut dyn Feed, cap: u32, sink: &mut dyn FnMut(Played)) {
    let sizes = feed.deck().hands();
    let mut deals = [Dealt::default(); BATCH];
    let mut at = 0;
    loop {
        let n = feed.fill(&mut deals);
        for deal in &deals[..n] {
            let (played, end) = packed::play(deal.state::<K>(sizes), u64::from(cap));
            let (cards, tricks) = match end {
                End::Capped => (0, 0),
                End::A | End::B => (played.cards as u32, played.tricks as u32),
            };
            sink(Played {
                at,
                cards,
                tricks,
                end,
            });
            at += 1;
        }
        if n < deals.len() {
            return;
        }
    }
}
