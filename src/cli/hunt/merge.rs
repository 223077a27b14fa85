//! `camicia merge`: shards put together into one leaderboard and one histogram.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::errors::folder_fault;
use super::show::{best_of, print_best, print_report};
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::Outcome;
use crate::cli::term::output::{self, GOOD};
use crate::search::finds::results::Find;
use crate::search::plan::shard::Shard;
use crate::search::run::disk::Files;
use crate::search::run::merge::merge;
use crate::search::run::status::{Best, Position, Published, RunState, Status, Together};

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
        |warning| output::warning(warning),
    )
    .map_err(folder_fault)?;
    let report = &merged.report;
    let best: Vec<&Find> = best_of(&merged.board).collect();
    if args.json {
        let blocks = merged.blocks.unwrap_or(0);
        let position = Position {
            plan: &merged.plan,
            shard: Shard::WHOLE,
            done: blocks,
            total: merged.blocks,
            report,
        };
        output::json_line(&Status {
            best: Best::finds(&best),
            together: Some(Together {
                shards: merged.shards,
                replayed: merged.replayed,
            }),
            published: Some(Published {
                kept: merged.board.len(),
                proofs: merged.proofs.clone(),
                results: into.display().to_string(),
            }),
            ..Status::of(RunState::Finished, &position)
        })?;
        return Ok(Exit::Done);
    }
    output::print(|out| {
        writeln!(
            out,
            "plan {}: {}, deck {}: all {} shards are there, {} finds replayed and held",
            merged.plan.fingerprint(),
            merged.plan.how.name(),
            merged.plan.common.deck,
            merged.shards,
            merged.replayed
        )?;
        print_report(out, report, None)?;
        for proof in &merged.proofs {
            writeln!(out, "{GOOD}checked{GOOD:#}: {proof}")?;
        }
        print_best(out, &best)?;
        writeln!(out, "results in {}", into.display())?;
        Ok(())
    })?;
    Ok(Exit::Done)
}
