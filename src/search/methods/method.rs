//! What a way of searching is: its keys ([`Way`]), and what it does with a block ([`Method`]).
//!
//! [`AnyMethod`] is a method whose types are hidden, so that the runner and everything above it is
//! written, and compiled, once. A block is a lot of work, so the indirection costs nothing.

use std::any::Any;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::cards::Deal;
use crate::game::Span;
use crate::game::lanes::Kernel;
use crate::search::encoding::{decode, encode};
use crate::search::finds::results::Find;
use crate::search::finds::tail::Expected;
use crate::search::finds::tally::Histogram;
use crate::search::plan::shard::Shard;
use crate::search::plan::{Canonical, Common, Keys, PlanError};

/// The keys of one way of searching, checked.
pub trait Way: Sized {
    /// Its name, as plans write it after `how`.
    const NAME: &'static str;
    /// The keys it knows besides those of [`Common`].
    const KEYS: &'static [&'static str];
    /// How many cycles are kept, unless the plan says otherwise.
    const KEEP_CYCLES: u64 = 1000;
    /// Why its blocks cannot be shared among machines, if they cannot.
    const NO_SHARDS: Option<&'static str> = None;

    /// Checks the keys of a plan.
    ///
    /// # Errors
    /// [`PlanError`].
    fn check(keys: &Keys, common: &Common) -> Result<Self, PlanError>;

    /// Sets what a plan left open and its deals decide.
    fn settle(&mut self, _common: &Common) {}

    /// Writes what decides results, after the keys that all ways share.
    fn write(&self, common: &Common, text: &mut Canonical);

    /// The way of searching, played by `kernel` where many games are played at once: no result
    /// depends on it.
    ///
    /// # Panics
    /// When it plays, if this machine cannot run `kernel`.
    fn method(&self, common: &Common, kernel: Kernel) -> BoxedMethod;

    /// Everything that decides results.
    fn canonical(&self, common: &Common) -> Canonical {
        let mut text = common.canonical(Self::NAME);
        self.write(common, &mut text);
        text
    }
}

/// What a way of searching does: it plays block `n` of its plan by itself, and merges the blocks,
/// in order, into a tally. So nothing that comes out depends on threads, stops or resumes.
pub trait Method: Sync {
    /// What the blocks done so far came to. It is the state of a run.
    type Tally: Clone + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// What one block came to.
    type Part: Send + 'static;

    /// The tally before the first block.
    fn begin(&self) -> Self::Tally;

    /// How many blocks the plan has; `None` if it has no end.
    fn blocks(&self) -> Option<u64>;

    /// Blocks of one wave (this many each, counted within the shard) see the tally as it was
    /// before the wave; a wave is merged and saved as a whole. `None`: blocks see only the tally
    /// that [`begin`](Method::begin) gives.
    fn wave(&self) -> Option<u64> {
        None
    }

    /// Whether a plan may take far longer than whoever wrote it thinks, so that a run of days must
    /// be asked for.
    fn may_take_ages(&self) -> bool {
        false
    }

    /// Plays a block of the plan. What it gives depends on the plan, `block` and `seen` alone.
    ///
    /// Returns `None` if it left because `quit` was set; a block that takes longer than a tenth of
    /// a second must look at it. A panic ends the run, after a checkpoint.
    fn play(&self, block: u64, seen: &Self::Tally, quit: &AtomicBool) -> Option<Self::Part>;

    /// Adds a block to the tally and returns the finds to be written. Blocks come in order.
    ///
    /// # Errors
    /// [`Disagreement`] if a fast engine and the exact one do not say the same.
    fn merge(
        &self,
        tally: &mut Self::Tally,
        block: u64,
        part: Self::Part,
    ) -> Result<Vec<Find>, Disagreement>;

    /// Adds the tally of another shard.
    ///
    /// # Errors
    /// A message, if this way of searching has no shards.
    fn combine(&self, tally: &mut Self::Tally, other: Self::Tally) -> Result<(), String>;

    /// The tally in short.
    fn report(&self, tally: &Self::Tally) -> Report;

