//! Plans: what is to be searched, in a form that is committed, shared and repeated.
//!
//! A plan is a TOML file, or flags, or both: [`Keys`] holds what was written, [`Common`] what was
//! checked of the keys that all ways of searching share. Each way checks its own keys, and
//! [`Plan`](super::methods::Plan) is both together. [`Canonical`] is everything that decides
//! results; its [`Fingerprint`] names the plan. `search/README.md` explains each key.
//!
//! Not here: any one way of searching.

mod canonical;
mod common;
mod keys;
pub mod shard;

pub use canonical::{Canonical, Fingerprint};
pub use common::Common;
pub use keys::{Count, Keys, MAX_NUMBER, PlanError, in_range, nearest};
