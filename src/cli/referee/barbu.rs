//! `camicia match barbu`.

use anyhow::anyhow;

use super::options::{PlanOptions, RunOptions, SeatingOptions, plan_of_options};
use super::run::run as play;
use crate::cli::term::fault::{Fault, Outcome};
use crate::referee::{BotEntry, RulesEntry};

/// Options of `camicia match barbu`.
#[derive(clap::Args, Debug)]
pub struct BarbuArgs {
    /// A bot: a command line, or builtin:random, builtin:careful, each with a name before it if you
    /// like (NAME=COMMAND). Four times, in the order of the seats; any number in a tournament.
    #[arg(long = "bot", value_name = "BOT", conflicts_with_all = ["player1", "player2", "player3", "player4"])]
    bots: Vec<String>,

    /// The first bot, as with --bot; --player1 to --player4 name all four.
    #[arg(long, value_name = "BOT")]
    player1: Option<String>,

    /// The second bot.
    #[arg(long, value_name = "BOT")]
    player2: Option<String>,

    /// The third bot.
    #[arg(long, value_name = "BOT")]
    player3: Option<String>,

    /// The fourth bot.
    #[arg(long, value_name = "BOT")]
    player4: Option<String>,

    /// The games played on each deal, one or several, with commas or the option again: nullo, queens,
    /// barbu, hearts, lasttwo, ravage, trumps, dominoes, or all. All unless named; by the ai protocol
    /// all but dominoes.
    #[arg(long = "game", value_name = "GAME", value_delimiter = ',')]
    games: Vec<String>,

    /// How many deals are played; in a tournament, by each table.
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    n: u64,

    /// The protocol that the bots speak.
    #[arg(long, value_enum, default_value_t, value_name = "PROTOCOL")]
    protocol: Spoken,

    /// Lets a bot play another suit than the one it could follow.
    #[arg(long)]
    lenient: bool,

    #[command(flatten)]
    seating: SeatingOptions,

    #[command(flatten)]
    plan: PlanOptions,

    #[command(flatten)]
    options: RunOptions,
}

/// The protocols by name.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Spoken {
    /// With doubling, and every card told as it is played.
    #[default]
    New,
    /// One line before and one after the own card; no doubling.
    Ai,
}

/// Plays it.
pub fn run(args: &BarbuArgs) -> Outcome {
    let protocol = match args.protocol {
        Spoken::New => "new",
        Spoken::Ai => "ai",
    };
    let bots = bots(args).map_err(Fault::usage)?;
    let mut file = args.plan.file("barbu");
    file.bot = bots.iter().map(|text| BotEntry::from_text(text)).collect();
    file.deals = Some(args.n);
    file.seating = args.seating.seating();
    file.rules = RulesEntry {
        game: (!args.games.is_empty()).then(|| args.games.clone()),
        protocol: Some(protocol.to_owned()),
        lenient: Some(args.lenient),
        ..RulesEntry::default()
    };
    play(&plan_of_options(&file)?, &args.options)
}

/// The four bots, named either way.
fn bots(args: &BarbuArgs) -> anyhow::Result<Vec<String>> {
    let players = [&args.player1, &args.player2, &args.player3, &args.player4];
    if args.bots.is_empty() {
        let named: Vec<String> = players.into_iter().flatten().cloned().collect();
        if named.len() == players.len() {
            return Ok(named);
        }
        let missing = players.iter().position(|player| player.is_none());
        let option = missing.map_or(1, |index| index + 1);
        return Err(anyhow!(
            "--player{option} is missing; Barbu needs four bots: --player1 to --player4, or --bot four times"
        ));
    }
    Ok(args.bots.clone())
}
