//! `camicia play`: one deal played to its verdict, with a trace on request.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::input::DealArgs;
use crate::cards::{Card, Deal, Player, Rank};
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::file;
use crate::cli::term::output::{self, DEBT, PAYMENT, STRONG};
use crate::game::exact::{Capped, Event, Game, Sameness, play_until};
use crate::game::{self, Verdict};
use crate::pages::replay::{self, Film, Take};

/// Play a deal to its verdict: finished or loop, cards, tricks
#[derive(Args, Debug)]
pub struct PlayArgs {
    #[command(flatten)]
    deal: DealArgs,

    /// Tell plain cards apart: a loop closes later
    #[arg(long, conflicts_with = "decks_only")]
    distinct: bool,

    /// Call it a loop as soon as both hands are as before, whoever leads (the literal reading of
    /// the exercise; some such games end)
    #[arg(long)]
    decks_only: bool,

    /// Stop after this many tricks without a verdict
    #[arg(long, value_name = "N")]
    max_tricks: Option<u64>,

    /// Print the game: a row a card (round, both hands, pile, debt), or a row a trick
    #[arg(long, value_name = "ROWS", num_args = 0..=1, default_missing_value = "cards",
        require_equals = true)]
    trace: Option<Rows>,

    /// The first trick of the trace, from 1
    #[arg(long, value_name = "TRICK", requires = "trace", default_value_t = 1)]
    from: u64,

    /// The last trick of the trace
    #[arg(long, value_name = "TRICK", requires = "trace")]
    to: Option<u64>,

    /// Write a page that replays the game, card by card: one file, for any browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Rows {
    Cards,
    Tricks,
}

pub fn run(args: &PlayArgs) -> Outcome {
    let deal = args.deal.read()?;
    let last = args.to.unwrap_or(u64::MAX);
    if args.from == 0 || args.from > last {
        return Err(Fault::usage(anyhow::anyhow!(
            "--from {} --to {last} names no trick: tricks count from 1, and --from is at most --to",
            args.from
        )));
    }
    let sameness = if args.distinct {
        Sameness::Distinct
    } else if args.decks_only {
        Sameness::DecksOnly
    } else {
        Sameness::Skeleton
    };
    if let Some(path) = &args.html {
        let take = Take {
            digits: args.deal.digits(),
            sameness,
            max_tricks: args.max_tricks,
        };
        let film = Film::of(&deal, take).map_err(Fault::usage)?;
        file::write(path, &replay::page(&film))?;
    }
    let verdict = play_until(&deal, sameness, args.max_tricks.unwrap_or(u64::MAX));
    let played = match &verdict {
        Ok(verdict) => verdict.played,
        Err(capped) => capped.played,
    };
    let trace = args.trace.map(|rows| Trace {
        deal: &deal,
        rows,
        digits: args.deal.digits(),
        from: args.from,
        // A loop is shown up to the state that came back.
        to: last.min(played.tricks),
    });
    if args.json {
        let mut value = match &verdict {
            Ok(verdict) => output::verdict(verdict),
            Err(Capped { played }) => json!({
                "status": "capped",
                "cards": output::number(played.cards),
                "tricks": output::number(played.tricks),
                "winner": null,
            }),
        };
        if let Some(trace) = &trace {
            value["trace"] = trace.rows().map(|row| row.json()).collect();
        }
        output::json_line(&value)?;
        return Ok(Exit::Done);
    }
    output::print(|out| {
        if let Some(trace) = &trace {
            trace.print(out)?;
        }
        match &verdict {
            Ok(verdict) => print_verdict(out, verdict)?,
            Err(Capped { played }) => writeln!(
                out,
                "{STRONG}no verdict{STRONG:#} after {}: the bound of --max-tricks was reached",
                output::spoken(*played)
            )?,
        }
        Ok(())
    })?;
    Ok(Exit::Done)
}

/// The lines that say how a game ended.
pub fn print_verdict(out: &mut impl Write, verdict: &Verdict) -> io::Result<()> {
    let status = verdict.status();
    writeln!(
        out,
        "{STRONG}{status}{STRONG:#} after {}",
        output::spoken(verdict.played)
    )?;
    match verdict.outcome {
        game::Outcome::Finished { winner } => writeln!(out, "winner {winner}"),
        game::Outcome::Loop { lead_in, period } => {
            writeln!(out, "lead-in {}", output::spoken(lead_in))?;
            writeln!(out, "period {}", output::spoken(period))
        }
    }
}

/// A game shown row by row.
struct Trace<'d> {
    deal: &'d Deal,
    rows: Rows,
    digits: bool,
    from: u64,
    to: u64,
}

/// One row: the state after a card was laid or the pile collected.
struct Row {
    round: u64,
    cards: u64,
    hands: [Vec<Card>; 2],
    pile: Vec<Card>,
    debt: Option<(Player, u8)>,
    /// Who lays the next card.
    turn: Player,
}

