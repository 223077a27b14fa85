//! `camicia exhaust`: every deal of a deck, or of every small deck, played to exact answers.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::Args;
use rayon::prelude::*;
use serde_json::json;

use super::exit::Exit;
use super::fault::{Fault, Outcome};
use super::output;
use super::progress::bar;
use super::search::{KeyFlags, RunFlags, checked, run_plan};
use crate::search::decks::{self, MAX_CARDS, Row};
use crate::search::plan::{Keys, Plan};

/// Play every deal of a deck, or of a range of its indices: exact counts, every loop
///
/// The same as a plan with how = "exhaust": it can be stopped, resumed and sharded as every search.
#[derive(Args, Debug)]
pub struct ExhaustArgs {
    #[command(flatten)]
    keys: KeyFlags,

    #[command(flatten)]
    run: RunFlags,

    /// The table of every deck of up to --max-cards cards instead of one deck
    #[arg(long, requires = "max_cards")]
    all_decks: bool,

    /// The most cards of a deck in that table
    #[arg(long, value_name = "N", requires = "all_decks")]
    max_cards: Option<usize>,

    /// Print that table as CSV
    #[arg(long, requires = "all_decks")]
    csv: bool,
}

pub fn run(args: &ExhaustArgs) -> Outcome {
    if let Some(max) = args.max_cards {
        return table(args, max);
    }
    let mut keys = args.keys.keys();
    match keys.how.as_deref() {
        None | Some("exhaust") => keys.how = Some("exhaust".to_owned()),
        Some(how) => {
            let error = anyhow!("--how {how}: this command exhausts; camicia search takes --how");
            return Err(Fault::usage(error));
        }
    }
    let plan = checked(keys)?;
    run_plan(&plan, &format!("flags-{}", plan.fingerprint()), true, &args.run)
}

/// Every small deck.
fn table(args: &ExhaustArgs, max: usize) -> Outcome {
    if args.keys.keys() != Keys::default() {
        let error = anyhow!("--all-decks takes no other key of a plan: every deck is exhausted");
        return Err(Fault::usage(error));
    }
    if !(2..=MAX_CARDS).contains(&max) {
        let error = anyhow!("--max-cards {max}: 2 to {MAX_CARDS} are accepted");
        return Err(Fault::usage(error));
    }
    let decks = decks::compositions(2, max);
    let bar = bar(decks.len() as u64, "decks");
    let rows: Result<Vec<Row>, _> = args.run.pool()?.install(|| {
        decks
            .par_iter()
            .map(|deck| {
                let row = decks::row(deck);
                bar.inc(1);
                row
            })
            .collect()
    });
    bar.finish_and_clear();
    let rows = rows.map_err(Fault::usage)?;
    if args.run.json {
        for row in &rows {
            output::json_line(&json_row(row))?;
        }
    } else if args.csv {
        write_csv(&rows)?;
    } else {
        print(&rows)?;
    }
    Ok(Exit::Done)
}
