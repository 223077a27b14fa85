//! `camicia cycle`: the cycle an infinite game enters, and the deals that enter it.

use std::cmp::Reverse;
use std::io::Write;

use anyhow::anyhow;
use clap::Args;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::input::{DealArgs, hand_sizes};
use crate::cards::{Card, Deal, Deck, Player};
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome as Done};
use crate::cli::term::output::{self, STRONG};
use crate::game::closure::{DEFAULT_BOUND, Tree, close};
use crate::game::cycle::{Cycle, Orbits};
use crate::game::exact::{self, Game};
use crate::game::packed::{Kinds, MAX_CARDS, State, with_state};
use crate::game::{Outcome, Span, Verdict};
use crate::search::finds::known;

/// Show the cycle that an infinite game goes round: its states, its piles, the deals that enter it
///
/// A cycle is named by its least state, the leader's hand first. The states are shown as this deal
/// meets them, from the one that comes back first.
#[derive(Args, Debug)]
pub struct CycleArgs {
    #[command(flatten)]
    deal: DealArgs,

    /// Write every deal of every known cycle of a deck instead, with its index, a line of JSON each
    /// [default deck: standard]
    #[arg(
        long,
        value_name = "DECK",
        num_args = 0..=1,
        default_missing_value = "standard",
        exclusive = true
    )]
    all: Option<Deck>,

    /// The hand sizes of the deals that enter it [default: as equal as can be]
    #[arg(long, value_name = "A/B", value_parser = hand_sizes)]
    hands: Option<[usize; 2]>,

    /// Look at no more states than this for deals that enter it
    #[arg(long, value_name = "STATES", default_value_t = DEFAULT_BOUND)]
    bound: u64,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One trick of the cycle.
struct Turn {
    leader: Player,
    hands: [String; 2],
    sizes: [usize; 2],
    pile: String,
    winner: Player,
}

pub fn run(args: &CycleArgs) -> Done {
    if let Some(deck) = &args.all {
        return all(deck);
    }
    let deal = args.deal.read()?;
    let notation = args.deal.notation();
    let text = |deal: &Deal| notation.write(deal).expect("a form for every deal");
    let symbol = |card: Card| {
        if args.deal.digits() {
            card.digit()
        } else {
            card.skeleton()
        }
    };
    let verdict = exact::play(&deal);
    let Outcome::Loop { lead_in, period } = verdict.outcome else {
        return Err(Fault::usage(anyhow!(
            "the game of this deal ends after {}: it enters no cycle",
            output::spoken(verdict.played)
        )));
    };
    let hands = args.deal.hands(&deal, args.hands)?;
    let turns = turns(&deal, lead_in, period, &symbol);
    let imbalance = turns
        .iter()
        .map(|turn| turn.sizes[0].abs_diff(turn.sizes[1]));
    let imbalance = imbalance.min().expect("a period has tricks");
    // Backward play and names are there for packed states alone.
    let packed = if deal.len() <= MAX_CARDS {
        let tree = close(&deal, &verdict, hands, args.bound).map_err(Fault::usage)?;
        let skeleton = with_state!(&deal, start => skeleton(start, lead_in));
        let skeleton = skeleton.expect("at most 63 cards");
        Some((text(&skeleton.name), skeleton, tree))
    } else {
        None
    };
    if args.json {
        let mut value = json!({
            "deal": text(&deal),
            "lead_in": output::span(lead_in),
            "period": output::span(period),
            "imbalance": imbalance,
            "tricks": turns.iter().map(turn_json).collect::<Value>(),
        });
        if let Some((name, skeleton, tree)) = &packed {
            value["cycle"] = json!(name);
            value["states"] = json!(skeleton.states);
            value["orbits"] = skeleton
                .orbits
                .iter()
                .map(|(card, size)| json!({ "card": symbol(*card), "size": size }))
                .collect();
            value["ancestors"] = output::number(tree.walk.states);
            value["depth"] = output::number(tree.walk.depth);
            value["complete"] = json!(tree.walk.complete);
            value["hands"] = json!(hands);
            value["deals"] = tree
                .deals
                .iter()
                .map(|(deal, verdict)| {
                    json!({ "deal": text(deal), "lead_in": output::span(lead_in_of(verdict)) })
                })
                .collect();
        }
        output::json_line(&value)?;
        return Ok(Exit::Done);
    }
    output::print(|out| {
        if let Some((name, ..)) = &packed {
            writeln!(out, "{STRONG}cycle{STRONG:#} {name}")?;
        }
        writeln!(
            out,
            "period {}; hands differ by {imbalance} cards at least",
            output::spoken(period)
        )?;
        if let Some((_, skeleton, _)) = &packed {
            let states = skeleton.states;
            if states < turns.len() {
                writeln!(
                    out,
                    "{states} state{}, leader first: then the players have changed places",
                    if states == 1 { "" } else { "s" }
                )?;
            }
            writeln!(
                out,
                "cards that take each other's places: {}",
                skeleton.spoken_orbits(&symbol)
            )?;
        }
        writeln!(
            out,
            "entered by this deal after {}",
            output::spoken(lead_in)
        )?;
        let mut table = output::table(vec![
            "trick", "leads", "A", "B", "pile", "wins", "hand A", "hand B",
        ]);
        for (at, turn) in turns.iter().enumerate() {
            table.add_row([
                (at + 1).to_string(),
                turn.leader.to_string(),
                turn.sizes[0].to_string(),
                turn.sizes[1].to_string(),
                turn.pile.clone(),
                turn.winner.to_string(),
                turn.hands[0].clone(),
                turn.hands[1].clone(),
            ]);
        }
        output::right(&mut table, &[0, 2, 3]);
        output::print_table(out, &table)?;
        match &packed {
            Some((_, _, tree)) => print_entries(out, tree, hands, &text)?,
            None => writeln!(
                out,
                "which deals enter it is not looked for: backward play serves at most {MAX_CARDS} cards"
            )?,
        }
        Ok(())
    })?;
    Ok(Exit::Done)
}

