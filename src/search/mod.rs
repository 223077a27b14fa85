//! How deals are explored: plans, blocks and shards, the runner, its store, and what it finds.
//!
//! - [`plan`] reads what is to be searched; [`random`], [`climb`], [`exhaust`] and [`grow`] are the ways
//!   of searching, [`feed`] gives deals, and [`harvest`] is what long games are made to yield.
//! - [`runner`] plays the blocks of any way on all threads and merges them in order.
//! - [`store`] keeps the state of a run, so that it can be stopped anywhere and go on.
//! - [`measure`] is the work by which the speed of the engines is measured.
//! - [`results`] are the finds, which anyone can prove again.
//!
//! This room does not know the terminal, and prints nothing.

pub mod climb;
pub mod decks;
pub mod disk;
pub mod exhaust;
pub mod feed;
pub mod grow;
pub mod harvest;
pub mod known;
pub mod measure;
pub mod merge;
pub mod plan;
pub mod random;
pub mod results;
pub mod runner;
pub mod shard;
pub mod store;
pub mod tally;

use plan::{How, Plan};

use crate::game::lanes::Kernel;

/// Something to be done with the way of searching of a plan, whichever it is.
pub trait Visit {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<M: runner::Method>(self, method: &M) -> Self::Output;
}

/// Turns a settled plan into its way of searching, played by `kernel` where many games are played
/// at once. This is the one place that knows all ways.
///
/// # Panics
/// When it plays, if this machine cannot run `kernel`.
pub fn with_method<V: Visit>(plan: &Plan, kernel: Kernel, visit: V) -> V::Output {
    match &plan.how {
        How::Random(_) => visit.visit(&random::Random::new(plan).on(kernel)),
        How::Climb(_) => visit.visit(&climb::Climb::new(plan)),
        How::Exhaust(options) => visit.visit(&exhaust::Exhaust::new(plan, options).on(kernel)),
        How::Grow(_) if grow::fits::<u64>(plan) => {
            visit.visit(&grow::Grow::<u64>::new(plan).on(kernel))
        }
        How::Grow(_) => visit.visit(&grow::Grow::<u128>::new(plan).on(kernel)),
    }
}

/// Sets what a plan left open and its deals decide. To be done once, before its fingerprint is
/// taken.
pub fn settle(plan: &mut Plan) {
    random::settle(plan);
}