    /// The lengths that people are shown: what they are of, and the histogram.
    fn lengths<'t>(&self, _tally: &'t Self::Tally) -> Option<(&'static str, &'t Histogram)> {
        None
    }

    /// The tally in full, as files to be written: names and contents.
    fn tables(&self, tally: &Self::Tally) -> Vec<(&'static str, String)>;

    /// What a second way, independent of the first, says about the tally of the first `done` blocks
    /// of `shard`: lines for people, if there is such a way.
    ///
    /// # Errors
    /// What does not hold.
    fn prove(
        &self,
        _tally: &Self::Tally,
        _shard: Shard,
        _done: u64,
    ) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }

    /// The leaderboard: which of the finds (of one shard, or of all) stand in it, in order.
    fn leaderboard(&self, finds: Vec<Find>) -> Vec<Find>;

    /// The deal of game `offset` of a block: the one that was played there, before it was closed
    /// backward.
    ///
    /// # Errors
    /// Why there is none.
    fn deal_at(&self, block: u64, offset: u64) -> Result<Deal, String>;

    /// The finds that games `offsets` of a block give (or all games of the block), whatever was
    /// found before; `None` if finds of this way cannot be found again one by one.
    fn find_again(&self, block: u64, offsets: &[u64]) -> Option<Vec<Find>>;

    /// The finds that the tally of the first `done` blocks of `shard` counts and `finds` lack, made
    /// again. What was found but has been surpassed since is not counted.
    ///
    /// # Errors
    /// Why one cannot be made again.
    fn missing(
        &self,
        tally: &Self::Tally,
        shard: Shard,
        done: u64,
        finds: &[Find],
    ) -> Result<Vec<Find>, String>;
}

/// Two engines do not say the same about a deal: nothing may be written.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the engines disagree about {deal}: the fast one says {fast}, the exact one {exact}")]
pub struct Disagreement {
    /// The deal.
    pub deal: String,
    /// What the fast engine said.
    pub fast: String,
    /// What the exact engine said.
    pub exact: String,
}

/// A tally in short.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Report {
    /// How many deals (or states, as the method counts) were played.
    pub played: u128,
    /// What they are called: `games`.
    pub unit: &'static str,
    /// The longest finished game: cards and tricks, and its deal.
    pub best: Option<(Span, String)>,
    /// How many of the games were loops.
    pub loops: u128,
    /// How many different cycles were kept.
    pub cycles: u64,
    /// What else people should see: names and values.
    pub more: Vec<(&'static str, String)>,
    /// How long a game may be expected, in cards, where games are independent of each other.
    pub expected: Option<Expected>,
}

/// A [`Method::Tally`], its type hidden.
pub struct AnyTally(Box<dyn Any + Send + Sync>);

impl AnyTally {
    /// Hides a tally.
    pub fn new<T: Send + Sync + 'static>(tally: T) -> AnyTally {
        AnyTally(Box::new(tally))
    }

    /// The tally, if it is of this type.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl std::fmt::Debug for AnyTally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AnyTally")
    }
}

/// A [`Method::Part`], its type hidden.
pub struct AnyPart(Box<dyn Any + Send>);

/// A [`Method`], its types hidden. Tallies and parts that are handed to it must be its own.
pub trait AnyMethod: Sync {
    /// See [`Method::begin`].
    fn begin(&self) -> AnyTally;
    /// See [`Method::blocks`].
    fn blocks(&self) -> Option<u64>;
    /// See [`Method::wave`].
    fn wave(&self) -> Option<u64>;
    /// See [`Method::may_take_ages`].
    fn may_take_ages(&self) -> bool;
    /// See [`Method::play`].
    fn play(&self, block: u64, seen: &AnyTally, quit: &AtomicBool) -> Option<AnyPart>;
    /// See [`Method::merge`].
    ///
    /// # Errors
    /// [`Disagreement`].
    fn merge(
        &self,
        tally: &mut AnyTally,
        block: u64,
        part: AnyPart,
    ) -> Result<Vec<Find>, Disagreement>;
    /// See [`Method::combine`].
    ///
    /// # Errors
    /// A message, if this way of searching has no shards.
    fn combine(&self, tally: &mut AnyTally, other: AnyTally) -> Result<(), String>;
    /// See [`Method::report`].
    fn report(&self, tally: &AnyTally) -> Report;
    /// See [`Method::lengths`].
    fn lengths<'t>(&self, tally: &'t AnyTally) -> Option<(&'static str, &'t Histogram)>;
    /// See [`Method::tables`].
    fn tables(&self, tally: &AnyTally) -> Vec<(&'static str, String)>;
    /// See [`Method::prove`].
    ///
    /// # Errors
    /// What does not hold.
    fn prove(&self, tally: &AnyTally, shard: Shard, done: u64) -> Result<Vec<String>, String>;
    /// See [`Method::leaderboard`].
    fn leaderboard(&self, finds: Vec<Find>) -> Vec<Find>;
    /// See [`Method::deal_at`].
    ///
    /// # Errors
    /// Why there is none.
    fn deal_at(&self, block: u64, offset: u64) -> Result<Deal, String>;
    /// See [`Method::find_again`].
    fn find_again(&self, block: u64, offsets: &[u64]) -> Option<Vec<Find>>;
    /// See [`Method::missing`].
    ///
    /// # Errors
    /// Why one cannot be made again.
    fn missing(
        &self,
        tally: &AnyTally,
        shard: Shard,
        done: u64,
        finds: &[Find],
    ) -> Result<Vec<Find>, String>;
    /// The same tally once more.
    fn copy(&self, tally: &AnyTally) -> AnyTally;
    /// A tally as bytes.
    fn encode(&self, tally: &AnyTally) -> Vec<u8>;
    /// The tally that [`encode`](AnyMethod::encode) wrote; `None` if the bytes are something else.
    fn decode(&self, bytes: &[u8]) -> Option<AnyTally>;
}

