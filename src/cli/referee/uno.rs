//! `camicia match uno`.

use super::options::{MatchOptions, SeatingOptions};
use super::run::{MatchPlan, run as play};
use crate::cli::term::fault::{Fault, Outcome};
use crate::referee::{BUILTINS, Bot, CardGame, Uno};

/// The time for an action that the text of the game names.
const SECONDS: f64 = 3.0;

/// Options of `camicia match uno`.
#[derive(clap::Args, Debug)]
pub struct UnoArgs {
    /// A bot: a command line, or builtin:random, builtin:greedy, builtin:counter, each with a name
    /// before it if you like (NAME=COMMAND). Two to four.
    #[arg(long = "bot", required = true, value_name = "BOT")]
    bots: Vec<String>,

    /// How many games are played; whole deals are, so with --rotate and --permute it may become a few
    /// more.
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

    #[command(flatten)]
    seating: SeatingOptions,

    #[command(flatten)]
    options: MatchOptions,
}

/// Plays it.
pub fn run(args: &UnoArgs) -> Outcome {
    let game = Uno::new(usize::from(args.decks), usize::from(args.hand), args.turns);
    let bots = Bot::parse_all(BUILTINS, game.name(), &args.bots).map_err(Fault::usage)?;
    play(MatchPlan {
        game: &game,
        bots,
        seating: args.seating.seating(),
        games: args.games,
        rules: vec![
            format!("--decks {}", args.decks),
            format!("--hand {}", args.hand),
            format!("--turns {}", args.turns),
        ],
        timeout: SECONDS,
        options: &args.options,
    })
}
