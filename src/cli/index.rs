//! `camicia index` and `camicia deal`: a deal's index, and the deal of an index.

use clap::Args;
use serde_json::json;

use super::exit::Exit;
use super::fault::{Fault, Outcome};
use super::input::DealArgs;
use super::output;
use crate::cards::{Deck, Notation, Order};

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
        anstream::println!("{index}");
        anstream::eprintln!("of {deals} deals of the deck {deck} in the order {order}");
    }
    Ok(Exit::Done)
}

/// Print the deal that has an index
#[derive(Args, Debug)]
pub struct AtArgs {
    /// The index, from 0
    index: u128,

    /// The deck: standard, italian, half, or counts such as plain=28,1=4,2=4,3=4
    #[arg(long, value_name = "DECK", default_value = "standard")]
    deck: Deck,

    /// The order of the kinds of cards: akqj- (A < K < Q < J < plain) or -123 (plain < 1 < 2 < 3)
    /// [default: -123 where digits say what a card pays, else akqj-]
    #[arg(long, allow_hyphen_values = true)]
    order: Option<Order>,

    /// How to write the deal: skeleton, digits, cards, two-lines, alternating or json
    #[arg(long)]
    notation: Option<Notation>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run_deal(args: &AtArgs) -> Outcome {
    let order = args.order.unwrap_or_else(|| Order::usual(&args.deck));
    let deal = args.deck.deal_at(args.index, order).map_err(Fault::usage)?;
    let usual = if args.deck.digits() {
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
            "index": args.index.to_string(),
            "deck": args.deck.to_string(),
            "order": order.to_string(),
        }))?;
    } else {
        anstream::println!("{text}");
    }
    Ok(Exit::Done)
}
