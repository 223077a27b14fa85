//! `camicia match bs`.

use super::options::{PlanOptions, RunOptions, SeatingOptions, plan_of_options};
use super::run::run as play;
use crate::cli::term::fault::Outcome;
use crate::referee::{BotEntry, RulesEntry};

/// Options of `camicia match bs`.
#[derive(clap::Args, Debug)]
pub struct BsArgs {
    /// A bot: a command line, or java:FILE for a player class, or builtin:random, builtin:honest,
    /// builtin:doubter, builtin:counter, each with a name before it if you like (NAME=COMMAND). Four
    /// or more; four are drawn for each game, unless --pairings says who meets.
    #[arg(long = "bot", required = true, value_name = "BOT")]
    bots: Vec<String>,

    /// How many games are played; in a tournament it may become a few more.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    games: u64,

    /// After so many rounds, in each of which every bot lays once, a game ends without a winner.
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    rounds: u64,

    #[command(flatten)]
    seating: SeatingOptions,

    #[command(flatten)]
    plan: PlanOptions,

    #[command(flatten)]
    options: RunOptions,
}

/// Plays it.
pub fn run(args: &BsArgs) -> Outcome {
    let mut file = args.plan.file("bs");
    file.bot = args
        .bots
        .iter()
        .map(|text| BotEntry::from_text(text))
        .collect();
    file.games = Some(args.games);
    file.seating = args.seating.seating();
    file.rules = RulesEntry {
        rounds: Some(args.rounds),
        ..RulesEntry::default()
    };
    play(&plan_of_options(&file)?, &args.options)
}
