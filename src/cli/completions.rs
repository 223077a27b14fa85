//! `camicia completions`: completions for a shell.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use super::Cli;
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::Outcome;

/// Print completions for a shell, for example: camicia completions bash > camicia.bash
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub fn run(args: &CompletionsArgs) -> Outcome {
    // Made in memory: the library would panic on a closed pipe.
    let mut text = Vec::new();
    generate(args.shell, &mut Cli::command(), "camicia", &mut text);
    anstream::stdout().write_all(&text)?;
    Ok(Exit::Done)
}