impl Trace<'_> {
    fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        let cards: Vec<Card> = self.deal.cards().collect();
        let mut game = Game::new(self.deal);
        let mut fresh = true;
        std::iter::from_fn(move || {
            loop {
                if fresh {
                    fresh = false;
                } else {
                    let event = game.step()?;
                    let boundary = matches!(event, Event::Collected { .. });
                    if self.rows == Rows::Tricks && !boundary {
                        continue;
                    }
                }
                // The state after the last trick shown closes the trace.
                let round = game.played().tricks + 1;
                let closing = round == self.to + 1;
                if round < self.from {
                    continue;
                }
                if round > self.to && !(closing && game.pile().len() == 0) {
                    return None;
                }
                let show = |places: &mut dyn Iterator<Item = usize>| {
                    places.map(|place| cards[place]).collect::<Vec<_>>()
                };
                return Some(Row {
                    round,
                    cards: game.played().cards,
                    hands: [Player::A, Player::B].map(|player| show(&mut game.hand(player))),
                    pile: show(&mut game.pile()),
                    debt: game.debt(),
                    turn: game.turn(),
                });
            }
        })
    }

    /// Prints the rows as a table whose columns are as wide as the widest row needs.
    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let named = self
            .deal
            .cards()
            .any(|card| card.suit.is_some() || (card.pays() == 0 && card.rank != Rank::Plain));
        let show = Show {
            named,
            digits: self.digits,
        };
        let mut widths = [5, 5, 8, 8, 4];
        for row in self.rows() {
            let cells = [&row.hands[0], &row.hands[1], &row.pile].map(|hand| show.width(hand));
            let number = row.cards.to_string().len();
            for (width, cell) in widths
                .iter_mut()
                .zip([number, number, cells[0], cells[1], cells[2]])
            {
                *width = cell.max(*width);
            }
        }
        let [round, count, a, b, pile] = widths;
        let tricks = self.rows == Rows::Tricks;
        let (pile_head, debt_head) = if tricks {
            ("", "leads")
        } else {
            ("pile", "debt")
        };
        let pile = if tricks { 0 } else { pile };
        let head = format!(
            "{:>round$}  {:>count$}  {:<a$}  {:<b$}  {pile_head:<pile$}  {debt_head}",
            "round", "cards", "player A", "player B"
        );
        writeln!(out, "{STRONG}{}{STRONG:#}", head.trim_end())?;
        for row in self.rows() {
            write!(out, "{:>round$}  {:>count$}  ", row.round, row.cards)?;
            show.write(out, &row.hands[0], a)?;
            show.write(out, &row.hands[1], b)?;
            if tricks {
                writeln!(out, "  {}", row.turn)?;
                continue;
            }
            show.write(out, &row.pile, pile)?;
            match row.debt {
                Some((player, debt)) => writeln!(out, "{DEBT}{player} owes {debt}{DEBT:#}")?,
                None => writeln!(out, "-")?,
            }
        }
        Ok(())
    }
}

impl Row {
    fn json(&self) -> Value {
        let text = |hand: &[Card]| {
            hand.iter()
                .map(Card::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        };
        json!({
            "round": self.round,
            "cards": self.cards,
            "a": text(&self.hands[0]),
            "b": text(&self.hands[1]),
            "pile": text(&self.pile),
            "debt": self.debt.map(|(player, cards)| {
                json!({ "player": player.to_string(), "cards": cards })
            }),
            "turn": self.turn.to_string(),
        })
    }
}

/// How hands are shown: with blanks between cards that have names, as a skeleton otherwise.
#[derive(Clone, Copy)]
struct Show {
    named: bool,
    digits: bool,
}

impl Show {
    fn text(self, card: Card) -> String {
        match (self.named, self.digits) {
            (true, _) => card.to_string(),
            (false, true) => card.digit().to_string(),
            (false, false) => card.skeleton().to_string(),
        }
    }

    fn width(self, hand: &[Card]) -> usize {
        let cards = hand
            .iter()
            .map(|&card| self.text(card).chars().count())
            .sum::<usize>();
        let gaps = if self.named {
            hand.len().saturating_sub(1)
        } else {
            0
        };
        (cards + gaps).max(1)
    }

    /// The hand, and blanks up to `width` and two more. An empty hand is a dot.
    fn write(self, out: &mut impl Write, hand: &[Card], width: usize) -> io::Result<()> {
        if hand.is_empty() {
            write!(out, "·")?;
        }
        for (at, &card) in hand.iter().enumerate() {
            if self.named && at > 0 {
                write!(out, " ")?;
            }
            let text = self.text(card);
            if card.pays() > 0 {
                write!(out, "{PAYMENT}{text}{PAYMENT:#}")?;
            } else {
                write!(out, "{text}")?;
            }
        }
        write!(out, "{:1$}  ", "", width - self.width(hand))
    }
}
