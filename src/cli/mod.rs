//! The command line: one file a command, nothing but parsing, calling, printing.
//!
//! Only this room knows a terminal.

mod completions;
mod deal;
mod finds;
mod hunt;
mod referee;
mod term;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use deal::{close, cycle, index, play};
use finds::{records, verify};
use hunt::{bench, exhaust, grow, merge, search, status, workunit};
use referee::{barbu, bs, uno};
pub use term::exit::Exit;
use term::fault::{Outcome, report};

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
    Cycle(cycle::CycleArgs),
    Verify(verify::VerifyArgs),
    Records(records::RecordsArgs),
    Search(Box<search::SearchArgs>),
    Exhaust(Box<exhaust::ExhaustArgs>),
    Grow(Box<grow::GrowArgs>),
    Status(status::StatusArgs),
    Merge(merge::MergeArgs),
    Workunit(workunit::WorkunitArgs),
    Bench(bench::BenchArgs),
    /// Play programs against each other over their standard input and output
    #[command(subcommand)]
    Match(Match),
    Completions(completions::CompletionsArgs),
}

/// The games of the referee.
#[derive(Subcommand, Debug)]
enum Match {
    /// Uno with ordinary cards, 2 to 4 bots, a fresh process each game.
    Uno(Box<uno::UnoArgs>),
    /// BS, the game of lying about cards: four of any number of bots a game, kept from game to game.
    Bs(Box<bs::BsArgs>),
    /// Barbu, 4 bots, eight games, processes that live from game to game.
    Barbu(Box<barbu::BarbuArgs>),
}

/// Parses the command line, runs the command, and says how it ended.
pub fn main() -> ExitCode {
    // A process of a match, not of a user: a bot or its keeper.
    if let Some(code) = crate::referee::inner() {
        return code;
    }
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
        Command::Cycle(args) => cycle::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Records(args) => records::run(args),
        Command::Search(args) => search::run(args),
        Command::Exhaust(args) => exhaust::run(args),
        Command::Grow(args) => grow::run(args),
        Command::Status(args) => status::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Workunit(args) => workunit::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Match(Match::Barbu(args)) => barbu::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Match(Match::Uno(args)) => uno::run(args),
        Command::Match(Match::Bs(args)) => bs::run(args),
    }
}