/// A way of searching, whichever it is.
pub type BoxedMethod = Box<dyn AnyMethod>;

const FOREIGN: &str = "a method is handed its own tallies and parts";

impl<M: Method> AnyMethod for M {
    fn begin(&self) -> AnyTally {
        AnyTally::new(Method::begin(self))
    }

    fn blocks(&self) -> Option<u64> {
        Method::blocks(self)
    }

    fn wave(&self) -> Option<u64> {
        Method::wave(self)
    }

    fn may_take_ages(&self) -> bool {
        Method::may_take_ages(self)
    }

    fn play(&self, block: u64, seen: &AnyTally, quit: &AtomicBool) -> Option<AnyPart> {
        let part = Method::play(self, block, seen.get().expect(FOREIGN), quit)?;
        Some(AnyPart(Box::new(part)))
    }

    fn merge(
        &self,
        tally: &mut AnyTally,
        block: u64,
        part: AnyPart,
    ) -> Result<Vec<Find>, Disagreement> {
        let tally = tally.0.downcast_mut().expect(FOREIGN);
        Method::merge(self, tally, block, *part.0.downcast().expect(FOREIGN))
    }

    fn combine(&self, tally: &mut AnyTally, other: AnyTally) -> Result<(), String> {
        let tally = tally.0.downcast_mut().expect(FOREIGN);
        Method::combine(self, tally, *other.0.downcast().expect(FOREIGN))
    }

    fn report(&self, tally: &AnyTally) -> Report {
        Method::report(self, tally.get().expect(FOREIGN))
    }

    fn lengths<'t>(&self, tally: &'t AnyTally) -> Option<(&'static str, &'t Histogram)> {
        Method::lengths(self, tally.get().expect(FOREIGN))
    }

    fn tables(&self, tally: &AnyTally) -> Vec<(&'static str, String)> {
        Method::tables(self, tally.get().expect(FOREIGN))
    }

    fn prove(&self, tally: &AnyTally, shard: Shard, done: u64) -> Result<Vec<String>, String> {
        Method::prove(self, tally.get().expect(FOREIGN), shard, done)
    }

    fn leaderboard(&self, finds: Vec<Find>) -> Vec<Find> {
        Method::leaderboard(self, finds)
    }

    fn deal_at(&self, block: u64, offset: u64) -> Result<Deal, String> {
        Method::deal_at(self, block, offset)
    }

    fn find_again(&self, block: u64, offsets: &[u64]) -> Option<Vec<Find>> {
        Method::find_again(self, block, offsets)
    }

    fn missing(
        &self,
        tally: &AnyTally,
        shard: Shard,
        done: u64,
        finds: &[Find],
    ) -> Result<Vec<Find>, String> {
        Method::missing(self, tally.get().expect(FOREIGN), shard, done, finds)
    }

    fn copy(&self, tally: &AnyTally) -> AnyTally {
        AnyTally::new(tally.get::<M::Tally>().expect(FOREIGN).clone())
    }

    fn encode(&self, tally: &AnyTally) -> Vec<u8> {
        encode(tally.get::<M::Tally>().expect(FOREIGN))
    }

    fn decode(&self, bytes: &[u8]) -> Option<AnyTally> {
        decode::<M::Tally>(bytes).map(AnyTally::new)
    }
}
