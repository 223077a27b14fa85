//! Runs a plan: locks its folders, goes on from its state, and shows what came of it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use anyhow::anyhow;

use super::errors::{claim_fault, folder_fault, run_fault, store_fault};
use super::flags::RunFlags;
use super::progress::Announcer;
use super::show::{best_of, print_best, print_report};
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome, printed};
use crate::cli::term::numbers::{grouped, rate};
use crate::cli::term::output::{self, GOOD, Out};
use crate::cli::term::plot;
use crate::cli::term::signals::StopSignals;
use crate::game::lanes::Kernel;
use crate::search::finds::known;
use crate::search::finds::results::Find;
use crate::search::finds::tally::Histogram;
use crate::search::methods::{AnyMethod, Plan};
use crate::search::plan::Keys;
use crate::search::plan::shard::Shard;
use crate::search::run::clock::SystemClock;
use crate::search::run::disk::Files;
use crate::search::run::mend::{Mended, mend};
use crate::search::run::publish::{other_owner, publish};
use crate::search::run::runner::{self, Ended, Job, StopReason};
use crate::search::run::saved::finds;
use crate::search::run::status::{
    Best, Position, Published, RunEnd, RunState, Status, host_name, time_text,
};
use crate::search::run::store::{Folder, Held, Loaded, LockError, Saved};

/// Checks the keys of a plan and settles it.
pub fn checked(keys: &Keys) -> Result<Plan, Fault> {
    Plan::settled(keys).map_err(Fault::usage)
}

/// Runs a settled plan. `name` names its folders; `goes_on` says that a state that is there is
/// gone on from without being asked.
pub fn run_plan(plan: &Plan, name: &str, goes_on: bool, flags: &RunFlags) -> Outcome {
    let shard = match flags.shard {
        None => Shard::WHOLE,
        Some(flag) => {
            let (shard, source) = flag.resolve()?;
            if let Some(source) = source {
                output::notice(format_args!("shard {shard}, from {source}"));
            }
            shard
        }
    };
    if shard != Shard::WHOLE
        && let Some(reason) = plan.how.no_shards()
    {
        return Err(Fault::usage(anyhow!(reason)));
    }
    let name = if shard == Shard::WHOLE {
        name.to_owned()
    } else {
        format!("{name}.{}-of-{}", shard.at(), shard.of())
    };
    let folder = |given: &Option<PathBuf>, usual: &str| {
        given
            .clone()
            .unwrap_or_else(|| Path::new(usual).join(&name))
    };
    let state = Folder::new(folder(&flags.state, "checkpoints"));
    let results = folder(&flags.results, "results");
    let threads = flags.threads()?;
    let method = plan.method(flags.kernel.unwrap_or_else(Kernel::best));
    let total = method.blocks().map(|blocks| shard.share(blocks));
    if method.may_take_ages() && !flags.yes {
        ask_if_long(&*method, shard, total.unwrap_or(u64::MAX), threads)?;
    }
    let signals = StopSignals::listen()?;
    let signal = || signals.asked();
    let Some(held) = lock(&state, flags.wait, &signal)? else {
        return Ok(Exit::Stopped);
    };
    let mut watcher = Announcer::new(known::longest(&plan.common.deck), flags.watch);
    let owner = other_owner(plan, shard, &results, &Files).map_err(folder_fault)?;
    match owner {
        Some(owner) if flags.restart => {
            let aside = put_aside(&results).map_err(|error| Fault::io(&results, error))?;
            watcher.say(&format!(
                "the results of {owner} that lay in {} are put aside as {}",
                results.display(),
                aside.display()
            ));
        }
        Some(owner) => {
            return Err(Fault::usage(anyhow!(
                "{} holds the results of {owner}: give another --results, or --restart to put them \
                 aside",
                results.display()
            )));
        }
        None => {}
    }
    let saved = if flags.restart {
        let canonical = plan.canonical();
        let aside = held.clear(&Files, canonical.as_str());
        if let Some(aside) = aside.map_err(store_fault)? {
            watcher.say(&format!(
                "the finds that lay there are put aside as {}",
                aside.display()
            ));
        }
        None
    } else {
        existing(
            &held,
            plan,
            &*method,
            shard,
            goes_on || flags.resume,
            &watcher,
        )?
    };
    if let Some(saved) = &saved {
        let path = state.path().display();
        watcher.say(&format!(
            "going on from {path}: {} blocks are done",
            grouped(saved.done)
        ));
    }
    let clock = SystemClock::start();
    let job = Job {
        plan,
        method: &*method,
        shard,
        held: &held,
        threads,
        time_limit: flags.time_limit,
        signal: &signal,
        disk: &Files,
        clock: &clock,
        watch: &mut watcher,
    };
    let ended = runner::run(job, saved).map_err(run_fault);
    watcher.finish();
    let ended = ended?;
    let path = state.path().display();
    if let Some(unsaved) = &ended.unsaved {
        return Err(Fault {
            exit: Exit::Io,
            error: anyhow!(
                "{path}: the search ended unsaved ({unsaved}): --resume goes on from the last \
                 checkpoint that was written"
            ),
        });
    }
    let found = finds(&state, ended.finds, &Files).map_err(folder_fault)?;
    let board = publish(plan, shard, &*method, &ended.tally, found, &results, &Files)
        .map_err(folder_fault)?;
    let report = method.report(&ended.tally);
    let proofs = method
        .prove(&ended.tally, shard, ended.done)
        .map_err(|error| claim_fault(anyhow!(error)))?;
    let best: Vec<&Find> = best_of(&board).collect();
    for find in &best {
        find.check()
            .map_err(|error| claim_fault(anyhow::Error::from(error).context(find.deal_text())))?;
    }
    let summary = Summary {
        position: Position {
            plan,
            shard,
            done: ended.done,
            total,
            report: &report,
        },
        ended: &ended,
        board: &board,
        best: &best,
        proofs: &proofs,
        state: state.path(),
        results: &results,
    };
    let told = if flags.json {
        output::json_line(&summary.status())
    } else {
        output::print(|out| summary.print(out, method.lengths(&ended.tally)))
    };
    let result = match ended.stop {
        None => Exit::Done,
        Some(_) => Exit::Stopped,
    };
    printed(told, result)
}

