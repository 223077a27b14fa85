//! Situations that a bot of Barbu must master: every game of either protocol, with deals that leave it
//! little choice, and several games in one process.

use super::bots::careless;
use super::cards::{BarbuCard, BarbuSuit, DealtHands, SEATS, deal};
use super::contract::Contract;
use super::protocol::{Barbu, Protocol};
use crate::chance::Generator;
use crate::referee::games::check::{Brain, Situation};

/// Deals that are played of each game.
const DEALS: u64 = 2;

/// All situations of a protocol.
pub fn situations(protocol: Protocol) -> Vec<Situation> {
    let games: Vec<Contract> = Contract::ALL
        .into_iter()
        .filter(|game| protocol == Protocol::New || *game != Contract::Dominoes)
        .collect();
    let mut all = Vec::new();
    for (index, &game) in games.iter().enumerate() {
        for number in 0..DEALS {
            let seat = (index + number as usize) % SEATS;
            let hands = deal(&mut Generator::of(18, number, index as u64));
            let name = format!("{}, in seat {seat}, deal {}", game.name(), number + 1);
            all.push(situation(name, protocol, seat, vec![(game, hands)]));
        }
    }
    let suits =
        || BarbuSuit::ALL.map(|suit| (0..13).map(|rank| BarbuCard::new(rank, suit)).collect());
    all.push(situation(
        "nullo with one suit in each hand: it can never follow".to_owned(),
        protocol,
        1,
        vec![(Contract::Nullo, suits())],
    ));
    all.push(situation(
        "hearts with hearts alone: it must lead one".to_owned(),
        protocol,
        2,
        vec![(Contract::Hearts, suits())],
    ));
    let games = games.iter().enumerate().map(|(index, &game)| {
        let hands = deal(&mut Generator::of(19, 0, index as u64));
        (game, hands)
    });
    let name = "every game in one process".to_owned();
    all.push(situation(name, protocol, 3, games.collect()));
    all
}

fn situation(
    name: String,
    protocol: Protocol,
    seat: usize,
    games: Vec<(Contract, DealtHands)>,
) -> Situation {
    let others = (0..SEATS).map(|_| {
        let mut brain = careless();
        let brain: Brain = Box::new(move |told| brain(told.as_bytes()));
        brain
    });
    let is_dominoes = games.iter().all(|(game, _)| *game == Contract::Dominoes);
    Situation {
        name,
        seat,
        others: others.collect(),
        right: Box::new(move |prompt, _| {
            match (protocol, prompt) {
                (Protocol::New, "DOUBLE") => {
                    "the seats it doubles with blanks between them, or an empty line"
                }
                _ if is_dominoes => "a card of its hand that can be laid, or PASS if there is none",
                _ => {
                    "one card of its hand, such as `kh`, of the suit that was led if it holds one \
                     (at hearts no heart is led by one who holds another suit)"
                }
            }
            .to_owned()
        }),
        play: Box::new(move |players| {
            let names: Vec<String> = (0..SEATS).map(|seat| format!("seat{seat}")).collect();
            let mut last = None;
            for (game, hands) in &games {
                let barbu = Barbu {
                    contracts: vec![*game],
                    protocol,
                    lenient: false,
                };
                last = Some(barbu.play_deal(*game, BarbuSuit::Spades, hands, &names, players)?);
            }
            Ok(last.expect("there is a game"))
        }),
        refusal: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::host::script::Script;

    #[test]
    fn every_situation_asks_the_bot_and_names_what_was_right() {
        for protocol in [Protocol::New, Protocol::Ai] {
            for situation in situations(protocol) {
                let mut script = Script::new([vec!["1 2"; 20]]);
                let report = situation.examine(&mut script).unwrap();
                let fault = report.fault.expect("that is no card");
                assert!(fault.right.contains("card of its hand"), "{fault:?}");
                assert!(fault.what.contains("is no card"), "{fault:?}");
            }
        }
    }
}
