//! How far a unit is, what it found so far, and both as bytes: the checkpoint and the answer.
//!
//! The checkpoint is text, so that people can look at it, and ends with its own checksum:
//!
//! ```text
//! camicia work unit, state 1
//! unit 0 999999999
//! next 4194304
//! finished 81920 2115 301
//! loop 99 474 66
//! crc32 8f3a01bc
//! ```
//!
//! `next` is the first index that was not played; `finished` is the longest finished game so far
//! (no line if none); a `loop` is a game that never ends, in the order of the indices. The numbers
//! of a game are its index, its cards and its tricks. The checksum is that of the bytes before its
//! line.

use std::fmt::Write;

use thiserror::Error;

use super::unit::Unit;
use crate::game::Span;

/// The first line of a checkpoint of this version.
const HEAD: &str = "camicia work unit, state 1";

/// What the first line of every version begins with.
const HEAD_OF_ALL: &str = "camicia work unit, state ";

/// A game worth a line of the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Game {
    /// The index of its deal.
    pub index: u128,
    /// What is played; for a loop, until a state came back.
    pub played: Span,
}

/// How far a unit is, and what it found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    unit: Unit,
    /// The first index that was not played: at most one past the last.
    next: u128,
    longest: Option<Game>,
    /// In the order of their indices.
    loops: Vec<Game>,
}

/// Why a checkpoint cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StateError {
    /// It was not written by this program.
    #[error("it is not a checkpoint of this program")]
    Foreign,
    /// It is of a version that this program does not know.
    #[error(
        "it is of version {0}, and this program knows version 1 only: use a newer release of \
         camicia"
    )]
    Version(String),
    /// Bytes of it were changed or lost.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// It is of another unit.
    #[error("it belongs to the unit {first} {last}")]
    OtherUnit {
        /// The first index of that unit.
        first: u128,
        /// Its last index.
        last: u128,
    },
}

impl Progress {
    /// Nothing was played yet.
    pub fn begin(unit: Unit) -> Progress {
        Progress {
            unit,
            next: unit.first(),
            longest: None,
            loops: Vec::new(),
        }
    }

    /// The unit.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The first index that was not played.
    pub fn next(&self) -> u128 {
        self.next
    }

    /// Whether every deal was played.
    pub fn is_done(&self) -> bool {
        self.next > self.unit.last()
    }