/// Gives a folder a name of its own, so that nothing in it is written over.
fn put_aside(folder: &Path) -> io::Result<PathBuf> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut asides = (1u32..).map(|n| folder.with_file_name(format!("{name}.aside-{n}")));
    let aside = asides.find(|aside| !aside.exists()).unwrap_or_default();
    std::fs::rename(folder, &aside)?;
    Ok(aside)
}

/// What takes longer must be asked for.
const LONG: Duration = Duration::from_secs(24 * 3600);

/// Plays one block to see how long `blocks` of them will take, and refuses if that is long.
fn ask_if_long(
    method: &dyn AnyMethod,
    shard: Shard,
    blocks: u64,
    threads: usize,
) -> Result<(), Fault> {
    // A few blocks are no matter at any speed.
    if blocks < 10_000 {
        return Ok(());
    }
    let start = Instant::now();
    method.play(shard.at(), &method.begin(), &AtomicBool::new(false));
    let seconds = start.elapsed().as_secs_f64() * blocks as f64 / threads as f64;
    if seconds < LONG.as_secs_f64() {
        return Ok(());
    }
    let days = seconds / 86_400.0;
    let time = if days < 730.0 {
        format!("{days:.0} days")
    } else {
        format!("{} years", grouped((days / 365.25) as u128))
    };
    Err(Fault::usage(anyhow!(
        "this will take about {time} on {threads} threads ({} blocks): say --yes to begin all the \
         same, share it among machines with --shard, or take a part with --range",
        grouped(blocks)
    )))
}

/// Takes the lock; `None` if a signal came while it was waited for.
fn lock(folder: &Folder, wait: bool, signal: &dyn Fn() -> bool) -> Result<Option<Held>, Fault> {
    let holder = format!(
        "process {} on {} (camicia {}, since {})",
        std::process::id(),
        host_name(),
        env!("CARGO_PKG_VERSION"),
        time_text(SystemTime::now())
    );
    // `camicia status` holds the lock for a moment: one refusal means nothing.
    let mut patience = 10;
    let mut told = false;
    loop {
        match folder.lock(&holder) {
            Ok(held) => return Ok(Some(held)),
            Err(LockError::Io { path, error }) => return Err(Fault::io(path, error)),
            Err(busy @ LockError::Busy { .. }) => {
                if signal() {
                    return Ok(None);
                }
                if patience > 0 {
                    patience -= 1;
                } else if !wait {
                    return Err(Fault {
                        exit: Exit::Locked,
                        error: busy.into(),
                    });
                } else if !told {
                    told = true;
                    output::notice(format_args!(
                        "waiting: {} is worked on by another process",
                        folder.path().display()
                    ));
                }
            }
        }
        sleep(Duration::from_millis(if told { 100 } else { 20 }));
    }
}

