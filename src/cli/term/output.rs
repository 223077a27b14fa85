//! What the commands print with: JSON for programs, numbers and tables for people.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use serde_json::{Value, json};

use crate::cards::Player;
use crate::game::{Outcome, Span, Verdict};

/// The greatest number that every JSON reader keeps exactly.
const SAFE_INTEGER: u128 = 1 << 53;

/// A number for JSON: as a string if it is over 53 bits.
pub fn number(n: impl Into<u128>) -> Value {
    let n = n.into();
    if n <= SAFE_INTEGER {
        json!(n as u64)
    } else {
        json!(n.to_string())
    }
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

/// One JSON value on a line of its own.
pub fn json_line(value: &impl Serialize) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    let text = serde_json::to_string(value).map_err(io::Error::other)?;
    writeln!(out, "{text}")
}

/// `8344 cards, 1164 tricks`.
pub fn spoken(span: Span) -> String {
    let plural = |n: u64, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    format!(
        "{}, {}",
        plural(span.cards, "card"),
        plural(span.tricks, "trick")
    )
}

/// An empty table in the style of all tables.
pub fn table(header: Vec<&str>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    table
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
