//! Proves a file of results: every game is played again by its rules alone, from the moves that were
//! written down, and must come to the end that was recorded.
//!
//! What is proved: that the file is of one match with its seed, that each game has the cards and the
//! seats that the seed gives it, that every move was allowed (or punished as it was), that no card was
//! lost, and that score, turns and reason follow from the moves. What is not: that the bots chose these
//! moves, and that they answered in time.

use std::io::BufRead;

use super::games::replay::{Replay, Replayable};
use super::host::game::{Fixture, Reason};
use super::plan::{GameRules, PlanError};
use super::tournament::course::Course;
use super::tournament::record::{GameRecord, Header, read_line, without_mark};
use super::tournament::standings::Standings;

/// The most faults that a proof tells.
const TOLD: usize = 20;

/// What came of proving a file.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Proof {
    /// Games in the file.
    pub games: u64,
    /// Games that are proved.
    pub proved: u64,
    /// Games whose moves were not kept.
    pub without_moves: u64,
    /// Games and lines that are wrong.
    pub wrong: u64,
    /// The first of them: the line, from 1, and what is wrong.
    pub faults: Vec<(u64, String)>,
    /// Whether the last line is cut off; the games before it count.
    pub cut_off: bool,
}

/// Why a file cannot be proved at all.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// It could not be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Its first line is no header of ours.
    #[error("its first line is not the header of a match: {0}")]
    NoHeader(String),
    /// It was written by another version.
    #[error("it is of version {0}, and this program reads version {ours}; use the program that wrote it", ours = Header::VERSION)]
    Version(u32),
    /// Its header names rules that there are not.
    #[error("its first line: {0}")]
    Rules(#[from] PlanError),
    /// The game asked for is not in it.
    #[error("it has no game {wanted}; its games are 0 to {last}")]
    NoGame {
        /// The game asked for.
        wanted: u64,
        /// The last one.
        last: u64,
    },
    /// It has no game at all.
    #[error("it has no games")]
    Empty,
    /// The line of the game asked for is wrong.
    #[error("line {line}: {why}")]
    Game {
        /// Its number, from 1.
        line: u64,
        /// What is wrong.
        why: String,
    },
}

/// A file that is read game by game.
struct Reader<'a> {
    input: &'a mut dyn BufRead,
    rules: GameRules,
    course: Course,
    standings: Standings,
    seed: u64,
    line: u64,
    next: u64,
    buffer: Vec<u8>,
}

/// What a line holds.
enum Entry {
    Game(Box<GameRecord>, Result<Option<Replay>, String>),
    Wrong(String),
    CutOff,
    End,
}

/// Proves every game of a file.
///
/// # Errors
/// When it is no file of results, or cannot be read. Wrong games are no error, but counted.
pub fn verify_games(input: &mut dyn BufRead) -> Result<Proof, ProofError> {
    let mut reader = Reader::open(input)?;
    let mut proof = Proof::default();
    loop {
        let why = match reader.next()? {
            Entry::End => return Ok(proof),
            Entry::CutOff => {
                proof.cut_off = true;
                return Ok(proof);
            }
            Entry::Wrong(why) => why,
            Entry::Game(_, replay) => {
                proof.games += 1;
                match replay {
                    Ok(Some(_)) => {
                        proof.proved += 1;
                        continue;
                    }
                    Ok(None) => {
                        proof.without_moves += 1;
                        continue;
                    }
                    Err(why) => why,
                }
            }
        };
        proof.wrong += 1;
        if proof.faults.len() < TOLD {
            proof.faults.push((reader.line, why));
        }
    }
}

/// Plays one game of a file again.
///
/// # Errors
/// When the file is none of results, the game is not in it, or it does not come to the end that was
/// recorded.
pub fn replay_game(
    input: &mut dyn BufRead,
    number: u64,
) -> Result<(GameRecord, Replay), ProofError> {
    let mut reader = Reader::open(input)?;
    loop {
        let fault = |line, why| ProofError::Game { line, why };
        match reader.next()? {
            Entry::End | Entry::CutOff => {
                return Err(match reader.next {
                    0 => ProofError::Empty,
                    next => ProofError::NoGame {
                        wanted: number,
                        last: next - 1,
                    },
                });
            }
            Entry::Wrong(why) => return Err(fault(reader.line, why)),
            Entry::Game(record, replay) if record.game == number => {
                return match replay {
                    Ok(Some(replay)) => Ok((*record, replay)),
                    Ok(None) => Err(fault(
                        reader.line,
                        format!(
                            "game {number}: its moves were not kept, for an older version wrote it"
                        ),
                    )),
                    Err(why) => Err(fault(reader.line, format!("game {number}: {why}"))),
                };
            }
            Entry::Game(..) => {}
        }
    }
}

