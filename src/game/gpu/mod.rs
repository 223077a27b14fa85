//! Many games at once on OpenCL devices: graphics cards, or a processor through PoCL.
//!
//! A [`Card`] is handed blocks of deals, some at a time, and gives back what each block came to: the
//! lengths of its games in bins, and a list of those that are long or reached the bound on tricks.
//! The deals are made on the device, from [`Run`]s: a run is some deals in a row, and the device
//! knows how to go from one to the next.
//!
//! Two batches may be in flight: while the device plays one, the host looks at the other.
//!
//! The OpenCL library is looked for at run time. Without it there are no devices, and nothing else
//! is missing. Not here: which blocks a search wants, and whether a device is to be trusted.

mod opencl;

use std::fmt;

use thiserror::Error;

use super::lanes::Played;
use crate::cards::Deck;
pub use opencl::{Card, Device, devices};

/// The source of the kernels.
const SOURCE: &str = include_str!("play.cl");

/// Bins of cards: a game of so many cards or more is listed. As `play.cl` says.
const CARD_BINS: usize = 4096;
/// Bins of tricks, likewise.
const TRICK_BINS: usize = 512;
/// Words that are counted for each block: the bins, games that A won, and games listed.
const COUNTS: usize = CARD_BINS + TRICK_BINS + 2;
/// Games of a block that can be listed; where there are more, the block is not [`Counted`].
pub const LISTED: usize = 256;
/// The most cards of a deck.
const MAX_CARDS: usize = 60;
/// The most payment cards of a deck.
const MAX_PAYMENT_CARDS: usize = 16;
/// The most tails that a device keeps.
const MAX_TAILS: usize = 1 << 20;
/// Local memory that a work group needs, in bytes.
const LOCAL_MEMORY: u64 = 8 << 10;

/// Why a device does not play.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GpuError {
    /// The device lacks something.
    #[error("{device}: it cannot play, since it {lacks}; use another device, or the processor")]
    Unfit {
        /// The device.
        device: String,
        /// What it lacks.
        lacks: String,
    },
    /// The driver did not compile the kernels.
    #[error(
        "{device}: its driver ({driver}) does not compile the kernels; update the driver, or use \
         the processor. The driver said:\n{log}"
    )]
    Build {
        /// The device.
        device: String,
        /// Its driver's version.
        driver: String,
        /// What the compiler said.
        log: String,
    },
    /// A call failed.
    #[error("{device}: {what} failed: {error}")]
    Lost {
        /// The device.
        device: String,
        /// What was tried.
        what: &'static str,
        /// What OpenCL said.
        error: String,
    },
}

/// What is known about a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceInfo {
    /// Its name.
    pub name: String,
    /// Who made it.
    pub vendor: String,
    /// The version of its driver.
    pub driver: String,
    /// The OpenCL version.
    pub version: String,
    /// Its platform's name.
    pub platform: String,
    /// Whether it is a graphics card or another accelerator; if not, it is a processor.
    pub is_card: bool,
    /// Units that compute by themselves.
    pub units: u32,
    /// The highest clock rate, in MHz.
    pub clock: u32,
    /// Its memory, in bytes.
    pub memory: u64,
    /// The largest piece of it that can be had at a time.
    pub largest: u64,
    /// The memory of a work group, in bytes.
    pub local_memory: u64,
    /// Lanes that a work group may have.
    pub group: usize,
    /// Why it cannot play, if it cannot.
    lacks: Option<String>,
}

impl DeviceInfo {
    /// Whether it has all that the kernels need.
    ///
    /// # Errors
    /// [`GpuError::Unfit`].
    pub fn fit(&self) -> Result<(), GpuError> {
        let lacks = self.lacks.clone().or_else(|| {
            let local = self.local_memory;
            (local < LOCAL_MEMORY).then(|| {
                format!("has {local} bytes of local memory, and {LOCAL_MEMORY} are needed")
            })
        });
        match lacks {
            None => Ok(()),
            Some(lacks) => Err(GpuError::Unfit {
                device: self.name.clone(),
                lacks,
            }),
        }
    }
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Some deals in a row. Its layout is that of `play.cl`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Run {
    /// The payment cards' places in a row of the whole deck, whose first card is the highest bit: of
    /// the cards before the tail, the tail being the last eight or fewer.
    pub row: u64,
    /// What those cards pay, less one, two bits each, with room for those of the tail below.
    pub kinds: u32,
    /// The first tail.
    pub first: u32,
    /// How many deals.
    pub count: u32,
    /// The place of the first one in its block.
    pub offset: u32,
}

/// Where the deals of a block come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// Random deals of the stream with these keys: the device makes the runs.
    Random([u64; 2]),
    /// These runs, with the tails of the [`Dealing`].
    Runs(Vec<Run>),
}

/// Some deals to be played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// How many.
    pub games: u32,
    /// Where they come from.
    pub source: Source,
}

impl Block {
    fn runs(&self, cards: u32) -> u32 {
        match &self.source {
            Source::Random(_) => self.games.div_ceil(cards),
            Source::Runs(runs) => runs.len() as u32,
        }
    }
}

/// What the deals of one deck have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dealing {
    hands: [u32; 2],
    /// What the payment cards pay, less one: in rising order.
    pays: Vec<u8>,
    swaps: [u64; 6],
    /// Places in the high half and kinds in the low half; none for random deals.
    tails: Vec<u32>,
}

impl Dealing {
    /// The deals of a deck: what its payment cards pay, less one; the masks of the changes of places
    /// that random deals go through; and the tails that [`Run`]s mean, places in the high half and
    /// kinds in the low half.
    ///
    /// `None` if the device does not play this deck: both hands need cards, 60 at most in all, and 1
    /// to 16 of them payment cards.
    pub fn new(deck: &Deck, pays: &[u8], swaps: [u64; 6], tails: Vec<u32>) -> Option<Dealing> {
        let takes = deck.hands().iter().all(|&cards| cards > 0)
            && deck.len() <= MAX_CARDS
            && (1..=MAX_PAYMENT_CARDS).contains(&pays.len())
            && tails.len() <= MAX_TAILS;
        takes.then(|| Dealing {
            hands: deck.hands().map(|cards| cards as u32),
            pays: pays.to_vec(),
            swaps,
            tails,
        })
    }

    fn cards(&self) -> u32 {
        self.hands[0] + self.hands[1]
    }
}

/// What is asked about games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Games of at least so many cards are listed.
    pub list_from: u32,
    /// Games of more tricks are listed as [`End::Capped`](super::lanes::End::Capped).
    pub cap: u32,
}

/// What the games of a block came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    /// How many games had so many cards, of those not listed.
    pub cards: Vec<u32>,
    /// How many had so many tricks, of those not listed.
    pub tricks: Vec<u32>,
    /// How many A won, of those not listed.
    pub won_by_a: u32,
    /// Games that are long in cards or tricks, and capped ones, in the order of the block.
    pub listed: Vec<Played>,
}

/// What a batch came to.
#[derive(Debug)]
pub struct Batch {
    /// The blocks, in order; `None` where more than [`LISTED`] games were to be listed: such a block
    /// must be played elsewhere.
    pub blocks: Vec<Option<Counted>>,
    /// How long the device played, in nanoseconds by its own clock.
    pub nanoseconds: u64,
}
