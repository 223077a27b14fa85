//! `camicia verify`: every claim of results files proved by the exact engine.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use rayon::prelude::*;
use serde_json::json;

use super::claims::{self, FileClaims};
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome, printed};
use crate::cli::term::input;
use crate::cli::term::output::{self, GOOD, Out, STRONG};
use crate::search::finds::formats::Claim;
use crate::search::methods::Plan;
use crate::search::methods::address::{AddressProof, Addresses};
use crate::search::plan::Keys;

/// So many claims are held at once.
const BATCH: usize = 4096;

/// Prove every claim of results files; exit 1 if one does not hold
///
/// Each deal is played by the exact engine and compared with all that is said of it: cards, tricks,
/// winner, lead-in, period, the name of the cycle, the index. Where a search says in which block it
/// found a deal, that deal is dealt again: for this the plan is needed, unless the deals were random.
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// Results files, - for standard input, or folders of .jsonl files: finds (JSON lines), tables
    /// with a header (tabs, commas or semicolons), canonical-data.json of the exercise, or lines
    /// such as finished,INDEX,CARDS,TRICKS
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,

    /// The plan of the search that found them [default: plan.toml beside a leaderboard.jsonl]
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A claim that does not hold.
struct Failed {
    file: String,
    line: u64,
    error: String,
}

/// What was proved.
#[derive(Default)]
struct Verified {
    claims: usize,
    failed: Vec<Failed>,
    /// Finds whose address only their plan can prove.
    partial: usize,
}

pub fn run(args: &VerifyArgs) -> Outcome {
    let given = args.plan.as_deref().map(plan).transpose()?;
    let mut verified = Verified::default();
    for path in &args.paths {
        for file in claims::files(path)? {
            let plan = match &given {
                Some(plan) => Some(plan.clone()),
                None => plan_beside(&file)?,
            };
            verify(&file, &Addresses::new(plan), &mut verified)?;
        }
    }
    let result = if verified.failed.is_empty() {
        Exit::Done
    } else {
        Exit::ClaimFailed
    };
    printed(
        output::print(|out| print(out, args.json, &verified)),
        result,
    )
}

fn plan(path: &Path) -> Result<Plan, Fault> {
    let text = input::text(path, input::PLAN_BYTES)?;
    let plan = Keys::read(&text).and_then(|keys| Plan::settled(&keys));
    plan.map_err(|error| Fault::usage(error).at(path))
}

/// The plan that a search wrote beside its leaderboard.
fn plan_beside(file: &Path) -> Result<Option<Plan>, Fault> {
    if file
        .file_name()
        .is_none_or(|name| name != "leaderboard.jsonl")
    {
        return Ok(None);
    }
    let beside = file.with_file_name("plan.toml");
    if beside.exists() {
        plan(&beside).map(Some)
    } else {
        Ok(None)
    }
}

fn verify(file: &Path, addresses: &Addresses, verified: &mut Verified) -> Result<(), Fault> {
    let mut claims = FileClaims::open(file)?;
    loop {
        let batch = claims.batch(BATCH)?;
        if batch.is_empty() {
            return Ok(());
        }
        let proofs: Vec<Result<AddressProof, String>> = batch
            .par_iter()
            .map(|(_, claim)| {
                let claim = claim.as_ref().map_err(String::clone)?;
                claim.check().map_err(|error| error.to_string())?;
                match claim {
                    Claim::Find(find) => addresses.check(find).map_err(|error| error.to_string()),
                    Claim::Short(_) => Ok(AddressProof::Whole),
                }
            })
            .collect();
        verified.claims += batch.len();
        for ((line, _), proof) in batch.iter().zip(proofs) {
            match proof {
                Ok(AddressProof::Whole) => {}
                Ok(AddressProof::Partial) => verified.partial += 1,
                Err(error) => verified.failed.push(Failed {
                    file: claims.name().to_owned(),
                    line: *line,
                    error,
                }),
            }
        }
    }
}

fn print(out: &mut Out, json: bool, verified: &Verified) -> io::Result<()> {
    let (all, failed) = (verified.claims, &verified.failed);
    let held = all - failed.len();
    if json {
        let failed: Vec<_> = failed
            .iter()
            .map(|it| json!({ "file": it.file, "line": it.line, "error": it.error }))
            .collect();
        let report = json!({
            "claims": all,
            "held": held,
            "failed": failed,
            "unproved_addresses": verified.partial,
        });
        return writeln!(out, "{report}");
    }
    for Failed { file, line, error } in failed {
        writeln!(out, "{file}:{line}: {error}")?;
    }
    let style = if failed.is_empty() { GOOD } else { STRONG };
    writeln!(out, "{style}{held} of {all} claims hold{style:#}")?;
    if verified.partial > 0 {
        writeln!(
            out,
            "{} say where they were found, which their plan (--plan), or for grown cycles only the \
             whole search, can prove",
            verified.partial
        )?;
    }
    Ok(())
}
