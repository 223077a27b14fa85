//! `camicia match uno`.

use super::options::{PlanOptions, RunOptions, SeatingOptions, plan_of_options};
use super::run::run as play;
use crate::cli::term::fault::Outcome;
use crate::referee::{BotEntry, RulesEntry};

/// Options of `camicia match uno`.
#[derive(clap::Args, Debug)]
pub struct UnoArgs {
    /// A bot: a command line, or builtin:random, builtin:greedy, builtin:counter, each with a name
    /// before it if you like (NAME=COMMAND). Two to four, or any number in a tournament.
    #[arg(long = "bot", required = true, value_name = "BOT")]
    bots: Vec<String>,

    /// How many games are played; whole deals are, so with --rotate, --permute and --pairings it may
    /// become a few more.
    #[arg(long, default_value_t = 100, value_name = "N")]
    games: u64,

    /// Decks of 54 cards.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    decks: u8,

    /// Cards dealt to each bot.
    #[arg(long, default_value_t = 7, value_name = "N")]
    hand: u8,

    /// After so many turns a game ends as if the pile were empty.
    #[arg(long, default_value_t = 2000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    turns: u64,

    /// Ends the match of two bots as soon as a sequential test says whether the first is stronger by
    /// elo1 points rather than by elo0, as in elo0=0,elo1=20,alpha=0.05,beta=0.05.
    #[arg(long, value_name = "TEST")]
    sprt: Option<String>,

    #[command(flatten)]
    seating: SeatingOptions,

    #[command(flatten)]
    plan: PlanOptions,

    #[command(flatten)]
    options: RunOptions,
}

/// Plays it.
pub fn run(args: &UnoArgs) -> Outcome {
    let mut file = args.plan.file("uno");
    file.bot = args
        .bots
        .iter()
        .map(|text| BotEntry::from_text(text))
        .collect();
    file.games = Some(args.games);
    file.seating = args.seating.seating();
    file.sprt.clone_from(&args.sprt);
    file.rules = RulesEntry {
        decks: Some(args.decks.into()),
        hand: Some(args.hand.into()),
        turns: Some(args.turns),
        ..RulesEntry::default()
    };
    play(&plan_of_options(&file)?, &args.options)
}
