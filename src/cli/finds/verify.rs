//! `camicia verify`: every claim of results files replayed by the exact engine.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use rayon::prelude::*;
use serde_json::json;

use super::claims::{self, Entry};
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Outcome, printed};
use crate::cli::term::output::{self, GOOD, Out, STRONG};

/// Replay every claim of results files; exit 1 if one does not hold
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// Results files (JSON lines, or a table separated by tabs with the columns hand_a, hand_b,
    /// status, cards, tricks and perhaps deck), or folders of .jsonl files
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &VerifyArgs) -> Outcome {
    let mut claims = Vec::new();
    for path in &args.paths {
        for file in claims::files(path)? {
            claims.extend(claims::read(&file)?);
        }
    }
    let failed: Vec<(&Entry, String)> = claims
        .par_iter()
        .filter_map(|entry| {
            let held = match &entry.claim {
                Ok(claim) => claim.check(),
                Err(error) => Err(error.clone()),
            };
            held.err().map(|error| (entry, error))
        })
        .collect();
    let (all, held) = (claims.len(), claims.len() - failed.len());
    let result = if held == all {
        Exit::Done
    } else {
        Exit::ClaimFailed
    };
    printed(
        output::print(|out| print(out, args.json, all, held, &failed)),
        result,
    )
}

fn print(
    out: &mut Out,
    json: bool,
    all: usize,
    held: usize,
    failed: &[(&Entry, String)],
) -> io::Result<()> {
    if json {
        let failed: Vec<_> = failed
            .iter()
            .map(|(entry, error)| {
                json!({ "file": entry.file.to_string_lossy(), "line": entry.line, "error": error })
            })
            .collect();
        let report = json!({ "claims": all, "held": held, "failed": failed });
        return writeln!(out, "{report}");
    }
    for (entry, error) in failed {
        writeln!(out, "{}:{}: {error}", entry.file.display(), entry.line)?;
    }
    let style = if held == all { GOOD } else { STRONG };
    writeln!(out, "{style}{held} of {all} claims hold{style:#}")
}
