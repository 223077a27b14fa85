//! `camicia search`: runs a plan, from a file, from flags, or from both.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{available_parallelism, sleep};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, anyhow};
use clap::Args;
use serde_json::{Value, json};

use super::progress::{Watcher, grouped, rate};
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::output::{self, GOOD, STRONG};
use crate::game::lanes::Kernel;
use crate::search::finds::known;
use crate::search::finds::results::{Ending, Find};
use crate::search::methods::exhaust::Exhaust;
use crate::search::plan::shard::Shard;
use crate::search::plan::{Count, How, Keys, Plan};
use crate::search::run::disk::{Clock, Files, Watches};
use crate::search::run::merge::{MergeError, finds, publish};
use crate::search::run::runner::{self, Ended, Job, Method, Report, RunError, Stop};
use crate::search::run::store::{Folder, Held, Loaded, LockError, Saved, StoreError};
use crate::search::{Visit, settle, with_method};

/// Search for long and infinite games: run a plan, stop it, go on
///
/// Without a plan, flags alone make one (--games is needed); its state gets a name of its own, and
/// the same flags go on where they stopped.
#[derive(Args, Debug)]
pub struct SearchArgs {
    /// A plan (TOML), for example search/quick.toml
    plan: Option<PathBuf>,

    #[command(flatten)]
    keys: KeyFlags,

    #[command(flatten)]
    run: RunFlags,
}

/// Flags that come before the keys of a plan.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "What is searched (comes before the plan's keys)")]
pub struct KeyFlags {
    /// The way of searching: random, exhaust, grow or climb
    #[arg(long)]
    how: Option<String>,
    /// The deck: standard, italian, half, or counts such as plain=28,1=4,2=4,3=4
    #[arg(long)]
    deck: Option<String>,
    /// The seed of everything drawn
    #[arg(long, value_name = "N")]
    seed: Option<Count>,
    /// How many deals are played (1e9 is understood)
    #[arg(long, value_name = "N")]
    games: Option<Count>,
    /// Games of at least so many cards are closed backward [default: about one in 200,000]
    #[arg(long, value_name = "CARDS")]
    close_from: Option<Count>,
    /// How many of the best trees are kept
    #[arg(long, value_name = "N")]
    keep: Option<Count>,
    /// How many cycles of infinite games are kept, each with all its deals
    #[arg(long, value_name = "N")]
    keep_cycles: Option<Count>,
    /// Deals in a block
    #[arg(long, value_name = "N")]
    block: Option<Count>,
    /// Tricks after which a game is looked at for a loop
    #[arg(long, value_name = "TRICKS")]
    cap: Option<Count>,
    /// Changes in a row without a longer game that end a climb
    #[arg(long, value_name = "N")]
    patience: Option<Count>,
    /// A deal that climbs begin with, or that is grown from; may be given several times
    #[arg(long, value_name = "DEAL", allow_hyphen_values = true)]
    from: Option<Vec<String>>,
    /// How many changed states are tested, for a search that grows [default: until stopped]
    #[arg(long, value_name = "N")]
    tests: Option<Count>,
    /// Seconds between two checkpoints
    #[arg(long, value_name = "SECONDS")]
    checkpoint_every: Option<f64>,
    /// Exhausting: the order in which deals are numbered, akqj- or -123
    #[arg(long, allow_hyphen_values = true)]
    order: Option<String>,
    /// Exhausting: the indices that are played, from A, up to but not B [default: all]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    range: Option<String>,
    /// Exhausting: how many infinite games are written; further ones are counted only
    #[arg(long, value_name = "N")]
    keep_loops: Option<Count>,
}

impl KeyFlags {
    pub fn keys(&self) -> Keys {
        Keys {
            how: self.how.clone(),
            deck: self.deck.clone(),
            seed: self.seed,
            games: self.games,
            close_from: self.close_from,
            keep: self.keep,
            keep_cycles: self.keep_cycles,
            block: self.block,
            cap: self.cap,
            patience: self.patience,
            from: self.from.clone(),
            tests: self.tests,
            checkpoint_every: self.checkpoint_every,
            order: self.order.clone(),
            range: self.range.clone(),
            keep_loops: self.keep_loops,
        }
    }
}

