//! What a game brings to the referee, and what the referee offers a game.
//!
//! A game is a plain function: [`CardGame::play`] deals, tells, asks, and comes back with a [`GameEnd`].
//! It never sees a process, a clock or a file, only [`Players`]; so the same code is judged by a
//! script in a test.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::chance::Generator;

/// A place at the table, counted from 0.
pub type SeatIndex = usize;

/// How long the process of a bot lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Life {
    /// A fresh process for every game, killed at its end.
    Game,
    /// One process for game after game; after a failure a fresh one for the next game.
    Match,
}

/// A game of cards for the referee. Rules and words, nothing else.
pub trait CardGame: Sync {
    /// How long a bot's process lives.
    const LIFE: Life;

    /// The game's name in records and on the command line.
    fn name(&self) -> &'static str;

    /// How many seats a game has when `bots` bots take part, or why that number cannot play.
    fn seats(&self, bots: usize) -> std::result::Result<usize, String>;

    /// Names of the variants, each of which is played once a deal. Most games have none.
    fn variants(&self) -> Vec<String> {
        Vec::new()
    }

    /// Plays one game. An error means that the match was stopped, never that a bot misbehaved.
    fn play(&self, round: &Fixture, players: &mut dyn Players) -> Result<GameEnd>;
}

/// One game of a schedule, as the game sees it.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// The game's number in the match, from 0.
    pub number: u64,
    /// The deal's number, from 0: the same deal is played under each seating and variant.
    pub deal: u64,
    /// The index among [`CardGame::variants`]; 0 when there are none.
    pub variant: usize,
    /// The bots' names by seat: unique, printable, without blanks.
    pub names: Vec<String>,
    /// The seed of the match.
    pub seed: u64,
}

impl Fixture {
    /// A generator of this *deal*: the same whatever the seating, the variant, the number of jobs.
    /// Different streams of one deal (the cards, the chances taken later) are independent.
    pub fn random(&self, stream: u64) -> Generator {
        Generator::of(self.seed, self.deal, stream)
    }
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameEnd {
    /// Why it ended.
    pub reason: Reason,
    /// Who won, or the points of every seat.
    pub score: Score,
    /// Turns (actions asked for) played.
    pub turns: u64,
    /// What the bots did, word by word, as the game writes it down: enough to play the game again by
    /// its rules, without the bots. Empty for a game that keeps no moves.
    pub moves: String,
}

/// The result of a game for its seats.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Score {
    /// The seats that won, sharing one win; empty when nobody did.
    Winners(Vec<usize>),
    /// The points of every seat.
    Points(Vec<i64>),
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// By its rules.
    Won,
    /// A card had to be drawn and there was none, or the cap on turns was reached.
    DeckOut,
    /// By its rules, without a winner.
    Draw,
    /// By the limit on rounds.
    RoundLimit,
    /// By the failure of the bot of this seat, which was reported before.
    Bot(SeatIndex),
}

/// What a bot did wrong, in one word for tables and records.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// Ended by a signal of its own doing.
    Crash,
    /// Ended by itself before its answer.
    Exit,
    /// No answer within the limit.
    Timeout,
    /// An action that the rules punish.
    Illegal,
    /// Words that are no action, closed streams, lines it would not read.
    Protocol,
    /// More lines or bytes than an action may have.
    Flood,
    /// Its program could not be run.
    NotStarted,
}

impl FailureKind {
    /// All kinds, in the order of tables.
    pub const ALL: [FailureKind; 7] = [
        FailureKind::Crash,
        FailureKind::Exit,
        FailureKind::Timeout,
        FailureKind::Illegal,
        FailureKind::Protocol,
        FailureKind::Flood,
        FailureKind::NotStarted,
    ];

    /// The word used in records and tables.
    pub fn word(self) -> &'static str {
        match self {
            FailureKind::Crash => "crash",
            FailureKind::Exit => "exit",
            FailureKind::Timeout => "timeout",
            FailureKind::Illegal => "illegal",
            FailureKind::Protocol => "protocol",
            FailureKind::Flood => "flood",
            FailureKind::NotStarted => "not-started",
        }
    }
}

