//! How a game of Uno looks to people who watch it.

use super::cards::{UnoCard, UnoSuit, list};
use super::rules::{UnoOver, UnoRefusal, UnoState, UnoStep};
use crate::referee::host::game::{Scene, Tone};

/// The cards before the first turn.
pub fn opening(state: &UnoState, ids: &[String]) -> Scene {
    let mut scene = Scene::default()
        .line(Tone::Title, format!("Uno: {}", ids.join(", ")))
        .line(
            Tone::Table,
            format!("table {}   pile {}", state.table(), state.pile()),
        );
    for (seat, id) in ids.iter().enumerate() {
        scene = scene.line(Tone::Hand, format!("{id:>9}  {}", list(state.hand(seat))));
    }
    scene
}

pub fn turn(
    state: &UnoState,
    ids: &[String],
    mover: usize,
    (table, suit, debt): (UnoCard, UnoSuit, u64),
    said: &[String],
    done: &str,
) -> Scene {
    let owes = if debt > 0 {
        format!("   owes {debt}")
    } else {
        String::new()
    };
    let asked = if suit == table.suit {
        String::new()
    } else {
        format!(" asks for {suit}")
    };
    let mut scene = Scene::default().line(
        Tone::Title,
        format!(
            "turn {}: {}   table {table}{asked}{owes}",
            state.turns(),
            ids[mover]
        ),
    );
    for text in said {
        scene = scene.line(Tone::Say, format!("{}: \"{text}\"", ids[mover]));
    }
    let tone = if state.is_live(mover) {
        Tone::Move
    } else {
        Tone::Trouble
    };
    scene = scene.line(tone, done);
    for (seat, id) in ids.iter().enumerate() {
        let hand = if state.is_live(seat) {
            list(state.hand(seat))
        } else {
            "out".to_owned()
        };
        scene = scene.line(Tone::Hand, format!("{id:>9}  {hand}"));
    }
    scene.line(
        Tone::Table,
        format!("table {}   pile {}", state.table(), state.pile()),
    )
}

/// What the mover did, for people.
pub fn told(step: &UnoStep, id: &str, said: &str) -> String {
    match step {
        UnoStep::Discarded(card, None) => format!("{id} discards {card}"),
        UnoStep::Discarded(card, Some(suit)) => format!("{id} discards {card} and asks for {suit}"),
        UnoStep::Bought(count, cards) if cards.len() as u64 == *count => {
            format!("{id} buys {count}: {}", list(cards))
        }
        UnoStep::Bought(count, cards) => {
            format!(
                "{id} wants to buy {count}, and the pile has {}",
                cards.len()
            )
        }
        UnoStep::Refused(why) => {
            let why = match why {
                UnoRefusal::Unreadable => "that is no action".to_owned(),
                UnoRefusal::NotHeld(card) => format!("it does not hold {card}"),
                UnoRefusal::DoesNotFit(card) => format!("{card} does not fit"),
                UnoRefusal::BuyNothing => "that buys nothing".to_owned(),
            };
            format!("{id} loses the turn with `{}`: {why}", said)
        }
        UnoStep::Unpaid(debt) => {
            format!("{id} is out: owed BUY {debt}, answered `{}`", said)
        }
    }
}

pub fn ending(state: &UnoState, ids: &[String], winners: &[usize]) -> Scene {
    let names: Vec<&str> = winners.iter().map(|&seat| ids[seat].as_str()).collect();
    let why = match state.over() {
        Some(UnoOver::Emptied(_)) => "with an empty hand",
        Some(UnoOver::LastOne(_)) => "as the last one left",
        Some(UnoOver::PileEmpty) => "with the fewest cards, for the pile is empty",
        Some(UnoOver::TurnCap) | None => "with the fewest cards, for the turns are over",
    };
    Scene::default().line(Tone::End, format!("{} won {why}", names.join(" and ")))
}
