//! `camicia index` and `camicia deal`: a deal's index, and the deal of an index or an address.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use serde_json::json;

use super::input::DealArgs;
use crate::cards::{Deck, Notation, Order};
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::{input, output};
use crate::deals::random_deal;
use crate::game::lanes::Kernel;
use crate::search::methods::Plan;
use crate::search::plan::{Count, Keys};

/// Print the index of a deal among all deals of its deck
#[derive(Args, Debug)]
pub struct IndexArgs {
    #[command(flatten)]
    deal: DealArgs,

    /// The order of the kinds of cards: akqj- (A < K < Q < J < plain) or -123 (plain < 1 < 2 < 3)
    /// [default: -123 where digits say what a card pays, else akqj-]
    #[arg(long, allow_hyphen_values = true)]
    order: Option<Order>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run_index(args: &IndexArgs) -> Outcome {
    let deal = args.deal.read()?;
    let deck = args.deal.deck_of(&deal);
    let order = args.order.unwrap_or_else(|| Order::usual(&deck));
    let index = deck.index_of(&deal, order).map_err(Fault::usage)?;
    let deals = deck.deals().unwrap_or_default();
    if args.json {
        output::json_line(&json!({
            "index": index.to_string(),
            "deals": deals.to_string(),
            "deck": deck.to_string(),
            "order": order.to_string(),
        }))?;
    } else {
        output::line(index)?;
        output::notice(format_args!(
            "of {deals} deals of the deck {deck} in the order {order}"
        ));
    }
    Ok(Exit::Done)
}

/// Print the deal that has an index, or the random deal at an address
///
/// Finds of a search say in which block and at which place in it they were found. With the plan of
/// the search, this gives the deal that was played there (before it was closed backward); without a
/// plan, --seed, --block and --offset mean a random deal.
#[derive(Args, Debug)]
pub struct AtArgs {
    /// The index, from 0
    #[arg(required_unless_present = "block")]
    index: Option<u128>,

    /// The seed of a random deal [default: the plan's, or 1]
    #[arg(long, value_name = "N", requires = "block")]
    seed: Option<u64>,

    /// The block, as a find says it
    #[arg(long, value_name = "N", requires = "offset", conflicts_with_all = ["index", "order"])]
    block: Option<u64>,

    /// The place in the block, as a find says it
    #[arg(long, value_name = "N", requires = "block")]
    offset: Option<u64>,

    /// The plan of the search whose game is meant; without one, a random deal of --deck and --seed
    #[arg(long, value_name = "FILE", requires = "block")]
    plan: Option<PathBuf>,

    /// The deck: standard, italian, half, or counts such as plain=28,1=4,2=4,3=4
    /// [default: the plan's, or standard]
    #[arg(long, value_name = "DECK")]
    deck: Option<Deck>,

    /// The order of the kinds of cards: akqj- (A < K < Q < J < plain) or -123 (plain < 1 < 2 < 3)
    /// [default: -123 where digits say what a card pays, else akqj-]
    #[arg(long, allow_hyphen_values = true)]
    order: Option<Order>,

    /// How to write the deal: skeleton, digits, cards, two-lines, alternating, halves or json
    #[arg(long)]
    notation: Option<Notation>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run_deal(args: &AtArgs) -> Outcome {
    let plan = match &args.plan {
        Some(path) => {
            let text = input::text(path, input::PLAN_BYTES)?;
            let given = Keys {
                deck: args.deck.as_ref().map(Deck::to_string),
                seed: args.seed.map(Count),
                ..Keys::default()
            };
            // Settled: what is closed backward decides where a climb goes on from.
            let plan = Keys::read(&text).and_then(|keys| Plan::settled(&given.over(keys)));
            Some(plan.map_err(|error| Fault::usage(error).at(path))?)
        }
        None => None,
    };
    let given = args.deck.clone();
    let deck = given
        .or_else(|| plan.as_ref().map(|plan| plan.common.deck.clone()))
        .unwrap_or_else(Deck::standard);
    let order = args.order.unwrap_or_else(|| Order::usual(&deck));
    let (deal, index) = match (args.index, args.block, args.offset) {
        (Some(index), ..) => {
            let deal = deck.deal_at(index, order).map_err(Fault::usage)?;
            (deal, Some(index))
        }
        (None, Some(block), Some(offset)) => {
            let deal = match &plan {
                Some(plan) => {
                    let method = plan.method(Kernel::best());
                    let deal = method.deal_at(block, offset);
                    deal.map_err(|error| Fault::usage(anyhow!(error)))?
                }
                None => {
                    let seed = args.seed.unwrap_or(1);
                    random_deal(&deck, seed, block, offset).map_err(Fault::usage)?
                }
            };
            let index = deck.index_of(&deal, order).ok();
            (deal, index)
        }
        _ => unreachable!("one of the two is required"),
    };
    let usual = if deck.digits() {
        Notation::Digits
    } else {
        Notation::Skeleton
    };
    let text = args
        .notation
        .unwrap_or(usual)
        .write(&deal)
        .map_err(Fault::usage)?;
    if args.json {
        output::json_line(&json!({
            "deal": text,
            "index": index.map(|index| index.to_string()),
            "deck": deck.to_string(),
            "order": order.to_string(),
        }))?;
    } else {
        output::line(text)?;
    }
    Ok(Exit::Done)
}
