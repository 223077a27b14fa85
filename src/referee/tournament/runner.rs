//! A match: the games of a schedule on several threads, their records in the order of their numbers.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::record::{Failed, GameRecord};
use super::schedule::Schedule;
use crate::referee::host::bot::{Bot, BotError, Program};
use crate::referee::host::game::{CardGame, Fixture, Halt, Reason};
use crate::referee::host::isolate;
use crate::referee::host::keeper::{Fate, Keeper};
use crate::referee::host::launch::{CANNOT_START, CANNOT_START_CODE};
use crate::referee::host::process::Process;
use crate::referee::host::settings::{GameWatcher, Settings};
use crate::referee::host::stop::StopRequest;
use crate::referee::host::table::{BotTable, not_started};

/// A match about to be played.
pub struct MatchRun<'a, G> {
    /// The game.
    pub game: &'a G,
    /// The bots, with unique names.
    pub bots: &'a [Bot],
    /// Who plays when.
    pub schedule: &'a Schedule,
    /// How.
    pub settings: &'a Settings,
}

/// Why a match ended early.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// It was stopped; the records given until then stand.
    #[error("stopped")]
    Stopped,
    /// A bot cannot be started.
    #[error(transparent)]
    Bot(#[from] BotError),
    /// This machine cannot hold bots apart.
    #[error("{0}")]
    Isolation(String),
    /// The referee's own trouble.
    #[error("{0}")]
    Trouble(String),
    /// What receives the records failed.
    #[error("{0}")]
    Sink(#[from] std::io::Error),
}

impl From<Halt> for MatchError {
    fn from(halt: Halt) -> MatchError {
        match halt {
            Halt::Stopped => MatchError::Stopped,
            Halt::Trouble(why) => MatchError::Trouble(why),
        }
    }
}

/// Receives each game's record, with the slowest answer of every seat, and says whether to go on.
pub type RecordSink<'a> =
    dyn FnMut(&GameRecord, &[Duration]) -> std::io::Result<ControlFlow<()>> + 'a;

/// A game's record, and what was measured of it.
type GamePlayed = (GameRecord, Vec<Duration>);

impl<G: CardGame> MatchRun<'_, G> {
    /// Starts every bot once and ends it again, so that one that cannot be started is an error before
    /// the first game.
    ///
    /// # Errors
    /// When a bot cannot be started.
    pub fn try_bots(&self) -> Result<(), MatchError> {
        for bot in self.bots {
            bot.check()?;
        }
        if self.settings.isolate {
            isolate::probe().map_err(MatchError::Isolation)?;
        }
        let trouble = |error: std::io::Error| MatchError::Trouble(error.to_string());
        let mut keeper = self.keeper()?;
        for bot in self.bots {
            let started = keeper
                .launch(
                    &bot.program,
                    self.settings.limits_of(bot),
                    self.settings.isolate,
                )
                .map_err(trouble)?;
            let mut process = Process::new(started).map_err(trouble)?;
            let patience = self.settings.timeout + self.settings.startup;
            let runs = matches!(bot.program, Program::Builtin { .. })
                || keeper.await_exec(process.pid, patience).map_err(trouble)?;
            let fates = keeper
                .finish(vec![process.pid], Duration::ZERO)
                .map_err(trouble)?;
            if runs {
                continue;
            }
            process.drain_errors();
            let errors = process.errors.head();
            let why = match fates.first() {
                Some(Fate::Exited(CANNOT_START_CODE))
                    if errors.starts_with(CANNOT_START.as_bytes()) =>
                {
                    not_started(errors)
                }
                // It ran, and was over before it was looked at.
                Some(Fate::Exited(_)) => continue,
                Some(Fate::Signaled(signal)) => format!(
                    "it ended by signal {signal} while it started; are the limits too narrow?"
                ),
                _ => format!("it did not start in {} s", patience.as_secs_f64()),
            };
            return Err(BotError::NotRunnable {
                bot: bot.text.clone(),
                why,
            }
            .into());
        }
        Ok(())
    }

    /// Plays these games and hands each one's record to `sink` in the order of their numbers, with
    /// the slowest answer of every seat. The match ends early, and well, when `sink` says so. A
    /// `watcher` follows the games; with one, there is one job.
    ///
    /// # Errors
    /// When it was stopped, or for the referee's own trouble; never because of what a bot did.
    pub fn play(
        &self,
        games: Range<u64>,
        stop: &StopRequest,
        mut watcher: Option<GameWatcher>,
        sink: &mut RecordSink<'_>,
    ) -> Result<(), MatchError> {
        let left = games.end.saturating_sub(games.start);
        let jobs = match watcher {
            Some(_) => 1,
            None => (self.settings.jobs.max(1) as u64).min(left) as usize,
        };
        let next = AtomicU64::new(games.start);
        let over = AtomicBool::new(false);
        let (send, receive) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..jobs {
                let (send, next, over) = (send.clone(), &next, &over);
                let watcher = watcher.take();
                let end = games.end;
                scope.spawn(move || {
                    let result = self.job(next, end, stop, over, watcher, &send);
                    if let Err(error) = result {
                        let _ = send.send(Err(error));
                    }
                });
            }
            drop(send);
            let mut waiting: BTreeMap<u64, GamePlayed> = BTreeMap::new();
            let mut due = games.start;
            let mut failure: Option<MatchError> = None;
            let mut enough = false;
            for message in receive {
                match message {
                    Ok(played) => drop(waiting.insert(played.0.game, played)),
                    // The first trouble is told; that others were stopped by it is not.
                    Err(error) => {
                        over.store(true, Ordering::Relaxed);
                        let replace = matches!(failure, None | Some(MatchError::Stopped));
                        if replace {
                            failure = Some(error);
                        }
                    }
                }
                while let Some((record, slowest)) = waiting.remove(&due) {
                    due += 1;
                    match sink(&record, &slowest) {
                        Ok(ControlFlow::Continue(())) => {}
                        // What other threads still play is not wanted, and their trouble neither.
                        Ok(ControlFlow::Break(())) => {
                            over.store(true, Ordering::Relaxed);
                            enough = true;
                            due = u64::MAX;
                        }
                        Err(error) => {
                            over.store(true, Ordering::Relaxed);
                            failure = Some(error.into());
                            due = u64::MAX;
                        }
                    }
                }
            }
            failure.filter(|_| !enough).map_or(Ok(()), Err)
        })
    }

    /// Plays game after game on one thread, with one keeper and its own processes.
    fn job(
        &self,
        next: &AtomicU64,
        end: u64,
        stop: &StopRequest,
        over: &AtomicBool,
        mut watcher: Option<GameWatcher>,
        send: &mpsc::Sender<Result<GamePlayed, MatchError>>,
    ) -> Result<(), MatchError> {
        let mut keeper = self.keeper()?;
        let mut pool: Vec<Option<Process>> = self.bots.iter().map(|_| None).collect();
        loop {
            if over.load(Ordering::Relaxed) {
                return Ok(());
            }
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= end {
                return Ok(());
            }
            if stop.requested() {
                return Err(MatchError::Stopped);
            }
            let played = self.game(number, &mut keeper, &mut pool, stop, watcher.as_mut())?;
            if send.send(Ok(played)).is_err() {
                return Ok(());
            }
        }
    }

    fn game(
        &self,
        number: u64,
        keeper: &mut Keeper,
        pool: &mut [Option<Process>],
        stop: &StopRequest,
        watcher: Option<&mut GameWatcher>,
    ) -> Result<GamePlayed, MatchError> {
        let pairing = self.schedule.game(number);
        let names: Vec<String> = pairing
            .seats
            .iter()
            .map(|&bot| self.bots[bot].name.clone())
            .collect();
        let round = Fixture {
            number,
            deal: pairing.deal,
            variant: pairing.variant,
            names: names.clone(),
            seed: self.schedule.seed,
        };
        let mut table = BotTable::open(
            keeper,
            self.settings,
            stop,
            watcher,
            self.bots,
            &pairing.seats,
            pool,
            &round,
        )?;
        let ending = self.game.play(&round, &mut table)?;
        let cleared = table.close(G::LIFE, pool)?;
        let failures: Vec<Failed> = cleared
            .failures
            .into_iter()
            .enumerate()
            .filter_map(|(seat, failure)| {
                Some(Failed {
                    seat,
                    bot: names[seat].clone(),
                    failure: failure?,
                })
            })
            .collect();
        let reason = match ending.reason {
            Reason::Won => "won",
            Reason::DeckOut => "deck-out",
            Reason::Draw => "draw",
            Reason::RoundLimit => "round-limit",
            Reason::Bot(seat) => failures
                .iter()
                .find(|failed| failed.seat == seat)
                .map_or("protocol", |failed| failed.failure.kind.word()),
        };
        let record = GameRecord {
            game: number,
            deal: pairing.deal,
            variant: self.game.variants().into_iter().nth(pairing.variant),
            seats: names,
            reason: reason.to_owned(),
            score: ending.score,
            turns: ending.turns,
            moves: ending.moves,
            failures,
        };
        Ok((record, cleared.slowest))
    }

    fn keeper(&self) -> Result<Keeper, MatchError> {
        Keeper::start(&self.settings.program).map_err(|error| {
            let program = self.settings.program.display();
            MatchError::Trouble(format!(
                "cannot start the keeper of the bots, {program}: {error}"
            ))
        })
    }
}
