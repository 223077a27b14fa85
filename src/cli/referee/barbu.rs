//! `camicia match barbu`.

use anyhow::anyhow;

use super::options::{MatchOptions, SeatingOptions};
use super::run::{MatchPlan, run as play};
use crate::cli::term::fault::{Fault, Outcome};
use crate::referee::{BUILTINS, Barbu, Bot, CardGame, Contract, Protocol, Seating};

/// The time for an action; the text of the game names none, so it is that of Uno.
const SECONDS: f64 = 3.0;

/// Options of `camicia match barbu`.
#[derive(clap::Args, Debug)]
pub struct BarbuArgs {
    /// A bot: a command line, or builtin:random, builtin:careful, each with a name before it if you
    /// like (NAME=COMMAND). Four times, in the order of the seats.
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

    /// How many deals are played.
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
    options: MatchOptions,
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
        Spoken::New => Protocol::New,
        Spoken::Ai => Protocol::Ai,
    };
    let contracts = contracts(&args.games, protocol).map_err(Fault::usage)?;
    let bots = bots(args).map_err(Fault::usage)?;
    let names: Vec<&str> = contracts.iter().map(|contract| contract.name()).collect();
    let rules = vec![
        format!("--game {}", names.join(",")),
        match args.protocol {
            Spoken::New => "--protocol new".to_owned(),
            Spoken::Ai => "--protocol ai".to_owned(),
        },
    ];
    let lenient = args.lenient.then(|| "--lenient".to_owned());
    let per_deal = contracts.len() as u64
        * match args.seating.seating() {
            Seating::Rotate => 4,
            Seating::Permute => 24,
            Seating::Fixed | Seating::Draw => 1,
        };
    let game = Barbu::new(contracts, protocol, args.lenient)
        .map_err(|why| Fault::usage(anyhow!("--game: {why}")))?;
    let bots = Bot::parse_all(BUILTINS, game.name(), &bots).map_err(Fault::usage)?;
    play(MatchPlan {
        game: &game,
        bots,
        seating: args.seating.seating(),
        games: args.n * per_deal,
        rules: rules.into_iter().chain(lenient).collect(),
        timeout: SECONDS,
        options: &args.options,
    })
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

/// The games named, in the order of the text, each once.
fn contracts(names: &[String], protocol: Protocol) -> anyhow::Result<Vec<Contract>> {
    let mut chosen = Vec::new();
    for name in names {
        let name = name.trim();
        if name.eq_ignore_ascii_case("all") {
            continue;
        }
        let contract = Contract::parse(name).ok_or_else(|| {
            let known: Vec<&str> = Contract::ALL.iter().map(|game| game.name()).collect();
            anyhow!(
                "--game: there is no game `{name}`; there are {}, and all",
                known.join(", ")
            )
        })?;
        chosen.push(contract);
    }
    let all = names
        .iter()
        .any(|name| name.trim().eq_ignore_ascii_case("all"));
    if all || names.is_empty() {
        let sayable =
            |contract: &Contract| protocol == Protocol::New || *contract != Contract::Dominoes;
        chosen.extend(Contract::ALL.into_iter().filter(sayable));
    }
    chosen.sort();
    chosen.dedup();
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str]) -> anyhow::Result<Vec<Contract>> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        contracts(&names, Protocol::New)
    }

    #[test]
    fn games_are_named_once_several_times_or_not_at_all() {
        assert_eq!(named(&[]).unwrap(), Contract::ALL);
        assert_eq!(named(&["all"]).unwrap(), Contract::ALL);
        assert_eq!(named(&["ravage"]).unwrap(), [Contract::Ravage]);
        assert_eq!(
            named(&["ravage", "NULLO", "ravage"]).unwrap(),
            [Contract::Nullo, Contract::Ravage]
        );
        assert_eq!(named(&["ravage", "All"]).unwrap(), Contract::ALL);
        assert_eq!(contracts(&[], Protocol::Ai).unwrap().len(), 7);
        let error = named(&["ravage", "ravages"]).unwrap_err().to_string();
        assert!(
            error.contains("`ravages`")
                && error.contains(
                    "nullo, queens, barbu, hearts, lasttwo, ravage, trumps, dominoes, and all"
                ),
            "{error}"
        );
        assert!(named(&[""]).is_err());
    }
}
