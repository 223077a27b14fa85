//! `camicia close`: the tree of a deal, played backward.

use std::io::Write;

use clap::Args;
use serde_json::{Value, json};

use super::input::{DealArgs, balanced, hand_sizes};
use super::play::print_verdict;
use crate::cards::Deal;
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::output::{self, STRONG};
use crate::game::closure::{DEFAULT_BOUND, close};
use crate::game::{Verdict, exact};

/// Play a deal backward: its tree, and the longest deal that leads into the same game
///
/// The tree of a game is every state that leads into it; the deals among them are as long or
/// longer, or enter the same cycle. The top is the deal from which the most cards are played.
#[derive(Args, Debug)]
pub struct CloseArgs {
    #[command(flatten)]
    deal: DealArgs,

    /// List every deal of the tree; for a loop, every deal that enters its cycle
    #[arg(long)]
    all: bool,

    /// The hand sizes of the deals looked for [default: as equal as can be]
    #[arg(long, value_name = "A/B", value_parser = hand_sizes)]
    hands: Option<[usize; 2]>,

    /// Look at no more states than this
    #[arg(long, value_name = "STATES", default_value_t = DEFAULT_BOUND)]
    bound: u64,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &CloseArgs) -> Outcome {
    let deal = args.deal.read()?;
    let hands = args.deal.hands(&deal, args.hands)?;
    let verdict = exact::play(&deal);
    let tree = close(&deal, &verdict, hands, args.bound).map_err(Fault::usage)?;
    let notation = args.deal.notation();
    let text = |deal: &Deal| notation.write(deal).expect("a form for every deal");
    if args.json {
        let entry = |(deal, verdict): &(Deal, Verdict)| {
            let mut value = output::verdict(verdict);
            value["deal"] = json!(text(deal));
            value
        };
        let mut value = json!({
            "deal": text(&deal),
            "verdict": output::verdict(&verdict),
            "states": output::number(tree.walk.states),
            "depth": output::number(tree.walk.depth),
            "complete": tree.walk.complete,
            "hands": hands,
            "deals": tree.deals.len(),
            "top": tree.top().map(entry),
        });
        if args.all {
            value["all"] = tree.deals.iter().map(entry).collect::<Value>();
        }
        output::json_line(&value)?;
        return Ok(Exit::Done);
    }
    output::print(|out| {
        print_verdict(out, &verdict)?;
        let kind = if hands == balanced(&deal) {
            "balanced deals"
        } else {
            "deals of these hand sizes"
        };
        writeln!(
            out,
            "tree of {} states, at most {} tricks deep, with {} {kind}{}",
            tree.walk.states,
            tree.walk.depth,
            tree.deals.len(),
            if tree.walk.complete {
                ""
            } else {
                " so far: the bound of --bound was hit"
            },
        )?;
        if let Some((top, verdict)) = tree.top() {
            let played = output::spoken(verdict.played);
            writeln!(out, "{STRONG}top{STRONG:#} {} ({played})", text(top))?;
        }
        if args.all {
            for (deal, verdict) in &tree.deals {
                writeln!(
                    out,
                    "{:>6} {:>5}  {}",
                    verdict.played.cards,
                    verdict.played.tricks,
                    text(deal)
                )?;
            }
        }
        Ok(())
    })?;
    Ok(Exit::Done)
}
