//! What a bot of Uno reads and writes, word for word.
//!
//! Nothing a bot wrote is passed on to another: every line is made anew from the state of the game.

use super::cards::{UnoCard, UnoSuit, list};
use super::notation;
use super::rules::{Setup, UnoAction, UnoOver, UnoState, UnoStep};
use super::scenes;
use crate::referee::host::game::Score;
use crate::referee::host::game::{
    CardGame, Failure, Fixture, GameEnd, Life, Players, Reason, Result,
};
use crate::referee::host::words::{printable, words};

/// The longest name a bot is sent, in bytes: real bots keep it in ten.
const ID_BYTES: usize = 9;

/// Uno, 2 to 4 bots, a fresh process each game.
#[derive(Clone, Copy, Debug)]
pub struct Uno {
    pub(super) setup: Setup,
}

impl Uno {
    /// A game with this many decks, cards a hand, and at most so many turns.
    pub fn new(decks: usize, hand: usize, turns: u64) -> Uno {
        Uno {
            setup: Setup { decks, hand, turns },
        }
    }

    /// Plays from a given state; the seats are those of the state.
    pub(super) fn play_from(
        &self,
        state: &mut UnoState,
        ids: &[String],
        players: &mut dyn Players,
    ) -> Result<GameEnd> {
        let seats = ids.len();
        players.tell_all(0..seats, &format!("PLAYERS {}", ids.join(" ")));
        for (seat, id) in ids.iter().enumerate() {
            players.tell(seat, &format!("YOU {id}"));
            players.tell(seat, &format!("HAND [ {} ]", list(state.hand(seat))));
        }
        players.tell_all(0..seats, &format!("TABLE {}", state.table()));
        players.show(&mut || scenes::opening(state, ids));
        let mut last_out = None;
        let mut moves = Vec::new();
        while state.over().is_none() {
            let mover = state.mover();
            players.tell_all(state.live(), &format!("TURN {}", ids[mover]));
            let before = (state.table(), state.suit(), state.debt());
            let mut said = Vec::new();
            let mut action = None;
            let reply = players.ask_one(mover, &mut |line| heed(line, &mut action, &mut said))?;
            moves.push(match reply {
                Ok(_) => notation::written(action, state.cards()),
                Err(_) => notation::OUT.to_owned(),
            });
            let done = match reply {
                Err(failure) => {
                    state.forfeit();
                    last_out = Some(mover);
                    players.tell_all(state.live(), "INVALID ACTION");
                    format!("{} is out: {failure}", ids[mover])
                }
                Ok(line) => {
                    let step = state.act(action);
                    let others: Vec<usize> = state.live().filter(|&seat| seat != mover).collect();
                    players.tell_all(others, &event(&step, state.cards()));
                    match &step {
                        UnoStep::Bought(_, cards) => {
                            for card in cards {
                                players.tell(mover, &card.to_string());
                            }
                        }
                        UnoStep::Unpaid(debt) => {
                            let what =
                                format!("owed BUY {debt} and answered `{}`", printable(&line, 60));
                            players.fail(mover, Failure::illegal(what))?;
                            last_out = Some(mover);
                        }
                        UnoStep::Discarded(..) | UnoStep::Refused(_) => {}
                    }
                    scenes::told(&step, &ids[mover], &printable(&line, 60))
                }
            };
            players.show(&mut || scenes::turn(state, ids, mover, before, &said, &done));
        }
        let reason = match state.over() {
            Some(UnoOver::LastOne(_)) => Reason::Bot(last_out.expect("the others are out")),
            Some(UnoOver::Emptied(_)) => Reason::Won,
            _ => Reason::DeckOut,
        };
        let winners = state.winners();
        players.show(&mut || scenes::ending(state, ids, &winners));
        Ok(GameEnd {
            reason,
            score: Score::Winners(winners),
            turns: state.turns(),
            moves: moves.join(" "),
        })
    }
}

impl CardGame for Uno {
    const LIFE: Life = Life::Game;

