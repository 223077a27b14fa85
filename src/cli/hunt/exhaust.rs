//! `camicia exhaust`: every deal of a deck, or of every small deck, played to exact answers.

use std::io;

use anyhow::anyhow;
use clap::Args;
use rayon::prelude::*;
use serde_json::json;

use super::errors::claim_fault;
use super::flags::{KeyFlags, RunFlags};
use super::progress::bar;
use super::run::{checked, run_plan};
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::output::{self, Out};
use crate::search::methods::decks::{self, DeckRow, MAX_CARDS, RowError};
use crate::search::plan::Keys;

/// Play every deal of a deck, or of a range of its indices: exact counts, every loop
///
/// The same as a plan with how = "exhaust": it can be stopped, gone on with and shared among
/// machines as every search.
#[derive(Args, Debug)]
pub struct ExhaustArgs {
    #[command(flatten)]
    keys: KeyFlags,

    #[command(flatten)]
    run: RunFlags,

    /// Make the table of every deck of up to --max-cards cards instead
    #[arg(long, requires = "max_cards")]
    all_decks: bool,

    /// The most cards of a deck in that table
    #[arg(long, value_name = "N", requires = "all_decks")]
    max_cards: Option<usize>,

    /// Print that table as CSV
    #[arg(long, requires = "all_decks", conflicts_with = "json")]
    csv: bool,
}

/// Runs `camicia exhaust`.
pub fn run(args: &ExhaustArgs) -> Outcome {
    let mut keys = args.keys.keys();
    if let Some(max) = args.max_cards {
        if keys != Keys::default() {
            let error = anyhow!("--all-decks exhausts every deck: it takes no keys of a plan");
            return Err(Fault::usage(error));
        }
        return table(args, max);
    }
    if let Some(how) = keys.how.replace("exhaust".to_owned())
        && how != "exhaust"
    {
        let error = anyhow!("--how {how}: this command exhausts; give --how to camicia search");
        return Err(Fault::usage(error));
    }
    let plan = checked(&keys)?;
    run_plan(
        &plan,
        &format!("flags-{}", plan.fingerprint()),
        true,
        &args.run,
    )
}

/// Every small deck.
fn table(args: &ExhaustArgs, max: usize) -> Outcome {
    if !(2..=MAX_CARDS).contains(&max) {
        let error = anyhow!("--max-cards {max}: 2 to {MAX_CARDS} are accepted");
        return Err(Fault::usage(error));
    }
    let decks = decks::compositions(2, max);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.run.threads()?)
        .build()
        .map_err(|error| Fault {
            exit: Exit::Io,
            error: error.into(),
        })?;
    let bar = bar(decks.len() as u64, "decks");
    let rows: Result<Vec<DeckRow>, _> = pool.install(|| {
        let row = |deck| decks::row(deck).inspect(|_| bar.inc(1));
        decks.par_iter().map(row).collect()
    });
    bar.finish_and_clear();
    let rows = rows.map_err(|error| match error {
        RowError::Plan(error) => Fault::usage(error),
        RowError::Disagreement(_) | RowError::Backward { .. } => claim_fault(error),
    })?;
    if args.run.json {
        for row in &rows {
            output::json_line(&json(row))?;
        }
    } else if args.csv {
        write_csv(&rows)?;
    } else {
        output::print(|out| print(out, &rows))?;
    }
    Ok(Exit::Done)
}

fn json(row: &DeckRow) -> serde_json::Value {
    json!({
        "deck": row.deck.to_string(),
        "cards": row.deck.len(),
        "counts": row.deck.counts(),
        "deals": output::number(row.deals),
        "loops": output::number(row.loops),
        "cycles": row.cycles,
        "longest": row.longest.as_ref().map(|longest| json!({
            "cards": longest.played.cards,
            "tricks": longest.played.tricks,
            "deals": longest.deals,
            "deal": longest.deal,
        })),
    })
}

fn cells(row: &DeckRow) -> Vec<String> {
    let mut cells = vec![row.deck.len().to_string()];
    cells.extend(row.deck.counts().map(|count| count.to_string()));
    cells.extend([
        row.deals.to_string(),
        row.loops.to_string(),
        row.cycles.to_string(),
    ]);
    match &row.longest {
        Some(longest) => cells.extend([
            longest.played.cards.to_string(),
            longest.played.tricks.to_string(),
            longest.deals.to_string(),
            longest.deal.clone(),
        ]),
        None => cells.extend(std::iter::repeat_n(String::new(), 4)),
    }
    cells
}

fn write_csv(rows: &[DeckRow]) -> Result<(), Fault> {
    const HEADER: [&str; 13] = [
        "cards",
        "plain",
        "pay_1",
        "pay_2",
        "pay_3",
        "pay_4",
        "deals",
        "loops",
        "cycles",
        "longest_cards",
        "longest_tricks",
        "longest_deals",
        "longest_deal",
    ];
    let mut writer = output::csv_writer();
    let all = std::iter::once(HEADER.map(str::to_owned).to_vec()).chain(rows.iter().map(cells));
    for row in all {
        writer.write_record(row)?;
    }
    writer.flush()?;
    Ok(())
}

fn print(out: &mut Out, rows: &[DeckRow]) -> io::Result<()> {
    let header = [
        "cards",
        "plain",
        "1",
        "2",
        "3",
        "4",
        "deals",
        "loops",
        "cycles",
        "longest",
        "tricks",
        "deals",
        "a longest deal",
    ];
    let mut table = output::table(header.to_vec());
    for row in rows {
        table.add_row(cells(row));
    }
    output::right(&mut table, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    output::print_table(out, &table)
}