/// Writes every deal of every known cycle of a deck.
fn all(deck: &Deck) -> Done {
    let names: Vec<String> = known::cycles(deck).into_iter().collect();
    if names.is_empty() {
        return Err(Fault::usage(anyhow!(
            "no cycle of the deck {deck} is known: known are those of standard, italian and half"
        )));
    }
    let cycles: Vec<String> = names
        .par_iter()
        .map(|name| {
            let deals = known::deals_of(deck, name).expect("a known cycle is one");
            deals.iter().map(|find| find.to_line() + "\n").collect()
        })
        .collect();
    output::print(|out| {
        for lines in &cycles {
            out.write_all(lines.as_bytes())?;
        }
        Ok(())
    })?;
    Ok(Exit::Done)
}

/// What is known of the cycle of packed states, leader first.
struct Skeleton {
    /// The least state.
    name: Deal,
    /// How many states there are.
    states: usize,
    /// Each orbit's kind of card and number of cards: plain first, large first.
    orbits: Vec<(Card, u32)>,
}

fn skeleton<K: Kinds>(start: State<K>, lead_in: Span) -> Skeleton {
    let cycle = Cycle::after(start, lead_in.tricks);
    let name = cycle.name().deal();
    let orbits = Orbits::of(&cycle);
    let mut kinds = vec![None; orbits.sizes().len()];
    for (at, card) in name.cards().enumerate() {
        kinds[orbits.of_card(0, at)] = Some(card);
    }
    let kinds = kinds
        .into_iter()
        .map(|card| card.expect("no orbit is empty"));
    let mut orbits: Vec<(Card, u32)> = kinds.zip(orbits.sizes().iter().copied()).collect();
    orbits.sort_by_key(|&(card, size)| (card.pays(), Reverse(size)));
    Skeleton {
        name,
        states: cycle.states() as usize,
        orbits,
    }
}

impl Skeleton {
    /// For example `- 25 3 1x8, J 1x4`.
    fn spoken_orbits(&self, symbol: &dyn Fn(Card) -> char) -> String {
        let kinds = self.orbits.chunk_by(|a, b| a.0.pays() == b.0.pays());
        let kinds = kinds.map(|kind| {
            let sizes = kind.chunk_by(|a, b| a.1 == b.1).map(|alike| {
                let size = alike[0].1;
                match alike.len() {
                    1 => size.to_string(),
                    n => format!("{size}x{n}"),
                }
            });
            let sizes: Vec<String> = sizes.collect();
            format!("{} {}", symbol(kind[0].0), sizes.join(" "))
        });
        kinds.collect::<Vec<String>>().join(", ")
    }
}

fn lead_in_of(verdict: &Verdict) -> Span {
    match verdict.outcome {
        Outcome::Loop { lead_in, .. } => lead_in,
        Outcome::Finished { .. } => unreachable!("a deal of a cycle's tree is infinite"),
    }
}

/// One round of the cycle, as the deal goes round it.
fn turns(deal: &Deal, lead_in: Span, period: Span, symbol: &dyn Fn(Card) -> char) -> Vec<Turn> {
    let cards: Vec<char> = deal.cards().map(symbol).collect();
    let mut game = Game::new(deal);
    for _ in 0..lead_in.tricks {
        game.trick();
    }
    let mut turns = Vec::new();
    for _ in 0..period.tricks {
        let hands = [Player::A, Player::B];
        let mut turn = Turn {
            leader: game.turn(),
            hands: hands.map(|player| game.hand(player).map(|card| cards[card]).collect()),
            sizes: hands.map(|player| game.hand(player).len()),
            pile: String::new(),
            winner: Player::A,
        };
        loop {
            match game.step().expect("an infinite game goes on") {
                exact::Event::Laid { card, .. } => turn.pile.push(cards[card]),
                exact::Event::Collected { player } => {
                    turn.winner = player;
                    break;
                }
            }
        }
        turns.push(turn);
    }
    turns
}

fn turn_json(turn: &Turn) -> Value {
    json!({
        "leader": turn.leader,
        "a": turn.hands[0],
        "b": turn.hands[1],
        "sizes": turn.sizes,
        "pile": turn.pile,
        "winner": turn.winner,
    })
}

fn print_entries(
    out: &mut impl Write,
    tree: &Tree,
    hands: [usize; 2],
    text: &dyn Fn(&Deal) -> String,
) -> std::io::Result<()> {
    writeln!(
        out,
        "{} states lead into it, {} of them deals of {} and {} cards{}",
        tree.walk.states,
        tree.deals.len(),
        hands[0],
        hands[1],
        if tree.walk.complete {
            ""
        } else {
            ", so far: the bound of --bound was hit"
        }
    )?;
    if tree.deals.is_empty() {
        return Ok(());
    }
    let mut table = output::table(vec!["lead-in", "deal"]);
    for (deal, verdict) in &tree.deals {
        let lead_in = lead_in_of(verdict);
        table.add_row([format!("{}/{}", lead_in.cards, lead_in.tricks), text(deal)]);
    }
    output::right(&mut table, &[0]);
    output::print_table(out, &table)?;
    Ok(())
}
