//! `camicia search`: runs a plan, from a file, from flags, or from both.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;

use super::flags::{KeyFlags, RunFlags};
use super::run::{checked, run_plan};
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::input;
use crate::search::plan::Keys;

/// Search for long and infinite games: run a plan, stop it, go on
///
/// Without a plan, flags alone make one (--games is needed); its state gets a name of its own, and
/// the same flags go on where they stopped.
#[derive(Args, Debug)]
pub struct SearchArgs {
    /// A plan (TOML), for example search/quick.toml
    plan: Option<PathBuf>,

    #[command(flatten)]
    keys: KeyFlags,

    #[command(flatten)]
    run: RunFlags,
}

/// Runs `camicia search`.
pub fn run(args: &SearchArgs) -> Outcome {
    let flags = args.keys.keys();
    let Some(path) = &args.plan else {
        if flags == Keys::default() {
            return Err(Fault::usage(anyhow!(
                "nothing to search: give a plan, for example search/quick.toml, or --games"
            )));
        }
        let plan = checked(&flags)?;
        let name = format!("flags-{}", plan.fingerprint());
        return run_plan(&plan, &name, true, &args.run);
    };
    let text = input::text(path, input::PLAN_BYTES)?;
    let file = Keys::read(&text).map_err(|error| Fault::usage(error).at(path))?;
    let plan = checked(&flags.clone().over(file.clone())).map_err(|fault| fault.at(path))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    // A plan changed by flags is another plan, and must not meet the state of the file's own.
    let same = flags == Keys::default()
        || checked(&file).is_ok_and(|own| own.fingerprint() == plan.fingerprint());
    let name = if same {
        stem.into_owned()
    } else {
        format!("{stem}-{}", plan.fingerprint())
    };
    run_plan(&plan, &name, false, &args.run)
}
