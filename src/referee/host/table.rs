//! One game's bots as processes: the loop that writes, reads, keeps the clock and ends them.
//!
//! A single thread waits on every stream at once, so that no bot can hold up another. A bot is judged
//! only when its answer is due, so that what is recorded does not depend on who was faster.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::bot::Bot;
use super::game::{
    Failure, FailureKind, Fixture, Halt, Life, Players, Reply, Result, Scene, SeatIndex,
};
use super::keeper::{Fate, Keeper};
use super::launch::{CANNOT_START, CANNOT_START_CODE};
use super::log::{Excerpt, Log, QUOTED};
use super::process::{FLOOD_BYTES, FLOOD_LINES, Process, Read};
use super::settings::{GameWatcher, Settings};
use super::stop::StopRequest;
use super::words::printable;

/// How long a bot that closed its output may take to end, before it counts as one that stayed.
const HANG_UP_GRACE: Duration = Duration::from_millis(500);

/// What a flood of bytes is called; a long line and many are one, for which it is depends on how the
/// bytes came.
const TOO_MANY_BYTES: &str = "over 64 KiB without an action";

/// The bots at a table.
pub(in crate::referee) struct BotTable<'a> {
    keeper: &'a mut Keeper,
    settings: &'a Settings,
    stop: &'a StopRequest,
    watcher: Option<&'a mut GameWatcher>,
    places: Vec<SeatedBot>,
}

struct SeatedBot {
    bot: usize,
    process: Option<Process>,
    failure: Option<Failure>,
    log: Option<Log>,
    /// What a process that is gone wrote on standard error.
    errors: Excerpt,
    slowest: Duration,
}

impl SeatedBot {
    /// Keeps the first failure.
    fn note(&mut self, failure: Failure) {
        if self.failure.is_none() {
            if let Some(log) = &mut self.log {
                log.remark(&format!("out of the game: {failure}"));
            }
            self.failure = Some(failure);
        }
    }
}

/// What a table leaves behind.
pub(in crate::referee) struct Cleared {
    /// What went wrong, by seat.
    pub failures: Vec<Option<Failure>>,
    /// The slowest answer by seat, first answers of a process left out.
    pub slowest: Vec<Duration>,
}

/// A bot whose answer is awaited.
struct Awaited {
    seat: SeatIndex,
    /// The place of its reply.
    index: usize,
    deadline: Instant,
    lines: usize,
    bytes: usize,
    /// The last line that was no answer and not blank.
    skipped: Option<Vec<u8>>,
    state: AnswerState,
}

impl Awaited {
    /// What the bot wrote instead of an answer, to follow a failure; `unfinished` has no end of line.
    fn wrote(&self, unfinished: &[u8]) -> String {
        let mut text = String::new();
        if let Some(line) = &self.skipped {
            let line = printable(line, QUOTED);
            text = match self.lines {
                1 => format!("; it wrote `{line}`, which is no answer"),
                lines => format!("; it wrote {lines} lines that are no answer, the last `{line}`"),
            };
        }
        if !unfinished.is_empty() {
            let rest = printable(unfinished, QUOTED);
            text.push_str(&format!("; it wrote `{rest}` without an end of line"));
        }
        text
    }
}

#[derive(PartialEq)]
enum AnswerState {
    Waiting,
    Answered,
    /// The process is gone or its output is closed; judged once all others have answered.
    HungUp,
    Failed(Failure),
}

/// What a descriptor in the waiting list is for.
#[derive(Clone, Copy)]
enum Source {
    Stop,
    In(SeatIndex),
    Err(SeatIndex),
    Out(usize),
    End(usize),
}

