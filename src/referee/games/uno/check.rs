//! Situations that a bot of Uno must master.

use super::cards::UnoCard;
use super::protocol::Uno;
use super::rules::UnoState;
use crate::referee::games::check::{Brain, Situation, scripted};

/// How a situation begins. Seat 0 is the bot's.
struct Opening {
    name: &'static str,
    ids: &'static [&'static str],
    hands: &'static [&'static str],
    pile: &'static str,
    table: &'static str,
    mover: usize,
    /// What the others do, by seat from 1, turn by turn.
    others: &'static [&'static [&'static str]],
    /// What is right, ask by ask; the last holds for all that follow.
    right: &'static [&'static str],
}

const PILE: &str = "3♦ 6♦ 8♣ 4♣ 9♦ 2♦ 7♦ 10♣ 3♣ 6♣ 9♠ 4♦ 8♦ 10♦ 2♣ 7♣";

const OPENINGS: &[Opening] = &[
    Opening {
        name: "it begins",
        ids: &["bot", "ana"],
        hands: &["5♥ 9♣ 2♠ 3♦", "2♥ 3♥"],
        pile: PILE,
        table: "5♠",
        mover: 0,
        others: &[&[]],
        right: &["DISCARD 5♥ or DISCARD 2♠, or BUY and a number"],
    },
    Opening {
        name: "no card fits",
        ids: &["bot", "ana"],
        hands: &["2♣ 3♣ 4♦", "2♥ 3♥"],
        pile: PILE,
        table: "9♥",
        mover: 0,
        others: &[&["BUY 1"]],
        right: &[
            "BUY 1 (or more)",
            "a card that fits 9♥ (a 9, a heart, an ace, a joker), or BUY and a number",
        ],
    },
    Opening {
        name: "it owes two for a jack",
        ids: &["bot", "ana"],
        hands: &["5♥ 9♣ 2♠", "V♥ 3♥ 4♥"],
        pile: PILE,
        table: "5♥",
        mover: 1,
        others: &[&["DISCARD V♥", "BUY 1"]],
        right: &[
            "BUY 2",
            "a jack, a heart, an ace or a joker of its hand, or BUY and a number",
        ],
    },
    Opening {
        name: "it owes four for a joker",
        ids: &["bot", "ana"],
        hands: &["5♥ 9♣ 2♠", "C♥ 3♥ 4♥"],
        pile: PILE,
        table: "5♥",
        mover: 1,
        others: &[&["DISCARD C♥ ♠", "BUY 1"]],
        right: &[
            "BUY 4",
            "DISCARD 2♠ or another spade of its hand, or BUY and a number",
        ],
    },
    Opening {
        name: "six debts in a row",
        ids: &["bot", "ana"],
        hands: &["5♥ 9♣ 2♠", "V♥ V♦ V♣ V♠ C♥ C♣ 4♥"],
        pile: PILE,
        table: "5♥",
        mover: 1,
        others: &[&[
            "DISCARD V♥",
            "DISCARD V♦",
            "DISCARD V♣",
            "DISCARD V♠",
            "DISCARD C♥ ♥",
            "DISCARD C♣ ♥",
        ]],
        right: &["BUY 2", "BUY 2", "BUY 2", "BUY 2", "BUY 4", "BUY 4"],
    },
    Opening {
        name: "another bot has paid the debt",
        ids: &["bot", "ana", "bea"],
        hands: &["5♥ 9♣ 2♠", "V♥ 3♥", "2♦ 3♦"],
        pile: PILE,
        table: "5♥",
        mover: 1,
        others: &[&["DISCARD V♥"], &["BUY 2"]],
        right: &["DISCARD 5♥, or BUY and a number: nothing is owed any more"],
    },
    Opening {
        name: "another bot is out for its debt",
        ids: &["bot", "ana", "bea"],
        hands: &["5♥ 9♣ 2♠", "V♥ 3♥", "2♦ 3♦"],
        pile: PILE,
        table: "5♥",
        mover: 1,
        others: &[&["DISCARD V♥", "BUY 1"], &["BUY 1"]],
        right: &["DISCARD 5♥, or BUY and a number: who owed is out, and the debt with it"],
    },
    Opening {
        name: "an ace asks for another suit",
        ids: &["bot", "ana"],
        hands: &["7♥ 9♣ 4♠", "A♥ 3♥"],
        pile: PILE,
        table: "5♥",
        mover: 1,
        others: &[&["DISCARD A♥ ♠", "BUY 1"]],
        right: &["DISCARD 4♠, or BUY and a number: spades are asked for"],
    },
    Opening {
        name: "an action of another bot is refused",
        ids: &["bot", "ana"],
        hands: &["5♣ 9♣ 2♠", "3♥ 4♥"],
        pile: PILE,
        table: "5♥",
        mover: 1,
        others: &[&["DISCARD 2♦", "BUY 1"]],
        right: &["DISCARD 5♣, or BUY and a number: 5♥ still lies on the table"],
    },
    Opening {
        name: "a queen turns the direction",
        ids: &["bot", "ana", "bea"],
        hands: &["5♥ 9♣ 2♠", "D♥ 3♥", "2♦ 3♦"],
        pile: PILE,
        table: "5♥",
        mover: 1,
        others: &[&["DISCARD D♥"], &[]],
        right: &["DISCARD 5♥, or BUY and a number: the turn comes from the other side"],
    },
    Opening {
        name: "a king skips the next bot",
        ids: &["bot", "ana", "bea"],
        hands: &["5♥ 9♣ 2♠", "R♥ 3♥", "2♦ 3♦"],
        pile: PILE,
        table: "5♥",
        mover: 1,
        others: &[&["DISCARD R♥"], &[]],
        right: &["DISCARD 5♥, or BUY and a number"],
    },
    Opening {
        name: "it holds one card",
        ids: &["bot", "ana"],
        hands: &["5♥", "2♥ 3♥"],
        pile: PILE,
        table: "5♠",
        mover: 0,
        others: &[&["BUY 1"]],
        right: &["DISCARD 5♥, which wins"],
    },
    Opening {
        name: "it holds twenty cards",
        ids: &["bot", "ana"],
        hands: &[
            "10♣ 10♦ 10♠ 9♣ 9♦ 8♠ 8♦ 7♣ 7♠ 6♦ 6♣ 4♠ 4♦ 3♣ 3♠ 2♦ 2♠ R♣ D♠ 10♥",
            "2♥ 3♥",
        ],
        pile: "5♦ 5♣",
        table: "5♥",
        mover: 0,
        others: &[&["BUY 1"]],
        right: &["DISCARD 10♥, or BUY and a number"],
    },
    Opening {
        name: "it owes more than is left",
        ids: &["bot", "ana"],
        hands: &["5♥ 9♣ 2♠", "C♥ 3♥ 4♥"],
        pile: "6♣",
        table: "5♥",
        mover: 1,
        others: &[&["DISCARD C♥ ♥", "BUY 1"]],
        right: &["BUY 4, though one card is left"],
    },
    Opening {
        name: "four bots with unusual names",
        ids: &["bot", "José", "b-2.x_y", "123456789"],
        hands: &["5♥ 9♣ 2♠", "3♥ 4♥", "2♦ 3♦", "6♥ 7♥"],
        pile: PILE,
        table: "5♥",
        mover: 1,
        others: &[&["DISCARD 3♥", "BUY 1"], &["BUY 3"], &["DISCARD 6♥"]],
        right: &["DISCARD 5♥, or BUY and a number"],
    },
];

