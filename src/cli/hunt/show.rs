//! What people see of a run: its counts, and the best it found.

use std::collections::HashSet;
use std::io::{self, Write};

use crate::cli::term::numbers::grouped;
use crate::cli::term::output::{self, GOOD, STRONG};
use crate::game::Outcome;
use crate::search::finds::results::Find;
use crate::search::methods::Report;

/// What is shown of a leaderboard: ten finished games, and the first deal of each of ten cycles.
pub fn best_of(board: &[Find]) -> impl Iterator<Item = &Find> {
    let loops = board.iter().filter(|find| find.is_loop());
    let mut seen = HashSet::new();
    let cycles = loops.filter(move |find| seen.insert(&find.cycle));
    let finished = board.iter().filter(|find| !find.is_loop());
    cycles.take(10).chain(finished.take(10))
}

/// The counts of a run.
pub fn print_report(
    out: &mut impl Write,
    report: &Report,
    blocks: Option<(u64, Option<u64>)>,
) -> io::Result<()> {
    write!(
        out,
        "{STRONG}{} {}{STRONG:#}",
        grouped(report.played),
        report.unit
    )?;
    if let Some((done, total)) = blocks {
        match total {
            Some(total) => write!(out, ", {} of {} blocks", grouped(done), grouped(total))?,
            None => write!(out, ", {} blocks", grouped(done))?,
        }
    }
    writeln!(out)?;
    for (name, value) in &report.more {
        writeln!(out, "{name}: {value}")?;
    }
    if report.loops > 0 {
        writeln!(
            out,
            "{GOOD}infinite games: {}{GOOD:#}, different cycles kept: {}",
            grouped(report.loops),
            report.cycles
        )?;
    } else {
        writeln!(out, "infinite games: none")?;
    }
    Ok(())
}

/// The best finds, each played again by the exact engine before.
pub fn print_best(out: &mut impl Write, best: &[&Find]) -> io::Result<()> {
    for loops in [true, false] {
        let finds: Vec<&&Find> = best.iter().filter(|find| find.is_loop() == loops).collect();
        if finds.is_empty() {
            continue;
        }
        let what = if loops {
            "infinite games, one of each cycle"
        } else {
            "the longest games"
        };
        writeln!(out, "{STRONG}{what}, proved by the exact engine{STRONG:#}")?;
        let header = if loops {
            ["", "lead-in", "period", "deal"]
        } else {
            ["", "cards", "tricks", "deal"]
        };
        let mut table = output::table(header.to_vec());
        for (place, find) in finds.iter().enumerate() {
            let [first, second] = match find.ending {
                Outcome::Loop { lead_in, period } => {
                    [lead_in, period].map(|span| format!("{}/{}", span.cards, span.tricks))
                }
                Outcome::Finished { .. } => {
                    [find.played.cards, find.played.tricks].map(|number| number.to_string())
                }
            };
            table.add_row([(place + 1).to_string(), first, second, find.deal_text()]);
        }
        output::right(&mut table, &[0, 1, 2]);
        output::print_table(out, &table)?;
    }
    Ok(())
}
