//! What is reported, run by run.

use serde::Serialize;

use super::matches::MatchReport;
use super::searches::SearchReport;

/// What is reported, run by run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The runs, in the order they were given.
    pub runs: Vec<Run>,
}

/// One run.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Run {
    /// A search, of any way.
    Search(Box<SearchReport>),
    /// A match.
    Match(Box<MatchReport>),
}

impl Run {
    /// The name of the run.
    pub fn name(&self) -> &str {
        match self {
            Run::Search(search) => &search.name,
            Run::Match(one) => &one.name,
        }
    }
}
