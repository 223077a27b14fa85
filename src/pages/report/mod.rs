//! Reports: what searches and matches came to, as a page or as plots alone.
//!
//! A [`Report`] is made from the texts of results and holds every number that is shown; the page
//! and the plots are drawn from it, and `--json` prints it.

mod error;
mod figures;
mod html;
mod matches;
mod runs;
mod searches;

pub use error::ReportError;
pub use figures::{Figure, figures, json, plots};
pub use html::page;
pub use matches::{MatchReport, Pair, Place};
pub use runs::{Report, Run};
pub use searches::{Best, CycleRow, Lengths, LoopFind, SearchReport, SearchTexts};
