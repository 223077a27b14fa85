//! `camicia completions`: completions for a shell.

use std::io::Write;

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use crate::cli::term::exit::Exit;
use crate::cli::term::fault::Outcome;
use crate::cli::term::output;

/// Print completions for a shell, for example: camicia completions bash > camicia.bash
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Prints the completions of `command`, the whole program's.
pub fn run(args: &CompletionsArgs, mut command: Command) -> Outcome {
    // Made in memory: the library would panic on a closed pipe.
    let mut text = Vec::new();
    generate(args.shell, &mut command, "camicia", &mut text);
    output::print(|out| out.write_all(&text))?;
    Ok(Exit::Done)
}
