//! How a game of Barbu looks to people who watch it.

use super::cards::{BarbuSuit, Cards, DealtHands, SEATS, list};
use super::dominoes::{DominoAction, Dominoes};
use super::doubling::Doubles;
use super::tricks::{TakenTrick, Tricks};
use crate::referee::host::game::{Scene, Tone};

/// The cards before the first of them is played.
pub fn opening(title: &str, names: &[String], deal: &DealtHands) -> Scene {
    let scene = Scene::default().line(Tone::Title, format!("Barbu: {title}"));
    with_hands(
        scene,
        names,
        deal.clone().map(|hand| hand.into_iter().collect()),
    )
}

/// Who doubled whom, in the order in which they spoke.
pub fn doubling(names: &[String], said: &[(usize, Vec<usize>)]) -> Scene {
    let mut scene = Scene::default().line(Tone::Title, "doubling");
    for (seat, others) in said {
        let others: Vec<&str> = others.iter().map(|&other| names[other].as_str()).collect();
        let what = match others.as_slice() {
            [] => "nobody".to_owned(),
            others => others.join(", "),
        };
        scene = scene.line(Tone::Move, format!("{} doubles {what}", names[*seat]));
    }
    scene
}

/// A trick that was just taken.
pub fn trick(names: &[String], trick: &TakenTrick, game: &Tricks) -> Scene {
    let width = width(names);
    let number = game.taken().len();
    let title = format!("trick {number}: {} leads", names[trick.leader]);
    let mut scene = Scene::default().line(Tone::Title, title);
    for (position, card) in trick.cards.iter().enumerate() {
        let seat = (trick.leader + position) % SEATS;
        let takes = if seat == trick.taker { "  takes" } else { "" };
        scene = scene.line(
            Tone::Move,
            format!("{:>width$}  {card}{takes}", names[seat]),
        );
    }
    scene = with_hands(scene, names, std::array::from_fn(|seat| game.hand(seat)));
    scene.line(
        Tone::Table,
        format!("so far: {}", scores(names, game.raw())),
    )
}

/// A turn of dominoes.
pub fn domino(names: &[String], mover: usize, action: DominoAction, game: &Dominoes) -> Scene {
    let what = match action {
        DominoAction::Lay(card) => format!("{} lays {card}", names[mover]),
        DominoAction::Pass => format!("{} passes", names[mover]),
    };
    let mut scene = Scene::default().line(Tone::Title, what);
    for suit in BarbuSuit::ALL {
        let run = match game.layout().run(suit) {
            None => "-".to_owned(),
            Some((low, high)) if low == high => low.to_string(),
            Some((low, high)) => format!("{low} .. {high}"),
        };
        scene = scene.line(Tone::Table, format!("{}: {run}", suit.letter()));
    }
    with_hands(scene, names, std::array::from_fn(|seat| game.hand(seat)))
}

/// The end: the scores before doubling (none when the game was forfeited), who doubled, the scores.
pub fn ending(
    names: &[String],
    raw: Option<[i64; SEATS]>,
    doubles: &Doubles,
    scored: [i64; SEATS],
    failure: Option<&str>,
) -> Scene {
    let mut scene = Scene::default();
    if let Some(failure) = failure {
        scene = scene.line(Tone::Trouble, failure);
    }
    if let Some(raw) = raw.filter(|&raw| raw != scored) {
        scene = scene.line(
            Tone::Table,
            format!("before doubling: {}", scores(names, raw)),
        );
        for one in 0..SEATS {
            for two in one + 1..SEATS {
                let count = doubles.count(one, two);
                let apart = (raw[one] - raw[two]).abs();
                if count > 0 && apart > 0 {
                    let (low, high) = if raw[one] < raw[two] {
                        (one, two)
                    } else {
                        (two, one)
                    };
                    let times = if count == 2 { ", twice" } else { "" };
                    let what = format!("{} pays {} {apart}{times}", names[low], names[high]);
                    scene = scene.line(Tone::Table, what);
                }
            }
        }
    }
    scene.line(Tone::End, format!("scores: {}", scores(names, scored)))
}

fn scores(names: &[String], scores: [i64; SEATS]) -> String {
    let each: Vec<String> = names
        .iter()
        .zip(scores)
        .map(|(name, score)| format!("{name} {score}"))
        .collect();
    each.join(", ")
}

fn with_hands(scene: Scene, names: &[String], hands: [Cards; SEATS]) -> Scene {
    let width = width(names);
    let lines = names.iter().zip(hands).filter(|(_, hand)| !hand.is_empty());
    lines.fold(scene, |scene, (name, hand)| {
        scene.line(Tone::Hand, format!("{name:>width$}  {}", list(hand.iter())))
    })
}

fn width(names: &[String]) -> usize {
    let lengths = names.iter().map(|name| name.chars().count());
    lengths.max().unwrap_or(0)
}
