//! What a bot of BS reads and writes (BS/1), word for word.
//!
//! Every line of a bot is an answer, an empty one too: there is no chatter. Nothing a bot wrote is
//! passed on to another.

use super::super::game::{
    Ending, Failure, Game, Life, Players, Reason, Result, Round, Scene, Tone,
};
use super::super::record::Score;
use super::super::words::{printable, words};
use super::rules::{Chance, Outcome, Over, RANKS, Rank, Refusal, SEATS, State};

/// The most letters of an answer that a failure shows.
const SHOWN: usize = 200;

/// BS, four of any number of bots, each process playing game after game.
#[derive(Clone, Copy, Debug)]
pub struct Bs {
    rounds: u64,
}

impl Bs {
    /// A game of at most so many rounds, in each of which every player lays once. The text has 1000.
    pub fn new(rounds: u64) -> Bs {
        Bs { rounds }
    }
}

impl Game for Bs {
    const LIFE: Life = Life::Match;

    fn name(&self) -> &'static str {
        "bs"
    }

    fn seats(&self, bots: usize) -> std::result::Result<usize, String> {
        if bots < SEATS {
            return Err(format!(
                "BS is for four bots or more, not {bots}; a bot may be named more than once"
            ));
        }
        Ok(SEATS)
    }

    fn play(&self, round: &Round, players: &mut dyn Players) -> Result<Ending> {
        let mut cards = round.random(0);
        let mut state = State::deal(self.rounds, &mut |deck| cards.shuffle(deck));
        let mut later = round.random(1);
        play_from(&mut state, &round.names, &mut |bound| later.below(bound), players)
    }
}

/// Plays on from a given state.
fn play_from(
    state: &mut State,
    names: &[String],
    chance: Chance,
    players: &mut dyn Players,
) -> Result<Ending> {
    for seat in 0..SEATS {
        players.tell(seat, &format!("START {seat} {SEATS}"));
        players.tell(seat, &format!("HAND {}", list(state.hand(seat))));
    }
    players.show(&mut || opening(state, names));
    let mut turns = 0;
    let mut last_out = None;
    while state.over().is_none() {
        let mover = state.mover();
        if state.is_live(mover) {
            turns += 1;
            turn(state, names, chance, players, &mut last_out)?;
        } else {
            state.skip();
        }
        if state.opens_round() || state.over().is_some() {
            players.tell_all(state.live(), &format!("ROUND {}", public(state)));
        }
    }
    let winner = state.winner();
    let end = winner.map_or("END -1".to_owned(), |seat| format!("END {seat}"));
    players.tell_all(state.live(), &end);
    players.show(&mut || ending(state, names));
    Ok(Ending {
        reason: match state.over() {
            Some(Over::RoundLimit) => Reason::RoundLimit,
            Some(Over::LastOne(_)) => Reason::Bot(last_out.expect("the others are out")),
            Some(Over::Emptied(_)) | None => Reason::Won,
        },
        score: Score::Winners(winner.into_iter().collect()),
        turns,
    })
}

/// The mover lays, the others are asked, the cards go where they belong.
fn turn(
    state: &mut State,
    names: &[String],
    chance: Chance,
    players: &mut dyn Players,
    last_out: &mut Option<usize>,
) -> Result<()> {
    let (mover, rank) = (state.mover(), state.rank());
    let title = format!(
        "round {}: {} lays rank {rank}",
        state.round() + 1,
        names[mover]
    );
    players.tell(mover, &format!("PLAY {rank} {}", public(state)));
    let laid = match players.ask_one(mover, &mut |_| true)? {
        Err(failure) => Err(failure),
        Ok(line) => cards(&line).and_then(|ranks| {
            let refused = |refusal| Failure::illegal(refused(rank, refusal));
            state.lay(&ranks).map_err(refused)
        }),
    };
    if let Err(failure) = laid {
        players.fail(mover, failure.clone())?;
        state.remove(mover);
        state.skip();
        *last_out = Some(mover);
        players.show(&mut || {
            let what = format!("{} is out: {failure}", names[mover]);
            let scene = Scene::default().line(Tone::Title, title.as_str());
            table(scene.line(Tone::Trouble, what), state, names)
        });
        return Ok(());
    }

    let (laid, lie) = (state.laid().to_vec(), state.is_lie());
    let others: Vec<usize> = state.live().filter(|&seat| seat != mover).collect();
    let claim = format!("CLAIM {mover} {rank} {} {}", laid.len(), public(state));
    players.tell_all(others.iter().copied(), &claim);
    let replies = players.ask(&others, &mut |_, _| true)?;
    let mut callers = Vec::new();
    let mut fallen = Vec::new();
    for (&seat, reply) in others.iter().zip(replies) {
        match reply.and_then(|line| calls(&line)) {
            Ok(true) => callers.push(seat),
            Ok(false) => {}
            Err(failure) => {
                players.fail(seat, failure.clone())?;
                state.remove(seat);
                *last_out = Some(seat);
                fallen.push(format!("{} is out: {failure}", names[seat]));
            }
        }
    }

    let outcome = state.settle(&callers, chance);
    match &outcome {
        Outcome::Uncalled => {}
        Outcome::Truth { caller, taken } => {
            players.tell(*caller, &format!("TAKE {}", list(taken)));
        }
        Outcome::Lie {
            caller,
            taken,
            given,
        } => {
            players.tell(mover, &format!("TAKE {}", list(taken)));
            players.tell(*caller, &format!("GIVE {given}"));
        }
    }
    players.tell_all(state.live(), &format!("STATE {}", public(state)));
    players.show(&mut || {
        let truth = if lie { "a lie" } else { "true" };
        let mut scene = Scene::default().line(Tone::Title, title.as_str()).line(
            Tone::Move,
            format!(
                "{} claims {} of rank {rank} and lays {} ({truth})",
                names[mover],
                laid.len(),
                list(&laid)
            ),
        );
        for what in &fallen {
            scene = scene.line(Tone::Trouble, what.as_str());
        }
        if let Some(what) = called(&outcome, names, mover, &callers) {
            scene = scene.line(Tone::Say, what);
        }
        table(scene, state, names)
    });
    Ok(())
}

