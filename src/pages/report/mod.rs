//! Reports: what searches and matches came to, as a page or as plots alone.
//!
//! A [`Report`] is made from the texts of results and holds every number that is shown; the page
//! and the plots are drawn from it, and `--json` prints it.

mod figures;
mod html;
mod matches;
mod searches;

use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

pub use figures::Figure;
pub use html::page;
pub use matches::{MatchReport, Pair, Place};
pub use searches::{Best, CycleRow, Expected, Lengths, LoopFind, SearchReport, SearchTexts};

use super::plot::{self, Theme};

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

/// Why results cannot be reported.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ReportError {
    /// A file that does not read.
    #[error("{file}: {why}")]
    File {
        /// Its name.
        file: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// A line that does not read.
    #[error("{file}, line {line}: {why}")]
    Line {
        /// The file.
        file: &'static str,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// Two files that cannot be of one run.
    #[error("{0}: they are not of one run; let the search or the merge write its results again")]
    Disagree(String),
}

impl Run {
    /// The name of the run.
    pub fn name(&self) -> &str {
        match self {
            Run::Search(search) => &search.name,
            Run::Match(one) => &one.name,
        }
    }

    /// Its pictures.
    pub fn figures(&self) -> Vec<Figure> {
        match self {
            Run::Search(search) => figures::of_search(search),
            Run::Match(one) => figures::of_match(one),
        }
    }
}

impl Report {
    /// All pictures, those that set runs side by side first.
    pub fn figures(&self) -> Vec<Figure> {
        let mut all = figures::side_by_side(self);
        all.extend(self.runs.iter().flat_map(Run::figures));
        // Two runs of one name would write one file.
        for at in 0..all.len() {
            let twins = all[..at].iter().filter(|one| one.base == all[at].base);
            let number = twins.count() + 1;
            if number > 1 {
                all[at].name = format!("{}-{number}", all[at].base);
            }
        }
        all
    }

    /// The report for programs: every number that is shown.
    pub fn json(&self) -> Value {
        let mut value = serde_json::to_value(self).expect("numbers and texts are JSON");
        value["figures"] = serde_json::to_value(self.figures()).expect("so are pictures");
        value
    }

    /// The plots alone: the name of a file and its text, each for a light and a dark background.
    pub fn plots(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        for figure in self.figures() {
            for (theme, word) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
                let svg = plot::svg(&figure.chart, &figure.title, &figure.text, "plot", theme);
                files.push((format!("{}-{word}.svg", figure.name), svg));
            }
        }
        files
    }
}