/// Flags that decide no result.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "How it is run (changes no result)")]
pub struct RunFlags {
    /// Search part I of N of the plan, from 0, for example 0/4
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Go on from the state that is there; begin if there is none
    #[arg(long, conflicts_with = "restart")]
    resume: bool,
    /// Throw away the state that is there and begin anew
    #[arg(long)]
    restart: bool,
    /// Wait while another process works on the same state
    #[arg(long)]
    wait: bool,
    /// Stop after this time, for example 90s, 10m, 12h or 7d
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,
    /// How many threads play [default: what the machine, or its scheduler, gives]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: Option<u16>,
    /// The instructions that play many games at once: avx512, avx2 or scalar [default: the fastest
    /// that this machine has]
    #[arg(long, value_name = "NAME")]
    kernel: Option<Kernel>,
    /// The folder of the state [default: checkpoints/NAME]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// The folder of the results [default: results/NAME]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// Begin although it will take days
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl RunFlags {
    /// How many threads play.
    pub fn threads(&self) -> Result<usize, Fault> {
        match self.threads {
            Some(threads) => Ok(threads.into()),
            None => threads(),
        }
    }
}

/// `90`, `90s`, `10m`, `12h`, `7d`.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong =
        || format!("{text:?} is no time: write a number and s, m, h or d, such as 90s or 12h");
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' | '0'..='9' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        'd' => 86_400.0,
        _ => return Err(wrong()),
    };
    let number = text.trim_end_matches(['s', 'm', 'h', 'd']);
    if text.len() - number.len() > 1 {
        return Err(wrong());
    }
    let number: f64 = number.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())
}

/// How many threads a scheduler, or else the machine, gives.
fn threads() -> Result<usize, Fault> {
    let variables = [
        "RAYON_NUM_THREADS",
        "SLURM_CPUS_PER_TASK",
        "PBS_NUM_PPN",
        "NSLOTS",
        "OMP_NUM_THREADS",
    ];
    for variable in variables {
        let Ok(text) = std::env::var(variable) else {
            continue;
        };
        return match text.trim().parse() {
            Ok(threads) if (1..=4096).contains(&threads) => Ok(threads),
            _ => Err(Fault::usage(anyhow!(
                "{variable} is {text:?}: a number of threads from 1 to 4096 is expected; set it \
                 right, or use --threads"
            ))),
        };
    }
    Ok(available_parallelism().map_or(1, usize::from))
}

/// INT, TERM and HUP: the first one asks, the second one of a kind ends the process at once.
fn signals() -> Result<Arc<AtomicBool>, Fault> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // In this order: a signal that finds the flag set ends the process, then the flag is set.
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&asked))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&asked)))
            .context("cannot listen to signals")
            .map_err(|error| Fault {
                exit: Exit::Io,
                error,
            })?;
    }
    Ok(asked)
}

/// Runs `camicia search`.
pub fn run(args: &SearchArgs) -> Outcome {
    let flags = args.keys.keys();
    let Some(path) = &args.plan else {
        if flags == Keys::default() {
            return Err(Fault::usage(anyhow!(
                "nothing to search: give a plan, for example search/quick.toml, or --games"
            )));
        }
        let plan = checked(flags)?;
        let name = format!("flags-{}", plan.fingerprint());
        return run_plan(&plan, &name, true, &args.run);
    };
    let text = std::fs::read_to_string(path).map_err(|error| Fault::usage(error).at(path))?;
    let file = Keys::read(&text).map_err(|error| Fault::usage(error).at(path))?;
    let plan = checked(flags.clone().over(file.clone())).map_err(|fault| fault.at(path))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    // A plan changed by flags is another plan, and must not meet the state of the file's own.
    let same = flags == Keys::default()
        || checked(file).is_ok_and(|own| own.fingerprint() == plan.fingerprint());
    let name = if same {
        stem.into_owned()
    } else {
        format!("{stem}-{}", plan.fingerprint())
    };
    run_plan(&plan, &name, false, &args.run)
}

