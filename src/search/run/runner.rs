//! The runner: plays the blocks of a plan on all threads, merges them in order, and saves.
//!
//! A way of searching (an [`AnyMethod`]) plays block `n` of its plan by itself, and merges the blocks,
//! in order, into a tally. So nothing that comes out depends on threads, stops or resumes. The runner knows no deck and no game, and prints nothing: it tells a [`Watch`].

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use super::clock::Clock;
use super::disk::Disk;
use super::status::{Live, Position, RunState, Status, host_name, time_text};
use super::store::{Extent, Held, Journal, Saved, StoreError};
use crate::game::Span;
use crate::search::finds::results::Find;
use crate::search::methods::{AnyMethod, AnyPart, AnyTally, Disagreement, Plan, Report};
use crate::search::plan::Fingerprint;
use crate::search::plan::shard::Shard;

/// Why a run stopped before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// A signal.
    Signal,
    /// A file named `stop` in the folder; it has been removed.
    File,
    /// The time limit.
    TimeLimit,
}

/// What a run came to.
#[derive(Debug)]
pub struct Ended {
    /// Why it stopped; `None` if all blocks are done.
    pub stop: Option<StopReason>,
    /// How many blocks of the shard are done.
    pub done: u64,
    /// The tally of those blocks.
    pub tally: AnyTally,
    /// The finds of those blocks, in `finds.jsonl`.
    pub finds: Extent,
    /// The last checkpoint failed, and this is why: what is on the disk is older.
    pub unsaved: Option<String>,
    /// How long this session took.
    pub elapsed: Duration,
    /// How many deals this session played.
    pub session_played: u128,
}

/// Why a run failed. A checkpoint of what was done before has been tried.
#[derive(Debug, Error)]
pub enum RunError {
    /// The state does not decode to this plan's tally.
    #[error("the state in {0} does not fit its plan; begin anew with --restart")]
    Tally(String),
    /// The first checkpoint failed.
    #[error("{path}: {error}")]
    FirstSave {
        /// The folder.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// A worker panicked.
    #[error("block {block} failed: {message}")]
    Panic {
        /// The block of the plan.
        block: u64,
        /// What the panic said.
        message: String,
    },
    /// The engines disagree.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(String),
    /// The state could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How far a run is.
#[derive(Clone, Debug)]
pub struct RunProgress {
    /// Blocks of the shard done.
    pub done: u64,
    /// Blocks of the shard; `None` if it has no end.
    pub total: Option<u64>,
    /// The tally in short.
    pub report: Report,
    /// Time since this session began.
    pub elapsed: Duration,
    /// Deals a second, lately.
    pub rate_now: f64,
    /// Deals a second, in this session.
    pub rate_mean: f64,
    /// Time to the end of the shard, at this session's rate.
    pub left: Option<Duration>,
    /// The last checkpoint failed, and this is why.
    pub unsaved: Option<String>,
}

/// Who is told how a run goes.
pub trait Watch {
    /// Several times a second.
    fn progress(&mut self, progress: &RunProgress);

    /// A loop, or the longest finished game so far, was written.
    fn found(&mut self, find: &Find);

    /// Something a person should know.
    fn warn(&mut self, message: &str);
}

/// A run.
pub struct Job<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its way of searching.
    pub method: &'a dyn AnyMethod,
    /// Which part of it.
    pub shard: Shard,
    /// Where it is saved.
    pub held: &'a Held,
    /// How many threads play.
    pub threads: usize,
    /// How long it may take; the first block (or wave) of a session is always finished, unless the
    /// limit is 0.
    pub time_limit: Option<Duration>,
    /// Whether a signal came.
    pub signal: &'a (dyn Fn() -> bool + Sync),
    /// The file system.
    pub disk: &'a dyn Disk,
    /// The clocks.
    pub clock: &'a dyn Clock,
    /// Who is told.
    pub watch: &'a mut dyn Watch,
}

/// How often signals, the stop file and the clock are looked at.
const TICK: Duration = Duration::from_millis(50);
/// The first checkpoint after the start; the next ones whenever the time has doubled, until the
/// plan's interval is reached.
const FIRST: Duration = Duration::from_secs(1);
/// A failed checkpoint is tried again after this, or after the plan's interval if that is less.
const RETRY: Duration = Duration::from_secs(10);
/// How often the status file is replaced.
const STATUS: Duration = Duration::from_secs(5);
/// The span of time over which the present rate is measured.
const LATELY: Duration = Duration::from_secs(10);
/// Blocks that may be played ahead of the last merged one, a thread.
const AHEAD: u64 = 8;

/// Which block a worker takes next.
struct Queue {
    next: u64,
    limit: u64,
    closed: bool,
    seen: Arc<AnyTally>,
}

struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
    quit: AtomicBool,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends the workers home, whatever happens to the one who merges.
struct Closing<'a>(&'a Shared);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.quit.store(true, Ordering::Relaxed);
        self.0.queue().closed = true;
        self.0.changed.notify_all();
    }
}