    fn name(&self) -> &'static str {
        "uno"
    }

    fn seats(&self, bots: usize) -> std::result::Result<usize, String> {
        if !(2..=4).contains(&bots) {
            return Err(format!("Uno is for 2 to 4 bots, not {bots}"));
        }
        self.setup.check(bots)?;
        Ok(bots)
    }

    fn play(&self, round: &Fixture, players: &mut dyn Players) -> Result<GameEnd> {
        let ids = ids(&round.names);
        let mut state = UnoState::deal(self.setup, ids.len(), &mut round.random(0));
        self.play_from(&mut state, &ids, players)
    }
}

/// Looks at a line of the mover: an action ends the turn, what is said is kept for those who watch,
/// anything else is chatter.
fn heed(line: &[u8], action: &mut Option<UnoAction>, said: &mut Vec<String>) -> bool {
    let mut line_words = words(line);
    match line_words.next() {
        Some(b"SAY") => {
            let text: Vec<String> = line_words.map(|word| printable(word, 200)).collect();
            said.push(text.join(" "));
            false
        }
        Some(b"DISCARD") => {
            *action = discard(line_words);
            true
        }
        Some(b"BUY") => {
            *action = buy(line_words);
            true
        }
        _ => false,
    }
}

/// `CARD` or `CARD SUIT`; a suit after a card that asks for none means nothing.
fn discard<'a>(mut rest: impl Iterator<Item = &'a [u8]>) -> Option<UnoAction> {
    let card = UnoCard::parse(rest.next()?)?;
    let suit = match rest.next() {
        None => None,
        Some(word) => Some(UnoSuit::parse(word)?),
    };
    rest.next()
        .is_none()
        .then_some(UnoAction::Discard(card, suit))
}

/// A number of decimal digits, however many.
fn buy<'a>(mut rest: impl Iterator<Item = &'a [u8]>) -> Option<UnoAction> {
    let number = rest.next()?;
    if rest.next().is_some() || !number.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = |sum: u64, digit: &u8| {
        sum.saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'))
    };
    Some(UnoAction::Buy(number.iter().fold(0, value)))
}

/// The one line the other bots get. A number above all cards of the game is written as theirs.
fn event(step: &UnoStep, cards: u64) -> String {
    match step {
        UnoStep::Discarded(card, None) => format!("DISCARD {card}"),
        UnoStep::Discarded(card, Some(suit)) => format!("DISCARD {card} {suit}"),
        UnoStep::Bought(count, _) => format!("BUY {}", count.min(&cards)),
        UnoStep::Refused(_) | UnoStep::Unpaid(_) => "INVALID ACTION".to_owned(),
    }
}