/// Checks the keys of a plan and settles it.
pub fn checked(keys: Keys) -> Result<Plan, Fault> {
    let mut plan = keys.check().map_err(Fault::usage)?;
    settle(&mut plan);
    Ok(plan)
}

/// Runs a settled plan. `name` names its folders; `goes_on` says that a state that is there is
/// gone on from without being asked.
pub fn run_plan(plan: &Plan, name: &str, goes_on: bool, flags: &RunFlags) -> Outcome {
    let shard = flags.shard.unwrap_or(Shard::WHOLE);
    if shard != Shard::WHOLE && matches!(plan.how, How::Grow(_)) {
        return Err(Fault::usage(anyhow!(
            "a search that grows cycles has no shards: let other machines take other seeds"
        )));
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
    if let How::Exhaust(options) = &plan.how
        && !flags.yes
    {
        let whole = Exhaust::new(plan, options);
        let blocks = whole.blocks().map_or(0, |blocks| shard.share(blocks));
        ask_if_long(&whole, shard, blocks, threads)?;
    }
    let asked = signals()?;
    let signal = || asked.load(Ordering::Relaxed);
    let Some(held) = lock(&state, flags.wait, &signal)? else {
        return Ok(Exit::Stopped);
    };
    let saved = if flags.restart {
        held.clear().map_err(store_fault)?;
        None
    } else {
        existing(&held, plan, shard, goes_on || flags.resume)?
    };
    let mut watcher = Watcher::new(known::longest(&plan.deck));
    if let Some(saved) = &saved {
        let path = state.path().display();
        watcher.say(&format!(
            "going on from {path}: {} blocks are done",
            grouped(saved.done.into())
        ));
    }
    with_method(
        plan,
        flags.kernel.unwrap_or_else(Kernel::best),
        Search {
            plan,
            shard,
            held: &held,
            threads,
            flags,
            signal: &signal,
            saved,
            results: &results,
            watcher: &mut watcher,
        },
    )
}

/// What takes longer must be asked for.
const LONG: Duration = Duration::from_secs(24 * 3600);

/// Plays one block to see how long `blocks` of them will take, and refuses if that is long.
fn ask_if_long(
    method: &Exhaust<'_>,
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
        grouped(blocks.into())
    )))
}

/// Takes the lock; `None` if a signal came while it was waited for.
fn lock(folder: &Folder, wait: bool, signal: &dyn Fn() -> bool) -> Result<Option<Held>, Fault> {
    let holder = format!(
        "process {} on {} (camicia {}, since {})",
        std::process::id(),
        rustix::system::uname().nodename().to_string_lossy(),
        env!("CARGO_PKG_VERSION"),
        runner::time_text(SystemTime::now())
    );
    // `camicia status` holds the lock for a moment: one refusal means nothing.
    let mut patience = 3;
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
                    anstream::eprintln!(
                        "waiting: {} is worked on by another process",
                        folder.path().display()
                    );
                }
            }
        }
        sleep(Duration::from_millis(if told { 100 } else { 20 }));
    }
}

/// The state that is there, if it may be gone on from.
fn existing(held: &Held, plan: &Plan, shard: Shard, goes_on: bool) -> Result<Option<Saved>, Fault> {
    let path = held.folder().path().display();
    let Some(loaded) = held.folder().load(&Files).map_err(store_fault)? else {
        return Ok(None);
    };
    let Loaded {
        fingerprint,
        saved,
        warning,
    } = loaded;
    if let Some(warning) = warning {
        anstream::eprintln!("warning: {warning}");
    }
    if saved.plan != plan.canonical() {
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
            grouped(saved.done.into())
        )));
    }
    Ok(Some(saved))
}

fn store_fault(error: StoreError) -> Fault {
    Fault {
        exit: Exit::Io,
        error: error.into(),
    }
}

/// What a failure of reading or merging runs means for the exit code.
pub fn merge_fault(error: MergeError) -> Fault {
    let exit = match &error {
        MergeError::NoState(_) | MergeError::Plan { .. } => Exit::Usage,
        error if error.is_claim() => Exit::ClaimFailed,
        _ => Exit::Io,
    };
    Fault {
        exit,
        error: error.into(),
    }
}

