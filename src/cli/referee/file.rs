//! `camicia match FILE.toml`: a match out of a tournament file.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::options::{RunOptions, plan_fault};
use super::run::run as play;
use crate::cli::term::fault::{Fault, Outcome};
use crate::referee::MatchFile;

/// Options of `camicia match FILE`.
#[derive(clap::Args, Debug)]
pub struct FileArgs {
    /// A tournament file (TOML): the game, its rules, the bots, how they meet, the seed.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    #[command(flatten)]
    options: RunOptions,
}

/// Plays it.
pub fn run(path: &Path, args: &FileArgs) -> Outcome {
    let place = || path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| {
        let known = ["uno", "bs", "barbu", "check", "replay", "verify"];
        let word = path.to_string_lossy();
        let error = anyhow::Error::new(error).context(place());
        if path.extension().is_none() && !word.contains('/') {
            let why = format!(
                "there is neither a game nor a command `{word}`; there are {}",
                known.join(", ")
            );
            return Fault::usage(error.context(why));
        }
        Fault::usage(error)
    })?;
    let file = MatchFile::read(&text).map_err(|error| plan_fault(error).at(path))?;
    let base = path.parent().unwrap_or(Path::new(""));
    let base = std::path::absolute(base)
        .with_context(place)
        .map_err(Fault::usage)?;
    let plan = file
        .check(Some(&base))
        .map_err(|error| plan_fault(error).at(path))?;
    play(&plan, &args.options)
}