    /// The share of the deals that were played, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        (self.next - self.unit.first()) as f64 / self.unit.deals() as f64
    }

    /// The longest finished game so far, the first of those of as many cards.
    pub fn longest(&self) -> Option<Game> {
        self.longest
    }

    /// The loops so far, in the order of their indices.
    pub fn loops(&self) -> &[Game] {
        &self.loops
    }

    /// Adds the deals from [`next`](Self::next) up to but not `to`: the longest finished game among
    /// them, and their loops in any order.
    pub(super) fn add(&mut self, to: u128, longest: Option<Game>, mut loops: Vec<Game>) {
        debug_assert!(self.next < to && to <= self.unit.last() + 1);
        self.next = to;
        self.longest = match (self.longest, longest) {
            // Later deals must be longer: of ties the first one stays.
            (Some(before), Some(now)) if now.played.cards <= before.played.cards => Some(before),
            (before, now) => now.or(before),
        };
        loops.sort_unstable_by_key(|game| game.index);
        self.loops.append(&mut loops);
    }

    /// The answer so far: `finished,INDEX,CARDS,TRICKS`, if any game finished, then
    /// `loop,INDEX,CARDS,TRICKS` for each loop.
    pub fn answer(&self) -> String {
        self.lines(',')
    }

    fn lines(&self, between: char) -> String {
        let mut text = String::new();
        let finished = self.longest.iter().map(|game| ("finished", game));
        for (what, game) in finished.chain(self.loops.iter().map(|game| ("loop", game))) {
            let Game { index, played } = game;
            let Span { cards, tricks } = played;
            writeln!(
                text,
                "{what}{between}{index}{between}{cards}{between}{tricks}"
            )
            .expect("a string takes all");
        }
        text
    }

    /// The checkpoint.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = format!(
            "{HEAD}\nunit {} {}\nnext {}\n{}",
            self.unit.first(),
            self.unit.last(),
            self.next,
            self.lines(' ')
        );
        let sum = crc32fast::hash(text.as_bytes());
        writeln!(text, "crc32 {sum:08x}").expect("a string takes all");
        text.into_bytes()
    }

    /// Reads a checkpoint of `unit`.
    ///
    /// # Errors
    /// [`StateError`]: nothing of a checkpoint is used unless all of it is right.
    pub fn from_bytes(bytes: &[u8], unit: Unit) -> Result<Progress, StateError> {
        let damaged = |what: &str| StateError::Damaged(what.to_owned());
        if !bytes.starts_with(HEAD_OF_ALL.as_bytes()) {
            return Err(StateError::Foreign);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is no text"))?;
        let (head, _) = text
            .split_once('\n')
            .ok_or_else(|| damaged("it is cut off"))?;
        if head != HEAD {
            let version = head[HEAD_OF_ALL.len()..].chars().take(20).collect();
            return Err(StateError::Version(version));
        }
        let at = text.rfind("crc32 ").ok_or_else(|| damaged("no checksum"))?;
        let (covered, sum) = text.split_at(at);
        if sum != format!("crc32 {:08x}\n", crc32fast::hash(covered.as_bytes())) {
            return Err(damaged("its checksum is wrong"));
        }
        let mut lines = covered.lines().skip(1);
        let mut numbers = |what: &str, count: usize| {
            let line = lines.next()?;
            let mut words = line.split(' ');
            (words.next()? == what).then_some(())?;
            let found: Option<Vec<u128>> = words.map(|word| word.parse().ok()).collect();
            found.filter(|found| found.len() == count)
        };
        let ends = numbers("unit", 2).ok_or_else(|| damaged("no unit"))?;
        if (ends[0], ends[1]) != (unit.first(), unit.last()) {
            return Err(StateError::OtherUnit {
                first: ends[0],
                last: ends[1],
            });
        }
        let next = numbers("next", 1).ok_or_else(|| damaged("no next index"))?[0];
        if next < unit.first() || next > unit.last() + 1 {
            return Err(damaged("its next index is not of the unit"));
        }
        let mut progress = Progress {
            unit,
            next,
            ..Progress::begin(unit)
        };
        for line in covered.lines().skip(3) {
            let wrong = || damaged("a line that is no game of the unit");
            let (what, rest) = line.split_once(' ').ok_or_else(wrong)?;
            let found: Vec<u128> = rest
                .split(' ')
                .map(|word| word.parse().map_err(|_| wrong()))
                .collect::<Result<_, _>>()?;
            let &[index, cards, tricks] = &found[..] else {
                return Err(wrong());
            };
            let length = |number| u64::try_from(number).map_err(|_| wrong());
            let game = Game {
                index,
                played: Span {
                    cards: length(cards)?,
                    tricks: length(tricks)?,
                },
            };
            if !(unit.first()..next).contains(&index) {
                return Err(wrong());
            }
            match what {
                "finished" if progress.longest.is_none() && progress.loops.is_empty() => {
                    progress.longest = Some(game);
                }
                "loop" if progress.loops.last().is_none_or(|last| last.index < index) => {
                    progress.loops.push(game);
                }
                _ => return Err(wrong()),
            }
        }
        Ok(progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(index: u128, cards: u64) -> Game {
        let tricks = cards / 7;
        Game {
            index,
            played: Span { cards, tricks },
        }
    }

    fn some() -> Progress {
        let mut progress = Progress::begin(Unit::new(10, 99).unwrap());
        progress.add(
            20,
            Some(game(12, 70)),
            vec![game(15, 700), game(11, 77), game(19, 7)],
        );
        progress
    }

    #[test]
    fn the_first_of_ties_stays_and_loops_come_in_order() {
        let mut progress = some();
        assert_eq!(
            progress.answer(),
            "finished,12,70,10\nloop,11,77,11\nloop,15,700,100\nloop,19,7,1\n"
        );
        progress.add(30, Some(game(25, 70)), vec![game(29, 14)]);
        assert_eq!(progress.longest(), Some(game(12, 70)));
        progress.add(100, Some(game(99, 71)), vec![]);
        assert_eq!(progress.longest(), Some(game(99, 71)));
        assert_eq!(progress.loops().len(), 4);
        assert!(progress.is_done() && progress.fraction() == 1.0);
    }

    #[test]
    fn a_checkpoint_is_read_as_it_was_written() {
        let unit = Unit::new(10, 99).unwrap();
        for progress in [Progress::begin(unit), some()] {
            let bytes = progress.to_bytes();
            assert_eq!(Progress::from_bytes(&bytes, unit), Ok(progress));
        }
    }

    #[test]
    fn a_checkpoint_that_is_not_whole_is_refused() {
        let (progress, unit) = (some(), some().unit());
        let bytes = progress.to_bytes();
        for at in 0..bytes.len() {
            assert!(
                Progress::from_bytes(&bytes[..at], unit).is_err(),
                "cut at {at}"
            );
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(
                Progress::from_bytes(&changed, unit).is_err(),
                "changed at {at}"
            );
        }
        let other = Unit::new(10, 98).unwrap();
        assert_eq!(
            Progress::from_bytes(&bytes, other),
            Err(StateError::OtherUnit {
                first: 10,
                last: 99
            })
        );
        for foreign in [&b""[..], b"4194304\n12 70\n", b"\x00\xff\xfe"] {
            assert_eq!(
                Progress::from_bytes(foreign, unit),
                Err(StateError::Foreign)
            );
        }
        let newer = b"camicia work unit, state 2\nunit 10 99\n";
        assert_eq!(
            Progress::from_bytes(newer, unit),
            Err(StateError::Version("2".to_owned()))
        );
    }

    #[test]
    fn a_checkpoint_with_a_right_checksum_and_wrong_games_is_refused() {
        let unit = Unit::new(10, 99).unwrap();
        for body in [
            "unit 10 99\nnext 9\n",
            "unit 10 99\nnext 101\n",
            "unit 10 99\n",
            "unit 10\nnext 20\n",
            "unit 10 99\nnext 20\nfinished 20 7 1\n",
            "unit 10 99\nnext 20\nloop 15 7 1\nloop 14 7 1\n",
            "unit 10 99\nnext 20\nloop 15 7 1\nfinished 14 7 1\n",
            "unit 10 99\nnext 20\nfinished 14 7\n",
            "unit 10 99\nnext 20\nlongest 14 7 1\n",
            "unit 10 99\nnext 20\nfinished 14 99999999999999999999 1\n",
        ] {
            let mut text = format!("{HEAD}\n{body}");
            let sum = crc32fast::hash(text.as_bytes());
            writeln!(text, "crc32 {sum:08x}").unwrap();
            let read = Progress::from_bytes(text.as_bytes(), unit);
            assert!(
                matches!(read, Err(StateError::Damaged(_))),
                "{body}: {read:?}"
            );
        }
    }
}
