//! `camicia match FILE.toml`: a match out of a tournament file.

use std::io;
use std::path::{Path, PathBuf};

use super::options::{RunOptions, plan_fault};
use super::run::run as play;
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::input;
use crate::referee::MatchFile;

/// Options of `camicia match FILE`.
#[derive(clap::Args, Debug)]
pub struct FileArgs {
    /// A tournament file (TOML): the game, its rules, the bots, how they meet, the seed; - is standard
    /// input.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    #[command(flatten)]
    options: RunOptions,
}

/// Plays it.
pub fn run(path: &Path, args: &FileArgs) -> Outcome {
    let text = input::text(path, input::PLAN_BYTES).map_err(|fault| no_command(path, fault))?;
    let name = input::name(path);
    let file = MatchFile::read(&text).map_err(|error| plan_fault(error).at(&name))?;
    let folder = folder(path).map_err(|error| Fault::io(&name, error))?;
    let plan = file
        .check(Some(&folder))
        .map_err(|error| plan_fault(error).at(&name))?;
    play(&plan, &args.options)
}

/// The folder in which the bots of the file run.
fn folder(path: &Path) -> io::Result<PathBuf> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => std::path::absolute(folder),
        _ => std::env::current_dir(),
    }
}

/// A word that is no file may be meant as a command.
fn no_command(path: &Path, fault: Fault) -> Fault {
    let word = path.to_string_lossy();
    if path.exists() || word == "-" || word.contains('/') || path.extension().is_some() {
        return fault;
    }
    let known = ["uno", "bs", "barbu", "check", "replay", "verify"];
    Fault::usage(fault.error.context(format!(
        "there is neither a game nor a command `{word}`; there are {}",
        known.join(", ")
    )))
}
