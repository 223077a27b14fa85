//! How a game of BS looks to people who watch it.

use super::rules::{BsOver, BsRank, BsState, Settled};
use crate::referee::host::game::{Scene, Tone};

/// What happened in a turn in which cards were laid.
pub struct Told<'a> {
    pub mover: usize,
    pub laid: &'a [BsRank],
    pub lie: bool,
    pub callers: &'a [usize],
    pub outcome: &'a Settled,
}

/// The round, the rank and the mover of the turn that is due.
pub fn title(state: &BsState, names: &[String]) -> String {
    let (round, rank, mover) = (state.round() + 1, state.rank(), state.mover());
    format!("round {round}, rank {rank}: {}", names[mover])
}

/// A turn that is over; `fallen` says who failed when asked.
pub fn turn(
    title: &str,
    told: &Told,
    fallen: &[String],
    state: &BsState,
    names: &[String],
) -> Scene {
    let truth = if told.lie { "a lie" } else { "true" };
    let (mover, laid) = (&names[told.mover], told.laid);
    let mut scene = Scene::default().line(Tone::Title, title).line(
        Tone::Move,
        format!("{mover} lays {}: {} ({truth})", laid.len(), list(laid)),
    );
    for what in fallen {
        scene = scene.line(Tone::Trouble, what.as_str());
    }
    if let Some(what) = called(told.outcome, names, told.mover, told.callers) {
        scene = scene.line(Tone::Say, what);
    }
    table(scene, state, names)
}

/// Ranks in a line, one blank between them.
pub fn list(ranks: &[BsRank]) -> String {
    let words: Vec<String> = ranks.iter().map(BsRank::to_string).collect();
    words.join(" ")
}

/// Who called and what it led to, for people.
fn called(outcome: &Settled, names: &[String], mover: usize, callers: &[usize]) -> Option<String> {
    let all: Vec<&str> = callers.iter().map(|&seat| names[seat].as_str()).collect();
    let drawn = |caller: usize| {
        let (verb, drawn) = match all.len() {
            1 => ("calls", String::new()),
            _ => ("call", format!(", {} is drawn", names[caller])),
        };
        format!("{} {verb} BS{drawn}", all.join(" and "))
    };
    match outcome {
        Settled::Uncalled => None,
        Settled::Truth { caller, taken } => Some(format!(
            "{}, is wrong and takes {}",
            drawn(*caller),
            counted(taken.len())
        )),
        Settled::Lie {
            caller,
            taken,
            given,
        } => Some(format!(
            "{}, is right and gives a {given}; {} takes {}",
            drawn(*caller),
            names[mover],
            counted(taken.len())
        )),
    }
}

fn counted(cards: usize) -> String {
    match cards {
        1 => "1 card".to_owned(),
        _ => format!("{cards} cards"),
    }
}

pub fn opening(state: &BsState, names: &[String]) -> Scene {
    let scene = Scene::default().line(Tone::Title, format!("BS: {}", names.join(", ")));
    table(scene, state, names)
}

/// Adds the hands, sorted, and the pile.
pub fn table(mut scene: Scene, state: &BsState, names: &[String]) -> Scene {
    let width = names.iter().map(|name| name.chars().count()).max();
    let width = width.unwrap_or(0);
    for (seat, name) in names.iter().enumerate() {
        let mut hand = state.hand(seat).to_vec();
        hand.sort_unstable();
        let out = if state.is_live(seat) { "" } else { "   out" };
        let text = format!("{name:>width$} {:>2}  {}{out}", hand.len(), list(&hand));
        scene = scene.line(Tone::Hand, text.trim_end());
    }
    let pile = format!("pile {}: {}", state.pile().len(), list(state.pile()));
    scene.line(Tone::Table, pile.trim_end())
}

pub fn ending(state: &BsState, names: &[String]) -> Scene {
    let text = match state.over() {
        Some(BsOver::Emptied(seat)) => format!("{} won with an empty hand", names[seat]),
        Some(BsOver::LastOne(seat)) => format!("{} won as the last one left", names[seat]),
        Some(BsOver::RoundLimit) | None => "nobody won, for the rounds are over".to_owned(),
    };
    Scene::default().line(Tone::End, text)
}
