//! Plays a unit, block by block, for a host.

use std::ops::Range;
use std::thread::sleep;
use std::time::Duration;

use rayon::prelude::*;
use thiserror::Error;

use super::folder::{FolderError, UnitFolder};
use super::host::{Host, Wish};
use super::progress::{Game, Progress};
use super::unit::Unit;
use crate::deals::IndexedDeals;
use crate::game::lanes::{self, End, Kernel};
use crate::game::{Span, exact};
use crate::search::run::disk::Disk;

/// Deals in a block: well under a tenth of a second on one core, so that a host waits no longer.
const BLOCK: u128 = 1 << 18;

/// Tricks after which a game is looked at for a loop.
const CAP: u32 = 1000;

/// How long a pause lasts before the host is asked again.
const NAP: Duration = Duration::from_millis(50);

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Every deal was played, and the answer is written.
    Finished,
    /// The host wanted it to end; its checkpoint is written.
    Quit,
    /// The host wants no answer.
    Aborted,
}

/// Why a run ended early.
#[derive(Debug, Error)]
pub enum RunError {
    /// A file cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The threads cannot be started.
    #[error("{threads} threads cannot be started: {error}; use fewer with --threads")]
    Threads {
        /// How many.
        threads: usize,
        /// Why not.
        error: rayon::ThreadPoolBuildError,
    },
    /// The fast engine and the exact one do not agree: a fault of the program or of the machine.
    #[error(
        "deal {index}: the fast engine played {} cards in {} tricks, the exact engine does not: \
         the machine or the program is faulty; run `camicia bench` and report this deal",
        fast.cards,
        fast.tricks
    )]
    Disagreement {
        /// The index of the deal.
        index: u128,
        /// What the fast engine says.
        fast: Span,
    },
}

/// Plays the unit of `progress` to its end, or until the host wants no more of it.
///
/// # Errors
/// [`RunError`]. A checkpoint that cannot be written on the way is no error: the host is told, and
/// the last one is still whole.
pub fn run(
    folder: &UnitFolder,
    progress: &mut Progress,
    host: &mut dyn Host,
    kernel: Kernel,
    threads: usize,
    disk: &dyn Disk,
) -> Result<Ended, RunError> {
    let pool = match threads {
        1 => None,
        _ => Some(
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .map_err(|error| RunError::Threads { threads, error })?,
        ),
    };
    host.tell(progress.fraction());
    while !progress.is_done() {
        match host.wish() {
            Wish::Play => {}
            Wish::Pause => {
                sleep(NAP);
                continue;
            }
            Wish::Quit => {
                folder.save(progress, disk)?;
                host.saved();
                return Ok(Ended::Quit);
            }
            Wish::Abort => return Ok(Ended::Aborted),
        }
        let end = progress.unit().last() + 1;
        let blocks: Vec<Range<u128>> = (0..threads as u128)
            .map(|n| progress.next() + n * BLOCK)
            .take_while(|&from| from < end)
            .map(|from| from..(from + BLOCK).min(end))
            .collect();
        let played: Vec<Block> = match &pool {
            None => blocks
                .iter()
                .map(|block| play(kernel, block.clone()))
                .collect(),
            Some(pool) => pool.install(|| {
                let blocks = blocks.par_iter();
                blocks.map(|block| play(kernel, block.clone())).collect()
            }),
        };
        for (range, block) in blocks.into_iter().zip(played) {
            progress.add(range.end, block.longest, block.loops);
        }
        host.tell(progress.fraction());
        if host.save_now() && !progress.is_done() {
            match folder.save(progress, disk) {
                Ok(()) => host.saved(),
                Err(error) => host.not_saved(&error.to_string()),
            }
        }
    }
    if let Some(longest) = progress.longest() {
        prove(longest)?;
    }
    folder.save(progress, disk)?;
    folder.answer(progress, disk)?;
    host.saved();
    Ok(Ended::Finished)
}

/// The exact engine must say of a finished game what the fast one said.
fn prove(game: Game) -> Result<(), RunError> {
    let deal = Unit::deck()
        .deal_at(game.index, Unit::ORDER)
        .expect("an index of the unit");
    let verdict = exact::play(&deal);
    if verdict.is_loop() || verdict.played != game.played {
        return Err(RunError::Disagreement {
            index: game.index,
            fast: game.played,
        });
    }
    Ok(())
}

/// What a block came to.
struct Block {
    /// The longest finished game, the first of those of as many cards.
    longest: Option<Game>,
    loops: Vec<Game>,
}

impl Block {
    fn finish(&mut self, game: Game) {
        let longer = self.longest.is_none_or(|best| {
            let (new, old) = (game.played.cards, best.played.cards);
            new > old || new == old && game.index < best.index
        });
        if longer {
            self.longest = Some(game);
        }
    }
}

fn play(kernel: Kernel, range: Range<u128>) -> Block {
    let mut block = Block {
        longest: None,
        loops: Vec::new(),
    };
    let mut capped = Vec::new();
    let deck = Unit::deck();
    let mut feed =
        IndexedDeals::new(&deck, Unit::ORDER, range.clone()).expect("indices of the unit");
    lanes::play(kernel, &mut feed, CAP, &mut |game| {
        let index = range.start + u128::from(game.at);
        if game.end == End::Capped {
            capped.push(index);
            return;
        }
        let played = game.span();
        block.finish(Game { index, played });
    });
    for index in capped {
        let deal = deck
            .deal_at(index, Unit::ORDER)
            .expect("an index of the unit");
        let verdict = exact::play(&deal);
        let game = Game {
            index,
            played: verdict.played,
        };
        if verdict.is_loop() {
            block.loops.push(game);
        } else {
            block.finish(game);
        }
    }
    block
}
