//! What a bot of Uno reads and writes, word for word.
//!
//! Nothing a bot wrote is passed on to another: every line is made anew from the state of the game.

use super::super::game::{
    Ending, Failure, Game, Life, Players, Reason, Result, Round, Scene, Tone,
};
use super::super::record::Score;
use super::super::words::{printable, words};
use super::cards::{Card, Suit, list};
use super::rules::{Action, Over, Refusal, Setup, State, Step};

/// The longest name a bot is sent, in bytes: real bots keep it in ten.
const ID_BYTES: usize = 9;

/// Uno, 2 to 4 bots, a fresh process each game.
#[derive(Clone, Copy, Debug)]
pub struct Uno {
    setup: Setup,
}

impl Uno {
    /// A game with this many decks, cards a hand, and at most so many turns.
    pub fn new(decks: usize, hand: usize, turns: u64) -> Uno {
        Uno {
            setup: Setup { decks, hand, turns },
        }
    }

    /// Plays from a given state; the seats are those of the state.
    fn play_from(
        &self,
        state: &mut State,
        ids: &[String],
        players: &mut dyn Players,
    ) -> Result<Ending> {
        let seats = ids.len();
        players.tell_all(0..seats, &format!("PLAYERS {}", ids.join(" ")));
        for (seat, id) in ids.iter().enumerate() {
            players.tell(seat, &format!("YOU {id}"));
            players.tell(seat, &format!("HAND [ {} ]", list(state.hand(seat))));
        }
        players.tell_all(0..seats, &format!("TABLE {}", state.table()));
        players.show(&mut || opening(state, ids));
        let mut last_out = None;
        while state.over().is_none() {
            let mover = state.mover();
            players.tell_all(state.live(), &format!("TURN {}", ids[mover]));
            let before = (state.table(), state.suit(), state.debt());
            let mut said = Vec::new();
            let mut action = None;
            let reply = players.ask_one(mover, &mut |line| heed(line, &mut action, &mut said))?;
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
                        Step::Bought(_, cards) => {
                            for card in cards {
                                players.tell(mover, &card.to_string());
                            }
                        }
                        Step::Unpaid(debt) => {
                            let what =
                                format!("owed BUY {debt} and answered `{}`", printable(&line, 60));
                            players.fail(mover, Failure::illegal(what))?;
                            last_out = Some(mover);
                        }
                        Step::Discarded(..) | Step::Refused(_) => {}
                    }
                    told(&step, &ids[mover], &line)
                }
            };
            players.show(&mut || turn(state, ids, mover, before, &said, &done));
        }
        let reason = match state.over() {
            Some(Over::LastOne(_)) => Reason::Bot(last_out.expect("the others are out")),
            Some(Over::Emptied(_)) => Reason::Won,
            _ => Reason::DeckOut,
        };
        let winners = state.winners();
        players.show(&mut || ending(state, ids, &winners));
        Ok(Ending {
            reason,
            score: Score::Winners(winners),
            turns: state.turns(),
        })
    }
}

impl Game for Uno {
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

    fn play(&self, round: &Round, players: &mut dyn Players) -> Result<Ending> {
        let ids = ids(&round.names);
        let mut state = State::deal(self.setup, ids.len(), &mut round.random(0));
        self.play_from(&mut state, &ids, players)
    }
}

/// Looks at a line of the mover: an action ends the turn, what is said is kept for those who watch,
/// anything else is chatter.
fn heed(line: &[u8], action: &mut Option<Action>, said: &mut Vec<String>) -> bool {
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
fn discard<'a>(mut rest: impl Iterator<Item = &'a [u8]>) -> Option<Action> {
    let card = Card::parse(rest.next()?)?;
    let suit = match rest.next() {
        None => None,
        Some(word) => Some(Suit::parse(word)?),
    };
    rest.next().is_none().then_some(Action::Discard(card, suit))
}

/// A number of decimal digits, however many.
fn buy<'a>(mut rest: impl Iterator<Item = &'a [u8]>) -> Option<Action> {
    let number = rest.next()?;
    if rest.next().is_some() || !number.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = |sum: u64, digit: &u8| {
        sum.saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'))
    };
    Some(Action::Buy(number.iter().fold(0, value)))
}

/// The one line the other bots get. A number above all cards of the game is written as theirs.
fn event(step: &Step, cards: u64) -> String {
    match step {
        Step::Discarded(card, None) => format!("DISCARD {card}"),
        Step::Discarded(card, Some(suit)) => format!("DISCARD {card} {suit}"),
        Step::Bought(count, _) => format!("BUY {}", count.min(&cards)),
        Step::Refused(_) | Step::Unpaid(_) => "INVALID ACTION".to_owned(),
    }
}

/// The names as bots get them: at most nine bytes, without blanks, each different.
fn ids(names: &[String]) -> Vec<String> {
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

fn opening(state: &State, ids: &[String]) -> Scene {
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

fn turn(
    state: &State,
    ids: &[String],
    mover: usize,
    (table, suit, debt): (Card, Suit, u64),
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
fn told(step: &Step, id: &str, line: &[u8]) -> String {
    match step {
        Step::Discarded(card, None) => format!("{id} discards {card}"),
        Step::Discarded(card, Some(suit)) => format!("{id} discards {card} and asks for {suit}"),
        Step::Bought(count, cards) if cards.len() as u64 == *count => {
            format!("{id} buys {count}: {}", list(cards))
        }
        Step::Bought(count, cards) => {
            format!(
                "{id} wants to buy {count}, and the pile has {}",
                cards.len()
            )
        }
        Step::Refused(why) => {
            let why = match why {
                Refusal::Unreadable => "that is no action".to_owned(),
                Refusal::NotHeld(card) => format!("it does not hold {card}"),
                Refusal::DoesNotFit(card) => format!("{card} does not fit"),
                Refusal::BuyNothing => "that buys nothing".to_owned(),
            };
            format!("{id} loses the turn with `{}`: {why}", printable(line, 60))
        }
        Step::Unpaid(debt) => {
            format!(
                "{id} is out: owed BUY {debt}, answered `{}`",
                printable(line, 60)
            )
        }
    }
}

fn ending(state: &State, ids: &[String], winners: &[usize]) -> Scene {
    let names: Vec<&str> = winners.iter().map(|&seat| ids[seat].as_str()).collect();
    let why = match state.over() {
        Some(Over::Emptied(_)) => "with an empty hand",
        Some(Over::LastOne(_)) => "as the last one left",
        Some(Over::PileEmpty) => "with the fewest cards, for the pile is empty",
        Some(Over::TurnCap) | None => "with the fewest cards, for the turns are over",
    };
    Scene::default().line(Tone::End, format!("{} won {why}", names.join(" and ")))
}