impl<'a> Reader<'a> {
    fn open(input: &'a mut dyn BufRead) -> Result<Reader<'a>, ProofError> {
        let mut first = Vec::new();
        read_line(input, 1, &mut first)?;
        let header: Header = serde_json::from_slice(without_mark(&first))
            .map_err(|error| ProofError::NoHeader(error.to_string()))?;
        if header.version != Header::VERSION {
            return Err(ProofError::Version(header.version));
        }
        let seed = header
            .seed
            .parse()
            .map_err(|_| ProofError::NoHeader(format!("its seed is `{}`", header.seed)))?;
        let rules = GameRules::of(&header)?;
        let names: Vec<String> = header.bots.iter().map(|(name, _)| name.clone()).collect();
        let seats = match header.table {
            Some(table) => Ok(table),
            None => rules.seats(names.len()).map_err(PlanError::Table),
        }?;
        let fits = rules.seats(seats).map_err(PlanError::Table)?;
        if fits != seats || names.len() < seats {
            let why = format!("{} bots at tables of {seats}", names.len());
            return Err(ProofError::NoHeader(why));
        }
        let course = Course::new(
            header.pairings.as_ref(),
            seed,
            names.len(),
            seats,
            rules.variants().len().max(1),
            header.seating,
        );
        Ok(Reader {
            input,
            standings: Standings::new(names, rules.variants()),
            rules,
            course,
            seed,
            line: 1,
            next: 0,
            buffer: Vec::new(),
        })
    }

    fn next(&mut self) -> Result<Entry, ProofError> {
        self.line += 1;
        if read_line(self.input, self.line, &mut self.buffer)? == 0 {
            return Ok(Entry::End);
        }
        if self.buffer.last() != Some(&b'\n') {
            return Ok(Entry::CutOff);
        }
        let record: GameRecord = match serde_json::from_slice(&self.buffer) {
            Ok(record) => record,
            Err(error) => return Ok(Entry::Wrong(format!("it is no game: {error}"))),
        };
        if record.game != self.next {
            let why = format!("game {} was due, not {}", self.next, record.game);
            self.next = record.game.saturating_add(1);
            return Ok(Entry::Wrong(why));
        }
        self.next += 1;
        let standings = &self.standings;
        self.course.come_to(record.game, || standings.worth());
        let name = |bot| standings.name(bot);
        let replay = prove_game(&self.rules, &self.course, self.seed, &name, &record);
        self.standings.add(&record);
        Ok(Entry::Game(Box::new(record), replay))
    }
}

/// Proves a game of the match whose course has come to it: its cards and seats are those that were
/// due, and by its moves it comes to the end that was recorded. None where the moves were not kept,
/// so that only cards and seats are known to be right.
///
/// # Errors
/// What is wrong.
pub fn prove_game<'n>(
    rules: &GameRules,
    course: &Course,
    seed: u64,
    name: &dyn Fn(usize) -> &'n str,
    record: &GameRecord,
) -> Result<Option<Replay>, String> {
    let pairing = course.schedule().game(record.game);
    let names: Vec<String> = pairing
        .seats
        .iter()
        .map(|&bot| name(bot).to_owned())
        .collect();
    differ("deal", &record.deal, &pairing.deal)?;
    differ("seats", &record.seats.join(" "), &names.join(" "))?;
    let variant = rules.variants().into_iter().nth(pairing.variant);
    differ(
        "variant",
        &record.variant.as_deref().unwrap_or("none"),
        &variant.as_deref().unwrap_or("none"),
    )?;
    let fixture = Fixture {
        number: record.game,
        deal: pairing.deal,
        variant: pairing.variant,
        names,
        seed,
    };
    let replay = match rules {
        GameRules::Uno(game) => game.replay(&fixture, &record.moves),
        GameRules::Bs(game) => game.replay(&fixture, &record.moves),
        GameRules::Barbu(game) => game.replay(&fixture, &record.moves),
    };
    let replay = match replay {
        Ok(replay) => replay,
        Err(_) if record.moves.is_empty() => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    differ("turns", &record.turns, &replay.turns)?;
    let score = |score| serde_json::to_string(score).unwrap_or_default();
    differ("score", &score(&record.score), &score(&replay.score))?;
    differ("reason", &record.reason.as_str(), &reason(record, &replay)?)?;
    Ok(Some(replay))
}

/// The word for the reason that the moves give.
fn reason<'r>(record: &'r GameRecord, replay: &Replay) -> Result<&'r str, String> {
    Ok(match replay.reason {
        Reason::Won => "won",
        Reason::DeckOut => "deck-out",
        Reason::Draw => "draw",
        Reason::RoundLimit => "round-limit",
        Reason::Bot(seat) => {
            let failed = record.failures.iter().find(|failed| failed.seat == seat);
            let failed = failed.ok_or_else(|| {
                format!("by its moves the bot at seat {seat} failed, and no failure is recorded")
            })?;
            failed.failure.kind.word()
        }
    })
}

/// That what was recorded is what the rules give.
fn differ<T: PartialEq + std::fmt::Display>(
    what: &str,
    recorded: &T,
    found: &T,
) -> Result<(), String> {
    match recorded == found {
        true => Ok(()),
        false => Err(format!(
            "its {what} is recorded as {recorded}, and the rules give {found}"
        )),
    }
}