/// Cards out of a text.
fn cards(text: &str) -> Vec<UnoCard> {
    let words = text.split_ascii_whitespace();
    words
        .filter_map(|word| UnoCard::parse(word.as_bytes()))
        .collect()
}

/// All situations.
pub fn situations() -> Vec<Situation> {
    OPENINGS.iter().map(situation).collect()
}

fn situation(opening: &'static Opening) -> Situation {
    let ids: Vec<String> = opening.ids.iter().map(|&id| id.to_owned()).collect();
    let mut others: Vec<Brain> = vec![scripted("", &[])];
    others.extend(opening.others.iter().zip(&ids[1..]).map(|(lines, id)| {
        let turn = format!("TURN {id}");
        let mut script = scripted("", lines);
        let brain: Brain = Box::new(move |told| (told == turn).then(|| script(told)).flatten());
        brain
    }));
    Situation {
        name: opening.name.to_owned(),
        seat: 0,
        others,
        right: Box::new(|_, asked| {
            let last = opening.right.len() - 1;
            opening.right[asked.min(last)].to_owned()
        }),
        play: Box::new(move |players| {
            let game = Uno::new(1, 7, 2000);
            let hands = opening.hands.iter().map(|hand| cards(hand)).collect();
            let (pile, table) = (cards(opening.pile), cards(opening.table));
            let mut state = UnoState::new(game.setup, hands, pile, table, opening.mover);
            game.play_from(&mut state, &ids, players)
        }),
        refusal: Some("INVALID ACTION"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::host::script::Script;

    #[test]
    fn every_card_of_the_openings_is_one() {
        for opening in OPENINGS {
            let texts = opening.hands.iter().chain([&opening.pile, &opening.table]);
            for text in texts {
                let count = text.split_ascii_whitespace().count();
                assert_eq!(cards(text).len(), count, "{}: {text}", opening.name);
            }
        }
    }

    #[test]
    fn every_situation_asks_the_bot_and_names_what_was_right() {
        for (index, opening) in OPENINGS.iter().enumerate() {
            let mut script = Script::new([vec!["BUY 0"; 8]]);
            let report = situation(&OPENINGS[index]).examine(&mut script).unwrap();
            assert!(report.asked >= 1, "{}", opening.name);
            let fault = report.fault.expect("BUY 0 is never right");
            assert_eq!(fault.right, opening.right[0], "{}", opening.name);
        }
    }

    #[test]
    fn what_is_right_is_accepted() {
        for opening in OPENINGS {
            // The first words of what is right are an action, but where the text is about any card.
            let lines: Vec<String> = opening
                .right
                .iter()
                .filter_map(|right| {
                    let words: Vec<&str> = right.split(' ').take(2).collect();
                    let action = words.join(" ").trim_end_matches([',', ':']).to_owned();
                    let known = action.starts_with("BUY ") || action.starts_with("DISCARD ");
                    known.then_some(action)
                })
                .collect();
            assert!(!lines.is_empty());
            let mut said: Vec<&str> = lines.iter().map(String::as_str).collect();
            said.extend(["BUY 1"; 3]);
            let mut script = Script::new([said]);
            let report = situation(opening).examine(&mut script).unwrap();
            assert!(report.fault.is_none(), "{}: {report:?}", opening.name);
        }
    }
}
