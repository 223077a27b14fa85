//! `camicia match`: matches between programs.

mod barbu;
mod bs;
mod check;
mod file;
mod options;
mod replay;
mod report;
mod run;
mod show;
mod uno;

use anyhow::anyhow;
use clap::{Args, Subcommand};

use super::term::fault::{Fault, Outcome};

/// Play programs against each other over their standard input and output
///
/// With a game, the options say what is played; with a file, the file does.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct MatchArgs {
    #[command(subcommand)]
    command: Option<Match>,

    #[command(flatten)]
    file: file::FileArgs,
}

/// The commands of the referee.
#[derive(Subcommand, Debug)]
enum Match {
    /// Uno with ordinary cards, 2 to 4 bots, a fresh process each game.
    Uno(Box<uno::UnoArgs>),
    /// BS, the game of lying about cards: four of any number of bots a game, kept from game to game.
    Bs(Box<bs::BsArgs>),
    /// Barbu, 4 bots, eight games, processes that live from game to game.
    Barbu(Box<barbu::BarbuArgs>),
    /// Put one bot through the situations of its game, and say what is wrong and what would be right.
    Check(check::CheckArgs),
    /// Play a game of a results file again, by the rules alone, and show it.
    Replay(replay::ReplayArgs),
    /// Prove every game of a results file by the rules alone.
    Verify(replay::VerifyMatchArgs),
}

/// Runs the command.
pub fn run(args: &MatchArgs) -> Outcome {
    match (&args.command, &args.file.file) {
        (Some(Match::Uno(args)), _) => uno::run(args),
        (Some(Match::Bs(args)), _) => bs::run(args),
        (Some(Match::Barbu(args)), _) => barbu::run(args),
        (Some(Match::Check(args)), _) => check::run(args),
        (Some(Match::Replay(args)), _) => replay::run_replay(args),
        (Some(Match::Verify(args)), _) => replay::run_verify(args),
        (None, Some(path)) => file::run(path, &args.file),
        (None, None) => Err(Fault::usage(anyhow!(
            "name a game (uno, bs, barbu) or a tournament file; `camicia match --help` shows both"
        ))),
    }
}