impl<'a> BotTable<'a> {
    /// Seats the bots of `seats` (indices into `bots`): those whose processes live in `pool` with
    /// them, all others with fresh ones.
    #[expect(
        clippy::too_many_arguments,
        reason = "called in one place; they are what a game needs"
    )]
    pub fn open(
        keeper: &'a mut Keeper,
        settings: &'a Settings,
        stop: &'a StopRequest,
        watcher: Option<&'a mut GameWatcher>,
        bots: &[Bot],
        seats: &[usize],
        pool: &mut [Option<Process>],
        round: &Fixture,
    ) -> Result<BotTable<'a>> {
        let mut places = Vec::with_capacity(seats.len());
        for (seat, &bot) in seats.iter().enumerate() {
            let process = match pool[bot].take() {
                Some(process) => process,
                None => {
                    let started = keeper
                        .launch(
                            &bots[bot].program,
                            settings.limits_of(&bots[bot]),
                            settings.isolate,
                        )
                        .map_err(|error| trouble(&bots[bot].name, &error))?;
                    Process::new(started).map_err(|error| trouble(&bots[bot].name, &error))?
                }
            };
            let log = match &settings.logs {
                None => None,
                Some(folder) => Some(
                    Log::create(folder, round.number, seat, &bots[bot].name).map_err(|error| {
                        Halt::Trouble(format!(
                            "cannot write a log in {}: {error}",
                            folder.display()
                        ))
                    })?,
                ),
            };
            places.push(SeatedBot {
                bot,
                process: Some(process),
                failure: None,
                log,
                errors: Excerpt::default(),
                slowest: Duration::ZERO,
            });
        }
        Ok(BotTable {
            keeper,
            settings,
            stop,
            watcher,
            places,
        })
    }

    /// Ends the game: writes what waits, then kills the processes or puts them back into `pool`.
    pub fn close(mut self, life: Life, pool: &mut [Option<Process>]) -> Result<Cleared> {
        let mut done = Vec::new();
        for place in &mut self.places {
            if let Some(process) = &mut place.process {
                process.write();
                process.drain_errors();
                done.push(process.pid);
            }
        }
        if life == Life::Game && !done.is_empty() {
            self.keeper
                .finish(done, Duration::ZERO)
                .map_err(|error| Halt::Trouble(error.to_string()))?;
        }
        let mut cleared = Cleared {
            failures: Vec::new(),
            slowest: Vec::new(),
        };
        for place in &mut self.places {
            if let Some(process) = &mut place.process {
                process.drain_errors();
                place.errors = std::mem::take(&mut process.errors);
            }
            if let Some(mut log) = place.log.take() {
                if let Some(process) = place.process.as_ref().filter(|it| it.pending() > 0) {
                    log.remark(&format!("{} bytes were not asked for", process.pending()));
                }
                close_log(log, &place.errors, self.settings)?;
            }
            if life == Life::Match {
                pool[place.bot] = place.process.take();
            }
            cleared.failures.push(place.failure.take());
            cleared.slowest.push(place.slowest);
        }
        Ok(cleared)
    }

    /// Ends a bot's process. What its fate says is for the caller.
    fn dismiss(&mut self, seat: SeatIndex, grace: Duration) -> Result<Fate> {
        let place = &mut self.places[seat];
        let Some(mut process) = place.process.take() else {
            return Ok(Fate::Killed);
        };
        process.drain_errors();
        let fates = self
            .keeper
            .finish(vec![process.pid], grace)
            .map_err(|error| Halt::Trouble(error.to_string()))?;
        process.drain_errors();
        place.errors = process.errors;
        Ok(fates.first().copied().unwrap_or(Fate::Killed))
    }

    /// What a bot did whose output has ended.
    fn judge(&mut self, seat: SeatIndex) -> Result<Failure> {
        let fate = self.dismiss(seat, HANG_UP_GRACE)?;
        let errors = &self.places[seat].errors;
        let last = errors.last_line().map_or(String::new(), |line| {
            format!("; its last line on standard error: `{line}`")
        });
        let errors = errors.head();
        Ok(match fate {
            Fate::Exited(CANNOT_START_CODE) if errors.starts_with(CANNOT_START.as_bytes()) => {
                Failure::new(FailureKind::NotStarted, not_started(errors))
            }
            // Bubblewrap gives the signal of the bot on, as shells do.
            Fate::Exited(code) if self.settings.isolate && (129..192).contains(&code) => {
                crash(code - 128, &last)
            }
            Fate::Exited(code) => {
                Failure::new(FailureKind::Exit, format!("ended with code {code}{last}"))
            }
            Fate::Signaled(signal) => crash(signal, &last),
            Fate::Killed => Failure::protocol(format!("closed its output and stayed{last}")),
        })
    }

    /// Waits until something happens to a bot, at most until the first deadline, and says what.
    fn wait(&mut self, awaited: &[Awaited], events: &mut Vec<(Source, PollFlags)>) -> Result<()> {
        events.clear();
        let mut fds = vec![PollFd::from_borrowed_fd(self.stop.fd(), PollFlags::IN)];
        let mut sources = vec![Source::Stop];
        for (seat, place) in self.places.iter().enumerate() {
            let Some(process) = &place.process else {
                continue;
            };
            if let Some(stderr) = &process.stderr {
                fds.push(PollFd::new(stderr, PollFlags::IN));
                sources.push(Source::Err(seat));
            }
            if process.has_queue()
                && let Some(stdin) = &process.stdin
            {
                fds.push(PollFd::new(stdin, PollFlags::OUT));
                sources.push(Source::In(seat));
            }
        }
        let mut deadline = None;
        for (position, bot) in awaited.iter().enumerate() {
            if bot.state != AnswerState::Waiting {
                continue;
            }
            let Some(process) = &self.places[bot.seat].process else {
                continue;
            };
            deadline =
                Some(deadline.map_or(bot.deadline, |first: Instant| first.min(bot.deadline)));
            if let Some(stdout) = &process.stdout {
                fds.push(PollFd::new(stdout, PollFlags::IN));
                sources.push(Source::Out(position));
            }
            fds.push(PollFd::new(&process.process, PollFlags::IN));
            sources.push(Source::End(position));
        }
        let left = deadline.map_or(Duration::ZERO, |deadline| {
            deadline.saturating_duration_since(Instant::now())
        });
        let timeout = Timespec {
            tv_sec: left.as_secs() as i64,
            tv_nsec: i64::from(left.subsec_nanos()),
        };
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(Halt::Trouble(format!("cannot wait for the bots: {error}"))),
        }
        events.extend(
            fds.iter()
                .zip(sources)
                .filter(|(fd, _)| !fd.revents().is_empty())
                .map(|(fd, source)| (source, fd.revents())),
        );
        Ok(())
    }

    /// Takes lines of an awaited bot until one is its answer, which it gives.
    fn take(
        &mut self,
        bot: &mut Awaited,
        heed: &mut dyn FnMut(SeatIndex, &[u8]) -> bool,
    ) -> Option<Vec<u8>> {
        let place = &mut self.places[bot.seat];
        let process = place.process.as_mut()?;
        loop {
            let ended = process.stdout.is_none();
            let Some(line) = process
                .take_line()
                .or_else(|| ended.then(|| process.take_rest())?)
            else {
                if bot.bytes + process.pending() > FLOOD_BYTES {
                    bot.state =
                        AnswerState::Failed(Failure::new(FailureKind::Flood, TOO_MANY_BYTES));
                } else if ended {
                    bot.state = AnswerState::HungUp;
                }
                return None;
            };
            bot.lines += 1;
            bot.bytes += line.len() + 1;
            let text = process.bytes(line);
            let blank = text.trim_ascii().is_empty();
            if let Some(log) = &mut place.log {
                log.said(text);
            }
            if bot.bytes > FLOOD_BYTES {
                bot.state = AnswerState::Failed(Failure::new(FailureKind::Flood, TOO_MANY_BYTES));
                return None;
            }
            if heed(bot.seat, text) {
                bot.state = AnswerState::Answered;
                return Some(text.to_vec());
            }
            if !blank {
                bot.skipped = Some(text.to_vec());
            }
            if bot.lines >= FLOOD_LINES {
                let what = match &bot.skipped {
                    Some(line) => format!(
                        "{FLOOD_LINES} lines without an action, the last `{}`",
                        printable(line, QUOTED)
                    ),
                    None => format!("{FLOOD_LINES} blank lines without an action"),
                };
                bot.state = AnswerState::Failed(Failure::new(FailureKind::Flood, what));
                return None;
            }
        }
    }
}

