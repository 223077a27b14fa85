//! Why results cannot be reported.

use thiserror::Error;

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
