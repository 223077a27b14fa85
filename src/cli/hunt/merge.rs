//! `camicia merge`: shards put together into one leaderboard and one histogram.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::search::{best_of, merge_fault, print_best, print_report};
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::Outcome;
use crate::cli::term::output::{self, GOOD};
use crate::search::finds::results::Find;
use crate::search::run::disk::Files;
use crate::search::run::merge::merge;

/// Put the shards of a plan together: prove that none is missing or there twice, replay every
/// find, and write one leaderboard and one histogram; exit 1 if the proof fails
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// The folders of the shards' states, for example checkpoints/standard-52.*
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// The folder of the results [default: results/merged-FINGERPRINT]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &MergeArgs) -> Outcome {
    let mut into = PathBuf::new();
    let merged = merge(
        &args.folders,
        |plan| {
            into = args.results.clone().unwrap_or_else(|| {
                Path::new("results").join(format!("merged-{}", plan.fingerprint()))
            });
            into.clone()
        },
        &Files,
        |warning| anstream::eprintln!("warning: {warning}"),
    )
    .map_err(merge_fault)?;
    let report = &merged.report;
    let best: Vec<&Find> = best_of(&merged.board).collect();
    if args.json {
        let finds: Vec<Value> = best
            .iter()
            .map(|find| serde_json::from_str(&find.to_line()).expect("a find is JSON"))
            .collect();
        output::json_line(&json!({
            "plan": merged.plan.fingerprint().to_string(),
            "how": merged.plan.how.name(),
            "deck": merged.plan.deck.to_string(),
            "shards": merged.shards,
            report.unit: report.played.to_string(),
            "loops": report.loops.to_string(),
            "cycles": report.cycles,
            "replayed": merged.replayed,
            "kept": merged.board.len(),
            "best": finds,
            "proofs": merged.proofs,
            "results": into.display().to_string(),
        }))?;
        return Ok(Exit::Done);
    }
    let mut out = anstream::stdout().lock();
    writeln!(
        out,
        "plan {}: {}, deck {}: all {} shards are there, {} finds replayed and held",
        merged.plan.fingerprint(),
        merged.plan.how.name(),
        merged.plan.deck,
        merged.shards,
        merged.replayed
    )?;
    print_report(&mut out, report, None)?;
    for proof in &merged.proofs {
        writeln!(out, "{GOOD}checked{GOOD:#}: {proof}")?;
    }
    print_best(&mut out, &best)?;
    writeln!(out, "results in {}", into.display())?;
    Ok(Exit::Done)
}