/// What a bot did wrong. The detail never holds a measured time, so that a match played again gives
/// the same record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The kind.
    pub kind: FailureKind,
    /// One line for people; a bot's bytes in it are escaped.
    pub detail: String,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, detail: impl Into<String>) -> Failure {
        Failure {
            kind,
            detail: detail.into(),
        }
    }

    /// An action that the rules punish with the end of the game.
    pub fn illegal(detail: impl Into<String>) -> Failure {
        Failure::new(FailureKind::Illegal, detail)
    }

    /// Words that are no action.
    pub fn protocol(detail: impl Into<String>) -> Failure {
        Failure::new(FailureKind::Protocol, detail)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.word(), self.detail)
    }
}

/// Why a game could not be played to its end: nothing that a bot did.
#[derive(Debug, thiserror::Error)]
pub enum Halt {
    /// The match was stopped.
    #[error("the match was stopped")]
    Stopped,
    /// The referee's own trouble: no process, no file descriptor, no disk.
    #[error("{0}")]
    Trouble(String),
}

/// What a game's code gives back.
pub type Result<T> = std::result::Result<T, Halt>;

/// A bot's answer as it came, without its end of line, or what the bot did instead.
pub type Reply = std::result::Result<Vec<u8>, Failure>;

/// The bots at the table, as a game sees them.
///
/// A seat that failed stays failed until the game's end: its process is gone, what it is told goes
/// nowhere, what it is asked comes back with the same failure.
pub trait Players {
    /// Sends a line (without end of line) to a seat. Lines wait until the next [`ask`](Self::ask) or
    /// the end of the game, and then go out in order. Text must come from the game, never from a bot.
    fn tell(&mut self, seat: SeatIndex, line: &str);

    /// Asks these seats for an answer each, all at once, each with the full time for an action, and
    /// gives their replies in the order of `seats`.
    ///
    /// The prompt is whatever was told before. `heed` sees every line of a bot as it comes and says
    /// whether it is the answer; other lines are skipped, but counted: too many of them are a flood.
    /// `heed` must not depend on which of several seats spoke first.
    fn ask(
        &mut self,
        seats: &[SeatIndex],
        heed: &mut dyn FnMut(SeatIndex, &[u8]) -> bool,
    ) -> Result<Vec<Reply>>;

    /// Puts a bot out of the game for something that only the rules can tell. The first failure of a
    /// seat stays.
    fn fail(&mut self, seat: SeatIndex, failure: Failure) -> Result<()>;

    /// What the bot of this seat did wrong in this game, if anything.
    fn failed(&self, seat: SeatIndex) -> Option<&Failure>;

    /// Shows a step of the game to people who watch; `scene` is not called when nobody does.
    fn show(&mut self, scene: &mut dyn FnMut() -> Scene);
}

impl dyn Players + '_ {
    /// Sends a line to every seat of `seats`.
    pub fn tell_all(&mut self, seats: impl IntoIterator<Item = SeatIndex>, line: &str) {
        for seat in seats {
            self.tell(seat, line);
        }
    }

    /// Asks one seat; `heed` as in [`Players::ask`].
    pub fn ask_one(
        &mut self,
        seat: SeatIndex,
        heed: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Reply> {
        let mut replies = self.ask(&[seat], &mut |_, line| heed(line))?;
        Ok(replies.pop().expect("one reply a seat"))
    }
}

/// A step of a game for people: a few lines, each with its tone.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize)]
pub struct Scene {
    /// The lines, printable, in order.
    pub lines: Vec<(Tone, String)>,
}

/// How a line of a [`Scene`] is meant; the command line makes colours of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// What opens a game or a turn.
    Title,
    /// What lies on the table.
    Table,
    /// A hand.
    Hand,
    /// What a player does.
    Move,
    /// What a player says.
    Say,
    /// What went wrong.
    Trouble,
    /// How it ended.
    End,
}

impl Scene {
    /// Adds a line.
    pub fn line(mut self, tone: Tone, text: impl Into<String>) -> Scene {
        self.lines.push((tone, text.into()));
        self
    }
}
