//! `camicia man`: manual pages.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command};

use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome};

/// Write the manual pages, one for each command, for example: camicia man ~/.local/share/man/man1
#[derive(Args, Debug)]
pub struct ManArgs {
    /// The folder to write to; it is made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes the pages of `command` and of all commands in it.
pub fn run(args: &ManArgs, command: Command) -> Outcome {
    fs::create_dir_all(&args.folder).map_err(|error| Fault::io(&args.folder, error))?;
    clap_mangen::generate_to(command, &args.folder)
        .map_err(|error| Fault::io(&args.folder, error))?;
    Ok(Exit::Done)
}