struct Search<'a> {
    plan: &'a Plan,
    shard: Shard,
    held: &'a Held,
    threads: usize,
    flags: &'a RunFlags,
    signal: &'a (dyn Fn() -> bool + Sync),
    saved: Option<Saved>,
    results: &'a Path,
    watcher: &'a mut Watcher,
}

impl Visit for Search<'_> {
    type Output = Outcome;

    fn visit<M: Method>(self, method: &M) -> Outcome {
        let clock = Watches::start();
        let job = Job {
            plan: self.plan,
            method,
            shard: self.shard,
            held: self.held,
            threads: self.threads,
            time_limit: self.flags.time_limit,
            signal: self.signal,
            disk: &Files,
            clock: &clock as &dyn Clock,
            watch: self.watcher,
        };
        let ended = runner::run(job, self.saved).map_err(|error| {
            let exit = match &error {
                RunError::Panic { .. } | RunError::Disagreement(_) => Exit::ClaimFailed,
                _ => Exit::Io,
            };
            Fault {
                exit,
                error: error.into(),
            }
        });
        self.watcher.finish();
        let ended = ended?;
        let path = self.held.folder().path().display();
        if let Some(unsaved) = &ended.unsaved {
            return Err(Fault {
                exit: Exit::Io,
                error: anyhow!(
                    "{path}: the search ended unsaved ({unsaved}): --resume goes on from the last \
                     checkpoint that was written"
                ),
            });
        }
        let found = finds(self.held.folder(), ended.finds, &Files).map_err(merge_fault)?;
        let board =
            publish(method, &ended.tally, found, self.results, &Files).map_err(merge_fault)?;
        let total = method.blocks().map(|blocks| self.shard.share(blocks));
        let report = method.report(&ended.tally);
        let proofs = method
            .prove(&ended.tally, self.shard, ended.done)
            .map_err(|error| Fault {
                exit: Exit::ClaimFailed,
                error: anyhow!(error),
            })?;
        let best: Vec<&Find> = best_of(&board).collect();
        for find in &best {
            find.check().map_err(|error| Fault {
                exit: Exit::ClaimFailed,
                error: anyhow::Error::from(error).context(find.deal_text()),
            })?;
        }
        let told = Told {
            plan: self.plan,
            shard: self.shard,
            ended: &ended,
            total,
            report: &report,
            board: &board,
            best: &best,
            proofs: &proofs,
            state: self.held.folder().path(),
            results: self.results,
        };
        if self.flags.json {
            output::json_line(&told.json())?;
        } else {
            told.print()?;
        }
        Ok(match ended.stop {
            None => Exit::Done,
            Some(_) => Exit::Stopped,
        })
    }
}

/// What is shown of a leaderboard: ten finished games, and the first deal of each of ten cycles.
pub fn best_of(board: &[Find]) -> impl Iterator<Item = &Find> {
    let loops = board.iter().filter(|find| find.is_loop());
    let mut seen = HashSet::new();
    let cycles = loops.filter(move |find| seen.insert(&find.cycle));
    let finished = board.iter().filter(|find| !find.is_loop());
    cycles.take(10).chain(finished.take(10))
}

/// The end of a run, for people and for programs.
struct Told<'a, T> {
    plan: &'a Plan,
    shard: Shard,
    ended: &'a Ended<T>,
    total: Option<u64>,
    report: &'a Report,
    board: &'a [Find],
    best: &'a [&'a Find],
    proofs: &'a [String],
    state: &'a Path,
    results: &'a Path,
}