/// What all may know: the sizes of the hands and of the pile.
fn public(state: &State) -> String {
    let [a, b, c, d] = state.sizes();
    format!("SIZES {a} {b} {c} {d} PILE {}", state.pile().len())
}

/// Ranks in a line, one blank between them.
fn list(ranks: &[Rank]) -> String {
    let words: Vec<String> = ranks.iter().map(Rank::to_string).collect();
    words.join(" ")
}

/// The ranks of an answer to `PLAY`; whether they may be laid is for the rules.
fn cards(line: &[u8]) -> std::result::Result<Vec<Rank>, Failure> {
    words(line)
        .map(|word| {
            let digits = word.iter().all(u8::is_ascii_digit);
            let number = str::from_utf8(word).ok().filter(|_| digits);
            number
                .and_then(|number| number.parse::<Rank>().ok())
                .filter(|&rank| u64::from(rank) < RANKS)
                .ok_or_else(|| {
                    Failure::protocol(format!(
                        "PLAY was answered `{}`; ranks from 0 to 12 are due",
                        printable(line, SHOWN)
                    ))
                })
        })
        .collect()
}

/// Whether an answer to `CLAIM` calls the claim a lie.
fn calls(line: &[u8]) -> std::result::Result<bool, Failure> {
    let words: Vec<&[u8]> = words(line).collect();
    match words.as_slice() {
        [b"BS"] => Ok(true),
        [b"PASS"] => Ok(false),
        _ => Err(Failure::protocol(format!(
            "CLAIM was answered `{}`; BS or PASS is due",
            printable(line, SHOWN)
        ))),
    }
}

fn refused(due: Rank, refusal: Refusal) -> String {
    match refusal {
        Refusal::Nothing => format!("laid no card for rank {due}; at least one is due"),
        Refusal::NotHeld { rank, laid, held } => {
            format!("laid {laid} of rank {rank} and held {held}")
        }
    }
}

/// Who called and what it led to, for people.
fn called(outcome: &Outcome, names: &[String], mover: usize, callers: &[usize]) -> Option<String> {
    let all: Vec<&str> = callers.iter().map(|&seat| names[seat].as_str()).collect();
    let drawn = |caller: usize| {
        let (verb, drawn) = match all.len() {
            1 => ("calls", String::new()),
            _ => ("call", format!(", {} is drawn", names[caller])),
        };
        format!("{} {verb} BS{drawn}", all.join(" and "))
    };
    match outcome {
        Outcome::Uncalled => None,
        Outcome::Truth { caller, taken } => Some(format!(
            "{}, is wrong and takes {}",
            drawn(*caller),
            counted(taken.len())
        )),
        Outcome::Lie {
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

fn opening(state: &State, names: &[String]) -> Scene {
    let scene = Scene::default().line(Tone::Title, format!("BS: {}", names.join(", ")));
    table(scene, state, names)
}

/// Adds the hands, sorted, and the pile.
fn table(mut scene: Scene, state: &State, names: &[String]) -> Scene {
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

fn ending(state: &State, names: &[String]) -> Scene {
    let text = match state.over() {
        Some(Over::Emptied(seat)) => format!("{} won with an empty hand", names[seat]),
        Some(Over::LastOne(seat)) => format!("{} won as the last one left", names[seat]),
        Some(Over::RoundLimit) | None => "nobody won, for the rounds are over".to_owned(),
    };
    Scene::default().line(Tone::End, text)
}
