//! The command line: one file a command, nothing but parsing, calling, printing.
//!
//! Only this room knows a terminal.

mod claims;
mod close;
mod exit;
mod fault;
mod index;
mod input;
mod output;
mod play;
mod records;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use exit::Exit;
use fault::{Outcome, report};

/// Hunts the longest games of Camicia (Beggar-My-Neighbour) and referees matches between
/// card-playing programs.
#[derive(Parser, Debug)]
#[command(name = "camicia", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Play(play::PlayArgs),
    Index(index::IndexArgs),
    Deal(index::AtArgs),
    Close(close::CloseArgs),
    Verify(verify::VerifyArgs),
    Records(records::RecordsArgs),
}

/// Parses the command line, runs the command, and says how it ended.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(exit) => exit.into(),
        Err(fault) if fault.is_broken_pipe() => ExitCode::SUCCESS,
        Err(fault) => {
            report(&fault.error);
            fault.exit.into()
        }
    }
}

fn run(cli: &Cli) -> Outcome {
    match &cli.command {
        Command::Play(args) => play::run(args),
        Command::Index(args) => index::run_index(args),
        Command::Deal(args) => index::run_deal(args),
        Command::Close(args) => close::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Records(args) => records::run(args),
    }
}