impl<T> Told<'_, T> {
    fn stop(&self) -> &'static str {
        match self.ended.stop {
            None => "finished",
            Some(Stop::Signal) => "stopped by a signal",
            Some(Stop::File) => "stopped by the file named stop (now removed)",
            Some(Stop::TimeLimit) => "stopped by the time limit",
        }
    }

    fn json(&self) -> Value {
        let report = self.report;
        let finds: Vec<Value> = self
            .best
            .iter()
            .map(|find| serde_json::from_str(&find.to_line()).expect("a find is JSON"))
            .collect();
        json!({
            "state": if self.ended.stop.is_some() { "stopped" } else { "finished" },
            "stop": self.ended.stop.map(|_| self.stop()),
            "plan": self.plan.fingerprint().to_string(),
            "how": self.plan.how.name(),
            "deck": self.plan.deck.to_string(),
            "shard": self.shard.to_string(),
            "blocks_done": output::number(self.ended.done),
            "blocks": self.total.map(output::number),
            report.unit: report.played.to_string(),
            "loops": report.loops.to_string(),
            "cycles": report.cycles,
            "seconds": self.ended.elapsed.as_secs_f64(),
            "kept": self.board.len(),
            "best": finds,
            "proofs": self.proofs,
            "checkpoint": self.state.display().to_string(),
            "results": self.results.display().to_string(),
        })
    }

    fn print(&self) -> std::io::Result<()> {
        let mut out = anstream::stdout().lock();
        let report = self.report;
        let shard = if self.shard == Shard::WHOLE {
            String::new()
        } else {
            format!(", shard {}", self.shard)
        };
        writeln!(
            out,
            "plan {}: {}, deck {}{shard}: {}",
            self.plan.fingerprint(),
            self.plan.how.name(),
            self.plan.deck,
            self.stop()
        )?;
        print_report(&mut out, report, Some((self.ended.done, self.total)))?;
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
        print_best(&mut out, self.best)?;
        writeln!(out, "results in {}", self.results.display())?;
        writeln!(out, "state in {}", self.state.display())?;
        if self.ended.stop.is_some() {
            writeln!(out, "go on with the same command and --resume")?;
        }
        Ok(())
    }
}

/// The counts of a run.
pub fn print_report(
    out: &mut impl Write,
    report: &Report,
    blocks: Option<(u64, Option<u64>)>,
) -> std::io::Result<()> {
    write!(
        out,
        "{STRONG}{} {}{STRONG:#}",
        grouped(report.played),
        report.unit
    )?;
    if let Some((done, total)) = blocks {
        match total {
            Some(total) => write!(
                out,
                ", {} of {} blocks",
                grouped(done.into()),
                grouped(total.into())
            )?,
            None => write!(out, ", {} blocks", grouped(done.into()))?,
        }
    }
    writeln!(out)?;
    for (name, value) in &report.more {
        writeln!(out, "{name}: {value}")?;
    }
    if report.loops > 0 {
        writeln!(
            out,
            "{GOOD}infinite games: {}{GOOD:#}, different cycles kept: {}",
            grouped(report.loops),
            report.cycles
        )?;
    } else {
        writeln!(out, "infinite games: none")?;
    }
    Ok(())
}

/// The best finds, each played again by the exact engine before.
pub fn print_best(out: &mut impl Write, best: &[&Find]) -> std::io::Result<()> {
    for loops in [true, false] {
        let finds: Vec<&&Find> = best.iter().filter(|find| find.is_loop() == loops).collect();
        if finds.is_empty() {
            continue;
        }
        let what = if loops {
            "infinite games, one of each cycle"
        } else {
            "the longest games"
        };
        writeln!(out, "{STRONG}{what}, proved by the exact engine{STRONG:#}")?;
        let header = if loops {
            ["", "lead-in", "period", "deal"]
        } else {
            ["", "cards", "tricks", "deal"]
        };
        let mut table = output::table(header.to_vec());
        for (place, find) in finds.iter().enumerate() {
            let [first, second] = match find.ending {
                Ending::Loop { lead_in, period } => {
                    [lead_in, period].map(|span| format!("{}/{}", span.cards, span.tricks))
                }
                Ending::Finished { .. } => {
                    [find.played.cards, find.played.tricks].map(|number| number.to_string())
                }
            };
            table.add_row([(place + 1).to_string(), first, second, find.deal_text()]);
        }
        output::right(&mut table, &[0, 1, 2]);
        for line in table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (text, seconds) in [
            ("90", 90.0),
            ("90s", 90.0),
            ("1.5m", 90.0),
            ("2h", 7200.0),
            ("7d", 604_800.0),
        ] {
            assert_eq!(
                duration(text),
                Ok(Duration::from_secs_f64(seconds)),
                "{text}"
            );
        }
        for text in ["", "m", "-1s", "1w", "1hh", "1h30m", "nan", "1e300d"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
