//! `camicia match bs`.

use std::path::Path;

use anyhow::Context;

use super::options::MatchOptions;
use super::run::{MatchPlan, run as play};
use crate::cli::term::fault::{Fault, Outcome};
use crate::referee::{BUILTINS, Bot, Bs, CardGame, JavaError, JavaPlayers, Program, Seating};

/// The time for an action; the text names none.
const SECONDS: f64 = 3.0;
/// How a player class is named.
const JAVA: &str = "java:";

/// Options of `camicia match bs`.
#[derive(clap::Args, Debug)]
pub struct BsArgs {
    /// A bot: a command line, or java:FILE for a player class, or builtin:random, builtin:honest,
    /// builtin:doubter, builtin:counter, each with a name before it if you like (NAME=COMMAND). Four
    /// or more; four are drawn for each game.
    #[arg(long = "bot", required = true, value_name = "BOT")]
    bots: Vec<String>,

    /// How many games are played.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    games: u64,

    /// After so many rounds, in each of which every bot lays once, a game ends without a winner.
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    rounds: u64,

    #[command(flatten)]
    options: MatchOptions,
}

/// Plays it.
pub fn run(args: &BsArgs) -> Outcome {
    let game = Bs::new(args.rounds);
    // Kept until the match is over: its folder holds the compiled players.
    let mut java = None;
    let bots = args
        .bots
        .iter()
        .map(|text| bot(game.name(), text, &mut java))
        .collect::<Result<Vec<Bot>, Fault>>()?;
    play(MatchPlan {
        game: &game,
        bots,
        seating: Seating::Draw,
        games: args.games,
        rules: vec![format!("--rounds {}", args.rounds)],
        timeout: SECONDS,
        options: &args.options,
    })
}

/// Reads the name of a bot; a player class is compiled at once.
fn bot(game: &str, text: &str, java: &mut Option<JavaPlayers>) -> Result<Bot, Fault> {
    let (given, rest) = Bot::split_name(text);
    let Some(path) = rest.trim().strip_prefix(JAVA) else {
        return Bot::parse(BUILTINS, game, text).map_err(Fault::usage);
    };
    if java.is_none() {
        let made = JavaPlayers::new().context("cannot make a temporary folder");
        *java = Some(made.map_err(|error| Fault {
            exit: crate::cli::term::exit::Exit::Io,
            error,
        })?);
    }
    let players = java.as_mut().expect("made above");
    let command = players.compile(path).map_err(|error| match error {
        JavaError::Io { .. } => Fault {
            exit: crate::cli::term::exit::Exit::Io,
            error: error.into(),
        },
        error => Fault::usage(error),
    })?;
    // A class's name without what a bot's name cannot have.
    let stem = Path::new(path).file_stem().unwrap_or_default();
    let stem = stem.to_string_lossy().replace('$', "_");
    let name = given.map_or(stem, str::to_owned);
    Ok(Bot {
        name,
        text: text.to_owned(),
        program: Program::Command(command),
    })
}
