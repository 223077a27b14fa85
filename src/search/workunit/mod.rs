//! Work units: a stretch of the deals of the standard deck, played to two kinds of lines.
//!
//! This is the work of the public BOINC project Camicia. A folder holds `in`, the first and the
//! last index of the unit in the order `akqj-`. The answer goes to `out`: the longest finished
//! game, then every loop, in the order of their indices. Progress is kept in `camicia_state`, so
//! that a unit goes on after any kind of end. The answer depends on the unit alone: two machines
//! write the same bytes.
//!
//! Not here: who says when to pause, save and stop. That is the [`Host`]: BOINC's client (behind the
//! feature `boinc`), or whoever started the program ([`Alone`]).

mod alone;
#[cfg(feature = "boinc")]
#[allow(unsafe_code)] // calls of BOINC's library
pub mod boinc;
mod folder;
mod host;
mod play;
mod progress;
mod unit;

pub use alone::{Alone, FINISH_CALLED, FRACTION_DONE};
pub use folder::{FolderError, UnitFolder};
pub use host::{Host, Wish};
pub use play::{Ended, RunError, run};
pub use progress::{Game, Progress, StateError};
pub use unit::{Unit, UnitError};
