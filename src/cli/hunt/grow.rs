//! `camicia grow`: infinite games grown from infinite games.

use std::path::Path;

use anyhow::anyhow;
use clap::Args;

use super::flags::RunFlags;
use super::run::{checked, run_plan};
use crate::cli::term::fault::{Fault, Outcome};
use crate::search::finds::results;
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
    for text in &args.from {
        let path = Path::new(text);
        if path.is_file() {
            from.extend(deals(path)?);
        } else {
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

/// The deals of a file: of every loop, if it holds results, or one a line.
fn deals(path: &Path) -> Result<Vec<String>, Fault> {
    let text = std::fs::read_to_string(path).map_err(|error| Fault::usage(error).at(path))?;
    if !text.trim_start().starts_with('{') {
        let lines = text.lines().map(str::trim);
        let deals = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        return Ok(deals.map(str::to_owned).collect());
    }
    let mut deals = Vec::new();
    for (line, find) in results::read(&text).finds {
        let find = find
            .map_err(|error| Fault::usage(anyhow!("line {line}: {error}")))
            .map_err(|fault| fault.at(path))?;
        if find.is_loop() {
            deals.push(find.deal.to_string());
        }
    }
    if deals.is_empty() {
        return Err(Fault::usage(anyhow!("no infinite deal is in it to grow from")).at(path));
    }
    Ok(deals)
}