impl Players for BotTable<'_> {
    fn tell(&mut self, seat: SeatIndex, line: &str) {
        let place = &mut self.places[seat];
        let Some(process) = &mut place.process else {
            return;
        };
        if let Some(log) = &mut place.log {
            log.told(line.as_bytes());
        }
        if !process.queue(line) && place.failure.is_none() {
            // Its process is ended when it is asked next.
            let failure = Failure::protocol("does not read: 1 MiB of lines wait for it");
            place.note(failure);
        }
    }

    fn ask(
        &mut self,
        seats: &[SeatIndex],
        heed: &mut dyn FnMut(SeatIndex, &[u8]) -> bool,
    ) -> Result<Vec<Reply>> {
        for place in &mut self.places {
            if let Some(process) = &mut place.process {
                process.write();
            }
        }
        let handed = Instant::now();
        let mut answers: Vec<Option<Vec<u8>>> = vec![None; seats.len()];
        let mut awaited = Vec::with_capacity(seats.len());
        for (index, &seat) in seats.iter().enumerate() {
            let place = &self.places[seat];
            if place.failure.is_some() {
                continue;
            }
            let Some(process) = &place.process else {
                continue;
            };
            let start = if process.settled {
                Duration::ZERO
            } else {
                self.settings.startup
            };
            let mut bot = Awaited {
                seat,
                index,
                deadline: handed + self.settings.timeout + self.settings.margin + start,
                lines: 0,
                bytes: 0,
                skipped: None,
                state: AnswerState::Waiting,
            };
            // It may have written ahead of its turn.
            answers[index] = self.take(&mut bot, heed);
            awaited.push(bot);
        }
        let mut events = Vec::new();
        while awaited.iter().any(|bot| bot.state == AnswerState::Waiting) {
            self.wait(&awaited, &mut events)?;
            let woke = Instant::now();
            for &(source, _) in &events {
                match source {
                    Source::Stop => return Err(Halt::Stopped),
                    Source::In(seat) => self.places[seat]
                        .process
                        .iter_mut()
                        .for_each(Process::write),
                    Source::Err(seat) => {
                        if let Some(process) = &mut self.places[seat].process {
                            process.read_errors();
                        }
                    }
                    Source::Out(position) | Source::End(position) => {
                        let bot = &mut awaited[position];
                        // All that an ended process wrote lies in its pipe, whoever else holds it.
                        let over = matches!(source, Source::End(_));
                        while bot.state == AnswerState::Waiting {
                            let Some(process) = &mut self.places[bot.seat].process else {
                                break;
                            };
                            let read = process.read();
                            answers[bot.index] = self.take(bot, heed);
                            if read == Read::Nothing && over && bot.state == AnswerState::Waiting {
                                bot.state = AnswerState::HungUp;
                            }
                            if !over {
                                break;
                            }
                        }
                        if bot.state == AnswerState::Answered
                            && let Some(process) = &mut self.places[bot.seat].process
                        {
                            if process.settled {
                                let slowest = &mut self.places[bot.seat].slowest;
                                *slowest = (*slowest).max(woke - handed);
                            } else {
                                process.settled = true;
                            }
                        }
                    }
                }
            }
            for bot in &mut awaited {
                if bot.state == AnswerState::Waiting && woke >= bot.deadline {
                    let seconds = self.settings.timeout.as_secs_f64();
                    let process = self.places[bot.seat].process.as_ref();
                    let wrote = bot.wrote(process.map_or(&[], Process::unfinished));
                    let what = format!("no answer in {seconds} s{wrote}");
                    bot.state = AnswerState::Failed(Failure::new(FailureKind::Timeout, what));
                }
            }
        }
        // Only now, when no other bot's time runs.
        for bot in awaited {
            match bot.state {
                AnswerState::Waiting | AnswerState::Answered => {}
                AnswerState::HungUp => {
                    let mut failure = self.judge(bot.seat)?;
                    failure.detail.push_str(&bot.wrote(&[]));
                    self.fail(bot.seat, failure)?;
                }
                AnswerState::Failed(failure) => self.fail(bot.seat, failure)?,
            }
        }
        let mut replies = Vec::with_capacity(seats.len());
        for (&seat, answer) in seats.iter().zip(answers) {
            replies.push(match (&self.places[seat].failure, answer) {
                (None, Some(answer)) => Ok(answer),
                (Some(failure), _) => Err(failure.clone()),
                (None, None) => Err(Failure::protocol("is not at the table")),
            });
            if self.places[seat].failure.is_some() {
                self.dismiss(seat, Duration::ZERO)?;
            }
        }
        Ok(replies)
    }

    fn fail(&mut self, seat: SeatIndex, failure: Failure) -> Result<()> {
        self.places[seat].note(failure);
        self.dismiss(seat, Duration::ZERO)?;
        Ok(())
    }

    fn failed(&self, seat: SeatIndex) -> Option<&Failure> {
        self.places[seat].failure.as_ref()
    }

    fn show(&mut self, scene: &mut dyn FnMut() -> Scene) {
        if let Some(watcher) = &mut self.watcher {
            watcher(scene());
        }
    }
}

fn trouble(bot: &str, error: &std::io::Error) -> Halt {
    Halt::Trouble(format!("cannot start bot {bot}: {error}"))
}

/// The failure of a bot that a signal ended; `last` is what it said before.
fn crash(signal: i32, last: &str) -> Failure {
    let name = signal_hook::low_level::signal_name(signal).unwrap_or("unnamed");
    Failure::new(
        FailureKind::Crash,
        format!("signal {signal} ({name}){last}"),
    )
}

fn close_log(log: Log, errors: &Excerpt, settings: &Settings) -> Result<()> {
    log.close(errors).map_err(|error| {
        let folder = settings
            .logs
            .as_deref()
            .unwrap_or(std::path::Path::new("."));
        Halt::Trouble(format!(
            "cannot write a log in {}: {error}",
            folder.display()
        ))
    })
}

/// Why a program could not be run, from what the launch wrote on standard error.
pub(in crate::referee) fn not_started(errors: &[u8]) -> String {
    let line = errors
        .split(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
    printable(
        line.strip_prefix(CANNOT_START.as_bytes()).unwrap_or(line),
        300,
    )
}
