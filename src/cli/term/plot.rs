//! Plots on a terminal.

use std::io::{self, Write};

use super::output::STRONG;
use crate::pages::bins;
use crate::search::finds::tally::Histogram;

/// The columns of a plot where the terminal does not say its own.
const COLUMNS: usize = 80;

/// Prints a histogram as bars, with the e-fold of its tail. `of` is what the lengths are of, as
/// `histogram.csv` says it. Nothing is printed of an empty one.
pub fn histogram(out: &mut impl Write, of: &str, histogram: &Histogram) -> io::Result<()> {
    if histogram.count() == 0 {
        return Ok(());
    }
    let climbs = of == "end of a climb";
    let what = if climbs {
        "where climbs ended"
    } else {
        "lengths of the finished games"
    };
    writeln!(out, "{STRONG}{what}{STRONG:#}")?;
    let unit = if climbs { "cards" } else { of };
    write!(out, "{}", bins::lines(histogram, unit, columns()))
}

/// How wide the terminal is.
fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stdout());
    match size.map(|size| usize::from(size.ws_col)) {
        Ok(columns) if columns > 0 => columns,
        _ => COLUMNS,
    }
}
