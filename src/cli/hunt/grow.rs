//! `camicia grow`: infinite games grown from infinite games.

use std::path::Path;

use anyhow::anyhow;
use clap::Args;

use super::flags::RunFlags;
use super::run::{checked, run_plan};
use crate::cards::{Deck, Reader};
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::input;
use crate::search::finds::results;
use crate::search::methods::grow::seed_cycle;
use crate::search::plan::{Count, Keys};

/// Grow infinite games: change the cycles of known ones card by card, keep what goes on for ever
///
/// Begins with small random states, or with the infinite deals given. The same flags go on where
/// they stopped; a plan with how = "grow" does the same for `camicia search`.
#[derive(Args, Debug)]
pub struct GrowArgs {
    /// The deck: standard, italian, half, or counts such as plain=28,1=4,2=4,3=4
    #[arg(long, default_value = "standard")]
    deck: String,
    /// An infinite deal to grow from, or a file of them: one a line, or results; may be repeated
    #[arg(
        long,
        value_name = "FILE_OR_DEAL",
        allow_hyphen_values = true,
        num_args = 1
    )]
    from: Vec<String>,
    /// The seed of everything drawn
    #[arg(long, value_name = "N")]
    seed: Option<Count>,
    /// How many changed states are tested [default: until stopped]
    #[arg(long, value_name = "N")]
    tests: Option<Count>,
    /// Also exchange any two cards in every state of every cycle that is found; `--flood false` leaves
    /// that out
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    flood: bool,
    /// How many cycles that deals enter are kept, each with all its deals
    #[arg(long, value_name = "N")]
    keep_cycles: Option<Count>,
    /// Seconds between two checkpoints
    #[arg(long, value_name = "SECONDS")]
    checkpoint_every: Option<f64>,

    #[command(flatten)]
    run: RunFlags,
}

/// Runs `camicia grow`.
pub fn run(args: &GrowArgs) -> Outcome {
    let mut from = Vec::new();
    let digits = args.deck.parse().is_ok_and(|deck: Deck| deck.digits());
    for text in &args.from {
        let path = Path::new(text);
        // A file, or a pipe such as a shell makes of <(...).
        if path.exists() && !path.is_dir() {
            from.extend(deals(path, digits)?);
        } else {
            check(text, digits).map_err(|error| {
                Fault::usage(anyhow!(
                    "--from {text}: it is neither a file that is there nor a deal to grow from \
                     ({error})"
                ))
            })?;
            from.push(text.clone());
        }
    }
    let plan = checked(&Keys {
        how: Some("grow".to_owned()),
        deck: Some(args.deck.clone()),
        seed: args.seed,
        tests: args.tests,
        flood: args.flood.then_some(true),
        from: (!from.is_empty()).then_some(from),
        keep_cycles: args.keep_cycles,
        checkpoint_every: args.checkpoint_every,
        ..Keys::default()
    })?;
    let name = format!("grow-{}", plan.fingerprint());
    run_plan(&plan, &name, true, &args.run)
}

/// Whether cycles can be grown from a deal; what is wrong, if not.
fn check(text: &str, digits: bool) -> Result<(), String> {
    let letters = Reader::default().deal(text);
    let deal = letters.or_else(|error| {
        let reader = Reader {
            digits,
            ..Reader::default()
        };
        if digits {
            reader.deal(text)
        } else {
            Err(error)
        }
    });
    let deal = deal.map_err(|error| error.to_string())?;
    seed_cycle(&deal).map_err(|error| error.to_string())?;
    Ok(())
}

/// The most bytes of a file of deals.
const RESULTS_BYTES: u64 = 1 << 30;

/// The deals of a file: of every loop, if it holds results, or one a line.
fn deals(path: &Path, digits: bool) -> Result<Vec<String>, Fault> {
    let text = input::text(path, RESULTS_BYTES)?;
    let at =
        |line: usize| move |error: String| Fault::usage(anyhow!("line {line}: {error}")).at(path);
    let mut deals = Vec::new();
    if text.trim_start().starts_with('{') {
        for (line, find) in results::read(&text).finds {
            let find = find.map_err(|error| at(line)(error.to_string()))?;
            if find.is_loop() {
                deals.push(find.deal.to_string());
            }
        }
    } else {
        for (line, deal) in (1..).zip(text.lines().map(str::trim)) {
            if deal.is_empty() || deal.starts_with('#') {
                continue;
            }
            check(deal, digits).map_err(at(line))?;
            deals.push(deal.to_owned());
        }
    }
    if deals.is_empty() {
        return Err(Fault::usage(anyhow!("no infinite deal is in it to grow from")).at(path));
    }
    Ok(deals)
}