/// What a worker sends: `None` if it left, or the message of a panic.
type Sent = (u64, Result<Option<AnyPart>, String>);

fn work(method: &dyn AnyMethod, shard: Shard, shared: &Shared, send: &mpsc::Sender<Sent>) {
    loop {
        let mut queue = shared.queue();
        while !queue.closed && queue.next >= queue.limit {
            queue = shared
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if queue.closed {
            return;
        }
        let n = queue.next;
        queue.next += 1;
        let seen = Arc::clone(&queue.seen);
        drop(queue);
        let block = shard.block(n).expect("the limit is below the last block");
        let part = catch_unwind(AssertUnwindSafe(|| method.play(block, &seen, &shared.quit)))
            .map_err(|panic| panic_message(panic.as_ref()));
        if send.send((n, part)).is_err() {
            return;
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without words".to_owned())
}

/// Runs `job`, from `saved` if there is one, until all blocks of the shard are done or something
/// stops it.
///
/// # Errors
/// [`RunError`].
pub fn run(job: Job<'_>, saved: Option<Saved>) -> Result<Ended, RunError> {
    let folder = job.held.folder();
    let (done, finds, tally) = match saved {
        Some(saved) => {
            let tally = job
                .method
                .decode(&saved.tally)
                .ok_or_else(|| RunError::Tally(folder.path().display().to_string()))?;
            (saved.done, saved.finds, tally)
        }
        None => (0, Extent::default(), job.method.begin()),
    };
    // The shard's blocks must have numbers.
    let most = (u64::MAX - job.shard.at()) / job.shard.of();
    let total = job.method.blocks().map(|blocks| job.shard.share(blocks));
    let shared = Shared {
        queue: Mutex::new(Queue {
            next: done,
            limit: done,
            closed: false,
            seen: Arc::new(match job.method.wave() {
                Some(_) => job.method.copy(&tally),
                None => job.method.begin(),
            }),
        }),
        changed: Condvar::new(),
        quit: AtomicBool::new(false),
    };
    let report = job.method.report(&tally);
    let now = job.clock.elapsed();
    let mut run = Run {
        fingerprint: job.plan.fingerprint(),
        canonical: job.plan.canonical().as_str().to_owned(),
        journal: Journal::after(folder, finds),
        best: report.best.as_ref().map(|(best, _)| *best),
        begun: report.played,
        begun_done: done,
        start: now,
        next_save: now + FIRST.min(job.plan.common.checkpoint_every),
        next_status: now,
        samples: VecDeque::from([(now, report.played)]),
        save_error: None,
        unsaved: None,
        overdue: false,
        last: finds,
        end: total.unwrap_or(most).min(most),
        total,
        done,
        tally,
        job,
    };
    let (method, shard) = (run.job.method, run.job.shard);
    // A thread without a block of its own would be started for nothing.
    let useful = method.wave().unwrap_or(u64::MAX).min(run.end - done).max(1);
    run.job.threads = run
        .job
        .threads
        .min(usize::try_from(useful).unwrap_or(usize::MAX));
    run.save();
    if let Some(error) = run.save_error.take() {
        return Err(RunError::FirstSave {
            path: run.job.held.folder().path().display().to_string(),
            error,
        });
    }
    let stop = thread::scope(|scope| {
        let _closing = Closing(&shared);
        let (send, receive) = mpsc::channel();
        for n in 0..run.job.threads {
            let (send, shared) = (send.clone(), &shared);
            let worker = thread::Builder::new().name(format!("worker {n}"));
            let spawned = worker.spawn_scoped(scope, move || work(method, shard, shared, &send));
            if let Err(error) = spawned {
                if n == 0 {
                    return Err(RunError::Threads(error.to_string()));
                }
                let message = format!("only {n} threads could be started: {error}");
                run.job.watch.warn(&message);
                run.job.threads = n;
                break;
            }
        }
        drop(send);
        run.merge_all(&shared, &receive)
    });
    // Whatever happened, what was done is saved; but after a failed merge the tally may hold half a
    // block, and the last checkpoint must stand.
    if !matches!(stop, Err(RunError::Disagreement(_))) {
        run.save();
    }
    let stop = match stop {
        Ok(stop) => stop,
        Err(error) => {
            run.write_status(RunState::Failed);
            return Err(error);
        }
    };
    run.write_status(RunState::after(stop.is_some()));
    let progress = run.progress();
    run.job.watch.progress(&progress);
    Ok(Ended {
        stop,
        done: run.done,
        finds: run.last,
        unsaved: run.unsaved,
        elapsed: progress.elapsed,
        session_played: progress.report.played - run.begun,
        tally: run.tally,
    })
}

/// A run as the merging thread sees it.
struct Run<'a> {
    job: Job<'a>,
    fingerprint: Fingerprint,
    canonical: String,
    tally: AnyTally,
    journal: Journal,
    done: u64,
    /// Past the last block.
    end: u64,
    total: Option<u64>,
    /// The longest finished game so far.
    best: Option<Span>,
    /// What was played, and which blocks were done, before this session.
    begun: u128,
    begun_done: u64,
    start: Duration,
    next_save: Duration,
    next_status: Duration,
    /// Times and what was played then, over the last [`LATELY`].
    samples: VecDeque<(Duration, u128)>,
    /// The error of the last failed save.
    save_error: Option<io::Error>,
    unsaved: Option<String>,
    /// The time limit is over, and no block is done yet.
    overdue: bool,
    /// The finds of the last checkpoint.
    last: Extent,
}

impl Run<'_> {
    /// Merges blocks as they come, until the end or a reason to stop.
    fn merge_all(
        &mut self,
        shared: &Shared,
        receive: &mpsc::Receiver<Sent>,
    ) -> Result<Option<StopReason>, RunError> {
        let mut waiting: BTreeMap<u64, AnyPart> = BTreeMap::new();
        let mut next_tick = self.job.clock.elapsed();
        let mut wave_end = self.wave_end();
        self.hand_out(shared, wave_end);
        loop {
            if self.done == self.end {
                return Ok(None);
            }
            let now = self.job.clock.elapsed();
            if now >= next_tick {
                next_tick = now + TICK;
                if let Some(stop) = self.tick(now) {
                    return Ok(Some(stop));
                }
            }
            match receive.recv_timeout(TICK) {
                Ok((n, Ok(Some(part)))) => {
                    waiting.insert(n, part);
                }
                Ok((_, Ok(None))) | Err(RecvTimeoutError::Timeout) => {}
                Ok((n, Err(message))) => {
                    return Err(RunError::Panic {
                        block: self.job.shard.block(n).unwrap_or(n),
                        message,
                    });
                }
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("workers stay until they are sent home")
                }
            }
            // A wave is merged as a whole.
            if wave_end.is_some_and(|end| (waiting.len() as u64) < end - self.done) {
                continue;
            }
            let before = self.done;
            while let Some(part) = waiting.remove(&self.done) {
                self.merge(part)?;
            }
            if self.done > before {
                if wave_end.is_some() {
                    wave_end = self.wave_end();
                    shared.queue().seen = Arc::new(self.job.method.copy(&self.tally));
                }
                self.hand_out(shared, wave_end);
            }
        }
    }

    fn merge(&mut self, part: AnyPart) -> Result<(), RunError> {
        let block = self.job.shard.block(self.done).expect("below the end");
        let finds = self.job.method.merge(&mut self.tally, block, part)?;
        self.done += 1;
        for find in &finds {
            self.journal.push(&find.to_line());
            let longer = self.best.is_none_or(|best| find.played > best);
            if find.is_loop() {
                self.job.watch.found(find);
            } else if longer {
                self.best = Some(find.played);
                self.job.watch.found(find);
            }
        }
        if !finds.is_empty() {
            // For whoever looks into the file; the checkpoint sees to it that it is written.
            let _ = self.journal.write(self.job.disk);
        }
        Ok(())
    }

    fn wave_end(&self) -> Option<u64> {
        let wave = self.job.method.wave()?.max(1);
        Some((self.done / wave + 1).saturating_mul(wave).min(self.end))
    }

    /// Lets workers take blocks up to the end of the wave, or a bounded number ahead.
    fn hand_out(&self, shared: &Shared, wave_end: Option<u64>) {
        let ahead = self
            .done
            .saturating_add(AHEAD * self.job.threads as u64)
            .min(self.end);
        shared.queue().limit = wave_end.unwrap_or(ahead);
        shared.changed.notify_all();
    }

    /// Looks at everything that is not a block.
    fn tick(&mut self, now: Duration) -> Option<StopReason> {
        let progress = self.progress();
        self.job.watch.progress(&progress);
        if (self.job.signal)() {
            return Some(StopReason::Signal);
        }
        let stop = self.job.held.folder().stop();
        if stop.exists() {
            if let Err(error) = std::fs::remove_file(&stop) {
                let path = stop.display();
                self.job
                    .watch
                    .warn(&format!("{path} cannot be removed: {error}"));
            }
            return Some(StopReason::File);
        }
        let limit = self.job.time_limit;
        if let Some(limit) = limit.filter(|&limit| now.saturating_sub(self.start) >= limit) {
            // Sessions that are all too short for a block would never come to an end.
            if self.done > self.begun_done || limit.is_zero() {
                return Some(StopReason::TimeLimit);
            }
            if !self.overdue {
                self.overdue = true;
                self.job.watch.warn(&format!(
                    "the time limit of {} s is over before {} was done: the search goes on to its \
                     end, so that every session gets on",
                    limit.as_secs_f64(),
                    match self.job.method.wave() {
                        Some(wave) => format!("a wave of {wave} blocks"),
                        None => "a block".to_owned(),
                    }
                ));
            }
        }
        if now >= self.next_save {
            self.save();
            self.next_status = now;
        }
        if now >= self.next_status {
            self.write_status(RunState::Running);
            self.next_status = now + STATUS;
        }
        None
    }

    /// Writes the finds, then the state that counts them.
    fn save(&mut self) {
        let saved = self.journal.sync(self.job.disk).and_then(|finds| {
            let saved = Saved {
                plan: self.canonical.clone(),
                shard: self.job.shard,
                done: self.done,
                finds,
                tally: self.job.method.encode(&self.tally),
                program: env!("CARGO_PKG_VERSION").to_owned(),
            };
            self.job
                .held
                .save(self.job.disk, self.fingerprint, &saved)
                .map(|()| finds)
        });
        let now = self.job.clock.elapsed();
        let every = self.job.plan.common.checkpoint_every;
        let wait = if saved.is_ok() {
            // Often in the beginning, so that a short run loses little.
            every.min(now.saturating_sub(self.start).max(FIRST))
        } else {
            every.min(RETRY)
        };
        self.next_save = now + wait;
        match saved {
            Ok(finds) => {
                self.last = finds;
                if self.unsaved.take().is_some() {
                    self.job.watch.warn("the checkpoint is written again");
                }
            }
            Err(error) => {
                if self.unsaved.is_none() {
                    let path = self.job.held.folder().path().display();
                    self.job.watch.warn(&format!(
                        "{path}: no checkpoint could be written: {error}; the search goes on and \
                         tries again"
                    ));
                }
                self.unsaved = Some(error.to_string());
                self.save_error = Some(error);
            }
        }
    }

    fn progress(&mut self) -> RunProgress {
        let now = self.job.clock.elapsed();
        let report = self.job.method.report(&self.tally);
        self.samples.push_back((now, report.played));
        while self.samples.len() > 2 && now.saturating_sub(self.samples[1].0) >= LATELY {
            self.samples.pop_front();
        }
        let rate = |played: u128, since: Duration| {
            let seconds = now.saturating_sub(since).as_secs_f64();
            if seconds > 0.0 {
                played as f64 / seconds
            } else {
                0.0
            }
        };
        let (then, played_then) = self.samples[0];
        let elapsed = now.saturating_sub(self.start);
        let session = self.done - self.begun_done;
        let left = self.total.filter(|_| session > 0).and_then(|total| {
            let seconds = elapsed.as_secs_f64() * (total - self.done) as f64 / session as f64;
            Duration::try_from_secs_f64(seconds).ok()
        });
        RunProgress {
            done: self.done,
            total: self.total,
            rate_now: rate(report.played - played_then, then),
            rate_mean: rate(report.played - self.begun, self.start),
            report,
            elapsed,
            left,
            unsaved: self.unsaved.clone(),
        }
    }

    fn write_status(&mut self, state: RunState) {
        let status = self.status(state);
        // A status that cannot be written is no reason to stop; the checkpoint warns.
        let _ = self
            .job
            .held
            .write_status(self.job.disk, &status.file_text());
    }

    /// Where the run is now.
    fn status(&mut self, state: RunState) -> Status {
        let progress = self.progress();
        let position = Position {
            plan: self.job.plan,
            shard: self.job.shard,
            done: progress.done,
            total: progress.total,
            report: &progress.report,
        };
        Status {
            live: Some(Live {
                rate_now: progress.rate_now,
                rate_mean: progress.rate_mean,
                elapsed_seconds: progress.elapsed.as_secs_f64(),
                seconds_left: progress.left.map(|left| left.as_secs_f64()),
                unsaved: progress.unsaved.clone(),
                threads: self.job.threads,
                process: std::process::id(),
                host: host_name(),
                updated: time_text(self.job.clock.wall()),
                program: env!("CARGO_PKG_VERSION").to_owned(),
            }),
            ..Status::of(state, &position)
        }
    }
}
