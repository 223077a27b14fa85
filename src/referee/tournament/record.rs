//! What is kept of a match: a header and one line of JSON a game, in the order of the games' numbers.
//! Nothing in it was measured, so that the same match gives the same bytes.

use std::fs::File;
use std::io::{self, BufRead, Read as _, Seek, SeekFrom, Write};

use serde::{Deserialize, Serialize};

use super::course::Pairings;
use super::schedule::Seating;
use crate::referee::host::game::{Failure, FailureKind, Score};

/// The first line of a file of results: what must be the same to go on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// The game's name.
    #[serde(rename = "match")]
    pub game: String,
    /// [`Header::VERSION`].
    pub version: u32,
    /// The seed, in decimal digits.
    pub seed: String,
    /// The bots in order: name and text.
    pub bots: Vec<(String, String)>,
    /// Who sits where.
    pub seating: Seating,
    /// Who meets whom, in a tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairings: Option<Pairings>,
    /// How many sit at a table, in a tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<usize>,
    /// The options of the game that change its rules, in words.
    #[serde(default)]
    pub rules: Vec<String>,
}

/// A bot's failure in a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failed {
    /// Its seat.
    pub seat: usize,
    /// Its name.
    pub bot: String,
    /// What it did.
    #[serde(flatten)]
    pub failure: Failure,
}

/// One game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// The game's number, from 0.
    pub game: u64,
    /// The deal's number, from 0.
    pub deal: u64,
    /// The variant's name, where the game has variants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The bots' names by seat.
    pub seats: Vec<String>,
    /// Why it ended, in one word.
    pub reason: String,
    /// Who won, or the points.
    #[serde(flatten)]
    pub score: Score,
    /// Turns played.
    pub turns: u64,
    /// What the bots did, in the words of the game; empty where it was not kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub moves: String,
    /// What went wrong, by seat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failed>,
}

/// Why a file of results cannot be resumed.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It could not be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Its first line is no header of ours.
    #[error("its first line is not the header of a match: {0}")]
    NoHeader(String),
    /// It was written by another version.
    #[error("it is of version {0}, and this program writes version {ours}; use the program that wrote it", ours = Header::VERSION)]
    Version(u32),
    /// It is of another match.
    #[error(
        "it is of another match: its {what} is {theirs}, and {ours} was asked for; for a new match give --results another name"
    )]
    Other {
        /// What differs.
        what: &'static str,
        /// What the file says.
        theirs: String,
        /// What was asked for.
        ours: String,
    },
    /// A line is no record, or not the right one.
    #[error("line {line}: {why}; without that line and all after it the match can be resumed")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong.
        why: String,
    },
}

/// The most bytes of a line. A game of ours is a few kilobytes.
const LINE_BYTES: u64 = 64 << 20;

/// Reads the line of this number with its end, and gives its length, 0 at the end of the file.
///
/// # Errors
/// When it cannot be read. A line of over 64 MiB is [`io::ErrorKind::InvalidData`] and not read whole.
pub fn read_line(
    input: &mut (impl BufRead + ?Sized),
    number: u64,
    line: &mut Vec<u8>,
) -> io::Result<usize> {
    line.clear();
    let length = input.take(LINE_BYTES + 1).read_until(b'\n', line)?;
    if length as u64 > LINE_BYTES {
        let why = format!(
            "line {number} is over {} MiB long, which no game is",
            LINE_BYTES >> 20
        );
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    Ok(length)
}

/// A line without the byte-order mark that some editors put before a text.
pub fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
}

impl Header {
    /// The version of the lines.
    pub const VERSION: u32 = 1;

    /// Reads a file of results of this very match, and leaves it at its end, ready to be written on.
    /// A last line that was cut off is removed. `each` takes in the games, and may refuse one.
    ///
    /// # Errors
    /// When the file is of another match or version, or damaged.
    pub fn resume(
        &self,
        file: &mut File,
        each: &mut dyn FnMut(GameRecord) -> Result<(), String>,
    ) -> Result<u64, RecordError> {
        let mut reader = io::BufReader::new(&mut *file);
        let mut line = Vec::new();
        let mut good = 0u64;
        let mut next = 0u64;
        for number in 1u64.. {
            let length = read_line(&mut reader, number, &mut line)?;
            if line.last() != Some(&b'\n') {
                if number == 1 && !self.begins_with(&line)? {
                    let why = "it has no end of line";
                    return Err(RecordError::NoHeader(why.to_owned()));
                }
                break;
            }
            if number == 1 {
                let theirs: Header = serde_json::from_slice(without_mark(&line))
                    .map_err(|error| RecordError::NoHeader(error.to_string()))?;
                self.must_equal(&theirs)?;
            } else {
                let fault = |why: String| RecordError::Line { line: number, why };
                let record: GameRecord = serde_json::from_slice(&line)
                    .map_err(|error| fault(format!("it is no game: {error}")))?;
                if record.game != next {
                    return Err(fault(format!("game {next} was due, not {}", record.game)));
                }
                next += 1;
                each(record).map_err(fault)?;
            }
            good += length as u64;
        }
        drop(reader);
        file.set_len(good)?;
        file.seek(SeekFrom::Start(good))?;
        if good == 0 {
            self.write(file)?;
        }
        Ok(next)
    }

    /// Whether this is what a referee writes of the header before it is killed.
    fn begins_with(&self, start: &[u8]) -> io::Result<bool> {
        let mut whole = Vec::new();
        self.write(&mut whole)?;
        Ok(whole.starts_with(start))
    }

    /// Writes the first line.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        write_line(self, out)
    }

    fn must_equal(&self, theirs: &Header) -> Result<(), RecordError> {
        if theirs.version != self.version {
            return Err(RecordError::Version(theirs.version));
        }
        let bots = |header: &Header| {
            let names: Vec<String> = header
                .bots
                .iter()
                .map(|(name, text)| format!("{name} ({text})"))
                .collect();
            names.join(", ")
        };
        let pairings = |header: &Header| match (&header.pairings, header.table) {
            (Some(pairings), Some(table)) => format!("{pairings} at tables of {table}"),
            _ => "one table".to_owned(),
        };
        let rules = |header: &Header| format!("`{}`", header.rules.join(" "));
        let pairs = [
            ("game", theirs.game.clone(), self.game.clone()),
            ("seed", theirs.seed.clone(), self.seed.clone()),
            ("list of bots", bots(theirs), bots(self)),
            (
                "seating",
                format!("{:?}", theirs.seating),
                format!("{:?}", self.seating),
            ),
            ("way of pairing", pairings(theirs), pairings(self)),
            ("set of rules", rules(theirs), rules(self)),
        ];
        for (what, theirs, ours) in pairs {
            if theirs != ours {
                return Err(RecordError::Other { what, theirs, ours });
            }
        }
        Ok(())
    }
}

impl GameRecord {
    /// Writes the line of this game.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        write_line(self, out)
    }

    /// The failures of one kind, for counting.
    pub fn count(&self, bot: &str, kind: FailureKind) -> u64 {
        let is = |failed: &&Failed| failed.bot == bot && failed.failure.kind == kind;
        self.failures.iter().filter(is).count() as u64
    }
}

fn write_line(value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    out.write_all(&line)
}