/// The state that is there, if it may be gone on from; its finds mended if need be.
fn existing(
    held: &Held,
    plan: &Plan,
    method: &dyn AnyMethod,
    shard: Shard,
    goes_on: bool,
    watcher: &Announcer,
) -> Result<Option<Saved>, Fault> {
    let path = held.folder().path().display();
    let Some(loaded) = held.folder().load(&Files).map_err(store_fault)? else {
        let aside = held.put_finds_aside();
        if let Some(aside) = aside.map_err(|error| Fault::io(held.folder().finds(), error))? {
            watcher.say(&format!(
                "warning: {path} has finds but no state: they are put aside as {}, and the search \
                 begins anew",
                aside.display()
            ));
        }
        return Ok(None);
    };
    let Loaded {
        fingerprint,
        saved,
        warning,
        finds_damaged,
        fallback,
    } = loaded;
    if let Some(warning) = warning {
        output::warning(warning);
    }
    if saved.plan != plan.canonical().as_str() {
        return Err(Fault::usage(anyhow!(
            "{path} holds the state of another plan ({fingerprint}, this one is {}): use another \
             --state, or --restart to throw it away",
            plan.fingerprint()
        )));
    }
    if saved.shard != shard {
        return Err(Fault::usage(anyhow!(
            "{path} holds the state of shard {}, not of {shard}: use another --state, or \
             --restart to throw it away",
            saved.shard
        )));
    }
    if !goes_on {
        return Err(Fault::usage(anyhow!(
            "{path} holds a state of this plan, {} blocks done: use --resume to go on (or to see \
             what it found), or --restart to throw it away and begin anew",
            grouped(saved.done)
        )));
    }
    let Some(damage) = finds_damaged else {
        return Ok(Some(saved));
    };
    watcher.say(&format!("warning: {damage}: what is lost is found again"));
    let mended = match (mend(plan, method, held, saved, &Files), fallback) {
        (Ok(mended), _) => mended,
        (Err(error), Some(older)) => {
            watcher.say(&format!(
                "warning: {error}: the search goes on from an older state, {} blocks done, whose \
                 finds are whole",
                grouped(older.done)
            ));
            return Ok(Some(older));
        }
        (Err(error), None) => {
            return Err(Fault {
                exit: Exit::Io,
                error: anyhow::Error::from(error).context(damage),
            });
        }
    };
    let Mended {
        saved,
        whole,
        again,
        aside,
    } = mended;
    watcher.say(&format!(
        "{whole} finds were whole, {again} were found again{}",
        if aside.as_os_str().is_empty() {
            String::new()
        } else {
            format!("; the damaged file is put aside as {}", aside.display())
        }
    ));
    Ok(Some(saved))
}

/// The end of a run, for people and for programs.
struct Summary<'a> {
    position: Position<'a>,
    ended: &'a Ended,
    board: &'a [Find],
    best: &'a [&'a Find],
    proofs: &'a [String],
    state: &'a Path,
    results: &'a Path,
}

impl Summary<'_> {
    fn stop(&self) -> &'static str {
        match self.ended.stop {
            None => "finished",
            Some(StopReason::Signal) => "stopped by a signal",
            Some(StopReason::File) => "stopped by the file named stop (now removed)",
            Some(StopReason::TimeLimit) => "stopped by the time limit",
        }
    }

    fn status(&self) -> Status {
        let stopped = self.ended.stop.is_some();
        Status {
            best: Best::finds(self.best),
            end: Some(RunEnd {
                stop: stopped.then(|| self.stop().to_owned()),
                seconds: self.ended.elapsed.as_secs_f64(),
                checkpoint: self.state.display().to_string(),
            }),
            published: Some(Published {
                kept: self.board.len(),
                proofs: self.proofs.to_vec(),
                results: self.results.display().to_string(),
            }),
            ..Status::of(RunState::after(stopped), &self.position)
        }
    }

    fn print(&self, out: &mut Out, lengths: Option<(&str, &Histogram)>) -> io::Result<()> {
        let Position {
            plan,
            shard,
            done,
            total,
            report,
        } = self.position;
        let shard = if shard == Shard::WHOLE {
            String::new()
        } else {
            format!(", shard {shard}")
        };
        writeln!(
            out,
            "plan {}: {}, deck {}{shard}: {}",
            plan.fingerprint(),
            plan.how.name(),
            plan.common.deck,
            self.stop()
        )?;
        print_report(out, report, Some((done, total)))?;
        for proof in self.proofs {
            writeln!(out, "{GOOD}checked{GOOD:#}: {proof}")?;
        }
        let seconds = self.ended.elapsed.as_secs_f64();
        if self.ended.session_played > 0 && seconds > 0.0 {
            writeln!(
                out,
                "this session: {} {} in {seconds:.1} s, {}/s",
                grouped(self.ended.session_played),
                report.unit,
                rate(self.ended.session_played as f64 / seconds)
            )?;
        }
        if let Some((of, histogram)) = lengths {
            plot::histogram(out, of, histogram)?;
        }
        print_best(out, self.best)?;
        writeln!(out, "results in {}", self.results.display())?;
        writeln!(out, "state in {}", self.state.display())?;
        if self.ended.stop.is_some() {
            writeln!(out, "go on with the same command and --resume")?;
        }
        Ok(())
    }
}
