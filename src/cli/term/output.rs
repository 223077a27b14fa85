//! What the commands print with: results on standard output, the rest on standard error.
//!
//! Any write may fail: a full disk, a closed window, a reader that left. A command passes errors of
//! standard output on with `?` ([`Fault`](super::fault::Fault) knows what they mean); what cannot be
//! said on standard error is lost, and nothing else changes. So no macro that panics is used here.

use std::fmt::Display;
use std::io::{self, BufWriter, StdoutLock, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use serde_json::{Value, json};

use super::numbers::count;
pub use super::numbers::number;
use crate::cards::Player;
use crate::game::{Outcome, Span, Verdict};

/// Standard output, buffered.
pub type Out = BufWriter<AutoStream<StdoutLock<'static>>>;

/// Writes to standard output; nothing is left in a buffer.
pub fn print(write: impl FnOnce(&mut Out) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(anstream::stdout().lock());
    write(&mut out)?;
    out.flush()
}

/// One line of standard output.
pub fn line(text: impl Display) -> io::Result<()> {
    writeln!(anstream::stdout(), "{text}")
}

/// One JSON value on a line of its own.
pub fn json_line(value: &impl Serialize) -> io::Result<()> {
    line(serde_json::to_string(value).map_err(io::Error::other)?)
}

/// A table for programs on standard output: a line for the header and each row.
pub fn csv_writer() -> csv::Writer<impl Write> {
    csv::Writer::from_writer(anstream::stdout().lock())
}

/// A line of standard error for people; lost if nobody can read it.
pub fn notice(text: impl Display) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// A line of standard error: something is wrong, but the work goes on.
pub fn warning(text: impl Display) {
    notice(format_args!("{WARNING}warning{WARNING:#}: {text}"));
}

/// Cards and tricks for JSON.
pub fn span(span: Span) -> Value {
    json!({ "cards": number(span.cards), "tricks": number(span.tricks) })
}

/// A verdict for JSON.
pub fn verdict(verdict: &Verdict) -> Value {
    let mut value = json!({
        "status": verdict.status(),
        "cards": number(verdict.played.cards),
        "tricks": number(verdict.played.tricks),
        "winner": verdict.winner().map(|player: Player| player.to_string()),
    });
    if let Outcome::Loop { lead_in, period } = verdict.outcome {
        value["lead_in"] = span(lead_in);
        value["period"] = span(period);
    }
    value
}

/// `8344 cards, 1164 tricks`.
pub fn spoken(span: Span) -> String {
    format!(
        "{}, {}",
        count(span.cards, "card"),
        count(span.tricks, "trick")
    )
}

/// An empty table in the style of all tables.
pub fn table(header: Vec<&str>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    table
}

/// Prints a table, without blanks at the ends of its lines.
pub fn print_table(out: &mut impl Write, table: &Table) -> io::Result<()> {
    writeln!(out, "{}", table.trim_fmt())
}

/// Aligns columns of numbers to the right.
pub fn right(table: &mut Table, columns: &[usize]) {
    for &column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// What stands out: payment cards, results.
pub const STRONG: Style = Style::new().bold();
/// Payment cards in a trace.
pub const PAYMENT: Style = AnsiColor::Yellow.on_default().bold();
/// A debt.
pub const DEBT: Style = AnsiColor::Red.on_default();
/// Good news.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What may be wrong.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
