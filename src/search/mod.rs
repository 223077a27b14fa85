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

pub mod finds;
pub mod methods;
pub mod plan;
pub mod run;

use plan::{How, Plan};

use crate::game::lanes::Kernel;

/// Something to be done with the way of searching of a plan, whichever it is.
pub trait Visit {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<M: run::runner::Method>(self, method: &M) -> Self::Output;
}

/// Turns a settled plan into its way of searching, played by `kernel` where many games are played
/// at once. This is the one place that knows all ways.
///
/// # Panics
/// When it plays, if this machine cannot run `kernel`.
pub fn with_method<V: Visit>(plan: &Plan, kernel: Kernel, visit: V) -> V::Output {
    match &plan.how {
        How::Random(_) => visit.visit(&methods::random::Random::new(plan).on(kernel)),
        How::Climb(_) => visit.visit(&methods::climb::Climb::new(plan)),
        How::Exhaust(options) => {
            visit.visit(&methods::exhaust::Exhaust::new(plan, options).on(kernel))
        }
        How::Grow(_) if methods::grow::fits::<u64>(plan) => {
            visit.visit(&methods::grow::Grow::<u64>::new(plan).on(kernel))
        }
        How::Grow(_) => visit.visit(&methods::grow::Grow::<u128>::new(plan).on(kernel)),
    }
}

/// Sets what a plan left open and its deals decide. To be done once, before its fingerprint is
/// taken.
pub fn settle(plan: &mut Plan) {
    methods::random::settle(plan);
}