/// The names as bots get them: at most nine bytes, without blanks, each different.
pub fn ids(names: &[String]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for name in names {
        let mut number = 1;
        let id = loop {
            let ending = if number == 1 {
                String::new()
            } else {
                number.to_string()
            };
            let mut id = String::new();
            for letter in name.chars().filter(|letter| !letter.is_whitespace()) {
                if id.len() + letter.len_utf8() + ending.len() > ID_BYTES {
                    break;
                }
                id.push(letter);
            }
            id.push_str(&ending);
            if !id.is_empty() && !ids.contains(&id) {
                break id;
            }
            number += 1;
        };
        ids.push(id);
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::super::rules::UnoRefusal;
    use super::*;
    use crate::referee::host::script::Script;

    /// A recorded game: the bots' names, and what each was sent (`> `) and said (`< `).
    struct Recorded {
        ids: Vec<String>,
        heard: Vec<Vec<String>>,
    }

    impl Recorded {
        fn parse(text: &str) -> Recorded {
            let mut recorded = Recorded {
                ids: Vec::new(),
                heard: Vec::new(),
            };
            for line in text.lines() {
                if let Some(name) = line
                    .strip_prefix('[')
                    .and_then(|rest| rest.strip_suffix(']'))
                {
                    recorded.ids.push(name.to_owned());
                    recorded.heard.push(Vec::new());
                } else if !line.starts_with('#') {
                    recorded
                        .heard
                        .last_mut()
                        .expect("a bot is named first")
                        .push(line.to_owned());
                }
            }
            recorded
        }

        /// What follows this word in the first such line to a seat.
        fn sent(&self, seat: usize, word: &str) -> &str {
            let start = format!("> {word} ");
            self.heard[seat]
                .iter()
                .find_map(|line| line.strip_prefix(&start))
                .expect(word)
        }

        /// The seats in the order of their turns, and the cards in the order they were drawn.
        fn turns(&self) -> (Vec<usize>, Vec<UnoCard>) {
            let seat = |id: &str| self.ids.iter().position(|known| known == id).unwrap();
            let turn = |line: &String| line.strip_prefix("> TURN ").map(seat);
            let movers: Vec<usize> = self.heard[0].iter().filter_map(turn).collect();
            let mut drawn = Vec::new();
            for (number, &mover) in movers.iter().enumerate() {
                let mut turns = 0;
                for line in &self.heard[mover] {
                    turns += usize::from(line.starts_with("> TURN "));
                    let card = line
                        .strip_prefix("> ")
                        .and_then(|word| UnoCard::parse(word.as_bytes()));
                    if let (Some(card), true) = (card, turns == number + 1) {
                        drawn.push(card);
                    }
                }
            }
            (movers, drawn)
        }

        /// Plays the game again from its cards and the bots' own lines.
        fn replay(&self) -> (Script, GameEnd) {
            let hand = |seat| {
                words(self.sent(seat, "HAND").as_bytes())
                    .filter_map(UnoCard::parse)
                    .collect()
            };
            let hands = (0..self.ids.len()).map(hand).collect();
            let table = UnoCard::parse(self.sent(0, "TABLE").as_bytes()).unwrap();
            let (movers, mut pile) = self.turns();
            pile.reverse();
            let setup = Setup {
                decks: 1,
                hand: 7,
                turns: 2000,
            };
            let mut state = UnoState::new(setup, hands, pile, vec![table], movers[0]);
            let said = |lines: &Vec<String>| -> Vec<String> {
                lines
                    .iter()
                    .filter_map(|line| line.strip_prefix("< ").or(line.strip_prefix("<")))
                    .map(str::to_owned)
                    .collect()
            };
            let said: Vec<Vec<String>> = self.heard.iter().map(said).collect();
            let mut script = Script::new(
                said.iter()
                    .map(|lines| lines.iter().map(String::as_str).collect()),
            );
            let ending = Uno { setup }
                .play_from(&mut state, &self.ids, &mut script)
                .unwrap();
            (script, ending)
        }
    }

    #[track_caller]
    fn hears_what_was_recorded(text: &str, reason: Reason, winners: &[usize]) {
        let recorded = Recorded::parse(text);
        let (script, ending) = recorded.replay();
        for (seat, id) in recorded.ids.iter().enumerate() {
            // What a bot said after its action is read at its next turn, so only lines to it compare.
            let sent = |lines: &[String]| -> Vec<String> {
                let sent = lines.iter().filter(|line| line.starts_with("> "));
                sent.cloned().collect()
            };
            let (ours, theirs) = (sent(&script.heard[seat]), sent(&recorded.heard[seat]));
            assert_eq!(ours, theirs, "{id}");
        }
        assert_eq!(ending.reason, reason);
        assert_eq!(ending.score, Score::Winners(winners.to_vec()));
        assert_eq!(script.failures, vec![None; recorded.ids.len()]);
    }

    #[test]
    fn recorded_games_are_heard_line_by_line() {
        hears_what_was_recorded(
            include_str!("../../../../tests/data/uno/two.txt"),
            Reason::Won,
            &[0],
        );
        hears_what_was_recorded(
            include_str!("../../../../tests/data/uno/three.txt"),
            Reason::Won,
            &[2],
        );
        hears_what_was_recorded(
            include_str!("../../../../tests/data/uno/chatter.txt"),
            Reason::Won,
            &[1],
        );
    }

    fn action(line: &str) -> Option<Option<UnoAction>> {
        let (mut action, mut said) = (None, Vec::new());
        heed(line.as_bytes(), &mut action, &mut said).then_some(action)
    }

    #[test]
    fn words_are_actions_only_when_exact() {
        let card = |text: &str| UnoCard::parse(text.as_bytes()).unwrap();
        let plays =
            |text: &str, suit: Option<UnoSuit>| Some(Some(UnoAction::Discard(card(text), suit)));
        assert_eq!(action("DISCARD 4♥"), plays("4♥", None));
        assert_eq!(action("  DISCARD\t4♥  "), plays("4♥", None));
        assert_eq!(action("DISCARD A♥ ♠"), plays("A♥", Some(UnoSuit::Spades)));
        assert_eq!(action("DISCARD A♥"), plays("A♥", None));
        for line in [
            "DISCARD",
            "DISCARD x",
            "DISCARD A♥ x",
            "DISCARD A♥ ♠ ♠",
            "DISCARD 4♥ 5♥",
            "DISCARD 4",
            "DISCARD C♦ ♥",
            "BUY",
            "BUY x",
            "BUY -1",
            "BUY +1",
            "BUY 1.0",
            "BUY 1 2",
            "BUY ٣",
        ] {
            assert_eq!(action(line), Some(None), "refused: {line}");
        }
        assert_eq!(action("BUY 007"), Some(Some(UnoAction::Buy(7))));
        assert_eq!(
            action("BUY 99999999999999999999999"),
            Some(Some(UnoAction::Buy(u64::MAX)))
        );
        for line in [
            "",
            " ",
            "buy 1",
            "Buy 1",
            "BUY1",
            "discard 4♥",
            "BUYS 1",
            "SAY BUY 1",
            "PASS",
            "\u{feff}BUY 1",
        ] {
            assert_eq!(action(line), None, "chatter: {line}");
        }
    }

    #[test]
    fn every_other_bot_gets_one_line_a_turn() {
        let card = |text: &str| UnoCard::parse(text.as_bytes()).unwrap();
        let cases = [
            (UnoStep::Discarded(card("4♥"), None), "DISCARD 4♥"),
            (
                UnoStep::Discarded(card("C♣"), Some(UnoSuit::Hearts)),
                "DISCARD C♣ ♥",
            ),
            (UnoStep::Bought(3, vec![]), "BUY 3"),
            (UnoStep::Bought(u64::MAX, vec![]), "BUY 54"),
            (UnoStep::Refused(UnoRefusal::Unreadable), "INVALID ACTION"),
            (UnoStep::Unpaid(4), "INVALID ACTION"),
        ];
        for (step, line) in cases {
            assert_eq!(event(&step, 54), line);
        }
    }

    #[test]
    fn who_fails_is_out_and_the_others_play_on() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let hands = vec![vec![UnoCard::parse("2♥".as_bytes()).unwrap()]; 3];
        let setup = Setup {
            decks: 1,
            hand: 1,
            turns: 2000,
        };
        let table = UnoCard::parse("2♠".as_bytes()).unwrap();
        let mut state = UnoState::new(setup, hands, Vec::new(), vec![table], 0);
        let mut script = Script::new([vec!["hm"], vec!["SAY bye", "DISCARD 2♥"], vec![]]);
        let ending = Uno { setup }
            .play_from(&mut state, &names, &mut script)
            .unwrap();
        assert_eq!(ending.reason, Reason::Won);
        assert_eq!(ending.score, Score::Winners(vec![1]));
        assert!(script.failures[0].is_some());
        assert_eq!(
            script.heard[2],
            [
                "> PLAYERS a b c",
                "> YOU c",
                "> HAND [ 2♥ ]",
                "> TABLE 2♠",
                "> TURN a",
                "> INVALID ACTION",
                "> TURN b",
                "> DISCARD 2♥",
            ]
        );
        let shown = format!("{:?}", script.scenes);
        assert!(
            shown.contains("a is out: timeout") && shown.contains("bye"),
            "{shown}"
        );
    }

    #[test]
    fn names_are_short_and_different() {
        let given = [
            "ana maria",
            "averylongname",
            "averylongnameindeed",
            "ação♥♥♥",
            "x",
            "x2",
            "♥♥♥♥",
        ];
        let ids = ids(&given.map(str::to_owned));
        assert_eq!(
            ids,
            [
                "anamaria",
                "averylong",
                "averylon2",
                "ação♥",
                "x",
                "x2",
                "♥♥♥"
            ]
        );
        assert!(ids.iter().all(|id| id.len() <= ID_BYTES));
    }

    #[test]
    fn default_hands_stay_under_a_hundred_bytes() {
        let longest = vec![UnoCard::parse("10♥".as_bytes()).unwrap(); 7];
        assert!(format!("HAND [ {} ]", list(&longest)).len() < 100);
    }
}
