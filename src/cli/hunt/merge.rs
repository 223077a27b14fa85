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
use crate::search::methods::Plan;
use crate::search::plan::shard::Shard;
use crate::search::run::disk::Files;
use crate::search::run::merge::{merge, merge_so_far};
use crate::search::run::status::{Best, Position, Published, RunState, Status, Together};

/// Put the shards of a plan together: prove that none is missing or there twice, replay every
/// find, and write one leaderboard and one histogram; exit 1 if the proof fails
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// The folders of the shards' states, for example checkpoints/standard-52.*
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// Put together what the shards have saved so far, running or not, missing ones left out. The
    /// results are marked by a file so-far.json
    #[arg(long)]
    so_far: bool,

    /// The folder of the results [default: results/merged-FINGERPRINT, or
    /// results/so-far-FINGERPRINT]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &MergeArgs) -> Outcome {
    let mut into = PathBuf::new();
    let name = if args.so_far { "so-far" } else { "merged" };
    let place = |plan: &Plan| {
        let usual = || Path::new("results").join(format!("{name}-{}", plan.fingerprint()));
        into = args.results.clone().unwrap_or_else(usual);
        into.clone()
    };
    let warn = |warning: &str| output::warning(warning);
    let merged = if args.so_far {
        merge_so_far(&args.folders, place, &Files, warn)
    } else {
        merge(&args.folders, place, &Files, warn)
    }
    .map_err(folder_fault)?;
    let report = &merged.report;
    let best: Vec<&Find> = best_of(&merged.board).collect();
    if args.json {
        let so_far = merged.so_far.as_ref();
        let blocks = so_far.map_or(merged.blocks.unwrap_or(0), |so_far| so_far.blocks_done.0);
        let finished = merged.blocks == Some(blocks);
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
                so_far: so_far.cloned(),
            }),
            published: Some(Published {
                kept: merged.board.len(),
                proofs: merged.proofs.clone(),
                results: into.display().to_string(),
            }),
            ..Status::of(RunState::after(!finished), &position)
        })?;
        return Ok(Exit::Done);
    }
    let there = match &merged.so_far {
        None => format!("all {} shards are there", merged.shards),
        Some(so_far) => format!(
            "SO FAR: {} of {} shards are there, {} of them finished",
            so_far.there, so_far.of, so_far.finished
        ),
    };
    let done = merged.so_far.as_ref().map(|so_far| so_far.blocks_done.0);
    output::print(|out| {
        writeln!(
            out,
            "plan {}: {}, deck {}: {there}, {} finds replayed and held",
            merged.plan.fingerprint(),
            merged.plan.how.name(),
            merged.plan.common.deck,
            merged.replayed
        )?;
        print_report(out, report, done.map(|done| (done, merged.blocks)))?;
        for proof in &merged.proofs {
            writeln!(out, "{GOOD}checked{GOOD:#}: {proof}")?;
        }
        print_best(out, &best)?;
        writeln!(out, "results in {}", into.display())?;
        Ok(())
    })?;
    Ok(Exit::Done)
}
