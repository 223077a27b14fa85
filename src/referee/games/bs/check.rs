//! Situations that a bot of BS must master.

use super::protocol::play_from;
use super::rules::{BsRank, BsState, SEATS};
use crate::chance::Generator;
use crate::referee::games::check::{Brain, Situation};

/// How a situation goes. The others lay what is due, or the first of their cards.
struct Opening {
    name: &'static str,
    seat: usize,
    /// The bot's hand; the other cards are dealt to the others.
    hand: &'static [BsRank],
    /// Whether the others call every claim a lie.
    call: bool,
    /// A seat that answers something else than it should.
    broken: Option<usize>,
    /// Games in one process.
    games: usize,
    rounds: u64,
}

const OPENINGS: &[Opening] = &[
    Opening {
        name: "it begins",
        seat: 0,
        hand: &[0, 0, 3, 5, 6, 7, 8, 9, 9, 10, 11, 12, 12],
        call: false,
        broken: None,
        games: 1,
        rounds: 3,
    },
    Opening {
        name: "it does not hold the rank that is due",
        seat: 1,
        hand: &[0, 0, 3, 4, 6, 7, 8, 8, 11, 11, 12, 12, 2],
        call: false,
        broken: None,
        games: 1,
        rounds: 3,
    },
    Opening {
        name: "every claim is called: piles are taken and cards are given",
        seat: 2,
        hand: &[1, 1, 1, 3, 4, 5, 7, 8, 9, 10, 11, 12, 0],
        call: true,
        broken: None,
        games: 1,
        rounds: 40,
    },
    Opening {
        name: "it holds one card",
        seat: 0,
        hand: &[0],
        call: false,
        broken: None,
        games: 1,
        rounds: 3,
    },
    Opening {
        name: "it holds twenty-four cards",
        seat: 3,
        hand: &[
            0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5,
        ],
        call: true,
        broken: None,
        games: 1,
        rounds: 10,
    },
    Opening {
        name: "another bot is out",
        seat: 1,
        hand: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
        call: false,
        broken: Some(2),
        games: 1,
        rounds: 6,
    },
    Opening {
        name: "a long game that nobody wins",
        seat: 2,
        hand: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
        call: true,
        broken: None,
        games: 1,
        rounds: 150,
    },
    Opening {
        name: "five games in one process",
        seat: 3,
        hand: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
        call: true,
        broken: None,
        games: 5,
        rounds: 20,
    },
];

/// All situations.
pub fn situations() -> Vec<Situation> {
    OPENINGS.iter().map(situation).collect()
}

fn situation(opening: &'static Opening) -> Situation {
    let others = (0..SEATS).map(|seat| match opening.broken == Some(seat) {
        true => {
            let brain: Brain = Box::new(|told| match told.split(' ').next() {
                Some("PLAY") => Some("?".to_owned()),
                Some("CLAIM") => Some("PASS".to_owned()),
                _ => None,
            });
            brain
        }
        false => plain(opening.call),
    });
    Situation {
        name: opening.name.to_owned(),
        seat: opening.seat,
        others: others.collect(),
        right: Box::new(|prompt, _| {
            match prompt.split(' ').next() {
                Some("PLAY") => {
                    "one rank of its hand or more, with blanks between them, such as `5` or `0 0`"
                }
                _ => "BS or PASS",
            }
            .to_owned()
        }),
        play: Box::new(|players| {
            let names: Vec<String> = (0..SEATS).map(|seat| format!("seat{seat}")).collect();
            let mut random = Generator::of(18, 0, 0);
            for _ in 1..opening.games {
                let mut state = BsState::new(deal(opening), opening.rounds);
                play_from(
                    &mut state,
                    &names,
                    &mut |bound| random.below(bound),
                    players,
                )?;
            }
            let mut state = BsState::new(deal(opening), opening.rounds);
            play_from(
                &mut state,
                &names,
                &mut |bound| random.below(bound),
                players,
            )
        }),
        refusal: None,
    }
}

/// The bot's hand, and all other cards in turn for the others.
fn deal(opening: &Opening) -> [Vec<BsRank>; SEATS] {
    let mut hands: [Vec<BsRank>; SEATS] = Default::default();
    hands[opening.seat] = opening.hand.to_vec();
    let mut left: Vec<BsRank> = (0..13).flat_map(|rank| [rank; 4]).collect();
    for rank in opening.hand {
        if let Some(index) = left.iter().position(|other| other == rank) {
            left.remove(index);
        }
    }
    let seats = (0..SEATS).filter(|&seat| seat != opening.seat).cycle();
    for (rank, seat) in left.into_iter().zip(seats) {
        hands[seat].push(rank);
    }
    hands
}

/// Lays one card that is due, or its first; calls always or never.
fn plain(call: bool) -> Brain {
    let mut hand: Vec<String> = Vec::new();
    Box::new(move |told| {
        let mut words = told.split(' ').map(str::to_owned);
        match words.next().as_deref() {
            Some("HAND") => hand = words.collect(),
            Some("TAKE") => hand.extend(words),
            Some("GIVE") => {
                let given = words.next()?;
                let index = hand.iter().position(|card| *card == given)?;
                hand.remove(index);
            }
            Some("PLAY") => {
                let due = words.next()?;
                let index = hand.iter().position(|card| *card == due).unwrap_or(0);
                return (index < hand.len()).then(|| hand.remove(index));
            }
            Some("CLAIM") => return Some(if call { "BS" } else { "PASS" }.to_owned()),
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::host::script::Script;

    #[test]
    fn every_situation_asks_the_bot_and_names_what_was_right() {
        for opening in OPENINGS {
            let mut script = Script::new([vec!["x"; 8]]);
            let report = situation(opening).examine(&mut script).unwrap();
            let fault = report.fault.expect("x is never right");
            let right = match opening.seat {
                0 => "one rank of its hand",
                _ => "BS or PASS",
            };
            assert!(
                fault.right.starts_with(right),
                "{}: {fault:?}",
                opening.name
            );
            assert!(fault.what.contains("answered `x`"), "{fault:?}");
        }
    }
}
